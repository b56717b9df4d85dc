/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor, and what of egl/calls tests of the parts below it need. */
#include "fakes/fake_vendor.h"

#include <string.h>

#include "egl/fence/fence.h"
#include "harness.h"
#include "util/clock.h"
#include "util/mutex.h"

#define MAX_SYNCS 8192

struct fake_sync {
	bool used, ended;
	EGLContext context;
};

struct fake_vendor fake_vendor;

static struct kr_egl_vendor vendor, other_vendor;
struct kr_egl_display fake_display = {.handle = (EGLDisplay)0x10, .vendor = &vendor};
struct kr_egl_display fake_other_display = {.handle = (EGLDisplay)0x20, .vendor = &other_vendor};

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct kr_mutex display_lock = KR_MUTEX_INITIALIZER; /* with `locks_waits` */
static struct kr_cond ended;
static struct fake_sync syncs[MAX_SYNCS]; /* the handle is the number, counted from 1 */
static unsigned waiting, newest;
static _Thread_local EGLint error = EGL_SUCCESS;

static EGLint
refuse(EGLint what)
{
	error = what;
	return EGL_FALSE;
}

static struct fake_sync *
find(EGLSync handle)
{
	uintptr_t at = (uintptr_t)handle;

	if (at > MAX_SYNCS)
		fake_vendor.strangers++;
	if (!at || at > MAX_SYNCS || !syncs[at - 1].used)
		return NULL;
	return &syncs[at - 1];
}

static void
enter(void) KR_ACQUIRE(lock) KR_NO_THREAD_SAFETY
{
	if (fake_vendor.locks_waits)
		kr_mutex_lock(&display_lock);
	kr_mutex_lock(&lock);
	error = EGL_SUCCESS;
}

static void
leave(void) KR_RELEASE(lock) KR_NO_THREAD_SAFETY
{
	kr_mutex_unlock(&lock);
	if (fake_vendor.locks_waits)
		kr_mutex_unlock(&display_lock);
}

static EGLSync
create(EGLenum type, const void *attributes)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();
	EGLSync made = EGL_NO_SYNC;
	unsigned at = 0;

	enter();
	fake_vendor.creates++;
	fake_vendor.attributes = attributes;
	while (at < MAX_SYNCS && syncs[at].used)
		at++;
	if (type != EGL_SYNC_FENCE_KHR && type != EGL_SYNC_NATIVE_FENCE_ANDROID) {
		refuse(EGL_BAD_ATTRIBUTE);
	} else if (!thread->context) {
		refuse(EGL_BAD_MATCH);
	} else if (at < MAX_SYNCS) {
		syncs[at] = (struct fake_sync){true, fake_vendor.ends_at_once, thread->context};
		newest = at;
		fake_vendor.alive++;
		made = (EGLSync)(uintptr_t)(at + 1);
	}
	leave();
	return made;
}

static EGLSyncKHR EGLAPIENTRY
create_khr(EGLDisplay display, EGLenum type, const EGLint *attributes)
{
	return create(type, attributes);
}

static EGLSync EGLAPIENTRY
create_wide(EGLDisplay display, EGLenum type, const EGLAttrib *attributes)
{
	return create(type, attributes);
}

static EGLBoolean EGLAPIENTRY
destroy(EGLDisplay display, EGLSync handle)
{
	struct fake_sync *sync;

	enter();
	fake_vendor.destroys++;
	sync = find(handle);
	if (sync) {
		sync->used = false;
		fake_vendor.alive--;
	} else {
		refuse(EGL_BAD_PARAMETER);
	}
	leave();
	return sync ? EGL_TRUE : EGL_FALSE;
}

