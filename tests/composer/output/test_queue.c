/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures that another program takes as buffers: the queue to it, and what it costs a display when
 * that program is slow, stuck or gone. The program is a reader in this process.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/window.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "composer/output/queue.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/sink.h"

struct scene {
	struct krafla_reader *reader;
	struct kr_display_queue *queue;
	char socket[108];
	int err;
	int done[2];
};

static char logged[512];
static unsigned log_lines;

static void
keep_log(void *data, uint32_t bits, const char *message)
{
	if (!(bits & KR_LOG_WARN))
		return;
	log_lines++;
	snprintf(logged, sizeof(logged), "%s", message);
}

static void *
open_main(void *data)
{
	struct scene *scene = data;

	scene->err = kr_display_queue_open(scene->socket, 64, 32, &scene->queue);
	kr_fd_close(&scene->done[1]);
	return NULL;
}

static void
begin(struct scene *scene, uint32_t max_images)
{
	struct krafla_reader_config config = {
		.size = sizeof(config), .width = 8, .height = 8, .max_images = max_images};
	struct krafla_image image;
	pthread_t thread;

	memset(scene, 0, sizeof(*scene));
	snprintf(scene->socket, sizeof(scene->socket), "%s", kr_test_path("reader"));
	config.socket = scene->socket;
	assert_int_equal(krafla_reader_open(&config, &scene->reader), 0);
	assert_int_equal(pipe2(scene->done, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&thread, NULL, open_main, scene), 0);
	for (;;) {
		struct pollfd fds[2] = {{.fd = scene->done[0], .events = POLLIN},
			{.fd = krafla_reader_get_fd(scene->reader), .events = POLLIN}};

		assert_true(poll(fds, 2, 10000) > 0);
		if (fds[0].revents)
			break;
		assert_int_equal(krafla_reader_acquire_next(scene->reader, &image), -EAGAIN);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	kr_fd_close(&scene->done[0]);
	assert_int_equal(scene->err, 0);
	assert_int_equal(
		kr_display_queue_format(scene->queue), AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
}

static void
end(struct scene *scene)
{
	kr_display_queue_close(scene->queue);
	krafla_reader_close(scene->reader);
}

/* What a virtual display does: a buffer, pixels, a present fence. The dequeue's error. */
static int
present(struct scene *scene, uint32_t colour, int64_t time_ns, const ARect *damage, int take_fence)
{
	AHardwareBuffer *buffer;
	void *pixels;
	int err = kr_display_queue_dequeue(scene->queue, &buffer);

	if (err) {
		kr_fd_close(&take_fence);
		return err;
	}
	assert_int_equal(AHardwareBuffer_lock(
				 buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &pixels),
		0);
	*(uint32_t *)pixels = colour;
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	assert_int_equal(kr_display_queue_queue(
				 scene->queue, buffer, time_ns, damage != NULL, damage, take_fence),
		0);
	return 0;
}

static void
take(struct scene *scene, struct krafla_image *image)
{
	struct pollfd ready = {.fd = krafla_reader_get_fd(scene->reader), .events = POLLIN};

	assert_int_equal(poll(&ready, 1, 10000), 1);
	assert_int_equal(krafla_reader_acquire_next(scene->reader, image), 0);
}

static uint32_t
colour_of(struct krafla_image *image)
{
	uint32_t colour;
	void *pixels;

	assert_int_equal(AHardwareBuffer_lock(image->buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
				 image->acquire_fence, NULL, &pixels),
		0);
	colour = *(uint32_t *)pixels;
	assert_int_equal(AHardwareBuffer_unlock(image->buffer, NULL), 0);
	return colour;
}

/* ---- cases ---- */

static void
a_picture_goes_out_with_its_present_fence(void **state)
{
	AHardwareBuffer_Desc desc;
	struct krafla_image image;
	struct scene scene;
	int signal, fence;

	begin(&scene, 1);
	assert_int_equal(kr_fence_create(NULL, &signal, &fence), 0);
	assert_int_equal(present(&scene, 5, 1000, NULL, fence), 0);
	take(&scene, &image);
	AHardwareBuffer_describe(image.buffer, &desc);
	assert_int_equal(desc.width, 64);
	assert_int_equal(desc.height, 32);
	assert_int_equal(image.timestamp_ns, 1000);
	assert_int_equal(kr_fence_status(image.acquire_fence), KR_FENCE_ACTIVE);
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
	assert_int_equal(colour_of(&image), 5);
	assert_int_equal(krafla_reader_release(scene.reader, &image, -1), 0);
	assert_int_equal(kr_display_queue_get_stats(scene.queue).queued, 1);
	end(&scene);
}

/* Nothing waits: the pictures that find no buffer are left out, and the next one is all new. */
static void
a_slow_reader_misses_pictures(void **state)
{
	const ARect damage = {0, 0, 1, 1};
	struct kr_display_queue_stats stats;
	struct krafla_image image;
	unsigned given = 0;
	struct scene scene;

	begin(&scene, 1);
	while (present(&scene, given + 1, given + 1, &damage, -1) == 0)
		assert_true(++given < 64);
	assert_int_equal(present(&scene, 99, 99, &damage, -1), -EAGAIN);
	stats = kr_display_queue_get_stats(scene.queue);
	assert_int_equal(stats.queued, given);
	assert_int_equal(stats.dropped, 2);
	assert_false(stats.lost);
	for (unsigned i = 1; i <= given; i++) {
		take(&scene, &image);
		assert_int_equal(colour_of(&image), i);
		assert_int_equal(image.damage_count, 1);
		assert_int_equal(krafla_reader_release(scene.reader, &image, -1), 0);
	}
	assert_int_equal(present(&scene, 100, 100, &damage, -1), 0);
	take(&scene, &image);
	assert_int_equal(image.timestamp_ns, 100);
	assert_int_equal(image.damage_count, 0);
	assert_int_equal(krafla_reader_release(scene.reader, &image, -1), 0);
	assert_int_equal(present(&scene, 101, 101, &damage, -1), 0);
	take(&scene, &image);
	assert_int_equal(image.damage_count, 1);
	end(&scene);
}

/* What is still read isn't written, and windows don't wait for it either. */
static void
a_buffer_that_is_read_is_not_given(void **state)
{
	struct krafla_image image;
	struct scene scene;
	AHardwareBuffer *buffer;
	int signal[8], fence;
	unsigned held = 0;

	begin(&scene, 1);
	/* All buffers there can be come back with fences. */
	while (present(&scene, held + 1, 0, NULL, -1) == 0) {
		take(&scene, &image);
		assert_int_equal(kr_fence_create(NULL, &signal[held], &fence), 0);
		assert_int_equal(krafla_reader_release(scene.reader, &image, fence), 0);
		kr_fd_close(&image.acquire_fence);
		assert_true(++held < 8);
	}
	assert_int_equal(kr_display_queue_dequeue(scene.queue, &buffer), -EAGAIN);
	kr_fence_signal(signal[1], KR_FENCE_SIGNALLED);
	assert_int_equal(present(&scene, 50, 0, NULL, -1), 0);
	take(&scene, &image);
	assert_int_equal(colour_of(&image), 50);
	/* One that failed is read no more. */
	kr_fence_signal(signal[0], -EIO);
	assert_int_equal(kr_display_queue_dequeue(scene.queue, &buffer), 0);
	kr_display_queue_cancel(scene.queue, buffer, -1);
	for (unsigned i = 2; i < held; i++)
		kr_fence_signal(signal[i], KR_FENCE_SIGNALLED);
	end(&scene);
}

static void
buffers_are_queued_once(void **state)
{
	AHardwareBuffer *buffer[3];
	struct scene scene;
	int fence;

	begin(&scene, 1);
	assert_int_equal(kr_display_queue_dequeue(scene.queue, &buffer[0]), 0);
	assert_int_equal(kr_display_queue_dequeue(scene.queue, &buffer[1]), 0);
	assert_ptr_not_equal(buffer[0], buffer[1]);
	assert_int_equal(kr_display_queue_dequeue(scene.queue, &buffer[2]), -EAGAIN);
	assert_int_equal(kr_display_queue_queue(scene.queue, buffer[0], 0, 0, NULL, -1), 0);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(
		kr_display_queue_queue(scene.queue, buffer[0], 0, 0, NULL, fence), -EINVAL);
	assert_int_equal(kr_display_queue_queue(scene.queue, NULL, 0, 0, NULL, -1), -EINVAL);
	kr_display_queue_cancel(scene.queue, buffer[1], -1);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	kr_display_queue_cancel(scene.queue, buffer[1], fence);
	/* Another size, from the next one on. */
	kr_display_queue_set_size(scene.queue, 16, 8);
	kr_display_queue_set_format(scene.queue, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM);
	assert_int_equal(kr_display_queue_dequeue(scene.queue, &buffer[0]), 0);
	{
		AHardwareBuffer_Desc desc;

		AHardwareBuffer_describe(buffer[0], &desc);
		assert_int_equal(desc.width, 16);
		assert_int_equal(desc.format, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM);
	}
	end(&scene);
}

static void
a_reader_that_goes_is_told_of_once(void **state)
{
	struct krafla_image image;
	struct scene scene;

	begin(&scene, 1);
	assert_int_equal(present(&scene, 1, 0, NULL, -1), 0);
	take(&scene, &image);
	krafla_reader_close(scene.reader);
	scene.reader = NULL;
	log_lines = 0;
	kr_log_set_sink(keep_log, NULL);
	/* Until its end is noticed pictures go nowhere. */
	while (present(&scene, 2, 0, NULL, -1) != -ENODEV)
		continue;
	assert_int_equal(present(&scene, 2, 0, NULL, -1), -ENODEV);
	kr_log_set_sink(NULL, NULL);
	assert_int_equal(log_lines, 1);
	assert_non_null(strstr(logged, "takes no more pictures"));
	assert_true(kr_display_queue_get_stats(scene.queue).lost);
	end(&scene);
}

/* It is there and does nothing at all, for longer than anybody may (shortened). */
static void
a_reader_that_says_nothing_is_lost(void **state)
{
	struct scene scene;
	int err;

	begin(&scene, 1);
	kr_sink_set_answer_ns(50 * KR_NSEC_PER_MSEC);
	kr_log_set_sink(keep_log, NULL);
	do
		err = present(&scene, 1, 0, NULL, -1);
	while (err != -ENODEV);
	kr_log_set_sink(NULL, NULL);
	kr_sink_set_answer_ns(0);
	assert_true(kr_display_queue_get_stats(scene.queue).dropped > 0);
	end(&scene);
}

static void *
run_display(void *data)
{
	return kr_display_run(data) ? data : NULL;
}

/* Whether a window that comes now is told that somebody wants its pixels. */
static bool
window_is_wanted(struct kr_display_queue *queue)
{
	static const struct kr_display_hooks hooks = {0};
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);
	struct kr_display *display;
	struct kr_queue *window;
	pthread_t thread;
	void *failed;
	bool wanted;

	config.socket_path = kr_test_path("display");
	assert_int_equal(kr_display_create(&config, &hooks, NULL, &display), 0);
	if (queue)
		assert_int_equal(kr_display_add_queue(display, queue), 0);
	assert_int_equal(pthread_create(&thread, NULL, run_display, display), 0);
	window = rig_window_at(config.socket_path, "window");
	wanted = kr_queue_next_wanted(window);
	rig_close(window);
	kr_display_stop(display);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	kr_display_destroy(display);
	return wanted;
}

/* A driver that copies would leave out the pixels of a picture that goes nowhere else. */
static void
a_readers_pictures_need_pixels(void **state)
{
	struct scene scene;

	begin(&scene, 1);
	assert_false(window_is_wanted(NULL));
	assert_true(window_is_wanted(scene.queue));
	end(&scene);
}

static void
nobody_listens(void **state)
{
	struct kr_display_queue *queue;

	assert_int_equal(kr_display_queue_open(kr_test_path("none"), 8, 8, &queue), -ENOENT);
	assert_int_equal(kr_display_queue_open(kr_test_path("none"), 0, 8, &queue), -EINVAL);
	assert_int_equal(
		kr_display_queue_open(kr_test_file("text", "x"), 8, 8, &queue), -ECONNREFUSED);
	kr_display_queue_close(NULL);
}

#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(a_picture_goes_out_with_its_present_fence, KEEPS),
	KR_TEST_FLAGS(a_slow_reader_misses_pictures, KEEPS),
	KR_TEST_FLAGS(a_buffer_that_is_read_is_not_given, KEEPS),
	KR_TEST_FLAGS(buffers_are_queued_once, KEEPS),
	KR_TEST_FLAGS(a_reader_that_goes_is_told_of_once, KEEPS),
	KR_TEST_FLAGS(a_reader_that_says_nothing_is_lost, KEEPS),
	KR_TEST_FLAGS(a_readers_pictures_need_pixels, KEEPS),
	KR_TEST_FLAGS(nobody_listens, KEEPS),
};

KR_TEST_MAIN(tests)
