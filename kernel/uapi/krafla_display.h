/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The ioctls of /dev/krafla_display (krafla_display.ko): a display that shows dma-bufs
 * behind fences, for the lab and for porting, not for products (S-05, S-09). Shared by the
 * module and by user space.
 *
 * There is one screen. Who sets a mode owns it until the last descriptor of that open file is
 * closed, also by dying (a forked child that has one delays that), or until it turns the screen
 * off. Others may look: read() at an offset gives the screen's pixels, rows of width * 4 bytes
 * without gaps, a frame each call.
 *
 * Descriptors that are passed in stay the caller's, and may be closed after the call.
 */
#ifndef KRAFLA_DISPLAY_UAPI_H
#define KRAFLA_DISPLAY_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define KRAFLA_DISPLAY_MAX_SIZE    4096 /* pixels, each way */
#define KRAFLA_DISPLAY_MAX_REFRESH 240 /* Hz */
#define KRAFLA_DISPLAY_MAX_QUEUED  64

/* Pixels of 4 bytes, by their codes in drm_fourcc.h. */
#define KRAFLA_DISPLAY_XRGB8888 0x34325258
#define KRAFLA_DISPLAY_ARGB8888 0x34325241
#define KRAFLA_DISPLAY_XBGR8888 0x34324258
#define KRAFLA_DISPLAY_ABGR8888 0x34324241

/*
 * Sets the mode; all 0 turns the screen off and gives it up. Before that what is queued fails with
 * -ECANCELED, and the screen goes blank. EBUSY: it is another's. EINVAL: out of bounds.
 */
struct krafla_display_mode {
	__u32 width;
	__u32 height;
	__u32 refresh_hz;
	__u32 pad; /* 0, else EINVAL */
};

/*
 * The fences that the dma-buf itself carries for writes to it count as in_fence does: when one
 * fails, so does the frame. Without this the display, which reads with the processor, waits for
 * them too (dma_buf_begin_cpu_access), but doesn't ask how they ended.
 */
#define KRAFLA_DISPLAY_WAIT_FOR_BUFFER (1 << 0)

/*
 * Queues a frame behind its fence and returns at once. At each vsync the newest frame that is
 * ready, and has none before it that still waits, is shown; those that it overtakes are skipped.
 *
 * `out_fence` ends when the display doesn't read the buffer any more:
 *   signalled: the frame has left the screen, for another, for a blank screen, or for
 *   the display's own copy
 *       of it (after hold_ms, krafla_display_info); or it was overtaken and never seen;
 *   -EOWNERDEAD, -ECANCELED: the owner died, or set a mode, before it was seen;
 *   -ETIMEDOUT: it wasn't ready ready_ms after it was queued, and was never seen;
 *   otherwise: what its fence failed with, as soon as one part of it did; it was never seen.
 * Out-fences are points of one timeline whose values are the frames' numbers: they
 * end in that order.
 *
 * EPERM: the screen isn't the caller's. EBADF: no such descriptor. EINVAL: not a dma-buf, not a
 * sync_file, a wrong format or flag, rows that overlap or aren't aligned to 4 bytes, a buffer that
 * ends before the picture. EAGAIN: too many frames are queued. EOPNOTSUPP: the buffer's driver
 * can't map it for reading.
 */
struct krafla_display_buffer {
	__s32 buffer; /* a dma-buf */
	__s32 in_fence; /* a sync_file; -1: ready */
	__u32 offset; /* of the first row, bytes */
	__u32 stride; /* from row to row, bytes */
	__u32 format;
	__u32 flags;
	__u64 frame; /* out: the frame's number, from 1 on */
	__s32 out_fence; /* out: an O_CLOEXEC sync_file of the caller */
	__u32 pad; /* 0, else EINVAL */
};

struct krafla_display_info {
	__u32 width; /* 0: off */
	__u32 height;
	__u32 refresh_hz;
	__u32 format; /* of the pixels on the screen; 0: it is blank */
	__u64 frame; /* whose pixels they are; 0: it is blank */
	__u64 vsyncs; /* since the module was loaded */
	__u64 vsync_ns; /* when the last one was, CLOCK_MONOTONIC */
	__u32 queued;
	__u32 ready_ms; /* a queued frame fails when it isn't ready by then */
	__u32 hold_ms; /* a buffer is let go when it was on the screen for that long */
	__u32 pad;
};

enum krafla_display_event {
	KRAFLA_DISPLAY_SHOWN = 1, /* checksum: CRC-32 (IEEE) of its rows */
	KRAFLA_DISPLAY_RELEASED, /* the buffer isn't read any more */
	KRAFLA_DISPLAY_SKIPPED,
	KRAFLA_DISPLAY_FAILED, /* error: what the out-fence failed with */
	KRAFLA_DISPLAY_BLANK, /* frame 0 */
};

/*
 * What happened: the record `number`, or the first after it that is kept still (the last 256 are).
 * ENODATA: it hasn't happened yet.
 */
struct krafla_display_record {
	__u64 number; /* in and out; from 1 on */
	__u64 frame;
	__u64 vsync; /* the count of vsyncs */
	__u64 vsync_ns;
	__u32 event;
	__s32 error;
	__u32 checksum;
	__u32 pad;
};

#define KRAFLA_DISPLAY_IOC_SET_MODE _IOW('K', 16, struct krafla_display_mode)
#define KRAFLA_DISPLAY_IOC_DISPLAY  _IOWR('K', 17, struct krafla_display_buffer)
#define KRAFLA_DISPLAY_IOC_INFO     _IOR('K', 18, struct krafla_display_info)
#define KRAFLA_DISPLAY_IOC_RECORD   _IOWR('K', 19, struct krafla_display_record)

#endif
