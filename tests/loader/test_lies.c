/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that lie about what they have (lying_icd.c): nothing hangs, nothing is read that nobody
 * wrote, nobody is handed what there isn't, and what the driver beside the liar has is there.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

struct scene {
	struct fakes fakes;
	struct loader l;
	void *dso;
	char *lie;
	int *calls;
};

static const char *const no_names[] = {NULL};

static void
begin(struct scene *s, const char *lie)
{
	const char *const libraries[] = {TEST_LYING_ICD, TEST_FAKE_B};

	open_fakes(&s->fakes);
	s->dso = dlopen(TEST_LYING_ICD, RTLD_NOW | RTLD_LOCAL);
	if (!s->dso)
		fail_msg("%s", dlerror());
	s->lie = dlsym(s->dso, "lying_icd_lie");
	s->calls = dlsym(s->dso, "lying_icd_calls");
	strcpy(s->lie, lie);
	use_drivers(KR_ARRAY_LEN(libraries), libraries);
	open_loader(&s->l);
}

static void
end(struct scene *s)
{
	if (s->l.instance)
		end_instance(&s->l);
	close_loader(&s->l);
	dlclose(s->dso);
	close_fakes(&s->fakes);
}

/* How many devices there are whose name begins so. */
static int
named(const struct scene *s, const char *name)
{
	int count = 0;

	for (uint32_t i = 0; i < s->l.device_count; i++) {
		VkPhysicalDeviceProperties properties;

		assert_non_null(s->l.devices[i]);
		EXPORTED(&s->l, vkGetPhysicalDeviceProperties)(s->l.devices[i], &properties);
		count += !strncmp(properties.deviceName, name, strlen(name));
	}
	return count;
}

static VkPhysicalDevice
liar(const struct scene *s)
{
	for (uint32_t i = 0; i < s->l.device_count; i++) {
		VkPhysicalDeviceProperties properties;

		EXPORTED(&s->l, vkGetPhysicalDeviceProperties)(s->l.devices[i], &properties);
		if (strcmp(properties.deviceName, "b"))
			return s->l.devices[i];
	}
	return VK_NULL_HANDLE;
}

static void
devices_with(const char *lie, int liars)
{
	struct scene s;

	begin(&s, lie);
	make_instance(&s.l, no_names);
	assert_int_equal(s.l.device_count, liars + 1);
	assert_int_equal(named(&s, "liar"), liars);
	assert_int_equal(named(&s, "b"), 1);
	/* Answered in a bounded number of calls: a count and a list each, for two enumerations. */
	assert_true(*s.calls < 200);
	end(&s);
}

/* K-51: no list of devices goes on for ever. */
static void
endless_devices(void **state)
{
	devices_with("endless devices", 1);
}

static void
growing_devices(void **state)
{
	devices_with("growing devices", 1);
}

/* K-51: only what the driver had room for is handed out. */
static void
more_devices_than_asked_for(void **state)
{
	devices_with("more devices", 1);
}

static void
four_thousand_million_devices(void **state)
{
	devices_with("huge devices", 0);
}

/* K-51: NULL is no device, and one that is named twice is one. */
static void
odd_devices(void **state)
{
	devices_with("odd devices", 2);
}

static void
endless_device_name(void **state)
{
	struct scene s;

	begin(&s, "endless name");
	set_variable("VK_LOADER_DEVICE_SELECT", "0x1:0x2");
	make_instance(&s.l, no_names);
	assert_int_equal(s.l.device_count, 2);
	end(&s);
}

/* All groups; each is one of one device, and there are two. */
static void
groups_with(const char *lie)
{
	VkPhysicalDeviceGroupProperties groups[4] = {0};
	uint32_t count = KR_ARRAY_LEN(groups), total = 0;
	struct scene s;

	for (uint32_t i = 0; i < count; i++)
		groups[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
	begin(&s, lie);
	make_instance(&s.l, no_names);
	*s.calls = 0;
	assert_int_equal(
		EXPORTED(&s.l, vkEnumeratePhysicalDeviceGroups)(s.l.instance, &total, NULL),
		VK_SUCCESS);
	assert_int_equal(total, 2);
	assert_int_equal(
		EXPORTED(&s.l, vkEnumeratePhysicalDeviceGroups)(s.l.instance, &count, groups),
		VK_SUCCESS);
	assert_int_equal(count, 2);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(groups[i].physicalDeviceCount, 1);
		assert_true(groups[i].physicalDevices[0] == s.l.devices[0] ||
			groups[i].physicalDevices[0] == s.l.devices[1]);
	}
	assert_true(*s.calls < 200);
	end(&s);
}

/* K-51 */
static void
endless_groups(void **state)
{
	groups_with("endless groups");
}

static void
more_groups_than_asked_for(void **state)
{
	groups_with("more groups");
}

static void
four_thousand_million_groups(void **state)
{
	groups_with("huge groups");
}

