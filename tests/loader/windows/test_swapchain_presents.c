/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extensions of VK_KHR_swapchain on a device that has both kinds of swapchains: each of their
 * commands goes to whom the swapchain belongs, and no handle of ours comes to the driver (W-02).
 */
#include <string.h>

#include "both_swapchains.h"

#define PRESENTS                                                                                   \
	"VK_EXT_swapchain_maintenance1", "VK_KHR_swapchain_maintenance1", "VK_KHR_present_id",     \
		"VK_KHR_present_wait", "VK_KHR_present_id2", "VK_KHR_present_wait2"

static const char *const all[] = {PRESENTS, NULL};

struct asked {
	struct both s;
	VkSwapchainKHR swapchain;
	uint32_t index;
};

static VkResult
release_ext(struct asked *a)
{
	const VkReleaseSwapchainImagesInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT,
		.swapchain = a->swapchain,
		.imageIndexCount = 1,
		.pImageIndices = &a->index,
	};

	return OF_DEVICE(&a->s.l, a->s.device, vkReleaseSwapchainImagesEXT)(a->s.device, &info);
}

static VkResult
release_khr(struct asked *a)
{
	const VkReleaseSwapchainImagesInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_KHR,
		.swapchain = a->swapchain,
		.imageIndexCount = 1,
		.pImageIndices = &a->index,
	};

	return OF_DEVICE(&a->s.l, a->s.device, vkReleaseSwapchainImagesKHR)(a->s.device, &info);
}

static VkResult
wait_first(struct asked *a)
{
	return OF_DEVICE(&a->s.l, a->s.device, vkWaitForPresentKHR)(
		a->s.device, a->swapchain, 77, 0);
}

static VkResult
wait_second(struct asked *a)
{
	const VkPresentWait2InfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_WAIT_2_INFO_KHR, .presentId = 77};

	return OF_DEVICE(&a->s.l, a->s.device, vkWaitForPresent2KHR)(
		a->s.device, a->swapchain, &info);
}

static const struct {
	VkResult (*ask)(struct asked *a);
	const char *of_driver;
	VkResult ours;
} questions[] = {
	{release_ext, "release_images_ext", VK_SUCCESS},
	{release_khr, "release_images_khr", VK_SUCCESS},
	{wait_first, "wait_for_present", VK_TIMEOUT},
	{wait_second, "wait_for_present2", VK_TIMEOUT},
};

/* W-02 */
static void
presents_are_asked_of_whom_they_belong_to(void **state)
{
	struct asked a = {0};

	open_both_with(&a.s, all, all);
	for (size_t i = 0; i < KR_ARRAY_LEN(questions); i++) {
		a.swapchain = a.s.ours;
		assert_int_equal(EXPORTED(&a.s.l, vkAcquireNextImageKHR)(a.s.device, a.s.ours, 0,
					 VK_NULL_HANDLE, (VkFence)(uintptr_t)1, &a.index),
			VK_SUCCESS);
		a.s.driver->seen_function = NULL;
		a.s.driver->seen_swapchain = VK_NULL_HANDLE;
		assert_int_equal(questions[i].ask(&a), questions[i].ours);
		assert_null(a.s.driver->seen_function);
		assert_null(a.s.driver->seen_swapchain);
		if (questions[i].ours == VK_TIMEOUT)
			assert_int_equal(release_ext(&a), VK_SUCCESS);

		a.swapchain = a.s.theirs;
		assert_int_equal(questions[i].ask(&a), VK_SUBOPTIMAL_KHR);
		assert_string_equal(a.s.driver->seen_function, questions[i].of_driver);
		assert_ptr_equal(a.s.driver->seen_swapchain, a.s.theirs);
	}
	/* The driver was told of all of them, for its own. */
	for (int i = 0; all[i]; i++)
		assert_true(has_name(a.s.driver->seen_device_extensions,
			a.s.driver->seen_device_extension_count, all[i]));
	close_both(&a.s);
}

/* W-02, W-10 */
static void
the_status_is_asked_of_whom_it_belongs_to(void **state)
{
	static const char *const shared[] = {"VK_KHR_shared_presentable_image", NULL};
	PFN_vkGetSwapchainStatusKHR ask;
	struct fake_hal hal;
	struct both s;

	/* Before the instance asks for it. */
	open_fake_hal(&hal);
	hal.control->shared_image = true;
	open_both_with(&s, shared, shared);
	ask = OF_DEVICE(&s.l, s.device, vkGetSwapchainStatusKHR);
	assert_int_equal(ask(s.device, s.ours), VK_SUCCESS);
	assert_null(s.driver->seen_function);
	assert_int_equal(ask(s.device, s.theirs), VK_SUBOPTIMAL_KHR);
	assert_string_equal(s.driver->seen_function, "get_status");
	assert_ptr_equal(s.driver->seen_swapchain, s.theirs);
	close_both(&s);
	close_fake_hal(&hal);
}

/* A driver that lists the extension and lacks the function: an error, not success. */
static void
what_the_driver_lacks_is_an_error(void **state)
{
	static const char *const names[] = {"vkReleaseSwapchainImagesEXT",
		"vkReleaseSwapchainImagesKHR", "vkWaitForPresentKHR", "vkWaitForPresent2KHR"};

	for (size_t i = 0; i < KR_ARRAY_LEN(questions); i++) {
		struct asked a = {0};
		void *dso;
		struct fake_control *driver;

		/* Before the device exists, which looks its functions up. */
		open_fake_hal(&a.s.hal);
		dso = a.s.hal.dso;
		driver = a.s.hal.control;
		driver->lacks = names[i];
		open_both_with(&a.s, all, all);
		a.swapchain = a.s.theirs;
		assert_true(questions[i].ask(&a) < 0);
		driver->lacks = NULL;
		close_both(&a.s);
		close_fake_hal(&(struct fake_hal){dso, driver});
	}
}

