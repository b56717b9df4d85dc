/* SPDX-License-Identifier: Apache-2.0 */
/* Krafla's display as a VkDisplayKHR: what it says it is, and frames on its plane. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"

#define FRAMES 6
#define SIZE   ((VkExtent2D){RIG_WIDTH, RIG_HEIGHT})

struct scene {
	struct rig rig;
	struct app app;
	VkDisplayKHR display;
	VkDisplayModePropertiesKHR mode;
};

static void
open_scene(struct scene *s, enum stack_driver driver)
{
	memset(s, 0, sizeof(*s));
	stack_use(driver);
	rig_start(&s->rig, KR_CLOCK_VIRTUAL);
	setenv("KRAFLA_DISPLAY", s->rig.socket, 1);
	assert_int_equal(
		app_open_instance(&s->app, "VK_KHR_display", "VK_KHR_get_display_properties2"),
		VK_SUCCESS);
}

static void
close_scene(struct scene *s)
{
	app_close(&s->app);
	rig_stop(&s->rig, NULL);
}

static VkPhysicalDevice
device_of(struct app *app, uint32_t number)
{
	VkPhysicalDevice devices[8];
	uint32_t count = 8;

	assert_in_range(
		vkEnumeratePhysicalDevices(app->instance, &count, devices), 0, VK_INCOMPLETE);
	assert_in_range(number, 0, count - 1);
	return devices[number];
}

static void
find_display(struct scene *s)
{
	VkPhysicalDevice device = device_of(&s->app, 0);
	VkDisplayPropertiesKHR properties;
	uint32_t count = 1;

	assert_int_equal(
		vkGetPhysicalDeviceDisplayPropertiesKHR(device, &count, &properties), VK_SUCCESS);
	assert_int_equal(count, 1);
	s->display = properties.display;
	assert_int_equal(
		vkGetDisplayModePropertiesKHR(device, s->display, &count, &s->mode), VK_SUCCESS);
	assert_int_equal(count, 1);
}

/* Who asks isn't a window that was refused. */
static void
close_scene_of_askers(struct scene *s)
{
	struct kr_display_stats stats;

	app_close(&s->app);
	rig_stop(&s->rig, &stats);
	assert_int_equal(stats.rejected, 0);
}

/* On each device, in both forms, and the same each time. */
static void
each_device_has_the_display(void **state)
{
	struct scene s;
	uint32_t devices = 0;

	open_scene(&s, STACK_BOTH);
	find_display(&s);
	assert_int_equal(vkEnumeratePhysicalDevices(s.app.instance, &devices, NULL), VK_SUCCESS);
	assert_true(devices >= 2);
	for (uint32_t i = 0; i < devices; i++) {
		VkPhysicalDevice device = device_of(&s.app, i);
		VkDisplayProperties2KHR two = {.sType = VK_STRUCTURE_TYPE_DISPLAY_PROPERTIES_2_KHR};
		VkDisplayModeProperties2KHR mode = {
			.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_PROPERTIES_2_KHR};
		VkDisplayPlanePropertiesKHR plane;
		VkDisplayKHR display;
		uint32_t count = 0;

		assert_int_equal(
			vkGetPhysicalDeviceDisplayProperties2KHR(device, &count, NULL), VK_SUCCESS);
		assert_int_equal(count, 1);
		assert_int_equal(
			vkGetPhysicalDeviceDisplayProperties2KHR(device, &count, &two), VK_SUCCESS);
		assert_ptr_equal(two.displayProperties.display, s.display);
		assert_int_equal(two.displayProperties.physicalResolution.width, RIG_WIDTH);
		assert_int_equal(two.displayProperties.physicalResolution.height, RIG_HEIGHT);
		assert_int_equal(vkGetDisplayModeProperties2KHR(device, s.display, &count, &mode),
			VK_SUCCESS);
		assert_ptr_equal(mode.displayModeProperties.displayMode, s.mode.displayMode);
		assert_int_equal(mode.displayModeProperties.parameters.refreshRate, 60000);
		assert_int_equal(
			vkGetPhysicalDeviceDisplayPlanePropertiesKHR(device, &count, &plane),
			VK_SUCCESS);
		assert_ptr_equal(plane.currentDisplay, s.display);
		assert_int_equal(vkGetDisplayPlaneSupportedDisplaysKHR(device, 0, &count, &display),
			VK_SUCCESS);
		assert_ptr_equal(display, s.display);
		count = 0;
		assert_int_equal(vkGetPhysicalDeviceDisplayPropertiesKHR(
					 device, &count, &two.displayProperties),
			VK_INCOMPLETE);
		count = 1;
		assert_int_equal(vkGetDisplayPlaneSupportedDisplaysKHR(device, 1, &count, &display),
			VK_SUCCESS);
		assert_int_equal(count, 0);
	}
	close_scene_of_askers(&s);
}