static void
groups_of_a_thousand(void **state)
{
	groups_with("wide groups");
}

static void
odd_groups(void **state)
{
	groups_with("odd groups");
}

/*
 * The liar's device has its one extension, whichever way one asks, and a device can
 * be made with it.
 */
static void
extensions_with(const char *lie)
{
	static const char *const names[] = {"VK_KHR_maintenance1", NULL};
	VkExtensionProperties list[8];
	uint32_t total = 0, count = KR_ARRAY_LEN(list), none = 0;
	VkDevice device;
	struct scene s;

	begin(&s, lie);
	make_instance(&s.l, no_names);
	assert_int_equal(
		EXPORTED(&s.l, vkEnumerateDeviceExtensionProperties)(liar(&s), NULL, &total, NULL),
		VK_SUCCESS);
	assert_int_equal(total, 1);
	assert_int_equal(
		EXPORTED(&s.l, vkEnumerateDeviceExtensionProperties)(liar(&s), NULL, &count, list),
		VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_string_equal(list[0].extensionName, names[0]);
	assert_int_equal(
		EXPORTED(&s.l, vkEnumerateDeviceExtensionProperties)(liar(&s), NULL, &none, list),
		VK_INCOMPLETE);
	assert_int_equal(none, 0);
	assert_int_equal(try_device(&s.l, liar(&s), names, NULL, &device), VK_SUCCESS);
	end_device(&s.l, device);
	assert_true(*s.calls < 500);
	end(&s);
}

/* K-51 */
static void
endless_extensions(void **state)
{
	extensions_with("endless extensions");
}

static void
more_extensions_than_asked_for(void **state)
{
	extensions_with("more extensions");
}

/* An error; the device can be used without any. */
static void
four_thousand_million_extensions(void **state)
{
	static const char *const names[] = {"VK_KHR_maintenance1", NULL};
	uint32_t count = 0;
	VkDevice device;
	struct scene s;

	begin(&s, "huge extensions");
	make_instance(&s.l, no_names);
	assert_int_equal(
		EXPORTED(&s.l, vkEnumerateDeviceExtensionProperties)(liar(&s), NULL, &count, NULL),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_true(try_device(&s.l, liar(&s), names, NULL, &device) < 0);
	assert_int_equal(try_device(&s.l, liar(&s), NULL, NULL, &device), VK_SUCCESS);
	end_device(&s.l, device);
	end(&s);
}

/* K-51: a name without end, or none, is no extension. */
static void
nameless_extensions(void **state)
{
	extensions_with("nameless extensions");
}

static void
instance_extensions_with(const char *lie, int expected)
{
	VkExtensionProperties list[128];
	uint32_t count = KR_ARRAY_LEN(list);
	int found = 0;
	struct scene s;

	begin(&s, lie);
	s.fakes.b->shares_no_memory = true;
	assert_int_equal(EXPORTED(&s.l, vkEnumerateInstanceExtensionProperties)(NULL, &count, list),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		assert_non_null(memchr(list[i].extensionName, 0, sizeof(list[i].extensionName)));
		assert_true(list[i].extensionName[0]);
		found += !strcmp(list[i].extensionName, "VK_KHR_external_memory_capabilities");
	}
	assert_int_equal(found, expected);
	make_instance(&s.l, no_names);
	assert_int_equal(s.l.device_count, 2);
	assert_true(*s.calls < 200);
	end(&s);
}

/* K-51 */
static void
endless_instance_extensions(void **state)
{
	instance_extensions_with("endless instance extensions", 1);
}

static void
more_instance_extensions_than_asked_for(void **state)
{
	instance_extensions_with("more instance extensions", 1);
}

static void
four_thousand_million_instance_extensions(void **state)
{
	instance_extensions_with("huge instance extensions", 0);
}

static void
nameless_instance_extensions(void **state)
{
	instance_extensions_with("nameless instance extensions", 1);
}

/* K-51: an answer into the application's memory claims no more than that holds. */
static void
answers_for_the_application(void **state)
{
	static const char *const lies[] = {
		"more families", "huge families", "more sparse", "huge sparse"};

	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		VkQueueFamilyProperties families[2];
		VkQueueFamilyProperties2 families2[2] = {
			{.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2},
			{.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2}};
		VkSparseImageFormatProperties sparse[2];
		uint32_t count = 2;
		struct scene s;

		begin(&s, lies[i]);
		make_instance(&s.l, no_names);
		EXPORTED(&s.l, vkGetPhysicalDeviceQueueFamilyProperties)
		(liar(&s), &count, families);
		assert_true(count <= 2);
		count = 2;
		EXPORTED(&s.l, vkGetPhysicalDeviceQueueFamilyProperties2)
		(liar(&s), &count, families2);
		assert_true(count <= 2);
		count = 2;
		EXPORTED(&s.l, vkGetPhysicalDeviceSparseImageFormatProperties)
		(liar(&s), VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_SAMPLE_COUNT_1_BIT,
			VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_TILING_OPTIMAL, &count, sparse);
		assert_true(count <= 2);
		end(&s);
	}
}

/* K-51: success without an instance is a failure of this driver; the other is used. */
static void
no_instance(void **state)
{
	struct scene s;

	begin(&s, "no instance");
	make_instance(&s.l, no_names);
	assert_int_equal(s.l.device_count, 1);
	assert_int_equal(named(&s, "b"), 1);
	end(&s);
}

/* K-51: through the adapter too, which asks for as much by itself. */
static void
no_instance_for_the_adapter(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_android_surface", NULL};
	struct scene s;

	begin(&s, "no instance");
	make_instance(&s.l, names);
	assert_int_equal(s.l.device_count, 1);
	end(&s);
}

static void
no_device_with(const char *const *names)
{
	VkDevice device;
	struct scene s;

	begin(&s, "no device");
	make_instance(&s.l, names);
	assert_int_equal(
		try_device(&s.l, liar(&s), NULL, NULL, &device), VK_ERROR_INITIALIZATION_FAILED);
	end(&s);
}

static void
no_device(void **state)
{
	no_device_with(no_names);
}

static void
no_device_for_the_adapter(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_android_surface", NULL};

	no_device_with(names);
}

/* What the adapter asks for itself ends too. */
static void
lies_to_the_adapter(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_android_surface", NULL};
	static const char *const lies[] = {"endless devices", "more devices", "huge devices",
		"odd devices", "growing devices", "endless extensions", "more extensions",
		"huge extensions", "nameless extensions", "endless instance extensions",
		"endless groups", "more groups", "huge groups", "wide groups", "odd groups",
		"endless families", "more families", "huge families", "huge memory"};

	for (size_t i = 0; i < KR_ARRAY_LEN(lies); i++) {
		VkPhysicalDeviceGroupProperties groups[4] = {0};
		VkExtensionProperties list[8];
		uint32_t count = KR_ARRAY_LEN(groups);
		VkDevice device;
		struct scene s;

		begin(&s, lies[i]);
		make_instance(&s.l, names);
		assert_int_equal(named(&s, "b"), 1);
		EXPORTED(&s.l, vkEnumeratePhysicalDeviceGroups)(s.l.instance, &count, groups);
		if (!liar(&s)) {
			end(&s);
			continue;
		}
		assert_true(count <= KR_ARRAY_LEN(groups));
		count = KR_ARRAY_LEN(list);
		EXPORTED(&s.l, vkEnumerateDeviceExtensionProperties)
		(liar(&s), NULL, &count, list);
		assert_true(count <= KR_ARRAY_LEN(list));
		if (try_device(&s.l, liar(&s), NULL, NULL, &device) == VK_SUCCESS)
			end_device(&s.l, device);
		end(&s);
	}
}

static void
no_queues_and_command_buffers(void **state)
{
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 2};
	VkCommandBuffer buffers[2];
	VkQueue queue = (VkQueue)&info;
	VkDevice device;
	struct scene s;

	begin(&s, "");
	make_instance(&s.l, no_names);
	device = make_device(&s.l, liar(&s), NULL);
	OF_DEVICE(&s.l, device, vkGetDeviceQueue)(device, 0, 0, &queue);
	assert_null(queue);
	assert_int_equal(OF_DEVICE(&s.l, device, vkAllocateCommandBuffers)(device, &info, buffers),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_null(buffers[0]);
	assert_null(buffers[1]);
	end_device(&s.l, device);
	end(&s);
}

static const struct kr_test tests[] = {
	KR_TEST(endless_devices),
	KR_TEST(growing_devices),
	KR_TEST(more_devices_than_asked_for),
	KR_TEST(four_thousand_million_devices),
	KR_TEST(odd_devices),
	KR_TEST(endless_device_name),
	KR_TEST(endless_groups),
	KR_TEST(more_groups_than_asked_for),
	KR_TEST(four_thousand_million_groups),
	KR_TEST(groups_of_a_thousand),
	KR_TEST(odd_groups),
	KR_TEST(endless_extensions),
	KR_TEST(more_extensions_than_asked_for),
	KR_TEST(four_thousand_million_extensions),
	KR_TEST(nameless_extensions),
	KR_TEST(endless_instance_extensions),
	KR_TEST(more_instance_extensions_than_asked_for),
	KR_TEST(four_thousand_million_instance_extensions),
	KR_TEST(nameless_instance_extensions),
	KR_TEST(answers_for_the_application),
	KR_TEST(no_instance),
	KR_TEST(no_instance_for_the_adapter),
	KR_TEST(no_device),
	KR_TEST(no_device_for_the_adapter),
	KR_TEST(lies_to_the_adapter),
	KR_TEST(no_queues_and_command_buffers),
};

KR_TEST_MAIN(tests)
