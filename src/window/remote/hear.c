/* SPDX-License-Identifier: Apache-2.0 */
/* What a display says to a producer, checked and done. Nothing that arrives is trusted. */
#include "window/remote/sink_state.h"

#include <errno.h>

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
handle_configure(struct kr_remote_sink *remote, const struct kr_dp_configure *configure)
{
	if (remote->session.version < 3)
		return kr_remote_sink_break_off(remote, "a message of another version");
	if (!configure->width || !configure->height || configure->width > KR_WINDOW_MAX_EXTENT ||
		configure->height > KR_WINDOW_MAX_EXTENT ||
		configure->transform_hint >= KR_TRANSFORMS)
		return kr_remote_sink_break_off(
			remote, "a window of no size or turn that there is");
	kr_queue_configure(
		remote->queue, configure->width, configure->height, configure->transform_hint);
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
