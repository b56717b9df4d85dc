/* SPDX-License-Identifier: Apache-2.0 */
/* Which frame is committed when, and what the compositor says of it: see window.h. */
#include "outputs/wayland/window.h"

#include <explicit-sync-client.h>
#include <errno.h>

#include "outputs/log.h"
#include "util/clock.h"
#include "util/fd.h"

int
wayland_lose(struct wayland_window *w)
{
	(void)wayland_link_lose(&w->link);
	if (w->queue)
		w->link.host->queue_abandon(w->queue);
	return -EPIPE;
}

static bool
is_shared(const struct kr_frame *frame)
{
	return frame->presentation.mode == KR_PRESENT_SHARED_DEMAND ||
		frame->presentation.mode == KR_PRESENT_SHARED_CONTINUOUS;
}

static bool
is_paced(const struct kr_frame *frame)
{
	return frame->presentation.mode == KR_PRESENT_FIFO ||
		frame->presentation.mode == KR_PRESENT_FIFO_RELAXED ||
		frame->presentation.mode == KR_PRESENT_FIFO_LATEST_READY;
}

/* The slot goes back; it is forgotten first, because it may return at once. */
static void
give_back(struct wayland_window *w, struct wayland_slot *slot, int take_fence)
{
	uint64_t number = slot->frame.number;

	w->waiting -= slot->state == WAYLAND_WAITING;
	kr_fd_close(&slot->frame.acquire_fence);
	slot->state = WAYLAND_IDLE;
	w->starving = false;
	(void)w->link.host->queue_release(
		w->queue, (uint32_t)(slot - w->slots), number, take_fence);
}

/* The compositor has done with it. What is shared stays until another takes its place. */
static void
handle_end(struct wayland_slot *slot, int take_fence)
{
	slot->window->came++;
	slot->released = true;
	if (slot->state == WAYLAND_SENT &&
		!(is_shared(&slot->frame) && slot == slot->window->current))
		give_back(slot->window, slot, take_fence);
	else
		kr_fd_close(&take_fence);
}

static void
handle_buffer_release(void *data, struct wl_buffer *buffer)
{
	struct wayland_slot *slot = data;

	if (!slot->release)
		handle_end(slot, -1);
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_buffer_release};

static void
handle_fenced_release(void *data, struct zwp_linux_buffer_release_v1 *release, int32_t fence)
{
	struct wayland_slot *slot = data;

	zwp_linux_buffer_release_v1_destroy(release);
	slot->release = NULL;
	handle_end(slot, fence);
}

static void
handle_immediate_release(void *data, struct zwp_linux_buffer_release_v1 *release)
{
	handle_fenced_release(data, release, -1);
}

static const struct zwp_linux_buffer_release_v1_listener release_listener = {
	.fenced_release = handle_fenced_release,
	.immediate_release = handle_immediate_release,
};

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
	if (w->tell)
		w->link.host->queue_shown(w->queue, w->tell, kr_clock_now());
	w->tell = 0;
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

/* The frame that came first of those that wait, behind a number. */
static struct wayland_slot *
first_waiting(struct wayland_window *w, uint64_t behind)
{
	struct wayland_slot *first = NULL;

	for (size_t i = 0; w->waiting && i < KR_QUEUE_SLOTS; i++) {
		struct wayland_slot *slot = &w->slots[i];

		if (slot->state == WAYLAND_WAITING && slot->frame.number > behind &&
			(!first || slot->frame.number < first->frame.number))
			first = slot;
	}
	return first;
}

