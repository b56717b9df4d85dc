/* SPDX-License-Identifier: Apache-2.0 */
/* What chained structures tell of a surface, what its window can show, and surfaces that aren't. */
#include "harness.h"

#include <string.h>

#include "rig.h"
#include "util/macros.h"
#include "wsi/surface/usage_flags2.h"

#define ALL_NINE 0x1ffu

static void
query(struct rig *rig, struct kr_wsi_surface *surface, const void *in, void *out,
	VkSurfaceCapabilitiesKHR *caps)
{
	const VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR, .pNext = in};
	VkSurfaceCapabilities2KHR answer = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = out};

	assert_int_equal(
		kr_wsi_surface_capabilities2(&rig->gpu, surface, &info, &answer), VK_SUCCESS);
	*caps = answer.surfaceCapabilities;
}

static void
the_window_says_what_it_shows(void **state)
{
	VkSurfaceCapabilitiesKHR caps;
	VkPresentModeKHR modes[8];
	uint32_t count = KR_ARRAY_LEN(modes);
	struct rig rig;

	rig_init(&rig, false);
	rig_give_abilities(&rig);
	query(&rig, rig.surface, NULL, NULL, &caps);
	assert_int_equal(caps.supportedTransforms, ALL_NINE);
	assert_int_equal(caps.supportedCompositeAlpha, 0xf);
	/* W-10: no driver here bears shared images, whatever the window does. */
	kr_wsi_surface_present_modes(&rig.gpu, rig.surface, &count, modes);
	assert_int_equal(count, 5);
	rig.gpu.shared_image = true;
	count = KR_ARRAY_LEN(modes);
	kr_wsi_surface_present_modes(&rig.gpu, rig.surface, &count, modes);
	assert_int_equal(count, KR_PRESENT_MODE_COUNT);
	assert_int_equal(modes[3], VK_PRESENT_MODE_FIFO_RELAXED_KHR);
	assert_int_equal(modes[6], VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR);
	rig.window.abilities.modes = KR_ABILITY(KR_PRESENT_MAILBOX);
	rig.window.abilities.alphas = KR_ABILITY(KR_ALPHA_PREMULTIPLIED);
	rig.window.abilities.transforms =
		KR_ABILITY(0) | KR_ABILITY(NATIVE_WINDOW_TRANSFORM_ROT_270);
	count = KR_ARRAY_LEN(modes);
	kr_wsi_surface_present_modes(&rig.gpu, rig.surface, &count, modes);
	assert_int_equal(count, 2); /* FIFO in any case */
	query(&rig, rig.surface, NULL, NULL, &caps);
	assert_int_equal(caps.supportedCompositeAlpha, VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR);
	/* What was rendered for 90 degrees is turned back by 270. */
	assert_int_equal(caps.supportedTransforms,
		VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR | VK_SURFACE_TRANSFORM_ROTATE_90_BIT_KHR |
			VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR);
	rig_finish(&rig);
}

/* android-platform 7.3, 5: each mode has numbers, and only those that there are can be created. */
static void
fault_5_each_mode_has_counts(void **state)
{
	static const struct {
		VkPresentModeKHR mode;
		uint32_t least, most, compatible;
	} cases[] = {
		{VK_PRESENT_MODE_FIFO_KHR, 3, 64, 5},
		{VK_PRESENT_MODE_MAILBOX_KHR, 3, 64, 5},
		{VK_PRESENT_MODE_IMMEDIATE_KHR, 3, 64, 5},
		{VK_PRESENT_MODE_FIFO_RELAXED_KHR, 3, 64, 5},
		{VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR, 1, 1, 2},
		{VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR, 1, 1, 2},
	};
	struct rig rig;

	rig_init(&rig, false);
	rig_give_abilities(&rig);
	rig.gpu.shared_image = true;
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		VkSurfacePresentModeEXT mode = {.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT,
			.presentMode = cases[i].mode};
		VkPresentModeKHR list[8] = {0};
		VkSurfacePresentModeCompatibilityEXT compatible = {
			.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT};
		VkSurfaceCapabilitiesKHR caps;

		query(&rig, rig.surface, &mode, &compatible, &caps);
		assert_int_equal(caps.minImageCount, cases[i].least);
		assert_int_equal(caps.maxImageCount, cases[i].most);
		assert_int_equal(compatible.presentModeCount, cases[i].compatible);
		compatible.pPresentModes = list;
		compatible.presentModeCount = 1;
		list[1] = VK_PRESENT_MODE_MAX_ENUM_KHR;
		query(&rig, rig.surface, &mode, &compatible, &caps);
		assert_int_equal(compatible.presentModeCount, 1);
		assert_int_equal(list[0], cases[i].mode);
		assert_int_equal(list[1], VK_PRESENT_MODE_MAX_ENUM_KHR);
		compatible.presentModeCount = 8;
		query(&rig, rig.surface, &mode, &compatible, &caps);
		assert_int_equal(compatible.presentModeCount, cases[i].compatible);
	}
	rig_finish(&rig);
}

