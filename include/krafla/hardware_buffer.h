/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffer: buffers of pixels for CPU and GPU, as in Android's NDK
 * (android/hardware_buffer.h of Android 15, and what its vndk adds): names, numbers, layout and
 * rules. Thread-safety: all functions may be called from any thread. Source: W-11, DESIGN 5.4.
 */
#ifndef KRAFLA_HARDWARE_BUFFER_H
#define KRAFLA_HARDWARE_BUFFER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AHardwareBuffer AHardwareBuffer;

typedef struct ARect {
	int32_t left;
	int32_t top;
	int32_t right;
	int32_t bottom;
} ARect;

enum AHardwareBuffer_Format {
	AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM = 1,
	AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM = 2,
	AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM = 3,
	AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM = 4,
	AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM = 5,
	AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT = 0x16,
	AHARDWAREBUFFER_FORMAT_BLOB = 0x21,
	AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM = 0x2b,
};

enum AHardwareBuffer_UsageFlags {
	AHARDWAREBUFFER_USAGE_CPU_READ_NEVER = 0,
	AHARDWAREBUFFER_USAGE_CPU_READ_RARELY = 2,
	AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN = 3,
	AHARDWAREBUFFER_USAGE_CPU_READ_MASK = 0xF,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_NEVER = 0,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY = 0x20,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN = 0x30,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK = 0xF0,
	AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE = 1 << 8,
	AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER = 1 << 9,
	AHARDWAREBUFFER_USAGE_GPU_COLOR_OUTPUT = 1 << 9,
	AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY = 1 << 11,
	AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT = 1 << 14,
	AHARDWAREBUFFER_USAGE_VIDEO_ENCODE = 1 << 16,
	AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA = 1 << 23,
	AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER = 1 << 24,
	AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP = 1 << 25,
	AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE = 1 << 26,
};

typedef struct AHardwareBuffer_Desc {
	uint32_t width;
	uint32_t height;
	uint32_t layers;
	uint32_t format;
	uint64_t usage;
	uint32_t stride; /* pixels; ignored by allocate */
	uint32_t rfu0;   /* 0 */
	uint64_t rfu1;   /* 0 */
} AHardwareBuffer_Desc;

/*
 * Allocates a buffer with one reference. 0; -EINVAL for a malformed description; -ENOSYS for one
 * that can't be had here (nothing is approximated); -ENODEV when KRAFLA_BUFFERS demands a kind of
 * memory that can't be had (docs/buffers.md); -ENOMEM.
 */
int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer);
/* 1 when a buffer of this description can be allocated, else 0. */
int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc);
void AHardwareBuffer_acquire(AHardwareBuffer *buffer);
/* Drops a reference; the last one frees. */
void AHardwareBuffer_release(AHardwareBuffer *buffer);
/* What the buffer is, stride included. NULL arguments are ignored. */
void AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc);
/*
 * Maps for the CPU after `fence` (-1 none; owned by this call once the arguments are good). `usage`
 * holds CPU bits alone, and ones that the buffer was allocated with. `rect` NULL means all; the
 * address is always that of pixel 0,0. Where the buffer is a dma-buf the call also waits for the
 * fences that devices have put into it. 0; -EINVAL; the fence's error when it failed; -ETIME when
 * not all of them have signalled within 5 s.
 */
int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
	void **outVirtualAddress);
/*
 * Ends a lock; -EINVAL when none is open. `fence` NULL: done on return; else *fence is a fence of
 * the caller, or -1 when done.
 */
int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence);
/*
 * Sends the buffer over an AF_UNIX socket (SOCK_SEQPACKET or SOCK_STREAM) to a process that calls
 * AHardwareBuffer_recvHandleFromUnixSocket, of any version of this library that knows its memory.
 * The buffer stays the caller's. 0; -EINVAL NULL, or no such socket; -EAGAIN a non-blocking socket
 * is full; -ETIME a blocking one was full for 5 s; -EPIPE the peer is gone; another -errno. Nothing
 * was sent then. Source: NDK, W-11.
 */
int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd);
/*
 * Receives what the function above sent, as a buffer with one reference over the same memory.
 * Waits for it as a read of the socket would (O_NONBLOCK, SO_RCVTIMEO), and at most 5 s for the
 * rest of a message that has begun. Nothing in it is trusted: 0; -EINVAL outBuffer is NULL, this
 * is no AF_UNIX socket, or the handle doesn't describe its memory; -EPERM the memory isn't sealed
 * against resizing; -EPROTO it is no message of that function; -EAGAIN; -ETIME; -EPIPE the peer is
 * gone; another -errno. Descriptors that came with what is refused are closed. A stream is useless
 * after any error but -EAGAIN.
 */
int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer);

/* Who uses a buffer's memory, for the two functions below. */
#define KRAFLA_BUFFER_READ  1
#define KRAFLA_BUFFER_WRITE 2
/*
 * The fences that drivers and other APIs have put into the dma-buf that the buffer is: *fence
 * is a sync_file, owned by the caller, of what somebody must wait for who wants that access
 * (a reader for writers, a writer for everybody); signalled when there is nothing. 0;
 * -EOPNOTSUPP the buffer is no dma-buf (docs/buffers.md); -EINVAL; -ENOTTY a kernel before
 * Linux 6.0; -EMFILE. Source: S-04.
 */
int krafla_buffer_export_fence(const AHardwareBuffer *buffer, int access, int *fence);
/*
 * From now on others wait for `fence`, as for somebody who has that access. The fence stays the
 * caller's; -1 is nothing to do. Only a kernel's fence (sync_file) can go in: -EOPNOTSUPP for one
 * of user space, as for a buffer that is no dma-buf. A fence that has failed is that failure. 0;
 * -EINVAL; -ENOTTY as above.
 */
int krafla_buffer_import_fence(const AHardwareBuffer *buffer, int access, int fence);
/* A number that is unique among the buffers of the process that allocated it. 0 or -EINVAL. */
int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId);
/* The handle, borrowed; NULL for NULL. */
struct native_handle;
const struct native_handle *AHardwareBuffer_getNativeHandle(const AHardwareBuffer *buffer);
/* The AHardwareBuffer of a window's buffer, borrowed; NULL when it isn't one of this library. */
struct ANativeWindowBuffer;
AHardwareBuffer *ANativeWindowBuffer_getHardwareBuffer(struct ANativeWindowBuffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
