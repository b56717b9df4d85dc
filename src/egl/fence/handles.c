/* SPDX-License-Identifier: Apache-2.0 */
/* A table of syncs; a place that was left is the last to be taken again. */
#include "egl/fence/handles.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#define GENERATIONS 4096
#define RANGE       ((size_t)KR_EGL_MAX_SYNCS * GENERATIONS)

struct kr_mutex kr_egl_fences_lock = KR_MUTEX_INITIALIZER;

struct place {
	struct kr_egl_sync *sync; /* NULL: free */
	uint16_t generation;
	uint16_t next; /* free places: the one that is taken after this one */
};

static _Atomic uintptr_t base; /* 0: nothing is reserved yet */
static struct place places[KR_EGL_MAX_SYNCS] KR_GUARDED_BY(kr_egl_fences_lock);
static unsigned used KR_GUARDED_BY(kr_egl_fences_lock); /* places that were ever taken */
static unsigned free_count KR_GUARDED_BY(kr_egl_fences_lock);
static uint16_t first_free KR_GUARDED_BY(kr_egl_fences_lock);
static uint16_t last_free KR_GUARDED_BY(kr_egl_fences_lock);

bool
kr_egl_handle_is_ours(EGLSync handle)
{
	uintptr_t from = atomic_load_explicit(&base, memory_order_acquire);

	return from && (uintptr_t)handle - from < RANGE;
}

static bool
reserve_locked(void) KR_REQUIRES(kr_egl_fences_lock)
{
	void *range;

	if (atomic_load_explicit(&base, memory_order_relaxed))
		return true;
	range = mmap(NULL, RANGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (range == MAP_FAILED)
		return false;
	atomic_store_explicit(&base, (uintptr_t)range, memory_order_release);
	return true;
}

EGLSync
kr_egl_handle_add_locked(struct kr_egl_sync *sync)
{
	unsigned at;

	if (!reserve_locked())
		return EGL_NO_SYNC;
	if (used < KR_EGL_MAX_SYNCS) {
		at = used++;
	} else if (free_count) {
		at = first_free;
		first_free = places[at].next;
		free_count--;
	} else {
		return EGL_NO_SYNC;
	}
	places[at].sync = sync;
	return (EGLSync)(atomic_load_explicit(&base, memory_order_relaxed) +
		(uintptr_t)places[at].generation * KR_EGL_MAX_SYNCS + at);
}

/* Its place, when the handle is the one that stands there now. */
static struct place *
place_locked(EGLSync handle) KR_REQUIRES(kr_egl_fences_lock)
{
	uintptr_t offset;
	struct place *place;

	if (!kr_egl_handle_is_ours(handle))
		return NULL;
	offset = (uintptr_t)handle - atomic_load_explicit(&base, memory_order_relaxed);
	place = &places[offset % KR_EGL_MAX_SYNCS];
	return place->sync && place->generation == offset / KR_EGL_MAX_SYNCS ? place : NULL;
}

struct kr_egl_sync *
kr_egl_handle_find_locked(EGLSync handle)
{
	struct place *place = place_locked(handle);

	return place ? place->sync : NULL;
}

void
kr_egl_handle_remove_locked(EGLSync handle)
{
	struct place *place = place_locked(handle);
	uint16_t at;

	if (!place)
		return;
	at = (uint16_t)(place - places);
	place->sync = NULL;
	place->generation = (uint16_t)((place->generation + 1) % GENERATIONS);
	if (free_count)
		places[last_free].next = at;
	else
		first_free = at;
	last_free = at;
	free_count++;
}
