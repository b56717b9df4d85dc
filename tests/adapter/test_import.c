/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which way an image goes, on fake drivers that refuse this and that; and what
 * failing leaves behind.
 */
#include "gpu.h"

#include <stdlib.h>
#include <string.h>

#include <krafla/hardware_buffer.h>

#include "adapter/image.h"
#include "fake_icd.h"

static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

static enum kr_adapter_image_way
way_of(struct gpu *gpu, VkImage image)
{
	return kr_adapter_image_from_handle(kr_adapter_device_from_handle(gpu->device), image)->way;
}

/* The way that an image takes on the fake driver as it is now. */
static enum kr_adapter_image_way
way_now(void)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	enum kr_adapter_image_way way;
	struct gpu gpu;
	VkImage image;

	gpu_init_fake(&gpu, NULL);
	image = gpu_image(&gpu, buffer, format);
	way = way_of(&gpu, image);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
	return way;
}

static void
import_needs_the_feature_bit(void **state)
{
	fake_reset();
	assert_int_equal(way_now(), KR_IMAGE_HOST);
	assert_int_equal(fake.last_image.tiling, VK_IMAGE_TILING_LINEAR);
	/* The query succeeds and the bit is missing, as lavapipe has it for DMA_BUF. */
	fake.host_image_features = 0;
	assert_int_equal(way_now(), KR_IMAGE_COPY);
	assert_int_equal(fake.last_image.tiling, VK_IMAGE_TILING_OPTIMAL);
	assert_true(fake.last_image.usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
	fake.host_image_features = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT |
		VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
	assert_int_equal(way_now(), KR_IMAGE_COPY);
	fake.host_buffer_features = 0;
	assert_int_equal(way_now(), KR_IMAGE_COPY_MAPPED);
	fake_reset();
	fake.device_extensions[2] = NULL; /* no external_memory_host */
	assert_int_equal(way_now(), KR_IMAGE_COPY_MAPPED);
	fake_reset();
	fake.fail = "vkGetPhysicalDeviceImageFormatProperties2";
	fake.fail_result = VK_ERROR_FORMAT_NOT_SUPPORTED;
	assert_int_equal(way_now(), KR_IMAGE_COPY);
}

/* An application was told what OPTIMAL images can do; a LINEAR one that can't isn't one for it. */
static void
import_needs_the_same_features(void **state)
{
	fake_reset();
	fake.linear_features = 0;
	assert_int_equal(way_now(), KR_IMAGE_COPY);
	fake.optimal_features = 0; /* neither can */
	assert_int_equal(way_now(), KR_IMAGE_HOST);
	/* What the usage isn't about doesn't count. */
	fake.optimal_features = VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
	assert_int_equal(way_now(), KR_IMAGE_HOST);
}

static void
import_needs_the_drivers_rows(void **state)
{
	fake_reset();
	fake.extra_pitch = 64;
	assert_int_equal(way_now(), KR_IMAGE_COPY);
	fake_reset();
	fake.layout_offset = 64;
	assert_int_equal(way_now(), KR_IMAGE_COPY);
	fake_reset();
	fake.image_size = 1 << 20; /* more than the buffer has */
	assert_int_equal(way_now(), KR_IMAGE_COPY);
	fake_reset();
	fake.incoherent_host_memory = true; /* others would see old pixels */
	assert_int_equal(way_now(), KR_IMAGE_COPY_MAPPED);
}

/* The trap: offered, and then the kernel takes anonymous memory only. Found out once. */
static void
refused_mapping_is_remembered(void **state)
{
	static const char *const calls[] = {
		"vkAllocateMemory/host", "vkGetMemoryHostPointerPropertiesEXT"};

	for (size_t i = 0; i < KR_ARRAY_LEN(calls); i++) {
		struct kr_buffer *buffer =
			gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
		struct gpu gpu;
		VkImage image;

		fake_reset();
		gpu_init_fake(&gpu, NULL);
		fake.fail = calls[i];
		fake.fail_result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
		fake.fail_once = true;
		image = gpu_image(&gpu, buffer, format);
		assert_int_equal(way_of(&gpu, image), KR_IMAGE_COPY_MAPPED);
		gpu.d.DestroyImage(gpu.device, image, NULL);
		assert_null(fake.fail); /* it was asked, and would work now: nobody asks again */
		image = gpu_image(&gpu, buffer, format);
		assert_int_equal(way_of(&gpu, image), KR_IMAGE_COPY_MAPPED);
		gpu.d.DestroyImage(gpu.device, image, NULL);
		gpu_finish_fake(&gpu);
		kr_buffer_unref(buffer);
	}
}

/* Lack of memory for one image says nothing about the next. */
static void
lack_of_memory_is_not_remembered(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	struct gpu gpu;
	VkImage image;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	fake.fail = "vkAllocateMemory/host";
	fake.fail_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	fake.fail_once = true;
	image = gpu_image(&gpu, buffer, format);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	image = gpu_image(&gpu, buffer, format);
	assert_int_equal(way_of(&gpu, image), KR_IMAGE_HOST);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

static VkResult
create(struct gpu *gpu, const struct kr_buffer *buffer, VkImage *image)
{
	VkNativeBufferANDROID native;
	VkImageCreateInfo info;

	gpu_native_buffer(buffer, &native);
	info = gpu_image_info(format, 16, 16, &native);
	return gpu->d.CreateImage(gpu->device, &info, gpu->allocator, image);
}

/*
 * Each call of the ICD that an image needs fails: either another way is found or nothing is left.
 */
static void
failing_calls_leave_nothing(void **state)
{
	static const char *const calls[] = {"vkCreateImage", "vkAllocateMemory",
		"vkBindImageMemory", "vkCreateBuffer", "vkBindBufferMemory", "vkMapMemory",
		"vkCreateCommandPool", "vkAllocateCommandBuffers", "vkBeginCommandBuffer",
		"vkEndCommandBuffer", "vkGetPhysicalDeviceImageFormatProperties"};
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);

	for (size_t i = 0; i < KR_ARRAY_LEN(calls); i++) {
		for (unsigned after = 0; after < 3; after++) {
			struct gpu gpu;
			VkImage image = VK_NULL_HANDLE;

			fake_reset();
			fake.host_image_features = 0;
			fake.host_buffer_features = i & 1;
			gpu_init_fake(&gpu, NULL);
			fake.fail = calls[i];
			fake.fail_after = after;
			fake.fail_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
			if (create(&gpu, buffer, &image) == VK_SUCCESS)
				gpu.d.DestroyImage(gpu.device, image, NULL);
			else
				assert_null(image);
			gpu_finish_fake(&gpu);
		}
	}
	kr_buffer_unref(buffer);
}

/* Two images on a driver that is silent about host memory: their way. */
static enum kr_adapter_image_way
way_of_two(void)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	enum kr_adapter_image_way way;
	struct gpu gpu;
	VkImage images[2];

	gpu_init_fake(&gpu, NULL);
	for (int i = 0; i < 2; i++)
		images[i] = gpu_image(&gpu, buffer, format);
	way = way_of(&gpu, images[0]);
	assert_int_equal(way_of(&gpu, images[1]), way);
	for (int i = 0; i < 2; i++)
		gpu.d.DestroyImage(gpu.device, images[i], NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
	return way;
}

/* SwiftShader: neither yes nor no. Pixels decide, once. */
static void
silence_is_tried_out(void **state)
{
	fake_reset();
	fake.host_image_features = fake.host_buffer_features = 0;
	fake.silent_about_host = fake.fills_imports = true;
	assert_int_equal(way_of_two(), KR_IMAGE_COPY);
	assert_int_equal(fake.fills, 1);
	fake.fills = 0;
	fake.fills_imports = false; /* the import is of something else */
	assert_int_equal(way_of_two(), KR_IMAGE_COPY_MAPPED);
	assert_int_equal(fake.fills, 1);
	fake.fills = 0;
	fake.silent_about_host = false; /* a no is a no */
	assert_int_equal(way_of_two(), KR_IMAGE_COPY_MAPPED);
	assert_int_equal(fake.fills, 0);
}

/* Each call that the trial needs fails: then it says no, and nothing is left. */
static void
failing_trials_leave_nothing(void **state)
{
	static const char *const calls[] = {"vkCreateBuffer", "vkBindBufferMemory",
		"vkAllocateMemory/host", "vkGetMemoryHostPointerPropertiesEXT",
		"vkCreateCommandPool", "vkAllocateCommandBuffers", "vkBeginCommandBuffer",
		"vkEndCommandBuffer", "vkCreateFence", "vkQueueSubmit", "vkWaitForFences"};
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);

	for (size_t i = 0; i < KR_ARRAY_LEN(calls); i++) {
		struct gpu gpu;
		VkImage image;

		fake_reset();
		fake.host_image_features = fake.host_buffer_features = 0;
		fake.silent_about_host = fake.fills_imports = true;
		gpu_init_fake(&gpu, NULL);
		fake.fail = calls[i];
		fake.fail_once = true;
		fake.fail_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
		image = gpu_image(&gpu, buffer, format);
		assert_null(fake.fail);
		assert_int_equal(way_of(&gpu, image), KR_IMAGE_COPY_MAPPED);
		gpu.d.DestroyImage(gpu.device, image, NULL);
		gpu_finish_fake(&gpu);
	}
	kr_buffer_unref(buffer);
}

