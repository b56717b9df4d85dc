// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The screen: a timer beats as vsync, its work decides what is shown and reads the buffer.
 *
 * The buffer on the screen is read again at each vsync, as hardware does: who writes into it before
 * its out-fence has ended sees that on the screen.
 *
 * An out-fence may not wait for what a program will do, such as queueing another frame. So a buffer
 * is held for hold_ms at most; then the screen goes on with what was read last, as a panel that
 * refreshes itself does, and the buffer is free. The same is done when a later frame has failed,
 * whose fence has to end behind this one's.
 */
#include <linux/crc32.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "display.h"

#define MAX_LIMIT_MS 60000u

static unsigned int ready_ms = 5000;
module_param(ready_ms, uint, 0644);
MODULE_PARM_DESC(ready_ms, "How long a frame may wait for its fences (1 to 60000)");

static unsigned int hold_ms = 1000;
module_param(hold_ms, uint, 0644);
MODULE_PARM_DESC(hold_ms, "How long a buffer is held on the screen without another (1 to 60000)");

static struct workqueue_struct *vsync_queue;

unsigned int krafla_ready_ms(void)
{
	return clamp(READ_ONCE(ready_ms), 1u, MAX_LIMIT_MS);
}

unsigned int krafla_hold_ms(void)
{
	return clamp(READ_ONCE(hold_ms), 1u, MAX_LIMIT_MS);
}

static void read_buffer(struct krafla_display *display, struct krafla_frame *frame)
{
	size_t row = krafla_mode_row(&display->mode);
	u32 y;

	for (y = 0; y < display->mode.height; y++)
		iosys_map_memcpy_from(display->screen + y * row, &frame->map,
				      frame->offset + (size_t)y * frame->stride, row);
}

static void release_on_screen(struct krafla_display *display)
{
	struct krafla_frame *frame = display->on_screen;

	display->on_screen = NULL;
	if (frame)
		krafla_frame_end_locked(frame, KRAFLA_DISPLAY_RELEASED, 0);
}

static struct krafla_frame *first_queued(struct krafla_display *display)
{
	return list_first_entry_or_null(&display->queue, struct krafla_frame, link);
}

static void unqueue(struct krafla_display *display, struct krafla_frame *frame)
{
	list_del(&frame->link);
	display->queued--;
}

/* The newest frame that may be shown; what has run out of time has failed. */
static struct krafla_frame *newest_ready(struct krafla_display *display)
{
	struct krafla_frame *frame, *newest = NULL;
	ktime_t now = ktime_get();

	list_for_each_entry(frame, &display->queue, link) {
		if (frame->state == KRAFLA_FRAME_WAITING &&
		    ktime_compare(frame->deadline, now) <= 0) {
			frame->state = KRAFLA_FRAME_FAILED;
			frame->error = -ETIMEDOUT;
		}
		if (frame->state == KRAFLA_FRAME_WAITING)
			break;
		if (frame->state == KRAFLA_FRAME_READY)
			newest = frame;
	}
	return newest;
}

/* Ends the frames before `newest`; without one, those that have failed. In order. */
static void end_overtaken(struct krafla_display *display, struct krafla_frame *newest)
{
	struct krafla_frame *frame;

	while ((frame = first_queued(display)) && frame != newest) {
		if (!newest && frame->state != KRAFLA_FRAME_FAILED)
			break;
		unqueue(display, frame);
		if (frame->state == KRAFLA_FRAME_FAILED)
			krafla_frame_end_locked(frame, KRAFLA_DISPLAY_FAILED, frame->error);
		else
			krafla_frame_end_locked(frame, KRAFLA_DISPLAY_SKIPPED, 0);
	}
}

static void put_on_screen(struct krafla_display *display, struct krafla_frame *frame)
{
	unqueue(display, frame);
	frame->shown = ktime_get();
	display->on_screen = frame;
	WRITE_ONCE(display->shown_frame, frame->fence.seqno);
	display->shown_format = frame->format;
	krafla_record_locked(display, KRAFLA_DISPLAY_SHOWN, frame->fence.seqno, 0,
			     ~crc32_le(~0, display->screen, display->screen_size));
}

