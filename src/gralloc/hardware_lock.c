/* SPDX-License-Identifier: Apache-2.0 */
/* AHardwareBuffer in the CPU's hands: locked, as pixels or as planes. */
#include <krafla/hardware_buffer.h>

#include <errno.h>
#include <stddef.h>

#include "gralloc/copies.h"
#include "gralloc/format.h"
#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

#define LOCK_FENCE_NS (5 * KR_NSEC_PER_SEC)
#define CPU_USAGE     (AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK)

_Static_assert(sizeof(ARect) == 16, "ARect");
_Static_assert(sizeof(AHardwareBuffer_Plane) == 16, "AHardwareBuffer_Plane");
_Static_assert(sizeof(AHardwareBuffer_Planes) == 72, "AHardwareBuffer_Planes");
_Static_assert(offsetof(AHardwareBuffer_Planes, planes) == 8, "planes");

static ANativeWindowBuffer *
native_of(const AHardwareBuffer *buffer)
{
	return (ANativeWindowBuffer *)(uintptr_t)buffer;
}

static bool
rect_fits(const ARect *rect, const ANativeWindowBuffer *native)
{
	return !rect ||
		(rect->left >= 0 && rect->top >= 0 && rect->left <= rect->right &&
			rect->top <= rect->bottom && rect->right <= native->width &&
			rect->bottom <= native->height);
}

/* CPU bits alone, at least one, each direction among those that the buffer was allocated with. */
static bool
usage_fits(uint64_t usage, uint64_t allocated)
{
	uint64_t read = usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK;
	uint64_t write = usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK;

	return (usage & ~(uint64_t)CPU_USAGE) == 0 && (read || write) &&
		(!read || (allocated & AHARDWAREBUFFER_USAGE_CPU_READ_MASK)) &&
		(!write || (allocated & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK));
}

static enum kr_dma_buf_access
access_of(uint64_t usage)
{
	return (usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK ? KR_DMA_BUF_READ : 0) |
		(usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK ? KR_DMA_BUF_WRITE : 0);
}

static int
wait_to_lock(int fence, int64_t deadline_ns)
{
	int err = kr_fence_wait(fence, deadline_ns);
	char sentence[KR_FENCE_SENTENCE];

	if (err == -ETIME) {
		kr_fence_sentence_of(fence, sentence);
		kr_error(
			"AHardwareBuffer_lock: the fence %s hasn't signalled for %lld s; the buffer isn't locked",
			sentence, (long long)(LOCK_FENCE_NS / KR_NSEC_PER_SEC));
	}
	/* After -EINVAL the caller closes the fence, which is closed here. */
	return err == -EINVAL ? -EIO : err;
}

/* What is looked at before the fence is the call's: 0 or -EINVAL. */
static int
check(const AHardwareBuffer *buffer, uint64_t usage, int fence, const ARect *rect)
{
	const ANativeWindowBuffer *native = native_of(buffer);
	int32_t status;

	return kr_buffer_functions_of(buffer) && usage_fits(usage, native->usage) &&
			rect_fits(rect, native) && (fence == -1 || !kr_sync_status(fence, &status))
		? 0
		: -EINVAL;
}

/* Several layers have no one address: as on Android. */
static int
check_one(const AHardwareBuffer *buffer, uint64_t usage, int fence, const ARect *rect)
{
	int err = check(buffer, usage, fence, rect);

	return err || native_of(buffer)->layerCount == 1 ? err : -ENOSYS;
}

/* What has been checked, as planes from the beginning of the memory. The fence is taken. */
static int
lock(AHardwareBuffer *buffer, uint64_t usage, int take_fence, struct kr_buffer_planes *planes,
	char **memory)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(buffer);
	const int64_t deadline = kr_deadline_in(LOCK_FENCE_NS);
	void *mapped;
	int err = functions->get_planes(native_of(buffer), planes, sizeof(*planes));

	if (!err)
		err = wait_to_lock(take_fence, deadline);
	kr_fd_close(&take_fence);
	if (err)
		return err == -EOPNOTSUPP ? -ENOSYS : err;
	err = functions->lock(native_of(buffer), access_of(usage), deadline, &mapped);
	if (err == -ETIME)
		kr_error(
			"AHardwareBuffer_lock: others have used the dma-buf for %lld s and aren't done; the buffer isn't locked",
			(long long)(LOCK_FENCE_NS / KR_NSEC_PER_SEC));
	if (err)
		return err == -EOPNOTSUPP ? -ENOSYS : err;
	*memory = mapped;
	return 0;
}

