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
#include "picture.h"
#include "program.h"
#include "screenshot.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/macros.h"
#include "wayland_rig.h"
#include "wayland_window.h"

#define BGRA    AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
#define LIMIT   (10 * KR_NSEC_PER_SEC)
#define BUFFERS 3

static struct wayland_rig rig;
static struct wayland_shown shown;

static void
begin_in(uint8_t mode, uint32_t buffers, bool drawing)
{
	if (drawing)
		wayland_rig_start_drawing(&rig);
	else
		wayland_rig_start(&rig);
	assert_int_equal(wayland_shown_open(&shown, rig.display, rig.surface, buffers), 0);
	shown.input.presentation.mode = mode;
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

	begin_in(KR_PRESENT_FIFO, BUFFERS, true);
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
	begin_in(KR_PRESENT_FIFO, BUFFERS, true);
	for (uint32_t i = 0; i < 4; i++) {
		shown.width = 40 + i * 10;
		shown.height = 30 + i * 6;
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
		expect_upright(i);
	}
	end();
}

static void
pictures_are_turned(void **state)
{
	begin_in(KR_PRESENT_FIFO, BUFFERS, true);
	for (int32_t transform = 0; transform < 16; transform++) {
		bool side = transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
		struct shot shot;

		shown.input.transform = transform;
		assert_int_equal(wayland_shown_frame(&shown, BGRA, (uint32_t)transform, LIMIT), 0);
		shot_wait(&rig.server, (uint32_t)transform, &shot);
		assert_int_equal(shot.width, side ? shown.height : shown.width);
		assert_int_equal(shot.height, side ? shown.width : shown.height);
		for (unsigned q = 0; q < 4; q++)
			if (shot.quarters[picture_place(q, transform)] != q)
				fail_msg("transform %d", transform);
	}
	end();
}

