/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The screen, its owner and the frames on their way to it.
 *
 * 	ioctl -> queue (waits for fences, then for the buffer) -> vsync -> on the screen -> released
 * 	         frame.c                                          show.c
 *
 * Order. Out-fences are one timeline: a frame's fence ends after those of all frames before it. A
 * frame that has failed while an earlier buffer is still on the screen therefore makes the display
 * let go of that buffer, and show its own copy of it on (show.c).
 *
 * Bounded time. Whatever programs do, a frame ends: by ready_ms after it was queued it is shown,
 * skipped or failed (all before it have reached their limits by then, too), and hold_ms later the
 * display lets go of the buffer even when no other frame came. The path to that is the vsync timer,
 * its work and `lock` alone.
 *
 * Locks. `submit_lock` (outer) makes submissions and modes one after the other; it is held while
 * copying from programs and taking memory. `lock` is taken in the path that ends fences: nothing
 * allocates, faults, waits for a fence or touches a reservation while holding it. The fence lock of
 * a frame is taken under it.
 */
#ifndef KRAFLA_DISPLAY_H
#define KRAFLA_DISPLAY_H

#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/iosys-map.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../uapi/krafla_display.h"

#define RECORD_COUNT 256

enum krafla_frame_state {
	KRAFLA_FRAME_WAITING, /* for its fences or for the buffer */
	KRAFLA_FRAME_READY, /* may be read: queued or on the screen */
	KRAFLA_FRAME_FAILED, /* its fence fails in its turn */
	KRAFLA_FRAME_DONE, /* its fence has ended; what it holds is given back */
};

/* One fence that a frame waits for. */
struct krafla_wait {
	struct krafla_frame *frame;
	struct dma_fence *fence; /* a reference */
	struct dma_fence_cb cb;
};

struct krafla_frame {
	struct dma_fence fence; /* the out-fence; seqno: the frame's number */
	spinlock_t fence_lock;
	struct krafla_display *display;

	/* By the display's lock. */
	struct list_head link; /* krafla_display.queue */
	enum krafla_frame_state state;
	int error;

	ktime_t deadline; /* to be ready */
	ktime_t shown;
	u32 offset, stride, format;
	struct dma_buf *buffer;
	struct iosys_map map;

	struct krafla_wait *waits;
	unsigned int wait_count;
	atomic_t pending; /* waits that haven't ended, and one until all are set up */

	struct work_struct work; /* never runs twice at once; what follows is its own */
	bool reading; /* between begin_cpu_access and end_cpu_access */
	bool detached; /* no callback can queue the work any more */
};

struct krafla_display {
	struct mutex submit_lock;
	struct file *owner; /* written under both locks */

	struct mutex lock;
	struct krafla_display_mode mode;
	u64 context;
	u64 frames; /* the number of the newest */
	struct list_head queue; /* krafla_frame.link, in order */
	unsigned int queued;
	struct krafla_frame *on_screen; /* whose buffer is read at each vsync */
	u64 shown_frame; /* whose pixels the screen has; 0: blank */
	u32 shown_format;
	u8 *screen;
	size_t screen_size;
	u64 record_count;
	struct krafla_display_record records[RECORD_COUNT];

	atomic_t unfinished; /* frames that still hold a buffer */

	struct hrtimer timer;
	struct work_struct vsync;
	spinlock_t vsync_lock;
	ktime_t period;
	ktime_t vsync_time;
	u64 vsync_count;
};

/* fence.c: the out-fences. */

/* The frame's fence begins, as number `number` of the timeline; its reference is the caller's. */
void krafla_frame_fence_init(struct krafla_frame *frame, u64 number);

/* frame.c: frames as they come and go. */

int krafla_frames_init(void);
void krafla_frames_exit(void);

/*
 * A frame of the buffer and the fences that the arguments name, with a reference that is the
 * caller's until krafla_frame_queue. Under submit_lock, with a mode set.
 */
struct krafla_frame *krafla_frame_create(struct krafla_display *display,
					 const struct krafla_display_buffer *args);
/* Gives up a frame that wasn't queued. */
void krafla_frame_destroy(struct krafla_frame *frame);
/* Lets it wait for its fences; it ends by itself from here on. Under submit_lock. */
void krafla_frame_queue(struct krafla_frame *frame);
/* Ends it and its fence, with `error` if that is negative; it is in no list any more. */
void krafla_frame_end_locked(struct krafla_frame *frame, enum krafla_display_event event,
			     int error);

/* show.c: the screen. */

int krafla_show_init(struct krafla_display *display);
void krafla_show_exit(struct krafla_display *display);

/*
 * Ends what is queued with `error`, makes the screen blank, and sets the mode; takes `take_screen`,
 * zeroed memory for it, NULL when it is to be off. Under submit_lock.
 */
void krafla_show_mode(struct krafla_display *display, const struct krafla_display_mode *mode,
		      u8 *take_screen, int error);
/* Pixels of the screen, all of one moment; how many bytes there were from `position` on. */
size_t krafla_show_copy(struct krafla_display *display, u8 *data, u64 position, size_t size);

unsigned int krafla_ready_ms(void);
unsigned int krafla_hold_ms(void);

/* records.c: what happened. */

void krafla_record_locked(struct krafla_display *display, enum krafla_display_event event,
			  u64 frame, int error, u32 checksum);
/* The first record from `record->number` on; -ENODATA. */
int krafla_record_get(struct krafla_display *display, struct krafla_display_record *record);

static inline size_t krafla_mode_row(const struct krafla_display_mode *mode)
{
	return (size_t)mode->width * 4;
}

#endif
