/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device extensions about swapchains that ours have: when they are offered, what is heard of
 * their features, and what of them comes to a driver.
 */
#include <string.h>

#include "both_swapchains.h"

/* Types of registry 1.4.359; all are one VkBool32. */
struct one_feature {
	VkStructureType type;
	void *next;
	VkBool32 value;
};

static const struct row {
	const char *name;
	uint32_t feature;
	bool needs_driver;
	bool by_surface; /* offered beside a driver's own swapchains, whatever they have */
} rows[] = {
	{"VK_KHR_incremental_present", 0, false, false},
	{"VK_EXT_swapchain_maintenance1", 1000275000, false, false},
	{"VK_KHR_swapchain_maintenance1", 1000275000, false, false},
	{"VK_KHR_present_id", 1000294001, false, false},
	{"VK_KHR_present_wait", 1000248000, false, false},
	{"VK_KHR_present_id2", 1000479002, false, true},
	{"VK_KHR_present_wait2", 1000480001, false, true},
	{"VK_KHR_present_mode_fifo_latest_ready", 1000361000, false, true},
	{"VK_EXT_present_mode_fifo_latest_ready", 1000361000, false, true},
	{"VK_EXT_hdr_metadata", 0, false, true},
	{"VK_KHR_shared_presentable_image", 0, true, false},
	{"VK_KHR_swapchain_mutable_format", 0, true, false},
	{"VK_EXT_image_compression_control_swapchain", 1000437000, true, false},
	{"VK_EXT_multisampled_render_to_swapchain", 1000616000, true, false},
};

#define MAX_LIST 128

struct list {
	VkExtensionProperties items[MAX_LIST];
	uint32_t count;
};

static void
get_list(const struct loader *l, struct list *list)
{
	uint32_t counted = 0;

	memset(list, 0, sizeof(*list));
	list->count = MAX_LIST;
	assert_int_equal(EXPORTED(l, vkEnumerateDeviceExtensionProperties)(
				 l->devices[0], NULL, &counted, NULL),
		VK_SUCCESS);
	assert_int_equal(EXPORTED(l, vkEnumerateDeviceExtensionProperties)(
				 l->devices[0], NULL, &list->count, list->items),
		VK_SUCCESS);
	assert_int_equal(list->count, counted);
}

static uint32_t
times(const struct list *list, const char *name)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < list->count; i++)
		found += !strcmp(list->items[i].extensionName, name);
	return found;
}

static bool
ask_feature(const struct loader *l, PFN_vkGetPhysicalDeviceFeatures2 ask, uint32_t type)
{
	/* Neither of the values that it may become. */
	struct one_feature feature = {(VkStructureType)type, NULL, 77};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &feature};

	ask(l->devices[0], &features);
	assert_ptr_equal(features.pNext, &feature);
	assert_null(feature.next);
	assert_true(feature.value == VK_TRUE || feature.value == VK_FALSE);
	return feature.value;
}

/* Faults 3 and 4: by both names of the function; TRUE exactly when the extension is offered. */
static void
expect_feature(const struct loader *l, uint32_t type, bool there)
{
	PFN_vkGetPhysicalDeviceFeatures2 khr = OF_INSTANCE(l, vkGetPhysicalDeviceFeatures2KHR);

	assert_true(ask_feature(l, EXPORTED(l, vkGetPhysicalDeviceFeatures2), type) == there);
	/* NULL unless the instance has the extension. */
	if (khr)
		assert_true(ask_feature(l, khr, type) == there);
}

static void
expect_rows(const struct loader *l, bool (*expected)(const struct row *row))
{
	struct list first, second;

	get_list(l, &first);
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		bool there = expected(&rows[i]);

		if (times(&first, rows[i].name) != there)
			fail_msg("%s %s", rows[i].name, there ? "is missing" : "is offered");
		if (rows[i].feature)
			expect_feature(l, rows[i].feature, there);
	}
	/* Fault 20: the list is the same whatever was asked in between. */
	get_list(l, &second);
	assert_memory_equal(&first, &second, sizeof(first));
}

struct scene {
	struct fake_hal hal;
	struct loader l;
};

static void
begin(struct scene *s, const char *const *listed)
{
	static const char *const names[] = {"VK_KHR_get_physical_device_properties2", NULL};

	open_fake_hal(&s->hal);
	for (int i = 0; listed && listed[i]; i++)
		s->hal.control->device_extensions[1 + i] = listed[i];
	open_loader(&s->l);
	make_instance(&s->l, names);
	assert_int_equal(s->l.device_count, 1);
	assert_non_null(OF_INSTANCE(&s->l, vkGetPhysicalDeviceFeatures2KHR));
}

