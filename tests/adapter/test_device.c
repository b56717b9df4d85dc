/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ICD is asked for when instances and devices are created, and which of its
 * functions stay.
 */
#include "gpu.h"

#include <stdio.h>
#include <string.h>

#include "adapter/device.h"
#include "fake_icd.h"
#include "gen/commands.h"

#define PRESENT_ID_FEATURES VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR

static bool
instance_has(const char *name)
{
	for (uint32_t i = 0; i < fake.enabled_instance_count; i++) {
		if (!strcmp(fake.enabled_instance[i], name))
			return true;
	}
	return false;
}

/* A 1.0 application enables nothing, and still the adapter can ask about sharing. */
static void
old_applications_get_capabilities(void **state)
{
	struct gpu_options options = {.api_version = VK_API_VERSION_1_0};
	struct gpu gpu;

	fake_reset();
	fake.device_extensions[6] = "VK_KHR_external_memory";
	gpu_init_fake(&gpu, &options);
	assert_true(instance_has("VK_KHR_get_physical_device_properties2"));
	assert_true(instance_has("VK_KHR_external_memory_capabilities"));
	assert_true(instance_has("VK_KHR_external_semaphore_capabilities"));
	assert_false(instance_has("VK_KHR_external_fence_capabilities")); /* it has none */
	assert_int_equal(fake.enabled_instance_count, 3);
	assert_true(fake_has_enabled("VK_KHR_external_memory"));
	assert_true(kr_adapter_device_from_handle(gpu.device)->host_alignment == 4096);
	gpu_finish_fake(&gpu);

	options.api_version = VK_API_VERSION_1_1;
	gpu_init_fake(&gpu, &options);
	assert_int_equal(fake.enabled_instance_count, 0);
	assert_false(fake_has_enabled("VK_KHR_external_memory"));
	gpu_finish_fake(&gpu);

	/* A driver of 1.0 has the KHR functions only. */
	fake.api_version = VK_API_VERSION_1_0;
	gpu_init_fake(&gpu, &options);
	assert_int_equal(fake.enabled_instance_count, 3);
	assert_true(kr_adapter_device_from_handle(gpu.device)->host_alignment == 4096);
	gpu_finish_fake(&gpu);
}

/* D-03: a program that asks for more gets what there is. */
static void
newer_applications_are_let_in(void **state)
{
	struct gpu_options options = {.api_version = VK_API_VERSION_1_3};
	struct gpu gpu;

	fake_reset();
	fake.refuses_newer = true;
	gpu_init_fake(&gpu, &options);
	gpu_finish_fake(&gpu);
}

static const VkExtensionProperties *
find(const VkExtensionProperties *list, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(list[i].extensionName, name))
			return &list[i];
	}
	return NULL;
}

static void
check_list(bool keep)
{
	const struct gpu_options options = {.keep_driver_wsi = keep};
	VkExtensionProperties list[FAKE_MAX];
	const VkExtensionProperties *ours;
	uint32_t count = FAKE_MAX, less;
	struct gpu gpu;

	gpu_init_fake(&gpu, &options);
	assert_int_equal(
		gpu.i.EnumerateDeviceExtensionProperties(gpu.physical_device, NULL, &count, list),
		VK_SUCCESS);
	ours = find(list, count, "VK_ANDROID_native_buffer");
	assert_non_null(ours);
	assert_int_equal(ours->specVersion, 11);
	assert_true(!!find(list, count, "VK_KHR_swapchain") == keep);
	/* For the ICD's own swapchains. */
	assert_true(!!find(list, count, "VK_KHR_present_id") == keep);
	assert_null(find(list, count, "VK_ANDROID_external_memory_android_hardware_buffer"));
	assert_non_null(find(list, count, "VK_EXT_external_memory_host"));
	/* Counting, and a list that is too short. */
	less = 0;
	assert_int_equal(
		gpu.i.EnumerateDeviceExtensionProperties(gpu.physical_device, NULL, &less, NULL),
		VK_SUCCESS);
	assert_int_equal(less, count);
	for (less = 0; less < count; less++) {
		uint32_t n = less;

		memset(list, 0, sizeof(list));
		assert_int_equal(gpu.i.EnumerateDeviceExtensionProperties(
					 gpu.physical_device, NULL, &n, list),
			VK_INCOMPLETE);
		assert_int_equal(n, less);
		assert_int_equal(list[less].extensionName[0], 0);
	}
	gpu_finish_fake(&gpu);
}

