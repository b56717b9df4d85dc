// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A frame's way: made from descriptors, waiting for fences and for the buffer, and given back.
 *
 * A merged in-fence is taken apart, and each of its fences waited for: the whole is to fail as soon
 * as one does (S-03), while the kernel's array of fences tells of an error only when all have
 * ended, and a chain never does.
 *
 * What may sleep or take memory runs in the frame's own work, not in the vsync's, which ends
 * fences: dma_buf_begin_cpu_access waits for the fences that the dma-buf carries, however
 * long they take. When it takes too long the vsync gives the frame up, and the work finds it
 * done when it comes back.
 *
 * The work is queued by callbacks of fences, and by whoever makes the frame DONE, under the
 * display's lock. When it sees DONE it takes the callbacks away and queues itself once more; when
 * that runs nobody is left who could queue it, and it gives everything back.
 */
#include <linux/dma-fence-unwrap.h>
#include <linux/dma-resv.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sync_file.h>

#include "display.h"

static struct workqueue_struct *frame_queue;

int krafla_frames_init(void)
{
	frame_queue = alloc_workqueue("krafla_frames", WQ_UNBOUND, 0);
	return frame_queue ? 0 : -ENOMEM;
}

void krafla_frames_exit(void)
{
	destroy_workqueue(frame_queue);
}

static int map_buffer(struct dma_buf *buffer, struct iosys_map *map)
{
#ifdef KRAFLA_HAS_VMAP_UNLOCKED
	int err = dma_buf_vmap_unlocked(buffer, map);
#else
	int err = dma_buf_vmap(buffer, map);
#endif
	/* What it says when the buffer's driver has no such function. */
	return err == -EINVAL ? -EOPNOTSUPP : err;
}

static void unmap_buffer(struct dma_buf *buffer, struct iosys_map *map)
{
#ifdef KRAFLA_HAS_VMAP_UNLOCKED
	dma_buf_vunmap_unlocked(buffer, map);
#else
	dma_buf_vunmap(buffer, map);
#endif
}

static bool is_known(u32 format)
{
	return format == KRAFLA_DISPLAY_XRGB8888 || format == KRAFLA_DISPLAY_ARGB8888 ||
	       format == KRAFLA_DISPLAY_XBGR8888 || format == KRAFLA_DISPLAY_ABGR8888;
}

static bool fits(const struct krafla_display_mode *mode, const struct krafla_display_buffer *args,
		 size_t size)
{
	size_t end;

	if (args->stride < krafla_mode_row(mode) || args->stride % 4 || args->offset % 4)
		return false;
	return !check_mul_overflow((size_t)args->stride, (size_t)mode->height - 1, &end) &&
	       !check_add_overflow(end, (size_t)args->offset, &end) &&
	       !check_add_overflow(end, krafla_mode_row(mode), &end) && end <= size;
}

/* The fence that a descriptor names, with a reference; NULL for -1. */
static int get_in_fence(int fd, struct dma_fence **fence)
{
	struct file *file;

	*fence = NULL;
	if (fd == -1)
		return 0;
	file = fget(fd);
	if (!file)
		return -EBADF;
	fput(file);
	*fence = sync_file_get_fence(fd);
	return *fence ? 0 : -EINVAL;
}

static unsigned int count_parts(struct dma_fence *fence)
{
	struct dma_fence_unwrap cursor;
	struct dma_fence *part;
	unsigned int count = 0;

	dma_fence_unwrap_for_each(part, &cursor, fence)
		count++;
	return count;
}

/* A chain may have become shorter since its parts were counted, not longer. */
static void add_waits(struct krafla_frame *frame, struct dma_fence *fence, unsigned int room)
{
	struct dma_fence_unwrap cursor;
	struct dma_fence *part;

	dma_fence_unwrap_for_each(part, &cursor, fence) {
		struct krafla_wait *wait = &frame->waits[frame->wait_count];

		if (!room)
			continue; /* The loop puts what it holds only by going on. */
		room--;
		wait->frame = frame;
		wait->fence = dma_fence_get(part);
		frame->wait_count++;
	}
}

/* Takes the fence apart, and another that the buffer carries. */
static int collect_waits(struct krafla_frame *frame, struct dma_fence *in,
			 struct dma_fence *carried)
{
	unsigned int in_count = in ? count_parts(in) : 0;
	unsigned int carried_count = carried ? count_parts(carried) : 0;

	frame->waits = kvcalloc(in_count + carried_count, sizeof(*frame->waits), GFP_KERNEL);
	if (!frame->waits && in_count + carried_count)
		return -ENOMEM;
	if (in)
		add_waits(frame, in, in_count);
	if (carried)
		add_waits(frame, carried, carried_count);
	return 0;
}

static int set_up_waits(struct krafla_frame *frame, const struct krafla_display_buffer *args)
{
	struct dma_fence *in, *carried = NULL;
	int err = get_in_fence(args->in_fence, &in);

	if (!err && args->flags & KRAFLA_DISPLAY_WAIT_FOR_BUFFER)
		err = dma_resv_get_singleton(frame->buffer->resv, DMA_RESV_USAGE_WRITE, &carried);
	if (!err)
		err = collect_waits(frame, in, carried);
	dma_fence_put(carried);
	dma_fence_put(in);
	return err;
}

static void put_waits(struct krafla_frame *frame)
{
	while (frame->wait_count)
		dma_fence_put(frame->waits[--frame->wait_count].fence);
	kvfree(frame->waits);
}

