/* SPDX-License-Identifier: Apache-2.0 */
/* Displays, their strings, and what is current. */
#include "egl/calls/internal.h"

#include <string.h>

#include "egl/fence/fence.h"
#include "egl/image/image.h"
#include "egl/vendor/device.h"
#include "egl/window/window.h"
#include "util/env.h"
#include "util/log.h"
#include "util/macros.h"

static EGLDisplay
ask(struct kr_egl_vendor *vendor, EGLenum platform, void *native, const EGLAttrib *attributes)
{
	EGLDisplay handle = vendor->imports.getPlatformDisplay(platform, native, attributes);

	kr_egl_error_of(vendor);
	if (handle == EGL_NO_DISPLAY || kr_egl_display_add(handle, vendor))
		return handle;
	kr_egl_error_set(EGL_BAD_ALLOC);
	return EGL_NO_DISPLAY;
}

/* The first that has it. If one says that nothing is wrong it is so, else what the first says. */
static EGLDisplay
ask_all(EGLenum platform, void *native, const EGLAttrib *attributes)
{
	EGLint error = EGL_SUCCESS, of_vendor;
	bool wrong = true;

	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		struct kr_egl_vendor *vendor = kr_egl_vendor_at(i);
		EGLDisplay handle = ask(vendor, platform, native, attributes);

		if (handle != EGL_NO_DISPLAY)
			return handle;
		of_vendor = kr_egl_error_take();
		wrong = wrong && of_vendor != EGL_SUCCESS;
		if (error == EGL_SUCCESS)
			error = of_vendor;
	}
	kr_egl_error_set(wrong ? error : EGL_SUCCESS);
	return EGL_NO_DISPLAY;
}

static bool
is_android(EGLenum platform)
{
	const char *named = platform == EGL_NONE ? kr_env_get("EGL_PLATFORM") : NULL;

	return platform == EGL_PLATFORM_ANDROID_KHR || (named && !strcmp(named, "android"));
}

EGLDisplay
kr_egl_platform_display(EGLenum platform, void *native, const EGLAttrib *attributes)
{
	struct kr_egl_vendor *of_device =
		platform == EGL_PLATFORM_DEVICE_EXT ? kr_egl_device_vendor(native) : NULL;

	/* A list with nothing in it names another display than none to Mesa: that is android's. */
	if (attributes && attributes[0] == EGL_NONE)
		attributes = NULL;
	if (is_android(platform))
		return kr_egl_android_display(native, attributes);
	if (of_device)
		return ask(of_device, platform, native, attributes);
	return ask_all(platform, native, attributes);
}

static EGLDisplay EGLAPIENTRY
get_display(EGLNativeDisplayType native)
{
	return kr_egl_platform_display(EGL_NONE, (void *)native, NULL);
}

/* EGL_KHR_display_reference: each eglInitialize wants an eglTerminate of its own. */
static bool
counts_references(struct kr_egl_display *display)
{
	const char *client = display->vendor->egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	EGLAttrib counts = EGL_FALSE;

	return kr_egl_names_extension(client, "EGL_KHR_display_reference") &&
		kr_egl_display_attribute(display, EGL_TRACK_REFERENCES_KHR, &counts) && counts;
}

/* What is Krafla's of a display that the vendor has initialised. Under the lock. */
static bool
start(struct kr_egl_display *display)
{
	if (!kr_egl_fences_start(display) || (display->android && !kr_egl_windows_start(display)) ||
		!kr_egl_display_extensions_build(display))
		return false;
	kr_egl_gl_display_begins(display);
	return true;
}

/* Under the lock, before the vendor ends it: all of this uses the vendor. */
static void
stop(struct kr_egl_display *display)
{
	if (display->android)
		kr_egl_windows_stop(display);
	kr_egl_images_stop(display);
	kr_egl_fences_stop(display);
}

static EGLBoolean
initialize_locked(struct kr_egl_display *display, EGLint *major, EGLint *minor)
{
	struct kr_egl_vendor *vendor = display->vendor;

	if (!vendor->egl.Initialize(display->handle, major, minor))
		return EGL_FALSE;
	if (!display->references && !start(display)) {
		stop(display);
		(void)vendor->egl.Terminate(display->handle);
		kr_egl_error_set(EGL_BAD_ALLOC);
		return EGL_FALSE;
	}
	if (!display->references || counts_references(display))
		display->references++;
	kr_egl_error_of(vendor);
	return EGL_TRUE;
}

static EGLBoolean EGLAPIENTRY
initialize(EGLDisplay dpy, EGLint *major, EGLint *minor)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);
	EGLBoolean done;

	if (!display)
		return EGL_FALSE;
	kr_mutex_lock(&display->lock);
	done = initialize_locked(display, major, minor);
	kr_mutex_unlock(&display->lock);
	return done;
}