static void
extension_list_is_the_platforms(void **state)
{
	fake_reset();
	check_list(false);
	check_list(true);
	fake.device_extensions[0] = NULL; /* A driver without any. */
	{
		VkExtensionProperties list[2];
		uint32_t count = 2;
		struct gpu gpu;

		gpu_init_fake(&gpu, NULL);
		assert_int_equal(gpu.i.EnumerateDeviceExtensionProperties(
					 gpu.physical_device, NULL, &count, list),
			VK_SUCCESS);
		assert_int_equal(count, 1);
		gpu_finish_fake(&gpu);
	}
}

/*
 * The adapter's half of W-10: the platform's question gets an answer, and the chain is as it was.
 */
static void
shared_images_are_not_offered(void **state)
{
	VkPhysicalDeviceSubgroupProperties last = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
	VkPhysicalDevicePresentationPropertiesANDROID ours = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID, &last, 77};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ours};
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	gpu.i.GetPhysicalDeviceProperties2(gpu.physical_device, &properties);
	assert_int_equal(ours.sharedImage, VK_FALSE);
	assert_ptr_equal(properties.pNext, &ours);
	assert_ptr_equal(ours.pNext, &last);
	gpu_finish_fake(&gpu);
}

static void
extensions_are_translated(void **state)
{
	struct gpu_options options = {.extension = "VK_KHR_swapchain"};
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, &options);
	assert_false(fake_has_enabled("VK_ANDROID_native_buffer"));
	assert_false(fake_has_enabled("VK_KHR_swapchain"));
	assert_true(fake_has_enabled("VK_EXT_external_memory_host"));
	assert_true(fake_has_enabled("VK_KHR_external_semaphore_fd"));
	assert_true(fake_has_enabled("VK_KHR_external_fence_fd"));
	assert_int_equal(fake.enabled_device_count, 3);
	gpu_finish_fake(&gpu);

	options.keep_driver_wsi = true;
	gpu_init_fake(&gpu, &options);
	assert_true(fake_has_enabled("VK_KHR_swapchain"));
	gpu_finish_fake(&gpu);

	/* What is hidden isn't there. */
	options.extension = "VK_EXT_display_control";
	fake_get(&gpu.icd);
	assert_int_equal(gpu_create_instance(&gpu, &options), VK_SUCCESS);
	gpu.device = VK_NULL_HANDLE;
	assert_int_equal(gpu_create_device(&gpu, &options), VK_ERROR_EXTENSION_NOT_PRESENT);
	gpu_finish_fake(&gpu);
}

/* DESIGN 5.2: otherwise it adds no extension, no queue, no hook. */
static void
ordinary_devices_are_left_alone(void **state)
{
	const struct gpu_options options = {.not_engaged = true};
	struct gpu gpu;

	fake_reset();
	fake.families[0].queueCount = 4;
	gpu_init_fake(&gpu, &options);
	assert_int_equal(fake.enabled_device_count, 0);
	assert_int_equal(fake.queue_infos[0].queueCount, 1);
	assert_ptr_equal(
		gpu.d.CreateImage, gpu.icd.get_instance_proc_addr(gpu.instance, "vkCreateImage"));
	assert_null(gpu.acquire);
	/* Functions that were found through the instance work here, too. */
	gpu.d.QueueSubmit =
		(PFN_vkQueueSubmit)kr_adapter_get_instance_proc_addr(gpu.instance, "vkQueueSubmit");
	assert_int_equal(gpu.d.QueueSubmit(gpu.queue, 0, NULL, NULL), VK_SUCCESS);
	gpu.d.DeviceWaitIdle = (PFN_vkDeviceWaitIdle)kr_adapter_get_instance_proc_addr(
		gpu.instance, "vkDeviceWaitIdle");
	assert_int_equal(gpu.d.DeviceWaitIdle(gpu.device), VK_SUCCESS);
	assert_int_equal(fake.device_wait_idles, 1);
	gpu_finish_fake(&gpu);
}