static void
end(struct scene *s)
{
	end_instance(&s->l);
	close_loader(&s->l);
	close_fake_hal(&s->hal);
}

static bool
needs_only_us(const struct row *row)
{
	return !row->needs_driver;
}

/* L-06 */
static void
what_needs_only_us_is_offered_everywhere(void **state)
{
	struct scene s;

	begin(&s, NULL);
	expect_rows(&s.l, needs_only_us);
	end(&s);
}

/* Fault 20: each once, also where the driver lists it; a driver's list of ours says nothing. */
static void
what_the_driver_lists_is_listed_once(void **state)
{
	const char *listed[KR_ARRAY_LEN(rows) + 1] = {0};
	struct scene s;

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++)
		listed[i] = rows[i].name;
	begin(&s, listed);
	expect_rows(&s.l, needs_only_us);
	end(&s);
}

/* What the null driver lets us offer. */
static const char *lent = "";

static bool
null_has(const struct row *row)
{
	return !row->needs_driver || strstr(lent, row->name);
}

/* W-10: as the driver is, so is what it lets us offer. */
static void
what_needs_the_driver_is_offered_when_it_can(void **state)
{
	static const struct {
		const char *driver, *offered;
	} settings[] = {
		{"shared=no,mutable=no", ""},
		{"shared=yes,mutable=no", "VK_KHR_shared_presentable_image"},
		{"shared=no,mutable=yes", "VK_KHR_swapchain_mutable_format"},
		{"shared=no,mutable=no,compression=yes",
			"VK_EXT_image_compression_control_swapchain"},
		{"shared=no,mutable=no,msrtss=yes", "VK_EXT_multisampled_render_to_swapchain"},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(settings); i++) {
		struct loader l;

		use_null_hal();
		set_variable("KRAFLA_NULL_DRIVER", settings[i].driver);
		lent = settings[i].offered;
		open_loader(&l);
		/* Its format lists are those of Vulkan 1.2. */
		assert_int_equal(try_instance(&l, VK_API_VERSION_1_3, NULL), VK_SUCCESS);
		find_devices(&l);
		expect_rows(&l, null_has);
		end_instance(&l);
		close_loader(&l);
	}
	set_variable("KRAFLA_NULL_DRIVER", "");
}

/* W-10: never without Vulkan 1.1 or VK_KHR_get_physical_device_properties2. */
static void
shared_images_need_the_second_form(void **state)
{
	struct list list;
	struct loader l;

	use_null_hal();
	open_loader(&l);
	make_instance(&l, NULL);
	get_list(&l, &list);
	assert_int_equal(times(&list, "VK_KHR_shared_presentable_image"), 1);
	end_instance(&l);
	close_loader(&l);

	struct scene s;

	open_fake_hal(&s.hal);
	s.hal.control->no_properties2 = true;
	open_loader(&s.l);
	assert_int_equal(try_instance(&s.l, VK_API_VERSION_1_0, NULL), VK_SUCCESS);
	find_devices(&s.l);
	get_list(&s.l, &list);
	assert_int_equal(times(&list, "VK_KHR_shared_presentable_image"), 0);
	assert_int_equal(times(&list, "VK_KHR_present_id"), 1);
	end(&s);
}

/* Every feature of ours that a device without abilities has, with other structures between. */
struct request {
	struct one_feature of[KR_ARRAY_LEN(rows)];
	VkPhysicalDeviceMultiviewFeatures multiview;
	uint32_t count;
};

static void
request_all(struct request *r, uint32_t between)
{
	void *next = NULL;

	memset(r, 0, sizeof(*r));
	r->multiview.sType = (VkStructureType)between;
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		if (!rows[i].feature || rows[i].needs_driver ||
			(r->count && r->of[r->count - 1].type == rows[i].feature))
			continue;
		if (r->count == 2) {
			r->multiview.pNext = next;
			next = &r->multiview;
		}
		r->of[r->count++] =
			(struct one_feature){(VkStructureType)rows[i].feature, next, VK_TRUE};
		next = &r->of[r->count - 1];
	}
}

static const void *
first_of(const struct request *r)
{
	return &r->of[r->count - 1];
}

