/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wayland windows that their own compositor shows, without a display of ours: what is on the screen
 * of a Weston that draws, and when.
 */
#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake_device.h"
#include "program.h"
#include "screenshot.h"
#include "util/clock.h"
#include "util/macros.h"
#include "wayland_rig.h"
#include "wayland_window.h"

#define BGRA    AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
#define LIMIT   (10 * KR_NSEC_PER_SEC)
#define BUFFERS 3

static struct wayland_rig rig;
static struct wayland_shown shown;

static void
begin_in(enum kr_output_mode mode, uint32_t buffers, bool drawing)
{
	if (drawing)
		wayland_rig_start_drawing(&rig);
	else
		wayland_rig_start(&rig);
	assert_int_equal(wayland_shown_open(&shown, rig.display, rig.surface, buffers), 0);
	shown.output->impl->set_mode(shown.output, mode);
}

static void
end(void)
{
	wayland_shown_close(&shown);
	wayland_rig_stop(&rig);
}

static void
expect_upright(uint32_t seed)
{
	struct shot shot;

	shot_wait(&rig.server, seed, &shot);
	assert_int_equal(shot.width, shown.width);
	assert_int_equal(shot.height, shown.height);
	for (unsigned q = 0; q < 4; q++)
		assert_int_equal(shot.quarters[q], q);
}

/* Each as it is, or converted where the compositor doesn't take it. */
static void
every_format_is_seen(void **state)
{
	static const uint32_t formats[] = {BGRA, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM,
		AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
		AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT};

	begin_in(KR_OUTPUT_FIFO, BUFFERS, true);
	for (uint32_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		assert_int_equal(wayland_shown_frame(&shown, formats[i], i, LIMIT), 0);
		expect_upright(i);
	}
	end();
}

/* The window is as large as its image. */
static void
sizes_follow_the_image(void **state)
{
	begin_in(KR_OUTPUT_FIFO, BUFFERS, true);
	for (uint32_t i = 0; i < 4; i++) {
		shown.width = 40 + i * 10;
		shown.height = 30 + i * 6;
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
		expect_upright(i);
	}
	end();
}

/* Where a quarter of the picture comes to lie when it is flipped, then turned clockwise. */
static unsigned
place_of(unsigned quarter, int32_t transform)
{
	unsigned x = quarter & 1, y = quarter >> 1, t;

	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_H)
		x = !x;
	if (transform & NATIVE_WINDOW_TRANSFORM_FLIP_V)
		y = !y;
	if (transform & NATIVE_WINDOW_TRANSFORM_ROT_90) {
		t = x;
		x = !y;
		y = t;
	}
	return x + 2 * y;
}

static void
pictures_are_turned(void **state)
{
	begin_in(KR_OUTPUT_FIFO, BUFFERS, true);
	for (int32_t transform = 0; transform < 8; transform++) {
		const struct kr_queue_input input = {
			.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO, .transform = transform};
		bool side = transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
		struct shot shot;

		assert_int_equal(
			wayland_shown_frame_with(&shown, BGRA, (uint32_t)transform, LIMIT, &input),
			0);
		shot_wait(&rig.server, (uint32_t)transform, &shot);
		assert_int_equal(shot.width, side ? shown.height : shown.width);
		assert_int_equal(shot.height, side ? shown.width : shown.height);
		for (unsigned q = 0; q < 4; q++)
			if (shot.quarters[place_of(q, transform)] != q)
				fail_msg("transform %d", transform);
	}
	end();
}

/* Sixty a second, which nobody waits for but who has no buffer left. */
static void
fifo_is_paced(void **state)
{
	int64_t start;

	begin_in(KR_OUTPUT_FIFO, BUFFERS, false);
	start = kr_clock_now();
	for (uint32_t i = 0; i < 30; i++)
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
	assert_true(kr_clock_now() - start > 400 * KR_NSEC_PER_MSEC);
	end();
}

/* All that wait are shown, though the program doesn't come back to us. */
static void
waiting_frames_are_shown_by_themselves(void **state)
{
	begin_in(KR_OUTPUT_FIFO, 6, true);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
	expect_upright(4);
	end();
}

static int64_t
burst(void)
{
	int64_t start = kr_clock_now();

	for (uint32_t i = 0; i < 12; i++)
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
	return kr_clock_now() - start;
}

