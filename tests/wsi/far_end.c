/* SPDX-License-Identifier: Apache-2.0 */
#include "far_end.h"

#include <errno.h>
#include <time.h>

#include "util/clock.h"
#include "window/window.h"

void
far_end_init(struct far_end *end)
{
	pthread_condattr_t attributes;

	*end = (struct far_end){0};
	pthread_mutex_init(&end->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&end->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

static void
change(struct far_end *end, uint64_t shown, bool gone)
{
	pthread_mutex_lock(&end->lock);
	end->shown = shown > end->shown ? shown : end->shown;
	end->gone |= gone;
	pthread_cond_broadcast(&end->changed);
	pthread_mutex_unlock(&end->lock);
}

void
far_end_show(struct far_end *end, uint64_t frame)
{
	change(end, frame, false);
}

void
far_end_leave(struct far_end *end)
{
	change(end, 0, true);
}

static int
wait_shown(struct far_end *end, uint64_t frame, int64_t deadline_ns)
{
	const struct timespec until = {
		.tv_sec = deadline_ns / KR_NSEC_PER_SEC, .tv_nsec = deadline_ns % KR_NSEC_PER_SEC};
	int err = 0;

	pthread_mutex_lock(&end->lock);
	end->waits++;
	while (!err && end->shown < frame && !end->gone)
		err = pthread_cond_timedwait(&end->changed, &end->lock, &until);
	if (end->shown >= frame)
		err = 0;
	else
		err = end->gone ? -ENODEV : -ETIMEDOUT;
	pthread_mutex_unlock(&end->lock);
	return err;
}

static int
last_shown(struct far_end *end, uint64_t *frame)
{
	pthread_mutex_lock(&end->lock);
	*frame = end->shown;
	pthread_mutex_unlock(&end->lock);
	return 0;
}

int
far_end_perform(struct far_end *end, int operation, int64_t first, int64_t second)
{
	switch (operation) {
	case KR_WINDOW_SET_PRESENTATION:
		end->presentation = *(const struct kr_presentation *)(intptr_t)first;
		end->said++;
		return 0;
	case KR_WINDOW_LAST_SHOWN:
		return last_shown(end, (uint64_t *)(intptr_t)first);
	case KR_WINDOW_WAIT_SHOWN:
		return wait_shown(end, (uint64_t)first, second);
	default:
		return -ENOENT;
	}
}