static EGLint EGLAPIENTRY
client_wait(EGLDisplay display, EGLSync handle, EGLint flags, EGLTime timeout_ns)
{
	int64_t deadline = timeout_ns == EGL_FOREVER ? KR_FOREVER : kr_deadline_in(timeout_ns);
	EGLint answer = EGL_TIMEOUT_EXPIRED;
	struct fake_sync *sync;

	enter();
	fake_vendor.waits++;
	waiting++;
	while ((sync = find(handle)) && !sync->ended && !fake_vendor.loses_waits) {
		if (kr_clock_now() >= deadline)
			break;
		kr_cond_wait_until(&ended, &lock, deadline);
	}
	waiting--;
	if (!sync)
		answer = refuse(EGL_BAD_PARAMETER);
	else if (fake_vendor.loses_waits)
		answer = refuse(EGL_CONTEXT_LOST);
	else if (sync->ended)
		answer = EGL_CONDITION_SATISFIED;
	leave();
	return answer;
}

static EGLint EGLAPIENTRY
wait_khr(EGLDisplay display, EGLSync handle, EGLint flags)
{
	EGLint answer;

	enter();
	fake_vendor.server_waits++;
	answer = find(handle) ? EGL_TRUE : refuse(EGL_BAD_PARAMETER);
	leave();
	return answer;
}

static EGLBoolean EGLAPIENTRY
wait_core(EGLDisplay display, EGLSync handle, EGLint flags)
{
	return (EGLBoolean)wait_khr(display, handle, flags);
}

static EGLBoolean
get(EGLSync handle, EGLint attribute, EGLAttrib *value)
{
	EGLBoolean known = EGL_TRUE;
	struct fake_sync *sync;

	enter();
	sync = find(handle);
	if (!sync)
		known = (EGLBoolean)refuse(EGL_BAD_PARAMETER);
	else if (attribute == EGL_SYNC_STATUS)
		*value = sync->ended ? EGL_SIGNALED : EGL_UNSIGNALED;
	else if (attribute == EGL_SYNC_TYPE)
		*value = EGL_SYNC_FENCE;
	else
		known = (EGLBoolean)refuse(EGL_BAD_ATTRIBUTE);
	leave();
	return known;
}

static EGLBoolean EGLAPIENTRY
get_khr(EGLDisplay display, EGLSync handle, EGLint attribute, EGLint *value)
{
	EGLAttrib wide = 0;
	EGLBoolean known = get(handle, attribute, &wide);

	if (known)
		*value = (EGLint)wide;
	return known;
}

static EGLBoolean EGLAPIENTRY
get_core(EGLDisplay display, EGLSync handle, EGLint attribute, EGLAttrib *value)
{
	return get(handle, attribute, value);
}

static EGLBoolean EGLAPIENTRY
signal_khr(EGLDisplay display, EGLSync handle, EGLenum mode)
{
	enter();
	fake_vendor.signals++;
	leave();
	return EGL_TRUE;
}

static EGLint EGLAPIENTRY
dup_native(EGLDisplay display, EGLSync handle)
{
	fake_vendor.dups++;
	return EGL_NO_NATIVE_FENCE_FD_ANDROID;
}

static const char *EGLAPIENTRY
query_string(EGLDisplay display, EGLint name)
{
	return name == EGL_EXTENSIONS ? fake_vendor.extensions : "1.4 fake";
}

static EGLint EGLAPIENTRY
get_error(void)
{
	EGLint last = error;

	error = EGL_SUCCESS;
	return last;
}

static void
gl_flush(void)
{
	enter();
	fake_vendor.flushes++;
	leave();
}

static void *
get_proc_address(const char *name)
{
	static const struct {
		const char *name, *extension;
		void *function;
	} functions[] = {
		{"eglCreateSyncKHR", "EGL_KHR_fence_sync", (void *)create_khr},
		{"eglCreateSync64KHR", "EGL_KHR_fence_sync", (void *)create_wide},
		{"eglDestroySyncKHR", "EGL_KHR_fence_sync", (void *)destroy},
		{"eglClientWaitSyncKHR", "EGL_KHR_fence_sync", (void *)client_wait},
		{"eglGetSyncAttribKHR", "EGL_KHR_fence_sync", (void *)get_khr},
		{"eglWaitSyncKHR", "EGL_KHR_wait_sync", (void *)wait_khr},
		{"eglSignalSyncKHR", "EGL_KHR_reusable_sync", (void *)signal_khr},
		{"eglDupNativeFenceFDANDROID", "EGL_ANDROID_native_fence_sync", (void *)dup_native},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name) &&
			kr_egl_names_extension(fake_vendor.extensions, functions[i].extension))
			return functions[i].function;
	}
	return NULL;
}

