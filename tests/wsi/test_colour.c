/* SPDX-License-Identifier: Apache-2.0 */
/* Colour spaces and HDR metadata of swapchains (android-platform 4.3, 4.9). */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "rig.h"
#include "util/macros.h"
#include "window/window.h"
#include "wsi/surface/colour.h"

#define NEVER UINT64_MAX
#define HALF  VK_FORMAT_R16G16B16A16_SFLOAT
#define RGB10 VK_FORMAT_A2B10G10R10_UNORM_PACK32
#define WIDE  VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16
#define SRGB  VK_COLOR_SPACE_SRGB_NONLINEAR_KHR

/* The table of 4.3: numbers of Vulkan and of Android. */
static const struct row {
	VkColorSpaceKHR space;
	int32_t dataspace, of_half;
} rows[] = {
	{SRGB, 142671872, 142671872},
	{VK_COLOR_SPACE_BT709_NONLINEAR_EXT, 142671872, 142671872},
	{VK_COLOR_SPACE_DISPLAY_P3_NONLINEAR_EXT, 143261696, 143261696},
	{VK_COLOR_SPACE_DISPLAY_P3_LINEAR_EXT, 139067392, 139067392},
	{VK_COLOR_SPACE_DCI_P3_NONLINEAR_EXT, 155844608, 155844608},
	{VK_COLOR_SPACE_BT709_LINEAR_EXT, 138477568, 138477568},
	{VK_COLOR_SPACE_BT2020_LINEAR_EXT, 138805248, 407240704},
	{VK_COLOR_SPACE_HDR10_ST2084_EXT, 163971072, 163971072},
	{VK_COLOR_SPACE_HDR10_HLG_EXT, 168165376, 168165376},
	{VK_COLOR_SPACE_ADOBERGB_LINEAR_EXT, 139132928, 139132928},
	{VK_COLOR_SPACE_ADOBERGB_NONLINEAR_EXT, 151715840, 151715840},
	{VK_COLOR_SPACE_PASS_THROUGH_EXT, 1, 1},
	{VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT, 0, 406913024},
	{VK_COLOR_SPACE_EXTENDED_SRGB_NONLINEAR_EXT, 0, 411107328},
	/* Of no row. */
	{VK_COLOR_SPACE_DOLBYVISION_EXT, 0, 0},
	{VK_COLOR_SPACE_DISPLAY_NATIVE_AMD, 0, 0},
	{(VkColorSpaceKHR)77, 0, 0},
};

static const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB,
	VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R5G6B5_UNORM_PACK16, RGB10,
	HALF, WIDE, VK_FORMAT_R8_UNORM};

static int32_t
expected(VkFormat format, const struct row *row)
{
	if (format == VK_FORMAT_R8_UNORM)
		return row->space == VK_COLOR_SPACE_PASS_THROUGH_EXT ? 1 : 0;
	return format == HALF ? row->of_half : row->dataspace;
}

static uint32_t
list(struct rig *rig, struct kr_wsi_surface *surface, VkSurfaceFormatKHR all[KR_WSI_MAX_COLOURS])
{
	uint32_t count = KR_WSI_MAX_COLOURS;

	assert_int_equal(kr_wsi_surface_formats(&rig->gpu, surface, &count, all), VK_SUCCESS);
	return count;
}

static uint32_t
count_of(const VkSurfaceFormatKHR *all, uint32_t count, VkFormat format, VkColorSpaceKHR space)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		found += all[i].format == format && all[i].colorSpace == space;
	return found;
}

static void
init_colourful(struct rig *rig)
{
	rig_init_able(rig);
	rig->gpu.colour_spaces = rig->gpu.rgba10x6 = true;
	rig_remake_device(rig, false);
}

static VkResult
create(struct rig *rig, VkFormat format, VkColorSpaceKHR space, VkSwapchainKHR old,
	VkSwapchainKHR *swapchain)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);

	info.imageFormat = format;
	info.imageColorSpace = space;
	info.oldSwapchain = old;
	return kr_wsi_create_swapchain(rig->device, rig->surface, &info, NULL, swapchain);
}