/* W-02: a driver without swapchains of its own sees neither names nor structures of ours. */
static void
the_driver_sees_nothing_of_ours(void **state)
{
	/* The second can't be copied: nobody here knows how large it is. */
	static const uint32_t between[] = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, 0x7ffffff0};
	const char *names[KR_ARRAY_LEN(rows) + 2] = {"VK_KHR_swapchain"};
	struct request r, before;
	struct scene s;
	uint32_t count = 1;
	VkDevice device;

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		if (!rows[i].needs_driver)
			names[count++] = rows[i].name;
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(between); i++) {
		begin(&s, NULL);
		request_all(&r, between[i]);
		before = r;
		assert_int_equal(
			try_device(&s.l, s.l.devices[0], names, first_of(&r), &device), VK_SUCCESS);
		/* The application's chain is what it was. */
		assert_memory_equal(&r, &before, sizeof(r));
		assert_int_equal(s.hal.control->seen_device_extension_count, 1);
		assert_string_equal(
			s.hal.control->seen_device_extensions[0], "VK_ANDROID_native_buffer");
		assert_int_equal(s.hal.control->seen_chain_count, 1);
		assert_int_equal(s.hal.control->seen_chain[0], between[i]);
		end_device(&s.l, device);
		end(&s);
	}
}

/* Fault 4, and what follows from it for vkCreateDevice. */
static void
what_is_not_offered_cant_be_enabled(void **state)
{
	struct scene s;
	VkDevice device;

	begin(&s, NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		const char *const names[] = {"VK_KHR_swapchain", rows[i].name, NULL};
		struct one_feature feature = {(VkStructureType)rows[i].feature, NULL, VK_TRUE};

		if (!rows[i].needs_driver)
			continue;
		assert_int_equal(try_device(&s.l, s.l.devices[0], names, NULL, &device),
			VK_ERROR_EXTENSION_NOT_PRESENT);
		if (!rows[i].feature)
			continue;
		assert_int_equal(try_device(&s.l, s.l.devices[0], NULL, &feature, &device),
			VK_ERROR_FEATURE_NOT_PRESENT);
		/* It is there and asks for nothing. */
		feature.value = VK_FALSE;
		assert_int_equal(
			try_device(&s.l, s.l.devices[0], NULL, &feature, &device), VK_SUCCESS);
		assert_int_equal(s.hal.control->seen_chain_count, 0);
		end_device(&s.l, device);
	}
	end(&s);
}

/* Beside a driver's own swapchains. */
static void
beside_a_drivers_swapchains_both_must_have_it(void **state)
{
	static const char *const listed[] = {"VK_KHR_present_id", NULL};
	struct one_feature ready = {(VkStructureType)1000361000, NULL, VK_TRUE};
	struct one_feature id = {(VkStructureType)1000294001, &ready, VK_TRUE};
	static const char *const enabled[] = {
		"VK_KHR_present_id", "VK_KHR_present_mode_fifo_latest_ready", NULL};
	VkDevice device;
	struct list list;
	struct both s;

	open_both_with(&s, listed, enabled);
	get_list(&s.l, &list);
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++)
		assert_int_equal(times(&list, rows[i].name),
			rows[i].by_surface || !strcmp(rows[i].name, listed[0]));
	/* The driver is told of what it has. */
	assert_true(has_name(s.driver->seen_device_extensions,
		s.driver->seen_device_extension_count, enabled[0]));
	assert_false(has_name(s.driver->seen_device_extensions,
		s.driver->seen_device_extension_count, enabled[1]));
	assert_int_equal(try_device(&s.l, s.l.devices[0], enabled, &id, &device), VK_SUCCESS);
	assert_int_equal(s.driver->seen_chain_count, 1);
	assert_int_equal(s.driver->seen_chain[0], id.type);
	end_device(&s.l, device);
	/* And asked for it, whose answer counts; of the other it hears nothing. */
	expect_feature(&s.l, ready.type, true);
	assert_int_equal(s.driver->seen_features, 0);
	expect_feature(&s.l, 1000275000, false);
	assert_int_equal(s.driver->seen_features, 0);
	close_both(&s);
}

static const struct kr_test tests[] = {
	KR_TEST(what_needs_only_us_is_offered_everywhere),
	KR_TEST(what_the_driver_lists_is_listed_once),
	KR_TEST(what_needs_the_driver_is_offered_when_it_can),
	KR_TEST(shared_images_need_the_second_form),
	KR_TEST(the_driver_sees_nothing_of_ours),
	KR_TEST(what_is_not_offered_cant_be_enabled),
	KR_TEST(beside_a_drivers_swapchains_both_must_have_it),
};

KR_TEST_MAIN(tests)
