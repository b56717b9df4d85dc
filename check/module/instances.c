/* SPDX-License-Identifier: Apache-2.0 */
/* Instances and devices: how often, with what, and a frame of all of it (D-02, D-03). */
#include "check/module/module.h"

#include <string.h>

#define ROUNDS 10

static void
again_and_again(struct check *c)
{
	unsigned before = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct check_device device;
		unsigned now;

		check_make_device(c, NULL, &device);
		check_destroy_device(c, &device);
		now = check_descriptors(c);
		before = i ? before : now;
		CHECK(c, now <= before,
			"instances and devices leave descriptors behind: %u, then %u", before, now);
	}
}

static void
several(struct check *c)
{
	VkPhysicalDevice devices[CHECK_MAX_PHYSICAL];
	VkInstance first = check_make_instance(c, NULL), second = check_make_instance(c, NULL);
	VkPhysicalDeviceProperties properties = {0};
	uint32_t count = 0, now = 0;

	CHECK_SUCCESS(c, vkEnumeratePhysicalDevices, second, &count, NULL);
	CHECK(c, first != second, "two instances are the same one");
	CHECK_CALL(c, vkDestroyInstance, first, NULL);
	CHECK_SUCCESS(c, vkEnumeratePhysicalDevices, second, &now, NULL);
	CHECK(c, now == count, "it had %u devices, and has %u since another instance ended", count,
		now);
	(void)check_physical_devices(c, second, devices);
	CHECK_CALL(c, vkGetPhysicalDeviceProperties, devices[0], &properties);
	CHECK(c, properties.apiVersion, "a device says that it has no version");
	CHECK_CALL(c, vkDestroyInstance, second, NULL);
}

static VkResult
try_instance(struct check *c, const VkInstanceCreateInfo *info, VkInstance *instance)
{
	*instance = VK_NULL_HANDLE;
	check_step(c, "vkCreateInstance");
	return check_open(c)->CreateInstance(info, NULL, instance);
}

static void
unknown_extension(struct check *c)
{
	const char *const name = "VK_KRAFLA_no_such_extension";
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.enabledExtensionCount = 1,
		.ppEnabledExtensionNames = &name,
	};
	VkInstance instance;
	VkResult result = try_instance(c, &info, &instance);

	CHECK(c, result == VK_ERROR_EXTENSION_NOT_PRESENT,
		"vkCreateInstance with an extension that isn't there gave %s",
		check_result_name(result));
}

/* None at all, 1.0, and what will come. */
static void
versions(struct check *c)
{
	const uint32_t asked[] = {0, VK_API_VERSION_1_0, VK_API_VERSION_1_1, VK_API_VERSION_1_3,
		VK_MAKE_API_VERSION(0, 1, 4, 0), VK_MAKE_API_VERSION(0, 1, 99, 7)};
	uint32_t count = KR_ARRAY_LEN(asked);

	(void)check_make_instance(c, NULL);
	/* A driver of 1.0 may refuse what is newer; it has no function that says so. */
	if (!check_functions(c)->vkEnumerateInstanceVersion)
		count = 2;
	for (uint32_t i = 0; i < count; i++) {
		const VkApplicationInfo application = {
			.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = asked[i]};
		const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
			.pApplicationInfo = i ? &application : NULL};
		VkInstance instance;
		VkResult result = try_instance(c, &info, &instance);

		CHECK(c, result == VK_SUCCESS, "vkCreateInstance for Vulkan %u.%u.%u gave %s",
			VK_API_VERSION_MAJOR(asked[i]), VK_API_VERSION_MINOR(asked[i]),
			VK_API_VERSION_PATCH(asked[i]), check_result_name(result));
		CHECK_CALL(c, vkDestroyInstance, instance, NULL);
	}
}

static void
stable_devices(struct check *c)
{
	VkPhysicalDevice first[CHECK_MAX_PHYSICAL], second[CHECK_MAX_PHYSICAL];
	VkInstance instance = check_make_instance(c, NULL);
	uint32_t count = check_physical_devices(c, instance, first), asked = 0;

	CHECK_SUCCESS(c, vkEnumeratePhysicalDevices, instance, &asked, NULL);
	CHECK(c, asked >= count, "it says that it has %u devices, and lists %u", asked, count);
	CHECK(c, check_physical_devices(c, instance, second) == count,
		"it lists another number of devices the second time");
	CHECK(c, !memcmp(first, second, count * sizeof(*first)),
		"its devices are other handles the second time");
}

