/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a surface is in the end: one of ours or one of a driver's, opened at the first use. Opening may
 * wait for a server, so it is done without the lock, and who comes second throws his away.
 */
#include "loader/windows/surface.h"

#include <string.h>

#include "gen/commands.h"
#include "loader/windows/display_mode.h"
#include "loader/drivers/drivers.h"
#include "loader/drivers/commands.h"
#include "surface/surface.h"

bool
kr_vk_surface_is_ours(const struct kr_vk_surface *surface, const struct kr_driver_instance *driver)
{
	switch (surface->extension) {
	case KR_EXT_VK_KHR_android_surface:
		return true;
	case KR_EXT_VK_EXT_headless_surface:
		return surface->instance->platform_wsi ||
			!kr_extension_set_has(&driver->enabled, KR_EXT_VK_EXT_headless_surface);
	case KR_EXT_VK_KHR_xcb_surface:
	case KR_EXT_VK_KHR_xlib_surface:
	case KR_EXT_VK_KHR_wayland_surface:
		return surface->instance->platform_wsi;
	default:
		return false;
	}
}

static VkResult
open_ours(const struct kr_vk_surface *surface, struct kr_wsi_surface **ours)
{
	struct kr_surface_request request = {0};

	switch (surface->extension) {
	case KR_EXT_VK_KHR_android_surface:
		request.kind = KR_SURFACE_ANDROID;
		request.window = surface->info.android.window;
		break;
	case KR_EXT_VK_KHR_xcb_surface:
		request.kind = KR_SURFACE_XCB;
		request.xcb = surface->info.xcb.connection;
		request.x_window = surface->info.xcb.window;
		break;
	case KR_EXT_VK_KHR_xlib_surface:
		request.kind = KR_SURFACE_XLIB;
		request.xlib = surface->info.xlib.dpy;
		request.x_window = (xcb_window_t)surface->info.xlib.window;
		break;
	case KR_EXT_VK_KHR_wayland_surface:
		request.kind = KR_SURFACE_WAYLAND;
		request.wayland = surface->info.wayland.display;
		request.wayland_surface = surface->info.wayland.surface;
		break;
	default:
		request.kind = KR_SURFACE_HEADLESS;
		break;
	}
	return kr_surface_open(&request, surface->allocator, ours);
}

VkResult
kr_vk_surface_get_ours(struct kr_vk_surface *surface, struct kr_wsi_surface **ours)
{
	struct kr_wsi_surface *opened, *found;
	VkResult result;

	kr_mutex_lock(&surface->lock);
	found = surface->ours;
	kr_mutex_unlock(&surface->lock);
	if (!found) {
		result = open_ours(surface, &opened);
		if (result != VK_SUCCESS)
			return result;
		kr_mutex_lock(&surface->lock);
		found = surface->ours;
		if (!found)
			surface->ours = opened;
		kr_mutex_unlock(&surface->lock);
		if (found)
			kr_wsi_surface_destroy(opened, surface->allocator);
		else
			found = opened;
	}
	*ours = found;
	return VK_SUCCESS;
}

/* How a driver makes a surface of this kind; KR_COMMAND_COUNT: no driver does. */
static enum kr_command_id
maker(enum kr_extension extension)
{
	switch (extension) {
	case KR_EXT_VK_EXT_headless_surface:
		return KR_CMD_CreateHeadlessSurfaceEXT;
	case KR_EXT_VK_KHR_xcb_surface:
		return KR_CMD_CreateXcbSurfaceKHR;
	case KR_EXT_VK_KHR_xlib_surface:
		return KR_CMD_CreateXlibSurfaceKHR;
	case KR_EXT_VK_KHR_wayland_surface:
		return KR_CMD_CreateWaylandSurfaceKHR;
	case KR_EXT_VK_EXT_directfb_surface:
		return KR_CMD_CreateDirectFBSurfaceEXT;
	case KR_EXT_VK_KHR_display:
		return KR_CMD_CreateDisplayPlaneSurfaceKHR;
	default:
		return KR_COMMAND_COUNT;
	}
}

static VkResult
make_drivers(const struct kr_vk_surface *surface, const struct kr_driver_instance *driver,
	VkSurfaceKHR *out)
{
	/* All of these functions differ in the type of `info` alone. */
	VkResult(VKAPI_PTR * make)(VkInstance instance, const void *info,
		const VkAllocationCallbacks *allocator, VkSurfaceKHR *made);

	memcpy(&make,
		(const char *)&driver->table + kr_commands[maker(surface->extension)].table_offset,
		sizeof(make));
	return make(driver->handle, &surface->info, surface->allocator, out);
}

/*
 * Up to interface 2 drivers have no surfaces of their own, and later ones need not have any: they
 * read the loader's (vk_icd.h, VkIcdSurfaceBase).
 */
static bool
takes_loaders(const struct kr_vk_surface *surface, const struct kr_driver_instance *driver)
{
	const struct kr_driver *d = driver->driver->driver;

	return d->source != KR_DRIVER_HAL &&
		(d->interface_version < 3 ||
			!kr_driver_has(&driver->table, maker(surface->extension)));
}

VkResult
kr_vk_surface_get_drivers(struct kr_vk_surface *surface, const struct kr_driver_instance *driver,
	VkSurfaceKHR *drivers)
{
	uint32_t number = driver->number;
	VkSurfaceKHR made = VK_NULL_HANDLE, found;
	VkResult result;

	if (maker(surface->extension) == KR_COMMAND_COUNT ||
		!kr_extension_set_has(&driver->enabled, surface->extension))
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	/* A display mode is one driver's handle. */
	if (surface->extension == KR_EXT_VK_KHR_display &&
		kr_display_mode_owner(surface->instance, surface->info.display.displayMode) !=
			driver)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	if (takes_loaders(surface, driver)) {
		*drivers = (VkSurfaceKHR)surface;
		return VK_SUCCESS;
	}
	kr_mutex_lock(&surface->lock);
	found = surface->drivers[number];
	kr_mutex_unlock(&surface->lock);
	if (!found) {
		result = make_drivers(surface, driver, &made);
		if (result != VK_SUCCESS)
			return result;
		kr_mutex_lock(&surface->lock);
		found = surface->drivers[number];
		if (!found)
			surface->drivers[number] = made;
		kr_mutex_unlock(&surface->lock);
		if (found)
			driver->table.DestroySurfaceKHR(driver->handle, made, surface->allocator);
		else
			found = made;
	}
	*drivers = found;
	return VK_SUCCESS;
}

VkSurfaceKHR
kr_vk_surface_peek_drivers(struct kr_vk_surface *surface, const struct kr_driver_instance *driver)
{
	VkSurfaceKHR found;

	kr_mutex_lock(&surface->lock);
	found = surface->drivers[driver->number];
	kr_mutex_unlock(&surface->lock);
	return found;
}
