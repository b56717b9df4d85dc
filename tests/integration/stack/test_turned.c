/* SPDX-License-Identifier: Apache-2.0 */
/* A screen that is turned, as a Vulkan program meets it: pre-rotation, and how it is told. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"

#define FRAMES 4
#define WAIT   UINT64_C(5000000000)

struct scene {
	struct rig rig;
	struct app app;
};

static void
open_scene(struct scene *s, int32_t transform)
{
	struct kr_display_config config = rig_config(KR_CLOCK_REAL);

	memset(s, 0, sizeof(*s));
	stack_use(STACK_NULL);
	config.transform = transform;
	rig_start_with(&s->rig, &config);
	setenv("KRAFLA_DISPLAY", s->rig.socket, 1);
	assert_int_equal(app_open_instance(&s->app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(&s->app), VK_SUCCESS);
	assert_int_equal(app_open_device(&s->app, 0), VK_SUCCESS);
}

static void
close_scene(struct scene *s, struct kr_display_stats *stats)
{
	app_close(&s->app);
	rig_stop(&s->rig, stats);
}

static VkSurfaceTransformFlagBitsKHR
current_transform(struct scene *s)
{
	VkSurfaceCapabilitiesKHR caps;

	assert_int_equal(
		vkGetPhysicalDeviceSurfaceCapabilitiesKHR(s->app.physical, s->app.surface, &caps),
		VK_SUCCESS);
	return caps.currentTransform;
}

/* Images as the panel is, whatever size windows see; in place of the swapchain before. */
static void
create_swapchain(struct scene *s)
{
	VkSwapchainKHR old = s->app.swapchain;
	const VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = s->app.surface,
		.minImageCount = 3,
		.imageFormat = VK_FORMAT_R8G8B8A8_UNORM,
		.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
		.imageExtent = {RIG_WIDTH, RIG_HEIGHT},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = current_transform(s),
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
		.clipped = VK_TRUE,
		.oldSwapchain = old,
	};

	assert_int_equal(
		vkCreateSwapchainKHR(s->app.device, &info, NULL, &s->app.swapchain), VK_SUCCESS);
	vkDestroySwapchainKHR(s->app.device, old, NULL);
	s->app.image_count = APP_MAX_IMAGES;
	assert_int_equal(vkGetSwapchainImagesKHR(s->app.device, s->app.swapchain,
				 &s->app.image_count, s->app.images),
		VK_SUCCESS);
}

/* NATIVE_WINDOW_TRANSFORM_* and what Vulkan calls it. */
static const struct {
	int32_t transform;
	VkSurfaceTransformFlagBitsKHR bit;
} turns[] = {
	{0, VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR},
	{NATIVE_WINDOW_TRANSFORM_ROT_90, VK_SURFACE_TRANSFORM_ROTATE_90_BIT_KHR},
	{NATIVE_WINDOW_TRANSFORM_ROT_180, VK_SURFACE_TRANSFORM_ROTATE_180_BIT_KHR},
	{NATIVE_WINDOW_TRANSFORM_ROT_270, VK_SURFACE_TRANSFORM_ROTATE_270_BIT_KHR},
	{NATIVE_WINDOW_TRANSFORM_FLIP_H, VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_BIT_KHR},
	{NATIVE_WINDOW_TRANSFORM_FLIP_H | NATIVE_WINDOW_TRANSFORM_ROT_90,
		VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_ROTATE_90_BIT_KHR},
	{NATIVE_WINDOW_TRANSFORM_FLIP_V, VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_ROTATE_180_BIT_KHR},
	{NATIVE_WINDOW_TRANSFORM_FLIP_V | NATIVE_WINDOW_TRANSFORM_ROT_90,
		VK_SURFACE_TRANSFORM_HORIZONTAL_MIRROR_ROTATE_270_BIT_KHR},
};

/* Its images are as the panel is, and the display shows them without a copy. */
static void
who_draws_turned_is_shown_as_he_is(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(turns); i++) {
		struct kr_display_stats stats;
		struct scene s;

		open_scene(&s, turns[i].transform);
		assert_int_equal(current_transform(&s), turns[i].bit);
		create_swapchain(&s);
		assert_int_equal(app_create_frame_objects(&s.app), VK_SUCCESS);
		for (unsigned n = 0; n < FRAMES; n++)
			assert_int_equal(app_frame(&s.app, WAIT, n), VK_SUCCESS);
		rig_wait_frames(&s.rig, FRAMES);
		close_scene(&s, &stats);
		assert_int_equal(stats.handed_over, stats.composed);
		assert_int_equal(stats.drawn, 0);
	}
}

/* A screen that is turned meanwhile makes a swapchain suboptimal; a new one fits again. */
static void
a_turn_makes_swapchains_suboptimal(void **state)
{
	int64_t until = kr_clock_now() + (int64_t)WAIT;
	VkResult result;
	struct scene s;

	open_scene(&s, 0);
	create_swapchain(&s);
	assert_int_equal(app_create_frame_objects(&s.app), VK_SUCCESS);
	assert_int_equal(app_frame(&s.app, WAIT, 1), VK_SUCCESS);
	assert_int_equal(
		kr_display_set_transform(s.rig.display, NATIVE_WINDOW_TRANSFORM_ROT_90), 0);
	do {
		result = app_frame(&s.app, WAIT, 2);
		assert_true(result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR);
		assert_true(kr_clock_now() < until);
	} while (result == VK_SUCCESS);
	assert_int_equal(current_transform(&s), VK_SURFACE_TRANSFORM_ROTATE_90_BIT_KHR);
	assert_int_equal(vkDeviceWaitIdle(s.app.device), VK_SUCCESS);
	create_swapchain(&s);
	for (unsigned n = 0; n < FRAMES; n++)
		assert_int_equal(app_frame(&s.app, WAIT, n), VK_SUCCESS);
	close_scene(&s, NULL);
}

#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what the loader keeps */

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(who_draws_turned_is_shown_as_he_is, LEAVES),
	KR_TEST_FLAGS(a_turn_makes_swapchains_suboptimal, LEAVES),
};
KR_TEST_MAIN(tests)
