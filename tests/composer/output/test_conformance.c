/* SPDX-License-Identifier: Apache-2.0 */
/* What every output of a display does alike; KRAFLA_TEST_OUTPUT says which one. */
#include "subject.h"

#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "composer/module.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define WIDTH   120
#define HEIGHT  72
#define PADDING 12 /* pixels behind each row that are no picture's */
#define LIMIT   (15 * KR_NSEC_PER_SEC)
#define BGRA    AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
#define RGBA    AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM

static const struct subject *const subjects[] = {
	&headless_subject,
	&x11_subject,
	&x11_put_subject,
	&x11_plain_subject,
	&wayland_subject,
	&weston_subject,
};

static const struct subject *
get_subject(void)
{
	const char *name = getenv("KRAFLA_TEST_OUTPUT");

	for (size_t i = 0; i < KR_ARRAY_LEN(subjects); i++) {
		if (name && !strcmp(name, subjects[i]->name))
			return subjects[i];
	}
	fail_msg("KRAFLA_TEST_OUTPUT is no output");
	return NULL;
}

/* An output on a server, and the pictures that the test makes. */
struct fixture {
	const struct subject *subject;
	struct kr_display_output *output;
	struct kr_composed_frame frame;
	uint32_t *pixels; /* of the frame */
	uint32_t *seen;   /* on screen */
	bool closed;
};

static uint32_t
colour(uint64_t number, uint32_t x, uint32_t y)
{
	return (uint32_t)(number * 37 % 256) << 16 | (x * 2 % 256) << 8 | (y * 3 % 256);
}

static void
begin(struct fixture *f)
{
	*f = (struct fixture){.subject = get_subject()};
	f->subject->start();
	f->output = f->subject->open(WIDTH, HEIGHT);
	subject_told = 0;
}

static void
end(struct fixture *f)
{
	f->output->impl->destroy(f->output);
	assert_int_equal(subject_held, 0);
	f->subject->stop();
	free(f->pixels);
	free(f->seen);
}

/* The next picture, of this size, in memory of which rows are longer. */
static void
make_picture(struct fixture *f, uint32_t width, uint32_t height, uint32_t format)
{
	uint32_t row = width + PADDING;

	free(f->pixels);
	f->pixels = malloc((size_t)row * height * 4);
	assert_non_null(f->pixels);
	f->frame = (struct kr_composed_frame){
		.number = f->frame.number + 1,
		.width = width,
		.height = height,
		.format = format,
		.row_bytes = row * 4,
		.dataspace = HAL_DATASPACE_SRGB,
		.pixels = f->pixels,
		.changed = true,
	};
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < row; x++) {
			uint32_t xrgb = x < width ? colour(f->frame.number, x, y) : 0xbadbad;
			uint32_t turned = (xrgb & 0xff) << 16 | (xrgb & 0xff00) | xrgb >> 16;

			/* Alpha means nothing. */
			f->pixels[(size_t)y * row + x] =
				(format == RGBA ? turned : xrgb) | (x % 2 ? 0xff000000u : 0);
		}
	}
}

/* Takes in what has come, and waits a little for more. What dispatch answered. */
static int
hear(struct fixture *f, int64_t until)
{
	struct kr_display_output_events events = {0};
	struct pollfd fds[KR_DISPLAY_OUTPUT_POLL];
	unsigned count;
	int ret;

	if (!f->output->impl->dispatch)
		return 0;
	ret = f->output->impl->dispatch(f->output, &events);
	f->closed |= events.closed;
	if (ret)
		return ret;
	count = f->output->impl->poll_fds(f->output, fds);
	assert_true(count <= KR_DISPLAY_OUTPUT_POLL);
	assert_true(
		kr_fd_poll(fds, count, KR_MIN(until, kr_clock_now() + 5 * KR_NSEC_PER_MSEC)) >= 0);
	return 0;
}

