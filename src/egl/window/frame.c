/* SPDX-License-Identifier: Apache-2.0 */
#include "egl/window/frame.h"

#include <errno.h>
#include <string.h>

#include "egl/vendor/report.h"
#include "gralloc/buffer.h"
#include "gralloc/copies.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/frame.h"
#include "window/window.h"

/* Sums of two and a height fit. */
#define FARTHEST (1 << 28)

/* Rectangles of EGL have their origin at the bottom left, those of windows here at the top. */
static int
set_damage(struct kr_egl_surface *surface, const EGLint *rectangles, EGLint count)
{
	const EGLint height = kr_egl_surface_back(surface)->height;
	ANativeWindow *window = surface->window;
	android_native_rect_t rects[KR_FRAME_MAX_DAMAGE];

	if (count > KR_FRAME_MAX_DAMAGE)
		count = 0;
	/* What is that far away, or negative, a program hardly means. */
	for (EGLint i = 0; i < 4 * count; i++) {
		if (rectangles[i] < -FARTHEST || rectangles[i] > FARTHEST)
			count = 0;
	}
	for (EGLint i = 0; i < count; i++) {
		const EGLint *r = rectangles + 4 * i;

		rects[i] = (android_native_rect_t){
			.left = r[0],
			.top = height - r[1] - r[3],
			.right = r[0] + r[2],
			.bottom = height - r[1],
		};
	}
	return window->perform(
		window, NATIVE_WINDOW_SET_SURFACE_DAMAGE, count ? rects : NULL, (size_t)count);
}

/* Nothing that comes from the far end is trusted to be what was asked for. */
static int
check_buffer(struct kr_egl_surface *surface, const ANativeWindowBuffer *buffer)
{
	const struct kr_egl_pbuffer *back = kr_egl_surface_back(surface);

	if (!kr_buffer_functions_of(buffer)) {
		kr_error("eglSwapBuffers: the window's buffers aren't Krafla's");
		return -EINVAL;
	}
	if (buffer->width == back->width && buffer->height == back->height &&
		buffer->stride >= back->width && buffer->format == (int)surface->format->hal)
		return 0;
	kr_error(
		"eglSwapBuffers: the window gave a buffer of %dx%d, format 0x%x, where %dx%d, format 0x%x, was asked for",
		buffer->width, buffer->height, (unsigned)buffer->format, back->width, back->height,
		surface->format->hal);
	return -EINVAL;
}

/* Windows of others don't know the question: somebody does. */
static bool
is_unseen(ANativeWindow *window)
{
	bool wanted = true;

	return !window->perform(window, KR_WINDOW_NEXT_WANTED, &wanted) && !wanted &&
		!window->perform(window, KR_WINDOW_NO_PIXELS);
}

static void
begin_timing(struct kr_egl_frame *frame)
{
	struct kr_egl_surface *surface = frame->surface;

	frame->unseen = is_unseen(surface->window);
	kr_mutex_lock(&surface->windows->lock);
	frame->times = kr_egl_timing_begin(&surface->timing, surface->window);
	kr_mutex_unlock(&surface->windows->lock);
}

/* The copier is idle, and the buffer dequeued. */
static void
begin_damage(struct kr_egl_frame *frame, const EGLint *rectangles, EGLint count)
{
	const struct kr_egl_pbuffer *back = kr_egl_surface_back(frame->surface);
	ANativeWindow *window = frame->surface->window;
	struct kr_egl_damage_frame now = {
		.width = back->width,
		.height = back->height,
		.rows = kr_egl_damage_rows(rectangles, count, back->height),
	};
	struct kr_egl_damage_frame *kept;
	int age = 0;

	if (window->perform(window, NATIVE_WINDOW_GET_NEXT_FRAME_ID, &now.number))
		now.number = 0;
	if (window->query(window, NATIVE_WINDOW_BUFFER_AGE, &age))
		age = 0;
	frame->rows = kr_egl_damage_begin(&frame->surface->damage, &now, age, &kept);
	frame->copied = &kept->copied;
}

EGLint
kr_egl_frame_begin(struct kr_egl_frame *frame, const EGLint *rectangles, EGLint count)
{
	const struct kr_egl_pbuffer *back = kr_egl_surface_back(frame->surface);
	ANativeWindow *window = frame->surface->window;
	int err = set_damage(frame->surface, rectangles, count);

	if (!err)
		err = window->perform(
			window, NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS, back->width, back->height);
	/* ANativeWindow_setBuffersGeometry, by which programs resize, sets it, too. */
	if (!err)
		err = window->perform(
			window, NATIVE_WINDOW_SET_BUFFERS_FORMAT, (int)frame->surface->format->hal);
	if (!err)
		err = window->dequeueBuffer(window, &frame->buffer, &frame->acquire);
	if (err) {
		kr_error("eglSwapBuffers: the window gives no buffer (%s)", strerror(-err));
		return kr_egl_window_error(err);
	}
	err = check_buffer(frame->surface, frame->buffer);
	if (err) {
		kr_egl_frame_cancel(frame);
		return kr_egl_window_error(err);
	}
	begin_timing(frame);
	begin_damage(frame, rectangles, count);
	return EGL_SUCCESS;
}

