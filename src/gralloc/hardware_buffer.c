/* SPDX-License-Identifier: Apache-2.0 */
/* AHardwareBuffer: the public face of buffers. */
#include <krafla/hardware_buffer.h>

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "gralloc/transfer.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

#define LOCK_FENCE_NS (5 * KR_NSEC_PER_SEC)
#define CPU_USAGE     (AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK)

_Static_assert(sizeof(AHardwareBuffer_Desc) == 40, "AHardwareBuffer_Desc");
_Static_assert(offsetof(AHardwareBuffer_Desc, usage) == 16, "usage");
_Static_assert(offsetof(AHardwareBuffer_Desc, stride) == 24, "stride");
_Static_assert(offsetof(AHardwareBuffer_Desc, rfu1) == 32, "rfu1");
_Static_assert(sizeof(ARect) == 16, "ARect");

static struct kr_buffer *
from_public(const AHardwareBuffer *buffer)
{
	return (struct kr_buffer *)(uintptr_t)buffer;
}

static AHardwareBuffer *
to_public(struct kr_buffer *buffer)
{
	return (AHardwareBuffer *)(void *)buffer;
}

/* The platform's own codes become those of the public API. */
static int
public_error(int err)
{
	return err == -EOPNOTSUPP ? -ENOSYS : err;
}

static int
read_desc(const AHardwareBuffer_Desc *desc, struct kr_buffer_desc *out)
{
	if (!desc || desc->rfu0 || desc->rfu1)
		return -EINVAL;
	*out = (struct kr_buffer_desc){
		.width = desc->width,
		.height = desc->height,
		.layers = desc->layers,
		.format = desc->format,
		.usage = desc->usage,
	};
	return 0;
}

KR_EXPORT int
AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer)
{
	struct kr_buffer_desc wanted;
	struct kr_buffer *buffer;
	int err;

	if (!outBuffer)
		return -EINVAL;
	err = read_desc(desc, &wanted);
	if (!err)
		err = kr_buffer_allocate(&wanted, &buffer);
	if (err)
		return public_error(err);
	*outBuffer = to_public(buffer);
	return 0;
}

KR_EXPORT int
AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc)
{
	struct kr_buffer_desc wanted;

	return !read_desc(desc, &wanted) && !kr_buffer_check(&wanted);
}

KR_EXPORT void
AHardwareBuffer_acquire(AHardwareBuffer *buffer)
{
	if (buffer)
		kr_buffer_ref(from_public(buffer));
}

KR_EXPORT void
AHardwareBuffer_release(AHardwareBuffer *buffer)
{
	kr_buffer_unref(from_public(buffer));
}

KR_EXPORT void
AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc)
{
	const struct kr_buffer_info *info;

	if (!buffer || !outDesc)
		return;
	info = kr_buffer_get_info(from_public(buffer));
	*outDesc = (AHardwareBuffer_Desc){
		.width = info->desc.width,
		.height = info->desc.height,
		.layers = info->desc.layers,
		.format = info->desc.format,
		.usage = info->desc.usage,
		.stride = info->stride,
	};
}

static bool
rect_fits(const ARect *rect, const struct kr_buffer_desc *desc)
{
	return !rect ||
		(rect->left >= 0 && rect->top >= 0 && rect->left <= rect->right &&
			rect->top <= rect->bottom && (uint32_t)rect->right <= desc->width &&
			(uint32_t)rect->bottom <= desc->height);
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
	return err;
}

KR_EXPORT int
AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
	void **outVirtualAddress)
{
	const int64_t deadline = kr_deadline_in(LOCK_FENCE_NS);
	const struct kr_buffer_info *info;
	int err;

	if (!buffer || !outVirtualAddress)
		return -EINVAL;
	info = kr_buffer_get_info(from_public(buffer));
	if (!usage_fits(usage, info->desc.usage) || !rect_fits(rect, &info->desc))
		return -EINVAL;
	err = wait_to_lock(fence, deadline);
	kr_fd_close(&fence);
	if (err)
		return err;
	err = kr_buffer_lock(from_public(buffer), access_of(usage), deadline, outVirtualAddress);
	if (err == -ETIME)
		kr_error(
			"AHardwareBuffer_lock: others have used the dma-buf for %lld s and aren't done; the buffer isn't locked",
			(long long)(LOCK_FENCE_NS / KR_NSEC_PER_SEC));
	return err;
}

KR_EXPORT int
AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence)
{
	int err = buffer ? kr_buffer_unlock(from_public(buffer)) : -EINVAL;

	/* What the CPU wrote is where everybody sees it: nothing is left to be done. */
	if (!err && fence)
		*fence = -1;
	return err;
}

KR_EXPORT int
AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd)
{
	return buffer ? kr_transfer_send(socketFd, from_public(buffer)) : -EINVAL;
}

KR_EXPORT int
AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer)
{
	struct kr_buffer *buffer;
	int err = outBuffer ? kr_transfer_receive(socketFd, &buffer) : -EINVAL;

	if (!err)
		*outBuffer = to_public(buffer);
	return err;
}

static bool
is_access(int access)
{
	return access > 0 && access <= KR_DMA_BUF_READ_WRITE;
}

KR_EXPORT int
krafla_buffer_export_fence(const AHardwareBuffer *buffer, int access, int *fence)
{
	if (!buffer || !fence || !is_access(access))
		return -EINVAL;
	return kr_buffer_export_fence(
		kr_buffer_get_info(from_public(buffer)), (enum kr_dma_buf_access)access, fence);
}

KR_EXPORT int
krafla_buffer_import_fence(const AHardwareBuffer *buffer, int access, int fence)
{
	if (!buffer || !is_access(access))
		return -EINVAL;
	return kr_buffer_import_fence(
		kr_buffer_get_info(from_public(buffer)), (enum kr_dma_buf_access)access, fence);
}

KR_EXPORT int
AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId)
{
	if (!buffer || !outId)
		return -EINVAL;
	*outId = kr_buffer_get_info(from_public(buffer))->id;
	return 0;
}

KR_EXPORT const native_handle_t *
AHardwareBuffer_getNativeHandle(const AHardwareBuffer *buffer)
{
	return buffer ? kr_buffer_handle(from_public(buffer)) : NULL;
}

KR_EXPORT AHardwareBuffer *
ANativeWindowBuffer_getHardwareBuffer(ANativeWindowBuffer *buffer)
{
	struct kr_buffer *own = kr_buffer_from_native(buffer);

	return own ? to_public(own) : NULL;
}