static int open_buffer(struct krafla_frame *frame, const struct krafla_display_buffer *args)
{
	int err;

	frame->buffer = dma_buf_get(args->buffer);
	if (IS_ERR(frame->buffer))
		return PTR_ERR(frame->buffer);
	err = fits(&frame->display->mode, args, frame->buffer->size)
		      ? map_buffer(frame->buffer, &frame->map)
		      : -EINVAL;
	if (err)
		dma_buf_put(frame->buffer);
	return err;
}

static void close_buffer(struct krafla_frame *frame)
{
	if (frame->reading)
		dma_buf_end_cpu_access(frame->buffer, DMA_FROM_DEVICE);
	unmap_buffer(frame->buffer, &frame->map);
	dma_buf_put(frame->buffer);
	atomic_dec(&frame->display->unfinished);
}

static bool was_detached(struct krafla_frame *frame)
{
	unsigned int i;

	if (frame->detached)
		return true;
	for (i = 0; i < frame->wait_count; i++)
		dma_fence_remove_callback(frame->waits[i].fence, &frame->waits[i].cb);
	frame->detached = true;
	return false;
}

static int error_of_waits(struct krafla_frame *frame)
{
	unsigned int i;

	for (i = 0; i < frame->wait_count; i++) {
		int status = dma_fence_get_status(frame->waits[i].fence);

		if (status < 0)
			return status;
	}
	return 0;
}

/* Its fences have ended, or one has failed. */
static void get_ready(struct krafla_frame *frame)
{
	int err = error_of_waits(frame);

	if (!err && atomic_read(&frame->pending))
		return;
	if (!err) {
		err = dma_buf_begin_cpu_access(frame->buffer, DMA_FROM_DEVICE);
		frame->reading = !err;
	}
	mutex_lock(&frame->display->lock);
	if (frame->state == KRAFLA_FRAME_WAITING) {
		frame->state = err ? KRAFLA_FRAME_FAILED : KRAFLA_FRAME_READY;
		frame->error = err;
	}
	mutex_unlock(&frame->display->lock);
}

static void frame_work(struct work_struct *work)
{
	struct krafla_frame *frame = container_of(work, struct krafla_frame, work);
	enum krafla_frame_state state;

	mutex_lock(&frame->display->lock);
	state = frame->state;
	mutex_unlock(&frame->display->lock);
	if (state == KRAFLA_FRAME_WAITING) {
		get_ready(frame);
	} else if (state == KRAFLA_FRAME_DONE && !was_detached(frame)) {
		queue_work(frame_queue, &frame->work);
	} else if (state == KRAFLA_FRAME_DONE) {
		close_buffer(frame);
		put_waits(frame);
		dma_fence_put(&frame->fence);
	}
}

/* In any context, under the lock of the fence that ended. */
static void wait_ended(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct krafla_frame *frame = container_of(cb, struct krafla_wait, cb)->frame;

	if (atomic_dec_and_test(&frame->pending) || fence->error)
		queue_work(frame_queue, &frame->work);
}

struct krafla_frame *krafla_frame_create(struct krafla_display *display,
					 const struct krafla_display_buffer *args)
{
	struct krafla_frame *frame;
	int err;

	if (!is_known(args->format) || args->flags & ~KRAFLA_DISPLAY_WAIT_FOR_BUFFER || args->pad)
		return ERR_PTR(-EINVAL);
	frame = kzalloc(sizeof(*frame), GFP_KERNEL_ACCOUNT);
	if (!frame)
		return ERR_PTR(-ENOMEM);
	frame->display = display;
	frame->offset = args->offset;
	frame->stride = args->stride;
	frame->format = args->format;
	INIT_WORK(&frame->work, frame_work);
	atomic_set(&frame->pending, 1);
	err = open_buffer(frame, args);
	if (err)
		goto err_free;
	atomic_inc(&display->unfinished);
	err = set_up_waits(frame, args);
	if (err)
		goto err_buffer;
	krafla_frame_fence_init(frame, display->frames + 1);
	return frame;

err_buffer:
	close_buffer(frame);
err_free:
	kfree(frame);
	return ERR_PTR(err);
}

void krafla_frame_destroy(struct krafla_frame *frame)
{
	close_buffer(frame);
	put_waits(frame);
	dma_fence_put(&frame->fence);
}

/*
 * The callbacks come before the queue: once it is there a vsync may end the frame and
 * take them away.
 */
void krafla_frame_queue(struct krafla_frame *frame)
{
	struct krafla_display *display = frame->display;
	unsigned int i;
	bool failed;

	for (i = 0; i < frame->wait_count; i++) {
		struct krafla_wait *wait = &frame->waits[i];

		atomic_inc(&frame->pending);
		if (dma_fence_add_callback(wait->fence, &wait->cb, wait_ended))
			atomic_dec(&frame->pending); /* It has ended already. */
	}
	failed = error_of_waits(frame);
	frame->deadline = ktime_add_ms(ktime_get(), krafla_ready_ms());
	mutex_lock(&display->lock);
	list_add_tail(&frame->link, &display->queue);
	display->queued++;
	display->frames = frame->fence.seqno;
	/* Under the lock, since once it is released the frame may end. */
	if (atomic_dec_and_test(&frame->pending) || failed)
		queue_work(frame_queue, &frame->work);
	mutex_unlock(&display->lock);
}

void krafla_frame_end_locked(struct krafla_frame *frame, enum krafla_display_event event, int error)
{
	lockdep_assert_held(&frame->display->lock);
	frame->state = KRAFLA_FRAME_DONE;
	if (error)
		dma_fence_set_error(&frame->fence, error);
	dma_fence_signal(&frame->fence);
	krafla_record_locked(frame->display, event, frame->fence.seqno, error, 0);
	queue_work(frame_queue, &frame->work);
}
