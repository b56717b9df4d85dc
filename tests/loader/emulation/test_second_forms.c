/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of physical devices that have a first and a second form: a driver with the second is
 * asked itself, with the application's chain; one without is asked the first, and what its answer
 * leaves out is told. loader/fakes/queries.c says what each answers.
 */
#include <string.h>

#include "scene.h"

static const char *const debug[] = {"VK_EXT_debug_utils", NULL};

/* Something in a chain that only the second form can read. */
static VkBaseOutStructure beyond = {
	.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO};

/* One more emulated call, and as many structures told to be left out. */
static void
expect_told(struct scene *s, int ignored)
{
	assert_int_equal(s->heard.emulated, 1);
	assert_int_equal(s->heard.ignored, ignored);
	s->heard = (struct heard){0};
}

static void
expect_asked(struct scene *s, const char *function)
{
	assert_int_equal(s->heard.emulated + s->heard.ignored, 0);
	assert_string_equal(s->fakes.b->seen_function, function);
	assert_null(s->fakes.a->seen_function);
}

/* K-32 */
static void
features(void **state)
{
	VkPhysicalDevice16BitStorageFeatures other = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
		.storagePushConstant16 = 77,
	};
	VkPhysicalDeviceMultiviewFeatures multiview = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
		.pNext = &other,
		.multiview = VK_TRUE,
		.multiviewGeometryShader = VK_TRUE,
		.multiviewTessellationShader = VK_TRUE,
	};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &multiview};
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	EXPORTED(&s.l, vkGetPhysicalDeviceFeatures2)(s.old, &features);
	assert_true(features.features.robustBufferAccess);
	assert_false(features.features.geometryShader);
	/*
	 * Known to be an extension of 1.1, so an old driver hasn't it; of others nothing is known.
	 */
	assert_false(multiview.multiview || multiview.multiviewGeometryShader ||
		multiview.multiviewTessellationShader);
	assert_int_equal(other.storagePushConstant16, 77);
	assert_ptr_equal(multiview.pNext, &other);
	expect_told(&s, 1);
	EXPORTED(&s.l, vkGetPhysicalDeviceFeatures2)(s.new, &features);
	assert_true(features.features.geometryShader);
	assert_true(multiview.multiview);
	assert_int_equal(s.fakes.b->seen_features, 2);
	expect_asked(&s, "get_features2");
	end_scene(&s);
}

/* K-32 */
static void
formats(void **state)
{
	VkFormatProperties2 format = {
		.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &beyond};
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	EXPORTED(&s.l, vkGetPhysicalDeviceFormatProperties2)
	(s.old, VK_FORMAT_R8G8B8A8_UNORM, &format);
	assert_int_equal(format.formatProperties.linearTilingFeatures, VK_FORMAT_R8G8B8A8_UNORM);
	assert_int_equal(format.formatProperties.bufferFeatures, 0);
	expect_told(&s, 1);
	EXPORTED(&s.l, vkGetPhysicalDeviceFormatProperties2)
	(s.new, VK_FORMAT_R8G8B8A8_SNORM, &format);
	assert_int_equal(format.formatProperties.linearTilingFeatures, VK_FORMAT_R8G8B8A8_SNORM);
	assert_int_equal(format.formatProperties.bufferFeatures, 1);
	expect_asked(&s, "get_format2");
	end_scene(&s);
}

/*
 * K-32: each member arrives at its own place of the first form, and so does the driver's refusal.
 */