static int
give(struct fixture *f)
{
	return f->output->impl->show(f->output, &f->frame);
}

/* Shows the picture, and waits until it is on screen. */
static void
show(struct fixture *f)
{
	int64_t until = kr_clock_now() + LIMIT;
	int fence = -1;

	assert_int_equal(give(f), 0);
	if (f->output->impl->shown_fence)
		fence = f->output->impl->shown_fence(f->output, f->frame.number);
	while (kr_fence_status(fence) == KR_FENCE_ACTIVE) {
		assert_true(kr_clock_now() < until);
		assert_int_equal(hear(f, until), 0);
	}
	assert_int_equal(kr_fence_status(fence), KR_FENCE_SIGNALLED);
	kr_fd_close(&fence);
}

/* Whether what is on screen is the last picture, but for `skip` rows at the top. */
static bool
is_on_screen(struct fixture *f, uint32_t width, uint32_t height, uint32_t skip)
{
	free(f->seen);
	f->seen = calloc((size_t)width * height, 4);
	assert_non_null(f->seen);
	if (!f->subject->read(width, height, f->seen))
		return false;
	for (uint32_t y = skip; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			if (f->seen[(size_t)y * width + x] != colour(f->frame.number, x, y))
				return false;
		}
	}
	return true;
}

static void
expect_on_screen(struct fixture *f, uint32_t width, uint32_t height)
{
	int64_t until = kr_clock_now() + LIMIT;

	if (!f->subject->read)
		return;
	while (!is_on_screen(f, width, height, 0)) {
		if (kr_clock_now() >= until)
			fail_msg("picture %d isn't seen: its first pixel is %06x, its last %06x",
				(int)f->frame.number, f->seen[0], f->seen[width * height - 1]);
		assert_int_equal(hear(f, until), 0);
	}
}

static uint64_t
finish(struct fixture *f)
{
	uint64_t shown = UINT64_MAX;

	assert_int_equal(f->output->impl->finish(f->output, &shown), 0);
	return shown;
}

/* Both orders of colours, with padding, each picture when the one before is on screen. */
static void
pictures_are_shown_as_they_are(void **state)
{
	static const uint32_t formats[] = {BGRA, RGBA, RGBA, BGRA, RGBA, BGRA, BGRA, BGRA};
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		make_picture(&f, WIDTH, HEIGHT, formats[i]);
		show(&f);
		expect_on_screen(&f, WIDTH, HEIGHT);
	}
	assert_int_equal(f.output->dropped, 0);
	assert_int_equal(finish(&f), KR_ARRAY_LEN(formats));
	assert_int_equal(subject_told, 0);
	end(&f);
}

/* Where the screen's times are known, each picture's is; a screen has one at a time. */
static void
times_of_pictures_are_the_screen_s(void **state)
{
	struct kr_display_output_timing timing = {0};
	const struct kr_display_output_impl *impl;
	int64_t last = 0, shown;
	struct fixture f;

	begin(&f);
	impl = f.output->impl;
	assert_int_equal(!impl->shown_time, !impl->timing);
	for (unsigned i = 0; i < 5 && impl->shown_time; i++) {
		int64_t given = kr_clock_now();
		int ret;

		make_picture(&f, WIDTH, HEIGHT, BGRA);
		assert_int_equal(impl->shown_time(f.output, f.frame.number, &shown), -EAGAIN);
		show(&f);
		impl->timing(f.output, &timing);
		ret = impl->shown_time(f.output, f.frame.number, &shown);
		assert_int_equal(ret, timing.refresh_ns ? 0 : -ENOENT);
		if (ret)
			continue;
		/* Servers may count in us. */
		assert_true(shown >= given - 1000);
		assert_true(shown > last);
		assert_true(shown <= kr_clock_now());
		last = shown;
	}
	(void)finish(&f);
	end(&f);
}

