/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images whose memory another process looks at (W-11): what it finds there, and that the
 * application finds its content again.
 */
#include "gpu.h"

#include <string.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "adapter/exported.h"
#include "adapter/image.h"
#include "onlooker.h"
#include "util/native_memory.h"

#define WIDTH  70
#define HEIGHT 30
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

struct fixture {
	struct onlooker onlooker;
	struct gpu gpu;
	struct kr_buffer *buffer;
	VkImage image;
	VkSemaphore acquired, drawn;
	struct kr_gpu_memory memory;
	int fd;
};

static struct kr_buffer *
make_buffer(uint64_t usage)
{
	const struct kr_buffer_desc desc = {WIDTH, HEIGHT, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |
			usage};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static void
set_up(struct fixture *f)
{
	onlooker_start(&f->onlooker);
	gpu_init(&f->gpu, NULL);
	f->buffer = make_buffer(KR_USAGE_GPU_MEMORY);
	f->image = gpu_image(&f->gpu, f->buffer, FORMAT);
	f->acquired = gpu_semaphore(&f->gpu);
	f->drawn = gpu_semaphore(&f->gpu);
	assert_int_equal(
		f->gpu.get_memory(f->gpu.device, f->image, &f->memory, &f->fd), VK_SUCCESS);
}

static void
tear_down(struct fixture *f)
{
	f->gpu.d.DestroyImage(f->gpu.device, f->image, NULL);
	f->gpu.d.DestroySemaphore(f->gpu.device, f->acquired, NULL);
	f->gpu.d.DestroySemaphore(f->gpu.device, f->drawn, NULL);
	gpu_finish(&f->gpu);
	kr_buffer_unref(f->buffer);
	close(f->fd);
	onlooker_finish(&f->onlooker);
}

static void
acquire(struct fixture *f)
{
	assert_int_equal(f->gpu.acquire(f->gpu.device, f->image, -1, f->acquired, VK_NULL_HANDLE),
		VK_SUCCESS);
}

static void
release(struct fixture *f, VkSemaphore wait, bool wanted)
{
	VkBool32 has_pixels = 77;
	int fence = -1;

	assert_int_equal(f->gpu.release_wanted(
				 f->gpu.queue, 1, &wait, f->image, wanted, &fence, &has_pixels),
		VK_SUCCESS);
	assert_int_equal(has_pixels, wanted);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
}

static void
draw(struct fixture *f)
{
	acquire(f);
	gpu_drawing_finish(
		&f->gpu, gpu_draw(&f->gpu, f->image, FORMAT, WIDTH, HEIGHT, f->acquired, f->drawn));
}

static void
check_onlooker(struct fixture *f, const void *expected)
{
	const void *pixels;

	assert_int_equal(onlooker_look(&f->onlooker, &f->memory, f->fd, &pixels), VK_SUCCESS);
	assert_memory_equal(pixels, expected, WIDTH * HEIGHT * 4);
}

static void
another_process_sees_the_frame(void **state)
{
	struct fixture f;
	void *expected;
	void *face;

	set_up(&f);
	assert_int_equal(f.memory.kind, KR_GPU_OPAQUE_FD);
	assert_int_equal(f.memory.layout, VK_IMAGE_LAYOUT_GENERAL);
	assert_int_equal(f.memory.width, WIDTH);
	expected = gpu_reference(&f.gpu, FORMAT, 4, WIDTH, HEIGHT);
	assert_int_equal(kr_buffer_map(f.buffer, &face), 0);
	draw(&f);
	release(&f, f.drawn, false);
	check_onlooker(&f, expected);
	/* Nothing was copied, since nobody wanted it. */
	assert_int_equal(*(uint32_t *)face, 0);

	/* The application's content survives, and so it does twice. */
	acquire(&f);
	release(&f, f.acquired, false);
	check_onlooker(&f, expected);
	acquire(&f);
	release(&f, f.acquired, true);
	gpu_assert_picture(&f.gpu, f.buffer, FORMAT);
	check_onlooker(&f, expected);
	free(expected);
	tear_down(&f);
}

/* Whatever an application does with what it acquired, the image comes back for the next. */
static void
fences_and_given_up_acquires_are_as_good(void **state)
{
	struct fixture f;
	void *expected;
	VkFence fence;

	set_up(&f);
	expected = gpu_reference(&f.gpu, FORMAT, 4, WIDTH, HEIGHT);
	fence = gpu_fence(&f.gpu);
	draw(&f);
	release(&f, f.drawn, false);
	for (int i = 0; i < 3; i++) {
		VkBool32 has_pixels;
		int landed = -1;

		assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, -1,
					 i == 1 ? f.acquired : VK_NULL_HANDLE, fence),
			VK_SUCCESS);
		gpu_wait_fence(&f.gpu, fence);
		assert_int_equal(f.gpu.d.ResetFences(f.gpu.device, 1, &fence), VK_SUCCESS);
		assert_int_equal(f.gpu.release_wanted(f.gpu.queue, i == 1, &f.acquired, f.image,
					 i == 2, &landed, &has_pixels),
			VK_SUCCESS);
		assert_int_equal(gpu_land(landed), KR_FENCE_SIGNALLED);
		check_onlooker(&f, expected);
	}
	gpu_assert_picture(&f.gpu, f.buffer, FORMAT);
	/* Acquired, and never drawn into: it is acquired again, or goes. */
	acquire(&f);
	f.gpu.d.DestroySemaphore(f.gpu.device, f.acquired, NULL);
	f.acquired = gpu_semaphore(&f.gpu);
	acquire(&f);
	f.gpu.d.DestroyFence(f.gpu.device, fence, NULL);
	free(expected);
	tear_down(&f);
}

/* Others' buffers, and images that nobody asks about, are as ever. */
static void
only_who_is_asked_for_it_exports(void **state)
{
	struct kr_gpu_memory memory;
	struct fixture f = {0};
	int fd = 77;

	gpu_init(&f.gpu, NULL);
	f.buffer = make_buffer(0);
	f.image = gpu_image(&f.gpu, f.buffer, FORMAT);
	assert_int_equal(f.gpu.get_memory(f.gpu.device, f.image, &memory, &fd),
		VK_ERROR_FEATURE_NOT_PRESENT);
	assert_int_equal(fd, 77);
	f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
	gpu_finish(&f.gpu);
	kr_buffer_unref(f.buffer);
}

#define KEEPS (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(another_process_sees_the_frame, KEEPS),
	KR_TEST_FLAGS(fences_and_given_up_acquires_are_as_good, KEEPS),
	KR_TEST_FLAGS(only_who_is_asked_for_it_exports, KEEPS),
};

KR_TEST_MAIN(tests)
