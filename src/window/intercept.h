/* SPDX-License-Identifier: Apache-2.0 */
/* Interceptors of a window's functions (krafla/native_window.h). */
#ifndef KR_WINDOW_INTERCEPT_H
#define KR_WINDOW_INTERCEPT_H

#include <stdarg.h>
#include <stdbool.h>

struct kr_window;

typedef void (*kr_any_function)(void);

struct kr_interceptor {
	kr_any_function function; /* NULL: none; its type is that of the operation that set it */
	void *data;
};

struct kr_interceptors {
	struct kr_interceptor cancel;
	struct kr_interceptor dequeue;
	struct kr_interceptor perform;
	struct kr_interceptor queue;
	struct kr_interceptor query;
};

/* Whether it is one of NATIVE_WINDOW_SET_*_INTERCEPTOR. */
bool kr_window_sets_interceptor(int operation);
/* Does what such an operation says. */
int kr_window_perform_intercept(struct kr_window *window, int operation, va_list args);
/* The one that such an operation has set; false: nobody has, or has taken it back. */
bool kr_window_find_interceptor(
	struct kr_window *window, int operation, struct kr_interceptor *found);

#endif
