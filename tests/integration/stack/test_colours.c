/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colour spaces on a real driver, to whoever reads the frames: what Khronos's tests of them do
 * (dEQP-VK.wsi.*.colorspace, colorspace_compare), and what those can't see, the pixels and what
 * they mean at the other end.
 */
#include <krafla/window.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>
#include <vulkan/vulkan_android.h>

#include "app.h"
#include "colour_reference.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"
#include "util/macros.h"

#define SIDE      16
#define MAX_PAIRS 160
#define LEAVES    (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const char *const colorspace[] = {VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME};
static const char *const hdr_metadata[] = {VK_EXT_HDR_METADATA_EXTENSION_NAME};
/* None halfway between two codes of any format: drivers may round that to either. */
static const float colour[4] = {0.25f, 0.47f, 0.8f, 1};

struct reading {
	struct app app;
	struct krafla_reader *reader;
	ANativeWindow *window;
	VkSurfaceFormatKHR pairs[MAX_PAIRS];
	uint32_t count;
};

static void
open_window(struct reading *rig)
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
reading_open(struct reading *rig, bool window)
{
	*rig = (struct reading){0};
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
reading_close(struct reading *rig)
{
	app_close(&rig->app);
	if (rig->window)
		ANativeWindow_release(rig->window);
	krafla_reader_close(rig->reader);
}

static void
make_swapchain(struct reading *rig, const VkSurfaceFormatKHR *pair)
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
show(struct reading *rig, struct seen *seen)
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
	double value = exponent ? ldexp(1 + (half & 1023) / 1024.0, exponent - 15)
				: ldexp((half & 1023) / 1024.0, -14);

	return half & 0x8000 ? -value : value;
}

/* A channel of a pixel, 0 that the format hasn't. */
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
		return i ? 0 : (double)p / 255;
	default:
		fail_msg("format %u", seen->format);
	}
	return 0;
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

		if (i && format == VK_FORMAT_R8_UNORM)
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
	struct reading rig;

	reading_open(&rig, true);
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
	reading_close(&rig);
}

/* What shows nothing shows them all; frames come and go. */
static void
headless_surfaces_have_all_of_them(void **state)
{
	struct reading rig;

	reading_open(&rig, false);
	assert_true(rig.count > 70);
	for (uint32_t i = 0; i < rig.count; i++) {
		make_swapchain(&rig, &rig.pairs[i]);
		for (unsigned frame = 0; frame < 4; frame++)
			assert_int_equal(app_frame(&rig.app, UINT64_MAX, frame), VK_SUCCESS);
	}
	reading_close(&rig);
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
	struct reading rig;

	reading_open(&rig, true);
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
	reading_close(&rig);
}

/* --- with a display --- */

/* The nearest half with 11 bits of fraction; none of these tests is as small as to lose more. */
static double
half(double v)
{
	int exponent;
	double fraction = frexp(v, &exponent);

	return ldexp(rint(ldexp(fraction, 11)), exponent - 11);
}

/* What was drawn, as its format has it: from 0 to 1, but for floats. */
static void
drawn(VkFormat format, double out[3])
{
	for (int i = 0; i < 3; i++) {
		double v = encodes(format) ? srgb((double)colour[i]) : (double)colour[i];
		double steps = format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 ? 1023
			: format == VK_FORMAT_R5G6B5_UNORM_PACK16           ? (i == 1 ? 63 : 31)
									    : 255;

		out[i] = format == VK_FORMAT_R16G16B16A16_SFLOAT ? half(v)
								 : floor(v * steps + 0.5) / steps;
	}
}

