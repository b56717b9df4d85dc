/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See target.h.
 *
 * Whose buffer a release fence is of: a composer says of a layer that its buffer before is read
 * until the fence signals. Contents have serials, so a layer that remembers two of them knows which
 * that was; a frame goes back with the fences of all targets together (layer.c).
 */
#include "composer/target.h"

#include <errno.h>
#include <string.h>
#include <krafla/hardware_buffer.h>

#include "composer/display.h"
#include "composer/output/queue.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log_budget.h"

static struct kr_log_budget failed;

static int
tell(const struct kr_target *target, const char *what, int error)
{
	kr_log_limited(
		&failed, KR_LOG_ERROR, "display: the composer answered %d to %s", error, what);
	return error == KRAFLA_COMPOSER_NO_RESOURCES ? -ENOMEM : -EIO;
}

static int
ask_size(const struct kr_target *target, uint32_t *width, uint32_t *height)
{
	krafla_config_t config;
	int32_t w = 0, h = 0;
	int error = krafla_display_get_active_config(target->composer, target->handle, &config);

	if (!error)
		error = krafla_display_get_attribute(
			target->composer, target->handle, config, KRAFLA_ATTRIBUTE_WIDTH, &w);
	if (!error)
		error = krafla_display_get_attribute(
			target->composer, target->handle, config, KRAFLA_ATTRIBUTE_HEIGHT, &h);
	if (error || w <= 0 || h <= 0)
		return tell(target, "the size of a display", error);
	*width = (uint32_t)w;
	*height = (uint32_t)h;
	return 0;
}

/* 0: it says none. */
static int64_t
ask_period(const struct kr_target *target)
{
	krafla_config_t config;
	int32_t period = 0;

	if (krafla_display_get_active_config(target->composer, target->handle, &config) ||
		krafla_display_get_attribute(target->composer, target->handle, config,
			KRAFLA_ATTRIBUTE_VSYNC_PERIOD, &period))
		return 0;
	return KR_MAX(period, 0);
}

int
kr_target_open(struct kr_target *target, struct kr_display *display,
	struct krafla_composer *composer, krafla_display_t handle)
{
	int err;

	*target = (struct kr_target){
		.display = display,
		.composer = composer,
		.handle = handle,
		.dataspace = display->config.dataspace,
		.pending = {-1, -1},
		.changed = true,
	};
	err = ask_size(target, &target->width, &target->height);
	if (err)
		return err;
	target->period_ns = ask_period(target);
	kr_target_client_init(&target->client);
	return 0;
}

void
kr_target_finish(struct kr_target *target)
{
	for (unsigned i = 0; i < target->used; i++)
		kr_target_close_layer(target, &target->layers[i]);
	for (unsigned i = 0; i < KR_TARGET_PENDING; i++)
		kr_fd_close(&target->pending[i]);
	kr_target_client_finish(&target->client);
}

void
kr_target_forget(struct kr_target *target, const struct kr_producer *producer)
{
	kr_target_close_layer(target, kr_target_layer_of(target, producer));
	kr_target_close_layer(target, kr_target_bare_of(target, producer));
}

/* Whether it has waited for too long, which is told. */
static bool
is_stuck(struct kr_target *target, unsigned at)
{
	char sentence[KR_FENCE_SENTENCE];

	if (kr_clock_now() - target->pending_since[at] < KR_DISPLAY_WATCHDOG_NS)
		return false;
	kr_fence_sentence_of(target->pending[at], sentence);
	kr_log_limited(&failed, KR_LOG_ERROR,
		"display: a picture was not shown within %lld s: the fence %s; nobody waits for it any longer",
		(long long)(KR_DISPLAY_WATCHDOG_NS / KR_NSEC_PER_SEC), sentence);
	kr_display_count(target->display, present_stuck);
	return true;
}

/* A screen has its own times; others have a picture once they were handed it. */
static void
note_shown(struct kr_target *target, uint64_t number, int64_t shown_ns)
{
	if (target->is_screen || target->queue) {
		kr_display_time_handed(target->display, number, shown_ns);
		return;
	}
	target->shown_ns = shown_ns;
	kr_display_time_screen(target->display, number, shown_ns);
}

/* The picture's fence is done: with 1, or an error. */
static void
end_pending(struct kr_target *target, unsigned at, int status)
{
	int64_t shown_ns = kr_fence_signal_time(target->pending[at]);

	if (status == KR_FENCE_SIGNALLED)
		note_shown(target, target->pending_number[at],
			shown_ns > 0 ? shown_ns : kr_clock_now());
	kr_fd_close(&target->pending[at]);
	target->stuck = false;
}

/* Fences that are late are kept: the screen is alive again when one of them signals. */

unsigned
kr_target_pending(struct kr_target *target)
{
	unsigned count = 0;

	for (unsigned i = 0; i < KR_TARGET_PENDING; i++) {
		int status;

		if (target->pending[i] < 0)
			continue;
		status = kr_fence_status(target->pending[i]);
		if (status != KR_FENCE_ACTIVE) {
			end_pending(target, i, status);
			continue;
		}
		target->stuck = target->stuck || is_stuck(target, i);
		count++;
	}
	return target->stuck ? 0 : count;
}