static void
a_mode_is_what_the_display_is(void **state)
{
	VkDisplayModeCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_CREATE_INFO_KHR};
	VkDisplayModeKHR mode = VK_NULL_HANDLE;
	VkPhysicalDevice device;
	struct scene s;

	open_scene(&s, STACK_NULL_ICD);
	find_display(&s);
	device = device_of(&s.app, 0);
	info.parameters = s.mode.parameters;
	assert_int_equal(vkCreateDisplayModeKHR(device, s.display, &info, NULL, &mode), VK_SUCCESS);
	assert_ptr_equal(mode, s.mode.displayMode);
	info.parameters.visibleRegion.width++;
	mode = VK_NULL_HANDLE;
	assert_int_equal(vkCreateDisplayModeKHR(device, s.display, &info, NULL, &mode),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_null(mode);
	info.parameters = s.mode.parameters;
	info.parameters.refreshRate = 0;
	assert_int_equal(vkCreateDisplayModeKHR(device, s.display, &info, NULL, &mode),
		VK_ERROR_INITIALIZATION_FAILED);
	close_scene(&s);
}

static VkDisplaySurfaceCreateInfoKHR
plane_info(const struct scene *s)
{
	return (VkDisplaySurfaceCreateInfoKHR){
		.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR,
		.displayMode = s->mode.displayMode,
		.transform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.alphaMode = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
		.imageExtent = s->mode.parameters.visibleRegion,
	};
}

/* W-01: frames on the plane are the display's pictures. */
static void
frames_on_the_plane_are_shown(void **state)
{
	VkDisplaySurfaceCreateInfoKHR info;
	VkSurfaceCapabilitiesKHR caps;
	struct scene s;

	open_scene(&s, STACK_LAVAPIPE);
	find_display(&s);
	info = plane_info(&s);
	assert_int_equal(
		vkCreateDisplayPlaneSurfaceKHR(s.app.instance, &info, NULL, &s.app.surface),
		VK_SUCCESS);
	assert_int_equal(app_open_device(&s.app, 0), VK_SUCCESS);
	assert_int_equal(
		vkGetPhysicalDeviceSurfaceCapabilitiesKHR(s.app.physical, s.app.surface, &caps),
		VK_SUCCESS);
	assert_int_equal(caps.currentExtent.width, RIG_WIDTH);
	assert_int_equal(
		app_create_swapchain(&s.app, VK_PRESENT_MODE_FIFO_KHR, 3, SIZE), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(&s.app), VK_SUCCESS);
	for (unsigned i = 1; i <= FRAMES; i++) {
		assert_int_equal(app_frame(&s.app, UINT64_MAX, i * 20), VK_SUCCESS);
		rig_wait_frames(&s.rig, i);
		assert_int_equal(rig_pixel(&s.rig, 5, 6) & 0xff, i * 20);
	}
	close_scene(&s);
}

