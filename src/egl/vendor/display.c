/* SPDX-License-Identifier: Apache-2.0 */
/* Displays and devices: tables that only grow, so that looking needs no lock. */
#include "egl/vendor/display.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "egl/vendor/device.h"
#include "sync/fence/fork.h"
#include "util/mutex.h"

#define BUCKETS 64

struct entry {
	const void *handle;
	struct entry *next; /* as it was when this one was put in front */
};

struct shown_display {
	struct entry entry;
	struct kr_egl_display display;
};

struct shown_device {
	struct entry entry;
	struct kr_egl_vendor *vendor;
};

static _Atomic(struct entry *) displays[BUCKETS], devices[BUCKETS];
static struct kr_mutex lock = KR_MUTEX_INITIALIZER;

static unsigned
bucket(const void *handle)
{
	uint64_t bits = (uintptr_t)handle;

	return (unsigned)((bits * UINT64_C(0x9E3779B97F4A7C15)) >> 58) % BUCKETS;
}

static struct entry *
find(_Atomic(struct entry *) *table, const void *handle)
{
	struct entry *e = atomic_load_explicit(&table[bucket(handle)], memory_order_acquire);

	while (e && e->handle != handle)
		e = e->next;
	return e;
}

/* Under the lock. */
static void
put(_Atomic(struct entry *) *table, struct entry *e, const void *handle)
{
	_Atomic(struct entry *) *head = &table[bucket(handle)];

	e->handle = handle;
	e->next = atomic_load_explicit(head, memory_order_relaxed);
	atomic_store_explicit(head, e, memory_order_release);
}

struct kr_egl_display *
kr_egl_display_find(EGLDisplay handle)
{
	struct entry *e = find(displays, handle);

	return e ? &kr_container_of(e, struct shown_display, entry)->display : NULL;
}

struct kr_egl_display *
kr_egl_display_add(EGLDisplay handle, struct kr_egl_vendor *vendor)
{
	struct kr_egl_display *display = kr_egl_display_find(handle);
	struct shown_display *made;

	if (display)
		return display->vendor == vendor ? display : NULL;
	kr_mutex_lock(&lock);
	display = kr_egl_display_find(handle);
	made = display ? NULL : calloc(1, sizeof(*made));
	if (made) {
		display = &made->display;
		display->handle = handle;
		display->vendor = vendor;
		kr_mutex_init(&display->lock);
		put(displays, &made->entry, handle);
	}
	kr_mutex_unlock(&lock);
	return display && display->vendor == vendor ? display : NULL;
}

struct kr_egl_vendor *
kr_egl_device_vendor(EGLDeviceEXT device)
{
	struct entry *e = find(devices, device);

	return e ? kr_container_of(e, struct shown_device, entry)->vendor : NULL;
}

bool
kr_egl_device_add(EGLDeviceEXT device, struct kr_egl_vendor *vendor)
{
	struct shown_device *made = NULL;
	bool known;

	if (find(devices, device))
		return true;
	kr_mutex_lock(&lock);
	known = find(devices, device);
	if (!known)
		made = calloc(1, sizeof(*made));
	if (made) {
		made->vendor = vendor;
		put(devices, &made->entry, device);
	}
	kr_mutex_unlock(&lock);
	return known || made;
}

bool
kr_egl_names_extension(const char *list, const char *extension)
{
	size_t len = strlen(extension);

	for (const char *at = list; at && len && (at = strstr(at, extension)); at += len) {
		if ((at == list || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	}
	return false;
}

bool
kr_egl_vendor_has(const struct kr_egl_display *display, const char *extension)
{
	return kr_egl_names_extension(
		display->vendor->egl.QueryString(display->handle, EGL_EXTENSIONS), extension);
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&lock);
}

/*
 * A display's own lock is held while its vendor works, for as long as that takes: a fork doesn't
 * wait for it. What another thread was at there is the parent's.
 */
static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	for (unsigned i = 0; child && i < BUCKETS; i++) {
		struct entry *e = atomic_load_explicit(&displays[i], memory_order_relaxed);

		for (; e; e = e->next)
			kr_mutex_init(
				&kr_container_of(e, struct shown_display, entry)->display.lock);
	}
	kr_mutex_unlock(&lock);
}

static void __attribute__((constructor)) register_fork(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_EGL_DISPLAYS, &hook);
}
