/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interceptors: who has set one is called in the place of one of the window's functions, and is
 * given what that would have done. A window's own functions for the CPU (draw.c) go past them, as
 * do the five operations that set them.
 */
#include "window/intercept.h"

#include <errno.h>

#include "window/state.h"

static struct kr_interceptor *
place_of(struct kr_window *window, int operation)
{
	switch (operation) {
	case NATIVE_WINDOW_SET_CANCEL_INTERCEPTOR:
		return &window->interceptors.cancel;
	case NATIVE_WINDOW_SET_DEQUEUE_INTERCEPTOR:
		return &window->interceptors.dequeue;
	case NATIVE_WINDOW_SET_PERFORM_INTERCEPTOR:
		return &window->interceptors.perform;
	case NATIVE_WINDOW_SET_QUEUE_INTERCEPTOR:
		return &window->interceptors.queue;
	case NATIVE_WINDOW_SET_QUERY_INTERCEPTOR:
		return &window->interceptors.query;
	default:
		return NULL;
	}
}

bool
kr_window_sets_interceptor(int operation)
{
	return operation == NATIVE_WINDOW_SET_QUERY_INTERCEPTOR ||
		(operation >= NATIVE_WINDOW_SET_CANCEL_INTERCEPTOR &&
			operation <= NATIVE_WINDOW_SET_QUEUE_INTERCEPTOR);
}

/* What is called is of the operation's type; all of them fit in a pointer to any function. */
int
kr_window_perform_intercept(struct kr_window *window, int operation, va_list args)
{
	struct kr_interceptor *place = place_of(window, operation);
	struct kr_interceptor set;

	if (!place)
		return -ENOENT;
	set.function = va_arg(args, kr_any_function);
	set.data = va_arg(args, void *);
	kr_mutex_lock(&window->lock);
	*place = set;
	if (set.function)
		atomic_store(&window->intercepted, true);
	kr_mutex_unlock(&window->lock);
	return 0;
}

bool
kr_window_find_interceptor(struct kr_window *window, int operation, struct kr_interceptor *found)
{
	/* No window that nobody has ever intercepted pays for it. */
	if (!atomic_load_explicit(&window->intercepted, memory_order_relaxed))
		return false;
	kr_mutex_lock(&window->lock);
	*found = *place_of(window, operation);
	kr_mutex_unlock(&window->lock);
	return found->function != NULL;
}