/* W-02: the trap: such a structure makes vkCreateDevice of an ICD fail with -8. */
static void
hidden_features_are_taken_out(void **state)
{
	VkPhysicalDeviceMultiviewFeatures last = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
	VkPhysicalDevicePresentIdFeaturesKHR id = {PRESENT_ID_FEATURES, &last, VK_FALSE};
	VkPhysicalDevice16BitStorageFeatures first = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, .pNext = &id};
	struct gpu_options options = {.device_chain = &first};
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, &options);
	assert_int_equal(fake.device_chain_count, 2);
	assert_int_equal(fake.device_chain[0], first.sType);
	assert_int_equal(fake.device_chain[1], last.sType);
	assert_ptr_equal(first.pNext, &id); /* the application's own chain is const */
	gpu_finish_fake(&gpu);

	/* Asked for, nobody has it. */
	id.presentId = VK_TRUE;
	fake_get(&gpu.icd);
	assert_int_equal(gpu_create_instance(&gpu, &options), VK_SUCCESS);
	gpu.device = VK_NULL_HANDLE;
	assert_int_equal(gpu_create_device(&gpu, &options), VK_ERROR_FEATURE_NOT_PRESENT);
	gpu_finish_fake(&gpu);
}

static void
hidden_features_are_answered(void **state)
{
	VkPhysicalDeviceMultiviewFeatures last = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
	VkPhysicalDevicePresentIdFeaturesKHR id = {PRESENT_ID_FEATURES, &last, 77};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &id};
	struct gpu gpu;

	fake_reset();
	fake.hidden_feature_supported = true;
	gpu_init_fake(&gpu, NULL);
	gpu.i.GetPhysicalDeviceFeatures2(gpu.physical_device, &features);
	assert_int_equal(id.presentId, VK_FALSE);
	assert_int_equal(last.multiview, VK_TRUE);
	assert_ptr_equal(features.pNext, &id);
	assert_ptr_equal(id.pNext, &last);
	gpu_finish_fake(&gpu);
}

/* Of unknown size, it can't be copied; nothing has to be copied unless something is taken out. */
static void
unknown_structures_fail_only_in_front(void **state)
{
	VkPhysicalDevicePresentIdFeaturesKHR id = {PRESENT_ID_FEATURES, NULL, VK_FALSE};
	VkBaseInStructure unknown = {(VkStructureType)1000999000, NULL};
	struct gpu_options options = {.device_chain = &unknown};
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, &options);
	assert_int_equal(fake.device_chain_count, 1);
	gpu_finish_fake(&gpu);

	options.device_chain = &id;
	id.pNext = &unknown;
	gpu_init_fake(&gpu, &options);
	assert_int_equal(fake.device_chain_count, 1);
	assert_int_equal(fake.device_chain[0], 1000999000);
	gpu_finish_fake(&gpu);

	id.pNext = NULL;
	unknown.pNext = (const VkBaseInStructure *)&id;
	options.device_chain = &unknown;
	fake_get(&gpu.icd);
	assert_int_equal(gpu_create_instance(&gpu, &options), VK_SUCCESS);
	gpu.device = VK_NULL_HANDLE;
	assert_int_equal(gpu_create_device(&gpu, &options), VK_ERROR_INITIALIZATION_FAILED);
	gpu_finish_fake(&gpu);

	/* A loader's own structure may stand there: no driver needs it. */
	unknown.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
	gpu_init_fake(&gpu, &options);
	assert_int_equal(fake.device_chain_count, 0);
	gpu_finish_fake(&gpu);
}