/* A plane covers the display: what it may be smaller than that are images. */
static void
small_images_are_scaled_to_the_display(void **state)
{
	const VkExtent2D quarter = {RIG_WIDTH / 2, RIG_HEIGHT / 2};
	VkDisplayPlaneCapabilitiesKHR caps;
	VkDisplaySurfaceCreateInfoKHR info;
	struct scene s;

	open_scene(&s, STACK_LAVAPIPE);
	find_display(&s);
	assert_int_equal(vkGetDisplayPlaneCapabilitiesKHR(
				 device_of(&s.app, 0), s.mode.displayMode, 0, &caps),
		VK_SUCCESS);
	assert_int_equal(caps.minDstExtent.width, RIG_WIDTH);
	assert_int_equal(caps.maxDstExtent.height, RIG_HEIGHT);
	assert_int_equal(caps.minSrcExtent.width, 1);
	info = plane_info(&s);
	info.imageExtent = quarter;
	assert_int_equal(
		vkCreateDisplayPlaneSurfaceKHR(s.app.instance, &info, NULL, &s.app.surface),
		VK_SUCCESS);
	assert_int_equal(app_open_device(&s.app, 0), VK_SUCCESS);
	assert_int_equal(
		app_create_swapchain(&s.app, VK_PRESENT_MODE_FIFO_KHR, 3, quarter), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(&s.app), VK_SUCCESS);
	assert_int_equal(app_frame(&s.app, UINT64_MAX, 100), VK_SUCCESS);
	rig_wait_frames(&s.rig, 1);
	assert_int_equal(rig_pixel(&s.rig, 0, 0) & 0xff, 100);
	assert_int_equal(rig_pixel(&s.rig, RIG_WIDTH - 1, RIG_HEIGHT - 1) & 0xff, 100);
	close_scene(&s);
}

/* VK_EXT_display_surface_counter. */
static void
a_display_counts_its_blanks(void **state)
{
	VkSurfaceCapabilities2EXT counted = {.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_EXT};
	PFN_vkGetPhysicalDeviceSurfaceCapabilities2EXT ask;
	VkDisplaySurfaceCreateInfoKHR info;
	VkSurfaceCapabilitiesKHR caps;
	struct scene s = {0};

	stack_use(STACK_NULL_ICD);
	rig_start(&s.rig, KR_CLOCK_VIRTUAL);
	setenv("KRAFLA_DISPLAY", s.rig.socket, 1);
	assert_int_equal(
		app_open_instance(&s.app, "VK_KHR_display", "VK_EXT_display_surface_counter"),
		VK_SUCCESS);
	find_display(&s);
	info = plane_info(&s);
	assert_int_equal(
		vkCreateDisplayPlaneSurfaceKHR(s.app.instance, &info, NULL, &s.app.surface),
		VK_SUCCESS);
	ask = (PFN_vkGetPhysicalDeviceSurfaceCapabilities2EXT)vkGetInstanceProcAddr(
		s.app.instance, "vkGetPhysicalDeviceSurfaceCapabilities2EXT");
	assert_int_equal(ask(device_of(&s.app, 0), s.app.surface, &counted), VK_SUCCESS);
	assert_int_equal(counted.supportedSurfaceCounters, VK_SURFACE_COUNTER_VBLANK_BIT_EXT);
	assert_int_equal(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(
				 device_of(&s.app, 0), s.app.surface, &caps),
		VK_SUCCESS);
	/* Both say the same of all else. */
	assert_memory_equal(&counted.minImageCount, &caps, sizeof(caps));
	close_scene(&s);
}

static VkResult
ask_plane(struct scene *s, const VkDisplaySurfaceCreateInfoKHR *info)
{
	VkSurfaceCapabilitiesKHR caps;
	VkSurfaceKHR surface;
	VkResult result;

	assert_int_equal(
		vkCreateDisplayPlaneSurfaceKHR(s->app.instance, info, NULL, &surface), VK_SUCCESS);
	result = vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_of(&s->app, 0), surface, &caps);
	vkDestroySurfaceKHR(s->app.instance, surface, NULL);
	return result;
}

