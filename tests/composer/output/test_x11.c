/* SPDX-License-Identifier: Apache-2.0 */
/* What the X11 output has that others haven't: windows of another size, and names of servers. */
#include "subject.h"

#include "harness.h"
#include "x11_user.h"
#include "xvfb.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <stdlib.h>

#include "composer/module.h"
#include "util/clock.h"
#include "util/fd.h"

#define WIDTH  40
#define HEIGHT 20

static struct kr_xvfb server;
static struct x11_user user;
static struct kr_display_output *output;
static uint32_t pixels[WIDTH * HEIGHT];
static struct kr_composed_frame frame = {
	.width = WIDTH,
	.height = HEIGHT,
	.format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
	.row_bytes = WIDTH * 4,
	.dataspace = HAL_DATASPACE_SRGB,
	.pixels = pixels,
};

static const struct kr_display_output_module *
load(void)
{
	const struct kr_display_output_module *module;

	assert_int_equal(kr_display_output_load("x11", "", &module), 0);
	return module;
}

static void
begin(void)
{
	kr_xvfb_start(&server, "400x300x24", NULL, NULL);
	x11_user_begin(&user, server.display);
	subject_module = load();
	output = subject_open_module(server.display, WIDTH, HEIGHT);
	for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
		pixels[i] = 0x010101 * (i % WIDTH) + 0x400000;
	frame.number = 1;
	assert_int_equal(output->impl->show(output, &frame), 0);
}

static void
end(void)
{
	output->impl->destroy(output);
	x11_user_end(&user);
	kr_xvfb_stop(&server);
}

/* What is seen at a place of a window of this size: the picture in its middle, black around it. */
static uint32_t
wanted(uint32_t width, uint32_t height, uint32_t x, uint32_t y)
{
	int32_t px = (int32_t)x - ((int32_t)width - WIDTH) / 2;
	int32_t py = (int32_t)y - ((int32_t)height - HEIGHT) / 2;

	if (px < 0 || py < 0 || px >= WIDTH || py >= HEIGHT)
		return 0;
	return pixels[py * WIDTH + px];
}

static bool
is_seen(uint32_t width, uint32_t height)
{
	uint32_t *seen = calloc((size_t)width * height, 4);
	bool same;

	assert_non_null(seen);
	same = x11_user_read(&user, width, height, seen);
	for (uint32_t i = 0; i < width * height && same; i++)
		same = seen[i] == wanted(width, height, i % width, i / width);
	free(seen);
	return same;
}

static struct kr_display_output_events
hear(int64_t until)
{
	struct kr_display_output_events events = {0};
	struct pollfd fds[KR_DISPLAY_OUTPUT_POLL];
	unsigned count;

	assert_true(kr_clock_now() < until);
	assert_int_equal(output->impl->dispatch(output, &events), 0);
	count = output->impl->poll_fds(output, fds);
	assert_true(kr_fd_poll(fds, count, kr_clock_now() + 5 * KR_NSEC_PER_MSEC) >= 0);
	return events;
}

/* The picture is shown again, without a new one, as often as its window changes. */
static void
a_window_of_another_size_keeps_the_picture(void **state)
{
	static const uint32_t sizes[][2] = {{100, 60}, {31, 15}, {300, 9}, {WIDTH, HEIGHT}};
	int64_t until = kr_clock_now() + 15 * KR_NSEC_PER_SEC;
	uint64_t shown;

	begin();
	while (!is_seen(WIDTH, HEIGHT))
		hear(until);
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++) {
		struct kr_display_output_events events = {0};

		assert_true(x11_user_resize_window(&user, sizes[i][0], sizes[i][1]));
		while (!events.resized)
			events = hear(until);
		assert_int_equal(events.width, sizes[i][0]);
		assert_int_equal(events.height, sizes[i][1]);
		while (!is_seen(sizes[i][0], sizes[i][1]))
			hear(until);
	}
	/* That was one picture all the same. */
	assert_int_equal(output->impl->finish(output, &shown), 0);
	assert_int_equal(shown, 1);
	assert_int_equal(output->dropped, 0);
	end();
}

/* A server's own times: the last blank that showed something, and how far they lie apart. */
static void
blanks_have_times(void **state)
{
	int64_t began = kr_clock_now(), until = began + 15 * KR_NSEC_PER_SEC;
	struct kr_display_output_timing timing = {0};

	begin();
	output->impl->timing(output, &timing);
	assert_int_equal(timing.period_ns, 0);
	while (timing.period_ns == 0) {
		frame.number++;
		assert_int_equal(output->impl->show(output, &frame), 0);
		hear(until);
		output->impl->timing(output, &timing);
	}
	assert_in_range(timing.refresh_ns, began, kr_clock_now());
	/* Xvfb has 60 Hz, in whole milliseconds. */
	assert_in_range(timing.period_ns, 10 * KR_NSEC_PER_MSEC, 25 * KR_NSEC_PER_MSEC);
	end();
}

static void
servers_that_are_not_there_are_named(void **state)
{
	static const char *const names[] = {":987", "987", "nonsense", ":0.9999999999", ""};
	const struct kr_display_output_module *module = load();
	struct kr_display_output_options options = {.title = "x", .width = 8, .height = 8};
	struct kr_display_output *none = NULL;

	unsetenv("DISPLAY");
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		subject_told = 0;
		options.argument = names[i];
		assert_true(module->open(&subject_host, &options, &none) < 0);
		assert_int_equal(subject_told, 1);
		assert_null(none);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(a_window_of_another_size_keeps_the_picture, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(blanks_have_times, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(servers_that_are_not_there_are_named, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