/* As fast as they come: each is shown or counted, and the last one is seen. */
static void
every_picture_is_accounted_for(void **state)
{
	struct fixture f;
	uint64_t shown;

	begin(&f);
	for (unsigned i = 0; i < 60; i++) {
		make_picture(&f, WIDTH, HEIGHT, BGRA);
		assert_int_equal(give(&f), 0);
		if (i % 3 == 0)
			assert_int_equal(hear(&f, kr_clock_now()), 0);
	}
	expect_on_screen(&f, WIDTH, HEIGHT);
	shown = finish(&f);
	assert_int_equal(shown + f.output->dropped, 60);
	assert_true(shown > 0);
	if (!f.output->impl->slow_ok)
		assert_int_equal(f.output->dropped, 0);
	end(&f);
}

/* What is said to be as it was is as it was; a picture that wasn't shown here makes all unknown. */
static void
damage_is_enough(void **state)
{
	const ARect damage[] = {{0, 8, WIDTH, 20}, {0, 20, WIDTH, HEIGHT + 9}};
	struct fixture f;

	begin(&f);
	for (unsigned i = 0; i < 12; i++) {
		make_picture(&f, WIDTH, HEIGHT, BGRA);
		f.frame.damage = damage;
		f.frame.damage_count = KR_ARRAY_LEN(damage);
		for (unsigned at = 0; at < 8 * (WIDTH + PADDING); at++)
			f.pixels[at] = 0x00123456;
		show(&f);
	}
	if (f.subject->read) {
		assert_true(is_on_screen(&f, WIDTH, HEIGHT, 8));
		assert_int_equal(f.seen[0], 0x123456);
		assert_int_equal(f.seen[8 * WIDTH - 1], 0x123456);
	}
	f.frame.number++;
	make_picture(&f, WIDTH, HEIGHT, BGRA);
	f.frame.damage = damage;
	f.frame.damage_count = 1;
	show(&f);
	expect_on_screen(&f, WIDTH, HEIGHT);
	end(&f);
}

/* The picture's size may change; the window follows it. */
static void
sizes_change(void **state)
{
	static const uint32_t sizes[][2] = {{WIDTH, HEIGHT}, {61, 33}, {200, 150}, {1, 1}, {8, 9}};
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++) {
		make_picture(&f, sizes[i][0], sizes[i][1], i % 2 ? RGBA : BGRA);
		show(&f);
		expect_on_screen(&f, sizes[i][0], sizes[i][1]);
	}
	assert_int_equal(finish(&f) + f.output->dropped, KR_ARRAY_LEN(sizes));
	end(&f);
}

/* Told once; what comes then is shown still. */
static void
its_user_closes_it(void **state)
{
	int64_t until = kr_clock_now() + LIMIT;
	struct fixture f;

	begin(&f);
	make_picture(&f, WIDTH, HEIGHT, BGRA);
	show(&f);
	expect_on_screen(&f, WIDTH, HEIGHT);
	assert_false(f.closed);
	if (f.subject->close)
		f.subject->close();
	while (f.subject->close && !f.closed) {
		assert_true(kr_clock_now() < until);
		assert_int_equal(hear(&f, until), 0);
	}
	f.closed = false;
	make_picture(&f, WIDTH, HEIGHT, BGRA);
	show(&f);
	assert_false(f.closed);
	expect_on_screen(&f, WIDTH, HEIGHT);
	end(&f);
}

/* A server that does nothing costs pictures, and no time. The last picture comes in the end. */
static void
a_frozen_server_stops_nobody(void **state)
{
	struct fixture f;

	begin(&f);
	make_picture(&f, WIDTH, HEIGHT, BGRA);
	show(&f);
	if (f.subject->freeze)
		f.subject->freeze(true);
	for (unsigned i = 0; i < 2000; i++) {
		struct kr_display_output_events events = {0};

		make_picture(&f, WIDTH, HEIGHT, i % 2 ? BGRA : RGBA);
		assert_int_equal(give(&f), 0);
		if (f.output->impl->dispatch)
			assert_int_equal(f.output->impl->dispatch(f.output, &events), 0);
	}
	if (f.subject->freeze) {
		assert_true(f.output->dropped >= 1990);
		f.subject->freeze(false);
	}
	expect_on_screen(&f, WIDTH, HEIGHT);
	assert_int_equal(finish(&f) + f.output->dropped, 2001);
	end(&f);
}

