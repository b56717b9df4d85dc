/* SPDX-License-Identifier: Apache-2.0 */
/* See ready.h. */
#include "hwc/ready.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwc/changes.h"
#include "sync/fence/fence.h"
#include "sync/wait/watchdog.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

static void
tell(const struct kr_soft_display *display, const struct kr_soft_layer *layer,
	enum kr_soft_ready ready, int error)
{
	if (ready == KR_SOFT_LATE)
		kr_error("composer: layer %" PRIu64 " of display %" PRIu64
			 " is left out: its acquire fence has not signalled for %d s",
			layer->handle, display->state->handle,
			(int)(KR_SOFT_FENCE_NS / KR_NSEC_PER_SEC));
	else
		kr_error("composer: layer %" PRIu64 " of display %" PRIu64
			 " is left out: its acquire fence has failed (%s)",
			layer->handle, display->state->handle, strerror(-error));
}

/* What is known of the layer's buffer, which may be a new one. */
static struct kr_soft_seen *
known_locked(struct kr_soft_display *display, const struct kr_soft_layer *layer)
	KR_REQUIRES(display->lock)
{
	struct kr_soft_seen *seen = kr_soft_seen_find_locked(display, layer->handle);

	if (seen && seen->ready_serial != layer->serial) {
		seen->ready_serial = layer->serial;
		seen->ready = KR_SOFT_UNKNOWN;
		seen->deadline = kr_clock_now() + KR_SOFT_FENCE_NS;
	}
	return seen;
}

/* Whether the layer has to be waited for. */
static bool
look_at_locked(struct kr_soft_display *display, struct kr_soft_layer *layer)
	KR_REQUIRES(display->lock)
{
	struct kr_soft_seen *seen = known_locked(display, layer);
	int status;

	if (seen->ready == KR_SOFT_UNKNOWN || seen->ready == KR_SOFT_LATE) {
		status = kr_fence_status(layer->fence);
		if (status < 0)
			tell(display, layer, KR_SOFT_FAILED, status);
		if (status != KR_FENCE_ACTIVE)
			seen->ready = status < 0 ? KR_SOFT_FAILED : KR_SOFT_READY;
	}
	layer->deadline = seen->deadline;
	layer->left_out = seen->ready == KR_SOFT_FAILED || seen->ready == KR_SOFT_LATE;
	if (seen->ready != KR_SOFT_UNKNOWN)
		layer->fence = -1;
	return seen->ready == KR_SOFT_UNKNOWN;
}

bool
kr_soft_look_locked(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	bool wait = false;

	for (unsigned i = 0; i < picture->count; i++) {
		struct kr_soft_layer *layer = &picture->layers[i];

		layer->left_out = false;
		if (!layer->layer.buffer || layer->fence == -1)
			layer->fence = -1;
		else
			wait |= look_at_locked(display, layer);
	}
	return wait;
}

int
kr_soft_wait_fence(
	struct kr_soft_display *display, int fence, int64_t deadline_ns, const char *what)
{
	struct kr_fence_watchdog watchdog = {0};

	kr_fence_watchdog_start(&watchdog, kr_clock_now());
	for (;;) {
		struct pollfd fds[2] = {
			{.fd = fence, .events = POLLIN}, {.fd = display->stop, .events = POLLIN}};
		int status = kr_fence_status(fence), count;

		if (status != KR_FENCE_ACTIVE)
			return status < 0 ? status : 0;
		count = kr_fd_poll(fds, 2, KR_MIN(deadline_ns, watchdog.next_ns));
		if (count < 0)
			return count;
		if (fds[1].revents)
			return -ECANCELED;
		if (count)
			continue;
		if (kr_clock_now() >= deadline_ns)
			return -ETIME;
		kr_fence_watchdog_look(&watchdog, fence, what, kr_clock_now());
	}
}

static void
learn(struct kr_soft_display *display, struct kr_soft_layer *layer, int err)
{
	enum kr_soft_ready ready = !err ? KR_SOFT_READY
		: err == -ETIME         ? KR_SOFT_LATE
					: KR_SOFT_FAILED;
	struct kr_soft_seen *seen;
	bool news;

	kr_mutex_lock(&display->lock);
	seen = kr_soft_seen_find_locked(display, layer->handle);
	news = seen && seen->ready_serial == layer->serial && seen->ready == KR_SOFT_UNKNOWN;
	if (news)
		seen->ready = ready;
	kr_mutex_unlock(&display->lock);
	layer->left_out = ready != KR_SOFT_READY;
	if (layer->left_out)
		tell(display, layer, ready, err);
}

bool
kr_soft_wait(struct kr_soft_display *display, struct kr_soft_picture *picture)
{
	char what[64];

	for (unsigned i = 0; i < picture->count; i++) {
		struct kr_soft_layer *layer = &picture->layers[i];
		int err;

		if (layer->fence == -1)
			continue;
		snprintf(what, sizeof(what), "layer %" PRIu64 " of a composer", layer->handle);
		err = kr_soft_wait_fence(display, layer->fence, layer->deadline, what);
		if (err == -ECANCELED && display->ending)
			return false;
		learn(display, layer, err);
	}
	return true;
}
