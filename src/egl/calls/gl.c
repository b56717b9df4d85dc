/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GL. glvnd has one table of functions for each vendor that it knows, and we are one: with a single
 * vendor behind us these are its own addresses. With several, each function is a jump through the
 * table of the vendor whose context the thread has current.
 */
#include "egl/calls/internal.h"

#include <stdlib.h>
#include <string.h>

#include "egl/calls/jumps.h"
#include "egl/fence/fence.h"
#include "sync/fence/fork.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/mutex.h"

static uintptr_t
nothing(void)
{
	return 0;
}

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static char *names[KR_EGL_JUMPS] KR_GUARDED_BY(lock);
static unsigned function_count KR_GUARDED_BY(lock);
static void *no_table[KR_EGL_JUMPS]; /* filled before there is a jump */
static void **tables[KR_EGL_MAX_VENDORS] KR_GUARDED_BY(lock);

_Thread_local void **kr_egl_jump_table = no_table;

bool
kr_egl_gl_serves(const struct kr_egl_vendor *vendor)
{
	return KR_EGL_JUMP_SIZE || !vendor->index;
}

/* Until a display is there nobody knows: then they are told. */
static _Atomic bool initialized, emulated;

void
kr_egl_gl_display_begins(const struct kr_egl_display *display)
{
	if (kr_egl_fences_emulated(display))
		emulated = true;
	initialized = true;
}

static void
flush(void)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();

	if (!thread->display || !thread->display->vendor->gl_flush)
		return;
	thread->display->vendor->gl_flush();
	kr_egl_fences_flushed(thread);
}

static void
finish(void)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();

	if (!thread->display || !thread->display->vendor->gl_finish)
		return;
	thread->display->vendor->gl_finish();
	kr_egl_fences_flushed(thread);
}

/* The vendor's, or ours around it where a display has fences that need to know of each flush. */
static void *
function_of(struct kr_egl_vendor *vendor, const char *name)
{
	void *function = kr_egl_vendor_function(vendor, name);
	bool flushes = !strcmp(name, "glFlush");

	if (!function || (!flushes && strcmp(name, "glFinish")))
		return function;
	if (initialized && !emulated) {
		vendor->flushes_unseen = true;
		return function;
	}
	return flushes ? (void *)flush : (void *)finish;
}

/* FNV-1a. */
static uint64_t
key(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash;
}

static bool
has_jumps(void)
{
	return KR_EGL_JUMP_SIZE && kr_egl_vendors_count() > 1;
}

/* False: no memory. */
static bool
make_tables_locked(void) KR_REQUIRES(lock)
{
	static bool made KR_GUARDED_BY(lock);

	for (unsigned i = 0; !made && i < kr_egl_vendors_count(); i++) {
		if (!tables[i])
			tables[i] = malloc(sizeof(no_table));
		if (!tables[i])
			return false;
	}
	for (unsigned i = 0; !made && i < KR_EGL_JUMPS; i++) {
		no_table[i] = (void *)nothing;
		for (unsigned k = 0; k < kr_egl_vendors_count(); k++)
			tables[k][i] = (void *)nothing;
	}
	made = true;
	return true;
}

/* A context may be current before the first function is asked for. */
bool
kr_egl_gl_prepare(void)
{
	bool made = true;

	if (!has_jumps())
		return true;
	kr_mutex_lock(&lock);
	made = make_tables_locked();
	kr_mutex_unlock(&lock);
	return made;
}

void
kr_egl_gl_current(const struct kr_egl_vendor *vendor)
{
	void **table = no_table;

	if (!has_jumps())
		return;
	kr_mutex_lock(&lock);
	if (vendor)
		table = tables[vendor->index];
	kr_mutex_unlock(&lock);
	kr_egl_jump_table = table;
}

/* What stands in each vendor's table at that name. False: no vendor has it. */
static bool
ask_vendors(const char *name, void **functions)
{
	bool had = false;

	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		void *function = function_of(kr_egl_vendor_at(i), name);

		functions[i] = function ? function : (void *)nothing;
		had = had || function;
	}
	return had;
}

static void *
jump_to(unsigned slot)
{
	return (void *)(kr_egl_jumps + (size_t)slot * KR_EGL_JUMP_SIZE);
}

static struct kr_hash by_name KR_GUARDED_BY(lock); /* places in `names` */

/* NULL: it has none yet, and *free is the key that it is to get. */
static void *
find_jump_locked(const char *name, uint64_t *free) KR_REQUIRES(lock)
{
	char **place;

	for (*free = key(name); (place = kr_hash_get(&by_name, *free)); (*free)++) {
		if (!strcmp(*place, name))
			return jump_to((unsigned)(place - names));
	}
	return NULL;
}

/* Another one in all tables. NULL: no memory, or too many. */
static void *
add_jump_locked(const char *name, uint64_t key, void *const *functions) KR_REQUIRES(lock)
{
	static bool told KR_GUARDED_BY(lock);
	unsigned slot = function_count;

	if (slot == KR_EGL_JUMPS) {
		if (!told)
			kr_warn("EGL: %s: not given: there are %d functions of GL already", name,
				KR_EGL_JUMPS);
		told = true;
		return NULL;
	}
	if (!make_tables_locked())
		return NULL;
	names[slot] = strdup(name);
	if (!names[slot] || kr_hash_put(&by_name, key, &names[slot])) {
		free(names[slot]);
		return NULL;
	}
	for (unsigned i = 0; i < kr_egl_vendors_count(); i++)
		tables[i][slot] = functions[i];
	function_count++;
	return jump_to(slot);
}

/* Vendors are asked without the lock: a fork waits for it. */
static void *
have_jump(const char *name)
{
	void *functions[KR_EGL_MAX_VENDORS], *jump;
	uint64_t free;

	kr_mutex_lock(&lock);
	jump = find_jump_locked(name, &free);
	kr_mutex_unlock(&lock);
	if (jump || !ask_vendors(name, functions))
		return jump;
	kr_mutex_lock(&lock);
	jump = find_jump_locked(name, &free);
	if (!jump)
		jump = add_jump_locked(name, free, functions);
	kr_mutex_unlock(&lock);
	return jump;
}

void *
kr_egl_gl_function(const char *name)
{
	return has_jumps() ? have_jump(name) : function_of(kr_egl_vendor_at(0), name);
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&lock);
}

static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	kr_mutex_unlock(&lock);
}

static void __attribute__((constructor)) register_fork(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_EGL_JUMPS, &hook);
}
