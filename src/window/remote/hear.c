/* SPDX-License-Identifier: Apache-2.0 */
/* What a display says to a producer, checked and done. Nothing that arrives is trusted. */
#include "window/remote/sink_state.h"

#include <errno.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/log.h"

int
kr_remote_sink_break_off(struct kr_remote_sink *remote, const char *why)
{
	kr_error("window: the display broke the protocol: %s", why);
	return kr_remote_sink_lose(remote);
}

static int
handle_release(struct kr_remote_sink *remote, const struct kr_dp_release *release, int *fence)
{
	int take_fence = *fence;

	if (release->has_fence != (take_fence >= 0) || kr_fence_status(take_fence) == -EINVAL)
		return kr_remote_sink_break_off(remote, "a release without its fence");
	/* A frame that waits here yet isn't the display's. */
	if (release->number > remote->last_number)
		return kr_remote_sink_break_off(remote, "release of a frame that it wasn't given");
	*fence = -1;
	if (kr_queue_release(remote->queue, release->slot, release->number, take_fence))
		return kr_remote_sink_break_off(remote, "release of a frame that it doesn't have");
	return 0;
}

static int
handle_wants(struct kr_remote_sink *remote, const struct kr_dp_wants *wants)
{
	if (remote->session.version < 2)
		return kr_remote_sink_break_off(remote, "a message of another version");
	kr_queue_set_wants(remote->queue, &(struct kr_wants){wants->from, wants->every});
	return 0;
}

void
kr_remote_sink_confirm(struct kr_remote_sink *remote)
{
	static const struct kr_dp_message message = {.type = KR_DP_CONFIGURED};

	/* That the display is gone, or broke the protocol, shows elsewhere. */
	remote->owes_configured = kr_remote_send(remote->socket, &message, -1) == -EAGAIN;
}

static int
take_size(struct kr_remote_sink *remote, const struct kr_dp_configure *configure)
{
	if (!configure->width || !configure->height || configure->width > KR_WINDOW_MAX_EXTENT ||
		configure->height > KR_WINDOW_MAX_EXTENT ||
		configure->transform_hint >= KR_TRANSFORMS)
		return kr_remote_sink_break_off(
			remote, "a window of no size or turn that there is");
	kr_queue_configure(
		remote->queue, configure->width, configure->height, configure->transform_hint);
	return 0;
}

static int
handle_configure(struct kr_remote_sink *remote, const struct kr_dp_configure *configure)
{
	int err;

	if (remote->session.version < 3 || remote->session.version >= 6)
		return kr_remote_sink_break_off(remote, "a message of another version");
	err = take_size(remote, configure);
	if (!err)
		kr_remote_sink_confirm(remote);
	return err;
}

/* What else has changed; the display's own limits are its own affair, as long as they can be. */
static void
take_settings(struct kr_remote_sink *remote, const struct kr_dp_configure2 *m)
{
	const struct kr_queue_settings settings = {
		.set = KR_SETTING_ALL,
		.format = m->format,
		.dataspace = m->dataspace,
		.usage = m->consumer_usage,
		.is_protected = m->is_protected,
		.refresh_ns = m->refresh_ns,
		.phase_ns = m->phase_ns,
	};

	kr_queue_set_settings(remote->queue, &settings);
	kr_queue_set_activity(remote->queue, m->hears_activity);
	kr_queue_told_max_acquired(remote->queue, m->max_acquired);
	if (m->discards != remote->discards)
		kr_queue_discard_free(remote->queue);
	remote->discards = m->discards;
}

static int
handle_configure2(struct kr_remote_sink *remote, const struct kr_dp_configure2 *m)
{
	const struct kr_buffer_desc desc = {
		.width = m->configure.width,
		.height = m->configure.height,
		.layers = 1,
		.format = m->format,
		.usage = m->consumer_usage,
	};
	int err;

	if (remote->session.version < 6)
		return kr_remote_sink_break_off(remote, "a message of another version");
	err = take_size(remote, &m->configure);
	if (err)
		return err;
	if (kr_buffer_check_shown(&desc) || !m->max_acquired ||
		m->max_acquired > KR_QUEUE_MAX_ACQUIRED || !kr_remote_is_refresh(m->refresh_ns) ||
		m->phase_ns < 0)
		return kr_remote_sink_break_off(remote, "a window that there can't be");
	take_settings(remote, m);
	kr_remote_sink_confirm(remote);
	return 0;
}

