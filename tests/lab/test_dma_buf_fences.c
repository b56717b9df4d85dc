/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fences inside real dma-bufs, of udmabuf, dma-heap and vgem: fences go in by access and come
 * out by it, others see them, what user space signals stays outside.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "sync/kernel/dma_buf.h"
#include "sync/fence/kernel_fence.h"
#include "sync/wait/wait.h"
#include "tests/lab/card.h"
#include "tests/sync/support.h"

#define PAGE_BYTES 4096

/* vgem_drm.h, which no package of Debian 12 brings. */
struct vgem_attach {
	uint32_t handle, flags, out_fence, pad;
};

struct vgem_signal {
	uint32_t fence, flags;
};

#define VGEM_ATTACH DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_attach)
#define VGEM_SIGNAL DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_signal)
#define VGEM_WRITE  1u

static int
make_udmabuf(void)
{
	int device = rig_open("/dev/udmabuf");
	int memory = memfd_create("lab", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct udmabuf_create create = {
		.memfd = (uint32_t)memory, .flags = UDMABUF_FLAGS_CLOEXEC, .size = PAGE_BYTES};
	int buffer;

	assert_int_equal(ftruncate(memory, PAGE_BYTES), 0);
	assert_int_equal(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	buffer = rig_ioctl(device, UDMABUF_CREATE, &create);
	assert_true(buffer >= 0);
	close(memory);
	close(device);
	return buffer;
}

static int
make_heap_buffer(void)
{
	int device = rig_open("/dev/dma_heap/system");
	struct dma_heap_allocation_data data = {.len = PAGE_BYTES, .fd_flags = O_RDWR | O_CLOEXEC};

	assert_int_equal(rig_ioctl(device, DMA_HEAP_IOCTL_ALLOC, &data), 0);
	close(device);
	return (int)data.fd;
}

static int (*const makers[])(void) = {make_udmabuf, make_heap_buffer};

/* The status of what somebody with that access waits for. */
static int
exported(int buffer, enum kr_dma_buf_access access)
{
	int fence = -1, status;

	assert_int_equal(kr_dma_buf_export_fence(buffer, access, &fence), 0);
	assert_true(fcntl(fence, F_GETFD) & FD_CLOEXEC);
	status = kr_fence_status(fence);
	close(fence);
	return status;
}

static bool
is_ready(int buffer, short events)
{
	struct pollfd p = {.fd = buffer, .events = events};

	return poll(&p, 1, 0) == 1;
}

/* S-04. A writer's fence: everybody waits for it, by export and by poll. */
static void
writers_are_waited_for_by_all(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(makers); i++) {
		int buffer = makers[i](), timeline = rig_timeline(), fence = rig_fence(timeline, 1);

		assert_int_equal(kr_dma_buf_check(buffer), 0);
		assert_int_equal(exported(buffer, KR_DMA_BUF_READ_WRITE), 1);
		assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, fence), 0);
		assert_int_equal(exported(buffer, KR_DMA_BUF_READ), 0);
		assert_int_equal(exported(buffer, KR_DMA_BUF_WRITE), 0);
		assert_false(is_ready(buffer, POLLIN));
		assert_false(is_ready(buffer, POLLOUT));
		assert_int_equal(rig_move(timeline, 1, 0), 0);
		assert_int_equal(exported(buffer, KR_DMA_BUF_READ_WRITE), 1);
		assert_true(is_ready(buffer, POLLIN | POLLOUT));
		close(fence);
		close(timeline);
		close(buffer);
	}
}

/* A reader's: only writers wait for it. */
static void
readers_are_waited_for_by_writers(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(makers); i++) {
		int buffer = makers[i](), timeline = rig_timeline(), fence = rig_fence(timeline, 1);

		assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_READ, fence), 0);
		assert_int_equal(exported(buffer, KR_DMA_BUF_READ), 1);
		assert_int_equal(exported(buffer, KR_DMA_BUF_WRITE), 0);
		assert_int_equal(exported(buffer, KR_DMA_BUF_READ_WRITE), 0);
		assert_true(is_ready(buffer, POLLIN));
		assert_false(is_ready(buffer, POLLOUT));
		assert_int_equal(rig_move(timeline, 1, 0), 0);
		assert_int_equal(exported(buffer, KR_DMA_BUF_WRITE), 1);
		close(fence);
		close(timeline);
		close(buffer);
	}
}

/*
 * S-03: a fence that fails inside a buffer. An export made before tells it, one made after doesn't:
 * the kernel forgets what has ended.
 */
