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
#include "util/hash.h"
#include "util/log.h"
#include "util/mutex.h"

static uintptr_t
nothing(void)
{
	return 0;
}

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static char *names[KR_EGL_JUMPS];
static unsigned function_count;
static void *no_table[KR_EGL_JUMPS]; /* filled before there is a jump */
static void **tables[KR_EGL_MAX_VENDORS];

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

/* Under the lock. False: no memory. */
static bool
make_tables(void)
{
	static bool made;

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
void
kr_egl_gl_current(const struct kr_egl_vendor *vendor)
{
	void **table = no_table;

	if (!KR_EGL_JUMP_SIZE || kr_egl_vendors_count() < 2)
		return;
	kr_mutex_lock(&lock);
	if (vendor && make_tables())
		table = tables[vendor->index];
	kr_mutex_unlock(&lock);
	kr_egl_jump_table = table;
}

/* Under the lock: another one in all tables. False: no vendor has it, or no memory. */
static bool
add_jump(const char *name)
{
	unsigned slot = function_count;
	bool had = false;
	char *copy;

	if (slot == KR_EGL_JUMPS || !make_tables())
		return false;
	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		void *function = function_of(kr_egl_vendor_at(i), name);

		tables[i][slot] = function ? function : (void *)nothing;
		had = had || function;
	}
	copy = had ? strdup(name) : NULL;
	if (!copy)
		return false;
	names[slot] = copy;
	function_count++;
	return true;
}

static void *
jump_to(unsigned slot)
{
	return (void *)(kr_egl_jumps + (size_t)slot * KR_EGL_JUMP_SIZE);
}

static void *
find_jump(const char *name)
{
	static struct kr_hash by_name; /* places in `names` */
	char **place;
	void *jump = NULL;

	kr_mutex_lock(&lock);
	place = kr_hash_get(&by_name, key(name));
	if (place && !strcmp(*place, name))
		jump = jump_to((unsigned)(place - names));
	else if (add_jump(name)) {
		place = &names[function_count - 1];
		jump = jump_to(function_count - 1);
		if (kr_hash_put(&by_name, key(name), place))
			kr_debug("EGL: %s may be given twice", name);
	}
	kr_mutex_unlock(&lock);
	return jump;
}

void *
kr_egl_gl_function(const char *name)
{
	if (!KR_EGL_JUMP_SIZE || kr_egl_vendors_count() == 1)
		return function_of(kr_egl_vendor_at(0), name);
	return find_jump(name);
}
