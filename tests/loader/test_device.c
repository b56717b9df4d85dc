/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: the driver's own handles and functions, except where the platform has a say. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gen/commands.h"
#include "support.h"

static void
test_handles_are_the_drivers(void **state)
{
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 2,
	};
	VkCommandBuffer buffers[2];
	struct fakes fakes;
	struct loader l;
	VkDevice device;
	VkQueue queue, again;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	for (uint32_t i = 0; i < 2; i++) {
		struct fake_control *c = i ? fakes.b : fakes.a;

		device = make_device(&l, l.devices[i], NULL);
		assert_ptr_equal(c->seen_physical_device, c->physical_devices[0]);
		assert_int_equal(c->devices, 1);
		EXPORTED(&l, vkGetDeviceQueue)(device, 0, 0, &queue);
		EXPORTED(&l, vkGetDeviceQueue)(device, 0, 0, &again);
		assert_ptr_equal(queue, again);
		assert_int_equal(
			EXPORTED(&l, vkAllocateCommandBuffers)(device, &info, buffers), VK_SUCCESS);
		/* One table for all of them: layers key on it. */
		assert_ptr_equal(*(void **)queue, *(void **)device);
		assert_ptr_equal(*(void **)buffers[1], *(void **)device);
		EXPORTED(&l, vkCmdDraw)(buffers[0], 3, 1, 0, 0);
		/* L-03: the driver's own, of this driver. */
		assert_ptr_equal(OF_DEVICE(&l, device, vkCmdDraw), c->cmd_draw);
		end_device(&l, device);
		assert_int_equal(c->devices, 0);
	}
	EXPORTED(&l, vkDestroyDevice)(VK_NULL_HANDLE, NULL);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_wrong_first_word(void **state)
{
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 2,
	};
	VkCommandBuffer buffers[2];
	VkDevice device = VK_NULL_HANDLE;
	struct fakes fakes;
	struct loader l;
	VkQueue queue;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	fakes.a->bad_device_word = true;
	assert_int_equal(
		try_device(&l, l.devices[0], NULL, NULL, &device), VK_ERROR_INITIALIZATION_FAILED);
	assert_null(device);
	assert_int_equal(fakes.a->devices, 0);
	fakes.a->bad_device_word = false;
	device = make_device(&l, l.devices[0], NULL);
	fakes.a->bad_queue_word = true;
	EXPORTED(&l, vkGetDeviceQueue)(device, 0, 0, &queue);
	assert_null(queue);
	fakes.a->bad_command_buffer_word = true;
	assert_int_equal(EXPORTED(&l, vkAllocateCommandBuffers)(device, &info, buffers),
		VK_ERROR_INITIALIZATION_FAILED);
	end_device(&l, device);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* The list: what vkGetDeviceProcAddr doesn't answer with the driver's own pointer. */
static const char *const pinned[] = {
	"vkAcquireNextImage2KHR",
	"vkAcquireNextImageKHR",
	"vkAllocateCommandBuffers",
	"vkBindImageMemory2",
	"vkBindImageMemory2KHR",
	"vkCmdBeginDebugUtilsLabelEXT",
	"vkCmdEndDebugUtilsLabelEXT",
	"vkCmdInsertDebugUtilsLabelEXT",
	"vkCreateImage",
	"vkCreateSharedSwapchainsKHR",
	"vkCreateSwapchainKHR",
	"vkDebugMarkerSetObjectNameEXT",
	"vkDebugMarkerSetObjectTagEXT",
	"vkDestroyDevice",
	"vkDestroyPrivateDataSlot",
	"vkDestroyPrivateDataSlotEXT",
	"vkDestroySwapchainKHR",
	"vkGetDeviceGroupPresentCapabilitiesKHR",
	"vkGetDeviceGroupSurfacePresentModesKHR",
	"vkGetDeviceProcAddr",
	"vkGetDeviceQueue",
	"vkGetDeviceQueue2",
	"vkGetPrivateData",
	"vkGetPrivateDataEXT",
	"vkGetSwapchainImagesKHR",
	"vkQueueBeginDebugUtilsLabelEXT",
	"vkQueueEndDebugUtilsLabelEXT",
	"vkQueueInsertDebugUtilsLabelEXT",
	"vkQueuePresentKHR",
	"vkSetDebugUtilsObjectNameEXT",
	"vkSetDebugUtilsObjectTagEXT",
	"vkSetPrivateData",
	"vkSetPrivateDataEXT",
};