static void
open_shown(struct app *app)
{
	*app = (struct app){
		.more = {.instance_extensions = colorspace,
			.instance_extension_count = 1,
			.extensions = hdr_metadata,
			.extension_count = 1,
			.colour = colour},
	};
	setenv("KRAFLA_WSI", "platform", 1);
	assert_int_equal(
		app_open_instance(app, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME, NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(app), VK_SUCCESS);
	assert_int_equal(app_open_device(app, 0), VK_SUCCESS);
}

/* A step of the picture's format, of floats one of 10 bits. */
static double
tolerance(uint32_t format)
{
	return format == AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM ||
			format == AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT
		? 1.01 / 1023
		: 1.01 / 255;
}

static void
expect_picture(struct rig *shown, const VkSurfaceFormatKHR *pair, int32_t display)
{
	double from[3], to[3];
	int32_t space = expected_dataspace(pair);
	struct seen seen;

	kr_mutex_lock(&shown->lock);
	seen = (struct seen){
		.pixel = shown->first, .dataspace = shown->dataspace, .format = shown->format};
	kr_mutex_unlock(&shown->lock);
	assert_int_equal(seen.dataspace, display);
	drawn(pair->format, from);
	/* Passed through: as the display's. */
	reference_convert(space == 1 ? display : space, display, from, to);
	for (unsigned i = 0; i < 3; i++) {
		double is = channel(&seen, i);

		if (pair->format == VK_FORMAT_R8_UNORM && i)
			continue;
		if (fabs(is - to[i]) > tolerance(seen.format) * fmax(1, fabs(to[i])))
			fail_msg("format %d, colour space %d on %#x: channel %u is %f, not %f",
				(int)pair->format, (int)pair->colorSpace, (unsigned)display, i, is,
				to[i]);
	}
}

static void
show_all_on(int32_t display)
{
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	VkSurfaceFormatKHR pairs[MAX_PAIRS];
	uint32_t count = MAX_PAIRS;
	struct rig shown = {0};
	struct app app;

	stack_use(STACK_LAVAPIPE);
	config.dataspace = display;
	rig_start_with(&shown, &config);
	setenv("KRAFLA_DISPLAY", shown.socket, 1);
	open_shown(&app);
	assert_int_equal(
		vkGetPhysicalDeviceSurfaceFormatsKHR(app.physical, app.surface, &count, pairs),
		VK_SUCCESS);
	assert_true(count > 70);
	for (uint32_t i = 0; i < count; i++) {
		app.more.format = &pairs[i];
		assert_int_equal(app_create_swapchain(&app, VK_PRESENT_MODE_FIFO_KHR, 2,
					 (VkExtent2D){RIG_WIDTH, RIG_HEIGHT}),
			VK_SUCCESS);
		if (!app.done)
			assert_int_equal(app_create_frame_objects(&app), VK_SUCCESS);
		assert_int_equal(app_frame(&app, UINT64_MAX, 0), VK_SUCCESS);
		rig_wait_frames(&shown, i + 1);
		expect_picture(&shown, &pairs[i], display);
	}
	app_close(&app);
	rig_stop(&shown, NULL);
}

static void
a_display_of_srgb_shows_all_of_them(void **state)
{
	show_all_on(HAL_DATASPACE_SRGB);
}

static void
a_display_of_p3_shows_all_of_them(void **state)
{
	show_all_on(HAL_DATASPACE_DISPLAY_P3);
}

static void
a_display_of_pq_shows_all_of_them(void **state)
{
	show_all_on(HAL_DATASPACE_BT2020_PQ);
}

static void
a_display_of_hlg_shows_all_of_them(void **state)
{
	show_all_on(HAL_DATASPACE_BT2020_HLG);
}

static void
a_display_of_scrgb_shows_all_of_them(void **state)
{
	show_all_on(HAL_DATASPACE_SCRGB_LINEAR);
}

/* Of the picture that has them, on a display whatever it is of. */
static void
a_pictures_light_is_its_windows(void **state)
{
	const VkSurfaceFormatKHR pq = {
		VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_COLOR_SPACE_HDR10_ST2084_EXT};
	const VkHdrMetadataEXT metadata = {.sType = VK_STRUCTURE_TYPE_HDR_METADATA_EXT,
		.maxLuminance = 1000,
		.maxContentLightLevel = 900};
	struct kr_display_config config = rig_config(KR_CLOCK_VIRTUAL);
	struct kr_hdr_metadata told[3];
	PFN_vkSetHdrMetadataEXT set;
	struct rig shown = {0};
	struct app app;

	stack_use(STACK_LAVAPIPE);
	config.dataspace = HAL_DATASPACE_BT2020_PQ;
	rig_start_with(&shown, &config);
	setenv("KRAFLA_DISPLAY", shown.socket, 1);
	open_shown(&app);
	set = (PFN_vkSetHdrMetadataEXT)vkGetDeviceProcAddr(app.device, "vkSetHdrMetadataEXT");
	app.more.format = &pq;
	assert_int_equal(app_create_swapchain(&app, VK_PRESENT_MODE_FIFO_KHR, 2,
				 (VkExtent2D){RIG_WIDTH, RIG_HEIGHT}),
		VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(&app), VK_SUCCESS);
	for (unsigned i = 0; i < KR_ARRAY_LEN(told); i++) {
		if (i == 1)
			set(app.device, 1, &app.swapchain, &metadata);
		assert_int_equal(app_frame(&app, UINT64_MAX, 0), VK_SUCCESS);
		rig_wait_frames(&shown, i + 1);
		kr_mutex_lock(&shown.lock);
		told[i] = shown.hdr;
		kr_mutex_unlock(&shown.lock);
	}
	assert_int_equal(told[0].has, 0);
	for (unsigned i = 1; i < KR_ARRAY_LEN(told); i++) {
		assert_int_equal(told[i].has, KR_HDR_MASTERING | KR_HDR_CONTENT);
		assert_true(told[i].max_luminance == 1000 && told[i].max_cll == 900);
	}
	app_close(&app);
	rig_stop(&shown, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(a_pictures_light_is_its_windows, LEAVES),
	KR_TEST_FLAGS(a_colour_space_changes_no_pixel, LEAVES),
	KR_TEST_FLAGS(headless_surfaces_have_all_of_them, LEAVES),
	KR_TEST_FLAGS(metadata_goes_with_the_frames, LEAVES),
	KR_TEST_FLAGS(a_display_of_srgb_shows_all_of_them, LEAVES),
	KR_TEST_FLAGS(a_display_of_p3_shows_all_of_them, LEAVES),
	KR_TEST_FLAGS(a_display_of_pq_shows_all_of_them, LEAVES),
	KR_TEST_FLAGS(a_display_of_hlg_shows_all_of_them, LEAVES),
	KR_TEST_FLAGS(a_display_of_scrgb_shows_all_of_them, LEAVES),
};

KR_TEST_MAIN(tests)