static bool held_long(struct krafla_frame *frame)
{
	return ktime_ms_delta(ktime_get(), frame->shown) >= krafla_hold_ms();
}

static void refresh_locked(struct krafla_display *display)
{
	struct krafla_frame *newest = newest_ready(display);
	struct krafla_frame *first = first_queued(display);
	bool failed = first && first->state == KRAFLA_FRAME_FAILED;

	if (newest)
		read_buffer(display, newest);
	else if (display->on_screen)
		read_buffer(display, display->on_screen);
	if (display->on_screen && (newest || failed || held_long(display->on_screen)))
		release_on_screen(display);
	end_overtaken(display, newest);
	if (newest)
		put_on_screen(display, newest);
}

static void vsync_work(struct work_struct *work)
{
	struct krafla_display *display = container_of(work, struct krafla_display, vsync);
	bool cookie = dma_fence_begin_signalling();

	mutex_lock(&display->lock);
	if (display->screen)
		refresh_locked(display);
	mutex_unlock(&display->lock);
	dma_fence_end_signalling(cookie);
}

/* In interrupt context: nothing is read here. Vsyncs that the work is too slow for are missed. */
static enum hrtimer_restart vsync(struct hrtimer *timer)
{
	struct krafla_display *display = container_of(timer, struct krafla_display, timer);
	unsigned long flags;

	spin_lock_irqsave(&display->vsync_lock, flags);
	display->vsync_count += hrtimer_forward_now(timer, display->period);
	display->vsync_time = ktime_sub(hrtimer_get_expires(timer), display->period);
	spin_unlock_irqrestore(&display->vsync_lock, flags);
	queue_work(vsync_queue, &display->vsync);
	return HRTIMER_RESTART;
}

int krafla_show_init(struct krafla_display *display)
{
	/* Fences end by it: memory may be waited for behind them, so a thread must be there. */
	vsync_queue = alloc_ordered_workqueue("krafla_vsync", WQ_MEM_RECLAIM | WQ_HIGHPRI);
	if (!vsync_queue)
		return -ENOMEM;
	spin_lock_init(&display->vsync_lock);
	INIT_WORK(&display->vsync, vsync_work);
#ifdef KRAFLA_HAS_HRTIMER_SETUP
	hrtimer_setup(&display->timer, vsync, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
	hrtimer_init(&display->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	display->timer.function = vsync;
#endif
	return 0;
}

void krafla_show_exit(struct krafla_display *display)
{
	hrtimer_cancel(&display->timer);
	destroy_workqueue(vsync_queue);
}

static void blank_locked(struct krafla_display *display, int error)
{
	struct krafla_frame *frame;

	release_on_screen(display);
	while ((frame = first_queued(display))) {
		unqueue(display, frame);
		krafla_frame_end_locked(frame, KRAFLA_DISPLAY_FAILED, error);
	}
	WRITE_ONCE(display->shown_frame, 0);
	display->shown_format = 0;
	krafla_record_locked(display, KRAFLA_DISPLAY_BLANK, 0, 0, 0);
}

void krafla_show_mode(struct krafla_display *display, const struct krafla_display_mode *mode,
		      u8 *take_screen, int error)
{
	u8 *old;

	hrtimer_cancel(&display->timer);
	mutex_lock(&display->lock);
	blank_locked(display, error);
	old = display->screen;
	display->mode = *mode;
	display->screen = take_screen;
	display->screen_size = take_screen ? krafla_mode_row(mode) * mode->height : 0;
	mutex_unlock(&display->lock);
	vfree(old);
	if (!take_screen)
		return;
	display->period = ns_to_ktime(NSEC_PER_SEC / mode->refresh_hz);
	hrtimer_start(&display->timer, display->period, HRTIMER_MODE_REL);
}

size_t krafla_show_copy(struct krafla_display *display, u8 *data, u64 position, size_t size)
{
	mutex_lock(&display->lock);
	if (position >= display->screen_size)
		size = 0;
	size = min_t(u64, size, display->screen_size - position);
	if (size)
		memcpy(data, display->screen + position, size);
	mutex_unlock(&display->lock);
	return size;
}