static void
image_formats(void **state)
{
	VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.format = VK_FORMAT_R8_UNORM,
		.type = VK_IMAGE_TYPE_3D,
		.tiling = VK_IMAGE_TILING_LINEAR,
		.usage = VK_IMAGE_USAGE_STORAGE_BIT,
		.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT,
	};
	VkImageFormatProperties2 image = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
	PFN_vkGetPhysicalDeviceImageFormatProperties2 get;
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	get = EXPORTED(&s.l, vkGetPhysicalDeviceImageFormatProperties2);
	assert_int_equal(get(s.old, &info, &image), VK_SUCCESS);
	assert_int_equal(image.imageFormatProperties.maxExtent.width, VK_FORMAT_R8_UNORM);
	assert_int_equal(image.imageFormatProperties.maxExtent.height, VK_IMAGE_TYPE_3D);
	assert_int_equal(image.imageFormatProperties.maxExtent.depth, VK_IMAGE_TILING_LINEAR);
	assert_int_equal(image.imageFormatProperties.maxMipLevels, VK_IMAGE_USAGE_STORAGE_BIT);
	assert_int_equal(
		image.imageFormatProperties.maxArrayLayers, VK_IMAGE_CREATE_SPARSE_BINDING_BIT);
	expect_told(&s, 0);
	/* A question in either chain has no answer, and isn't put. */
	s.fakes.a->seen_image_usage = 0;
	image.pNext = &beyond;
	assert_int_equal(get(s.old, &info, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
	image.pNext = NULL;
	info.pNext = &beyond;
	assert_int_equal(get(s.old, &info, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(s.fakes.a->seen_image_usage, 0);
	info.pNext = NULL;
	info.format = 101;
	assert_int_equal(get(s.old, &info, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(s.fakes.a->seen_image_usage, VK_IMAGE_USAGE_STORAGE_BIT);
	s.heard = (struct heard){0};
	info.pNext = &beyond;
	info.format = VK_FORMAT_R8_UNORM;
	assert_int_equal(get(s.new, &info, &image), VK_SUCCESS);
	expect_asked(&s, "get_image_format2");
	end_scene(&s);
}

/* K-32 */
static void
queue_families(void **state)
{
	VkQueueFamilyProperties2 families[3] = {{.pNext = &beyond}, {.pNext = &beyond}};
	uint32_t count = 3;
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	families[1].queueFamilyProperties.queueCount = 77;
	EXPORTED(&s.l, vkGetPhysicalDeviceQueueFamilyProperties2)(s.old, &count, families);
	assert_int_equal(count, 1);
	assert_int_equal(families[0].queueFamilyProperties.queueFlags, VK_QUEUE_GRAPHICS_BIT);
	assert_int_equal(families[1].queueFamilyProperties.queueCount, 77);
	expect_told(&s, 1);
	count = 0;
	EXPORTED(&s.l, vkGetPhysicalDeviceQueueFamilyProperties2)(s.old, &count, families);
	assert_int_equal(count, 0);
	expect_told(&s, 0);
	count = 3;
	EXPORTED(&s.l, vkGetPhysicalDeviceQueueFamilyProperties2)(s.new, &count, families);
	assert_int_equal(count, 2);
	assert_int_equal(families[1].queueFamilyProperties.queueCount, 9);
	expect_asked(&s, "get_families2");
	end_scene(&s);
}

/* K-32 */
static void
memory(void **state)
{
	VkPhysicalDeviceMemoryProperties2 memory = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &beyond};
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	EXPORTED(&s.l, vkGetPhysicalDeviceMemoryProperties2)(s.old, &memory);
	assert_int_equal(memory.memoryProperties.memoryTypeCount, 1);
	expect_told(&s, 1);
	EXPORTED(&s.l, vkGetPhysicalDeviceMemoryProperties2)(s.new, &memory);
	assert_int_equal(memory.memoryProperties.memoryTypeCount, 2);
	expect_asked(&s, "get_memory2");
	end_scene(&s);
}

/* K-32 */
static void
sparse_formats(void **state)
{
	VkPhysicalDeviceSparseImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_INFO_2,
		.samples = VK_SAMPLE_COUNT_4_BIT,
		.usage = VK_IMAGE_USAGE_STORAGE_BIT,
		.tiling = VK_IMAGE_TILING_LINEAR,
	};
	VkSparseImageFormatProperties2 sparse[3] = {{0}, {.pNext = &beyond}};
	PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 get;
	VkExtent3D seen;
	uint32_t count = 0;
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	get = EXPORTED(&s.l, vkGetPhysicalDeviceSparseImageFormatProperties2);
	get(s.old, &info, &count, NULL);
	assert_int_equal(count, 2);
	expect_told(&s, 0);
	count = 1;
	get(s.old, &info, &count, sparse);
	assert_int_equal(count, 1);
	assert_int_equal(sparse[0].properties.aspectMask, 1);
	assert_int_equal(sparse[1].properties.aspectMask, 0);
	expect_told(&s, 0);
	count = 3;
	info.pNext = &beyond;
	get(s.old, &info, &count, sparse);
	assert_int_equal(count, 2);
	assert_int_equal(sparse[1].properties.aspectMask, 2);
	seen = sparse[0].properties.imageGranularity;
	assert_int_equal(seen.width, VK_SAMPLE_COUNT_4_BIT);
	assert_int_equal(seen.height, VK_IMAGE_USAGE_STORAGE_BIT);
	assert_int_equal(seen.depth, VK_IMAGE_TILING_LINEAR);
	expect_told(&s, 2);
	count = 3;
	get(s.new, &info, &count, sparse);
	assert_int_equal(count, 1);
	assert_int_equal(sparse[0].properties.aspectMask, 7);
	expect_asked(&s, "get_sparse2");
	end_scene(&s);
}

/* K-32: handles of memory and semaphores; fences are in test_old_drivers.c. */
static void
external_handles(void **state)
{
	VkPhysicalDeviceExternalBufferInfo buffer_info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
	VkPhysicalDeviceExternalSemaphoreInfo semaphore_info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO};
	VkExternalBufferProperties buffer = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
	VkExternalSemaphoreProperties semaphore = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	EXPORTED(&s.l, vkGetPhysicalDeviceExternalBufferProperties)(s.new, &buffer_info, &buffer);
	assert_int_equal(buffer.externalMemoryProperties.externalMemoryFeatures,
		VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
	expect_asked(&s, "get_external_buffer");
	EXPORTED(&s.l, vkGetPhysicalDeviceExternalSemaphoreProperties)
	(s.new, &semaphore_info, &semaphore);
	assert_int_equal(
		semaphore.externalSemaphoreFeatures, VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT);
	expect_asked(&s, "get_external_semaphore");
	end_scene(&s);
}

/*
 * The application's memory runs out within an emulation: no answer, an error, and
 * nothing is written.
 */
static void
no_memory_is_no_answer(void **state)
{
	struct counting counting;
	const struct kr_vulkan_instance_info info = {
		.api_version = VK_API_VERSION_1_1,
		.allocator = &counting.callbacks,
	};
	VkPhysicalDeviceSparseImageFormatInfo2 sparse_info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_INFO_2};
	VkSparseImageFormatProperties2 sparse = {.properties.aspectMask = 77};
	VkQueueFamilyProperties2 family = {.queueFamilyProperties.queueCount = 77};
	uint32_t count = 1;
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.a->api_version = VK_API_VERSION_1_0;
	fakes.a->no_properties2 = true;
	use_both_fakes();
	open_loader(&l);
	counting_init(&counting, -1);
	assert_int_equal(try_instance_with(&l, &info), VK_SUCCESS);
	find_devices(&l);
	counting.fail_at = counting.allocations;
	EXPORTED(&l, vkGetPhysicalDeviceQueueFamilyProperties2)(l.devices[0], &count, &family);
	assert_int_equal(count, 0);
	assert_int_equal(family.queueFamilyProperties.queueCount, 77);
	count = 1;
	counting.fail_at = counting.allocations;
	EXPORTED(&l, vkGetPhysicalDeviceSparseImageFormatProperties2)
	(l.devices[0], &sparse_info, &count, &sparse);
	assert_int_equal(count, 0);
	assert_int_equal(sparse.properties.aspectMask, 77);
	assert_int_equal(counting.allocations, counting.fail_at + 1);
	EXPORTED(&l, vkDestroyInstance)(l.instance, &counting.callbacks);
	assert_int_equal(counting.alive, 0);
	close_loader(&l);
	close_fakes(&fakes);
}

/* --- queries of extensions, which a driver has or hasn't --- */

/* Another instance, without messengers. */
static void
begin_again(struct scene *s, const char *const *names)
{
	end_scene_instance(s);
	make_instance(&s->l, names);
	s->old = s->l.devices[0];
	s->new = s->l.devices[1];
}

static void
expect_tools(struct scene *s, PFN_vkGetPhysicalDeviceToolProperties get, const char *function)
{
	VkPhysicalDeviceToolProperties tool = {.name = ""};
	uint32_t count = 0;

	assert_non_null(get);
	s->fakes.b->seen_function = NULL;
	assert_int_equal(get(s->new, &count, NULL), VK_SUCCESS);
	assert_int_equal(count, function != NULL);
	count = 1;
	assert_int_equal(get(s->new, &count, &tool), VK_SUCCESS);
	assert_int_equal(count, function != NULL);
	assert_string_equal(tool.name, function ? "tool of b" : "");
	if (function)
		assert_string_equal(s->fakes.b->seen_function, function);
	else
		assert_null(s->fakes.b->seen_function);
}

/*
 * K-32: the function of the extension is the driver's for devices that have that, whatever the
 * driver gives out; the one of 1.3 falls back to it, and then to "no tools".
 */
static void
tools(void **state)
{
	struct scene s;

	begin_scene(&s, VK_API_VERSION_1_1, debug);
	expect_tools(&s, OF_INSTANCE(&s.l, vkGetPhysicalDeviceToolPropertiesEXT), NULL);
	expect_tools(&s, OF_INSTANCE(&s.l, vkGetPhysicalDeviceToolProperties), "tools_of_core");
	s.fakes.b->device_extensions[0] = "VK_EXT_tooling_info";
	s.fakes.b->lacks = "vkGetPhysicalDeviceToolProperties";
	begin_again(&s, NULL);
	expect_tools(
		&s, OF_INSTANCE(&s.l, vkGetPhysicalDeviceToolPropertiesEXT), "tools_of_extension");
	expect_tools(
		&s, OF_INSTANCE(&s.l, vkGetPhysicalDeviceToolProperties), "tools_of_extension");
	s.fakes.b->device_extensions[0] = NULL;
	begin_again(&s, NULL);
	expect_tools(&s, OF_INSTANCE(&s.l, vkGetPhysicalDeviceToolProperties), NULL);
	end_scene(&s);
}

/*
 * K-32: memory of another process can't be had of a driver without the extension; all
 * else is the core query.
 */
static void
image_formats_of_nvidia(void **state)
{
	static const char *const names[] = {
		"VK_EXT_debug_utils", "VK_NV_external_memory_capabilities", NULL};
	VkExternalImageFormatPropertiesNV external = {.externalMemoryFeatures = 1,
		.exportFromImportedHandleTypes = 1,
		.compatibleHandleTypes = 1};
	PFN_vkGetPhysicalDeviceExternalImageFormatPropertiesNV get;
	struct scene s;

	begin_scene_with(&s, VK_API_VERSION_1_1, names, names + 1);
	get = OF_INSTANCE(&s.l, vkGetPhysicalDeviceExternalImageFormatPropertiesNV);
	assert_int_equal(get(s.old, VK_FORMAT_R8_UNORM, 0, 0, 0, 0, 4, &external), VK_SUCCESS);
	assert_int_equal(external.compatibleHandleTypes, 4);
	assert_string_equal(s.fakes.a->seen_function, "get_image_format_nv");
	s.fakes.a->lacks = "vkGetPhysicalDeviceExternalImageFormatPropertiesNV";
	s.fakes.a->seen_function = NULL;
	begin_again(&s, names);
	get = OF_INSTANCE(&s.l, vkGetPhysicalDeviceExternalImageFormatPropertiesNV);
	assert_int_equal(get(s.old, VK_FORMAT_R8_UNORM, 0, 0, 0, 0, 4, &external),
		VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_int_equal(get(s.old, VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_LINEAR,
				 VK_IMAGE_USAGE_STORAGE_BIT, 8, 0, &external),
		VK_SUCCESS);
	assert_null(s.fakes.a->seen_function);
	assert_int_equal(external.imageFormatProperties.maxExtent.height, VK_IMAGE_TYPE_2D);
	assert_int_equal(external.imageFormatProperties.maxExtent.depth, VK_IMAGE_TILING_LINEAR);
	assert_int_equal(external.imageFormatProperties.maxMipLevels, VK_IMAGE_USAGE_STORAGE_BIT);
	assert_int_equal(external.imageFormatProperties.maxArrayLayers, 8);
	assert_int_equal(external.externalMemoryFeatures | external.compatibleHandleTypes |
			external.exportFromImportedHandleTypes,
		0);
	assert_int_equal(get(s.old, 101, 0, 0, 0, 0, 0, &external), VK_ERROR_FORMAT_NOT_SUPPORTED);
	end_scene(&s);
}

/*
 * K-32, K-50: of a device extension that a driver hasn't: no grid at all, and an
 * error to who listens.
 */
static void
sample_locations(void **state)
{
	VkMultisamplePropertiesEXT multisample = {
		.sType = VK_STRUCTURE_TYPE_MULTISAMPLE_PROPERTIES_EXT,
		.maxSampleLocationGridSize = {7, 7}};
	PFN_vkGetPhysicalDeviceMultisamplePropertiesEXT get;
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.b->lacks = "vkGetPhysicalDeviceMultisamplePropertiesEXT";
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, NULL);
	get = OF_INSTANCE(&l, vkGetPhysicalDeviceMultisamplePropertiesEXT);
	get(l.devices[0], VK_SAMPLE_COUNT_4_BIT, &multisample);
	assert_int_equal(multisample.maxSampleLocationGridSize.width, 4);
	assert_string_equal(fakes.a->seen_function, "get_multisample");
	get(l.devices[1], VK_SAMPLE_COUNT_4_BIT, &multisample);
	assert_int_equal(multisample.maxSampleLocationGridSize.width, 0);
	assert_int_equal(multisample.maxSampleLocationGridSize.height, 0);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static const struct kr_test tests[] = {
	KR_TEST(features),
	KR_TEST(formats),
	KR_TEST(image_formats),
	KR_TEST(queue_families),
	KR_TEST(memory),
	KR_TEST(sparse_formats),
	KR_TEST(external_handles),
	KR_TEST(no_memory_is_no_answer),
	KR_TEST(tools),
	KR_TEST(image_formats_of_nvidia),
	KR_TEST(sample_locations),
};

KR_TEST_MAIN(tests)
