/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device tells its composer, until the program dispatches it: one queue a composer, and the
 * descriptor that the program polls. Of each display there is one vsync and one refresh in it at
 * most, the latest; hotplug is never lost.
 *
 * Thread-safety: any thread; its lock is taken inside the composer's.
 */
#ifndef KR_HWC_EVENTS_H
#define KR_HWC_EVENTS_H

#include <krafla/composer.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "hwc/device.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/mutex.h"

enum kr_hwc_event_kind {
	KR_HWC_EVENT_CONNECTED, /* a display is there; `name` and `device_data` say which */
	KR_HWC_EVENT_DISCONNECTED,
	KR_HWC_EVENT_REFRESH,
	KR_HWC_EVENT_VSYNC,
};

struct kr_hwc_event {
	struct kr_list link; /* kr_hwc_events.list */
	enum kr_hwc_event_kind kind;
	krafla_display_t display;
	bool made; /* by the program: there already, or gone already */
	int64_t time_ns;
	int64_t period_ns;
	void *device_data;
	char name[64];
};

struct kr_hwc_events {
	struct kr_hwc_host host;      /* what the device has of us */
	atomic_uint_fast64_t handles; /* the last one that was given; partner: itself */
	int epoll; /* what the program polls: `wake` and the device's descriptor */
	int wake;  /* eventfd: something is in the list, or the device asked for dispatch */
	struct kr_mutex lock;
	struct kr_list list KR_GUARDED_BY(lock); /* kr_hwc_event.link */
};

/* 0 or -errno. */
int kr_hwc_events_init(struct kr_hwc_events *events) KR_MUST_CHECK;
void kr_hwc_events_finish(struct kr_hwc_events *events);
/* The program's poll sees the device's descriptor too. 0 or -errno. */
int kr_hwc_events_watch(struct kr_hwc_events *events, int fd) KR_MUST_CHECK;
/* Another handle. */
uint64_t kr_hwc_events_handle(struct kr_hwc_events *events);
/* Adds one; false without memory. */
bool kr_hwc_events_add(struct kr_hwc_events *events, const struct kr_hwc_event *event);
/* The descriptor isn't readable any more until something comes. */
void kr_hwc_events_begin(struct kr_hwc_events *events);
/* The oldest, to be freed; NULL: none. */
struct kr_hwc_event *kr_hwc_events_take(struct kr_hwc_events *events);

#endif