/* In place of src/egl/vendor/vendor.c, which loads libraries. */
void *
kr_egl_vendor_function(struct kr_egl_vendor *which, const char *name)
{
	return which->imports.getProcAddress(name);
}

unsigned
kr_egl_vendors_count(void)
{
	return 1;
}

struct kr_egl_vendor *
kr_egl_vendor_at(unsigned index)
{
	return &vendor;
}

void
fake_vendor_start(const char *extensions)
{
	kr_cond_init(&ended);
	fake_vendor.extensions = extensions ? extensions : FAKE_OLD;
	vendor.imports.getProcAddress = get_proc_address;
#define FUNCTION(name, upper) vendor.egl.name = (PFNEGL##upper##PROC)get_proc_address("egl" #name);
	KR_EGL_SYNC_FUNCTIONS(FUNCTION)
#undef FUNCTION
	vendor.egl.QueryString = query_string;
	vendor.egl.GetError = get_error;
	vendor.gl_flush = gl_flush;
	if (fake_vendor.has_1_5) {
		vendor.egl.CreateSync = create_wide;
		vendor.egl.DestroySync = destroy;
		vendor.egl.ClientWaitSync = client_wait;
		vendor.egl.WaitSync = wait_core;
		vendor.egl.GetSyncAttrib = get_core;
	}
	other_vendor = vendor;
	assert_true(kr_egl_fences_start(&fake_display));
	assert_true(kr_egl_fences_start(&fake_other_display));
}

void
fake_vendor_stop(void)
{
	kr_egl_fences_stop(&fake_display);
	kr_egl_fences_stop(&fake_other_display);
	assert_int_equal(fake_vendor.alive, 0);
	assert_int_equal(fake_vendor.strangers, 0);
	kr_cond_finish(&ended);
}

void
fake_make_current(int context)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();

	enter();
	leave();
	if (thread->display)
		kr_egl_fences_flushed(thread);
	thread->display = context ? &fake_display : NULL;
	thread->context = (EGLContext)(intptr_t)context;
}

void
fake_flush(void)
{
	gl_flush();
	kr_egl_fences_flushed(kr_egl_this_thread());
}

static void
end(EGLContext context, bool only_newest)
{
	kr_mutex_lock(&lock);
	for (unsigned i = 0; i < MAX_SYNCS; i++) {
		if ((!context || syncs[i].context == context) && (!only_newest || i == newest))
			syncs[i].ended = true;
	}
	kr_cond_broadcast(&ended);
	kr_mutex_unlock(&lock);
}

void
fake_lose_waits(void)
{
	kr_mutex_lock(&lock);
	fake_vendor.loses_waits = true;
	kr_cond_broadcast(&ended);
	kr_mutex_unlock(&lock);
}

void
fake_end_all(void)
{
	end(EGL_NO_CONTEXT, false);
}

void
fake_end_context(int context)
{
	end((EGLContext)(intptr_t)context, false);
}

void
fake_end_newest(void)
{
	end(EGL_NO_CONTEXT, true);
}

unsigned
fake_waiting(void)
{
	unsigned count;

	kr_mutex_lock(&lock);
	count = waiting;
	kr_mutex_unlock(&lock);
	return count;
}

EGLint
fake_error(void)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();
	EGLint last = thread->last ? thread->last->egl.GetError() : thread->error;

	thread->last = NULL;
	thread->error = EGL_SUCCESS;
	return last;
}
