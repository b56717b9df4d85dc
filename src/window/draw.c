/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that are drawn by the CPU: ANativeWindow_lock and _unlockAndPost. A buffer that comes from
 * the queue lacks what the frames since it was last shown have drawn; of that, what isn't about to
 * be drawn anew is copied from the frame before.
 */
#include <errno.h>
#include <string.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/log.h"
#include "window/state.h"

#define CPU_USAGE (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)
/* For what devices do to a dma-buf; the buffer's own fence has the dequeue's time. */
#define ACCESS_NS (3 * KR_NSEC_PER_SEC)

/* -ENOSYS, somebody is; as Android has it. */
static int
become_busy(struct kr_window *window, bool with_frame)
{
	struct kr_window_draw *draw = &window->draw;
	bool can;

	kr_mutex_lock(&window->lock);
	can = !draw->busy && !draw->locked == !with_frame;
	draw->busy |= can;
	kr_mutex_unlock(&window->lock);
	return can ? 0 : -ENOSYS;
}

static void
be_idle(struct kr_window *window)
{
	kr_mutex_lock(&window->lock);
	window->draw.busy = false;
	kr_mutex_unlock(&window->lock);
}

/* Unless somebody is connected for it. */
static int
connect_cpu(struct kr_window *window)
{
	ANativeWindow *base = &window->base;
	int api, err;

	kr_mutex_lock(&window->lock);
	api = window->state.api;
	kr_mutex_unlock(&window->lock);
	if (api == NATIVE_WINDOW_API_CPU)
		return 0;
	err = kr_window_perform_past(base, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU);
	return err ? err
		   : kr_window_perform_past(base, NATIVE_WINDOW_SET_USAGE64, (uint64_t)CPU_USAGE);
}

static ARect
whole(const struct kr_buffer *buffer)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(buffer)->desc;

	return (ARect){0, 0, (int32_t)desc->width, (int32_t)desc->height};
}

static bool
is_empty(const ARect *rect)
{
	return rect->left >= rect->right || rect->top >= rect->bottom;
}

static ARect
intersect(const ARect *a, const ARect *b)
{
	ARect both = {KR_MAX(a->left, b->left), KR_MAX(a->top, b->top), KR_MIN(a->right, b->right),
		KR_MIN(a->bottom, b->bottom)};

	return is_empty(&both) ? (ARect){0} : both;
}

static ARect
unite(const ARect *a, const ARect *b)
{
	if (is_empty(a))
		return *b;
	if (is_empty(b))
		return *a;
	return (ARect){KR_MIN(a->left, b->left), KR_MIN(a->top, b->top), KR_MAX(a->right, b->right),
		KR_MAX(a->bottom, b->bottom)};
}

/* Whether the frame before was drawn here, into a buffer like this one. */
static bool
follows_posted(const struct kr_window *window, const struct kr_buffer *buffer)
{
	const struct kr_buffer_desc *is = &kr_buffer_get_info(buffer)->desc, *was;
	const struct kr_window_draw *draw = &window->draw;

	if (!draw->posted || kr_queue_next_frame(window->queue) != draw->next_frame)
		return false;
	was = &kr_buffer_get_info(draw->posted)->desc;
	return is->width == was->width && is->height == was->height && is->format == was->format;
}

/* What a buffer of that age hasn't of the frame before. An age of 1 is that frame's own. */
static ARect
lacks(const struct kr_window_draw *draw, const struct kr_buffer *buffer, uint32_t age)
{
	ARect missing = {0};

	if (!age || age > draw->count)
		return whole(buffer);
	for (uint32_t i = 1; i < age; i++)
		missing = unite(&missing, &draw->drawn[(draw->next - i) % KR_WINDOW_DRAWN]);
	return missing;
}

static void
unlock(struct kr_buffer *buffer)
{
	int err = kr_buffer_unlock(buffer);

	if (err)
		kr_error(
			"ANativeWindow: a frame that was drawn by the CPU can't be unlocked (error %d)",
			-err);
}

struct pixels {
	uint8_t *at;
	uint32_t row_bytes;
	uint32_t pixel_bytes;
};

static void
copy_span(
	const struct pixels *to, const struct pixels *from, int32_t y, int32_t left, int32_t right)
{
	size_t skip = (size_t)left * to->pixel_bytes;

	if (left < right)
		memcpy(to->at + (size_t)y * to->row_bytes + skip,
			from->at + (size_t)y * from->row_bytes + skip,
			(size_t)(right - left) * to->pixel_bytes);
}

static void
copy_but(const struct pixels *to, const struct pixels *from, const ARect *area, const ARect *but)
{
	for (int32_t y = area->top; y < area->bottom; y++) {
		if (is_empty(but) || y < but->top || y >= but->bottom) {
			copy_span(to, from, y, area->left, area->right);
			continue;
		}
		copy_span(to, from, y, area->left, KR_MIN(area->right, but->left));
		copy_span(to, from, y, KR_MAX(area->left, but->right), area->right);
	}
}

static struct pixels
pixels_of(const struct kr_buffer *buffer, void *data)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);

	return (struct pixels){data, info->row_bytes, kr_format_bytes(info->desc.format)};
}

/* From the frame before, which may be on screen: it is only read. */
static int
copy_back(struct kr_window_draw *draw, struct kr_buffer *buffer, void *data, const ARect *area)
{
	struct pixels to = pixels_of(buffer, data), from;
	void *before;
	int err;

	if (is_empty(area) || buffer == draw->posted)
		return 0;
	err = kr_buffer_lock(draw->posted, KR_DMA_BUF_READ, kr_deadline_in(ACCESS_NS), &before);
	if (err)
		return err;
	from = pixels_of(draw->posted, before);
	copy_but(&to, &from, area, &draw->bounds);
	unlock(draw->posted);
	return 0;
}