/* The list of functions that are not the ICD's own, as it was at the time of writing. */
static const char *const shared[] = {
	"vkBindImageMemory2",
	"vkCreateImage",
	"vkCreateSemaphore",
	"vkDestroyDevice",
	"vkDestroyImage",
	"vkDestroySemaphore",
	"vkDeviceWaitIdle",
	"vkGetDeviceProcAddr",
	"vkQueueBindSparse",
	"vkQueueSubmit",
	"vkQueueSubmit2",
	"vkQueueSubmit2KHR",
	"vkQueueWaitIdle",
	NULL,
};

static void
check_hooks(struct gpu *gpu, const char *const *expected)
{
	PFN_vkGetDeviceProcAddr ours = (PFN_vkGetDeviceProcAddr)kr_adapter_get_instance_proc_addr(
		gpu->instance, "vkGetDeviceProcAddr");
	PFN_vkGetDeviceProcAddr icd = (PFN_vkGetDeviceProcAddr)gpu->icd.get_instance_proc_addr(
		gpu->instance, "vkGetDeviceProcAddr");
	unsigned same = 0;

	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const char *name = kr_commands[i].name;
		PFN_vkVoidFunction function;

		if (kr_commands[i].level != KR_LEVEL_DEVICE)
			continue;
		function = icd(gpu->device, name);
		if (ours(gpu->device, name) == function) {
			same += function != NULL;
			continue;
		}
		printf("# hooked: %s\n", name);
		assert_non_null(*expected);
		assert_string_equal(name, *expected);
		expected++;
	}
	assert_null(*expected);
	printf("# %u functions are the driver's own\n", same);
	assert_true(same > 20);
}

static void
lavapipe_keeps_its_functions(void **state)
{
	const struct gpu_options options = {
		.api_version = VK_API_VERSION_1_3, .extension = "VK_KHR_synchronization2"};
	struct gpu gpu;

	gpu_init(&gpu, &options);
	assert_true(kr_adapter_device_from_handle(gpu.device)->helper_shared);
	check_hooks(&gpu, shared);
	assert_non_null(gpu.acquire);
	assert_non_null(gpu.release);
	assert_non_null(gpu.gralloc_usage);
	assert_non_null(gpu.gralloc_usage2);
	/* Unknown names stay unknown, and physical-device functions are no device's. */
	assert_null(kr_adapter_get_instance_proc_addr(gpu.instance, "vkNoSuchThing"));
	assert_null(kr_adapter_get_physical_device_proc_addr(gpu.instance, "vkCreateImage"));
	assert_non_null(kr_adapter_get_physical_device_proc_addr(
		gpu.instance, "vkGetPhysicalDeviceProperties"));
	assert_ptr_equal(kr_adapter_get_physical_device_proc_addr(gpu.instance, "vkCreateDevice"),
		kr_adapter_get_instance_proc_addr(gpu.instance, "vkCreateDevice"));
	gpu_finish(&gpu);
}

static void
private_queue_hooks_less(void **state)
{
	static const char *const fake_has[] = {"vkBindImageMemory2", "vkBindImageMemory2KHR",
		"vkCreateImage", "vkCreateSemaphore", "vkDestroyDevice", "vkDestroyImage",
		"vkDestroySemaphore", "vkDeviceWaitIdle", "vkGetSemaphoreFdKHR",
		"vkImportSemaphoreFdKHR", "vkQueueBindSparse", "vkQueueSubmit", "vkQueueSubmit2",
		NULL};
	struct gpu gpu;

	fake_reset();
	fake.families[0].queueCount = 2;
	gpu_init_fake(&gpu, NULL);
	assert_false(kr_adapter_device_from_handle(gpu.device)->helper_shared);
	check_hooks(&gpu, fake_has);
	gpu_finish_fake(&gpu);
}

