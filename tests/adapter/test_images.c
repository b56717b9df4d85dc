/* SPDX-License-Identifier: Apache-2.0 */
/* What is drawn on lavapipe into images of buffers is what others see in the buffers. */
#include "gpu.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "adapter/image.h"
#include "adapter/tuning.h"
#include "gralloc/handle.h"

static const struct {
	VkFormat format;
	uint32_t buffer;
} formats[] = {
	{VK_FORMAT_R8G8B8A8_UNORM, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
	{VK_FORMAT_R8G8B8A8_SRGB, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
	{VK_FORMAT_B8G8R8A8_UNORM, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM},
	{VK_FORMAT_R5G6B5_UNORM_PACK16, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM},
	{VK_FORMAT_R16G16B16A16_SFLOAT, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT},
};

static const uint32_t sizes[][2] = {{64, 64}, {1, 1}, {5, 3}, {33, 17}, {257, 131}};

static enum kr_adapter_image_way
way_of(struct gpu *gpu, VkImage image)
{
	return kr_adapter_image_from_handle(kr_adapter_device_from_handle(gpu->device), image)->way;
}

/* Acquire, draw, release: a frame as the platform runs it. */
static void
frame(struct gpu *gpu, VkImage image, VkFormat format, uint32_t width, uint32_t height)
{
	VkSemaphore acquired = gpu_semaphore(gpu), drawn = gpu_semaphore(gpu);
	struct drawing *drawing;

	assert_int_equal(gpu->acquire(gpu->device, image, -1, acquired, NULL), VK_SUCCESS);
	drawing = gpu_draw(gpu, image, format, width, height, acquired, drawn);
	gpu_release(gpu, gpu->queue, 1, &drawn, image);
	gpu_drawing_finish(gpu, drawing);
	gpu->d.DestroySemaphore(gpu->device, acquired, NULL);
	gpu->d.DestroySemaphore(gpu->device, drawn, NULL);
}

/* Ends the gpu. */
static void
check_all_on(struct gpu *gpu, enum kr_adapter_image_way way)
{
	for (size_t f = 0; f < KR_ARRAY_LEN(formats); f++) {
		for (size_t s = 0; s < KR_ARRAY_LEN(sizes); s++) {
			struct kr_buffer *buffer =
				gpu_buffer(formats[f].buffer, sizes[s][0], sizes[s][1]);
			VkImage image = gpu_image(gpu, buffer, formats[f].format);

			assert_int_equal(way_of(gpu, image), way);
			frame(gpu, image, formats[f].format, sizes[s][0], sizes[s][1]);
			gpu_assert_picture(gpu, buffer, formats[f].format);
			/* And once more: what the copy needs is used again. */
			frame(gpu, image, formats[f].format, sizes[s][0], sizes[s][1]);
			gpu->d.DestroyImage(gpu->device, image, NULL);
			kr_buffer_unref(buffer);
		}
	}
	gpu_finish(gpu);
}

static void
check_all(enum kr_adapter_image_way way)
{
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	check_all_on(&gpu, way);
}

static void
host_import_shows_exact_pixels(void **state)
{
	check_all(KR_IMAGE_HOST);
}

/* W-13: after a release the buffer can be read by who knows nothing of the image. */
static void
gpu_copy_shows_exact_pixels(void **state)
{
	kr_adapter_tuning.no_host_image = true;
	check_all(KR_IMAGE_COPY);
}

/* W-13 */
static void
cpu_copy_shows_exact_pixels(void **state)
{
	kr_adapter_tuning.no_host_image = true;
	kr_adapter_tuning.no_host_buffer = true;
	check_all(KR_IMAGE_COPY_MAPPED);
}

/* It offers the import of host memory, says nothing about it, and does it all the same. */
static void
swiftshader_copies_into_the_buffer(void **state)
{
	struct gpu gpu;

	gpu_init_swiftshader(&gpu);
	check_all_on(&gpu, KR_IMAGE_COPY);
}

/* A stride that the driver doesn't have: copied, and the padding stays as it was. */
static void
odd_stride_is_copied(void **state)
{
	const uint32_t width = 50, height = 20, stride = 112, row_bytes = 448;
	const size_t size = 3 * 4096;
	const struct kr_buffer_info info = {
		.desc = {width, height, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
			AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
				AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN},
		.backend = KR_BUFFER_MEMFD,
		.fd = memfd_create("odd", MFD_CLOEXEC | MFD_ALLOW_SEALING),
		.stride = stride,
		.row_bytes = row_bytes,
		.size = size,
		.id = 7,
	};
	struct kr_handle handle;
	struct kr_buffer *buffer;
	struct gpu gpu;
	VkImage image;
	unsigned char *pixels;

	assert_int_equal(ftruncate(info.fd, (off_t)size), 0);
	assert_int_equal(fcntl(info.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	kr_handle_encode(&handle, &info);
	assert_int_equal(kr_buffer_import(&handle.native, &buffer), 0);
	close(info.fd);
	assert_int_equal(kr_buffer_map(buffer, (void **)&pixels), 0);
	memset(pixels, 0xa5, size);
	gpu_init(&gpu, NULL);
	image = gpu_image(&gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	assert_int_equal(way_of(&gpu, image), KR_IMAGE_COPY);
	frame(&gpu, image, VK_FORMAT_R8G8B8A8_UNORM, width, height);
	gpu_assert_picture(&gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	for (uint32_t y = 0; y + 1 < height; y++) {
		for (uint32_t x = width * 4; x < row_bytes; x++)
			assert_int_equal(pixels[y * row_bytes + x], 0xa5);
	}
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

static VkResult
try_size(struct gpu *gpu, const VkNativeBufferANDROID *native, VkFormat format, uint32_t width,
	uint32_t height)
{
	VkImageCreateInfo create = gpu_image_info(format, width, height, native);
	VkImage image = VK_NULL_HANDLE;
	VkResult result = gpu->d.CreateImage(gpu->device, &create, NULL, &image);

	if (result == VK_SUCCESS)
		gpu->d.DestroyImage(gpu->device, image, NULL);
	return result;
}

static VkResult
try_image(struct gpu *gpu, const VkNativeBufferANDROID *native, VkFormat format, uint32_t width)
{
	return try_size(gpu, native, format, width, 16);
}

static void
lying_buffers_are_refused(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	const VkFormat rgba = VK_FORMAT_R8G8B8A8_UNORM;
	VkNativeBufferANDROID native, bad;
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	gpu_native_buffer(buffer, &native);
	assert_int_equal(try_image(&gpu, &native, rgba, 16), VK_SUCCESS);
	assert_int_equal(try_image(&gpu, &native, rgba, 17), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_int_equal(try_size(&gpu, &native, rgba, 16, 17), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_int_equal(try_image(&gpu, &native, VK_FORMAT_B8G8R8A8_UNORM, 16),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_int_equal(try_image(&gpu, &native, VK_FORMAT_R5G6B5_UNORM_PACK16, 16),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	bad = native;
	bad.stride++;
	assert_int_equal(try_image(&gpu, &bad, rgba, 16), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	bad = native;
	bad.format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM;
	assert_int_equal(try_image(&gpu, &bad, rgba, 16), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	bad = native;
	bad.handle = NULL;
	assert_int_equal(try_image(&gpu, &bad, rgba, 16), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* Without seals whoever has the file can shrink it, and every access would be SIGBUS. */
static void
unsealed_memory_is_refused(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	struct kr_buffer_info info = *kr_buffer_get_info(buffer);
	VkNativeBufferANDROID native;
	struct kr_handle handle;
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	gpu_native_buffer(buffer, &native);
	info.fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(info.fd, (off_t)info.size), 0);
	kr_handle_encode(&handle, &info);
	native.handle = &handle.native;
	assert_int_equal(try_image(&gpu, &native, VK_FORMAT_R8G8B8A8_UNORM, 16),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_int_equal(fcntl(info.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	assert_int_equal(try_image(&gpu, &native, VK_FORMAT_R8G8B8A8_UNORM, 16), VK_SUCCESS);
	close(info.fd);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* W-04 is all that can lie in a buffer. */
static void
other_images_are_refused(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	VkNativeBufferANDROID native;
	VkImageCreateInfo info = gpu_image_info(VK_FORMAT_R8G8B8A8_UNORM, 16, 16, &native), bad;
	VkImage image;
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	gpu_native_buffer(buffer, &native);
	bad = info;
	bad.mipLevels = 2;
	assert_int_equal(gpu.d.CreateImage(gpu.device, &bad, NULL, &image),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	bad = info;
	bad.arrayLayers = 2;
	assert_int_equal(gpu.d.CreateImage(gpu.device, &bad, NULL, &image),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	bad = info;
	bad.flags = VK_IMAGE_CREATE_PROTECTED_BIT;
	assert_int_equal(gpu.d.CreateImage(gpu.device, &bad, NULL, &image),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(host_import_shows_exact_pixels, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(gpu_copy_shows_exact_pixels, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(cpu_copy_shows_exact_pixels, KR_TEST_KEEPS_MEMORY, 60),
	/* Its compiler keeps a memfd. */
	KR_TEST_SLOW(
		swiftshader_copies_into_the_buffer, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS, 60),
	KR_TEST_FLAGS(odd_stride_is_copied, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(lying_buffers_are_refused, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(unsealed_memory_is_refused, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(other_images_are_refused, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