/* What the far end gets with the next frame; it goes back at once. */
static struct kr_frame
show(struct rig *rig, VkSwapchainKHR swapchain)
{
	struct kr_frame frame;
	uint32_t index;

	assert_int_equal(rig_acquire(rig, swapchain, NEVER, &index), VK_SUCCESS);
	assert_int_equal(rig_present(rig, swapchain, index), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig->consumer, &frame), 0);
	assert_int_equal(kr_consumer_release(rig->consumer, &frame, -1), 0);
	return frame;
}

/* VK_EXT_swapchain_colorspace isn't enabled: whatever the far end shows. */
static void
without_the_extension_there_is_srgb_alone(void **state)
{
	VkSurfaceFormatKHR all[KR_WSI_MAX_COLOURS];
	VkSwapchainKHR swapchain;
	struct rig rig;
	uint32_t count;

	rig_init_able(&rig);
	count = list(&rig, rig.surface, all);
	assert_int_equal(count, 7);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(all[i].colorSpace, SRGB);
	assert_int_equal(
		create(&rig, HALF, VK_COLOR_SPACE_HDR10_ST2084_EXT, VK_NULL_HANDLE, &swapchain),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(create(&rig, VK_FORMAT_R8_UNORM, VK_COLOR_SPACE_PASS_THROUGH_EXT,
				 VK_NULL_HANDLE, &swapchain),
		VK_ERROR_INITIALIZATION_FAILED);
	rig_finish(&rig);
}

/* Each row with each format is offered once, or refused; and what is offered arrives. */
static void
each_format_has_its_rows(void **state)
{
	VkSurfaceFormatKHR all[KR_WSI_MAX_COLOURS];
	struct rig rig;
	uint32_t count, total = 0;

	init_colourful(&rig);
	count = list(&rig, rig.surface, all);
	for (size_t f = 0; f < KR_ARRAY_LEN(formats); f++) {
		for (size_t r = 0; r < KR_ARRAY_LEN(rows); r++) {
			VkSwapchainKHR swapchain = VK_NULL_HANDLE;
			int32_t dataspace = expected(formats[f], &rows[r]);
			VkResult result =
				create(&rig, formats[f], rows[r].space, VK_NULL_HANDLE, &swapchain);

			total += dataspace != 0;
			assert_int_equal(
				count_of(all, count, formats[f], rows[r].space), dataspace != 0);
			assert_int_equal(
				result, dataspace ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
			if (!swapchain)
				continue;
			assert_int_equal(show(&rig, swapchain).dataspace, dataspace);
			rig_destroy(&rig, swapchain);
		}
	}
	assert_int_equal(count, total);
	rig_finish(&rig);
}

/* Of one colour space first what the window likes best, as without the extension. */
static void
srgb_comes_first(void **state)
{
	VkSurfaceFormatKHR all[KR_WSI_MAX_COLOURS], plain[KR_WSI_MAX_COLOURS];
	struct rig rig;
	uint32_t count;

	rig_init_able(&rig);
	count = list(&rig, rig.surface, plain);
	rig.gpu.colour_spaces = true;
	assert_true(list(&rig, rig.surface, all) > count);
	assert_memory_equal(all, plain, count * sizeof(*all));
	assert_int_equal(all[0].format, VK_FORMAT_B8G8R8A8_UNORM);
	rig_finish(&rig);
}

/* What the far end shows; sRGB, and what is the same to it, in any case. */
static void
windows_say_which_they_show(void **state)
{
	static const struct {
		VkFormat format;
		VkColorSpaceKHR space;
		bool shown;
	} cases[] = {
		{RGB10, SRGB, true},
		{RGB10, VK_COLOR_SPACE_BT709_NONLINEAR_EXT, true},
		{RGB10, VK_COLOR_SPACE_PASS_THROUGH_EXT, true},
		{RGB10, VK_COLOR_SPACE_HDR10_ST2084_EXT, true},
		{RGB10, VK_COLOR_SPACE_HDR10_HLG_EXT, false},
		{RGB10, VK_COLOR_SPACE_DISPLAY_P3_NONLINEAR_EXT, false},
		{RGB10, VK_COLOR_SPACE_BT2020_LINEAR_EXT, false},
		{HALF, VK_COLOR_SPACE_BT2020_LINEAR_EXT, true},
		{HALF, VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT, false},
	};
	VkSurfaceFormatKHR all[KR_WSI_MAX_COLOURS];
	VkSwapchainKHR swapchain;
	struct rig rig;
	uint32_t count;

	init_colourful(&rig);
	rig_give_abilities(&rig);
	rig.window.abilities.colours =
		KR_ABILITY(KR_COLOUR_BT2020_PQ) | KR_ABILITY(KR_COLOUR_BT2020_LINEAR_EXTENDED);
	count = list(&rig, rig.surface, all);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		assert_int_equal(
			count_of(all, count, cases[i].format, cases[i].space), cases[i].shown);
		assert_int_equal(
			create(&rig, cases[i].format, cases[i].space, VK_NULL_HANDLE, &swapchain),
			cases[i].shown ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED);
		if (cases[i].shown)
			rig_destroy(&rig, swapchain);
	}
	rig_finish(&rig);
}

/* VK_GOOGLE_surfaceless_query: what is told without a surface is told of each. */
static void
surfaceless_lists_what_each_surface_lists(void **state)
{
	VkSurfaceFormatKHR none[KR_WSI_MAX_COLOURS], one[KR_WSI_MAX_COLOURS],
		poor[KR_WSI_MAX_COLOURS];
	struct rig rig;
	uint32_t count;

	init_colourful(&rig);
	rig.gpu.surfaceless = true;
	count = list(&rig, NULL, none);
	assert_int_equal(count_of(none, count, RGB10, VK_COLOR_SPACE_PASS_THROUGH_EXT), 1);
	assert_int_equal(count_of(none, count, RGB10, VK_COLOR_SPACE_BT709_NONLINEAR_EXT), 1);
	assert_int_equal(count_of(none, count, RGB10, VK_COLOR_SPACE_HDR10_HLG_EXT), 0);
	assert_int_equal(list(&rig, rig.surface, one), count);
	rig_give_abilities(&rig);
	rig.window.abilities.colours = KR_ABILITY(KR_COLOUR_SRGB);
	assert_int_equal(list(&rig, rig.surface, poor), count);
	assert_memory_equal(none, one, count * sizeof(*none));
	assert_memory_equal(none, poor, count * sizeof(*none));
	rig_finish(&rig);
}

static void
formats_need_what_stands_behind_them(void **state)
{
	VkSurfaceFormatKHR all[KR_WSI_MAX_COLOURS];
	struct rig rig;
	uint32_t count;

	rig_init_able(&rig);
	rig.gpu.rgba10x6 = true;
	count = list(&rig, rig.surface, all);
	assert_int_equal(count_of(all, count, WIDE, SRGB), 1);
	rig.gpu.rgba10x6 = false;
	rig.gpu.colour_spaces = true;
	count = list(&rig, rig.surface, all);
	assert_int_equal(count_of(all, count, WIDE, SRGB), 0);
	assert_int_equal(
		count_of(all, count, VK_FORMAT_R8_UNORM, VK_COLOR_SPACE_PASS_THROUGH_EXT), 1);
	rig_finish(&rig);
}

/* Windows of another platform are told nothing of what is passed through; ours not to convert. */
static void
what_is_passed_through_is_the_programs(void **state)
{
	const VkColorSpaceKHR pass = VK_COLOR_SPACE_PASS_THROUGH_EXT;
	ANativeWindow *window;
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_colourful(&rig);
	window = &rig.window.base;
	rig.window.android = true;
	assert_int_equal(create(&rig, RGB10, pass, VK_NULL_HANDLE, &swapchain), VK_SUCCESS);
	assert_int_equal(show(&rig, swapchain).dataspace, HAL_DATASPACE_UNKNOWN);
	assert_int_equal(
		ANativeWindow_setBuffersDataSpace(rig.window.inner, HAL_DATASPACE_BT2020_PQ), 0);
	assert_int_equal(show(&rig, swapchain).dataspace, HAL_DATASPACE_BT2020_PQ);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);

	/* What is said before the first swapchain. */
	init_colourful(&rig);
	window = rig.window.inner;
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DATASPACE,
				 HAL_DATASPACE_BT2020_HLG),
		0);
	assert_int_equal(create(&rig, RGB10, pass, VK_NULL_HANDLE, &swapchain), VK_SUCCESS);
	assert_int_equal(show(&rig, swapchain).dataspace, HAL_DATASPACE_BT2020_HLG);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static void
