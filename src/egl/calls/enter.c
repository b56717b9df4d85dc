/* SPDX-License-Identifier: Apache-2.0 */
/* How functions of ours begin and end: the display's record, attributes, flushes and errors. */
#include <stdlib.h>

#include "egl/calls/internal.h"
#include "egl/fence/fence.h"

struct kr_egl_display *
kr_egl_enter(EGLDisplay handle)
{
	struct kr_egl_display *display = kr_egl_display_find(handle);

	if (display)
		kr_egl_error_of(display->vendor);
	else
		kr_egl_error_set(EGL_BAD_DISPLAY);
	return display;
}

void
kr_egl_ended(EGLBoolean done, bool flushed)
{
	struct kr_egl_thread *thread = kr_egl_this_thread();
	EGLint error = done ? EGL_SUCCESS : kr_egl_error_take();

	if (thread->display && error == EGL_CONTEXT_LOST)
		kr_egl_fences_context_lost(thread->display, thread->context);
	else if (thread->display && flushed)
		kr_egl_fences_flushed(thread);
	kr_egl_error_set(error);
}

bool
kr_egl_attributes_widen(struct kr_egl_attributes *attributes, const EGLint *list)
{
	size_t count = 0;

	attributes->list = NULL;
	if (!list)
		return true;
	while (list[count] != EGL_NONE)
		count += 2;
	attributes->list = attributes->room;
	if (count + 1 > KR_EGL_ATTRIBUTES)
		attributes->list = calloc(count + 1, sizeof(*attributes->list));
	if (!attributes->list)
		return false;
	for (size_t i = 0; i < count; i++)
		attributes->list[i] = list[i];
	attributes->list[count] = EGL_NONE;
	return true;
}

void
kr_egl_attributes_finish(struct kr_egl_attributes *attributes)
{
	if (attributes->list != attributes->room)
		free(attributes->list);
}