/* It has no number, and no time. */
static void
forget_times(struct kr_egl_frame *frame)
{
	kr_mutex_lock(&frame->surface->windows->lock);
	if (frame->times)
		frame->times->number = 0;
	kr_egl_timing_cancel(&frame->surface->timing, frame->surface->window);
	kr_mutex_unlock(&frame->surface->windows->lock);
}

static void
end_timing(struct kr_egl_surface *surface)
{
	kr_mutex_lock(&surface->windows->lock);
	kr_egl_timing_end(&surface->timing, surface->window);
	kr_mutex_unlock(&surface->windows->lock);
}

void
kr_egl_frame_cancel(struct kr_egl_frame *frame)
{
	ANativeWindow *window = frame->surface->window;

	window->cancelBuffer(window, frame->buffer, frame->acquire);
	frame->acquire = -1;
	forget_times(frame);
}

static void
count_copy(const struct kr_egl_copy *copy, const struct kr_egl_format *format)
{
	const int64_t rows = copy->rows.bottom - copy->rows.top;
	const int64_t pixels = copy->width * rows;

	if (copy->unseen)
		return;
	kr_egl_count(KR_EGL_COPIES, 1);
	kr_egl_count(KR_EGL_COPIED_BYTES, pixels * format->pixel_bytes);
}

/* The copier has it from now on. */
static void
give(struct kr_egl_frame *frame, const struct kr_egl_pbuffer *pbuffer, int take_producer)
{
	const struct kr_egl_copy copy = {
		.pbuffer = pbuffer->handle,
		.width = pbuffer->width,
		.height = pbuffer->height,
		.take_drawn = frame->drawn,
		.take_buffer = frame->buffer,
		.take_acquire = frame->acquire,
		.take_producer = take_producer,
		.drawn_ns = frame->times ? &frame->times->drawn_ns : NULL,
		.unseen = frame->unseen,
		.rows = frame->rows,
		.copied = frame->copied,
	};

	kr_buffer_any_ref(frame->buffer);
	count_copy(&copy, frame->surface->format);
	kr_egl_copier_give(&frame->surface->copier, &copy);
	frame->drawn = EGL_NO_SYNC;
	frame->acquire = -1;
}

static EGLint
queue(struct kr_egl_frame *frame, int take_fence)
{
	ANativeWindow *window = frame->surface->window;
	int err;

	/* Before: it may be the one that a display ends the program with. */
	kr_egl_count(KR_EGL_FRAMES, 1);
	kr_egl_count_report();
	err = window->queueBuffer(window, frame->buffer, take_fence);
	if (err) {
		kr_error("eglSwapBuffers: the window doesn't take the frame (%s)", strerror(-err));
		kr_egl_count(KR_EGL_FRAMES, -1);
		forget_times(frame);
	} else {
		end_timing(frame->surface);
	}
	return kr_egl_window_error(err);
}

EGLint
kr_egl_frame_deliver_done(struct kr_egl_frame *frame, const struct kr_egl_pbuffer *pbuffer)
{
	struct kr_fence_watchdog late = {0};
	EGLint error;

	if (kr_fence_wait_watched(frame->acquire, kr_deadline_in(KR_EGL_RELEASE_LIMIT_NS), &late,
		    "eglSwapBuffers: a window's buffer") == -ETIME) {
		kr_egl_frame_cancel(frame);
		return EGL_BAD_NATIVE_WINDOW;
	}
	kr_fd_close(&frame->acquire);
	give(frame, pbuffer, -1);
	error = kr_egl_copier_wait(&frame->surface->copier);
	if (error == EGL_SUCCESS)
		return queue(frame, -1);
	kr_egl_frame_cancel(frame);
	return error;
}

EGLint
kr_egl_frame_deliver(struct kr_egl_frame *frame, const struct kr_egl_pbuffer *pbuffer)
{
	const struct kr_fence_label label = {.timeline = "egl", .name = "eglSwapBuffers"};
	int producer, fence;
	EGLint error;

	if (kr_fence_create(&label, &producer, &fence))
		return kr_egl_frame_deliver_done(frame, pbuffer);
	error = queue(frame, fence);
	if (error == EGL_SUCCESS)
		give(frame, pbuffer, producer);
	else
		kr_fd_close(&producer);
	return error;
}

void
kr_egl_frame_finish(struct kr_egl_frame *frame)
{
	struct kr_egl_display *display = frame->surface->windows->display;

	kr_fd_close(&frame->acquire);
	if (frame->drawn != EGL_NO_SYNC)
		display->vendor->egl.DestroySync(display->handle, frame->drawn);
}
