/* SPDX-License-Identifier: Apache-2.0 */
/* What others write into the buffers of copied images, by the CPU, on lavapipe and SwiftShader. */
#include "gpu.h"

#include <krafla/hardware_buffer.h>

#include "adapter/image.h"
#include "adapter/tuning.h"

#define WIDTH  33
#define HEIGHT 17
#define X      20
#define Y      11

static struct kr_buffer *
make_buffer(uint64_t usage)
{
	const struct kr_buffer_desc desc = {WIDTH, HEIGHT, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		usage | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static void
draw(struct gpu *gpu, VkImage image)
{
	VkSemaphore acquired = gpu_semaphore(gpu), drawn = gpu_semaphore(gpu);
	struct drawing *drawing;

	assert_int_equal(gpu->acquire(gpu->device, image, -1, acquired, NULL), VK_SUCCESS);
	drawing = gpu_draw(gpu, image, VK_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, acquired, drawn);
	gpu_release(gpu, gpu->queue, 1, &drawn, image);
	gpu_drawing_finish(gpu, drawing);
	gpu->d.DestroySemaphore(gpu->device, acquired, NULL);
	gpu->d.DestroySemaphore(gpu->device, drawn, NULL);
}

/* A frame in which nothing is drawn: the release copies what is in the image. */
static void
pass(struct gpu *gpu, VkImage image)
{
	assert_int_equal(
		gpu->acquire(gpu->device, image, -1, VK_NULL_HANDLE, VK_NULL_HANDLE), VK_SUCCESS);
	gpu_release(gpu, gpu->queue, 0, NULL, image);
}

/* Ends the gpu. Whether one pixel that somebody wrote is still there, and the rest as it was. */
static bool
survives(struct gpu *gpu, uint64_t usage)
{
	struct kr_buffer *buffer = make_buffer(usage);
	VkImage image = gpu_image(gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	uint32_t *pixels, *pixel, was, is;
	void *data;

	assert_int_equal(kr_buffer_map(buffer, &data), 0);
	pixels = data;
	pixel = &pixels[Y * kr_buffer_get_info(buffer)->stride + X];
	draw(gpu, image);
	gpu_assert_picture(gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	was = *pixel;
	*pixel = ~was;
	pass(gpu, image);
	pass(gpu, image);
	is = *pixel;
	assert_true(is == was || is == ~was);
	*pixel = was;
	gpu_assert_picture(gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	draw(gpu, image);
	gpu_assert_picture(gpu, buffer, VK_FORMAT_R8G8B8A8_UNORM);
	gpu->d.DestroyImage(gpu->device, image, NULL);
	gpu_finish(gpu);
	kr_buffer_unref(buffer);
	return is == ~was;
}

/* W-13 */
static void
copied_images_get_what_others_write(void **state)
{
	struct gpu gpu;

	kr_adapter_tuning.no_host_image = true;
	gpu_init(&gpu, NULL);
	assert_true(survives(&gpu, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN));
	gpu_init(&gpu, NULL);
	assert_true(survives(&gpu, AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY));
}

/* W-13 */
static void
images_copied_by_the_cpu_do(void **state)
{
	struct gpu gpu;

	kr_adapter_tuning.no_host_image = true;
	kr_adapter_tuning.no_host_buffer = true;
	gpu_init(&gpu, NULL);
	assert_true(survives(&gpu, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN));
}

/* W-13 */
static void
images_of_swiftshader_do(void **state)
{
	struct gpu gpu;

	gpu_init_swiftshader(&gpu);
	assert_true(survives(&gpu, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN));
}

/* Nobody may write there, so that no frame pays for it. */
static void
other_buffers_are_not_read(void **state)
{
	struct gpu gpu;

	kr_adapter_tuning.no_host_image = true;
	gpu_init(&gpu, NULL);
	assert_false(survives(&gpu, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN));
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(copied_images_get_what_others_write, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(images_copied_by_the_cpu_do, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(images_of_swiftshader_do, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST_FLAGS(other_buffers_are_not_read, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
