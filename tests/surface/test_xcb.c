/* SPDX-License-Identifier: Apache-2.0 */
/* krafla-output-xcb.so against a real X server, through the ops of its sink. */
#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "surface/output.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/macros.h"
#include "window/queue/sink.h"
#include "x_rig.h"

#define SCREEN "640x480x24"
#define BGRA   AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM

static const uint8_t modes[] = {KR_PRESENT_IMMEDIATE, KR_PRESENT_FIFO, KR_PRESENT_MAILBOX};

/* The server reads the very memory that was drawn to: the inode is the same. */
static void
the_server_maps_our_own_memory(void **state)
{
	struct x_buffer buffer;
	struct x_rig rig;
	struct stat st;

	x_rig_start(&rig, SCREEN, NULL, NULL, 200, 100);
	x_rig_open(&rig, KR_PRESENT_IMMEDIATE);
	assert_int_equal(x_rig_dequeue(&rig, 200, 100, BGRA, KR_NSEC_PER_SEC, &buffer), 0);
	assert_int_equal(fstat(kr_buffer_get_info(buffer.buffer)->fd, &st), 0);
	assert_true(x_rig_server_maps(&rig, st.st_ino));
	assert_false(x_rig_server_maps(&rig, st.st_ino + 100000));
	x_fill(&buffer, 1);
	assert_int_equal(x_rig_queue(&rig, &buffer, -1), 0);
	x_rig_expect(&rig, 1);
	x_rig_stop(&rig);
}

static void
every_mode_shows_every_format(void **state)
{
	static const uint32_t formats[] = {BGRA, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM,
		AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
		AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT};
	struct x_rig rig;

	/* An odd width: rows are longer than what is shown. */
	x_rig_start(&rig, SCREEN, NULL, NULL, 301, 77);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		rig.input.presentation.mode = modes[m];
		for (size_t f = 0; f < KR_ARRAY_LEN(formats); f++) {
			for (uint32_t i = 0; i < 4; i++)
				assert_int_equal(x_rig_frame(&rig, formats[f],
							 (uint32_t)(m * 17 + f * 5 + i)),
					0);
			x_rig_settle(&rig);
			x_rig_expect(&rig, (uint32_t)(m * 17 + f * 5 + 3));
		}
	}
	x_rig_stop(&rig);
}

/* One pixel of the window, as 0xRRGGBB. */
static uint32_t
pixel_at(struct x_rig *rig, int16_t x, int16_t y)
{
	xcb_get_image_reply_t *image = xcb_get_image_reply(rig->app,
		xcb_get_image(rig->app, XCB_IMAGE_FORMAT_Z_PIXMAP, rig->window, x, y, 1, 1, ~0u),
		NULL);
	uint32_t pixel;

	assert_non_null(image);
	memcpy(&pixel, xcb_get_image_data(image), sizeof(pixel));
	free(image);
	return pixel & 0xffffff;
}

/* What isn't the image's isn't shown, though the pixmap's rows are longer than the image. */
static void
padding_is_not_shown(void **state)
{
	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		struct x_buffer buffer;
		struct x_rig rig;

		x_rig_start(&rig, SCREEN, NULL, NULL, 64, 16);
		x_rig_open(&rig, modes[m]);
		/* A window that has grown: the buffer is smaller, 33 pixels in rows of 48. */
		assert_int_equal(x_rig_dequeue(&rig, 33, 16, BGRA, KR_NSEC_PER_SEC, &buffer), 0);
		x_fill(&buffer, 5);
		assert_int_equal(x_rig_queue(&rig, &buffer, -1), 0);
		for (int i = 0; i < 3000 && pixel_at(&rig, 32, 0) != x_pattern(32, 0, 5); i++)
			usleep(5000);
		assert_int_equal(pixel_at(&rig, 32, 0), x_pattern(32, 0, 5));
		assert_int_equal(pixel_at(&rig, 33, 0), 0);
		x_rig_stop(&rig);
	}
}

/* The application's connection carries one round trip and nothing after that. */
static void
the_applications_events_stay_its_own(void **state)
{
	struct pollfd p = {.events = POLLIN};
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_IMMEDIATE);
	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		rig.input.presentation.mode = modes[m];
		for (uint32_t i = 0; i < 10; i++)
			assert_int_equal(x_rig_frame(&rig, BGRA, i), 0);
	}
	x_rig_settle(&rig);
	p.fd = xcb_get_file_descriptor(rig.app);
	assert_int_equal(poll(&p, 1, 50), 0);
	assert_null(xcb_poll_for_event(rig.app));
	x_rig_stop(&rig);
}

