/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which colour spaces surfaces of each kind list, and that what is listed can be presented in
 * (dEQP-VK.wsi.*.colorspace.extensions, .basic; *.surface.query_formats_surfaceless).
 */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"
#include "util/macros.h"
#include "wayland_app.h"
#include "wayland_rig.h"
#include "x_app.h"
#include "xvfb.h"

#define MAX_PAIRS 160
#define FRAMES    3
#define LEAVES    (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const char *const extensions[] = {
	VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME, VK_GOOGLE_SURFACELESS_QUERY_EXTENSION_NAME};

struct list {
	VkSurfaceFormatKHR pairs[MAX_PAIRS];
	uint32_t count;
};

static void
get(const struct app *app, VkSurfaceKHR surface, struct list *list)
{
	memset(list, 0, sizeof(*list));
	list->count = MAX_PAIRS;
	assert_int_equal(vkGetPhysicalDeviceSurfaceFormatsKHR(
				 app->physical, surface, &list->count, list->pairs),
		VK_SUCCESS);
}

static bool
is_srgb(VkColorSpaceKHR space)
{
	return space == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR ||
		space == VK_COLOR_SPACE_BT709_NONLINEAR_EXT ||
		space == VK_COLOR_SPACE_PASS_THROUGH_EXT;
}

/* All that is listed; and what isn't is refused. */
static void
present_in_all(struct app *app, const struct list *list)
{
	const VkSurfaceFormatKHR none = {
		VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_COLOR_SPACE_DOLBYVISION_EXT};
	const VkExtent2D size = {RIG_WIDTH, RIG_HEIGHT};

	for (uint32_t i = 0; i < list->count; i++) {
		app->more.format = &list->pairs[i];
		assert_int_equal(
			app_create_swapchain(app, VK_PRESENT_MODE_FIFO_KHR, 2, size), VK_SUCCESS);
		if (!app->done)
			assert_int_equal(app_create_frame_objects(app), VK_SUCCESS);
		for (unsigned frame = 0; frame < FRAMES; frame++)
			assert_int_equal(app_frame(app, UINT64_MAX, 80 * frame), VK_SUCCESS);
	}
	app->more.format = &none;
	assert_int_equal(app_create_swapchain(app, VK_PRESENT_MODE_FIFO_KHR, 2, size),
		VK_ERROR_INITIALIZATION_FAILED);
}

static void
open_app(struct app *app, const char *surfaces, bool surfaceless)
{
	*app = (struct app){.more = {.instance_extensions = extensions,
				    .instance_extension_count = surfaceless ? 2 : 1}};
	setenv("KRAFLA_WSI", "platform", 1);
	assert_int_equal(app_open_instance(app, surfaces, NULL), VK_SUCCESS);
}

/* What needs nothing of a server: sRGB, under more than one name. */
static void
expect_srgb_alone(struct app *app)
{
	bool other = false;
	struct list list;

	assert_int_equal(app_open_device(app, 0), VK_SUCCESS);
	get(app, app->surface, &list);
	for (uint32_t i = 0; i < list.count; i++) {
		assert_true(is_srgb(list.pairs[i].colorSpace));
		other |= list.pairs[i].colorSpace != VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
	}
	assert_true(other);
	present_in_all(app, &list);
}

static void
windows_of_x_show_srgb_by_its_names(void **state)
{
	struct kr_xvfb server;
	struct x_app x = {0};
	struct app app;

	stack_use(STACK_LAVAPIPE);
	kr_xvfb_start(&server, "640x480x24", NULL, NULL);
	assert_true(x_app_open(&x, server.display, RIG_WIDTH, RIG_HEIGHT));
	open_app(&app, x_app_extension(false), false);
	assert_int_equal(x_app_create_surface(&x, &app), VK_SUCCESS);
	expect_srgb_alone(&app);
	app_close(&app);
	x_app_close(&x);
	kr_xvfb_stop(&server);
}

static void
windows_of_wayland_show_srgb_by_its_names(void **state)
{
	struct wayland_rig rig;
	struct app app;

	stack_use(STACK_LAVAPIPE);
	wayland_rig_start_drawing(&rig);
	open_app(&app, "VK_KHR_wayland_surface", false);
	assert_int_equal(wayland_app_create_surface(&app, rig.display, rig.surface), VK_SUCCESS);
	expect_srgb_alone(&app);
	app_close(&app);
	wayland_rig_stop(&rig);
}

static void
without_a_surface_all_list_the_same(void **state)
{
	struct list none, headless, x_list;
	struct kr_xvfb server;
	struct x_app x = {0};
	struct app app;

	stack_use(STACK_LAVAPIPE);
	kr_xvfb_start(&server, "640x480x24", NULL, NULL);
	assert_true(x_app_open(&x, server.display, RIG_WIDTH, RIG_HEIGHT));
	open_app(&app, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME, true);
	assert_int_equal(app_create_headless_surface(&app), VK_SUCCESS);
	assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
	get(&app, VK_NULL_HANDLE, &none);
	get(&app, app.surface, &headless);
	assert_memory_equal(&none, &headless, sizeof(none));
	present_in_all(&app, &headless);
	app_close(&app);
	open_app(&app, x_app_extension(false), true);
	assert_int_equal(x_app_create_surface(&x, &app), VK_SUCCESS);
	assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
	get(&app, app.surface, &x_list);
	assert_memory_equal(&none, &x_list, sizeof(none));
	app_close(&app);
	x_app_close(&x);
	kr_xvfb_stop(&server);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(windows_of_x_show_srgb_by_its_names, LEAVES),
	KR_TEST_FLAGS(windows_of_wayland_show_srgb_by_its_names, LEAVES),
	KR_TEST_FLAGS(without_a_surface_all_list_the_same, LEAVES),
};

KR_TEST_MAIN(tests)
