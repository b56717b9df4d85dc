/* SPDX-License-Identifier: Apache-2.0 */
/* Which frame is committed when, and what the compositor says of it: see window.h. */
#include "outputs/wayland/window.h"

#include <errno.h>

#include "outputs/log.h"
#include "util/clock.h"

/* From these versions of wl_surface on. */
#define SINCE_TRANSFORM 2
#define SINCE_DAMAGE    4

int
wayland_lose(struct wayland_window *w)
{
	(void)wayland_link_lose(&w->link);
	if (w->queue)
		w->link.host->queue_abandon(w->queue);
	return -EPIPE;
}

/* The slot goes back; it is forgotten first, because it may return at once. */
static void
give_back(struct wayland_window *w, struct wayland_slot *slot)
{
	uint64_t number = slot->frame.number;

	w->waiting -= slot->state == WAYLAND_WAITING;
	slot->state = WAYLAND_IDLE;
	w->starving = false;
	(void)w->link.host->queue_release(w->queue, (uint32_t)(slot - w->slots), number, -1);
}

static void
handle_release(void *data, struct wl_buffer *buffer)
{
	struct wayland_slot *slot = data;

	slot->window->came++;
	if (slot->state == WAYLAND_SENT)
		give_back(slot->window, slot);
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static void
handle_answer(void *data, struct wl_callback *callback, uint32_t serial)
{
	struct wayland_window *w = data;

	wl_callback_destroy(callback);
	w->sync = NULL;
	w->came++;
	/* It does answer; so it is not going to draw what was committed long before. */
	if (wayland_due(w) <= kr_clock_now())
		w->overdue = true;
}

static const struct wl_callback_listener answer_listener = {.done = handle_answer};

void
wayland_ask(struct wayland_window *w)
{
	if (w->sync || w->link.lost)
		return;
	w->sync = wl_display_sync(w->link.on_queue);
	if (w->sync)
		wl_callback_add_listener(w->sync, &answer_listener, w);
}

static void
handle_frame(void *data, struct wl_callback *callback, uint32_t time)
{
	struct wayland_window *w = data;

	wl_callback_destroy(callback);
	w->callback = NULL;
	w->came++;
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame};

int64_t
wayland_due(const struct wayland_window *w)
{
	return w->callback && !w->overdue ? w->committed_ns + WAYLAND_HIDDEN_NS : KR_FOREVER;
}

void
wayland_handle_due(struct wayland_window *w)
{
	wayland_ask(w);
}

/* The frame that came first of those that wait. */
static struct wayland_slot *
first_waiting(struct wayland_window *w)
{
	struct wayland_slot *first = NULL;

	for (size_t i = 0; w->waiting && i < KR_QUEUE_SLOTS; i++) {
		struct wayland_slot *slot = &w->slots[i];

		if (slot->state == WAYLAND_WAITING &&
			(!first || slot->frame.number < first->frame.number))
			first = slot;
	}
	return first;
}

static void
damage(struct wayland_window *w, const struct kr_frame *frame)
{
	struct wl_surface *surface = w->link.surface;

	if (wl_surface_get_version(surface) < SINCE_DAMAGE) {
		wl_surface_damage(surface, 0, 0, INT32_MAX, INT32_MAX);
		return;
	}
	if (!frame->damage_count || w->skipped)
		wl_surface_damage_buffer(surface, 0, 0, INT32_MAX, INT32_MAX);
	for (uint32_t i = 0; i < frame->damage_count && !w->skipped; i++) {
		const android_native_rect_t *r = &frame->damage[i];

		wl_surface_damage_buffer(
			surface, r->left, r->top, r->right - r->left, r->bottom - r->top);
	}
}

/*
 * What the compositor has to undo, which is wl_output.transform's meaning of it, for pixels that
 * shall be flipped and then turned clockwise as NATIVE_WINDOW_TRANSFORM_* says.
 */
static int32_t
surface_transform(int32_t transform)
{
	static const int32_t table[8] = {
		[0] = WL_OUTPUT_TRANSFORM_NORMAL,
		[NATIVE_WINDOW_TRANSFORM_FLIP_H] = WL_OUTPUT_TRANSFORM_FLIPPED,
		[NATIVE_WINDOW_TRANSFORM_FLIP_V] = WL_OUTPUT_TRANSFORM_FLIPPED_180,
		[NATIVE_WINDOW_TRANSFORM_ROT_180] = WL_OUTPUT_TRANSFORM_180,
		[NATIVE_WINDOW_TRANSFORM_ROT_90] = WL_OUTPUT_TRANSFORM_90,
		[NATIVE_WINDOW_TRANSFORM_FLIP_H | NATIVE_WINDOW_TRANSFORM_ROT_90] =
			WL_OUTPUT_TRANSFORM_FLIPPED_270,
		[NATIVE_WINDOW_TRANSFORM_FLIP_V | NATIVE_WINDOW_TRANSFORM_ROT_90] =
			WL_OUTPUT_TRANSFORM_FLIPPED_90,
		[NATIVE_WINDOW_TRANSFORM_ROT_270] = WL_OUTPUT_TRANSFORM_270,
	};

	return table[transform & 7];
}

/* What the application says of its surface stays, as long as frames say nothing else. */
static void
turn(struct wayland_window *w, int32_t transform)
{
	int32_t turned = surface_transform(transform);

	if (turned == w->transform || wl_surface_get_version(w->link.surface) < SINCE_TRANSFORM)
		return;
	wl_surface_set_buffer_transform(w->link.surface, turned);
	w->transform = turned;
}

/* One callback, of the newest commit. False without memory. */
static bool
ask_for_callback(struct wayland_window *w)
{
	if (w->callback)
		wl_callback_destroy(w->callback);
	w->callback = wl_surface_frame(w->link.surface);
	if (w->callback)
		wl_callback_add_listener(w->callback, &frame_listener, w);
	w->overdue = false;
	w->committed_ns = kr_clock_now();
	return w->callback != NULL;
}

static bool
is_fifo(int mode)
{
	return mode == KR_OUTPUT_FIFO;
}

static int
commit_frame(struct wayland_window *w, struct wayland_slot *slot)
{
	struct wl_buffer *buffer = wayland_pixels_buffer(slot, false);
	int ret = buffer ? wayland_pixels_update(slot) : -ENOMEM;

	if (ret) {
		output_log(w->link.host, KR_LOG_WARN,
			"Wayland: frame %llu isn't shown, its buffer can't be read (%d)",
			(unsigned long long)slot->frame.number, ret);
		w->skipped = true;
		give_back(w, slot);
		return 0;
	}
	if (!wl_proxy_get_listener((struct wl_proxy *)buffer))
		wl_buffer_add_listener(buffer, &buffer_listener, slot);
	if (!ask_for_callback(w))
		return wayland_lose(w);
	turn(w, slot->frame.transform);
	wl_surface_attach(w->link.surface, buffer, 0, 0);
	damage(w, &slot->frame);
	wl_surface_commit(w->link.surface);
	w->skipped = false;
	w->fifo = is_fifo(atomic_load(&w->mode));
	w->waiting--;
	slot->state = WAYLAND_SENT;
	return 0;
}

/* Whether the newest commit has to be shown before this frame's. */
static bool
must_wait(const struct wayland_window *w)
{
	return w->callback && !w->overdue && (w->fifo || is_fifo(atomic_load(&w->mode)));
}

int
wayland_show(struct wayland_window *w)
{
	struct wayland_slot *slot;
	int ret = 0;

	while (!ret && !must_wait(w) && (slot = first_waiting(w)))
		ret = commit_frame(w, slot);
	if (!ret && wl_display_flush(w->link.display) < 0 && errno != EAGAIN && errno != EPIPE)
		ret = wayland_lose(w);
	return ret;
}

void
wayland_forget_frames(struct wayland_window *w)
{
	if (w->callback)
		wl_callback_destroy(w->callback);
	if (w->sync)
		wl_callback_destroy(w->sync);
}
