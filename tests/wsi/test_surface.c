/* SPDX-License-Identifier: Apache-2.0 */
/* What surfaces say of themselves: asked from window and GPU, never constants. */
#include "harness.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>

#include "rig.h"
#include "util/macros.h"

static VkSurfaceCapabilitiesKHR
caps_of(struct rig *rig)
{
	VkSurfaceCapabilitiesKHR caps;

	assert_int_equal(kr_wsi_surface_capabilities(&rig->gpu, rig->surface, &caps), VK_SUCCESS);
	return caps;
}

static void
capabilities_come_from_the_window(void **state)
{
	VkSurfaceCapabilitiesKHR caps;
	struct rig rig;

	rig_init(&rig, false);
	caps = caps_of(&rig);
	assert_int_equal(caps.currentExtent.width, 320);
	assert_int_equal(caps.currentExtent.height, 200);
	assert_int_equal(caps.minImageCount, 3);
	assert_int_equal(caps.maxImageCount, KR_QUEUE_SLOTS);
	assert_int_equal(caps.maxImageArrayLayers, 1);
	assert_int_equal(caps.currentTransform, VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR);
	kr_queue_configure(rig.queue, 640, 480, 0);
	assert_int_equal(caps_of(&rig).currentExtent.width, 640);
	rig.window.hint = NATIVE_WINDOW_TRANSFORM_ROT_90;
	caps = caps_of(&rig);
	assert_int_equal(caps.currentTransform, VK_SURFACE_TRANSFORM_ROTATE_90_BIT_KHR);
	assert_true(caps.supportedTransforms & VK_SURFACE_TRANSFORM_ROTATE_90_BIT_KHR);
	rig_finish(&rig);
}

