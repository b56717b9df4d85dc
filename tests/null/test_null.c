/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null driver as a Vulkan driver: its ways in, its functions, its objects, what it says of
 * itself.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gen/commands.h"
#include "gen/struct_sizes.h"

/* D-02, D-03: the module is what it must be. */
static void
is_a_hal_module(void **state)
{
	struct hwvulkan_module_t *module;
	struct null_driver driver;
	struct hw_device_t *device;

	open_hal(&driver);
	module = find_symbol(driver.dso, "HMI");
	assert_int_equal(module->common.tag, 0x48574D54);
	assert_int_equal(module->common.module_api_version, 1);
	assert_int_equal(module->common.hal_api_version, 0x100);
	assert_string_equal(module->common.id, "vulkan");
	assert_int_equal(driver.hal->common.tag, 0x48574454);
	assert_int_equal(driver.hal->common.version, 0x10000);
	assert_ptr_equal(driver.hal->common.module, module);
	assert_int_equal(module->common.methods->open(&module->common, "vk1", &device), -ENOENT);
	close_driver(&driver);
}

static void
negotiates_as_an_icd(void **state)
{
	struct null_driver driver;
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate;
	uint32_t version = 4;

	open_icd(&driver);
	negotiate = find_symbol(driver.dso, "vk_icdNegotiateLoaderICDInterfaceVersion");
	assert_int_equal(negotiate(&version), VK_ERROR_INCOMPATIBLE_DRIVER);
	version = 5;
	assert_int_equal(negotiate(&version), VK_SUCCESS);
	assert_int_equal(version, 5);
	version = 9;
	assert_int_equal(negotiate(&version), VK_SUCCESS);
	assert_int_equal(version, 7);
	assert_ptr_equal(driver.gipa(NULL, "vk_icdNegotiateLoaderICDInterfaceVersion"), negotiate);
	close_driver(&driver);
}

/* Every core command of 1.0 to 1.3, and of the later ones none. */
static void
has_every_core_command(void **state)
{
	struct null_driver driver;
	PFN_GetPhysicalDeviceProcAddr gpdpa;
	size_t count = 0;

	open_icd(&driver);
	gpdpa = find_symbol(driver.dso, "vk_icdGetPhysicalDeviceProcAddr");
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];
		bool core = command->core_version && command->core_version <= VK_API_VERSION_1_3;
		bool instance = driver.gipa(driver.instance, command->name) != NULL;
		bool device = driver.gdpa(driver.device, command->name) != NULL;
		bool physical = gpdpa(driver.instance, command->name) != NULL;

		count += core;
		if (instance != core || device != (core && command->level == KR_LEVEL_DEVICE) ||
			physical != (core && command->level == KR_LEVEL_PHYSICAL_DEVICE))
			fail_msg("%s: %d %d %d", command->name, instance, device, physical);
	}
	assert_int_equal(count, 215);
	close_driver(&driver);
}

static void
null_instance_gives_global_functions(void **state)
{
	struct null_driver driver;

	open_icd(&driver);
	assert_non_null(driver.gipa(NULL, "vkCreateInstance"));
	assert_non_null(driver.gipa(NULL, "vkEnumerateInstanceVersion"));
	assert_non_null(driver.gipa(NULL, "vkEnumerateInstanceExtensionProperties"));
	assert_non_null(driver.gipa(NULL, "vkEnumerateInstanceLayerProperties"));
	assert_null(driver.gipa(NULL, "vkDestroyInstance"));
	assert_null(driver.gipa(NULL, "vkQueueSubmit"));
	assert_null(driver.gipa(driver.instance, "vkCreateSwapchainKHR"));
	assert_null(driver.gipa(driver.instance, "vkNoSuchThing"));
	close_driver(&driver);
}