static void
a_resized_window_is_known(void **state)
{
	const uint32_t size[] = {111, 222};
	struct kr_queue_config config;
	uint32_t width, height;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_IMMEDIATE);
	assert_int_equal(x_rig_frame(&rig, BGRA, 1), 0);
	xcb_configure_window(
		rig.app, rig.window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
	free(xcb_get_input_focus_reply(rig.app, xcb_get_input_focus(rig.app), NULL));
	/* A frame's own answer says it, without a question. */
	assert_int_equal(x_rig_frame(&rig, BGRA, 2), 0);
	for (int i = 0; i < 200; i++) {
		assert_true(kr_queue_alive(rig.queue));
		kr_queue_get_config(rig.queue, &config);
		if (config.default_width != 64)
			break;
		usleep(5000);
	}
	assert_int_equal(config.default_width, 111);
	assert_int_equal(config.default_height, 222);
	assert_int_equal(rig.output->impl->get_size(rig.output, &width, &height), 0);
	assert_int_equal(width, 111);
	assert_int_equal(height, 222);
	x_rig_stop(&rig);
}

/* Frames until the queue says that the window is gone; false when it never does. */
static bool
ends(struct x_rig *rig)
{
	int64_t limit = kr_deadline_in(8 * KR_NSEC_PER_SEC);
	int ret = 0;

	for (uint32_t i = 0; ret == 0 && kr_clock_now() < limit; i++)
		ret = x_rig_frame(rig, BGRA, i);
	return ret == -ENODEV;
}

static void
a_destroyed_window_ends_everything(void **state)
{
	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		uint32_t width, height;
		struct x_rig rig;

		x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
		x_rig_open(&rig, modes[m]);
		for (uint32_t i = 0; i < 3; i++)
			assert_int_equal(x_rig_frame(&rig, BGRA, i), 0);
		xcb_destroy_window(rig.app, rig.window);
		xcb_flush(rig.app);
		assert_true(ends(&rig));
		assert_false(kr_queue_alive(rig.queue));
		assert_int_equal(rig.output->impl->get_size(rig.output, &width, &height), -ENODEV);
		x_rig_stop(&rig);
	}
}

static void
a_killed_server_ends_everything(void **state)
{
	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		uint32_t width, height;
		struct x_rig rig;

		x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
		x_rig_open(&rig, modes[m]);
		assert_int_equal(x_rig_frame(&rig, BGRA, 0), 0);
		kr_xvfb_stop(&rig.server);
		assert_true(ends(&rig));
		assert_int_equal(rig.output->impl->get_size(rig.output, &width, &height), -ENODEV);
		x_rig_stop(&rig);
	}
}

/* DESIGN rule 7: whoever waits for a buffer of a server that hangs is told. */
static void
a_stopped_server_does_not_hang_the_producer(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_IMMEDIATE);
	assert_int_equal(x_rig_frame(&rig, BGRA, 0), 0);
	x_rig_settle(&rig);
	kr_sink_set_answer_ns(400 * KR_NSEC_PER_MSEC);
	kill(rig.server.pid, SIGSTOP);
	assert_true(ends(&rig));
	kr_sink_set_answer_ns(0);
	kill(rig.server.pid, SIGCONT);
	x_rig_stop(&rig);
}

/* Pixels that are sent fill the socket of a server that doesn't read; so much is one frame. */
static void
a_stopped_server_does_not_hang_who_sends_pixels(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, "-extension", "MIT-SHM", 640, 480);
	x_rig_open(&rig, KR_PRESENT_MAILBOX);
	assert_int_equal(x_rig_frame(&rig, BGRA, 0), 0);
	x_rig_settle(&rig);
	kill(rig.server.pid, SIGSTOP);
	assert_int_equal(x_rig_frame(&rig, BGRA, 1), -ENODEV);
	assert_false(kr_queue_alive(rig.queue));
	kill(rig.server.pid, SIGCONT);
	x_rig_stop(&rig);
}

/* Nor does one that is stopped when the surface is made. */
static void
a_stopped_server_is_no_surface(void **state)
{
	struct kr_queue_config config;
	struct kr_output_window *output;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	kill(rig.server.pid, SIGSTOP);
	assert_int_equal(x_rig_open_window(&rig, rig.window, &config, &output), -ENODEV);
	kill(rig.server.pid, SIGCONT);
	x_rig_stop(&rig);
}