/* Also one that this surface hasn't; AOSP leaves the counts as they were. */
static void
fault_5_a_mode_that_isnt_there_has_counts_too(void **state)
{
	VkSurfacePresentModeEXT mode = {.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT,
		.presentMode = VK_PRESENT_MODE_FIFO_RELAXED_KHR};
	VkSurfacePresentModeCompatibilityEXT compatible = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT,
		.presentModeCount = 77};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_RELAXED_KHR);
	VkSurfaceCapabilitiesKHR caps;
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;
	struct rig rig;

	rig_init(&rig, false);
	query(&rig, rig.surface, &mode, &compatible, &caps);
	assert_int_equal(caps.minImageCount, 3);
	assert_int_equal(caps.maxImageCount, KR_QUEUE_SLOTS);
	assert_int_equal(compatible.presentModeCount, 0);
	assert_int_equal(kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &swapchain),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_null(swapchain);
	rig_finish(&rig);
}

/* Also while a swapchain drops frames, and its window keeps a buffer more for that. */
static void
counts_dont_depend_on_what_is_there(void **state)
{
	VkSurfaceCapabilitiesKHR before, during;
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	query(&rig, rig.surface, NULL, NULL, &before);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_MAILBOX_KHR);
	query(&rig, rig.surface, NULL, NULL, &during);
	assert_memory_equal(&before, &during, sizeof(before));
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* A window of another platform, which isn't asked and can't be told. */
static void
other_platforms_windows_do_what_androids_do(void **state)
{
	VkSurfacePresentModeEXT mode = {.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR};
	VkSurfacePresentModeCompatibilityEXT compatible = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT};
	VkSwapchainPresentScalingCreateInfoEXT scaling = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT,
		.scalingBehavior = VK_PRESENT_SCALING_STRETCH_BIT_EXT,
		.presentGravityX = VK_PRESENT_GRAVITY_MIN_BIT_EXT};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	VkSurfaceCapabilitiesKHR caps;
	VkPresentModeKHR modes[8];
	uint32_t count = 8;
	struct rig rig;

	rig_init(&rig, false);
	rig.window.android = true;
	kr_wsi_surface_present_modes(&rig.gpu, rig.surface, &count, modes);
	assert_int_equal(count, 2);
	assert_int_equal(modes[1], VK_PRESENT_MODE_MAILBOX_KHR);
	query(&rig, rig.surface, &mode, &compatible, &caps);
	assert_int_equal(caps.supportedTransforms, ALL_NINE);
	assert_int_equal(caps.supportedCompositeAlpha, VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR);
	assert_int_equal(compatible.presentModeCount, 1);
	/* Stretched, which leaves gravity nothing to do. */
	info.pNext = &scaling;
	assert_int_equal(kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &swapchain),
		VK_SUCCESS);
	rig_destroy(&rig, swapchain);
	scaling.scalingBehavior = VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT;
	assert_int_equal(kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &swapchain),
		VK_ERROR_INITIALIZATION_FAILED);
	rig_finish(&rig);
}

/* Android's scale what isn't of their size; ours are as large as their images. */
static void
other_platforms_windows_scale_images_to_their_size(void **state)
{
	static const struct {
		bool android, smaller;
		int32_t mode;
	} rows[] = {
		{true, false, NATIVE_WINDOW_SCALING_MODE_FREEZE},
		{true, true, NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW},
		{false, true, NATIVE_WINDOW_SCALING_MODE_FREEZE},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
		VkSurfaceCapabilitiesKHR caps;
		VkSwapchainKHR swapchain;
		struct rig rig;

		rig_init(&rig, false);
		rig.window.android = rows[i].android;
		assert_int_equal(
			kr_wsi_surface_capabilities(&rig.gpu, rig.surface, &caps), VK_SUCCESS);
		info.imageExtent = caps.currentExtent;
		info.imageExtent.width -= rows[i].smaller;
		assert_int_equal(
			kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &swapchain),
			VK_SUCCESS);
		assert_int_equal(rig.window.scaling_mode, rows[i].mode);
		rig_destroy(&rig, swapchain);
		rig_finish(&rig);
	}
}

