/* SPDX-License-Identifier: Apache-2.0 */
/* Making and destroying surfaces. Opening them is surface.c. */
#include "loader/windows/surface.h"

#include "loader/drivers/extensions.h"
#include "loader/handles/terminators.h"
#include "loader/messages/messages.h"
#include "surface/surface.h"
#include "util/alloc.h"
#include "util/log.h"

static void
destroy(struct kr_vk_surface *surface)
{
	struct kr_instance *instance = surface->instance;

	kr_wsi_surface_destroy(surface->ours, surface->allocator);
	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++) {
		const struct kr_instance_driver *driver = instance->drivers[i];

		if (surface->drivers[i])
			driver->table.DestroySurfaceKHR(
				driver->handle, surface->drivers[i], surface->allocator);
	}
	kr_mutex_finish(&surface->lock);
	kr_object_free(surface);
}

static VkResult
create(VkInstance handle, enum kr_surface_kind_number number, const void *info,
	const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)
{
	const struct kr_surface_kind *kind = &kr_surface_kinds[number];
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	struct kr_vk_surface *surface;

	if (!kr_extension_set_has(&instance->enabled_below, kind->extension)) {
		kr_instance_log(instance, KR_LOG_ERROR,
			"no surface is made: the instance has not enabled %s",
			kr_extensions[kind->extension].name);
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	surface = kr_object_alloc(allocator, sizeof(*surface), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!surface)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_surface_request_init(&surface->made_by, kind, info);
	kr_surface_fill_icd(&surface->made_by, &surface->icd);
	surface->instance = instance;
	surface->allocator = kr_object_allocator(surface);
	kr_mutex_init(&surface->lock);
	/* Here the application learns that its window is in use. */
	if (kind->owner == KR_SURFACE_OURS) {
		struct kr_wsi_surface *ours;
		VkResult result = kr_vk_surface_get_ours(surface, &ours);

		if (result != VK_SUCCESS) {
			destroy(surface);
			return result;
		}
	}
	*out = (VkSurfaceKHR)surface;
	return VK_SUCCESS;
}

/* They differ in the type of what they are given alone. */
#define CONSTRUCTOR(name, type, number)                                                            \
	static VKAPI_ATTR VkResult VKAPI_CALL terminator_##name(VkInstance instance,               \
		const type *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *surface)   \
	{                                                                                          \
		return create(instance, number, info, allocator, surface);                         \
	}
CONSTRUCTOR(CreateAndroidSurfaceKHR, VkAndroidSurfaceCreateInfoKHR, KR_SURFACE_ANDROID)
CONSTRUCTOR(CreateHeadlessSurfaceEXT, VkHeadlessSurfaceCreateInfoEXT, KR_SURFACE_HEADLESS)
CONSTRUCTOR(CreateXcbSurfaceKHR, VkXcbSurfaceCreateInfoKHR, KR_SURFACE_XCB)
CONSTRUCTOR(CreateXlibSurfaceKHR, VkXlibSurfaceCreateInfoKHR, KR_SURFACE_XLIB)
CONSTRUCTOR(CreateWaylandSurfaceKHR, VkWaylandSurfaceCreateInfoKHR, KR_SURFACE_WAYLAND)
CONSTRUCTOR(CreateDirectFBSurfaceEXT, VkDirectFBSurfaceCreateInfoEXT, KR_SURFACE_DIRECTFB)
CONSTRUCTOR(CreateDisplayPlaneSurfaceKHR, VkDisplaySurfaceCreateInfoKHR, KR_SURFACE_DISPLAY)

static VKAPI_ATTR void VKAPI_CALL
terminator_DestroySurfaceKHR(
	VkInstance instance, VkSurfaceKHR handle, const VkAllocationCallbacks *allocator)
{
	if (handle)
		destroy(kr_vk_surface_from_handle(handle));
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(CreateAndroidSurfaceKHR),
	KR_TERMINATOR(CreateHeadlessSurfaceEXT),
	KR_TERMINATOR(CreateXcbSurfaceKHR),
	KR_TERMINATOR(CreateXlibSurfaceKHR),
	KR_TERMINATOR(CreateWaylandSurfaceKHR),
	KR_TERMINATOR(CreateDirectFBSurfaceEXT),
	KR_TERMINATOR(CreateDisplayPlaneSurfaceKHR),
	KR_TERMINATOR(DestroySurfaceKHR),
};
const struct kr_terminators kr_terminators_surface = {terminators, KR_ARRAY_LEN(terminators)};
