/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swapchains made anew, one from the other, as a program does whose window is being resized: on a
 * composer's display and on an X window. Nothing is waited for in between, so that frames of
 * several swapchains are under way at once; none may stall the next, and the surface stays.
 */
#include "harness.h"

#include "fake_driver.h"
#include "program.h"
#include "util/clock.h"
#include "util/macros.h"
#include "x_rig.h"

#define ROUNDS 20

static const VkPresentModeKHR modes[] = {
	VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};

/* A swapchain takes some frames of the screen's; whatever waits in vain waits for 5 s. */
static void
check_time(int64_t start)
{
	assert_true(kr_clock_now() - start < 4 * KR_NSEC_PER_SEC);
}

static void
recreate_on_a_screen(enum kr_display_clock clock)
{
	const struct kr_surface_request request = {.kind = &kr_surface_kinds[KR_SURFACE_HEADLESS]};

	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		struct screen screen;
		struct program p;
		int64_t start;

		screen_start(&screen, clock);
		program_start(&p, &request, modes[m]);
		start = kr_clock_now();
		for (uint32_t i = 0; i < ROUNDS; i++)
			program_recreate(&p, i, 64 + i % 4 * 16, 64);
		program_show(&p, 3);
		check_time(start);
		program_stop(&p);
		screen_stop(&screen);
	}
}

static void
on_a_display_with_a_real_clock(void **state)
{
	recreate_on_a_screen(KR_CLOCK_REAL);
}

static void
on_a_display_with_a_virtual_clock(void **state)
{
	recreate_on_a_screen(KR_CLOCK_VIRTUAL);
}

static void
resize(struct x_rig *rig, uint32_t width, uint32_t height)
{
	const uint32_t size[] = {width, height};

	xcb_configure_window(
		rig->app, rig->window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
	xcb_flush(rig->app);
}

/*
 * The window changes while frames are under way; sometimes it is what the swapchain was made for.
 */
static void
recreate_in_a_window(struct x_rig *rig)
{
	const struct kr_surface_request request = x_rig_request(rig);

	for (size_t m = 0; m < KR_ARRAY_LEN(modes); m++) {
		struct program p;
		int64_t start;

		program_start(&p, &request, modes[m]);
		start = kr_clock_now();
		for (uint32_t i = 0; i < ROUNDS; i++) {
			VkSurfaceCapabilitiesKHR caps;

			resize(rig, 64 + i * 7, 48 + i * 3);
			assert_int_equal(kr_wsi_surface_capabilities(
						 &(struct kr_wsi_gpu){.functions = &fake.instance,
							 .native_buffer = true},
						 p.surface, &caps),
				VK_SUCCESS);
			program_recreate(
				&p, i, caps.currentExtent.width, caps.currentExtent.height);
		}
		program_show(&p, 3);
		check_time(start);
		program_stop(&p);
	}
}

static void
in_a_resized_x_window(void **state)
{
	struct x_rig rig;

	x_rig_start(&rig, "640x480x24", NULL, NULL, 64, 48);
	recreate_in_a_window(&rig);
	x_rig_stop(&rig);
}

/* The same under `krafla run`: the window says how large, the display shows it. */
static void
in_a_resized_x_window_with_a_display(void **state)
{
	struct screen screen;
	struct x_rig rig;

	screen_start(&screen, KR_CLOCK_REAL);
	x_rig_start(&rig, "640x480x24", NULL, NULL, 64, 48);
	recreate_in_a_window(&rig);
	x_rig_stop(&rig);
	screen_stop(&screen);
}

static const struct kr_test tests[] = {
	KR_TEST(on_a_display_with_a_real_clock),
	KR_TEST(on_a_display_with_a_virtual_clock),
	KR_TEST_FLAGS(in_a_resized_x_window, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(in_a_resized_x_window_with_a_display, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