/* Sixty a second, which nobody waits for but who has no buffer left. */
static void
fifo_is_paced(void **state)
{
	int64_t start;

	begin_in(KR_PRESENT_FIFO, BUFFERS, false);
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
	begin_in(KR_PRESENT_FIFO, 6, true);
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
	static const uint8_t modes[] = {KR_PRESENT_MAILBOX, KR_PRESENT_IMMEDIATE};

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

/* Who waits for a frame hears when it was on the screen, which is not when it was queued. */
static void
frames_are_told_when_they_are_shown(void **state)
{
	begin_in(KR_PRESENT_FIFO, 6, false);
	shown.input.presentation.tell_shown = true;
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
	assert_true(kr_queue_last_shown(shown.queue) < shown.number);
	for (uint64_t i = shown.number - 4; i <= shown.number; i++)
		assert_int_equal(kr_queue_wait_shown(shown.queue, i, kr_deadline_in(LIMIT)), 0);
	/* None comes without a frame. */
	assert_int_equal(kr_queue_wait_shown(shown.queue, shown.number + 1,
				 kr_deadline_in(50 * KR_NSEC_PER_MSEC)),
		-ETIMEDOUT);
	end();
}

/* Those that were passed by are shown as well as they ever will be. */
static void
the_latest_ready_frame_is_shown(void **state)
{
	int64_t start;

	begin_in(KR_PRESENT_FIFO_LATEST_READY, 12, true);
	shown.input.presentation.tell_shown = true;
	start = kr_clock_now();
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
	assert_int_equal(kr_queue_wait_shown(shown.queue, shown.number, kr_deadline_in(LIMIT)), 0);
	/* Ten turns of the screen would have been 166 ms. */
	assert_true(kr_clock_now() - start < 150 * KR_NSEC_PER_MSEC);
	expect_upright(9);
	end();
}

/* Frames of another mode come after those that wait, and the screen shows them in order. */
static void
modes_change_from_frame_to_frame(void **state)
{
	static const uint8_t modes[] = {KR_PRESENT_FIFO, KR_PRESENT_MAILBOX, KR_PRESENT_FIFO,
		KR_PRESENT_IMMEDIATE, KR_PRESENT_FIFO_LATEST_READY, KR_PRESENT_MAILBOX};

	begin_in(KR_PRESENT_FIFO, 8, true);
	for (uint32_t i = 0; i < 12; i++) {
		shown.input.presentation.mode = modes[i % KR_ARRAY_LEN(modes)];
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
		if (i % 3 == 2)
			expect_upright(i);
	}
	end();
}

static struct kr_buffer *
dequeue_shared(uint32_t *slot)
{
	const struct kr_queue_request request = {
		.width = shown.width,
		.height = shown.height,
		.format = BGRA,
		.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
		.deadline_ns = kr_deadline_in(LIMIT),
	};
	struct kr_buffer *buffer;
	int fence = -1;

	assert_int_equal(kr_queue_dequeue(shown.queue, &request, slot, &buffer, &fence), 0);
	kr_fd_close(&fence);
	return buffer;
}

/* The one buffer is drawn into while it is on the screen. */
static void
a_shared_buffer_is_shown_again(void **state)
{
	struct kr_buffer *buffer;
	uint32_t slot;

	begin_in(KR_PRESENT_SHARED_DEMAND, BUFFERS, true);
	assert_int_equal(kr_queue_set_shared(shown.queue, true), 0);
	for (uint32_t i = 0; i < 4; i++) {
		buffer = dequeue_shared(&slot);
		wayland_shown_draw(buffer, i);
		assert_int_equal(
			kr_queue_queue(shown.queue, slot, &shown.input, -1, &shown.number), 0);
		expect_upright(i);
	}
	/* From now on nobody says anything. */
	shown.input.presentation.mode = KR_PRESENT_SHARED_CONTINUOUS;
	buffer = dequeue_shared(&slot);
	assert_int_equal(kr_queue_queue(shown.queue, slot, &shown.input, -1, &shown.number), 0);
	for (uint32_t i = 4; i < 8; i++) {
		wayland_shown_draw(buffer, i);
		expect_upright(i);
	}
	/* And back: it is released by the frame that takes its place. */
	assert_int_equal(kr_queue_set_shared(shown.queue, false), 0);
	assert_int_equal(kr_queue_set_buffer_count(shown.queue, BUFFERS), 0);
	shown.input.presentation.mode = KR_PRESENT_FIFO;
	for (uint32_t i = 8; i < 14; i++)
		assert_int_equal(wayland_shown_frame(&shown, BGRA, i, LIMIT), 0);
	expect_upright(13);
	end();
}

/* Half of a colour over Weston's desk, which is 0x202020; or as if it were whole. */
static void
alpha_is_as_the_frame_says(void **state)
{
	static const struct {
		uint8_t alpha;
		uint32_t seen;
	} cases[] = {
		{KR_ALPHA_PREMULTIPLIED, 0x901010},
		{KR_ALPHA_INHERIT, 0x901010},
		{KR_ALPHA_OPAQUE, 0x800000},
	};
	static const uint32_t formats[] = {BGRA, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM};

	for (size_t f = 0; f < KR_ARRAY_LEN(formats); f++) {
		begin_in(KR_PRESENT_FIFO, BUFFERS, true);
		for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
			shown.input.presentation.alpha = cases[i].alpha;
			assert_int_equal(
				wayland_shown_plain(&shown, formats[f],
					formats[f] == BGRA ? 0x80800000 : 0x80000080, LIMIT),
				0);
			shot_wait_colour(&rig.server, cases[i].seen, shown.width * shown.height);
		}
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
	begin_in(KR_PRESENT_FIFO, BUFFERS, false);
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

	begin_in(KR_PRESENT_FIFO, BUFFERS, false);
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

	begin_in(KR_PRESENT_FIFO, BUFFERS, false);
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
	KR_TEST_SLOW(frames_are_told_when_they_are_shown, KEEPS, 60),
	KR_TEST_SLOW(the_latest_ready_frame_is_shown, KEEPS, 60),
	KR_TEST_SLOW(modes_change_from_frame_to_frame, KEEPS, 120),
	KR_TEST_SLOW(a_shared_buffer_is_shown_again, KEEPS, 120),
	KR_TEST_SLOW(alpha_is_as_the_frame_says, KEEPS, 120),
	KR_TEST_SLOW(a_program_presents, KEEPS, 120),
	KR_TEST_SLOW(the_applications_events_stay_its_own, KEEPS, 60),
	KR_TEST_SLOW(a_killed_compositor_is_told, KEEPS, 60),
	KR_TEST_SLOW(there_is_one_libwayland, KEEPS, 60),
};

KR_TEST_MAIN(tests)
