/* SPDX-License-Identifier: Apache-2.0 */
/* See events.h. */
#include "outputs/kms/events.h"

#include <errno.h>
#include <poll.h>
#include <xf86drm.h>

#include "util/clock.h"
#include "util/fd.h"

static void
handle_flip(int drm, unsigned sequence, unsigned seconds, unsigned microseconds, unsigned crtc,
	void *data)
{
	struct kms_listener *listener = data;

	if (listener)
		listener->flipped(listener, crtc, sequence,
			seconds * KR_NSEC_PER_SEC + microseconds * INT64_C(1000));
}

static void
handle_sequence(int drm, uint64_t sequence, uint64_t time_ns, uint64_t data)
{
	struct kms_listener *listener = (struct kms_listener *)(uintptr_t)data;

	if (listener)
		listener->vblank(listener, sequence, (int64_t)time_ns);
}

static drmEventContext context = {
	.version = 4,
	.page_flip_handler2 = handle_flip,
	.sequence_handler = handle_sequence,
};

int
kms_events_read(int drm)
{
	struct pollfd waiting = {drm, POLLIN, 0};
	int ret;

	do {
		ret = kr_fd_poll(&waiting, 1, 0);
		if (ret < 0)
			return ret;
		if (!ret)
			return 0;
		if (!(waiting.revents & POLLIN))
			return -ENODEV;
	} while (!drmHandleEvent(drm, &context));
	return errno == EAGAIN ? 0 : -ENODEV;
}

int
kms_events_wait(int drm, int64_t deadline_ns)
{
	struct pollfd waiting = {drm, POLLIN, 0};
	int ret = kr_fd_poll(&waiting, 1, deadline_ns);

	if (ret < 0)
		return ret;
	if (!ret)
		return -ETIMEDOUT;
	return waiting.revents & POLLIN ? kms_events_read(drm) : -ENODEV;
}