static void
scaling_is_what_the_window_does(void **state)
{
	VkSurfacePresentScalingCapabilitiesEXT scaling = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT};
	VkSurfaceCapabilitiesKHR caps;
	struct rig rig;

	rig_init(&rig, false);
	rig.window.android = true;
	query(&rig, rig.surface, NULL, &scaling, &caps);
	assert_int_equal(scaling.supportedPresentScaling, VK_PRESENT_SCALING_STRETCH_BIT_EXT);
	assert_int_equal(scaling.supportedPresentGravityX, 0);
	rig_give_abilities(&rig);
	query(&rig, rig.surface, NULL, &scaling, &caps);
	assert_int_equal(scaling.supportedPresentScaling, 0x7);
	assert_int_equal(scaling.supportedPresentGravityX, 0x7);
	assert_int_equal(scaling.supportedPresentGravityY, 0x7);
	assert_int_equal(scaling.minScaledImageExtent.width, 1);
	assert_int_equal(scaling.maxScaledImageExtent.width, caps.maxImageExtent.width);
	rig.window.abilities.scalings = 0;
	query(&rig, rig.surface, NULL, &scaling, &caps);
	assert_int_equal(scaling.supportedPresentScaling, 0);
	assert_int_equal(scaling.supportedPresentGravityY, 0);
	rig_finish(&rig);
}

/* android-platform 7.3, 17: AOSP says yes to all of it, whatever device and allocator are. */
static void
fault_17_protection_and_usage_are_asked_for(void **state)
{
	VkSharedPresentSurfaceCapabilitiesKHR shared = {
		.sType = VK_STRUCTURE_TYPE_SHARED_PRESENT_SURFACE_CAPABILITIES_KHR,
		.sharedPresentSupportedUsageFlags = 0xabcd};
	VkSurfaceProtectedCapabilitiesKHR protection = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR,
		.pNext = &shared,
		.supportsProtected = VK_TRUE,
	};
	VkSurfaceCapabilitiesKHR caps;
	struct rig rig;

	rig_init(&rig, false);
	rig.gpu.image_format2 = true;
	rig.gpu.swapchain_flags = VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR;
	fake.refused_usage = VK_IMAGE_USAGE_STORAGE_BIT;
	fake.max_extent = 5000;
	query(&rig, rig.surface, NULL, &protection, &caps);
	assert_false(protection.supportsProtected); /* there are no such buffers */
	assert_int_equal(shared.sharedPresentSupportedUsageFlags, 0);
	assert_false(caps.supportedUsageFlags & VK_IMAGE_USAGE_STORAGE_BIT);
	assert_int_equal(caps.maxImageExtent.width, 5000);
	rig_give_abilities(&rig);
	rig.gpu.shared_image = true;
	query(&rig, rig.surface, NULL, &protection, &caps);
	assert_int_equal(shared.sharedPresentSupportedUsageFlags, caps.supportedUsageFlags);
	/* What one of the formats can't isn't told of images, which may be of any. */
	fake.refused_usage = 0;
	fake.srgb_refused_usage = VK_IMAGE_USAGE_STORAGE_BIT;
	query(&rig, rig.surface, NULL, &protection, &caps);
	assert_false(caps.supportedUsageFlags & VK_IMAGE_USAGE_STORAGE_BIT);
	assert_int_equal(shared.sharedPresentSupportedUsageFlags, caps.supportedUsageFlags);
	fake.srgb_refused_usage = 0;
	query(&rig, rig.surface, NULL, &protection, &caps);
	assert_true(caps.supportedUsageFlags & VK_IMAGE_USAGE_STORAGE_BIT);
	/* No larger than buffers can be, whatever the device has. */
	fake.max_extent = 1u << 30;
	query(&rig, rig.surface, NULL, NULL, &caps);
	assert_int_equal(caps.maxImageExtent.height, KR_WINDOW_MAX_EXTENT);
	rig_finish(&rig);
}

