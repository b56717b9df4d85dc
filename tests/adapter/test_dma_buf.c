/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images whose buffers are dma-bufs, on lavapipe. Devices are fakes here and real in the lab
 * (buffer_rig.h), whose lavapipe is newer and gives fences of the kernel.
 */
#include "gpu.h"

#include <krafla/hardware_buffer.h>

#include "adapter/image.h"
#include "adapter/tuning.h"
#include "buffer_rig.h"
#include "support.h"
#include "sync/wait/wait.h"
#include "util/fd.h"

#define SYNC_END 4

static const char *const backends[] = {"udmabuf", "dma-heap"};

struct picture {
	struct gpu gpu;
	struct kr_buffer *buffer;
	VkImage image;
};

static void
begin(struct picture *p, const char *backend)
{
	rig_begin_with(backend);
	gpu_init(&p->gpu, NULL);
	p->buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 33, 17);
	assert_true(kr_buffer_backend_is_dma_buf(kr_buffer_get_info(p->buffer)->backend));
	p->image = gpu_image(&p->gpu, p->buffer, VK_FORMAT_R8G8B8A8_UNORM);
}

static void
end(struct picture *p)
{
	p->gpu.d.DestroyImage(p->gpu.device, p->image, NULL);
	gpu_finish(&p->gpu);
	kr_buffer_unref(p->buffer);
	rig_end();
}

static void
draw(struct picture *p, VkSemaphore acquired)
{
	VkSemaphore drawn = gpu_semaphore(&p->gpu);
	struct drawing *drawing =
		gpu_draw(&p->gpu, p->image, VK_FORMAT_R8G8B8A8_UNORM, 33, 17, acquired, drawn);

	gpu_release(&p->gpu, p->gpu.queue, 1, &drawn, p->image);
	gpu_drawing_finish(&p->gpu, drawing);
	p->gpu.d.DestroySemaphore(p->gpu.device, drawn, NULL);
}

/*
 * W-13: zero-copy and both copies: the pixels are there, and each frame stands between the
 * kernel's two calls.
 */
static void
frames_are_drawn_into_dma_bufs(void **state)
{
	static const enum kr_adapter_image_way ways[] = {
		KR_IMAGE_HOST, KR_IMAGE_COPY, KR_IMAGE_COPY_MAPPED};

	for (size_t i = 0; i < KR_ARRAY_LEN(backends); i++) {
		for (size_t way = 0; way < KR_ARRAY_LEN(ways); way++) {
			VkSemaphore acquired;
			struct picture p;
			int fd;

			kr_adapter_tuning.no_host_image = way > 0;
			kr_adapter_tuning.no_host_buffer = way > 1;
			begin(&p, backends[i]);
			fd = kr_buffer_get_info(p.buffer)->fd;
			assert_int_equal(
				kr_adapter_image_from_handle(
					kr_adapter_device_from_handle(p.gpu.device), p.image)
					->way,
				ways[way]);
			acquired = gpu_semaphore(&p.gpu);
			assert_int_equal(p.gpu.acquire(p.gpu.device, p.image, -1, acquired, NULL),
				VK_SUCCESS);
			if (!rig_is_real())
				assert_int_equal(fake_synced(fd), KR_DMA_BUF_WRITE);
			draw(&p, acquired);
			if (!rig_is_real())
				assert_int_equal(fake_synced(fd), SYNC_END | KR_DMA_BUF_READ_WRITE);
			gpu_assert_picture(&p.gpu, p.buffer, VK_FORMAT_R8G8B8A8_UNORM);
			p.gpu.d.DestroySemaphore(p.gpu.device, acquired, NULL);
			end(&p);
		}
	}
}

/* W-13: who reads the buffer in the kernel is waited for, not for ever. */
static void
acquire_waits_for_readers_inside(void **state)
{
	const uint64_t limit = kr_adapter_tuning.acquire_limit_ns;
	struct rig_fence reads;
	VkSemaphore acquired;
	struct picture p;

	begin(&p, "dma-heap");
	acquired = gpu_semaphore(&p.gpu);
	reads = rig_fence_create();
	assert_int_equal(
		kr_buffer_import_fence(kr_buffer_get_info(p.buffer), KR_DMA_BUF_READ, reads.fence),
		0);
	kr_adapter_tuning.acquire_limit_ns = 20000000;
	assert_int_equal(p.gpu.acquire(p.gpu.device, p.image, -1, acquired, NULL), VK_TIMEOUT);
	kr_adapter_tuning.acquire_limit_ns = limit;
	rig_fence_signal(&reads);
	assert_int_equal(p.gpu.acquire(p.gpu.device, p.image, -1, acquired, NULL), VK_SUCCESS);
	draw(&p, acquired);
	rig_fence_finish(&reads);
	p.gpu.d.DestroySemaphore(p.gpu.device, acquired, NULL);
	end(&p);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(frames_are_drawn_into_dma_bufs, KR_TEST_KEEPS_MEMORY, 100),
	KR_TEST_FLAGS(acquire_waits_for_readers_inside, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