static int
handle_shown(struct kr_remote_sink *remote, const struct kr_dp_shown *shown)
{
	if (remote->session.version < 3)
		return kr_remote_sink_break_off(remote, "a message of another version");
	if (shown->number <= remote->shown || shown->number > remote->last_number)
		return kr_remote_sink_break_off(
			remote, "it has shown a frame that it doesn't have");
	if (shown->time_ns < 0)
		return kr_remote_sink_break_off(remote, "a time that there isn't");
	remote->shown = shown->number;
	kr_queue_shown(remote->queue, shown->number, shown->time_ns);
	return 0;
}

/* Whether they can be; else the display is broken off with. */
static int
check_events(struct kr_remote_sink *remote, const struct kr_frame_events *events)
{
	if (remote->session.version < 5)
		return kr_remote_sink_break_off(remote, "a message of another version");
	if (!events->number || events->number > remote->last_number ||
		events->known & ~remote->session.events)
		return kr_remote_sink_break_off(remote, "it tells what it can't of a frame");
	for (unsigned i = 0; i < KR_EVENT_COUNT; i++) {
		if (events->known >> i & 1 && events->time_ns[i] < KR_TIME_INVALID)
			return kr_remote_sink_break_off(remote, "a time that there isn't");
	}
	return 0;
}

static int
handle_events(struct kr_remote_sink *remote, const struct kr_dp_events *message)
{
	const struct kr_frame_events events = {
		.number = message->number,
		.known = message->known,
		.time_ns = {[KR_EVENT_LATCH] = message->latch_ns,
			[KR_EVENT_READY] = message->ready_ns,
			[KR_EVENT_FIRST_COMPOSITION] = message->first_composition_ns,
			[KR_EVENT_LAST_COMPOSITION] = message->last_composition_ns,
			[KR_EVENT_GPU_DONE] = message->gpu_done_ns,
			[KR_EVENT_SHOWN] = message->shown_ns},
	};
	int err = check_events(remote, &events);

	if (!err)
		kr_queue_events(remote->queue, &events);
	return err;
}

static int
handle_release2(struct kr_remote_sink *remote, const struct kr_dp_release2 *message, int *fence)
{
	const struct kr_frame_events events = {
		.number = message->release.number,
		.known = message->known,
		.time_ns = {[KR_EVENT_LATCH] = message->latch_ns,
			[KR_EVENT_READY] = message->ready_ns,
			[KR_EVENT_FIRST_COMPOSITION] = message->first_composition_ns,
			[KR_EVENT_LAST_COMPOSITION] = message->last_composition_ns,
			[KR_EVENT_GPU_DONE] = message->gpu_done_ns,
			[KR_EVENT_SHOWN] = message->shown_ns},
	};
	int err = check_events(remote, &events);

	if (err)
		return err;
	kr_queue_events(remote->queue, &events);
	return handle_release(remote, &message->release, fence);
}

static int
handle_vblank(struct kr_remote_sink *remote, const struct kr_dp_vblank *vblank)
{
	if (!remote->watches)
		return kr_remote_sink_break_off(remote, "a vertical blank that nobody asked for");
	remote->watches = false;
	kr_queue_vblank(remote->queue, vblank->count, vblank->time_ns);
	return 0;
}

int
kr_remote_sink_hear(struct kr_remote_sink *remote, const struct kr_dp_message *message, int *fd)
{
	switch (message->type) {
	case KR_DP_RELEASE:
		return handle_release(remote, &message->release, fd);
	case KR_DP_WANTS:
		return handle_wants(remote, &message->wants);
	case KR_DP_CONFIGURE:
		return handle_configure(remote, &message->configure);
	case KR_DP_CONFIGURE2:
		return handle_configure2(remote, &message->configure2);
	case KR_DP_DETACH:
	case KR_DP_ATTACH:
	case KR_DP_FREE:
		return kr_remote_sink_hear_attach(remote, message, fd);
	case KR_DP_SHOWN:
		return handle_shown(remote, &message->shown);
	case KR_DP_VBLANK:
		return handle_vblank(remote, &message->vblank);
	case KR_DP_RELEASE2:
		return handle_release2(remote, &message->release2, fd);
	case KR_DP_EVENTS:
		return handle_events(remote, &message->events);
	case KR_DP_PONG:
		return 0;
	case KR_DP_ERROR:
		kr_error("window: the display closes the connection: %s", message->error.text);
		return kr_remote_sink_lose(remote);
	default:
		return kr_remote_sink_break_off(remote, kr_dp_name(message->type));
	}
}