/* D-05: the functions of VK_ANDROID_native_buffer are the HAL's, on devices that enable it. */
static void
native_buffer_belongs_to_the_hal(void **state)
{
	struct null_driver driver;
	VkExtensionProperties extension = {0};
	uint32_t count = 1;
	VkDevice plain;
	VkResult result;

	open_hal(&driver);
	assert_int_equal(INSTANCE_FN(&driver, vkEnumerateDeviceExtensionProperties)(
				 driver.physical_device, NULL, &count, &extension),
		VK_SUCCESS);
	assert_string_equal(extension.extensionName, "VK_ANDROID_native_buffer");
	assert_int_equal(extension.specVersion, 8);
	assert_non_null(driver.gdpa(driver.device, "vkAcquireImageANDROID"));
	plain = create_device(&driver, NULL, false, &result);
	assert_null(driver.gdpa(plain, "vkAcquireImageANDROID"));
	DEVICE_FN(&driver, vkDestroyDevice)(plain, NULL);
	close_driver(&driver);
	open_icd(&driver);
	assert_int_equal(INSTANCE_FN(&driver, vkEnumerateDeviceExtensionProperties)(
				 driver.physical_device, NULL, &count, NULL),
		VK_SUCCESS);
	assert_int_equal(count, 0);
	assert_null(driver.gipa(driver.instance, "vkAcquireImageANDROID"));
	create_device(&driver, NULL, true, &result);
	assert_int_equal(result, VK_ERROR_EXTENSION_NOT_PRESENT);
	close_driver(&driver);
}

static void
two_call_idiom(void **state)
{
	struct null_driver driver;
	VkPhysicalDevice devices[2] = {NULL};
	VkPhysicalDeviceGroupProperties group = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
	uint32_t count = 9;

	open_icd(&driver);
	INSTANCE_FN(&driver, vkEnumeratePhysicalDevices)(driver.instance, &count, NULL);
	assert_int_equal(count, 1);
	count = 0;
	assert_int_equal(
		INSTANCE_FN(&driver, vkEnumeratePhysicalDevices)(driver.instance, &count, devices),
		VK_INCOMPLETE);
	assert_null(devices[0]);
	count = 2;
	assert_int_equal(
		INSTANCE_FN(&driver, vkEnumeratePhysicalDevices)(driver.instance, &count, devices),
		VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_null(devices[1]);
	count = 1;
	assert_int_equal(INSTANCE_FN(&driver, vkEnumeratePhysicalDeviceGroups)(
				 driver.instance, &count, &group),
		VK_SUCCESS);
	assert_ptr_equal(group.physicalDevices[0], devices[0]);
	close_driver(&driver);
}

/* The structures of promoted extensions say what the versions' structures say. */
static void
promoted_features_agree(void **state)
{
	struct null_driver driver;
	VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
	VkPhysicalDeviceDescriptorIndexingFeatures indexing = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
		.pNext = &timeline,
		.runtimeDescriptorArray = 7};
	VkPhysicalDeviceVulkan13Features features13 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &indexing};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features13};

	open_icd(&driver);
	INSTANCE_FN(&driver, vkGetPhysicalDeviceFeatures2)(driver.physical_device, &features);
	assert_true(timeline.timelineSemaphore);
	assert_false(indexing.runtimeDescriptorArray);
	assert_true(features13.dynamicRendering && features13.synchronization2);
	assert_false(features13.textureCompressionASTC_HDR);
	assert_true(features.features.robustBufferAccess);
	assert_false(features.features.geometryShader);
	close_driver(&driver);
}

/*
 * A structure is filled within its size and to its end: whatever the tables of runs say, the bytes
 * behind it stay, and the last ones change with a second fill pattern only if they are padding.
 */
static void
chained_structures_are_filled_within_bounds(void **state)
{
	static const VkStructureType ends[2] = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	unsigned char space[4096];
	struct null_driver driver;
	size_t filled = 0;

	open_hal(&driver);
	for (uint32_t type = 0; type < 1000600000; type += type == 1000 ? 1000000000 - 1000 : 1) {
		size_t size = kr_struct_size((VkStructureType)type);

		if (!size || size > sizeof(space) - 64 || (int)type == (int)ends[0] ||
			(int)type == (int)ends[1])
			continue;
		for (int properties = 0; properties < 2; properties++) {
			VkPhysicalDeviceFeatures2 features = {.sType = ends[0], .pNext = space};
			VkPhysicalDeviceProperties2 props = {.sType = ends[1], .pNext = space};
			VkBaseOutStructure head = {.sType = (VkStructureType)type};

			memset(space, 0xa5, sizeof(space));
			memcpy(space, &head, sizeof(head));
			if (properties)
				INSTANCE_FN(&driver, vkGetPhysicalDeviceProperties2)
			(driver.physical_device, &props);
			else INSTANCE_FN(&driver, vkGetPhysicalDeviceFeatures2)(
				driver.physical_device, &features);
			for (size_t i = size; i < size + 64; i++)
				assert_int_equal(space[i], 0xa5);
			filled += space[sizeof(head)] != 0xa5;
		}
	}
	/*
	 * The three versions' own, and those that they absorbed: of features 32, of properties 17.
	 */
	assert_int_equal(filled, 55);
	close_driver(&driver);
}

