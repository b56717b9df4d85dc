/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that come into a window's queue by themselves, and leave it (window.h). */
#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "window/state.h"

static int
not_here(int err)
{
	return err == -EOPNOTSUPP ? -ENOSYS : err;
}

/* The buffer becomes one of the queue's generation: it is the window that is asked for it. */
static int
attach(struct kr_window *window, AHardwareBuffer *given, ANativeWindowBuffer **attached)
{
	struct kr_buffer *buffer;
	uint32_t before, slot;
	int err;

	if (!given || !attached)
		return -EINVAL;
	err = kr_buffer_from_any(given, &buffer);
	if (err)
		return err;
	before = kr_buffer_generation(buffer);
	kr_buffer_set_generation(buffer, kr_queue_generation(window->queue));
	err = kr_queue_attach(window->queue, buffer, KR_FOREVER, &slot);
	if (err)
		kr_buffer_set_generation(buffer, before);
	else
		*attached = kr_buffer_native(buffer);
	kr_buffer_unref(buffer);
	return not_here(err);
}

static int
detach(struct kr_window *window, ANativeWindowBuffer *native, AHardwareBuffer **out)
{
	struct kr_buffer *buffer;
	uint32_t slot;
	int err = out ? kr_window_slot_of(window, native, &slot) : -EINVAL;

	if (!err)
		err = kr_queue_detach(window->queue, slot, &buffer);
	if (!err)
		*out = (AHardwareBuffer *)(void *)kr_buffer_native(buffer);
	return err;
}

static int
detach_next(struct kr_window *window, AHardwareBuffer **out, int *fence)
{
	struct kr_buffer *buffer;
	int err = out && fence ? kr_queue_detach_next(window->queue, &buffer, fence) : -EINVAL;

	if (!err)
		*out = (AHardwareBuffer *)(void *)kr_buffer_native(buffer);
	return err;
}

static int
watch(struct kr_window *window, uint32_t kinds, int *fd)
{
	return fd ? kr_queue_watch(window->queue, kinds, fd) : -EINVAL;
}

static int
next_notice(struct kr_window *window, struct kr_notice *notice)
{
	return notice ? kr_queue_next_notice(window->queue, notice) : -EINVAL;
}

int
kr_window_perform_buffers(struct kr_window *window, int operation, va_list args)
{
	ANativeWindowBuffer *native;
	AHardwareBuffer *buffer, **out;
	uint32_t number;

	switch (operation) {
	case KR_WINDOW_ATTACH:
		buffer = va_arg(args, AHardwareBuffer *);
		return attach(window, buffer, va_arg(args, ANativeWindowBuffer **));
	case KR_WINDOW_DETACH:
		native = va_arg(args, ANativeWindowBuffer *);
		return detach(window, native, va_arg(args, AHardwareBuffer **));
	case KR_WINDOW_DETACH_NEXT:
		out = va_arg(args, AHardwareBuffer **);
		return detach_next(window, out, va_arg(args, int *));
	case KR_WINDOW_SET_GENERATION:
		kr_queue_set_generation(window->queue, va_arg(args, uint32_t));
		return 0;
	case KR_WINDOW_ALLOW_ALLOCATION:
		kr_queue_allow_allocation(window->queue, va_arg(args, int) != 0);
		return 0;
	case KR_WINDOW_SET_LEGACY_DROP:
		return kr_queue_set_legacy_drop(window->queue, va_arg(args, int) != 0);
	case KR_WINDOW_SET_MAX_DEQUEUED:
		return kr_queue_set_max_dequeued(window->queue, va_arg(args, uint32_t));
	case KR_WINDOW_WATCH:
		number = va_arg(args, uint32_t);
		return watch(window, number, va_arg(args, int *));
	case KR_WINDOW_NEXT_NOTICE:
		return next_notice(window, va_arg(args, struct kr_notice *));
	default:
		return -ENOENT;
	}
}

int
kr_window_allocate(struct kr_window *window)
{
	struct kr_queue_request request;

	kr_window_make_request(window, &request);
	return not_here(kr_queue_allocate(window->queue, &request));
}