/* Maps it, says what is to be drawn, and makes the rest what it was. */
static int
prepare(struct kr_window *window, struct kr_buffer *buffer, const ARect *wish, void **data)
{
	struct kr_window_draw *draw = &window->draw;
	const ARect all = whole(buffer);
	struct kr_buffer_planes planes;
	ARect missing;
	uint32_t age;
	int err;

	if (kr_buffer_get_planes(kr_buffer_get_info(buffer), &planes) || planes.count != 1 ||
		!kr_format_bytes(kr_buffer_get_info(buffer)->desc.format))
		return -EOPNOTSUPP;
	err = kr_buffer_lock(
		buffer, KR_DMA_BUF_READ | KR_DMA_BUF_WRITE, kr_deadline_in(ACCESS_NS), data);
	if (err)
		return err;
	kr_mutex_lock(&window->lock);
	age = (uint32_t)window->state.buffer_age;
	kr_mutex_unlock(&window->lock);
	if (!follows_posted(window, buffer))
		draw->count = 0;
	draw->bounds = wish && draw->count ? intersect(wish, &all) : all;
	if (draw->bounds.right - draw->bounds.left == all.right &&
		draw->bounds.bottom - draw->bounds.top == all.bottom)
		return 0;
	missing = lacks(draw, buffer, age);
	err = copy_back(draw, buffer, *data, &missing);
	if (err)
		unlock(buffer);
	return err;
}

static int
take_frame(struct kr_window *window, const ARect *wish, ANativeWindow_Buffer *out)
{
	ANativeWindow *base = &window->base;
	ANativeWindowBuffer *native;
	struct kr_buffer *buffer;
	void *data;
	int err = kr_window_dequeue_ready(base, &native);

	if (err)
		return err;
	buffer = kr_buffer_from_native(native);
	err = buffer ? prepare(window, buffer, wish, &data) : -EINVAL;
	if (err) {
		(void)kr_window_cancel_buffer(base, native, -1);
		return err;
	}
	*out = (ANativeWindow_Buffer){.width = native->width,
		.height = native->height,
		.stride = native->stride,
		.format = native->format,
		.bits = data};
	kr_mutex_lock(&window->lock);
	window->draw.locked = kr_buffer_ref(buffer);
	kr_mutex_unlock(&window->lock);
	return 0;
}

int
kr_window_draw_lock(struct kr_window *window, ANativeWindow_Buffer *out, ARect *bounds)
{
	int err;

	if (!out)
		return -EINVAL;
	err = become_busy(window, false);
	if (err)
		return err;
	err = connect_cpu(window);
	if (!err)
		err = take_frame(window, bounds, out);
	if (!err && bounds)
		*bounds = window->draw.bounds;
	be_idle(window);
	return err;
}

/* After it was shown: what the next ones begin with. Takes the reference. */
static void
remember(struct kr_window *window, struct kr_buffer *take_buffer)
{
	struct kr_window_draw *draw = &window->draw;

	kr_buffer_unref(draw->posted);
	draw->posted = take_buffer;
	draw->drawn[draw->next++ % KR_WINDOW_DRAWN] = draw->bounds;
	draw->count = KR_MIN(draw->count + 1, (uint32_t)KR_WINDOW_DRAWN);
	draw->next_frame = kr_queue_next_frame(window->queue);
}

/* With its reference. */
static struct kr_buffer *
take_locked(struct kr_window *window)
{
	struct kr_buffer *buffer = window->draw.locked;

	kr_mutex_lock(&window->lock);
	window->draw.locked = NULL;
	kr_mutex_unlock(&window->lock);
	unlock(buffer);
	return buffer;
}

static void
set_damage(struct kr_window *window)
{
	const ARect *bounds = &window->draw.bounds;
	const android_native_rect_t damage = {
		bounds->left, bounds->top, bounds->right, bounds->bottom};
	ANativeWindow *base = &window->base;

	(void)kr_window_perform_past(base, NATIVE_WINDOW_SET_SURFACE_DAMAGE, &damage,
		(size_t)(is_empty(bounds) ? 0 : 1));
}

int
kr_window_draw_post(struct kr_window *window)
{
	ANativeWindow *base = &window->base;
	struct kr_buffer *buffer;
	int err = become_busy(window, true);

	if (err)
		return err;
	buffer = take_locked(window);
	set_damage(window);
	err = kr_window_queue_buffer(base, kr_buffer_native(buffer), -1);
	if (err) {
		(void)kr_window_cancel_buffer(base, kr_buffer_native(buffer), -1);
		kr_buffer_unref(buffer);
	} else {
		remember(window, buffer);
	}
	be_idle(window);
	return err;
}

void
kr_window_draw_end(struct kr_window *window)
{
	struct kr_window_draw *draw = &window->draw;
	ANativeWindow *base = &window->base;
	struct kr_buffer *buffer;

	if (!become_busy(window, true)) {
		buffer = take_locked(window);
		(void)kr_window_cancel_buffer(base, kr_buffer_native(buffer), -1);
		kr_buffer_unref(buffer);
	} else if (become_busy(window, false)) {
		/* Who locks one just now finds the window disconnected. */
		return;
	}
	kr_buffer_unref(draw->posted);
	draw->posted = NULL;
	draw->count = 0;
	be_idle(window);
}
