/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffer: buffers of pixels for CPU and GPU, as in Android's NDK
 * (android/hardware_buffer.h of Android 15, and what its vndk adds): names, numbers, layout and
 * rules. Thread-safety: all functions may be called from any thread. Source: W-11, DESIGN 5.4.
 */
#ifndef KRAFLA_HARDWARE_BUFFER_H
#define KRAFLA_HARDWARE_BUFFER_H

#include <errno.h>
#include <stddef.h>
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

/* Which can be had, and how they lie in memory: docs/buffers.md. */
enum AHardwareBuffer_Format {
	AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM = 1,
	AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM = 2,
	AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM = 3,
	AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM = 4,
	AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM = 5,
	AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT = 0x16,
	AHARDWAREBUFFER_FORMAT_BLOB = 0x21,
	AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420 = 0x23,
	AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM = 0x2b,
	AHARDWAREBUFFER_FORMAT_D16_UNORM = 0x30,
	AHARDWAREBUFFER_FORMAT_D24_UNORM = 0x31,
	AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT = 0x32,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT = 0x33,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT = 0x34,
	AHARDWAREBUFFER_FORMAT_S8_UINT = 0x35,
	AHARDWAREBUFFER_FORMAT_YCbCr_P010 = 0x36,
	AHARDWAREBUFFER_FORMAT_R8_UNORM = 0x38,
	AHARDWAREBUFFER_FORMAT_R16_UINT = 0x39,
	AHARDWAREBUFFER_FORMAT_R16G16_UINT = 0x3a,
	AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM = 0x3b,
};

/* Bits of AHardwareBuffer_Desc.usage; those above 31 are macros, because an enum has 32 in C. */
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
	AHARDWAREBUFFER_USAGE_CAMERA_WRITE = 1 << 17,
	AHARDWAREBUFFER_USAGE_CAMERA_READ = 1 << 18,
	AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA = 1 << 23,
	AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER = 1 << 24,
	AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP = 1 << 25,
	AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE = 1 << 26,
	AHARDWAREBUFFER_USAGE_VENDOR_0 = 1 << 28,
	AHARDWAREBUFFER_USAGE_VENDOR_1 = 1 << 29,
	AHARDWAREBUFFER_USAGE_VENDOR_2 = 1 << 30,
};

#define AHARDWAREBUFFER_USAGE_VENDOR_3     (UINT64_C(1) << 31)
#define AHARDWAREBUFFER_USAGE_FRONT_BUFFER (UINT64_C(1) << 32)
#define AHARDWAREBUFFER_USAGE_VENDOR_4     (UINT64_C(1) << 48)
#define AHARDWAREBUFFER_USAGE_VENDOR_5     (UINT64_C(1) << 49)
#define AHARDWAREBUFFER_USAGE_VENDOR_6     (UINT64_C(1) << 50)
#define AHARDWAREBUFFER_USAGE_VENDOR_7     (UINT64_C(1) << 51)
#define AHARDWAREBUFFER_USAGE_VENDOR_8     (UINT64_C(1) << 52)
#define AHARDWAREBUFFER_USAGE_VENDOR_9     (UINT64_C(1) << 53)
#define AHARDWAREBUFFER_USAGE_VENDOR_10    (UINT64_C(1) << 54)
#define AHARDWAREBUFFER_USAGE_VENDOR_11    (UINT64_C(1) << 55)
#define AHARDWAREBUFFER_USAGE_VENDOR_12    (UINT64_C(1) << 56)
#define AHARDWAREBUFFER_USAGE_VENDOR_13    (UINT64_C(1) << 57)
#define AHARDWAREBUFFER_USAGE_VENDOR_14    (UINT64_C(1) << 58)
#define AHARDWAREBUFFER_USAGE_VENDOR_15    (UINT64_C(1) << 59)
#define AHARDWAREBUFFER_USAGE_VENDOR_16    (UINT64_C(1) << 60)
#define AHARDWAREBUFFER_USAGE_VENDOR_17    (UINT64_C(1) << 61)
#define AHARDWAREBUFFER_USAGE_VENDOR_18    (UINT64_C(1) << 62)
#define AHARDWAREBUFFER_USAGE_VENDOR_19    (UINT64_C(1) << 63)

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

typedef struct AHardwareBuffer_Plane {
	void *data;
	uint32_t pixelStride; /* bytes from one value to the next */
	uint32_t rowStride;   /* bytes from one row to the next */
} AHardwareBuffer_Plane;