static void
a_plane_that_is_not_there(void **state)
{
	VkDisplaySurfaceCreateInfoKHR info;
	struct scene s;

	open_scene(&s, STACK_NULL_ICD);
	find_display(&s);
	info = plane_info(&s);
	assert_int_equal(ask_plane(&s, &info), VK_SUCCESS);
	info.planeIndex = 1;
	assert_int_equal(ask_plane(&s, &info), VK_ERROR_INITIALIZATION_FAILED);
	info = plane_info(&s);
	info.transform = VK_SURFACE_TRANSFORM_ROTATE_90_BIT_KHR;
	assert_int_equal(ask_plane(&s, &info), VK_ERROR_INITIALIZATION_FAILED);
	info = plane_info(&s);
	info.alphaMode = VK_DISPLAY_PLANE_ALPHA_GLOBAL_BIT_KHR;
	assert_int_equal(ask_plane(&s, &info), VK_ERROR_INITIALIZATION_FAILED);
	close_scene(&s);
}

/* No connection is kept that parent and child would share. */
static void
a_child_has_the_display_too(void **state)
{
	VkDisplayPropertiesKHR properties;
	uint32_t count = 1;
	struct scene s;
	pid_t child;
	int status;

	open_scene(&s, STACK_NULL_ICD);
	find_display(&s);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		VkResult result = vkGetPhysicalDeviceDisplayPropertiesKHR(
			device_of(&s.app, 0), &count, &properties);

		_exit(result == VK_SUCCESS && count == 1 && properties.display == s.display ? 0
											    : 1);
	}
	assert_int_equal(
		vkGetPhysicalDeviceDisplayPropertiesKHR(device_of(&s.app, 0), &count, &properties),
		VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close_scene_of_askers(&s);
}

/* A display that has ended is no display; a surface on it is lost. */
static void
a_display_that_ends(void **state)
{
	VkDisplaySurfaceCreateInfoKHR info;
	uint32_t count = 7;
	struct scene s;

	open_scene(&s, STACK_NULL_ICD);
	find_display(&s);
	info = plane_info(&s);
	rig_stop(&s.rig, NULL);
	assert_int_equal(
		vkGetPhysicalDeviceDisplayPropertiesKHR(device_of(&s.app, 0), &count, NULL),
		VK_SUCCESS);
	assert_int_equal(count, 0);
	assert_int_equal(ask_plane(&s, &info), VK_ERROR_SURFACE_LOST_KHR);
	app_close(&s.app);
}

/* Without one there is no such extension, and it is said when a program enables it. */
static void
without_a_display(void **state)
{
	VkExtensionProperties extensions[64];
	struct app app = {0};
	uint32_t count = 64;

	stack_use(STACK_NULL_ICD);
	unsetenv("KRAFLA_DISPLAY");
	setenv("KRAFLA_WSI", "platform", 1);
	assert_int_equal(
		vkEnumerateInstanceExtensionProperties(NULL, &count, extensions), VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++)
		assert_null(strstr(extensions[i].extensionName, "display"));
	assert_int_equal(
		app_open_instance(&app, "VK_KHR_display", NULL), VK_ERROR_EXTENSION_NOT_PRESENT);
}

#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what loader, lavapipe and LLVM keep */

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(without_a_display, LEAVES),
	KR_TEST_FLAGS(a_mode_is_what_the_display_is, LEAVES),
	KR_TEST_FLAGS(a_plane_that_is_not_there, LEAVES),
	KR_TEST_FLAGS(a_display_that_ends, LEAVES),
	KR_TEST_FLAGS(a_child_has_the_display_too, LEAVES),
	KR_TEST_FLAGS(frames_on_the_plane_are_shown, LEAVES),
	KR_TEST_FLAGS(small_images_are_scaled_to_the_display, LEAVES),
	KR_TEST_FLAGS(a_display_counts_its_blanks, LEAVES),
	KR_TEST_FLAGS(each_device_has_the_display, LEAVES),
};

KR_TEST_MAIN(tests)
