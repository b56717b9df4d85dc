/* SPDX-License-Identifier: Apache-2.0 */
/* See alarms.h. */
#include "painter/alarms.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "painter/painter.h"
#include "util/clock.h"
#include "util/fd.h"

int
kr_painter_alarms_open(struct kr_painter_alarms *alarms)
{
	*alarms = (struct kr_painter_alarms){.epoll = -1, .timer = -1, .look_at = KR_FOREVER};
	alarms->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (alarms->epoll < 0)
		return -errno;
	alarms->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (alarms->timer < 0)
		return -errno;
	return kr_painter_alarms_watch(alarms, alarms->timer);
}

void
kr_painter_alarms_finish(struct kr_painter_alarms *alarms)
{
	kr_fd_close(&alarms->timer);
	kr_fd_close(&alarms->epoll);
}

int
kr_painter_alarms_watch(struct kr_painter_alarms *alarms, int socket)
{
	struct epoll_event events = {.events = EPOLLIN};

	return epoll_ctl(alarms->epoll, EPOLL_CTL_ADD, socket, &events) ? -errno : 0;
}

void
kr_painter_alarms_forget(struct kr_painter_alarms *alarms, int socket)
{
	if (socket >= 0)
		epoll_ctl(alarms->epoll, EPOLL_CTL_DEL, socket, NULL);
}

/* The next look at whether it stands still; KR_FOREVER while it owes no answer. */
static int64_t
plan_look(struct kr_painter_alarms *alarms, int64_t deadline)
{
	if (deadline == KR_FOREVER) {
		alarms->look_at = KR_FOREVER;
		alarms->stood_still = false;
	} else if (alarms->look_at == KR_FOREVER) {
		alarms->look_at =
			kr_deadline_in((uint64_t)KR_PAINTER_STOPPED_MS * KR_NSEC_PER_MSEC);
	}
	return alarms->look_at;
}

void
kr_painter_alarms_set(struct kr_painter_alarms *alarms, int socket, int64_t deadline, bool waits)
{
	int64_t next = KR_MIN(deadline, plan_look(alarms, deadline));
	struct itimerspec when = {0};
	struct epoll_event events = {.events = EPOLLIN | (waits ? EPOLLOUT : 0)};

	if (next != KR_FOREVER) {
		when.it_value.tv_sec = next / KR_NSEC_PER_SEC;
		when.it_value.tv_nsec = next % KR_NSEC_PER_SEC;
	}
	timerfd_settime(alarms->timer, TFD_TIMER_ABSTIME, &when, NULL);
	if (waits != alarms->waits_for_room && socket >= 0)
		epoll_ctl(alarms->epoll, EPOLL_CTL_MOD, socket, &events);
	alarms->waits_for_room = waits;
}

void
kr_painter_alarms_heard(struct kr_painter_alarms *alarms)
{
	alarms->stood_still = false;
}

bool
kr_painter_alarms_stands_still(
	struct kr_painter_alarms *alarms, const struct kr_painter_process *process)
{
	bool stood_still = alarms->stood_still;

	if (kr_clock_now() < alarms->look_at)
		return false;
	alarms->look_at = KR_FOREVER;
	alarms->stood_still = kr_painter_process_is_stopped(process);
	return alarms->stood_still && stood_still;
}