static bool
finds(const struct both *s, const char *name)
{
	return EXPORTED(&s->l, vkGetDeviceProcAddr)(s->device, name);
}

/*
 * Fault 28 of Android's loader: another extension brings the function along. A driver that gives
 * them out unasked changes nothing.
 */
static void
functions_are_those_of_enabled_extensions(void **state)
{
	static const struct {
		const char *extension, *function;
	} rows[] = {
		{"VK_EXT_swapchain_maintenance1", "vkReleaseSwapchainImagesEXT"},
		{"VK_KHR_swapchain_maintenance1", "vkReleaseSwapchainImagesKHR"},
		{"VK_KHR_present_wait", "vkWaitForPresentKHR"},
		{"VK_KHR_present_wait2", "vkWaitForPresent2KHR"},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		const char *const names[] = {rows[i].extension, "VK_KHR_external_fence_fd", NULL};
		const char *const listed[] = {PRESENTS, "VK_KHR_external_fence_fd", NULL};
		struct both s;

		open_both_with(&s, listed, names);
		for (size_t j = 0; j < KR_ARRAY_LEN(rows); j++)
			assert_true(finds(&s, rows[j].function) == (i == j));
		assert_false(finds(&s, "vkGetSwapchainStatusKHR"));
		close_both(&s);
	}
}

/* Two structures about ours: the driver may not even have the extension. */
static void
surfaces_of_the_driver_are_asked_without_ours(void **state)
{
	VkSurfaceCapabilitiesPresentWait2KHR wait = {
		VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR, NULL, VK_TRUE};
	VkSurfaceCapabilitiesPresentId2KHR id = {
		VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR, &wait, VK_TRUE};
	VkSharedPresentSurfaceCapabilitiesKHR shared = {
		VK_STRUCTURE_TYPE_SHARED_PRESENT_SURFACE_CAPABILITIES_KHR, &id, 77};
	VkSurfaceCapabilities2KHR caps = {
		VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, &shared, {0}};
	VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR};
	struct both s;

	open_both(&s);
	info.surface = s.headless;
	assert_int_equal(EXPORTED(&s.l, vkGetPhysicalDeviceSurfaceCapabilities2KHR)(
				 s.l.devices[0], &info, &caps),
		VK_SUCCESS);
	assert_true(id.presentId2Supported);
	assert_true(wait.presentWait2Supported);
	info.surface = s.xcb;
	shared.sharedPresentSupportedUsageFlags = 77;
	assert_int_equal(EXPORTED(&s.l, vkGetPhysicalDeviceSurfaceCapabilities2KHR)(
				 s.l.devices[0], &info, &caps),
		VK_SUCCESS);
	assert_int_equal(shared.sharedPresentSupportedUsageFlags, 0);
	assert_false(id.presentId2Supported);
	assert_false(wait.presentWait2Supported);
	close_both(&s);
}

/* W-02: of a mixed call each has its part, and one that the driver hasn't is none of its. */
static void
metadata_is_split(void **state)
{
	static const char *const hdr[] = {"VK_EXT_hdr_metadata", NULL}, *const none[] = {NULL};

	for (int theirs = 0; theirs < 2; theirs++) {
		const VkHdrMetadataEXT metadata[4] = {
			{.sType = VK_STRUCTURE_TYPE_HDR_METADATA_EXT, .maxLuminance = 1},
			{.sType = VK_STRUCTURE_TYPE_HDR_METADATA_EXT, .maxLuminance = 2},
			{.sType = VK_STRUCTURE_TYPE_HDR_METADATA_EXT, .maxLuminance = 4},
			{.sType = VK_STRUCTURE_TYPE_HDR_METADATA_EXT, .maxLuminance = 8},
		};
		struct fake_hal hal;
		struct both s;

		/* Before the device exists, which looks its functions up. */
		open_fake_hal(&hal);
		hal.control->lacks = theirs ? NULL : "vkSetHdrMetadataEXT";
		open_both_with(&s, theirs ? hdr : none, hdr);
		OF_DEVICE(&s.l, s.device, vkSetHdrMetadataEXT)
		(s.device, 4, (const VkSwapchainKHR[]){s.ours, s.theirs, s.ours, s.theirs},
			metadata);
		if (theirs) {
			assert_string_equal(s.driver->seen_function, "set_hdr");
			assert_ptr_equal(s.driver->seen_swapchain, s.theirs);
			assert_true(s.driver->seen_hdr_sum == 10);
		} else {
			assert_null(s.driver->seen_function);
			assert_true(s.driver->seen_hdr_sum == 0);
		}
		s.driver->seen_function = NULL;
		s.driver->seen_hdr_sum = 0;
		OF_DEVICE(&s.l, s.device, vkSetHdrMetadataEXT)
		(s.device, 1, &s.ours, metadata);
		assert_null(s.driver->seen_function);
		s.driver->lacks = NULL;
		close_both(&s);
		close_fake_hal(&hal);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(metadata_is_split),
	KR_TEST(presents_are_asked_of_whom_they_belong_to),
	KR_TEST(the_status_is_asked_of_whom_it_belongs_to),
	KR_TEST(what_the_driver_lacks_is_an_error),
	KR_TEST(functions_are_those_of_enabled_extensions),
	KR_TEST(surfaces_of_the_driver_are_asked_without_ours),
};

KR_TEST_MAIN(tests)
