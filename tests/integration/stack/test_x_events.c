/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application's X connection is its own (outputs/xcb/x_window.h): frames shown by Krafla's xcb
 * output add no request, no event and no reply to it.
 */
#include <stdlib.h>

#include "harness.h"
#include "stack.h"
#include "x_app.h"
#include "xvfb.h"

#define FRAMES 30
#define SIZE   ((VkExtent2D){64, 48})
#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep for good */

static void
round_trip(xcb_connection_t *c)
{
	free(xcb_get_input_focus_reply(c, xcb_get_input_focus(c), NULL));
}

/* The map request's own notification, and nothing else. */
static void
expect_own_events(xcb_connection_t *c)
{
	xcb_generic_event_t *event;
	unsigned maps = 0;

	round_trip(c);
	while ((event = xcb_poll_for_event(c))) {
		if ((event->response_type & 0x7f) != XCB_MAP_NOTIFY)
			fail_msg("an event of type %d", event->response_type & 0x7f);
		maps++;
		free(event);
	}
	assert_int_equal(maps, 1);
	assert_int_equal(xcb_connection_has_error(c), 0);
}

static void
show(const char *display, bool xlib, VkPresentModeKHR mode)
{
	struct app app = {0};
	struct x_app x = {0};
	uint64_t written, read;

	assert_true((xlib ? x_app_open_xlib : x_app_open)(&x, display, SIZE.width, SIZE.height));
	round_trip(x.connection);
	assert_int_equal(app_open_instance(&app, x_app_extension(xlib), NULL), VK_SUCCESS);
	assert_int_equal(x_app_create_surface(&x, &app), VK_SUCCESS);
	assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
	assert_true(x_app_can_present(&x, &app));
	written = xcb_total_written(x.connection);
	read = xcb_total_read(x.connection);
	assert_int_equal(app_create_swapchain(&app, mode, 3, SIZE), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(&app), VK_SUCCESS);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(app_frame(&app, UINT64_MAX, 8 * i), VK_SUCCESS);
	assert_int_equal(xcb_total_written(x.connection), written);
	assert_int_equal(xcb_total_read(x.connection), read);
	expect_own_events(x.connection);
	app_close(&app);
	x_app_close(&x);
}

static void
show_all_modes(enum stack_driver driver, bool xlib)
{
	struct kr_xvfb x;

	stack_use(driver);
	setenv("KRAFLA_WSI", "platform", 1);
	kr_xvfb_start(&x, "640x480x24", NULL, NULL);
	show(x.display, xlib, VK_PRESENT_MODE_FIFO_KHR);
	show(x.display, xlib, VK_PRESENT_MODE_MAILBOX_KHR);
	show(x.display, xlib, VK_PRESENT_MODE_IMMEDIATE_KHR);
	kr_xvfb_stop(&x);
}

static void
null_adds_no_events(void **state)
{
	show_all_modes(STACK_NULL, false);
}

static void
lavapipe_adds_no_events(void **state)
{
	show_all_modes(STACK_LAVAPIPE, false);
}

/* The same below a Display of Xlib. */
static void
null_adds_no_events_to_xlib(void **state)
{
	show_all_modes(STACK_NULL, true);
}

static void
lavapipe_adds_no_events_to_xlib(void **state)
{
	show_all_modes(STACK_LAVAPIPE, true);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(null_adds_no_events, KR_TEST_KEEPS_MEMORY, 30),
	KR_TEST_SLOW(lavapipe_adds_no_events, LEAVES, 30),
	KR_TEST_SLOW(null_adds_no_events_to_xlib, KR_TEST_KEEPS_MEMORY, 30),
	KR_TEST_SLOW(lavapipe_adds_no_events_to_xlib, LEAVES, 30),
};

KR_TEST_MAIN(tests)
