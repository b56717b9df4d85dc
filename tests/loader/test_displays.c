/* SPDX-License-Identifier: Apache-2.0 */
/* Displays of the drivers: their modes, surfaces on their planes, and taking them from a window system. */
#include "support.h"

struct rig {
	struct fakes fakes;
	struct loader l;
};

/* Two drivers, of which only the first has these extensions; the instance enables them. */
static void
open_rig_without_instance(struct rig *r, const char *const *names)
{
	open_fakes(&r->fakes);
	for (int i = 0; names[i]; i++)
		r->fakes.a->instance_extensions[i] = names[i];
	use_both_fakes();
	open_loader(&r->l);
}

static void
open_rig(struct rig *r, const char *const *names)
{
	open_rig_without_instance(r, names);
	make_instance(&r->l, names);
	assert_int_equal(r->l.device_count, 2);
}

static void
close_rig(struct rig *r)
{
	end_instance(&r->l);
	close_loader(&r->l);
	assert_int_equal(r->fakes.a->surfaces, 0);
	close_fakes(&r->fakes);
}

static void
end_surface(struct rig *r, VkSurfaceKHR surface)
{
	EXPORTED(&r->l, vkDestroySurfaceKHR)(r->l.instance, surface, NULL);
}

static VkBool32
support(struct rig *r, uint32_t device, VkSurfaceKHR surface)
{
	VkBool32 supported = 17;

	assert_int_equal(EXPORTED(&r->l, vkGetPhysicalDeviceSurfaceSupportKHR)(
				 r->l.devices[device], 0, surface, &supported),
		VK_SUCCESS);
	return supported;
}

/* K-38: a display mode is one driver's, and so is the surface of it. */
static void
display_surfaces_are_of_one_driver(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_display", NULL};
	VkDisplaySurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR};
	VkDisplayModePropertiesKHR mode;
	VkDisplayPropertiesKHR display;
	VkSurfaceKHR surface;
	uint32_t count = 1;
	struct rig r;

	open_rig_without_instance(&r, names);
	r.fakes.b->instance_extensions[0] = "VK_KHR_surface";
	r.fakes.b->instance_extensions[1] = "VK_KHR_display";
	make_instance(&r.l, names);
	assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceDisplayPropertiesKHR)(
				 r.l.devices[1], &count, &display),
		VK_SUCCESS);
	assert_ptr_equal(display.display, r.fakes.b->display);
	assert_int_equal(EXPORTED(&r.l, vkGetDisplayModePropertiesKHR)(
				 r.l.devices[1], display.display, &count, &mode),
		VK_SUCCESS);
	assert_ptr_equal(r.fakes.b->seen_display, display.display);
	info.displayMode = mode.displayMode;
	assert_int_equal(
		EXPORTED(&r.l, vkCreateDisplayPlaneSurfaceKHR)(r.l.instance, &info, NULL, &surface),
		VK_SUCCESS);
	assert_int_equal(support(&r, 0, surface), VK_FALSE);
	assert_int_equal(support(&r, 1, surface), VK_TRUE);
	assert_int_equal(r.fakes.a->surfaces_created, 0);
	assert_int_equal(r.fakes.b->seen_surface_type, info.sType);
	end_surface(&r, surface);
	close_rig(&r);
}

static const char *const acquire_names[] = {"VK_KHR_surface", "VK_KHR_display",
	"VK_EXT_direct_mode_display", "VK_EXT_acquire_xlib_display", "VK_EXT_acquire_drm_display",
	NULL};

/* K-38 */
static void
displays_are_acquired_from_their_driver(void **state)
{
	VkDisplayKHR display = VK_NULL_HANDLE, found = VK_NULL_HANDLE;
	VkDisplayPropertiesKHR properties;
	uint32_t count = 1;
	struct rig r;

	open_rig(&r, acquire_names);
	assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceDisplayPropertiesKHR)(
				 r.l.devices[0], &count, &properties),
		VK_SUCCESS);
	display = properties.display;
	assert_int_equal(
		EXPORTED(&r.l, vkAcquireXlibDisplayEXT)(r.l.devices[0], (Display *)1, display),
		VK_SUCCESS);
	assert_string_equal(r.fakes.a->seen_function, "acquire_xlib");
	assert_ptr_equal(r.fakes.a->seen_display, display);
	assert_int_equal(
		EXPORTED(&r.l, vkGetRandROutputDisplayEXT)(r.l.devices[0], (Display *)1, 5, &found),
		VK_SUCCESS);
	assert_ptr_equal(found, display);
	assert_int_equal(
		EXPORTED(&r.l, vkAcquireDrmDisplayEXT)(r.l.devices[0], 3, display), VK_SUCCESS);
	assert_string_equal(r.fakes.a->seen_function, "acquire_drm");
	found = VK_NULL_HANDLE;
	assert_int_equal(
		EXPORTED(&r.l, vkGetDrmDisplayEXT)(r.l.devices[0], 3, 7, &found), VK_SUCCESS);
	assert_ptr_equal(found, display);
	r.fakes.a->seen_display = VK_NULL_HANDLE;
	assert_int_equal(EXPORTED(&r.l, vkReleaseDisplayEXT)(r.l.devices[0], display), VK_SUCCESS);
	assert_string_equal(r.fakes.a->seen_function, "release_display");
	assert_ptr_equal(r.fakes.a->seen_display, display);
	close_rig(&r);
}

/* K-38 */
static void
a_driver_without_displays_acquires_none(void **state)
{
	uint32_t count = 1;
	struct rig r;
	VkDisplayPropertiesKHR properties;

	open_rig_without_instance(&r, acquire_names);
	r.fakes.b->lacks = "vkAcquireDrmDisplayEXT";
	make_instance(&r.l, acquire_names);
	assert_int_not_equal(EXPORTED(&r.l, vkAcquireDrmDisplayEXT)(
				     r.l.devices[1], 3, (VkDisplayKHR)(uintptr_t)1),
		VK_SUCCESS);
	assert_null(r.fakes.b->seen_display);
	end_instance(&r.l);
	r.fakes.b->lacks = "vkGetPhysicalDeviceDisplayPropertiesKHR";
	make_instance(&r.l, acquire_names);
	assert_int_equal(EXPORTED(&r.l, vkGetPhysicalDeviceDisplayPropertiesKHR)(
				 r.l.devices[1], &count, &properties),
		VK_SUCCESS);
	assert_int_equal(count, 0);
	close_rig(&r);
}

static const struct kr_test tests[] = {
	KR_TEST(display_surfaces_are_of_one_driver),
	KR_TEST(displays_are_acquired_from_their_driver),
	KR_TEST(a_driver_without_displays_acquires_none),
};

KR_TEST_MAIN(tests)