/* The frame's own fence is waited for, and a frame whose fence fails isn't shown. */
static void
fences_decide_what_is_shown(void **state)
{
	struct x_buffer buffer;
	int producer, fence;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_IMMEDIATE);
	assert_int_equal(x_rig_frame(&rig, BGRA, 5), 0);
	assert_int_equal(x_rig_dequeue(&rig, 64, 64, BGRA, KR_NSEC_PER_SEC, &buffer), 0);
	x_fill(&buffer, 6);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	kr_fence_signal(producer, -EIO);
	assert_int_equal(x_rig_queue(&rig, &buffer, fence), 0);
	x_rig_settle(&rig);
	x_rig_expect(&rig, 5);
	assert_int_equal(x_rig_dequeue(&rig, 64, 64, BGRA, KR_NSEC_PER_SEC, &buffer), 0);
	x_fill(&buffer, 7);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(x_rig_queue(&rig, &buffer, fence), 0);
	x_rig_expect(&rig, 7);
	x_rig_stop(&rig);
}

/* A frame on its way to the window; what ends its fence. */
static int
queue_pending(struct x_rig *rig, uint32_t seed)
{
	struct x_buffer buffer;
	int producer, fence;

	assert_int_equal(x_rig_dequeue(rig, 64, 64, BGRA, KR_NSEC_PER_SEC, &buffer), 0);
	x_fill(&buffer, seed);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(x_rig_queue(rig, &buffer, fence), 0);
	return producer;
}

/* A frame of another thread's comes to the window by and by. */
static void
wait_shows(struct x_rig *rig, uint32_t seed)
{
	int64_t limit = kr_deadline_in(5 * KR_NSEC_PER_SEC);

	while (!x_rig_shows(rig, seed))
		assert_true(kr_clock_now() < limit);
}

/* queueBuffer waits for no fence, in no mode; what comes behind a frame that isn't ready waits. */
static void
pending_frames_are_shown_when_they_are_ready(void **state)
{
	struct x_rig rig;
	int first, third;

	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
		x_rig_open(&rig, modes[m]);
		assert_int_equal(kr_queue_set_buffer_count(rig.queue, 4), 0);
		assert_int_equal(x_rig_frame(&rig, BGRA, 1), 0);
		wait_shows(&rig, 1);
		first = queue_pending(&rig, 2);
		assert_int_equal(x_rig_frame(&rig, BGRA, 3), 0);
		third = queue_pending(&rig, 4);
		x_rig_expect(&rig, 1);
		kr_fence_signal(first, 1);
		wait_shows(&rig, 3);
		kr_fence_signal(third, 1);
		wait_shows(&rig, 4);
		x_rig_stop(&rig);
	}
}

/* The server goes, or the program closes its window, while frames aren't ready. */
static void
pending_frames_have_an_end(void **state)
{
	struct x_rig rig;
	int producers[2];

	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		for (int dies = 0; dies < 2; dies++) {
			x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
			x_rig_open(&rig, modes[m]);
			assert_int_equal(x_rig_frame(&rig, BGRA, 0), 0);
			for (size_t i = 0; i < KR_ARRAY_LEN(producers); i++)
				producers[i] = queue_pending(&rig, (uint32_t)i + 1);
			if (dies)
				kr_xvfb_stop(&rig.server);
			else
				kr_fence_signal(producers[1], 1);
			kr_fence_signal(producers[0], 1);
			if (dies)
				assert_true(ends(&rig));
			x_rig_stop(&rig);
			if (dies)
				kr_fence_signal(producers[1], 1);
		}
	}
}

static void
show_in_all_modes(struct x_rig *rig)
{
	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		rig->input.presentation.mode = modes[m];
		for (uint32_t i = 0; i < 4; i++)
			assert_int_equal(
				x_rig_frame(rig, i % 2 ? BGRA : 1, (uint32_t)m * 4 + i), 0);
		x_rig_settle(rig);
		x_rig_expect(rig, (uint32_t)m * 4 + 3);
	}
}

/* A server that can't map our memory is sent the pixels. */
static void
without_shared_memory_pixels_are_sent(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, "-extension", "MIT-SHM", 301, 77);
	x_rig_open(&rig, KR_PRESENT_IMMEDIATE);
	show_in_all_modes(&rig);
	x_rig_stop(&rig);
}