/* android-platform 7.3, 18: without a surface there is a transform and a largest image. */
static void
fault_18_surfaceless_tells_what_holds_for_all(void **state)
{
	VkSurfaceFormatKHR formats[8];
	VkSurfaceCapabilitiesKHR caps;
	VkPresentModeKHR modes[8];
	uint32_t count = 8;
	struct rig rig;

	rig_init(&rig, false);
	fake.max_extent = 4321;
	query(&rig, NULL, NULL, NULL, &caps);
	assert_int_equal(caps.minImageCount, UINT32_MAX);
	assert_int_equal(caps.maxImageCount, UINT32_MAX);
	assert_int_equal(caps.currentExtent.width, UINT32_MAX);
	assert_int_equal(caps.currentExtent.height, UINT32_MAX);
	assert_int_equal(caps.minImageExtent.width, 1);
	assert_int_equal(caps.maxImageExtent.width, 4321);
	assert_int_equal(caps.currentTransform, VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR);
	assert_int_equal(caps.supportedTransforms, ALL_NINE);
	assert_int_equal(caps.supportedCompositeAlpha, VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR);
	assert_true(caps.supportedUsageFlags & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
	assert_int_equal(kr_wsi_surface_formats(&rig.gpu, NULL, &count, formats), VK_SUCCESS);
	assert_int_equal(count, 7);
	count = 8;
	assert_int_equal(kr_wsi_surface_present_modes(&rig.gpu, NULL, &count, modes), VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_int_equal(modes[0], VK_PRESENT_MODE_FIFO_KHR);
	rig.gpu.shared_image = true;
	count = 8;
	assert_int_equal(kr_wsi_surface_present_modes(&rig.gpu, NULL, &count, modes), VK_SUCCESS);
	assert_int_equal(count, 3);
	rig_finish(&rig);
}

/* VK_KHR_extended_flags: what is told in 32 bits is told in 64, too. */
static void
usages_are_told_in_64_bits(void **state)
{
	struct kr_wsi_usage_flags2 shared = {KR_SHARED_PRESENT_CAPABILITIES_2, NULL, UINT64_MAX};
	struct kr_wsi_usage_flags2 usage = {KR_IMAGE_USAGE_FLAGS_2, &shared, UINT64_MAX};
	VkSurfaceCapabilitiesKHR caps;
	struct rig rig;

	rig_init_able(&rig);
	query(&rig, rig.surface, NULL, &usage, &caps);
	assert_true(usage.usage == caps.supportedUsageFlags);
	assert_true(shared.usage == caps.supportedUsageFlags);
	rig_finish(&rig);
}

static void
formats_say_how_they_are_compressed(void **state)
{
	VkImageCompressionPropertiesEXT compression = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT};
	VkSurfaceFormat2KHR format = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_FORMAT_2_KHR, .pNext = &compression};
	uint32_t count = 1;
	struct rig rig;

	rig_init(&rig, false);
	rig.gpu.image_format2 = true;
	assert_int_equal(
		kr_wsi_surface_formats2(&rig.gpu, rig.surface, &count, &format), VK_INCOMPLETE);
	assert_int_equal(compression.imageCompressionFlags, VK_IMAGE_COMPRESSION_DISABLED_EXT);
	rig_finish(&rig);
}

/* Structures of extensions that aren't offered are left alone. */
static void
unknown_structures_stay_as_they_are(void **state)
{
	VkDisplayNativeHdrSurfaceCapabilitiesAMD hdr = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_NATIVE_HDR_SURFACE_CAPABILITIES_AMD,
		.localDimmingSupport = 77,
	};
	VkSurfaceCapabilitiesKHR caps;
	struct rig rig;

	rig_init(&rig, false);
	query(&rig, rig.surface, NULL, &hdr, &caps);
	assert_int_equal(hdr.localDimmingSupport, 77);
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(the_window_says_what_it_shows),
	KR_TEST(fault_5_each_mode_has_counts),
	KR_TEST(fault_5_a_mode_that_isnt_there_has_counts_too),
	KR_TEST(counts_dont_depend_on_what_is_there),
	KR_TEST(other_platforms_windows_do_what_androids_do),
	KR_TEST(other_platforms_windows_scale_images_to_their_size),
	KR_TEST(scaling_is_what_the_window_does),
	KR_TEST(fault_17_protection_and_usage_are_asked_for),
	KR_TEST(fault_18_surfaceless_tells_what_holds_for_all),
	KR_TEST(usages_are_told_in_64_bits),
	KR_TEST(formats_say_how_they_are_compressed),
	KR_TEST(unknown_structures_stay_as_they_are),
};

KR_TEST_MAIN(tests)
