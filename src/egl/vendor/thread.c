/* SPDX-License-Identifier: Apache-2.0 */
/* Threads. */
#include "egl/vendor/thread.h"

static _Thread_local struct kr_egl_thread self = {
	.api = EGL_OPENGL_ES_API,
	.error = EGL_SUCCESS,
};

struct kr_egl_thread *
kr_egl_this_thread(void)
{
	return &self;
}

void
kr_egl_error_set(EGLint error)
{
	self.last = NULL;
	self.error = error;
}

void
kr_egl_error_of(struct kr_egl_vendor *vendor)
{
	self.last = vendor;
}

EGLint
kr_egl_error_take(void)
{
	EGLint error = self.last ? self.last->egl.GetError() : self.error;

	self.last = NULL;
	self.error = EGL_SUCCESS;
	return error;
}