static void
refuses_features_it_lacks(void **state)
{
	struct null_driver driver;
	VkPhysicalDeviceTimelineSemaphoreFeatures good = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
		.timelineSemaphore = VK_TRUE};
	VkPhysicalDeviceVulkan12Features bad = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
		.descriptorIndexing = VK_TRUE};
	VkPhysicalDeviceFeatures core = {.geometryShader = VK_TRUE};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &good};
	VkDevice device = NULL;

	open_icd(&driver);
	assert_int_equal(
		INSTANCE_FN(&driver, vkCreateDevice)(driver.physical_device, &info, NULL, &device),
		VK_SUCCESS);
	DEVICE_FN(&driver, vkDestroyDevice)(device, NULL);
	info.pNext = &bad;
	assert_int_equal(
		INSTANCE_FN(&driver, vkCreateDevice)(driver.physical_device, &info, NULL, &device),
		VK_ERROR_FEATURE_NOT_PRESENT);
	info.pNext = NULL;
	info.pEnabledFeatures = &core;
	assert_int_equal(
		INSTANCE_FN(&driver, vkCreateDevice)(driver.physical_device, &info, NULL, &device),
		VK_ERROR_FEATURE_NOT_PRESENT);
	close_driver(&driver);
}

static void
colour_formats(void **state)
{
	static const VkFormat formats[] = {
		VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16};
	struct null_driver driver;
	VkFormatProperties properties;
	VkImageFormatProperties image;

	open_icd(&driver);
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		INSTANCE_FN(&driver, vkGetPhysicalDeviceFormatProperties)
		(driver.physical_device, formats[i], &properties);
		assert_true(
			properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
		assert_int_equal(INSTANCE_FN(&driver, vkGetPhysicalDeviceImageFormatProperties)(
					 driver.physical_device, formats[i], VK_IMAGE_TYPE_2D,
					 VK_IMAGE_TILING_OPTIMAL,
					 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0, &image),
			VK_SUCCESS);
		assert_int_equal(image.maxExtent.width, 4096);
		assert_int_equal(image.maxMipLevels, 13);
	}
	INSTANCE_FN(&driver, vkGetPhysicalDeviceFormatProperties)
	(driver.physical_device, VK_FORMAT_BC1_RGB_UNORM_BLOCK, &properties);
	assert_int_equal(properties.optimalTilingFeatures, 0);
	assert_int_equal(
		INSTANCE_FN(&driver, vkGetPhysicalDeviceImageFormatProperties)(
			driver.physical_device, VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_IMAGE_TYPE_2D,
			VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT, 0, &image),
		VK_ERROR_FORMAT_NOT_SUPPORTED);
	close_driver(&driver);
}