static void
failure_inside_a_buffer(void **state)
{
	int buffer = make_udmabuf(), timeline = rig_timeline(), fence = rig_fence(timeline, 1);
	int before;

	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, fence), 0);
	assert_int_equal(kr_dma_buf_export_fence(buffer, KR_DMA_BUF_READ, &before), 0);
	assert_int_equal(rig_move(timeline, 1, -EIO), 0);
	assert_int_equal(kr_fence_wait(before, SOON), -EIO);
	assert_int_equal(exported(buffer, KR_DMA_BUF_READ), 1);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, fence), -EIO);
	close(before);
	close(fence);
	close(timeline);
	close(buffer);
}

/* S-05: the kernel takes no socket for a fence (EINVAL), and Krafla doesn't ask it to. */
static void
user_fences_stay_outside(void **state)
{
	struct pair user = make_pair("user");
	int buffer = make_udmabuf();
	struct {
		uint32_t flags;
		int32_t fd;
	} raw = {KR_DMA_BUF_WRITE, user.fence};

	assert_int_equal(rig_ioctl(buffer, 0x40086203u, &raw), -EINVAL);
	assert_int_equal(
		kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, user.fence), -EOPNOTSUPP);
	assert_int_equal(kr_dma_buf_import_fence(buffer, KR_DMA_BUF_WRITE, -1), 0);
	assert_int_equal(exported(buffer, KR_DMA_BUF_WRITE), 1);
	close(buffer);
	close_pair(&user);
}

static void
cpu_access(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(makers); i++) {
		int buffer = makers[i]();
		char *bytes = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, buffer, 0);

		assert_true(bytes != MAP_FAILED);
		assert_int_equal(kr_dma_buf_begin_cpu(buffer, KR_DMA_BUF_READ_WRITE), 0);
		bytes[5] = 7;
		assert_int_equal(kr_dma_buf_end_cpu(buffer, KR_DMA_BUF_READ_WRITE), 0);
		assert_int_equal(bytes[5], 7);
		munmap(bytes, PAGE_BYTES);
		assert_int_equal(kr_dma_buf_begin_cpu(buffer, (enum kr_dma_buf_access)0), -EINVAL);
		close(buffer);
	}
}

static void
what_is_no_dma_buf(void **state)
{
	int timeline = rig_timeline(), fence = rig_fence(timeline, 1), out = 55;

	assert_int_equal(kr_dma_buf_check(fence), -EINVAL);
	assert_int_equal(kr_dma_buf_check(timeline), -EINVAL);
	assert_int_equal(kr_dma_buf_export_fence(fence, KR_DMA_BUF_READ, &out), -ENOTTY);
	assert_int_equal(kr_dma_buf_import_fence(timeline, KR_DMA_BUF_READ, fence), -ENOTTY);
	assert_int_equal(out, 55);
	close(fence);
	close(timeline);
}

/* A driver's own fence on its buffer, as a dma-buf shows it to others. */
static void
fences_of_a_driver(void **state)
{
	int drm = card_open("vgem"), buffer = -1, fence = -1;
	struct drm_mode_create_dumb dumb = {.width = 16, .height = 16, .bpp = 32};
	struct vgem_attach attach = {.flags = VGEM_WRITE}, again;
	struct vgem_signal signal = {0};

	assert_int_equal(rig_ioctl(drm, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	assert_int_equal(drmPrimeHandleToFD(drm, dumb.handle, DRM_CLOEXEC, &buffer), 0);
	assert_int_equal(kr_dma_buf_check(buffer), 0);
	attach.handle = dumb.handle;
	again = attach;
	assert_int_equal(rig_ioctl(drm, VGEM_ATTACH, &attach), 0);
	assert_int_equal(rig_ioctl(drm, VGEM_ATTACH, &again), -EBUSY);
	assert_int_equal(kr_dma_buf_export_fence(buffer, KR_DMA_BUF_READ, &fence), 0);
	assert_int_equal(kr_fence_status(fence), 0);
	assert_int_equal(kr_sync_kernel_check(fence), 0);
	signal.fence = attach.out_fence;
	assert_int_equal(rig_ioctl(drm, VGEM_SIGNAL, &signal), 0);
	assert_int_equal(kr_fence_wait(fence, SOON), 0);
	assert_true(kr_fence_signal_time(fence) > 0);
	close(fence);
	close(buffer);
	close(drm);
}

static const struct kr_test tests[] = {
	KR_TEST(writers_are_waited_for_by_all),
	KR_TEST(readers_are_waited_for_by_writers),
	KR_TEST(failure_inside_a_buffer),
	KR_TEST(user_fences_stay_outside),
	KR_TEST(cpu_access),
	KR_TEST(what_is_no_dma_buf),
	KR_TEST(fences_of_a_driver),
};

KR_TEST_MAIN(tests)
