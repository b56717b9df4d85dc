/* SPDX-License-Identifier: Apache-2.0 */
/* VK_GOOGLE_surfaceless_query on a driver whose swapchains are ours. */
#include <string.h>

#include "support.h"

static void
begin(struct loader *l, const char *const *names)
{
	use_null_hal();
	open_loader(l);
	make_instance(l, names);
	assert_int_equal(l->device_count, 1);
}

static void
end(struct loader *l)
{
	end_instance(l);
	close_loader(l);
}

static bool
has_format(const VkSurfaceFormatKHR *list, uint32_t count, const VkSurfaceFormatKHR *format)
{
	for (uint32_t i = 0; i < count; i++) {
		if (list[i].format == format->format && list[i].colorSpace == format->colorSpace)
			return true;
	}
	return false;
}

/* What holds of every surface of ours; fault 18 is about the capabilities. */
static void
without_a_surface_we_answer(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_get_surface_capabilities2",
		"VK_EXT_headless_surface", "VK_GOOGLE_surfaceless_query", NULL};
	const VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR};
	VkSurfaceCapabilities2KHR caps = {.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR};
	const VkHeadlessSurfaceCreateInfoEXT headless = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
	VkSurfaceFormatKHR formats[16] = {0}, of_surface[16] = {0};
	VkSurfaceKHR surface;
	VkPresentModeKHR modes[16] = {0};
	uint32_t count = KR_ARRAY_LEN(formats), of_count;
	bool fifo = false;
	struct loader l;

	begin(&l, names);
	assert_int_equal(EXPORTED(&l, vkGetPhysicalDeviceSurfaceFormatsKHR)(
				 l.devices[0], VK_NULL_HANDLE, &count, formats),
		VK_SUCCESS);
	assert_true(count > 0);
	assert_int_equal(
		EXPORTED(&l, vkCreateHeadlessSurfaceEXT)(l.instance, &headless, NULL, &surface),
		VK_SUCCESS);
	of_count = KR_ARRAY_LEN(of_surface);
	assert_int_equal(EXPORTED(&l, vkGetPhysicalDeviceSurfaceFormatsKHR)(
				 l.devices[0], surface, &of_count, of_surface),
		VK_SUCCESS);
	EXPORTED(&l, vkDestroySurfaceKHR)(l.instance, surface, NULL);
	assert_int_equal(count, of_count);
	for (uint32_t i = 0; i < count; i++)
		assert_true(has_format(of_surface, of_count, &formats[i]));
	count = KR_ARRAY_LEN(modes);
	assert_int_equal(EXPORTED(&l, vkGetPhysicalDeviceSurfacePresentModesKHR)(
				 l.devices[0], VK_NULL_HANDLE, &count, modes),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		fifo |= modes[i] == VK_PRESENT_MODE_FIFO_KHR;
		assert_true(modes[i] == VK_PRESENT_MODE_FIFO_KHR ||
			modes[i] == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
			modes[i] == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR);
	}
	assert_true(fifo);
	assert_int_equal(EXPORTED(&l, vkGetPhysicalDeviceSurfaceCapabilities2KHR)(
				 l.devices[0], &info, &caps),
		VK_SUCCESS);
	assert_true(
		caps.surfaceCapabilities.supportedUsageFlags & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
	end(&l);
}

/* Fault 19: not success with what the caller had there before. */
static void
unasked_for_it_is_an_error(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", NULL};
	uint32_t count = 77;
	struct loader l;

	begin(&l, names);
	assert_true(EXPORTED(&l, vkGetPhysicalDeviceSurfaceFormatsKHR)(
			    l.devices[0], VK_NULL_HANDLE, &count, NULL) < 0);
	assert_true(EXPORTED(&l, vkGetPhysicalDeviceSurfacePresentModesKHR)(
			    l.devices[0], VK_NULL_HANDLE, &count, NULL) < 0);
	end(&l);
}

static const struct kr_test tests[] = {
	KR_TEST(without_a_surface_we_answer),
	KR_TEST(unasked_for_it_is_an_error),
};

KR_TEST_MAIN(tests)