static void
memory_can_be_written(void **state)
{
	struct null_driver driver;
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 1000};
	VkPhysicalDeviceMemoryProperties properties;
	VkDeviceMemory memory;
	char *data, *again;

	open_icd(&driver);
	assert_int_equal(DEVICE_FN(&driver, vkAllocateMemory)(driver.device, &info, NULL, &memory),
		VK_SUCCESS);
	assert_int_equal(DEVICE_FN(&driver, vkMapMemory)(
				 driver.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&data),
		VK_SUCCESS);
	assert_int_equal((uintptr_t)data % 64, 0);
	memset(data, 'x', 1000);
	DEVICE_FN(&driver, vkUnmapMemory)(driver.device, memory);
	DEVICE_FN(&driver, vkMapMemory)(driver.device, memory, 100, 10, 0, (void **)&again);
	assert_ptr_equal(again, data + 100);
	assert_int_equal(*again, 'x');
	DEVICE_FN(&driver, vkFreeMemory)(driver.device, memory, NULL);
	INSTANCE_FN(&driver, vkGetPhysicalDeviceMemoryProperties)
	(driver.physical_device, &properties);
	info.allocationSize = properties.memoryHeaps[0].size + 1;
	assert_int_equal(DEVICE_FN(&driver, vkAllocateMemory)(driver.device, &info, NULL, &memory),
		VK_ERROR_OUT_OF_DEVICE_MEMORY);
	close_driver(&driver);
}

static void
linear_images_have_a_layout(void **state)
{
	struct null_driver driver;
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {100, 10, 1},
		.mipLevels = 2,
		.arrayLayers = 3,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_LINEAR,
	};
	VkImageSubresource subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 2};
	VkSubresourceLayout layout;
	VkMemoryRequirements requirements;
	VkImage image;

	open_icd(&driver);
	DEVICE_FN(&driver, vkCreateImage)(driver.device, &info, NULL, &image);
	DEVICE_FN(&driver, vkGetImageSubresourceLayout)
	(driver.device, image, &subresource, &layout);
	assert_int_equal(layout.rowPitch, 256);
	assert_int_equal(layout.size, 256 * 5);
	assert_int_equal(layout.arrayPitch, 448 * 10 + 256 * 5);
	assert_int_equal(layout.offset, 2 * layout.arrayPitch + 448 * 10);
	DEVICE_FN(&driver, vkGetImageMemoryRequirements)(driver.device, image, &requirements);
	assert_true(requirements.size >= 3 * layout.arrayPitch);
	assert_int_equal(requirements.memoryTypeBits, 1);
	DEVICE_FN(&driver, vkDestroyImage)(driver.device, image, NULL);
	close_driver(&driver);
}

static void
pools_give_and_take(void **state)
{
	struct null_driver driver;
	VkCommandPoolCreateInfo command_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkDescriptorPoolCreateInfo descriptor_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 3};
	VkCommandBufferAllocateInfo buffers_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 3};
	VkDescriptorSetAllocateInfo sets_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorSetCount = 2};
	VkCommandBuffer buffers[3];
	VkDescriptorSet sets[2];

	open_icd(&driver);
	DEVICE_FN(&driver, vkCreateCommandPool)
	(driver.device, &command_info, NULL, &buffers_info.commandPool);
	DEVICE_FN(&driver, vkAllocateCommandBuffers)(driver.device, &buffers_info, buffers);
	assert_ptr_not_equal(buffers[0], buffers[1]);
	assert_int_equal(*(uintptr_t *)buffers[2], HWVULKAN_DISPATCH_MAGIC);
	DEVICE_FN(&driver, vkFreeCommandBuffers)
	(driver.device, buffers_info.commandPool, 2, buffers);
	DEVICE_FN(&driver, vkDestroyCommandPool)(driver.device, buffers_info.commandPool, NULL);
	DEVICE_FN(&driver, vkCreateDescriptorPool)
	(driver.device, &descriptor_info, NULL, &sets_info.descriptorPool);
	assert_int_equal(
		DEVICE_FN(&driver, vkAllocateDescriptorSets)(driver.device, &sets_info, sets),
		VK_SUCCESS);
	assert_true(sets[0] != sets[1]);
	assert_int_equal(
		DEVICE_FN(&driver, vkAllocateDescriptorSets)(driver.device, &sets_info, sets),
		VK_ERROR_OUT_OF_POOL_MEMORY);
	assert_true(sets[0] == VK_NULL_HANDLE);
	DEVICE_FN(&driver, vkResetDescriptorPool)(driver.device, sets_info.descriptorPool, 0);
	assert_int_equal(
		DEVICE_FN(&driver, vkAllocateDescriptorSets)(driver.device, &sets_info, sets),
		VK_SUCCESS);
	DEVICE_FN(&driver, vkDestroyDescriptorPool)(driver.device, sets_info.descriptorPool, NULL);
	close_driver(&driver);
}