static void
others_do_not_wait(void **state)
{
	static const enum kr_output_mode modes[] = {KR_OUTPUT_MAILBOX, KR_OUTPUT_IMMEDIATE};

	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		int64_t best = INT64_MAX;

		begin_in(modes[m], BUFFERS + 1, true);
		/* Once is enough: a loaded machine may hold us up at times. */
		for (uint32_t i = 0; i < 10; i++)
			best = KR_MIN(best, burst());
		assert_true(best < 60 * KR_NSEC_PER_MSEC);
		expect_upright(11);
		end();
	}
}

/* A program of Vulkan's, as other drivers' windows have it. */
static void
a_program_presents(void **state)
{
	static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR,
		VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};

	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		struct kr_surface_request request;
		VkSurfaceCapabilitiesKHR caps;
		struct program program;

		wayland_rig_start(&rig);
		request = wayland_rig_request(&rig);
		assert_true(kr_surface_support(request.kind, rig.display, 0));
		program_start(&program, &request, modes[m]);
		assert_int_equal(kr_wsi_surface_capabilities(fake_gpu(), program.surface, &caps),
			VK_SUCCESS);
		assert_int_equal(caps.currentExtent.width, UINT32_MAX);
		for (uint32_t i = 0; i < 12; i++)
			program_recreate(&program, i, 64 + i % 4 * 16, 64 + i);
		program_show(&program, 20);
		wayland_rig_wait(&rig, &rig.enters, 1);
		assert_int_equal(rig.leaves, 0);
		assert_int_equal(wl_display_get_error(rig.display), 0);
		program_stop(&program);
		wayland_rig_stop(&rig);
	}
}

/* The program's events wait until it looks at them itself. */
static void
the_applications_events_stay_its_own(void **state)
{
	begin_in(KR_OUTPUT_FIFO, BUFFERS, false);
	wayland_rig_ask_for_frame(&rig);
	for (uint32_t i = 0; i < 30; i++)
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
	assert_int_equal(rig.enters, 0);
	assert_int_equal(rig.frames, 0);
	assert_true(wl_display_dispatch_pending(rig.display) > 0);
	assert_int_equal(rig.enters, 1);
	assert_int_equal(rig.frames, 1);
	end();
}

static void
a_killed_compositor_is_told(void **state)
{
	int ret = 0;

	begin_in(KR_OUTPUT_FIFO, BUFFERS, false);
	assert_int_equal(wayland_shown_frame(&shown, BGRA, 0, LIMIT), 0);
	kr_weston_stop(&rig.server);
	for (int i = 0; i < 10 && !ret; i++)
		ret = wayland_shown_frame(&shown, BGRA, 0, LIMIT);
	assert_int_equal(ret, -ENODEV);
	end();
}

/* Who made the connection and who uses it have one library. */
static void
there_is_one_libwayland(void **state)
{
	unsigned long long first = 0;
	char line[512];
	FILE *maps;

	begin_in(KR_OUTPUT_FIFO, BUFFERS, false);
	maps = fopen("/proc/self/maps", "re");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long long inode = 0;

		if (!strstr(line, "libwayland-client"))
			continue;
		assert_int_equal(sscanf(line, "%*s %*s %*s %*s %llu", &inode), 1);
		assert_true(!first || inode == first);
		first = inode;
	}
	assert_true(first);
	fclose(maps);
	end();
}

/* libwayland and libdl keep memory of their own. */
#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_SLOW(every_format_is_seen, KEEPS, 120),
	KR_TEST_SLOW(sizes_follow_the_image, KEEPS, 120),
	KR_TEST_SLOW(pictures_are_turned, KEEPS, 120),
	KR_TEST_SLOW(fifo_is_paced, KEEPS, 60),
	KR_TEST_SLOW(waiting_frames_are_shown_by_themselves, KEEPS, 60),
	KR_TEST_SLOW(others_do_not_wait, KEEPS, 120),
	KR_TEST_SLOW(a_program_presents, KEEPS, 120),
	KR_TEST_SLOW(the_applications_events_stay_its_own, KEEPS, 60),
	KR_TEST_SLOW(a_killed_compositor_is_told, KEEPS, 60),
	KR_TEST_SLOW(there_is_one_libwayland, KEEPS, 60),
};

KR_TEST_MAIN(tests)
