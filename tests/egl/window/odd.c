/* SPDX-License-Identifier: Apache-2.0 */
#include "odd.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "window/window.h"

static struct odd_window *
from_base(const ANativeWindow *window)
{
	return (struct odd_window *)(uintptr_t)window;
}

static void
inc_ref(android_native_base_t *base)
{
	((struct odd_window *)base)->refs++;
}

static void
dec_ref(android_native_base_t *base)
{
	((struct odd_window *)base)->refs--;
}

static int
set_interval(ANativeWindow *window, int interval)
{
	return from_base(window)->real->setSwapInterval(from_base(window)->real, interval);
}

static int
query(const ANativeWindow *window, int what, int *value)
{
	if (from_base(window)->mute)
		return -EINVAL;
	return from_base(window)->real->query(from_base(window)->real, what, value);
}

/* Its own answer, or -ENOENT: the real one's. */
static int
perform_odd(struct odd_window *odd, int operation, va_list args)
{
	switch (operation) {
	case KR_WINDOW_NEXT_WANTED:
		*va_arg(args, bool *) = !odd->unseen;
		return 0;
	case KR_WINDOW_NO_PIXELS:
		odd->without_pixels++;
		return 0;
	case KR_WINDOW_DESCRIBE_PRODUCER:
		odd->device = va_arg(args, const char *);
		return 0;
	case NATIVE_WINDOW_SET_BUFFERS_FORMAT:
		return odd->format ? odd->real->perform(odd->real, operation, odd->format)
				   : -ENOENT;
	case NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS:
		return odd->width
			? odd->real->perform(odd->real, operation, odd->width, odd->height)
			: -ENOENT;
	default:
		return -ENOENT;
	}
}

/* No operation that comes here has more than two words of arguments. */
static int
perform(ANativeWindow *window, int operation, ...)
{
	struct odd_window *odd = from_base(window);
	va_list args;
	void *words[2];
	int err;

	if (operation && operation == odd->refused)
		return -EINVAL;
	va_start(args, operation);
	err = perform_odd(odd, operation, args);
	va_end(args);
	if (err != -ENOENT)
		return err;
	va_start(args, operation);
	words[0] = va_arg(args, void *);
	words[1] = va_arg(args, void *);
	va_end(args);
	return odd->real->perform(odd->real, operation, words[0], words[1]);
}

static int
dequeue(ANativeWindow *window, ANativeWindowBuffer **buffer, int *fence)
{
	struct odd_window *odd = from_base(window);
	int err = odd->dequeue_err ? odd->dequeue_err
				   : odd->real->dequeueBuffer(odd->real, buffer, fence);

	if (err)
		return err;
	odd->dequeued++;
	if (odd->foreign)
		(*buffer)->common.reserved[0] = NULL;
	return 0;
}

static int
queue(ANativeWindow *window, ANativeWindowBuffer *buffer, int fence)
{
	struct odd_window *odd = from_base(window);

	if (!odd->queue_err) {
		odd->queued++;
		return odd->real->queueBuffer(odd->real, buffer, fence);
	}
	(void)odd->real->cancelBuffer(odd->real, buffer, -1);
	if (fence >= 0)
		close(fence);
	return odd->queue_err;
}

static int
cancel(ANativeWindow *window, ANativeWindowBuffer *buffer, int fence)
{
	struct odd_window *odd = from_base(window);

	odd->cancelled++;
	return odd->real->cancelBuffer(odd->real, buffer, fence);
}

void
odd_window_init(struct odd_window *odd, ANativeWindow *real)
{
	const ANativeWindow base = {
		.common = {.magic = ANDROID_NATIVE_WINDOW_MAGIC,
			.version = sizeof(ANativeWindow),
			.incRef = inc_ref,
			.decRef = dec_ref},
		.maxSwapInterval = 1,
		.setSwapInterval = set_interval,
		.query = query,
		.perform = perform,
		.dequeueBuffer = dequeue,
		.queueBuffer = queue,
		.cancelBuffer = cancel,
	};

	memset(odd, 0, sizeof(*odd));
	memcpy(&odd->base, &base, sizeof(base));
	odd->real = real;
}