static void
queries_are_available(void **state)
{
	struct null_driver driver;
	VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS,
		.queryCount = 2,
		.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
			VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT,
	};
	uint64_t results[8];
	uint32_t small[2] = {7, 7};
	VkQueryPool pool;

	open_icd(&driver);
	memset(results, 0xff, sizeof(results));
	DEVICE_FN(&driver, vkCreateQueryPool)(driver.device, &info, NULL, &pool);
	assert_int_equal(DEVICE_FN(&driver, vkGetQueryPoolResults)(driver.device, pool, 0, 2,
				 sizeof(results), results, 32,
				 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT |
					 VK_QUERY_RESULT_WAIT_BIT),
		VK_SUCCESS);
	assert_true(results[0] == 0 && results[1] == 0 && results[2] == 1);
	assert_true(results[3] == UINT64_MAX);
	assert_true(results[4] == 0 && results[6] == 1 && results[7] == UINT64_MAX);
	DEVICE_FN(&driver, vkGetQueryPoolResults)
	(driver.device, pool, 0, 1, sizeof(small[0]) * 2, small, 8, 0);
	assert_true(small[0] == 0 && small[1] == 0);
	DEVICE_FN(&driver, vkDestroyQueryPool)(driver.device, pool, NULL);
	close_driver(&driver);
}

static void
pipeline_cache_data(void **state)
{
	struct null_driver driver;
	VkPipelineCacheCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
	VkPhysicalDeviceProperties properties;
	VkPipelineCacheHeaderVersionOne header;
	VkPipelineCache cache;
	size_t size = 0;

	open_icd(&driver);
	DEVICE_FN(&driver, vkCreatePipelineCache)(driver.device, &info, NULL, &cache);
	DEVICE_FN(&driver, vkGetPipelineCacheData)(driver.device, cache, &size, NULL);
	assert_int_equal(size, 32);
	size = 31;
	assert_int_equal(
		DEVICE_FN(&driver, vkGetPipelineCacheData)(driver.device, cache, &size, &header),
		VK_INCOMPLETE);
	assert_int_equal(size, 0);
	size = sizeof(header);
	assert_int_equal(
		DEVICE_FN(&driver, vkGetPipelineCacheData)(driver.device, cache, &size, &header),
		VK_SUCCESS);
	INSTANCE_FN(&driver, vkGetPhysicalDeviceProperties)(driver.physical_device, &properties);
	assert_memory_equal(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE);
	assert_string_equal(properties.deviceName, "Krafla null driver");
	DEVICE_FN(&driver, vkDestroyPipelineCache)(driver.device, cache, NULL);
	close_driver(&driver);
}

static void
private_data_is_kept(void **state)
{
	struct null_driver driver;
	VkPrivateDataSlotCreateInfo info = {VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
	VkPrivateDataSlot slots[2];
	uint64_t data = 9, object = 0x1234;

	open_icd(&driver);
	for (int i = 0; i < 2; i++)
		DEVICE_FN(&driver, vkCreatePrivateDataSlot)(driver.device, &info, NULL, &slots[i]);
	DEVICE_FN(&driver, vkGetPrivateData)
	(driver.device, VK_OBJECT_TYPE_IMAGE, object, slots[0], &data);
	assert_true(data == 0);
	DEVICE_FN(&driver, vkSetPrivateData)
	(driver.device, VK_OBJECT_TYPE_IMAGE, object, slots[0], UINT64_MAX);
	DEVICE_FN(&driver, vkGetPrivateData)
	(driver.device, VK_OBJECT_TYPE_IMAGE, object, slots[0], &data);
	assert_true(data == UINT64_MAX);
	DEVICE_FN(&driver, vkGetPrivateData)
	(driver.device, VK_OBJECT_TYPE_IMAGE, object, slots[1], &data);
	assert_true(data == 0);
	for (int i = 0; i < 2; i++)
		DEVICE_FN(&driver, vkDestroyPrivateDataSlot)(driver.device, slots[i], NULL);
	close_driver(&driver);
}

static void
queues_by_flags_and_index(void **state)
{
	struct null_driver driver;
	VkDeviceQueueInfo2 info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, .queueIndex = 1};
	VkQueue queue = NULL, again = NULL;

	open_icd(&driver);
	DEVICE_FN(&driver, vkGetDeviceQueue)(driver.device, 0, 1, &queue);
	assert_non_null(queue);
	assert_ptr_not_equal(queue, driver.queue);
	DEVICE_FN(&driver, vkGetDeviceQueue2)(driver.device, &info, &again);
	assert_ptr_equal(again, queue);
	info.flags = VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT;
	DEVICE_FN(&driver, vkGetDeviceQueue2)(driver.device, &info, &again);
	assert_null(again);
	close_driver(&driver);
}