unsigned
kr_target_poll(const struct kr_target *target, struct pollfd *fds)
{
	unsigned count = 0;

	for (unsigned i = 0; i < KR_TARGET_PENDING; i++) {
		if (target->pending[i] >= 0)
			fds[count++] = (struct pollfd){.fd = target->pending[i], .events = POLLIN};
	}
	return count;
}

/* --- present --- */

static struct kr_target_layer *
find_layer(struct kr_target *target, krafla_layer_t handle)
{
	for (unsigned i = 0; i < target->used; i++) {
		if (target->layers[i].handle == handle)
			return &target->layers[i];
	}
	return NULL;
}

/* Takes what the device says as it is. */
static int
accept(struct kr_target *target)
{
	krafla_layer_t layers[KR_TARGET_LAYERS];
	int32_t values[KR_TARGET_LAYERS];
	uint32_t count = KR_TARGET_LAYERS;
	int error = krafla_display_get_changed_composition_types(
		target->composer, target->handle, &count, layers, values);

	for (uint32_t i = 0; !error && i < count; i++) {
		struct kr_target_layer *layer = find_layer(target, layers[i]);

		if (layer)
			layer->by_client = values[i] == KRAFLA_COMPOSITION_CLIENT;
	}
	count = KR_TARGET_LAYERS;
	if (!error)
		error = krafla_display_get_requests(target->composer, target->handle,
			&target->requests, &count, layers, values);
	for (uint32_t i = 0; !error && i < count; i++) {
		struct kr_target_layer *layer = find_layer(target, layers[i]);

		if (layer)
			layer->requests = values[i];
	}
	return error ? error : krafla_display_accept_changes(target->composer, target->handle);
}

static void
forget_requests(struct kr_target *target)
{
	target->requests = 0;
	for (unsigned i = 0; i < target->used; i++)
		target->layers[i].requests = 0;
}

static bool
needs_client(const struct kr_target *target)
{
	bool any = target->requests & KRAFLA_REQUEST_FLIP_CLIENT_TARGET;

	for (unsigned i = 0; i < target->used; i++)
		any |= target->layers[i].handle && target->layers[i].by_client;
	return any;
}

static bool
is_wanted(const struct kr_target *target)
{
	const struct kr_pictures wanted = kr_display_wants_on_screen(target->display);

	return !target->is_screen || kr_pictures_have(&wanted, target->display->ticks);
}

static int
draw_client(struct kr_target *target, AHardwareBuffer *output)
{
	int err = needs_client(target) ? kr_target_client_draw(target, is_wanted(target)) : 0;

	if (!err && output && target->requests & KRAFLA_REQUEST_WRITE_CLIENT_TARGET_TO_OUTPUT)
		err = kr_target_client_draw_into(target, (struct kr_buffer *)(void *)output);
	return err;
}

/* Validates and presents; what is handed back is drawn between the two. */
static int
show(struct kr_target *target, AHardwareBuffer *output, int *fence)
{
	uint32_t types, requests, state = 0;
	int error, err = 0;

	if (target->changed)
		forget_requests(target);
	else
		err = draw_client(target, output);
	if (err)
		return err;
	error = krafla_display_present_or_validate(
		target->composer, target->handle, &types, &requests, fence, &state);
	if (error == KRAFLA_COMPOSER_HAS_CHANGES) {
		target->client.stale = true;
		error = accept(target);
		if (!error)
			err = draw_client(target, output);
		if (err)
			return err;
		if (!error)
			error = krafla_display_present(target->composer, target->handle, fence);
	}
	if (error)
		return tell(target, "present", error);
	target->changed = false;
	return 0;
}

/* A device that has screens draws nothing itself: what it takes is on a plane. */
static bool
is_taken_as_it_is(const struct kr_target *target, const struct kr_target_layer *layer)
{
	return !target->is_screen && !target->queue && layer->handle && layer->content &&
		layer->content != layer->presented && !layer->by_client;
}

static void
note_presented(struct kr_target *target, int take_fence)
{
	unsigned at;

	kr_target_client_presented(target, take_fence);
	for (unsigned i = 0; i < target->used; i++) {
		if (is_taken_as_it_is(target, &target->layers[i]))
			kr_display_count(target->display, plane_frames);
		target->layers[i].previous = target->layers[i].presented;
		target->layers[i].presented = target->layers[i].content;
	}
	(void)kr_target_pending(target);
	if (take_fence < 0) {
		kr_display_time_handed(target->display, target->display->ticks, kr_clock_now());
		return;
	}
	if (target->pending[1] >= 0)
		kr_fd_close(&target->pending[0]);
	if (target->pending[0] < 0) {
		target->pending[0] = target->pending[1];
		target->pending_since[0] = target->pending_since[1];
		target->pending_number[0] = target->pending_number[1];
		target->pending[1] = -1;
	}
	at = target->pending[0] >= 0;
	target->pending[at] = take_fence;
	target->pending_since[at] = kr_clock_now();
	target->pending_number[at] = target->display->ticks;
}

