/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wayland windows whose frames go to a display: the window stays mapped and its program hears of
 * frames, on a real Weston.
 */
#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "fake_device.h"
#include "program.h"
#include "util/macros.h"
#include "wayland_rig.h"

static const VkPresentModeKHR modes[] = {
	VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};

struct stage {
	struct screen screen;
	struct wayland_rig rig;
	struct program program;
};

static void
stage_start(struct stage *s, enum kr_display_clock clock, VkPresentModeKHR mode)
{
	struct kr_surface_request request;

	screen_start(&s->screen, clock);
	wayland_rig_start(&s->rig);
	request = wayland_rig_request(&s->rig);
	program_start(&s->program, &request, mode);
}

static void
stage_stop(struct stage *s)
{
	program_stop(&s->program);
	wayland_rig_stop(&s->rig);
	screen_stop(&s->screen);
}

/* The swapchain says how large the window is. */
static void
a_window_has_no_size(void **state)
{
	const struct kr_wsi_gpu *gpu;
	VkSurfaceCapabilitiesKHR caps;
	VkRect2D rectangle;
	uint32_t count = 1;
	struct stage s;

	stage_start(&s, KR_CLOCK_REAL, VK_PRESENT_MODE_FIFO_KHR);
	gpu = fake_gpu();
	assert_int_equal(kr_wsi_surface_capabilities(gpu, s.program.surface, &caps), VK_SUCCESS);
	assert_int_equal(caps.currentExtent.width, UINT32_MAX);
	assert_int_equal(caps.currentExtent.height, UINT32_MAX);
	assert_int_equal(
		kr_wsi_surface_rectangles(gpu, s.program.surface, &count, &rectangle), VK_SUCCESS);
	assert_int_equal(rectangle.extent.width, UINT32_MAX);
	stage_stop(&s);
}

/* Each present applies what the program asked for, and the compositor answers. */
static void
frames_are_answered(void **state)
{
	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		struct stage s;

		stage_start(&s, KR_CLOCK_REAL, modes[m]);
		(void)program_replace(&s.program, 320, 200);
		for (unsigned i = 0; i < 10; i++) {
			wayland_rig_ask_for_frame(&s.rig);
			program_show(&s.program, 1);
			wayland_rig_wait(&s.rig, &s.rig.frames, i + 1);
		}
		assert_int_equal(s.rig.enters, 1);
		assert_int_equal(s.rig.leaves, 0);
		stage_stop(&s);
	}
}

/* The program's events wait until it looks at them itself. */
static void
the_applications_events_stay_its_own(void **state)
{
	struct stage s;

	stage_start(&s, KR_CLOCK_REAL, VK_PRESENT_MODE_FIFO_KHR);
	(void)program_replace(&s.program, 320, 200);
	wayland_rig_ask_for_frame(&s.rig);
	program_show(&s.program, 30);
	assert_int_equal(s.rig.enters, 0);
	assert_int_equal(s.rig.frames, 0);
	/*
	 * They were read while frames were presented, as programs rely on that never
	 * read themselves.
	 */
	assert_true(wl_display_dispatch_pending(s.rig.display) > 0);
	assert_int_equal(s.rig.enters, 1);
	assert_int_equal(s.rig.frames, 1);
	stage_stop(&s);
}

static void
sizes_change(void **state)
{
	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		struct stage s;

		stage_start(&s, KR_CLOCK_VIRTUAL, modes[m]);
		for (uint32_t i = 0; i < 20; i++)
			program_recreate(&s.program, i, 64 + i % 4 * 16, 64 + i);
		program_show(&s.program, 3);
		wayland_rig_ask_for_frame(&s.rig);
		program_show(&s.program, 1);
		wayland_rig_wait(&s.rig, &s.rig.frames, 1);
		assert_int_equal(wl_display_get_error(s.rig.display), 0);
		stage_stop(&s);
	}
}

/* A program that hid its window by attaching nothing shows it by presenting. */
static void
a_hidden_window_comes_back(void **state)
{
	struct stage s;

	stage_start(&s, KR_CLOCK_REAL, VK_PRESENT_MODE_FIFO_KHR);
	(void)program_replace(&s.program, 320, 200);
	program_show(&s.program, 3);
	wayland_rig_wait(&s.rig, &s.rig.enters, 1);
	wl_surface_attach(s.rig.surface, NULL, 0, 0);
	wl_surface_commit(s.rig.surface);
	wayland_rig_wait(&s.rig, &s.rig.leaves, 1);
	/* Weston keeps the window configured meanwhile. */
	program_show(&s.program, 3);
	wayland_rig_wait(&s.rig, &s.rig.enters, 2);
	stage_stop(&s);
}

/*
 * Frames go on without the compositor, whose socket is never filled by us; what the program asked
 * for is answered when it goes on.
 */
