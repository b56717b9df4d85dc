/* SPDX-License-Identifier: Apache-2.0 */
/* The ANativeWindow's side: being its producer, and what it says. */
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>

#include "egl/window/internal.h"
#include "util/log.h"
#include "util/macros.h"

#define USAGE                                                                                      \
	(AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN |            \
		AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER)

EGLint
kr_egl_window_error(int err)
{
	switch (err) {
	case 0:
		return EGL_SUCCESS;
	/* It can't give a buffer just now. */
	case -ETIMEDOUT:
	case -EAGAIN:
	case -ENOMEM:
	case -EMFILE:
	case -ENFILE:
		return EGL_BAD_ALLOC;
	case -EOPNOTSUPP:
		return EGL_BAD_MATCH;
	default:
		return EGL_BAD_NATIVE_WINDOW;
	}
}

bool
kr_egl_window_is_valid(ANativeWindow *window)
{
	int valid = 1;

	/* Those that don't know the question are. */
	return window->query(window, NATIVE_WINDOW_IS_VALID, &valid) || valid;
}

bool
kr_egl_window_size(ANativeWindow *window, EGLint *width, EGLint *height)
{
	int w = 0, h = 0;

	if (window->query(window, NATIVE_WINDOW_WIDTH, &w) ||
		window->query(window, NATIVE_WINDOW_HEIGHT, &h) || w <= 0 || h <= 0)
		return false;
	*width = w;
	*height = h;
	return true;
}

/* One for what is drawn next, beside the one that is being copied and those of the far end. */
static int
set_count(ANativeWindow *window)
{
	int min_undequeued = 0, max = 0, count;

	if (window->query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, &min_undequeued))
		return -ENODEV;
	count = min_undequeued + 2;
	if (!window->query(window, NATIVE_WINDOW_MAX_BUFFER_COUNT, &max))
		count = KR_MIN(count, max);
	return window->perform(window, NATIVE_WINDOW_SET_BUFFER_COUNT, (size_t)count);
}

EGLint
kr_egl_window_interval(ANativeWindow *window, EGLint interval)
{
	/* The count that there is may leave no room for the buffer that dropping frames needs. */
	int err = window->perform(window, NATIVE_WINDOW_SET_BUFFER_COUNT, (size_t)0);

	if (!err)
		err = window->setSwapInterval(window,
			KR_MAX(window->minSwapInterval,
				KR_MIN((int)interval, window->maxSwapInterval)));
	if (!err)
		err = set_count(window);
	return kr_egl_window_error(err);
}

static int
set_up(ANativeWindow *window, const struct kr_egl_format *format)
{
	int err = window->perform(window, NATIVE_WINDOW_SET_USAGE64, (uint64_t)USAGE);

	if (!err)
		err = window->perform(window, NATIVE_WINDOW_SET_BUFFERS_FORMAT, (int)format->hal);
	return err;
}

EGLint
kr_egl_window_connect(ANativeWindow *window, const struct kr_egl_format *format)
{
	int err = window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL);
	EGLint error;

	if (err) {
		kr_error("EGL: the window can't be connected to (%s)", strerror(-err));
		return err == -EINVAL ? EGL_BAD_ALLOC : kr_egl_window_error(err);
	}
	error = kr_egl_window_error(set_up(window, format));
	if (error == EGL_SUCCESS)
		error = kr_egl_window_interval(window, 1);
	if (error != EGL_SUCCESS)
		window->perform(window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_EGL);
	return error;
}