static EGLBoolean EGLAPIENTRY
terminate(EGLDisplay dpy)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);
	EGLBoolean done;

	if (!display)
		return EGL_FALSE;
	kr_mutex_lock(&display->lock);
	if (display->references == 1)
		stop(display);
	if (display->references)
		display->references--;
	kr_egl_error_of(display->vendor);
	done = display->vendor->egl.Terminate(dpy);
	kr_mutex_unlock(&display->lock);
	return done;
}

static const char *EGLAPIENTRY
query_string(EGLDisplay dpy, EGLint name)
{
	struct kr_egl_display *display;
	const char *text;

	if (dpy == EGL_NO_DISPLAY && (name == EGL_EXTENSIONS || name == EGL_VERSION))
		return kr_egl_client_string(name);
	display = kr_egl_enter(dpy);
	text = display ? display->vendor->egl.QueryString(dpy, name) : NULL;
	return text && name == EGL_EXTENSIONS ? kr_egl_display_extensions(display) : text;
}

static EGLBoolean
make_vendors_current(
	struct kr_egl_display *display, EGLSurface draw, EGLSurface read, EGLContext context)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();

	if (display->android || (thread->display && thread->display->android))
		return kr_egl_surfaces_make_current(display, draw, read, context);
	return display->vendor->egl.MakeCurrent(display->handle, draw, read, context);
}

/* Another vendor's context goes first, or two would think that they have the thread. */
static EGLBoolean
leave(struct kr_egl_thread *thread)
{
	EGLBoolean left;

	kr_egl_error_of(thread->display->vendor);
	left = make_vendors_current(
		thread->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	kr_egl_ended(left, left);
	if (left)
		thread->display = NULL;
	return left;
}

/* As it was: what failed has changed nothing, and its error stays. */
static void
come_back(const struct kr_egl_thread *old)
{
	struct kr_egl_thread *thread = kr_egl_this_thread(), failed = *thread;

	if (make_vendors_current(old->display, old->draw, old->read, old->context))
		thread->display = old->display;
	thread->last = failed.last;
	thread->error = failed.error;
	kr_egl_gl_current(thread->display ? thread->display->vendor : NULL);
}

/* Whether the thread's GL can become this display's; the error is set. */
static bool
can_serve(const struct kr_egl_display *display)
{
	if (!kr_egl_gl_serves(display->vendor)) {
		kr_error("EGL: %s: contexts of a second vendor can't be had on this architecture",
			display->vendor->library);
		kr_egl_error_set(EGL_BAD_MATCH);
		return false;
	}
	if (kr_egl_gl_prepare())
		return true;
	kr_egl_error_set(EGL_BAD_ALLOC);
	return false;
}

static EGLBoolean EGLAPIENTRY
make_current(EGLDisplay dpy, EGLSurface draw, EGLSurface read, EGLContext context)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);
	struct kr_egl_thread *thread = kr_egl_this_thread(), old = *thread;
	bool other = display && thread->display && thread->display->vendor != display->vendor;

	if (!display)
		return EGL_FALSE;
	if (context != EGL_NO_CONTEXT && !can_serve(display))
		return EGL_FALSE;
	if (other && !leave(thread))
		return EGL_FALSE;
	kr_egl_error_of(display->vendor);
	if (!make_vendors_current(display, draw, read, context)) {
		kr_egl_ended(EGL_FALSE, false);
		if (other)
			come_back(&old);
		return EGL_FALSE;
	}
	kr_egl_ended(EGL_TRUE, true);
	thread->display = context == EGL_NO_CONTEXT ? NULL : display;
	thread->context = context;
	thread->draw = draw;
	thread->read = read;
	kr_egl_gl_current(thread->display ? display->vendor : NULL);
	return EGL_TRUE;
}

static EGLBoolean EGLAPIENTRY
destroy_context(EGLDisplay dpy, EGLContext context)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display || !display->vendor->egl.DestroyContext(dpy, context))
		return EGL_FALSE;
	kr_egl_fences_context_gone(display, context);
	kr_egl_error_of(display->vendor);
	return EGL_TRUE;
}

const struct kr_egl_call kr_egl_display_calls[] = {
	KR_EGL_CALL("eglDestroyContext", destroy_context),
	KR_EGL_CALL("eglGetDisplay", get_display),
	KR_EGL_CALL("eglGetPlatformDisplay", kr_egl_platform_display),
	KR_EGL_CALL("eglInitialize", initialize),
	KR_EGL_CALL("eglMakeCurrent", make_current),
	KR_EGL_CALL("eglQueryString", query_string),
	KR_EGL_CALL("eglTerminate", terminate),
};
const size_t kr_egl_display_call_count = KR_ARRAY_LEN(kr_egl_display_calls);
