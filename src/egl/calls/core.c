/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that go to the display's vendor as they are, and those without a display. */
#include "egl/calls/internal.h"

#include "egl/fence/fence.h"
#include "egl/window/window.h"
#include "util/macros.h"

/* A function of the display's vendor, of EGL 1.4. */
#define FORWARD(type, none, name, parameters, arguments)                                           \
	static type EGLAPIENTRY forward_##name parameters                                          \
	{                                                                                          \
		struct kr_egl_display *display = kr_egl_enter(dpy);                                \
                                                                                                   \
		return display ? display->vendor->egl.name arguments : none;                       \
	}

FORWARD(EGLBoolean, EGL_FALSE, CopyBuffers,
	(EGLDisplay dpy, EGLSurface surface, EGLNativePixmapType target), (dpy, surface, target))
FORWARD(EGLContext, EGL_NO_CONTEXT, CreateContext,
	(EGLDisplay dpy, EGLConfig config, EGLContext share, const EGLint *attributes),
	(dpy, config, share, attributes))
FORWARD(EGLSurface, EGL_NO_SURFACE, CreatePbufferFromClientBuffer,
	(EGLDisplay dpy, EGLenum type, EGLClientBuffer buffer, EGLConfig config,
		const EGLint *attributes),
	(dpy, type, buffer, config, attributes))
FORWARD(EGLSurface, EGL_NO_SURFACE, CreatePbufferSurface,
	(EGLDisplay dpy, EGLConfig config, const EGLint *attributes), (dpy, config, attributes))
FORWARD(EGLSurface, EGL_NO_SURFACE, CreatePixmapSurface,
	(EGLDisplay dpy, EGLConfig config, EGLNativePixmapType pixmap, const EGLint *attributes),
	(dpy, config, pixmap, attributes))
FORWARD(EGLBoolean, EGL_FALSE, BindTexImage, (EGLDisplay dpy, EGLSurface surface, EGLint buffer),
	(dpy, surface, buffer))
FORWARD(EGLBoolean, EGL_FALSE, ReleaseTexImage, (EGLDisplay dpy, EGLSurface surface, EGLint buffer),
	(dpy, surface, buffer))
FORWARD(EGLBoolean, EGL_FALSE, GetConfigs,
	(EGLDisplay dpy, EGLConfig *configs, EGLint size, EGLint *count),
	(dpy, configs, size, count))
FORWARD(EGLBoolean, EGL_FALSE, QueryContext,
	(EGLDisplay dpy, EGLContext context, EGLint attribute, EGLint *value),
	(dpy, context, attribute, value))

static EGLint EGLAPIENTRY
get_error(void)
{
	return kr_egl_error_take();
}

/* Each vendor has a current API of its own, which contexts are made of, or asks us for it. */
static EGLBoolean EGLAPIENTRY
bind_api(EGLenum api)
{
	EGLBoolean bound = EGL_FALSE;

	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		struct kr_egl_vendor *vendor = kr_egl_vendor_at(i);

		if (vendor->imports.getSupportsAPI(api) &&
			(!vendor->egl.BindAPI || vendor->egl.BindAPI(api)))
			bound = EGL_TRUE;
	}
	if (bound)
		kr_egl_this_thread()->api = api;
	kr_egl_error_set(bound ? EGL_SUCCESS : EGL_BAD_PARAMETER);
	return bound;
}

static EGLenum EGLAPIENTRY
query_api(void)
{
	kr_egl_error_set(EGL_SUCCESS);
	return kr_egl_this_thread()->api;
}

/* Only the vendor of the current context may refuse: as glvnd has it. */
static EGLBoolean EGLAPIENTRY
release_thread(void)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();
	struct kr_egl_vendor *current = thread->display ? thread->display->vendor : NULL;

	if (current && thread->display->android)
		(void)kr_egl_surfaces_make_current(
			thread->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	if (current && !current->egl.ReleaseThread()) {
		kr_egl_error_of(current);
		return EGL_FALSE;
	}
	kr_egl_surfaces_let_go();
	kr_egl_ended(EGL_TRUE, true);
	for (unsigned i = 0; i < kr_egl_vendors_count(); i++) {
		if (kr_egl_vendor_at(i) != current)
			(void)kr_egl_vendor_at(i)->egl.ReleaseThread();
	}
	kr_egl_gl_current(NULL);
	*thread = (struct kr_egl_thread){.api = EGL_OPENGL_ES_API, .error = EGL_SUCCESS};
	return EGL_TRUE;
}

