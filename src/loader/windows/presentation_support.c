/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a queue family can present to a window system, asked before there is a surface:
 * of the driver, or of us where our window system is chosen. These queries know no
 * errors; a driver without the window system's extension presents to none of its windows,
 * which is nothing to complain of.
 */
#include "loader/windows/surface.h"

#include "loader/drivers/drivers.h"
#include "loader/drivers/commands.h"
#include "loader/messages/messages.h"
#include "loader/devices/window.h"
#include "loader/handles/terminators.h"
#include "surface/surface.h"
#include "util/log.h"

static bool
is_ours(const struct kr_physical_device *device, enum kr_surface_kind_number number)
{
	const struct kr_surface_kind *kind = &kr_surface_kinds[number];
	const struct kr_instance_driver *driver = device->owner;

	return kr_surface_is_ours(kind, driver->instance->platform_wsi,
		kr_extension_set_has(&driver->enabled, kind->extension));
}

/* Whether the driver can be asked `command`, which is of this kind's extension. */
static bool
answers(const struct kr_physical_device *device, enum kr_surface_kind_number number,
	enum kr_command_id command)
{
	const enum kr_extension extension = kr_surface_kinds[number].extension;
	const struct kr_instance_driver *driver = device->owner;

	if (!kr_extension_set_has(&driver->enabled, extension))
		return false;
	if (kr_instance_table_has(device->driver, command))
		return true;
	kr_instance_log(driver->instance, KR_LOG_ERROR | KR_LOG_DRIVER,
		"%s: ICD for selected physical device does not export %s! It offers %s, but is taken as unable to present",
		driver->driver->driver->name, kr_commands[command].name,
		kr_extensions[extension].name);
	return false;
}

/* Whether the device can draw into the buffers of our windows, and these can show them. */
static bool
presents_by_us(struct kr_physical_device *device, enum kr_surface_kind_number number,
	void *connection, uintptr_t visual)
{
	struct kr_wsi_gpu gpu;

	return kr_physical_device_get_gpu(device, &gpu) == VK_SUCCESS && gpu.native_buffer &&
		kr_surface_support(&kr_surface_kinds[number], connection, visual);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
terminator_GetPhysicalDeviceXcbPresentationSupportKHR(VkPhysicalDevice handle, uint32_t family,
	xcb_connection_t *connection, xcb_visualid_t visual)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (is_ours(device, KR_SURFACE_XCB))
		return presents_by_us(device, KR_SURFACE_XCB, connection, visual);
	return answers(device, KR_SURFACE_XCB, KR_CMD_GetPhysicalDeviceXcbPresentationSupportKHR) &&
		device->driver->GetPhysicalDeviceXcbPresentationSupportKHR(
			device->handle, family, connection, visual);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
terminator_GetPhysicalDeviceXlibPresentationSupportKHR(
	VkPhysicalDevice handle, uint32_t family, Display *display, VisualID visual)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (is_ours(device, KR_SURFACE_XLIB))
		return presents_by_us(device, KR_SURFACE_XLIB, display, visual);
	return answers(device, KR_SURFACE_XLIB,
		       KR_CMD_GetPhysicalDeviceXlibPresentationSupportKHR) &&
		device->driver->GetPhysicalDeviceXlibPresentationSupportKHR(
			device->handle, family, display, visual);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
terminator_GetPhysicalDeviceWaylandPresentationSupportKHR(
	VkPhysicalDevice handle, uint32_t family, struct wl_display *display)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (is_ours(device, KR_SURFACE_WAYLAND))
		return presents_by_us(device, KR_SURFACE_WAYLAND, display, 0);
	return answers(device, KR_SURFACE_WAYLAND,
		       KR_CMD_GetPhysicalDeviceWaylandPresentationSupportKHR) &&
		device->driver->GetPhysicalDeviceWaylandPresentationSupportKHR(
			device->handle, family, display);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
terminator_GetPhysicalDeviceDirectFBPresentationSupportEXT(
	VkPhysicalDevice handle, uint32_t family, IDirectFB *dfb)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	return answers(device, KR_SURFACE_DIRECTFB,
		       KR_CMD_GetPhysicalDeviceDirectFBPresentationSupportEXT) &&
		device->driver->GetPhysicalDeviceDirectFBPresentationSupportEXT(
			device->handle, family, dfb);
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(GetPhysicalDeviceXcbPresentationSupportKHR),
	KR_TERMINATOR(GetPhysicalDeviceXlibPresentationSupportKHR),
	KR_TERMINATOR(GetPhysicalDeviceWaylandPresentationSupportKHR),
	KR_TERMINATOR(GetPhysicalDeviceDirectFBPresentationSupportEXT),
};
const struct kr_terminators kr_terminators_presentation_support = {
	terminators, KR_ARRAY_LEN(terminators)};
