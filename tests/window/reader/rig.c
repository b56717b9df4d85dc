/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/rig.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define WAIT_MS 10000

void
rig_open(struct rig *rig, bool socket, void (*change)(struct krafla_reader_config *config))
{
	memset(rig, 0, sizeof(*rig));
	rig->config = (struct krafla_reader_config){
		.size = sizeof(rig->config), .width = 64, .height = 32, .refresh_mhz = 60000};
	if (socket) {
		snprintf(rig->socket, sizeof(rig->socket), "%s", kr_test_path("reader"));
		rig->config.socket = rig->socket;
	}
	if (change)
		change(&rig->config);
	assert_int_equal(krafla_reader_open(&rig->config, &rig->reader), 0);
}

void
rig_close(struct rig *rig)
{
	krafla_reader_close(rig->reader);
	rig->reader = NULL;
}

struct opening {
	const char *socket;
	ANativeWindow *window;
	int err, done[2];
};

static void *
open_main(void *data)
{
	struct opening *opening = data;

	opening->err = krafla_window_open(opening->socket, "a window", 0, 0, &opening->window);
	kr_fd_close(&opening->done[1]);
	return NULL;
}

/* What would be another process connects on a thread; whoever has the reader serves it. */
static int
open_from_elsewhere(struct rig *rig, ANativeWindow **window)
{
	struct opening opening = {.socket = rig->socket};
	struct krafla_image image;
	pthread_t thread;

	assert_int_equal(pipe2(opening.done, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&thread, NULL, open_main, &opening), 0);
	for (;;) {
		struct pollfd fds[2] = {
			{.fd = opening.done[0], .events = POLLIN},
			{.fd = krafla_reader_get_fd(rig->reader), .events = POLLIN},
		};

		assert_true(poll(fds, 2, WAIT_MS) > 0);
		if (fds[0].revents)
			break;
		assert_true(krafla_reader_acquire_next(rig->reader, &image) < 0);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	kr_fd_close(&opening.done[0]);
	*window = opening.window;
	return opening.err;
}

int
rig_try_window(struct rig *rig, ANativeWindow **window)
{
	int err = rig->socket[0] ? open_from_elsewhere(rig, window)
				 : krafla_reader_get_window(rig->reader, window);

	if (!err)
		assert_int_equal((*window)->perform(
					 *window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU),
			0);
	return err;
}

ANativeWindow *
rig_window(struct rig *rig)
{
	ANativeWindow *window = NULL;

	assert_int_equal(rig_try_window(rig, &window), 0);
	assert_int_equal(ANativeWindow_setUsage(window, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN), 0);
	return window;
}

ANativeWindow *
rig_window_ahead(struct rig *rig, uint32_t ahead)
{
	ANativeWindow *window = rig_window(rig);
	int least = 0;

	assert_int_equal(
		ANativeWindow_query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, &least), 0);
	assert_int_equal(ANativeWindow_setBufferCount(window, (size_t)least + ahead), 0);
	return window;
}

int
rig_try_dequeue(ANativeWindow *window, int64_t timeout_ns)
{
	ANativeWindowBuffer *buffer;
	int fence = -1, err;

	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT, timeout_ns), 0);
	err = ANativeWindow_dequeueBuffer(window, &buffer, &fence);
	if (!err)
		assert_int_equal(ANativeWindow_cancelBuffer(window, buffer, fence), 0);
	return err;
}

ANativeWindowBuffer *
rig_dequeue(ANativeWindow *window)
{
	ANativeWindowBuffer *buffer;
	int fence = -1;

	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT,
				 (int64_t)WAIT_MS * KR_NSEC_PER_MSEC),
		0);
	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), 0);
	kr_fd_close(&fence);
	return buffer;
}

void
rig_frame_fenced(ANativeWindow *window, uint32_t colour, int take_fence)
{
	ANativeWindowBuffer *buffer = rig_dequeue(window);
	void *pixels;

	assert_int_equal(AHardwareBuffer_lock(ANativeWindowBuffer_getHardwareBuffer(buffer),
				 AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &pixels),
		0);
	*(uint32_t *)pixels = colour;
	assert_int_equal(
		AHardwareBuffer_unlock(ANativeWindowBuffer_getHardwareBuffer(buffer), NULL), 0);
	assert_int_equal(ANativeWindow_queueBuffer(window, buffer, take_fence), 0);
}

void
rig_frame(ANativeWindow *window, uint32_t colour)
{
	rig_frame_fenced(window, colour, -1);
}

static void
await(struct rig *rig, int wanted, struct krafla_image *image)
{
	struct pollfd ready = {.fd = krafla_reader_get_fd(rig->reader), .events = POLLIN};
	int err = krafla_reader_acquire_next(rig->reader, image);

	while (err != wanted) {
		assert_int_equal(err, -EAGAIN);
		assert_int_equal(poll(&ready, 1, WAIT_MS), 1);
		err = krafla_reader_acquire_next(rig->reader, image);
	}
}

void
rig_acquire(struct rig *rig, struct krafla_image *image)
{
	await(rig, 0, image);
}

void
rig_await(struct rig *rig, int error)
{
	struct krafla_image image;

	await(rig, error, &image);
}

bool
rig_readable(const struct rig *rig)
{
	struct pollfd ready = {.fd = krafla_reader_get_fd(rig->reader), .events = POLLIN};

	return poll(&ready, 1, 0) == 1;
}

uint32_t
rig_colour(struct krafla_image *image)
{
	uint32_t colour;
	void *pixels;

	assert_int_equal(AHardwareBuffer_lock(image->buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
				 image->acquire_fence, NULL, &pixels),
		0);
	image->acquire_fence = -1;
	colour = *(const uint32_t *)pixels;
	assert_int_equal(AHardwareBuffer_unlock(image->buffer, NULL), 0);
	return colour;
}

void
rig_release(struct rig *rig, const struct krafla_image *image, int take_fence)
{
	assert_int_equal(krafla_reader_release(rig->reader, image, take_fence), 0);
}
