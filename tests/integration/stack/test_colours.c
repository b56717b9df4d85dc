/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colour spaces on a real driver, to whoever reads the frames: what Khronos's tests of them do
 * (dEQP-VK.wsi.*.colorspace, colorspace_compare), and what those can't see, the pixels and what
 * they mean at the other end.
 */
#include <krafla/window.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan.h>
#include <vulkan/vulkan_android.h>

#include "app.h"
#include "harness.h"
#include "stack.h"
#include "util/macros.h"

#define SIDE      16
#define MAX_PAIRS 160
#define LEAVES    (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const char *const colorspace[] = {VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME};
static const char *const hdr_metadata[] = {VK_EXT_HDR_METADATA_EXTENSION_NAME};
static const float colour[4] = {0.25f, 0.5f, 0.8f, 1};

struct rig {
	struct app app;
	struct krafla_reader *reader;
	ANativeWindow *window;
	VkSurfaceFormatKHR pairs[MAX_PAIRS];
	uint32_t count;
};

static void
open_window(struct rig *rig)
{
	const struct krafla_reader_config config = {.size = sizeof(config),
		.width = SIDE,
		.height = SIDE,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_images = 1};
	VkAndroidSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_SURFACE_CREATE_INFO_KHR};
	PFN_vkCreateAndroidSurfaceKHR create;

	assert_int_equal(krafla_reader_open(&config, &rig->reader), 0);
	assert_int_equal(krafla_reader_get_window(rig->reader, &rig->window), 0);
	info.window = (struct ANativeWindow *)rig->window;
	create = (PFN_vkCreateAndroidSurfaceKHR)vkGetInstanceProcAddr(
		rig->app.instance, "vkCreateAndroidSurfaceKHR");
	assert_int_equal(create(rig->app.instance, &info, NULL, &rig->app.surface), VK_SUCCESS);
}

static void
rig_open(struct rig *rig, bool window)
{
	*rig = (struct rig){0};
	stack_use(STACK_LAVAPIPE);
	rig->app.more = (struct app_more){.instance_extensions = colorspace,
		.instance_extension_count = 1,
		.extensions = hdr_metadata,
		.extension_count = 1,
		.colour = colour};
	assert_int_equal(app_open_instance(&rig->app,
				 window ? VK_KHR_ANDROID_SURFACE_EXTENSION_NAME
					: VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
				 NULL),
		VK_SUCCESS);
	if (window)
		open_window(rig);
	else
		assert_int_equal(app_create_headless_surface(&rig->app), VK_SUCCESS);
	assert_int_equal(app_open_device(&rig->app, 0), VK_SUCCESS);
	rig->count = MAX_PAIRS;
	assert_int_equal(vkGetPhysicalDeviceSurfaceFormatsKHR(
				 rig->app.physical, rig->app.surface, &rig->count, rig->pairs),
		VK_SUCCESS);
}

static void
rig_close(struct rig *rig)
{
	app_close(&rig->app);
	if (rig->window)
		ANativeWindow_release(rig->window);
	krafla_reader_close(rig->reader);
}

static void
make_swapchain(struct rig *rig, const VkSurfaceFormatKHR *pair)
{
	rig->app.more.format = pair;
	assert_int_equal(app_create_swapchain(
				 &rig->app, VK_PRESENT_MODE_FIFO_KHR, 2, (VkExtent2D){SIDE, SIDE}),
		VK_SUCCESS);
	if (!rig->app.done)
		assert_int_equal(app_create_frame_objects(&rig->app), VK_SUCCESS);
}

/* What was drawn, as the reader gets it: its first pixel, and what is said of it. */
struct seen {
	uint64_t pixel;
	int32_t dataspace;
	uint32_t format;
	struct krafla_hdr_metadata hdr;
};