/* A producer would take a display that gives it such for one that breaks the protocol. */
static void
refuse_no_fence(int *fence)
{
	if (*fence < 0 || kr_fence_status(*fence) != -EINVAL)
		return;
	kr_log_limited(&failed, KR_LOG_ERROR,
		"display: what a device gave as a release fence is none; the buffer goes back at once");
	kr_fd_close(fence);
}

static int
collect(struct kr_target *target)
{
	krafla_layer_t layers[KR_TARGET_LAYERS];
	int fences[KR_TARGET_LAYERS];
	uint32_t count = KR_TARGET_LAYERS;
	int error = krafla_display_get_release_fences(
		target->composer, target->handle, &count, layers, fences);

	if (error)
		return tell(target, "release fences", error);
	for (uint32_t i = 0; i < count; i++) {
		struct kr_target_layer *layer = find_layer(target, layers[i]);

		refuse_no_fence(&fences[i]);
		if (layer && layer->producer)
			kr_producer_take_release(layer->producer, layer->previous, fences[i]);
		else
			kr_fd_close(&fences[i]);
	}
	return 0;
}

/* --- virtual displays of programs --- */

static int
begin_output(struct kr_target *target, AHardwareBuffer **buffer)
{
	int err = kr_display_queue_dequeue(target->queue, buffer);

	if (err == -ENODEV)
		target->lost = true;
	if (err)
		return err;
	if (!krafla_display_set_output_buffer(target->composer, target->handle, *buffer, -1))
		return 0;
	kr_display_queue_cancel(target->queue, *buffer, -1);
	return -EIO;
}

static void
end_output(struct kr_target *target, AHardwareBuffer *buffer, int64_t time_ns, int err, int fence)
{
	int own = -1;

	if (!err)
		err = kr_fd_dup(fence, &own);
	if (err)
		kr_display_queue_cancel(target->queue, buffer, -1);
	else if (kr_display_queue_queue(target->queue, buffer, time_ns, 0, NULL, own))
		kr_warn("display: a picture could not be given to the program that reads them");
}

/* --- light --- */

/* What each window in the picture says; nothing where one of them says something else. */
static struct kr_hdr_metadata
find_light(const struct kr_target *target)
{
	const struct kr_hdr_metadata *all = NULL;
	static const struct kr_hdr_metadata nothing;

	for (unsigned i = 0; i < target->used; i++) {
		const struct kr_target_layer *layer = &target->layers[i];
		const struct kr_hdr_metadata *one =
			layer->pushed && layer->producer ? &layer->producer->content.hdr : NULL;

		if (!one)
			continue;
		if (all && !kr_hdr_metadata_equal(all, one))
			return nothing;
		all = one;
	}
	return all ? *all : nothing;
}

/* The picture's, to who hears of our screen, and to screens that are told. */
static void
say_light(struct kr_target *target)
{
	struct kr_display_screen *screen = &target->display->screen;
	struct kr_hdr_metadata hdr = find_light(target);
	struct krafla_hdr_metadata said;

	_Static_assert(sizeof(said) == sizeof(hdr), "the same by another name");
	if (target->is_screen)
		screen->hdrs[screen->next % KR_DISPLAY_SCREEN_ON_THE_WAY] = hdr;
	if (target->is_screen || target->queue || kr_hdr_metadata_equal(&hdr, &target->hdr))
		return;
	memcpy(&said, &hdr, sizeof(said));
	if (krafla_display_set_colour(target->composer, target->handle, target->dataspace, &said))
		kr_log_limited(&failed, KR_LOG_ERROR,
			"display: a screen doesn't take HDR metadata; it keeps what it has");
	target->hdr = hdr;
}

int
kr_target_present(struct kr_target *target, int64_t time_ns)
{
	AHardwareBuffer *output = NULL;
	int fence = -1, error, err = 0;

	if (target->queue)
		err = begin_output(target, &output);
	if (err)
		return err;
	error = kr_target_push(target);
	if (!error) {
		say_light(target);
		error = krafla_display_set_expected_present_time(target->composer, target->handle,
			kr_display_shown_at(target->display, time_ns));
	}
	err = error ? tell(target, "a layer", error) : show(target, output, &fence);
	if (output)
		end_output(target, output, time_ns, err, fence);
	if (err)
		return err;
	note_presented(target, fence);
	return collect(target);
}

void
kr_display_forget_layers(const struct kr_producer *producer)
{
	struct kr_display *display = producer->display;

	if (display->screen.open)
		kr_target_forget(&display->screen.target, producer);
	for (unsigned i = 0; i < display->target_count; i++) {
		if (display->targets[i].handle)
			kr_target_forget(&display->targets[i], producer);
	}
	/* Composers let buffers go with the next picture, and that may be far away. */
	display->withdrawn = true;
}