/* One that doesn't know when its screen is drawn gets the frames at once. */
static void
without_present_frames_are_put(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, "-extension", "Generic Event Extension", 301, 77);
	x_rig_open(&rig, KR_PRESENT_IMMEDIATE);
	show_in_all_modes(&rig);
	x_rig_stop(&rig);
}

/* No descriptor left to pass: the pixels are sent instead. */
static void
at_the_descriptor_limit_pixels_are_sent(void **state)
{
	struct rlimit limit = {64, 64};
	struct x_buffer buffers[3];
	int taken[64], count = 0;
	struct stat st;
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_IMMEDIATE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while ((taken[count] = dup(0)) >= 0)
		count++;
	/* Exactly one is free: the buffer's own. */
	close(taken[--count]);
	assert_int_equal(x_rig_dequeue(&rig, 64, 64, BGRA, KR_NSEC_PER_SEC, &buffers[0]), 0);
	assert_int_equal(fstat(kr_buffer_get_info(buffers[0].buffer)->fd, &st), 0);
	while (count)
		close(taken[--count]);
	assert_false(x_rig_server_maps(&rig, st.st_ino));
	x_fill(&buffers[0], 9);
	assert_int_equal(x_rig_queue(&rig, &buffers[0], -1), 0);
	x_rig_expect(&rig, 9);
	x_rig_stop(&rig);
}

static void
other_visuals_are_refused(void **state)
{
	struct kr_queue_config config;
	struct kr_output_window *output = NULL;
	struct x_rig rig;

	x_rig_start(&rig, "320x200x16", NULL, NULL, 64, 64);
	assert_false(x_rig_support(&rig, rig.visual));
	assert_int_equal(x_rig_open_window(&rig, rig.window, &config, &output), -EOPNOTSUPP);
	assert_null(output);
	x_rig_stop(&rig);
	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	assert_true(x_rig_support(&rig, rig.visual));
	assert_false(x_rig_support(&rig, 0xffffff));
	assert_int_equal(x_rig_open_window(&rig, rig.window + 7, &config, &output), -ENODEV);
	x_rig_stop(&rig);
}

/* Buffers come and go with their size; nothing stays on the server. */
static void
buffers_are_replaced(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, SCREEN, NULL, NULL, 64, 64);
	x_rig_open(&rig, KR_PRESENT_FIFO);
	for (uint32_t i = 0; i < 12; i++) {
		struct x_buffer buffer;

		assert_int_equal(x_rig_dequeue(&rig, 64 + i * 16, 64, i % 3 ? BGRA : 1,
					 5 * KR_NSEC_PER_SEC, &buffer),
			0);
		x_fill(&buffer, i);
		assert_int_equal(x_rig_queue(&rig, &buffer, -1), 0);
	}
	x_rig_expect(&rig, 11);
	x_rig_stop(&rig);
}

/* libxcb and libdl keep memory of their own. */
#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(the_server_maps_our_own_memory, KEEPS),
	KR_TEST_FLAGS(every_mode_shows_every_format, KEEPS),
	KR_TEST_FLAGS(padding_is_not_shown, KEEPS),
	KR_TEST_FLAGS(the_applications_events_stay_its_own, KEEPS),
	KR_TEST_FLAGS(a_resized_window_is_known, KEEPS),
	KR_TEST_SLOW(a_destroyed_window_ends_everything, KEEPS, 40),
	KR_TEST_SLOW(a_killed_server_ends_everything, KEEPS, 40),
	KR_TEST_FLAGS(a_stopped_server_does_not_hang_the_producer, KEEPS),
	KR_TEST_SLOW(a_stopped_server_does_not_hang_who_sends_pixels, KEEPS, 60),
	KR_TEST_FLAGS(a_stopped_server_is_no_surface, KEEPS),
	KR_TEST_FLAGS(pending_frames_are_shown_when_they_are_ready, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(pending_frames_have_an_end, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(fences_decide_what_is_shown, KEEPS),
	KR_TEST_FLAGS(without_shared_memory_pixels_are_sent, KEEPS),
	KR_TEST_FLAGS(without_present_frames_are_put, KEEPS),
	KR_TEST_FLAGS(at_the_descriptor_limit_pixels_are_sent, KEEPS),
	KR_TEST_FLAGS(other_visuals_are_refused, KEEPS),
	KR_TEST_FLAGS(buffers_are_replaced, KEEPS),
};

KR_TEST_MAIN(tests)