static void
damage(struct wayland_window *w, const struct kr_frame *frame)
{
	struct wl_surface *surface = w->link.surface;

	if (wl_surface_get_version(surface) < WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION) {
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

	if (turned == w->transform ||
		wl_surface_get_version(w->link.surface) <
			WL_SURFACE_SET_BUFFER_TRANSFORM_SINCE_VERSION)
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

/* It is not shown, and whoever waits for it waits no longer. */
static void
leave_out(struct wayland_window *w, struct wayland_slot *slot)
{
	uint64_t number = slot->frame.number;
	bool tell = slot->frame.presentation.tell_shown;

	w->skipped = true;
	give_back(w, slot, -1);
	if (tell)
		w->link.host->queue_shown(w->queue, number, kr_clock_now());
}

/* What was shared goes back once the compositor has done with it. */
static void
replace_current(struct wayland_window *w, struct wayland_slot *slot)
{
	struct wayland_slot *before = w->current;

	w->current = slot;
	if (before && before != slot && before->state == WAYLAND_SENT && before->released)
		give_back(w, before, -1);
}

/* With its alpha, unless that shall not be seen. */
static bool
is_blended(const struct kr_frame *frame)
{
	return frame->presentation.alpha != KR_ALPHA_OPAQUE;
}

static bool
may_tear(const struct wayland_window *w, const struct kr_frame *frame)
{
	return frame->presentation.mode == KR_PRESENT_IMMEDIATE ||
		(frame->presentation.mode == KR_PRESENT_FIFO_RELAXED && !w->callback);
}

/* All that is said of a frame. 0 or -EPIPE. */
static int
commit(struct wayland_window *w, struct wayland_slot *slot, struct wl_buffer *buffer)
{
	const struct kr_frame *frame = &slot->frame;

	if (!wl_proxy_get_listener((struct wl_proxy *)buffer))
		wl_buffer_add_listener(buffer, &buffer_listener, slot);
	turn(w, frame->transform);
	wayland_say_tearing(w, may_tear(w, frame));
	wl_surface_attach(w->link.surface, buffer, 0, 0);
	if (wayland_has_fences(w, slot))
		wayland_say_fence(w, slot, &release_listener);
	damage(w, frame);
	if (frame->presentation.tell_shown && !wayland_feedback_ask(w, frame->number))
		w->tell = frame->number;
	if (!ask_for_callback(w))
		return wayland_lose(w);
	wl_surface_commit(w->link.surface);
	return 0;
}

static int
commit_frame(struct wayland_window *w, struct wayland_slot *slot)
{
	struct wl_buffer *buffer = wayland_pixels_buffer(slot, is_blended(&slot->frame));
	int ret = buffer ? wayland_pixels_update(slot) : -ENOMEM;

	if (ret) {
		output_log(w->link.host, KR_LOG_WARN,
			"Wayland: frame %llu isn't shown, its buffer can't be read (%d)",
			(unsigned long long)slot->frame.number, ret);
		leave_out(w, slot);
		return 0;
	}
	ret = commit(w, slot, buffer);
	if (ret)
		return ret;
	kr_fd_close(&slot->frame.acquire_fence);
	w->skipped = false;
	w->paced = is_paced(&slot->frame);
	w->waiting--;
	slot->state = WAYLAND_SENT;
	slot->released = false;
	replace_current(w, slot);
	return 0;
}

/* Whether the newest commit has to be shown before this frame's. */
static bool
must_wait(const struct wayland_window *w, const struct kr_frame *frame)
{
	return w->callback && !w->overdue && (w->paced || is_paced(frame));
}

/* Whether the one behind it takes its place before it is shown. */
static bool
is_passed(const struct kr_frame *frame, const struct kr_frame *behind)
{
	uint8_t mode = frame->presentation.mode, next = behind->presentation.mode;
	bool drops = mode == KR_PRESENT_MAILBOX || mode == KR_PRESENT_IMMEDIATE;

	return drops ? next == KR_PRESENT_MAILBOX || next == KR_PRESENT_IMMEDIATE
		     : mode == KR_PRESENT_FIFO_LATEST_READY && next == mode;
}

/* The frame whose turn it is; those that are passed by are left out. */
static struct wayland_slot *
next_frame(struct wayland_window *w)
{
	struct wayland_slot *slot = first_waiting(w, 0), *behind;

	if (!slot || must_wait(w, &slot->frame))
		return NULL;
	while ((behind = first_waiting(w, slot->frame.number)) &&
		is_passed(&slot->frame, &behind->frame)) {
		leave_out(w, slot);
		slot = behind;
	}
	return slot;
}

/* What is drawn into and read at the same time, for the compositor's next picture. */
static struct wayland_slot *
refreshed(const struct wayland_window *w)
{
	struct wayland_slot *slot = w->current;

	return slot && slot->state == WAYLAND_SENT &&
			slot->frame.presentation.mode == KR_PRESENT_SHARED_CONTINUOUS
		? slot
		: NULL;
}

static int
refresh(struct wayland_window *w, struct wayland_slot *slot)
{
	slot->frame.damage_count = 0;
	slot->frame.presentation.tell_shown = false;
	slot->state = WAYLAND_WAITING;
	w->waiting++;
	return commit_frame(w, slot);
}

bool
wayland_has_due(const struct wayland_window *w)
{
	return w->waiting || refreshed(w);
}

int
wayland_show(struct wayland_window *w)
{
	struct wayland_slot *slot;
	int ret = 0;

	while (!ret && (slot = next_frame(w)))
		ret = commit_frame(w, slot);
	if (!ret && !w->waiting && !w->callback && (slot = refreshed(w)))
		ret = refresh(w, slot);
	if (!ret && wl_display_flush(w->link.display) < 0 && errno != EAGAIN && errno != EPIPE)
		ret = wayland_lose(w);
	return ret;
}

void
wayland_forget_frames(struct wayland_window *w)
{
	wayland_feedback_forget(w);
	wayland_extras_forget(w);
	if (w->callback)
		wl_callback_destroy(w->callback);
	if (w->sync)
		wl_callback_destroy(w->sync);
}