static bool
is_pinned(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(pinned); i++) {
		if (!strcmp(pinned[i], name))
			return true;
	}
	return false;
}

/* The null driver's own, through its face as an ICD. */
static PFN_vkGetDeviceProcAddr
null_driver_gdpa(void)
{
	void *dso = dlopen(TEST_HAL_DIR "/vulkan.null.so", RTLD_NOW | RTLD_NOLOAD);
	PFN_vkGetInstanceProcAddr get;

	assert_non_null(dso);
	get = (PFN_vkGetInstanceProcAddr)dlsym(dso, "vk_icdGetInstanceProcAddr");
	assert_non_null(get);
	dlclose(dso);
	return (PFN_vkGetDeviceProcAddr)get((VkInstance)1, "vkGetDeviceProcAddr");
}

/* L-03: on the null driver, with swapchains of ours: everything but the list is its own. */
static void
test_pointers_are_the_drivers_own(void **state)
{
	static const char *const extensions[] = {
		"VK_KHR_surface", "VK_KHR_android_surface", "VK_EXT_debug_utils", NULL};
	static const char *const device_extensions[] = {"VK_KHR_swapchain", NULL};
	PFN_vkGetDeviceProcAddr driver_gdpa;
	uint32_t own = 0, hooked = 0;
	struct loader l;
	VkDevice device;

	use_null_hal();
	open_loader(&l);
	make_instance(&l, extensions);
	assert_int_equal(l.device_count, 1);
	device = make_device(&l, l.devices[0], device_extensions);
	driver_gdpa = null_driver_gdpa();
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const char *name = kr_commands[i].name;
		PFN_vkVoidFunction ours = EXPORTED(&l, vkGetDeviceProcAddr)(device, name);

		if (kr_commands[i].level != KR_LEVEL_DEVICE) {
			assert_null(ours);
			continue;
		}
		if (ours == driver_gdpa(device, name)) {
			own += ours != NULL;
			continue;
		}
		if (!is_pinned(name))
			fail_msg("%s isn't the driver's own", name);
		printf("# hooked: %s\n", name);
		hooked++;
	}
	assert_true(own > 150);
	assert_true(hooked > 15);
	end_device(&l, device);
	end_instance(&l);
	close_loader(&l);
}

/* D-05, W-02. */
static void
test_native_buffer_is_never_seen(void **state)
{
	static const char *const names[] = {"vkAcquireImageANDROID", "vkGetAcquireImportsKRAFLA",
		"vkQueueSignalReleaseImageANDROID", "vkGetSwapchainGrallocUsageANDROID",
		"vkGetSwapchainGrallocUsage2ANDROID", "vkQueueSignalReleaseImageKRAFLA"};
	static const char *const asked[] = {"VK_ANDROID_native_buffer", NULL};
	static const char *const swapchain[] = {"VK_KHR_swapchain", NULL};
	VkExtensionProperties list[128];
	uint32_t count = KR_ARRAY_LEN(list);
	uint32_t version = 0;
	struct loader l;
	VkDevice device;

	use_null_hal();
	open_loader(&l);
	make_instance(&l, NULL);
	assert_int_equal(EXPORTED(&l, vkEnumerateDeviceExtensionProperties)(
				 l.devices[0], NULL, &count, list),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		assert_string_not_equal(list[i].extensionName, "VK_ANDROID_native_buffer");
		if (!strcmp(list[i].extensionName, "VK_KHR_swapchain"))
			version = list[i].specVersion;
	}
	assert_int_equal(version, 70);
	assert_int_equal(
		try_device(&l, l.devices[0], asked, NULL, &device), VK_ERROR_EXTENSION_NOT_PRESENT);
	device = make_device(&l, l.devices[0], swapchain);
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		assert_null(EXPORTED(&l, vkGetDeviceProcAddr)(device, names[i]));
		assert_null(l.gipa(l.instance, names[i]));
	}
	end_device(&l, device);
	end_instance(&l);
	close_loader(&l);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	int *heard = user_data;

	assert_non_null(strstr(data->pMessage, "called on a device that hasn't got it"));
	++*heard;
	return VK_FALSE;
}