static void
a_stopped_compositor_stops_no_frames(void **state)
{
	struct stage s;

	stage_start(&s, KR_CLOCK_REAL, VK_PRESENT_MODE_MAILBOX_KHR);
	(void)program_replace(&s.program, 320, 200);
	program_show(&s.program, 3);
	wayland_rig_wait(&s.rig, &s.rig.enters, 1);
	kill(s.rig.server.pid, SIGSTOP);
	wayland_rig_ask_for_frame(&s.rig);
	/* The requests of a third of these fill the socket, and the connection would break. */
	program_show(&s.program, 2000);
	assert_int_equal(wl_display_get_error(s.rig.display), 0);
	kill(s.rig.server.pid, SIGCONT);
	wayland_rig_wait(&s.rig, &s.rig.frames, 1);
	/* It is kept mapped again. */
	wayland_rig_ask_for_frame(&s.rig);
	program_show(&s.program, 1);
	wayland_rig_wait(&s.rig, &s.rig.frames, 2);
	stage_stop(&s);
}

/* Nor is it waited for forever when a surface is made. */
static void
a_stopped_compositor_is_no_surface(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	struct kr_surface_request request;
	struct wayland_rig rig;
	struct screen screen;

	screen_start(&screen, KR_CLOCK_REAL);
	wayland_rig_start(&rig);
	request = wayland_rig_request(&rig);
	kill(rig.server.pid, SIGSTOP);
	assert_int_equal(kr_surface_open(&request, NULL, &surface), VK_ERROR_SURFACE_LOST_KHR);
	kill(rig.server.pid, SIGCONT);
	wayland_rig_stop(&rig);
	screen_stop(&screen);
}

static void
a_killed_compositor_is_a_lost_surface(void **state)
{
	VkResult result = VK_SUCCESS;
	struct stage s;

	stage_start(&s, KR_CLOCK_REAL, VK_PRESENT_MODE_FIFO_KHR);
	(void)program_replace(&s.program, 320, 200);
	program_show(&s.program, 3);
	kr_weston_stop(&s.rig.server);
	for (int i = 0; i < 10 && result == VK_SUCCESS; i++) {
		uint32_t index;

		assert_int_equal(program_acquire(&s.program, &index), VK_SUCCESS);
		result = program_present(&s.program, s.program.swapchain, index);
	}
	assert_int_equal(result, VK_ERROR_SURFACE_LOST_KHR);
	stage_stop(&s);
}

/* Wrong, but nothing of ours comes into it: no frame is presented in between. */
static void
a_window_may_go_before_its_surface(void **state)
{
	struct stage s;

	stage_start(&s, KR_CLOCK_REAL, VK_PRESENT_MODE_FIFO_KHR);
	(void)program_replace(&s.program, 320, 200);
	program_show(&s.program, 3);
	wayland_rig_close_window(&s.rig);
	program_stop(&s.program);
	assert_true(wl_display_roundtrip(s.rig.display) >= 0);
	assert_int_equal(wl_display_get_error(s.rig.display), 0);
	wayland_rig_stop(&s.rig);
	screen_stop(&s.screen);
}

static atomic_bool ended;

static void *
dispatch(void *data)
{
	struct wayland_rig *rig = data;

	while (!atomic_load(&ended)) {
		wayland_rig_ask_for_frame(rig);
		wayland_rig_wait(rig, &rig->frames, rig->frames + 1);
	}
	return NULL;
}

/* The program reads its events on another thread than frames are presented from. */
static void
threads_share_the_connection(void **state)
{
	pthread_t thread;
	struct stage s;

	atomic_store(&ended, false);
	stage_start(&s, KR_CLOCK_REAL, VK_PRESENT_MODE_FIFO_KHR);
	(void)program_replace(&s.program, 320, 200);
	assert_int_equal(pthread_create(&thread, NULL, dispatch, &s.rig), 0);
	program_show(&s.program, 100);
	atomic_store(&ended, true);
	/* Its last question may be one that no present has sent yet. */
	program_show(&s.program, 10);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(s.rig.frames > 3);
	stage_stop(&s);
}

/* Frames are shown all the same; only the window isn't. */
static void
without_a_module_frames_are_shown(void **state)
{
	static char variable[] = "KRAFLA_OUTPUT_PATH=/nonexistent";
	struct stage s;

	putenv(variable);
	stage_start(&s, KR_CLOCK_REAL, VK_PRESENT_MODE_FIFO_KHR);
	(void)program_replace(&s.program, 320, 200);
	program_show(&s.program, 5);
	stage_stop(&s);
}

/* libwayland and libdl keep memory of their own. */
#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_SLOW(a_window_has_no_size, KEEPS, 60),
	KR_TEST_SLOW(frames_are_answered, KEEPS, 60),
	KR_TEST_SLOW(the_applications_events_stay_its_own, KEEPS, 60),
	KR_TEST_SLOW(sizes_change, KEEPS, 60),
	KR_TEST_SLOW(a_hidden_window_comes_back, KEEPS, 60),
	KR_TEST_SLOW(a_stopped_compositor_stops_no_frames, KEEPS, 60),
	KR_TEST_SLOW(a_stopped_compositor_is_no_surface, KEEPS, 60),
	KR_TEST_SLOW(a_killed_compositor_is_a_lost_surface, KEEPS, 60),
	KR_TEST_SLOW(a_window_may_go_before_its_surface, KEEPS, 60),
	KR_TEST_SLOW(threads_share_the_connection, KEEPS, 60),
	KR_TEST_SLOW(without_a_module_frames_are_shown, KEEPS, 60),
};

KR_TEST_MAIN(tests)
