/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eglSwapBuffers. A buffer of the window is dequeued and queued at once, with a fence that the
 * copier signals; meanwhile the context goes on with the other pbuffer:
 *
 *	program    draw 1   swap   draw 2         swap   draw 3 ...
 *	copier              1 drawn? buffer free? copy 1      2 ...
 *
 * With EGL_BUFFER_PRESERVED one pbuffer is drawn into, and the swap waits for the copy.
 */
#include "egl/window/drawn.h"
#include "egl/window/frame.h"
#include "egl/window/internal.h"

/* The vendor's surfaces are changed under the program's context. */
static EGLint
make_current(struct kr_egl_surface *surface)
{
	const struct kr_egl_thread *thread = kr_egl_this_thread();
	struct kr_egl_display *display = surface->windows->display;
	EGLSurface back = kr_egl_surface_back(surface)->handle;
	struct kr_egl_surface *other;
	EGLSurface read = back;

	if (thread->read != thread->draw) {
		other = kr_egl_surface_current(display, thread->read);
		read = other ? kr_egl_surface_back(other)->handle : thread->read;
	}
	return display->vendor->egl.MakeCurrent(display->handle, back, read, thread->context)
		? EGL_SUCCESS
		: kr_egl_vendor_error(display->vendor);
}

static void
set_back(struct kr_egl_surface *surface, unsigned back)
{
	kr_mutex_lock(&surface->windows->lock);
	surface->back = back;
	kr_mutex_unlock(&surface->windows->lock);
}

static void
count_frame(struct kr_egl_surface *surface, unsigned shown)
{
	kr_mutex_lock(&surface->windows->lock);
	surface->pbuffers[shown].frame = ++surface->frames;
	kr_mutex_unlock(&surface->windows->lock);
}

/* What is drawn next goes there, in the size that the window has by now. */
static EGLint
prepare_pbuffer(struct kr_egl_surface *surface, unsigned index)
{
	const struct kr_egl_pbuffer *back = kr_egl_surface_back(surface);
	const struct kr_egl_pbuffer *pbuffer = &surface->pbuffers[index];
	EGLint width = back->width, height = back->height;

	(void)kr_egl_window_size(surface->window, &width, &height);
	if (pbuffer->handle != EGL_NO_SURFACE && pbuffer->width == width &&
		pbuffer->height == height)
		return EGL_SUCCESS;
	return kr_egl_surface_make_pbuffer(surface, index, width, height);
}

/* The context goes on with the other pbuffer. Nothing has changed after an error. */
static EGLint
turn(struct kr_egl_surface *surface)
{
	unsigned shown = surface->back;
	EGLint error = prepare_pbuffer(surface, 1 - shown);

	if (error != EGL_SUCCESS)
		return error;
	set_back(surface, 1 - shown);
	error = make_current(surface);
	if (error != EGL_SUCCESS)
		set_back(surface, shown);
	return error;
}

static EGLint
swap_pbuffers(struct kr_egl_frame *frame)
{
	struct kr_egl_surface *surface = frame->surface;
	unsigned shown = surface->back;
	EGLint error = turn(surface);

	if (error != EGL_SUCCESS) {
		kr_egl_frame_cancel(frame);
		return error;
	}
	error = kr_egl_frame_deliver(frame, &surface->pbuffers[shown]);
	if (error == EGL_SUCCESS)
		count_frame(surface, shown);
	return error;
}

/* The context waits in a pixel of its own: another thread mustn't get it meanwhile. */
static EGLint
park(struct kr_egl_surface *surface)
{
	unsigned parking = 1 - surface->back;
	EGLint error = EGL_SUCCESS;

	if (surface->pbuffers[parking].handle == EGL_NO_SURFACE)
		error = kr_egl_surface_make_pbuffer(surface, parking, 1, 1);
	if (error != EGL_SUCCESS)
		return error;
	set_back(surface, parking);
	error = make_current(surface);
	set_back(surface, 1 - parking);
	return error;
}

/* The pbuffer is lent to the copier. One of another size has nothing to be preserved. */
static EGLint
swap_preserved(struct kr_egl_frame *frame)
{
	struct kr_egl_surface *surface = frame->surface;
	EGLint error = park(surface), again;

	if (error != EGL_SUCCESS) {
		kr_egl_frame_cancel(frame);
		return error;
	}
	error = kr_egl_frame_deliver_done(frame, kr_egl_surface_back(surface));
	if (error == EGL_SUCCESS)
		count_frame(surface, surface->back);
	if (error == EGL_SUCCESS)
		error = prepare_pbuffer(surface, surface->back);
	again = make_current(surface);
	return again == EGL_SUCCESS ? error : again;
}

