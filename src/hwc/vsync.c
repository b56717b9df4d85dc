/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See vsync.h. A screen has blanks at vsync_base + n * period, whoever wants to be told; the timer
 * is set to the next that anybody does.
 */
#include "hwc/vsync.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

int
kr_soft_vsync_init(struct kr_soft *soft)
{
	soft->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return soft->timer < 0 ? -errno : 0;
}

void
kr_soft_vsync_finish(struct kr_soft *soft)
{
	kr_fd_close(&soft->timer);
}

/* Sets the timer, or stops it. */
static void
set_timer(struct kr_soft *soft)
{
	const struct kr_soft_display *display;
	struct itimerspec when = {0};
	int64_t next = KR_FOREVER;

	kr_list_for_each (display, &soft->displays, link) {
		if (display->vsync)
			next = KR_MIN(next, display->vsync_next);
	}
	if (next != KR_FOREVER)
		when.it_value = (struct timespec){
			.tv_sec = next / KR_NSEC_PER_SEC, .tv_nsec = next % KR_NSEC_PER_SEC};
	timerfd_settime(soft->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* The last blank that isn't after `now`. */
static int64_t
last_blank(const struct kr_soft_display *display, int64_t now)
{
	int64_t period = display->screen.vsync_period_ns;

	return now - (now - display->vsync_base) % period;
}

void
kr_soft_vsync_set(struct kr_soft_display *display, bool enabled)
{
	display->vsync = enabled;
	display->vsync_next = last_blank(display, kr_clock_now()) + display->screen.vsync_period_ns;
	set_timer(display->device);
}

void
kr_soft_vsync_set_period(struct kr_soft_display *display, uint32_t period_ns)
{
	display->vsync_base = last_blank(display, kr_clock_now());
	display->screen.vsync_period_ns = period_ns;
	kr_soft_vsync_set(display, display->vsync);
}

void
kr_soft_vsync_dispatch(struct kr_soft *soft)
{
	const struct kr_hwc_host *host = soft->host;
	struct kr_soft_display *display;
	int64_t now = kr_clock_now();
	uint64_t expired;

	if (read(soft->timer, &expired, sizeof(expired)) < 0)
		return;
	kr_list_for_each (display, &soft->displays, link) {
		int64_t period = display->screen.vsync_period_ns;

		if (!display->vsync || display->vsync_next > now)
			continue;
		display->vsync_next = last_blank(display, now) + period;
		host->vsync(host, display->state->handle, display->vsync_next - period, period);
	}
	set_timer(soft);
}