static void
show(struct rig *rig, struct seen *seen)
{
	struct krafla_image image;
	AHardwareBuffer_Desc desc;
	int32_t bytes, stride;
	void *pixels;

	assert_int_equal(app_frame(&rig->app, UINT64_MAX, 0), VK_SUCCESS);
	assert_int_equal(krafla_reader_acquire_next(rig->reader, &image), 0);
	*seen = (struct seen){.dataspace = image.dataspace};
	AHardwareBuffer_describe(image.buffer, &desc);
	seen->format = desc.format;
	assert_int_equal(
		AHardwareBuffer_lockAndGetInfo(image.buffer, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
			image.acquire_fence, NULL, &pixels, &bytes, &stride),
		0);
	memcpy(&seen->pixel, pixels, (size_t)bytes);
	assert_int_equal(AHardwareBuffer_unlock(image.buffer, NULL), 0);
	assert_int_equal(krafla_reader_get_hdr(rig->reader, &image, &seen->hdr), 0);
	assert_int_equal(krafla_reader_release(rig->reader, &image, -1), 0);
}

static double
from_half(uint16_t half)
{
	int exponent = half >> 10 & 31;

	return exponent ? ldexp(1 + (half & 1023) / 1024.0, exponent - 15)
			: ldexp((half & 1023) / 1024.0, -14);
}

/* A channel of a pixel, from 0 to 1; -1: the format hasn't it. */
static double
channel(const struct seen *seen, unsigned i)
{
	static const unsigned at_565[] = {11, 5, 0}, bits_565[] = {5, 6, 5};
	uint64_t p = seen->pixel;

	switch (seen->format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
		return (double)(p >> 8 * i & 255) / 255;
	case 5: /* B8G8R8A8 */
		return (double)(p >> 8 * (2 - i) & 255) / 255;
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		return (double)(p >> at_565[i] & ((1u << bits_565[i]) - 1)) /
			((1u << bits_565[i]) - 1);
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		return (double)(p >> 10 * i & 1023) / 1023;
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
		return from_half((uint16_t)(p >> 16 * i));
	case AHARDWAREBUFFER_FORMAT_R8_UNORM:
		return i ? -1 : (double)p / 255;
	default:
		fail_msg("format %u", seen->format);
	}
	return -1;
}

static double
srgb(double linear)
{
	return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static bool
encodes(VkFormat format)
{
	return format == VK_FORMAT_R8G8B8A8_SRGB || format == VK_FORMAT_B8G8R8A8_SRGB;
}

/* Half a step of the format, and what single precision leaves. */
static double
step(uint32_t format)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		return 0.51 / 31;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		return 0.51 / 1023;
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
		return 0.51 / 2048;
	default:
		return 0.51 / 255;
	}
}

static void
expect_colour(const struct seen *seen, VkFormat format)
{
	for (unsigned i = 0; i < 3; i++) {
		double is = channel(seen, i), should = (double)colour[i];

		if (is < 0)
			continue;
		if (encodes(format))
			should = srgb(should);
		if (fabs(is - should) > step(seen->format))
			fail_msg("format %d, channel %u: %f is %f", (int)format, i, should, is);
	}
}

static int32_t
expected_dataspace(const VkSurfaceFormatKHR *pair)
{
	const bool half = pair->format == VK_FORMAT_R16G16B16A16_SFLOAT;

	switch ((int)pair->colorSpace) {
	case VK_COLOR_SPACE_DISPLAY_P3_NONLINEAR_EXT:
		return 143261696;
	case VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT:
		return 406913024;
	case VK_COLOR_SPACE_DISPLAY_P3_LINEAR_EXT:
		return 139067392;
	case VK_COLOR_SPACE_DCI_P3_NONLINEAR_EXT:
		return 155844608;
	case VK_COLOR_SPACE_BT709_LINEAR_EXT:
		return 138477568;
	case VK_COLOR_SPACE_BT2020_LINEAR_EXT:
		return half ? 407240704 : 138805248;
	case VK_COLOR_SPACE_HDR10_ST2084_EXT:
		return 163971072;
	case VK_COLOR_SPACE_HDR10_HLG_EXT:
		return 168165376;
	case VK_COLOR_SPACE_ADOBERGB_LINEAR_EXT:
		return 139132928;
	case VK_COLOR_SPACE_ADOBERGB_NONLINEAR_EXT:
		return 151715840;
	case VK_COLOR_SPACE_PASS_THROUGH_EXT:
		return 1;
	case VK_COLOR_SPACE_EXTENDED_SRGB_NONLINEAR_EXT:
		return 411107328;
	default:
		return 142671872;
	}
}