/* Callbacks that fail from the n-th allocation on, and count what is not given back. */
struct memory {
	long allowed;
	long alive;
};

static VKAPI_ATTR void *VKAPI_CALL
allocate(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	struct memory *memory = data;
	void *result;

	if (memory->allowed-- <= 0 || posix_memalign(&result, alignment < 8 ? 8 : alignment, size))
		return NULL;
	memory->alive++;
	return result;
}

static VKAPI_ATTR void VKAPI_CALL
release(void *data, void *pointer)
{
	struct memory *memory = data;

	if (pointer)
		memory->alive--;
	free(pointer);
}

static VKAPI_ATTR void *VKAPI_CALL
reallocate(void *data, void *original, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	struct memory *memory = data;

	if (memory->allowed-- <= 0)
		return NULL;
	memory->alive += !original;
	return realloc(original, size);
}

/* All that a frame needs; true when memory did. */
static bool
whole_life(struct gpu *gpu, const struct gpu_options *options, const struct kr_buffer *buffer)
{
	VkImage image = VK_NULL_HANDLE;
	VkResult result;
	int fence;

	result = gpu_create_instance(gpu, options);
	if (result == VK_SUCCESS)
		result = gpu_create_device(gpu, options);
	if (result == VK_SUCCESS)
		result = create(gpu, buffer, &image);
	if (result == VK_SUCCESS)
		result = gpu->release(gpu->queue, 0, NULL, image, &fence);
	if (result == VK_SUCCESS)
		assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	if (result != VK_SUCCESS)
		assert_true(result == VK_ERROR_OUT_OF_HOST_MEMORY ||
			result == VK_ERROR_OUT_OF_DEVICE_MEMORY);
	if (image)
		gpu->d.DestroyImage(gpu->device, image, gpu->allocator);
	gpu_finish(gpu);
	return result == VK_SUCCESS;
}