static int allocations_left;
static int live;

static VKAPI_ATTR void *VKAPI_CALL
allocate(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	void *memory = allocations_left-- > 0 ? malloc(size) : NULL;

	live += memory != NULL;
	return memory;
}

static VKAPI_ATTR void VKAPI_CALL
release(void *data, void *memory)
{
	live -= memory != NULL;
	free(memory);
}

static const VkAllocationCallbacks callbacks = {.pfnAllocation = allocate, .pfnFree = release};

/* Objects come from the caller's allocator and go back to it; without memory nothing is left. */
static void
uses_the_callers_allocator(void **state)
{
	struct null_driver driver;
	VkFenceCreateInfo fence_info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo buffers_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 3};
	VkGraphicsPipelineCreateInfo pipeline_infos[3] = {
		{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO}};
	VkPipeline pipelines[3];
	VkCommandBuffer buffers[3];
	VkDevice device;
	VkResult result;
	VkFence fence;

	open_icd(&driver);
	device = create_device(&driver, &callbacks, false, &result);
	assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
	allocations_left = 100;
	device = create_device(&driver, &callbacks, false, &result);
	DEVICE_FN(&driver, vkCreateFence)(device, &fence_info, &callbacks, &fence);
	assert_int_equal(live, 2);
	DEVICE_FN(&driver, vkDestroyFence)(device, fence, &callbacks);
	DEVICE_FN(&driver, vkCreateCommandPool)
	(device, &pool_info, &callbacks, &buffers_info.commandPool);
	allocations_left = 2;
	assert_int_equal(
		DEVICE_FN(&driver, vkAllocateCommandBuffers)(device, &buffers_info, buffers),
		VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_true(!buffers[0] && !buffers[1] && !buffers[2]);
	assert_int_equal(live, 2);
	DEVICE_FN(&driver, vkDestroyCommandPool)(device, buffers_info.commandPool, &callbacks);
	allocations_left = 2;
	assert_int_equal(DEVICE_FN(&driver, vkCreateGraphicsPipelines)(
				 device, VK_NULL_HANDLE, 3, pipeline_infos, &callbacks, pipelines),
		VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_true(pipelines[0] && pipelines[1] && !pipelines[2]);
	for (int i = 0; i < 3; i++)
		DEVICE_FN(&driver, vkDestroyPipeline)(device, pipelines[i], &callbacks);
	DEVICE_FN(&driver, vkDestroyDevice)(device, &callbacks);
	assert_int_equal(live, 0);
	close_driver(&driver);
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(is_a_hal_module),
	CASE(negotiates_as_an_icd),
	CASE(has_every_core_command),
	CASE(null_instance_gives_global_functions),
	CASE(native_buffer_belongs_to_the_hal),
	CASE(two_call_idiom),
	CASE(promoted_features_agree),
	KR_TEST_SLOW(chained_structures_are_filled_within_bounds, KR_TEST_KEEPS_MEMORY, 60),
	CASE(refuses_features_it_lacks),
	CASE(colour_formats),
	CASE(memory_can_be_written),
	CASE(linear_images_have_a_layout),
	CASE(pools_give_and_take),
	CASE(queries_are_available),
	CASE(pipeline_cache_data),
	CASE(private_data_is_kept),
	CASE(queues_by_flags_and_index),
	CASE(uses_the_callers_allocator),
};

KR_TEST_MAIN(tests)