typedef struct AHardwareBuffer_Planes {
	uint32_t planeCount;
	AHardwareBuffer_Plane planes[4];
} AHardwareBuffer_Planes;

/* An option of an allocator's own. */
typedef struct AHardwareBufferLongOptions {
	const char *name;
	int64_t value;
} AHardwareBufferLongOptions;

/* Of the functions of Android 15: one of these, or another -errno. */
typedef int32_t AHardwareBufferStatus;
enum {
	AHARDWAREBUFFER_STATUS_OK = 0,
	AHARDWAREBUFFER_STATUS_NO_MEMORY = -ENOMEM,
	AHARDWAREBUFFER_STATUS_BAD_VALUE = -EINVAL,
	AHARDWAREBUFFER_STATUS_UNSUPPORTED = -ENOSYS,
	AHARDWAREBUFFER_STATUS_UNKNOWN_ERROR = INT32_MIN,
};

/* What the numbers of pixels mean: HAL_DATASPACE_* of krafla/native_window.h. */
typedef int32_t ADataSpace;
enum {
	ADATASPACE_UNKNOWN = 0, /* nothing is said */
};

/*
 * Allocates a buffer with one reference. 0; -EINVAL for a malformed description; -ENOSYS for one
 * that can't be had here (nothing is approximated); -ENODEV when KRAFLA_BUFFERS demands a kind of
 * memory that can't be had (docs/buffers.md); -ENOMEM.
 */
int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer);
/*
 * The same with options, of which there are none here: BAD_VALUE NULL with a count, or an option
 * without a name; UNSUPPORTED any option (the log names the first at level info). Errors of
 * AHardwareBuffer_allocate. Source: Android 15.
 */
AHardwareBufferStatus AHardwareBuffer_allocateWithOptions(const AHardwareBuffer_Desc *desc,
	const AHardwareBufferLongOptions *additionalOptions, size_t additionalOptionsSize,
	AHardwareBuffer **outBuffer);
/* 1 when a buffer of this description can be allocated, as far as is known without it; else 0. */
int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc);
void AHardwareBuffer_acquire(AHardwareBuffer *buffer);
/* Drops a reference; the last one frees. */
void AHardwareBuffer_release(AHardwareBuffer *buffer);
/*
 * What the buffer is, stride included: 0 where it is memory of a GPU alone. NULL arguments are
 * ignored.
 */
void AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc);
/*
 * What is said of the buffer's pixels; ADATASPACE_UNKNOWN at first, and for what is no buffer.
 * Whatever is set stays as it is, and is nobody's business here: windows and layers have data
 * spaces of their own. It belongs to this buffer, in all copies of the library in this process, and
 * goes with it over sockets and parcels; a handle hasn't got it, so that a buffer of
 * AHardwareBuffer_createFromHandle begins with UNKNOWN. Source: Android 15.
 */
ADataSpace AHardwareBuffer_getDataSpace(const AHardwareBuffer *buffer);
/* BAD_VALUE: it is no buffer. What was sent before keeps what it had. */
AHardwareBufferStatus AHardwareBuffer_setDataSpace(AHardwareBuffer *buffer, ADataSpace dataSpace);
/*
 * Maps for the CPU after `fence` (-1 none). `usage` holds CPU bits alone, and ones that the buffer
 * was allocated with. `rect` NULL means all; the address is always that of pixel 0,0. Where the
 * buffer is a dma-buf the call also waits for the fences that devices have put into it.
 *
 * The fence stays the caller's after -EINVAL, an argument that isn't good (also one that is no
 * fence), and after -ENOSYS of a buffer with several layers, which
 * krafla_hardware_buffer_lock_layers takes. Else it is this call's, and closed: 0; -ENOSYS the
 * buffer is memory of a GPU, which no CPU reaches; the fence's error when it failed (-EIO where
 * that is -EINVAL); -ETIME when not all of them have signalled within 5 s.
 */
int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
	void **outVirtualAddress);
/*
 * The same, telling where planes lie: of YCbCr three, Y, Cb and Cr; of anything else one.
 * planeCount is 0 after an error. Source: NDK (API level 29).
 */
int AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
	const ARect *rect, AHardwareBuffer_Planes *outPlanes);
/*
 * The same, telling bytes of a pixel and of a row; -1 for both where there are several planes.
 * Source: NDK (API level 29).
 */
int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
	const ARect *rect, void **outVirtualAddress, int32_t *outBytesPerPixel,
	int32_t *outBytesPerStride);