/*
 * The same colour in each colour space of a format is the same pixel, one swapchain after another
 * on one surface; and it comes with what it means.
 */
static void
a_colour_space_changes_no_pixel(void **state)
{
	uint64_t first[MAX_PAIRS];
	struct rig rig;

	rig_open(&rig, true);
	assert_true(rig.count > 70);
	for (uint32_t i = 0; i < rig.count; i++) {
		const VkSurfaceFormatKHR *pair = &rig.pairs[i];
		struct seen seen;
		uint32_t same = 0;

		make_swapchain(&rig, pair);
		show(&rig, &seen);
		first[i] = seen.pixel;
		while (rig.pairs[same].format != pair->format)
			same++;
		assert_true(first[same] == seen.pixel);
		expect_colour(&seen, pair->format);
		assert_int_equal(seen.dataspace, expected_dataspace(pair));
		for (uint32_t j = 0; j < i; j++)
			assert_true(rig.pairs[j].format != pair->format ||
				rig.pairs[j].colorSpace != pair->colorSpace);
	}
	rig_close(&rig);
}

/* What shows nothing shows them all; frames come and go. */
static void
headless_surfaces_have_all_of_them(void **state)
{
	struct rig rig;

	rig_open(&rig, false);
	assert_true(rig.count > 70);
	for (uint32_t i = 0; i < rig.count; i++) {
		make_swapchain(&rig, &rig.pairs[i]);
		for (unsigned frame = 0; frame < 4; frame++)
			assert_int_equal(app_frame(&rig.app, UINT64_MAX, frame), VK_SUCCESS);
	}
	rig_close(&rig);
}

static void
metadata_goes_with_the_frames(void **state)
{
	const VkSurfaceFormatKHR pq = {VK_FORMAT_A2B10G10R10_UNORM_PACK32,
					 VK_COLOR_SPACE_HDR10_ST2084_EXT},
				 hlg = {pq.format, VK_COLOR_SPACE_HDR10_HLG_EXT};
	const VkHdrMetadataEXT metadata = {
		.sType = VK_STRUCTURE_TYPE_HDR_METADATA_EXT,
		.displayPrimaryRed = {0.68f, 0.32f},
		.displayPrimaryGreen = {0.265f, 0.69f},
		.displayPrimaryBlue = {0.15f, 0.06f},
		.whitePoint = {0.3127f, 0.329f},
		.maxLuminance = 1000,
		.maxContentLightLevel = 1000,
		.maxFrameAverageLightLevel = 70,
	};
	PFN_vkSetHdrMetadataEXT set;
	struct seen seen;
	struct rig rig;

	rig_open(&rig, true);
	set = (PFN_vkSetHdrMetadataEXT)vkGetDeviceProcAddr(rig.app.device, "vkSetHdrMetadataEXT");
	assert_non_null(set);
	make_swapchain(&rig, &pq);
	show(&rig, &seen);
	assert_int_equal(seen.hdr.has, 0);
	set(rig.app.device, 1, &rig.app.swapchain, &metadata);
	for (int i = 0; i < 10; i++) {
		show(&rig, &seen);
		assert_int_equal(seen.hdr.has, 3);
		assert_true(seen.hdr.green[0] == 0.265f && seen.hdr.max_cll == 1000 &&
			seen.hdr.max_fall == 70);
	}
	make_swapchain(&rig, &pq);
	show(&rig, &seen);
	assert_int_equal(seen.hdr.has, 3);
	make_swapchain(&rig, &hlg);
	show(&rig, &seen);
	assert_int_equal(seen.hdr.has, 0);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(a_colour_space_changes_no_pixel, LEAVES),
	KR_TEST_FLAGS(headless_surfaces_have_all_of_them, LEAVES),
	KR_TEST_FLAGS(metadata_goes_with_the_frames, LEAVES),
};

KR_TEST_MAIN(tests)
