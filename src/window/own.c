/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that Krafla's own windows know and no other platform's do (window.h). */
#include <errno.h>

#include "window/state.h"

static int
describe_producer(struct kr_window *window, const char *device)
{
	if (!device)
		return -EINVAL;
	kr_queue_describe(window->queue, device);
	return 0;
}

static int
next_wanted(struct kr_window *window, bool *wanted)
{
	if (!wanted)
		return -EINVAL;
	*wanted = kr_queue_next_wanted(window->queue);
	return 0;
}

static int
say_no_pixels(struct kr_window *window)
{
	kr_mutex_lock(&window->lock);
	window->state.input.no_pixels = true;
	kr_mutex_unlock(&window->lock);
	return 0;
}

int
kr_window_perform_own(struct kr_window *window, int operation, va_list args)
{
	switch (operation) {
	case KR_WINDOW_DESCRIBE_PRODUCER:
		return describe_producer(window, va_arg(args, const char *));
	case KR_WINDOW_NEXT_WANTED:
		return next_wanted(window, va_arg(args, bool *));
	case KR_WINDOW_NO_PIXELS:
		return say_no_pixels(window);
	default:
		return -ENOENT;
	}
}