/* The display was terminated, and the sync went with it. */
static EGLint
forsake(struct kr_egl_frame *frame, EGLint error)
{
	frame->drawn = EGL_NO_SYNC;
	if (error != EGL_SUCCESS)
		return error;
	kr_egl_frame_cancel(frame);
	return EGL_BAD_SURFACE;
}

/* The frame before has to be out of the other pbuffer. */
static EGLint
swap(struct kr_egl_surface *surface, const EGLint *rectangles, EGLint count)
{
	struct kr_egl_display *display = surface->windows->display;
	struct kr_egl_frame frame = {.surface = surface, .acquire = -1};
	EGLint error;
	bool there;

	if (!kr_egl_surface_enter(surface))
		return EGL_BAD_SURFACE;
	frame.drawn = kr_egl_drawn_mark(display);
	kr_egl_windows_leave(surface->windows);
	/* Native fences that waited for that flush needn't wait for a buffer, too. */
	kr_egl_fences_flushed(kr_egl_this_thread());
	error = kr_egl_copier_wait(&surface->copier);
	if (error == EGL_SUCCESS)
		error = kr_egl_frame_begin(&frame, rectangles, count);
	/* It may have waited long for a buffer. */
	there = kr_egl_surface_enter(surface);
	if (!there)
		error = forsake(&frame, error);
	else if (error == EGL_SUCCESS)
		error = surface->swap_behavior == EGL_BUFFER_PRESERVED ? swap_preserved(&frame)
								       : swap_pbuffers(&frame);
	kr_egl_frame_finish(&frame);
	if (there)
		kr_egl_windows_leave(surface->windows);
	if (error != EGL_SUCCESS)
		kr_egl_damage_forget(&surface->damage);
	return error;
}

static EGLBoolean
swap_theirs(
	struct kr_egl_display *display, EGLSurface surface, const EGLint *rectangles, EGLint count)
{
	struct kr_egl_vendor *vendor = display->vendor;
	PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC with_damage = NULL;
	EGLBoolean result;

	if (!kr_egl_windows_enter_started(display->windows))
		return kr_egl_answer(EGL_NOT_INITIALIZED);
	if (count)
		with_damage = (PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC)kr_egl_vendor_function(
			vendor, "eglSwapBuffersWithDamageKHR");
	result = kr_egl_answer_of(vendor,
		with_damage ? with_damage(display->handle, surface, rectangles, count)
			    : vendor->egl.SwapBuffers(display->handle, surface));
	kr_egl_windows_leave(display->windows);
	return result;
}

EGLBoolean
kr_egl_surface_swap(
	struct kr_egl_display *display, EGLSurface handle, const EGLint *rectangles, EGLint count)
{
	const struct kr_egl_thread *thread = kr_egl_this_thread();
	struct kr_egl_surface *surface = kr_egl_surface_use(display, handle);
	EGLint error;

	if (!surface)
		return swap_theirs(display, handle, rectangles, count);
	if (count < 0 || (count && !rectangles))
		error = EGL_BAD_PARAMETER;
	else if (thread->display != display || thread->context == EGL_NO_CONTEXT ||
		thread->draw != handle || kr_egl_copier_is_parents(&surface->copier))
		error = EGL_BAD_SURFACE;
	else
		error = swap(surface, rectangles, count);
	kr_egl_surface_unuse(surface);
	return kr_egl_answer(error);
}

static EGLBoolean
set_their_interval(struct kr_egl_display *display, EGLint interval)
{
	EGLBoolean result;

	if (!kr_egl_windows_enter_started(display->windows))
		return kr_egl_answer(EGL_NOT_INITIALIZED);
	result = kr_egl_answer_of(
		display->vendor, display->vendor->egl.SwapInterval(display->handle, interval));
	kr_egl_windows_leave(display->windows);
	return result;
}

EGLBoolean
kr_egl_surface_interval(struct kr_egl_display *display, EGLint interval)
{
	const struct kr_egl_thread *thread = kr_egl_this_thread();
	struct kr_egl_surface *surface = kr_egl_surface_use(display, thread->draw);
	EGLint error;

	if (!surface)
		return set_their_interval(display, interval);
	error = thread->context == EGL_NO_CONTEXT
		? EGL_BAD_CONTEXT
		: kr_egl_window_interval(surface->window, interval);
	if (error == EGL_SUCCESS) {
		kr_mutex_lock(&surface->windows->lock);
		surface->timing.interval = interval > 0;
		if (surface->timing.enabled)
			(void)kr_egl_timing_tell_window(&surface->timing, surface->window);
		kr_mutex_unlock(&surface->windows->lock);
	}
	kr_egl_surface_unuse(surface);
	return kr_egl_answer(error);
}