static void
capabilities_come_from_the_gpu(void **state)
{
	VkSurfaceCapabilitiesKHR caps;
	struct rig rig;

	rig_init(&rig, false);
	fake.max_extent = 2048;
	fake.refused_usage = VK_IMAGE_USAGE_STORAGE_BIT;
	caps = caps_of(&rig);
	assert_int_equal(caps.maxImageExtent.width, 2048);
	assert_int_equal(caps.maxImageExtent.height, 2048);
	assert_false(caps.supportedUsageFlags & VK_IMAGE_USAGE_STORAGE_BIT);
	assert_true(caps.supportedUsageFlags & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
	assert_true(caps.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
	rig_finish(&rig);
}

static void
a_surface_without_size_says_so(void **state)
{
	struct rig rig;

	rig_init(&rig, false);
	rig.ops.no_size = true;
	assert_int_equal(caps_of(&rig).currentExtent.width, UINT32_MAX);
	assert_int_equal(caps_of(&rig).currentExtent.height, UINT32_MAX);
	rig_finish(&rig);
}

static void
count_refresh(void *data)
{
	((struct rig *)data)->refreshes++;
}

static void
refresh_precedes_the_answer(void **state)
{
	struct rig rig;

	rig_init(&rig, false);
	rig.ops.refresh = count_refresh;
	caps_of(&rig);
	assert_int_equal(rig.refreshes, 1);
	rig_finish(&rig);
}

static void
a_window_that_fails_is_a_lost_surface(void **state)
{
	static const int questions[] = {NATIVE_WINDOW_DEFAULT_WIDTH, NATIVE_WINDOW_DEFAULT_HEIGHT,
		NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, NATIVE_WINDOW_MAX_BUFFER_COUNT,
		NATIVE_WINDOW_TRANSFORM_HINT};
	VkSurfaceCapabilitiesKHR caps;
	VkPresentModeKHR modes[4];
	VkRect2D rect;
	struct rig rig;

	rig_init(&rig, false);
	for (size_t i = 0; i < KR_ARRAY_LEN(questions); i++) {
		uint32_t n = 4;

		rig.window.fail_query = questions[i];
		assert_int_equal(kr_wsi_surface_capabilities(&rig.gpu, rig.surface, &caps),
			VK_ERROR_SURFACE_LOST_KHR);
		assert_int_equal(kr_wsi_surface_present_modes(&rig.gpu, rig.surface, &n, modes),
			VK_ERROR_SURFACE_LOST_KHR);
		n = 1;
		assert_int_equal(kr_wsi_surface_rectangles(&rig.gpu, rig.surface, &n, &rect),
			VK_ERROR_SURFACE_LOST_KHR);
	}
	rig.window.fail_query = -1;
	kr_queue_abandon(rig.queue);
	assert_int_equal(kr_wsi_surface_capabilities(&rig.gpu, rig.surface, &caps),
		VK_ERROR_SURFACE_LOST_KHR);
	rig_finish(&rig);
}

static void
formats_begin_with_what_the_window_likes(void **state)
{
	VkSurfaceFormatKHR formats[8];
	uint32_t count = 0;
	struct rig rig;

	rig_init(&rig, false);
	assert_int_equal(kr_wsi_surface_formats(&rig.gpu, rig.surface, &count, NULL), VK_SUCCESS);
	assert_int_equal(count, 7);
	count = 8;
	assert_int_equal(
		kr_wsi_surface_formats(&rig.gpu, rig.surface, &count, formats), VK_SUCCESS);
	assert_int_equal(count, 7);
	assert_int_equal(formats[0].format, VK_FORMAT_B8G8R8A8_UNORM);
	assert_int_equal(formats[1].format, VK_FORMAT_B8G8R8A8_SRGB);
	/*
	 * Who takes whatever comes last gets no surprise before the formats that everybody knows.
	 */
	assert_int_equal(formats[5].format, VK_FORMAT_A2B10G10R10_UNORM_PACK32);
	assert_int_equal(formats[6].format, VK_FORMAT_R16G16B16A16_SFLOAT);
	assert_int_equal(formats[6].colorSpace, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR);
	assert_int_equal(formats[0].colorSpace, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR);
	count = 2;
	memset(formats, 0, sizeof(formats));
	assert_int_equal(
		kr_wsi_surface_formats(&rig.gpu, rig.surface, &count, formats), VK_INCOMPLETE);
	assert_int_equal(count, 2);
	assert_int_equal(formats[2].format, 0);
	rig_finish(&rig);
}

/* android-platform 7.3, 16: AOSP asks the allocator alone. */
static void
fault_16_formats_are_those_that_the_gpu_renders(void **state)
{
	VkSurfaceFormat2KHR formats[4] = {
		{.sType = VK_STRUCTURE_TYPE_SURFACE_FORMAT_2_KHR},
		{.sType = VK_STRUCTURE_TYPE_SURFACE_FORMAT_2_KHR},
	};
	VkSurfaceCapabilitiesKHR caps;
	VkBool32 supported;
	uint32_t count = 2;
	struct rig rig;

	rig_init(&rig, false);
	fake.only_format = VK_FORMAT_R5G6B5_UNORM_PACK16;
	assert_int_equal(
		kr_wsi_surface_formats2(&rig.gpu, rig.surface, &count, formats), VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_int_equal(formats[0].surfaceFormat.format, VK_FORMAT_R5G6B5_UNORM_PACK16);
	fake.only_format = VK_FORMAT_R8_UNORM;
	count = 2;
	assert_int_equal(
		kr_wsi_surface_formats2(&rig.gpu, rig.surface, &count, formats), VK_SUCCESS);
	assert_int_equal(count, 0);
	assert_int_equal(kr_wsi_surface_support(&rig.gpu, rig.surface, 0, &supported), VK_SUCCESS);
	assert_false(supported);
	assert_int_equal(
		kr_wsi_surface_capabilities(&rig.gpu, rig.surface, &caps), VK_ERROR_UNKNOWN);
	rig_finish(&rig);
}

static void
support_is_a_question_to_the_device(void **state)
{
	VkBool32 supported = VK_FALSE;
	struct rig rig;

	rig_init(&rig, false);
	kr_wsi_surface_support(&rig.gpu, rig.surface, 0, &supported);
	assert_true(supported);
	kr_wsi_surface_support(&rig.gpu, rig.surface, 1, &supported); /* sparse binding alone */
	assert_false(supported);
	kr_wsi_surface_support(&rig.gpu, rig.surface, 7, &supported);
	assert_false(supported);
	rig.gpu.native_buffer = false;
	assert_int_equal(kr_wsi_surface_support(&rig.gpu, rig.surface, 0, &supported), VK_SUCCESS);
	assert_false(supported);
	rig_finish(&rig);
}

static bool
no_immediate(void *data, VkPresentModeKHR mode)
{
	return mode != VK_PRESENT_MODE_IMMEDIATE_KHR;
}

static void
present_modes_are_what_the_output_can_do(void **state)
{
	VkPresentModeKHR modes[4];
	uint32_t count = 4;
	struct rig rig;

	rig_init(&rig, false);
	assert_int_equal(
		kr_wsi_surface_present_modes(&rig.gpu, rig.surface, &count, modes), VK_SUCCESS);
	assert_int_equal(count, 3);
	assert_int_equal(modes[0], VK_PRESENT_MODE_FIFO_KHR);
	rig.ops.has_present_mode = no_immediate;
	count = 4;
	assert_int_equal(
		kr_wsi_surface_present_modes(&rig.gpu, rig.surface, &count, modes), VK_SUCCESS);
	assert_int_equal(count, 2);
	assert_int_equal(modes[1], VK_PRESENT_MODE_MAILBOX_KHR);
	count = 1;
	assert_int_equal(
		kr_wsi_surface_present_modes(&rig.gpu, rig.surface, &count, modes), VK_INCOMPLETE);
	count = 0;
	assert_int_equal(
		kr_wsi_surface_present_modes(&rig.gpu, rig.surface, &count, NULL), VK_SUCCESS);
	assert_int_equal(count, 2);
	rig_finish(&rig);
}

static void
rectangles_are_the_window(void **state)
{
	VkRect2D rect[2];
	uint32_t count = 0;
	struct rig rig;

	rig_init(&rig, false);
	kr_wsi_surface_rectangles(&rig.gpu, rig.surface, &count, NULL);
	assert_int_equal(count, 1);
	count = 2;
	assert_int_equal(
		kr_wsi_surface_rectangles(&rig.gpu, rig.surface, &count, rect), VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_int_equal(rect[0].extent.width, 320);
	count = 0;
	assert_int_equal(
		kr_wsi_surface_rectangles(&rig.gpu, rig.surface, &count, rect), VK_INCOMPLETE);
	rig_finish(&rig);
}

static void
a_window_has_one_surface(void **state)
{
	struct kr_wsi_surface *second = NULL;
	struct rig rig;

	rig_init(&rig, false);
	assert_int_equal(kr_wsi_surface_create(&rig.window.base, &rig.ops, &rig, NULL, &second),
		VK_ERROR_NATIVE_WINDOW_IN_USE_KHR);
	assert_null(second);
	assert_int_equal(rig.destroys, 0);
	rig.window.fail_perform = NATIVE_WINDOW_GET_CONSUMER_USAGE64;
	assert_int_equal(kr_wsi_surface_create(&rig.window.base, NULL, NULL, NULL, &second),
		VK_ERROR_SURFACE_LOST_KHR);
	rig_finish(&rig);
}

static void
a_surface_allocates_through_its_callbacks(void **state)
{
	struct kr_wsi_surface *surface = NULL;
	struct alloc_probe probe;
	struct rig rig;

	rig_init(&rig, false);
	kr_wsi_surface_destroy(rig.surface, NULL);
	alloc_probe_init(&probe);
	probe.fail_at = 1;
	assert_int_equal(
		kr_wsi_surface_create(&rig.window.base, &rig.ops, &rig, &probe.callbacks, &surface),
		VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(
		kr_wsi_surface_create(&rig.window.base, &rig.ops, &rig, &probe.callbacks, &surface),
		VK_SUCCESS);
	assert_int_equal(probe.live, 1);
	kr_wsi_surface_destroy(surface, &probe.callbacks);
	assert_int_equal(probe.live, 0);
	rig.destroys = 0;
	assert_int_equal(
		kr_wsi_surface_create(&rig.window.base, &rig.ops, &rig, NULL, &rig.surface),
		VK_SUCCESS);
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(capabilities_come_from_the_window),
	KR_TEST(capabilities_come_from_the_gpu),
	KR_TEST(a_surface_without_size_says_so),
	KR_TEST(refresh_precedes_the_answer),
	KR_TEST(a_window_that_fails_is_a_lost_surface),
	KR_TEST(formats_begin_with_what_the_window_likes),
	KR_TEST(fault_16_formats_are_those_that_the_gpu_renders),
	KR_TEST(support_is_a_question_to_the_device),
	KR_TEST(present_modes_are_what_the_output_can_do),
	KR_TEST(rectangles_are_the_window),
	KR_TEST(a_window_has_one_surface),
	KR_TEST(a_surface_allocates_through_its_callbacks),
};

KR_TEST_MAIN(tests)