KR_EXPORT int
AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
	void **outVirtualAddress)
{
	struct kr_buffer_planes planes;
	char *memory;
	int err = outVirtualAddress ? check_one(buffer, usage, fence, rect) : -EINVAL;

	if (!err)
		err = lock(buffer, usage, fence, &planes, &memory);
	if (!err)
		*outVirtualAddress = memory + planes.plane[0].offset;
	return err;
}

KR_EXPORT int
krafla_hardware_buffer_lock_layers(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
	const ARect *rect, void **outVirtualAddress, uint64_t *outBytesPerLayer)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(buffer);
	struct kr_buffer_planes planes;
	uint64_t layer_bytes;
	char *memory;
	int err =
		outVirtualAddress && outBytesPerLayer ? check(buffer, usage, fence, rect) : -EINVAL;

	if (!err)
		err = functions->get_layer_bytes(native_of(buffer), &layer_bytes);
	if (!err)
		err = lock(buffer, usage, fence, &planes, &memory);
	if (err)
		return err;
	*outVirtualAddress = memory + planes.plane[0].offset;
	*outBytesPerLayer = layer_bytes;
	return 0;
}

KR_EXPORT int
AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence)
{
	const struct kr_buffer_functions *functions = kr_buffer_functions_of(buffer);
	int err = functions ? functions->unlock(native_of(buffer)) : -EINVAL;

	/* What the CPU wrote is where everybody sees it: nothing is left to be done. */
	if (!err && fence)
		*fence = -1;
	return err;
}

/* Where Cb and Cr lie between each other they are two planes all the same. */
static void
tell_planes(AHardwareBuffer_Planes *out, char *memory, const struct kr_buffer_planes *planes)
{
	for (uint32_t i = 0; i < planes->count; i++) {
		const struct kr_buffer_plane *plane = &planes->plane[i];

		out->planes[i] = (AHardwareBuffer_Plane){
			memory + plane->offset, plane->pixel_bytes, plane->row_bytes};
	}
	out->planeCount = planes->count;
	if (planes->count != 2)
		return;
	out->planes[2] = out->planes[1];
	out->planes[2].data = (char *)out->planes[1].data + planes->plane[1].pixel_bytes / 2;
	out->planeCount = 3;
}

KR_EXPORT int
AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
	const ARect *rect, AHardwareBuffer_Planes *outPlanes)
{
	struct kr_buffer_planes planes;
	AHardwareBuffer_Planes told = {0};
	char *memory;
	int err;

	if (!outPlanes)
		return -EINVAL;
	outPlanes->planeCount = 0;
	err = check_one(buffer, usage, fence, rect);
	if (!err)
		err = lock(buffer, usage, fence, &planes, &memory);
	if (err)
		return err;
	tell_planes(&told, memory, &planes);
	*outPlanes = told;
	return 0;
}

KR_EXPORT int
AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
	const ARect *rect, void **outVirtualAddress, int32_t *outBytesPerPixel,
	int32_t *outBytesPerStride)
{
	struct kr_buffer_planes planes;
	char *memory;
	int err = outVirtualAddress && outBytesPerPixel && outBytesPerStride
		? check_one(buffer, usage, fence, rect)
		: -EINVAL;

	if (!err)
		err = lock(buffer, usage, fence, &planes, &memory);
	if (err)
		return err;
	*outVirtualAddress = memory + planes.plane[0].offset;
	/* Several planes have no one pixel. */
	*outBytesPerPixel = planes.count == 1 ? (int32_t)planes.plane[0].pixel_bytes : -1;
	*outBytesPerStride = planes.count == 1 ? (int32_t)planes.plane[0].row_bytes : -1;
	return 0;
}