buffers_of_another_colour_space_are_new(void **state)
{
	VkSwapchainKHR old, same, other;
	struct rig rig;

	init_colourful(&rig);
	assert_int_equal(create(&rig, RGB10, VK_COLOR_SPACE_HDR10_ST2084_EXT, VK_NULL_HANDLE, &old),
		VK_SUCCESS);
	rig.window.dequeues = 0;
	assert_int_equal(
		create(&rig, RGB10, VK_COLOR_SPACE_HDR10_ST2084_EXT, old, &same), VK_SUCCESS);
	assert_int_equal(rig.window.dequeues, 0);
	assert_int_equal(
		create(&rig, RGB10, VK_COLOR_SPACE_HDR10_HLG_EXT, same, &other), VK_SUCCESS);
	assert_int_not_equal(rig.window.dequeues, 0);
	assert_int_equal(show(&rig, other).dataspace, HAL_DATASPACE_BT2020_HLG);
	rig_destroy(&rig, old);
	rig_destroy(&rig, same);
	rig_destroy(&rig, other);
	rig_finish(&rig);
}

static VkHdrMetadataEXT
metadata(float max_cll)
{
	return (VkHdrMetadataEXT){
		.sType = VK_STRUCTURE_TYPE_HDR_METADATA_EXT,
		.displayPrimaryRed = {0.708f, 0.292f},
		.displayPrimaryGreen = {0.17f, 0.797f},
		.displayPrimaryBlue = {0.131f, 0.046f},
		.whitePoint = {0.3127f, 0.329f},
		.maxLuminance = 1000,
		.minLuminance = 0.005f,
		.maxContentLightLevel = max_cll,
		.maxFrameAverageLightLevel = 400,
	};
}

