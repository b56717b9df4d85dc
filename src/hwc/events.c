/* SPDX-License-Identifier: Apache-2.0 */
/* See events.h. */
#include "hwc/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "util/fd.h"
#include "util/log.h"

static struct kr_hwc_events *
events_of(const struct kr_hwc_host *host)
{
	return kr_container_of((struct kr_hwc_host *)(uintptr_t)host, struct kr_hwc_events, host);
}

static krafla_display_t
host_connect(const struct kr_hwc_host *host, const char *name, void *device_data)
{
	struct kr_hwc_events *events = events_of(host);
	struct kr_hwc_event event = {
		.kind = KR_HWC_EVENT_CONNECTED,
		.display = kr_hwc_events_handle(events),
		.device_data = device_data,
	};

	snprintf(event.name, sizeof(event.name), "%s", name);
	return kr_hwc_events_add(events, &event) ? event.display : 0;
}

static void
host_disconnect(const struct kr_hwc_host *host, krafla_display_t display)
{
	kr_hwc_events_add(events_of(host),
		&(struct kr_hwc_event){.kind = KR_HWC_EVENT_DISCONNECTED, .display = display});
}

static void
host_vsync(const struct kr_hwc_host *host, krafla_display_t display, int64_t time_ns,
	int64_t period_ns)
{
	kr_hwc_events_add(events_of(host),
		&(struct kr_hwc_event){.kind = KR_HWC_EVENT_VSYNC,
			.display = display,
			.time_ns = time_ns,
			.period_ns = period_ns});
}

static void
host_refresh(const struct kr_hwc_host *host, krafla_display_t display)
{
	kr_hwc_events_add(events_of(host),
		&(struct kr_hwc_event){.kind = KR_HWC_EVENT_REFRESH, .display = display});
}

static void
host_wake(const struct kr_hwc_host *host)
{
	eventfd_write(events_of(host)->wake, 1);
}

static void
host_log(uint32_t bits, const char *message)
{
	kr_log(bits, "%s", message);
}

static const struct kr_hwc_host host_functions = {
	.abi = KR_HWC_ABI,
	.connect = host_connect,
	.disconnect = host_disconnect,
	.vsync = host_vsync,
	.refresh = host_refresh,
	.wake = host_wake,
	.buffer_handle = kr_buffer_handle,
	.buffer_ref = kr_buffer_ref,
	.buffer_unref = kr_buffer_unref,
	.log = host_log,
};

int
kr_hwc_events_watch(struct kr_hwc_events *events, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(events->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int
kr_hwc_events_init(struct kr_hwc_events *events)
{
	int err;

	*events = (struct kr_hwc_events){.host = host_functions, .epoll = -1, .wake = -1};
	events->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (events->epoll < 0)
		return -errno;
	events->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = events->wake < 0 ? -errno : kr_hwc_events_watch(events, events->wake);
	if (err) {
		kr_fd_close(&events->wake);
		kr_fd_close(&events->epoll);
		return err;
	}
	kr_mutex_init(&events->lock);
	kr_list_init(&events->list);
	return 0;
}

void
kr_hwc_events_finish(struct kr_hwc_events *events)
{
	struct kr_hwc_event *event;

	while ((event = kr_hwc_events_take(events)))
		free(event);
	kr_mutex_finish(&events->lock);
	kr_fd_close(&events->wake);
	kr_fd_close(&events->epoll);
}

uint64_t
kr_hwc_events_handle(struct kr_hwc_events *events)
{
	return atomic_fetch_add_explicit(&events->handles, 1, memory_order_relaxed) + 1;
}

/* Whether one that tells the same is there already: it is the latest one then. */
static bool
renew_locked(struct kr_hwc_events *events, const struct kr_hwc_event *event)
	KR_REQUIRES(events->lock)
{
	struct kr_hwc_event *other;

	if (event->kind != KR_HWC_EVENT_VSYNC && event->kind != KR_HWC_EVENT_REFRESH)
		return false;
	kr_list_for_each (other, &events->list, link) {
		if (other->kind != event->kind || other->display != event->display)
			continue;
		other->time_ns = event->time_ns;
		other->period_ns = event->period_ns;
		return true;
	}
	return false;
}

bool
kr_hwc_events_add(struct kr_hwc_events *events, const struct kr_hwc_event *event)
{
	struct kr_hwc_event *added = malloc(sizeof(*added));
	bool renewed;

	if (!added)
		return false;
	*added = *event;
	kr_mutex_lock(&events->lock);
	renewed = renew_locked(events, event);
	if (!renewed)
		kr_list_append(&events->list, &added->link);
	kr_mutex_unlock(&events->lock);
	if (renewed)
		free(added);
	eventfd_write(events->wake, 1);
	return true;
}

void
kr_hwc_events_begin(struct kr_hwc_events *events)
{
	eventfd_t count;

	eventfd_read(events->wake, &count);
}

struct kr_hwc_event *
kr_hwc_events_take(struct kr_hwc_events *events)
{
	struct kr_hwc_event *event = NULL;

	kr_mutex_lock(&events->lock);
	if (!kr_list_empty(&events->list)) {
		event = kr_container_of(events->list.next, struct kr_hwc_event, link);
		kr_list_remove(&event->link);
	}
	kr_mutex_unlock(&events->lock);
	return event;
}
