/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a surface is in the end: one of ours or one of a driver's, opened at the first use. Opening
 * may wait for a server, so it is done without the lock, and who comes second throws his away.
 */
#include "loader/windows/surface.h"

#include <string.h>

#include "gen/commands.h"
#include "loader/windows/display_mode.h"
#include "loader/drivers/drivers.h"
#include "loader/drivers/commands.h"
#include "surface/surface.h"

bool
kr_vk_surface_is_ours(const struct kr_vk_surface *surface, const struct kr_instance_driver *driver)
{
	const struct kr_surface_kind *kind = surface->made_by.kind;

	return kr_surface_is_ours(kind, surface->instance->platform_wsi,
		kr_extension_set_has(&driver->enabled, kind->extension));
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
		result = kr_surface_open(&surface->made_by, surface->allocator, &opened);
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

static VkResult
make_drivers(const struct kr_vk_surface *surface, const struct kr_instance_driver *driver,
	VkSurfaceKHR *out)
{
	const uint16_t offset = kr_commands[surface->made_by.kind->command].table_offset;
	/* All of these functions differ in the type of `info` alone. */
	VkResult(VKAPI_PTR * make)(VkInstance instance, const void *info,
		const VkAllocationCallbacks *allocator, VkSurfaceKHR *made);

	memcpy(&make, (const char *)&driver->table + offset, sizeof(make));
	return make(driver->handle, &surface->made_by.info, surface->allocator, out);
}

/*
 * Up to interface 2 drivers have no surfaces of their own, and later ones need not have any: they
 * read the loader's (vk_icd.h, VkIcdSurfaceBase).
 */
static bool
takes_loaders(const struct kr_vk_surface *surface, const struct kr_instance_driver *driver)
{
	const struct kr_driver *d = driver->driver->driver;

	return d->source != KR_DRIVER_HAL &&
		(d->interface_version < 3 ||
			!kr_instance_table_has(&driver->table, surface->made_by.kind->command));
}

VkResult
kr_vk_surface_get_drivers(struct kr_vk_surface *surface, const struct kr_instance_driver *driver,
	VkSurfaceKHR *drivers)
{
	const struct kr_surface_request *made_by = &surface->made_by;
	uint32_t number = driver->number;
	VkSurfaceKHR made = VK_NULL_HANDLE, found;
	VkResult result;

	if (made_by->kind->owner == KR_SURFACE_OURS ||
		!kr_extension_set_has(&driver->enabled, made_by->kind->extension))
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	/* A display mode is one driver's handle. */
	if (made_by->kind->extension == KR_EXT_VK_KHR_display &&
		kr_vk_display_mode_owner(surface->instance, made_by->info.display.displayMode) !=
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
kr_vk_surface_peek_drivers(struct kr_vk_surface *surface, const struct kr_instance_driver *driver)
{
	VkSurfaceKHR found;

	kr_mutex_lock(&surface->lock);
	found = surface->drivers[driver->number];
	kr_mutex_unlock(&surface->lock);
	return found;
}