static EGLBoolean
wait_current(struct kr_egl_thread *thread, EGLBoolean (*wait)(void))
{
	EGLBoolean waited;

	kr_egl_error_of(thread->display->vendor);
	waited = wait();
	kr_egl_ended(waited, waited);
	return waited;
}

/* Without a current context there is nothing to wait for. */
#define WAIT_CURRENT(function, name)                                                               \
	static EGLBoolean EGLAPIENTRY function(void)                                               \
	{                                                                                          \
		struct kr_egl_thread *thread = kr_egl_this_thread();                               \
                                                                                                   \
		if (thread->display)                                                               \
			return wait_current(thread, thread->display->vendor->egl.name);            \
		kr_egl_error_set(EGL_SUCCESS);                                                     \
		return EGL_TRUE;                                                                   \
	}

WAIT_CURRENT(wait_client, WaitClient)
WAIT_CURRENT(wait_gl, WaitGL)

static EGLBoolean EGLAPIENTRY
wait_native(EGLint engine)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();

	kr_egl_error_set(EGL_SUCCESS);
	if (!thread->display)
		return EGL_TRUE;
	kr_egl_error_of(thread->display->vendor);
	return thread->display->vendor->egl.WaitNative(engine);
}

static EGLContext EGLAPIENTRY
get_current_context(void)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();

	return thread->display ? thread->context : EGL_NO_CONTEXT;
}

static EGLDisplay EGLAPIENTRY
get_current_display(void)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();

	return thread->display ? thread->display->handle : EGL_NO_DISPLAY;
}

static EGLSurface EGLAPIENTRY
get_current_surface(EGLint which)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();

	if (which == EGL_DRAW || which == EGL_READ)
		return which == EGL_DRAW ? thread->draw : thread->read;
	kr_egl_error_set(EGL_BAD_PARAMETER);
	return EGL_NO_SURFACE;
}

const struct kr_egl_call kr_egl_core_calls[] = {
	KR_EGL_CALL("eglBindAPI", bind_api),
	KR_EGL_CALL("eglBindTexImage", forward_BindTexImage),
	KR_EGL_CALL("eglCopyBuffers", forward_CopyBuffers),
	KR_EGL_CALL("eglCreateContext", forward_CreateContext),
	KR_EGL_CALL("eglCreatePbufferFromClientBuffer", forward_CreatePbufferFromClientBuffer),
	KR_EGL_CALL("eglCreatePbufferSurface", forward_CreatePbufferSurface),
	KR_EGL_CALL("eglCreatePixmapSurface", forward_CreatePixmapSurface),
	KR_EGL_CALL("eglGetConfigs", forward_GetConfigs),
	KR_EGL_CALL("eglGetCurrentContext", get_current_context),
	KR_EGL_CALL("eglGetCurrentDisplay", get_current_display),
	KR_EGL_CALL("eglGetCurrentSurface", get_current_surface),
	KR_EGL_CALL("eglGetError", get_error),
	KR_EGL_CALL("eglQueryAPI", query_api),
	KR_EGL_CALL("eglQueryContext", forward_QueryContext),
	KR_EGL_CALL("eglReleaseTexImage", forward_ReleaseTexImage),
	KR_EGL_CALL("eglReleaseThread", release_thread),
	KR_EGL_CALL("eglWaitClient", wait_client),
	KR_EGL_CALL("eglWaitGL", wait_gl),
	KR_EGL_CALL("eglWaitNative", wait_native),
};
const size_t kr_egl_core_call_count = KR_ARRAY_LEN(kr_egl_core_calls);