/* The driver's own swapchains present on the shared queue, too. */
static void
presents_of_the_driver_are_locked(void **state)
{
	struct gpu_options options = {.extension = "VK_KHR_swapchain"};
	const VkPresentInfoKHR nothing = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
	PFN_vkVoidFunction own;
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, &options);
	own = gpu.icd.get_instance_proc_addr(gpu.instance, "vkQueuePresentKHR");
	assert_ptr_equal((void *)gpu.d.QueuePresentKHR, (void *)own);
	gpu_finish_fake(&gpu);
	options.keep_driver_wsi = true;
	gpu_init_fake(&gpu, &options);
	assert_ptr_not_equal((void *)gpu.d.QueuePresentKHR, (void *)own);
	assert_int_equal(gpu.d.QueuePresentKHR(gpu.queue, &nothing), VK_SUCCESS);
	gpu_finish_fake(&gpu);
}

static void
inspect_tells_what_lavapipe_can(void **state)
{
	struct kr_adapter_report report;
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	assert_int_equal(
		kr_adapter_inspect(gpu.instance, gpu.physical_device, &report), VK_SUCCESS);
	assert_int_equal(report.import, KR_ADAPTER_IMPORT_HOST);
	gpu_finish(&gpu);
}

static void
inspect_tells_what_a_driver_can(void **state)
{
	struct kr_adapter_report report;
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	assert_int_equal(
		kr_adapter_inspect(gpu.instance, gpu.physical_device, &report), VK_SUCCESS);
	assert_int_equal(report.import, KR_ADAPTER_IMPORT_HOST);
	assert_false(report.sync_fd_semaphore || report.sync_fd_fence || report.dma_buf ||
		report.private_queue);
	fake.fail = "vkAllocateMemory/host"; /* offers it, and the kernel won't */
	fake.fail_result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
	fake.families[0].queueCount = 2;
	fake.semaphore_features = fake.fence_features = 3;
	fake.device_extensions[6] = "VK_EXT_external_memory_dma_buf";
	assert_int_equal(
		kr_adapter_inspect(gpu.instance, gpu.physical_device, &report), VK_SUCCESS);
	assert_int_equal(report.import, KR_ADAPTER_IMPORT_CPU_COPY);
	assert_true(report.sync_fd_semaphore && report.sync_fd_fence && report.dma_buf &&
		report.private_queue);
	fake.fail = "vkCreateImage";
	fake.fail_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
	assert_int_equal(
		kr_adapter_inspect(gpu.instance, gpu.physical_device, &report), VK_SUCCESS);
	assert_int_equal(report.import, KR_ADAPTER_IMPORT_NONE);
	gpu_finish_fake(&gpu);
}

static const struct kr_test tests[] = {
	KR_TEST(old_applications_get_capabilities),
	KR_TEST(newer_applications_are_let_in),
	KR_TEST(extension_list_is_the_platforms),
	KR_TEST(shared_images_are_not_offered),
	KR_TEST(extensions_are_translated),
	KR_TEST(ordinary_devices_are_left_alone),
	KR_TEST(hidden_features_are_taken_out),
	KR_TEST(hidden_features_are_answered),
	KR_TEST(unknown_structures_fail_only_in_front),
	KR_TEST_FLAGS(lavapipe_keeps_its_functions, KR_TEST_KEEPS_MEMORY),
	KR_TEST(private_queue_hooks_less),
	KR_TEST(presents_of_the_driver_are_locked),
	KR_TEST_FLAGS(inspect_tells_what_lavapipe_can, KR_TEST_KEEPS_MEMORY),
	KR_TEST(inspect_tells_what_a_driver_can),
};
KR_TEST_MAIN(tests)