/*
 * AHardwareBuffer_lock for buffers of one or more layers: layer n begins n * *outBytesPerLayer
 * behind the address, and rows and pixels lie in each as in a buffer of one (docs/buffers.md).
 * `rect` is of every layer. *outBytesPerLayer is 0 for memory that others made (a dma-buf), which
 * has one layer. Ends with AHardwareBuffer_unlock; errors and the fence's ownership are those of
 * AHardwareBuffer_lock, but that several layers are no error. Source: Krafla's own, W-11.
 */
int krafla_hardware_buffer_lock_layers(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
	const ARect *rect, void **outVirtualAddress, uint64_t *outBytesPerLayer);
/*
 * Ends a lock; -EINVAL when none is open. `fence` NULL: done on return; else *fence is a fence of
 * the caller, or -1 when done.
 */
int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence);
/*
 * Sends the buffer over an AF_UNIX socket (SOCK_SEQPACKET or SOCK_STREAM) to a process that calls
 * AHardwareBuffer_recvHandleFromUnixSocket, of any version of this library that knows its memory
 * and, where it has a data space that isn't UNKNOWN, data spaces (others answer -EPROTO).
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
/* Memory that others made, as one dma-buf: a camera's, a decoder's, another API's. */
struct krafla_dma_buf_plane {
	int fd; /* borrowed; all planes are of one dma-buf */
	uint64_t offset;
	uint64_t row_bytes;
};
struct krafla_dma_buf {
	uint32_t size; /* of this struct, in bytes */
	uint32_t width;
	uint32_t height;
	uint32_t format;      /* AHARDWAREBUFFER_FORMAT_* */
	uint64_t usage;       /* AHARDWAREBUFFER_USAGE_* */
	uint64_t modifier;    /* DRM format modifier; 0: rows (LINEAR) */
	uint32_t plane_count; /* as many as format and modifier have */
	uint32_t reserved;    /* 0 */
	struct krafla_dma_buf_plane planes[4];
};
/*
 * A buffer over such memory, with one reference. The descriptors are duplicated. Planes must lie
 * inside, rows must have room; Y8Cb8Cr8_420 in rows has two planes (Cb and Cr in turn) or three; a
 * BLOB has one at 0 and no modifier. It is memory of a GPU: drivers import it where they can. CPU
 * bits of the usage need rows, and that the dma-buf can be mapped here, which is tried; then
 * AHardwareBuffer_lock works in this process, and in no other to which the buffer goes. The
 * exporter may end the life of that memory (a device that is taken away): then the program that
 * touches the mapping is ended by SIGBUS; nothing here can prevent it.
 *
 * 0; -EINVAL it isn't a dma-buf, or not what is said of it; -ENOSYS a format that isn't known,
 * planes in several dma-bufs, or CPU bits for what can't be mapped; -EPERM CPU bits that the
 * descriptor's mode doesn't allow; -ENOMEM, -EMFILE. Source: W-11.
 */
int krafla_hardware_buffer_from_dma_buf(
	const struct krafla_dma_buf *from, AHardwareBuffer **outBuffer);
/* A number that is unique among the buffers of the process that allocated it. 0 or -EINVAL. */
int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId);
/* The handle, borrowed; NULL for NULL. */
struct native_handle;
const struct native_handle *AHardwareBuffer_getNativeHandle(const AHardwareBuffer *buffer);
/*
 * A buffer over the memory that a handle names, checked as one from a socket; `desc` must say what
 * the handle says, stride and usage included. REGISTER takes the handle, once it has worked: it is
 * closed and deleted then; CLONE leaves it. 0; -EINVAL; -EPERM as above; -ENOMEM, -EMFILE...
 * Source: Android's VNDK.
 */
enum CreateFromHandleMethod {
	AHARDWAREBUFFER_CREATE_FROM_HANDLE_METHOD_REGISTER = 2,
	AHARDWAREBUFFER_CREATE_FROM_HANDLE_METHOD_CLONE = 3,
};
int AHardwareBuffer_createFromHandle(const AHardwareBuffer_Desc *desc,
	const struct native_handle *handle, int32_t method, AHardwareBuffer **outBuffer);
/* The AHardwareBuffer of a window's buffer, borrowed; NULL when it isn't one of this library. */
struct ANativeWindowBuffer;
AHardwareBuffer *ANativeWindowBuffer_getHardwareBuffer(struct ANativeWindowBuffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