static const struct kr_hdr_metadata as_it_arrives = {
	.has = KR_HDR_MASTERING | KR_HDR_CONTENT,
	.red = {0.708f, 0.292f},
	.green = {0.17f, 0.797f},
	.blue = {0.131f, 0.046f},
	.white = {0.3127f, 0.329f},
	.max_luminance = 1000,
	.min_luminance = 0.005f,
	.max_cll = 900,
	.max_fall = 400,
};

static void
metadata_stays_until_it_changes(void **state)
{
	VkHdrMetadataEXT first = metadata(900), second = metadata(300);
	struct kr_frame frame;
	VkSwapchainKHR swapchain;
	struct rig rig;

	init_colourful(&rig);
	assert_int_equal(
		create(&rig, RGB10, VK_COLOR_SPACE_HDR10_ST2084_EXT, VK_NULL_HANDLE, &swapchain),
		VK_SUCCESS);
	assert_int_equal(show(&rig, swapchain).hdr.has, 0);
	kr_wsi_set_hdr_metadata(rig.device, swapchain, &first);
	for (int i = 0; i < 5; i++) {
		frame = show(&rig, swapchain);
		assert_memory_equal(&frame.hdr, &as_it_arrives, sizeof(frame.hdr));
	}
	kr_wsi_set_hdr_metadata(rig.device, swapchain, &second);
	frame = show(&rig, swapchain);
	assert_true(frame.hdr.max_cll == 300.0f);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* Also of one whose buffers are new. */
static void
metadata_goes_with_the_colour_space(void **state)
{
	const VkColorSpaceKHR pq = VK_COLOR_SPACE_HDR10_ST2084_EXT;
	VkHdrMetadataEXT said = metadata(900);
	VkSwapchainKHR chain[5];
	struct rig rig;

	init_colourful(&rig);
	assert_int_equal(create(&rig, RGB10, pq, VK_NULL_HANDLE, &chain[0]), VK_SUCCESS);
	kr_wsi_set_hdr_metadata(rig.device, chain[0], &said);
	assert_int_equal(create(&rig, RGB10, pq, chain[0], &chain[1]), VK_SUCCESS);
	assert_true(show(&rig, chain[1]).hdr.max_cll == 900.0f);
	assert_int_equal(create(&rig, HALF, pq, chain[1], &chain[2]), VK_SUCCESS);
	assert_true(show(&rig, chain[2]).hdr.max_cll == 900.0f);
	assert_int_equal(
		create(&rig, HALF, VK_COLOR_SPACE_HDR10_HLG_EXT, chain[2], &chain[3]), VK_SUCCESS);
	assert_int_equal(show(&rig, chain[3]).hdr.has, 0);
	/* It doesn't come back with it. */
	assert_int_equal(create(&rig, HALF, pq, chain[3], &chain[4]), VK_SUCCESS);
	assert_int_equal(show(&rig, chain[4]).hdr.has, 0);
	/* Of one that is retired nothing comes to the window, which is another's. */
	kr_wsi_set_hdr_metadata(rig.device, chain[0], &said);
	assert_int_equal(show(&rig, chain[4]).hdr.has, 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(chain); i++)
		rig_destroy(&rig, chain[i]);
	rig_finish(&rig);
}

static void
what_is_no_metadata_is_left_out(void **state)
{
	VkHdrMetadataEXT said = metadata(900);
	VkHdrMetadataEXT bad[] = {
		metadata(NAN), metadata(INFINITY), metadata(-1), said, said, said};
	VkSwapchainKHR swapchain, next;
	struct kr_frame last;
	struct rig rig;

	bad[3].whitePoint.y = NAN;
	bad[4].minLuminance = -INFINITY;
	bad[5].displayPrimaryBlue.x = INFINITY;
	init_colourful(&rig);
	assert_int_equal(
		create(&rig, RGB10, VK_COLOR_SPACE_HDR10_ST2084_EXT, VK_NULL_HANDLE, &swapchain),
		VK_SUCCESS);
	kr_wsi_set_hdr_metadata(rig.device, swapchain, &said);
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		struct kr_frame frame;

		kr_wsi_set_hdr_metadata(rig.device, swapchain, &bad[i]);
		frame = show(&rig, swapchain);
		assert_memory_equal(&frame.hdr, &as_it_arrives, sizeof(frame.hdr));
	}
	/* Nor does it come with the next one, whose buffers are others. */
	assert_int_equal(
		create(&rig, HALF, VK_COLOR_SPACE_HDR10_ST2084_EXT, swapchain, &next), VK_SUCCESS);
	last = show(&rig, next);
	assert_memory_equal(&last.hdr, &as_it_arrives, sizeof(last.hdr));
	rig_destroy(&rig, swapchain);
	rig_destroy(&rig, next);
	rig_finish(&rig);
}