static VkDebugUtilsMessengerEXT
listen(struct loader *l, int *heard)
{
	const VkDebugUtilsMessengerCreateInfoEXT info = kr_vulkan_messenger_info(
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, hear, heard);

	return make_messenger(l, &info);
}

/*
 * K-50. Entry points are there whether a device has the command or not: called all the same, they
 * fail, and are told once each.
 */
static void
test_commands_that_a_device_lacks(void **state)
{
	static const char *const names[] = {"vkCmdBeginRendering", "vkCreatePrivateDataSlot",
		"vkGetSwapchainImagesKHR", "vkGetBufferDeviceAddress"};
	uint32_t images = 7;
	VkPrivateDataSlot slot = (VkPrivateDataSlot)7;
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	VkCommandBuffer buffer;
	struct fakes fakes;
	struct loader l;
	VkDebugUtilsMessengerEXT messenger;
	int heard = 0;
	VkDevice device;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, (const char *const[]){"VK_EXT_debug_utils", NULL});
	messenger = listen(&l, &heard);
	device = make_device(&l, l.devices[1], NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++)
		assert_null(EXPORTED(&l, vkGetDeviceProcAddr)(device, names[i]));
	assert_int_equal(EXPORTED(&l, vkAllocateCommandBuffers)(device, &info, &buffer), 0);
	EXPORTED(&l, vkCmdBeginRendering)(buffer, NULL);
	EXPORTED(&l, vkCmdBeginRendering)(buffer, NULL);
	assert_int_equal(heard, 1);
	assert_int_equal(EXPORTED(&l, vkCreatePrivateDataSlot)(device, NULL, NULL, &slot),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(
		EXPORTED(&l, vkGetSwapchainImagesKHR)(device, VK_NULL_HANDLE, &images, NULL),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(images, 0);
	assert_int_equal(EXPORTED(&l, vkGetBufferDeviceAddress)(device, NULL), 0);
	assert_int_equal(heard, 4);
	end_messenger(&l, messenger);
	end_device(&l, device);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_hidden_extensions(void **state)
{
	static const char *const hidden[] = {"VK_EXT_display_control", NULL};
	/* VkPhysicalDevicePresentBarrierFeaturesNV, for which a small registry needs no name */
	struct {
		VkStructureType type;
		void *next;
		VkBool32 value;
	} barrier = {(VkStructureType)1000292000, NULL, VK_TRUE};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
		.pNext = &barrier,
	};
	struct loader l;
	VkDevice device;

	use_null_hal();
	open_loader(&l);
	make_instance(&l, NULL);
	assert_int_equal(try_device(&l, l.devices[0], hidden, NULL, &device),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	EXPORTED(&l, vkGetPhysicalDeviceFeatures2)(l.devices[0], &features);
	assert_int_equal(barrier.value, VK_FALSE);
	assert_ptr_equal(features.pNext, &barrier);
	barrier.value = VK_TRUE;
	assert_int_equal(try_device(&l, l.devices[0], NULL, &barrier, &device),
		VK_ERROR_FEATURE_NOT_PRESENT);
	barrier.value = VK_FALSE;
	assert_int_equal(try_device(&l, l.devices[0], NULL, &barrier, &device), VK_SUCCESS);
	end_device(&l, device);
	end_instance(&l);
	close_loader(&l);
}

static bool
lists(struct loader *l, VkPhysicalDevice device, const char *name)
{
	VkExtensionProperties list[128];
	uint32_t count = KR_ARRAY_LEN(list);

	assert_int_equal(
		EXPORTED(l, vkEnumerateDeviceExtensionProperties)(device, NULL, &count, list),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(list[i].extensionName, name))
			return true;
	}
	return false;
}

/* W-11: what an ICD means by AHardwareBuffers are none of the platform's. */
static void
test_hardware_buffers_of_icds_are_hidden(void **state)
{
	static const char buffers[] =
		VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME;
	static const char *const asked[] = {buffers, NULL};
	struct fakes fakes;
	struct loader l;
	VkDevice device;

	open_fakes(&fakes);
	use_both_fakes();
	fakes.a->device_extensions[0] = buffers;
	fakes.a->device_extensions[1] = "VK_ANDROID_external_format_resolve";
	fakes.a->device_extensions[2] = "VK_KHR_maintenance1";
	open_loader(&l);
	make_instance(&l, NULL);
	assert_false(lists(&l, l.devices[0], buffers));
	assert_false(lists(&l, l.devices[0], "VK_ANDROID_external_format_resolve"));
	assert_true(lists(&l, l.devices[0], "VK_KHR_maintenance1"));
	assert_int_equal(
		try_device(&l, l.devices[0], asked, NULL, &device), VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(fakes.a->seen_device_extension_count, 0);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* L-05: functions newer than the registry still work. */
static void
test_unknown_functions(void **state)
{
	struct fakes fakes;
	struct loader l;
	VkDevice device;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	device = make_device(&l, l.devices[1], NULL);
	assert_ptr_equal(EXPORTED(&l, vkGetDeviceProcAddr)(device, "vkFutureDeviceFunctionKR"),
		fakes.b->future_device);
	assert_null(EXPORTED(&l, vkGetDeviceProcAddr)(device, "vkNoSuchFunctionKR"));
	/* Of an instance it must do for any device: not the driver's (test_unknown.c). */
	assert_non_null(l.gipa(l.instance, "vkFutureDeviceFunctionKR"));
	assert_ptr_not_equal(
		l.gipa(l.instance, "vkFutureDeviceFunctionKR"), fakes.b->future_device);
	end_device(&l, device);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* Rule 3: in device groups the driver finds its own handles, the rest of the chain stays. */
static void
test_device_group(void **state)
{
	VkPhysicalDeviceFeatures2 before = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
	VkDeviceGroupDeviceCreateInfo group = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
		.physicalDeviceCount = 2,
	};
	VkDevicePrivateDataCreateInfo after = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_PRIVATE_DATA_CREATE_INFO};
	VkPhysicalDevice devices[2];
	struct fakes fakes;
	struct loader l;
	VkDevice device;

	open_fakes(&fakes);
	fakes.a->device_count = 2;
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	devices[0] = l.devices[1];
	devices[1] = l.devices[0];
	group.pPhysicalDevices = devices;
	before.pNext = &group;
	group.pNext = &after;
	assert_int_equal(try_device(&l, l.devices[0], NULL, &before, &device), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_group_count, 2);
	assert_ptr_equal(fakes.a->seen_group[0], fakes.a->physical_devices[1]);
	assert_ptr_equal(fakes.a->seen_group[1], fakes.a->physical_devices[0]);
	assert_int_equal(fakes.a->seen_chain_count, 3);
	assert_ptr_equal(group.pPhysicalDevices, devices);
	end_device(&l, device);
	/* Devices of two drivers are no group. */
	devices[1] = l.devices[2];
	assert_int_equal(try_device(&l, l.devices[0], NULL, &before, &device),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(fakes.a->devices, 0);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_allocation_failures(void **state)
{
	static const char *const extensions[] = {"VK_KHR_surface", "VK_KHR_android_surface", NULL};
	static const char *const swapchain[] = {"VK_KHR_swapchain", NULL};
	VkDeviceGroupDeviceCreateInfo group = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
		.physicalDeviceCount = 1,
	};
	struct counting counting;
	const struct kr_vulkan_device_info info = {
		.chain = &group,
		.extensions = swapchain,
		.allocator = &counting.callbacks,
	};
	struct loader l;
	VkResult result;
	long failures = -1;

	use_null_hal();
	open_loader(&l);
	make_instance(&l, extensions);
	group.pPhysicalDevices = &l.devices[0];
	do {
		VkDevice device;

		failures++;
		counting_init(&counting, failures);
		result = kr_vulkan_create_device(
			EXPORTED(&l, vkCreateDevice), l.devices[0], &info, &device);
		if (result == VK_SUCCESS)
			EXPORTED(&l, vkDestroyDevice)(device, &counting.callbacks);
		else
			assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
		assert_int_equal(counting.alive, 0);
	} while (result != VK_SUCCESS);
	assert_true(failures >= 4); /* object, names, group, the driver's, the window system's */
	end_instance(&l);
	close_loader(&l);
}

static void
test_debug_utils_without_the_driver(void **state)
{
	static const char *const extensions[] = {"VK_EXT_debug_utils", NULL};
	VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
	VkDebugUtilsObjectNameInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_PHYSICAL_DEVICE,
		.pObjectName = "gpu",
	};
	struct fakes fakes;
	struct loader l;
	VkDevice device;
	VkQueue queue;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, extensions);
	device = make_device(&l, l.devices[0], NULL);
	EXPORTED(&l, vkGetDeviceQueue)(device, 0, 0, &queue);
	/* The loader offers it on every driver: the functions are there and do no harm. */
	OF_DEVICE(&l, device, vkQueueBeginDebugUtilsLabelEXT)(queue, &label);
	OF_INSTANCE(&l, vkQueueInsertDebugUtilsLabelEXT)(queue, &label);
	OF_DEVICE(&l, device, vkQueueEndDebugUtilsLabelEXT)(queue);
	/* Where the driver has them, with its own handles. */
	info.objectHandle = (uint64_t)(uintptr_t)l.devices[0];
	assert_int_equal(
		OF_DEVICE(&l, device, vkSetDebugUtilsObjectNameEXT)(device, &info), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_object, (uint64_t)(uintptr_t)fakes.a->physical_devices[0]);
	info.objectType = VK_OBJECT_TYPE_INSTANCE;
	info.objectHandle = (uint64_t)(uintptr_t)l.instance;
	assert_int_equal(OF_INSTANCE(&l, vkSetDebugUtilsObjectNameEXT)(device, &info), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_object, (uint64_t)(uintptr_t)fakes.a->instance);
	/* Another driver's device never comes here. */
	info.objectType = VK_OBJECT_TYPE_PHYSICAL_DEVICE;
	info.objectHandle = (uint64_t)(uintptr_t)l.devices[1];
	assert_int_equal(
		OF_DEVICE(&l, device, vkSetDebugUtilsObjectNameEXT)(device, &info), VK_SUCCESS);
	assert_int_equal(fakes.a->names_set, 2);
	end_device(&l, device);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static const struct kr_test tests[] = {
	KR_TEST(test_handles_are_the_drivers),
	KR_TEST(test_wrong_first_word),
	KR_TEST(test_pointers_are_the_drivers_own),
	KR_TEST(test_native_buffer_is_never_seen),
	KR_TEST(test_commands_that_a_device_lacks),
	KR_TEST(test_hidden_extensions),
	KR_TEST(test_hardware_buffers_of_icds_are_hidden),
	KR_TEST(test_unknown_functions),
	KR_TEST(test_device_group),
	KR_TEST(test_allocation_failures),
	KR_TEST(test_debug_utils_without_the_driver),
};

KR_TEST_MAIN(tests)