/* Every allocation fails once: for instance, device, image and release. */
static void
check_allocations(bool copy)
{
	struct memory memory = {0};
	const VkAllocationCallbacks callbacks = {.pUserData = &memory,
		.pfnAllocation = allocate,
		.pfnReallocation = reallocate,
		.pfnFree = release};
	const struct gpu_options options = {
		.allocator = &callbacks, .api_version = VK_API_VERSION_1_0};
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	bool enough = false;
	long n = 0;

	fake_reset();
	fake.families[0].queueCount = 2;
	fake.host_image_features = copy ? 0 : VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
	for (; !enough; n++) {
		struct gpu gpu = {0};

		memory.allowed = n;
		fake_get(&gpu.icd);
		enough = whole_life(&gpu, &options, buffer);
		assert_int_equal(memory.alive, 0);
		assert_int_equal(fake.objects, 0);
	}
	assert_true(n > 10);
	kr_buffer_unref(buffer);
}

static void
failing_allocations_leave_nothing(void **state)
{
	check_allocations(false);
	check_allocations(true);
}

/* An image among thousands is found, and what is destroyed is no longer. */
static void
images_are_found_by_handle(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	struct kr_adapter_device *device;
	VkImage images[200];
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	device = kr_adapter_device_from_handle(gpu.device);
	for (size_t i = 0; i < KR_ARRAY_LEN(images); i++)
		assert_int_equal(create(&gpu, buffer, &images[i]), VK_SUCCESS);
	for (size_t i = 0; i < KR_ARRAY_LEN(images); i += 2)
		gpu.d.DestroyImage(gpu.device, images[i], NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(images); i++)
		assert_true(!!kr_adapter_image_from_handle(device, images[i]) == (i % 2));
	for (size_t i = 1; i < KR_ARRAY_LEN(images); i += 2)
		gpu.d.DestroyImage(gpu.device, images[i], NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST(import_needs_the_feature_bit),
	KR_TEST(import_needs_the_same_features),
	KR_TEST(import_needs_the_drivers_rows),
	KR_TEST(refused_mapping_is_remembered),
	KR_TEST(lack_of_memory_is_not_remembered),
	KR_TEST(failing_calls_leave_nothing),
	KR_TEST(silence_is_tried_out),
	KR_TEST(failing_trials_leave_nothing),
	KR_TEST(failing_allocations_leave_nothing),
	KR_TEST(images_are_found_by_handle),
};
KR_TEST_MAIN(tests)