/* Who leaves while the server is frozen doesn't wait for it for long, and leaves nothing. */
static void
the_end_comes_without_the_server(void **state)
{
	struct fixture f;
	int fence = -1;

	begin(&f);
	make_picture(&f, WIDTH, HEIGHT, BGRA);
	show(&f);
	if (f.subject->freeze)
		f.subject->freeze(true);
	for (unsigned i = 0; i < 5; i++) {
		make_picture(&f, WIDTH, HEIGHT, BGRA);
		assert_int_equal(give(&f), 0);
	}
	if (f.output->impl->shown_fence)
		fence = f.output->impl->shown_fence(f.output, f.frame.number);
	assert_int_equal(finish(&f) + f.output->dropped, 6);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_SIGNALLED);
	kr_fd_close(&fence);
	if (f.subject->freeze)
		f.subject->freeze(false);
	end(&f);
}

/* A server that is gone is told once. */
static void
a_dead_server_is_told_once(void **state)
{
	int64_t until = kr_clock_now() + LIMIT;
	struct fixture f;
	int ret = 0;

	begin(&f);
	make_picture(&f, WIDTH, HEIGHT, BGRA);
	show(&f);
	if (f.subject->kill)
		f.subject->kill();
	while (f.subject->kill && !ret) {
		assert_true(kr_clock_now() < until);
		make_picture(&f, WIDTH, HEIGHT, BGRA);
		ret = give(&f);
		if (!ret)
			ret = hear(&f, until);
	}
	if (f.subject->kill) {
		assert_int_equal(ret, -EPIPE);
		assert_int_equal(subject_told, 1);
		make_picture(&f, WIDTH, HEIGHT, BGRA);
		assert_int_equal(give(&f), -EPIPE);
		assert_int_equal(subject_told, 1);
	}
	(void)finish(&f);
	end(&f);
}

/* Nothing was shown, or nobody finishes it. */
static void
it_ends_at_any_time(void **state)
{
	struct fixture f;

	begin(&f);
	assert_int_equal(finish(&f), 0);
	end(&f);
	begin(&f);
	end(&f);
	begin(&f);
	make_picture(&f, WIDTH, HEIGHT, BGRA);
	assert_int_equal(give(&f), 0);
	end(&f);
}

/* Client libraries keep a little for the next connection, and of one that broke. */
#define KEEPS KR_TEST_KEEPS_MEMORY

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(pictures_are_shown_as_they_are, KEEPS),
	KR_TEST_FLAGS(times_of_pictures_are_the_screen_s, KEEPS),
	KR_TEST_FLAGS(every_picture_is_accounted_for, KEEPS),
	KR_TEST_FLAGS(damage_is_enough, KEEPS),
	KR_TEST_FLAGS(sizes_change, KEEPS),
	KR_TEST_FLAGS(its_user_closes_it, KEEPS),
	KR_TEST_FLAGS(a_frozen_server_stops_nobody, KEEPS),
	KR_TEST_FLAGS(the_end_comes_without_the_server, KEEPS),
	KR_TEST_FLAGS(a_dead_server_is_told_once, KEEPS),
	KR_TEST_FLAGS(it_ends_at_any_time, KEEPS),
};

/* A module stays loaded: what that takes is none of the cases'. */
int
main(int argc, char **argv)
{
	const char *name = get_subject()->module;

	if (name && kr_display_output_load(name, "", &subject_module))
		return EXIT_FAILURE;
	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