static void
other_platforms_windows_are_told_in_parts(void **state)
{
	VkHdrMetadataEXT said = metadata(900);
	struct kr_frame frame;
	VkSwapchainKHR swapchain, next;
	struct rig rig;

	init_colourful(&rig);
	rig.window.android = true;
	assert_int_equal(
		create(&rig, RGB10, VK_COLOR_SPACE_HDR10_ST2084_EXT, VK_NULL_HANDLE, &swapchain),
		VK_SUCCESS);
	kr_wsi_set_hdr_metadata(rig.device, swapchain, &said);
	frame = show(&rig, swapchain);
	assert_int_equal(frame.dataspace, HAL_DATASPACE_BT2020_PQ);
	assert_memory_equal(&frame.hdr, &as_it_arrives, sizeof(frame.hdr));
	/* Its disconnect needn't clear it. */
	assert_int_equal(create(&rig, RGB10, SRGB, swapchain, &next), VK_SUCCESS);
	assert_int_equal(show(&rig, next).hdr.has, 0);
	rig_destroy(&rig, swapchain);
	rig_destroy(&rig, next);
	/* Windows that don't take it are none the worse. */
	rig.window.fail_perform = NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA;
	assert_int_equal(create(&rig, RGB10, SRGB, VK_NULL_HANDLE, &next), VK_SUCCESS);
	kr_wsi_set_hdr_metadata(rig.device, next, &said);
	assert_int_equal(show(&rig, next).hdr.has, 0);
	rig_destroy(&rig, next);
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(without_the_extension_there_is_srgb_alone),
	KR_TEST(each_format_has_its_rows),
	KR_TEST(srgb_comes_first),
	KR_TEST(windows_say_which_they_show),
	KR_TEST(surfaceless_lists_what_each_surface_lists),
	KR_TEST(formats_need_what_stands_behind_them),
	KR_TEST(what_is_passed_through_is_the_programs),
	KR_TEST(buffers_of_another_colour_space_are_new),
	KR_TEST(metadata_stays_until_it_changes),
	KR_TEST(metadata_goes_with_the_colour_space),
	KR_TEST(what_is_no_metadata_is_left_out),
	KR_TEST(other_platforms_windows_are_told_in_parts),
};

KR_TEST_MAIN(tests)