static void
devices_in_parts(struct check *c)
{
	VkPhysicalDevice all[CHECK_MAX_PHYSICAL], some[CHECK_MAX_PHYSICAL + 1] = {0};
	VkInstance instance = check_make_instance(c, NULL);
	uint32_t count = check_physical_devices(c, instance, all), room = count - 1;
	VkResult result = CHECK_CALL(c, vkEnumeratePhysicalDevices, instance, &room, some);

	CHECK(c, result == VK_INCOMPLETE, "with room for %u of %u devices it gave %s", count - 1,
		count, check_result_name(result));
	CHECK(c, room <= count - 1 && !some[count - 1],
		"with room for %u devices it wrote more of them", count - 1);
}

static void
unknown_device_extension(struct check *c)
{
	const char *const name = "VK_KRAFLA_no_such_extension";
	const struct check_device_request request = {.extensions = &name, .extension_count = 1};
	struct check_device device;
	VkResult result = check_try_device(c, &request, &device);

	CHECK(c, result == VK_ERROR_EXTENSION_NOT_PRESENT,
		"vkCreateDevice with an extension that isn't there gave %s",
		check_result_name(result));
}

/* Drawing on a native buffer, from the usage query to the pixels: the rest says what is wrong. */
static void
draws(struct check *c)
{
	static const float rgba[4] = {1.0f, 0.0f, 0.4f, 1.0f};
	struct check_device device;
	struct check_image image;
	int fence = -2;

	check_make_device(c, NULL, &device);
	check_make_image(c, &device, NULL, &image);
	CHECK_SUCCESS(c, vkAcquireImageANDROID, device.device, image.image, -1, VK_NULL_HANDLE,
		VK_NULL_HANDLE);
	check_clear(c, &device, &image, 0, rgba, VK_NULL_HANDLE, VK_NULL_HANDLE);
	CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, device.queues[0], 0, NULL, image.image,
		&fence);
	CHECK(c, check_wait_fence(c, fence, 5000), "the release fence doesn't signal within 5 s");
	check_pixels(c, &image, rgba);
	check_destroy_image(c, &device, &image);
	check_destroy_device(c, &device);
}

/* The other physical devices of a driver, of which there is one module (D-02). */
static void
each_device(struct check *c)
{
	const struct check_device_request request = {.second_device = true};
	struct check_device device;

	check_make_device(c, &request, &device);
	CHECK_SUCCESS(c, vkDeviceWaitIdle, device.device);
	check_destroy_device(c, &device);
}

static const struct check_case rows[] = {
	{
		.name = "instances.again_and_again",
		.requirement = "D-03",
		.expected =
			"instances and devices can be made and destroyed again and again, and no descriptor is left behind",
		.consequence = "programs that open Vulkan often run out of descriptors",
		.run = again_and_again,
		.timeout_s = 60, /* a device may take seconds */
	},
	{
		.name = "instances.several",
		.requirement = "D-03",
		.expected = "instances are independent: one lives on when another is destroyed",
		.consequence =
			"a program whose libraries use Vulkan, too, crashes when one of them ends",
		.run = several,
	},
	{
		.name = "instances.unknown_extensions_are_refused",
		.requirement = "D-03",
		.expected =
			"vkCreateInstance gives VK_ERROR_EXTENSION_NOT_PRESENT for an extension that it doesn't list",
		.consequence = "programs believe that they have what isn't there",
		.run = unknown_extension,
	},
	{
		.name = "instances.of_any_version",
		.requirement = "D-03",
		.expected =
			"vkCreateInstance takes no application info, 1.0, and from a driver of 1.1 on any newer version",
		.consequence = "programs that ask for a newer Vulkan than the driver's don't start",
		.run = versions,
	},
	{
		.name = "instances.devices_stay",
		.requirement = "D-02",
		.expected =
			"an instance lists the same physical devices, as the same handles, whenever it is asked",
		.consequence = "programs lose the device that they chose",
		.run = stable_devices,
	},
	{
		.name = "instances.devices_in_parts",
		.requirement = "D-02",
		.expected =
			"with too little room vkEnumeratePhysicalDevices fills it and gives VK_INCOMPLETE",
		.consequence = "programs that ask for one device have their memory overwritten",
		.run = devices_in_parts,
	},
	{
		.name = "instances.second_device",
		.requirement = "D-02",
		.expected = "a device can be made of each physical device of the driver",
		.consequence = "the machine's second GPU is listed and can't be used",
		.run = each_device,
	},
	{
		.name = "instances.unknown_device_extensions_are_refused",
		.requirement = "D-03",
		.expected =
			"vkCreateDevice gives VK_ERROR_EXTENSION_NOT_PRESENT for an extension that the device doesn't list",
		.consequence = "programs believe that they have what isn't there",
		.run = unknown_device_extension,
	},
	{
		.name = "instances.draw",
		.requirement = "W-04 W-08",
		.expected =
			"a native buffer becomes an image, which is acquired, cleared and released, and the buffer holds the colour",
		.consequence = "windows stay black, or no frame is shown at all",
		.run = draws,
	},
};

const struct check_rows check_module_instances = CHECK_ROWS(rows);
