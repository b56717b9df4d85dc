/* SPDX-License-Identifier: Apache-2.0 */
/* Making and destroying surfaces. Opening them is surface.c. */
#include "loader/windows/surface.h"

#include "loader/drivers/extensions.h"
#include "loader/handles/terminators.h"
#include "loader/messages/messages.h"
#include "util/alloc.h"
#include "util/log.h"

static void
destroy(struct kr_vk_surface *surface)
{
	struct kr_instance *instance = surface->instance;

	kr_wsi_surface_destroy(surface->ours, surface->allocator);
	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++) {
		const struct kr_driver_instance *driver = instance->drivers[i];

		if (surface->drivers[i])
			driver->table.DestroySurfaceKHR(
				driver->handle, surface->drivers[i], surface->allocator);
	}
	kr_mutex_finish(&surface->lock);
	kr_object_free(surface);
}

static VkResult
create(VkInstance handle, const struct kr_vk_surface *model, const VkAllocationCallbacks *allocator,
	VkSurfaceKHR *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	struct kr_vk_surface *surface;

	if (!kr_extension_set_has(&instance->enabled_below, model->extension)) {
		kr_instance_log(instance, KR_LOG_ERROR,
			"no surface is made: the instance has not enabled %s",
			kr_extensions[model->extension].name);
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	surface = kr_object_alloc(allocator, sizeof(*surface), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!surface)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	surface->icd = model->icd;
	surface->extension = model->extension;
	surface->info = model->info;
	surface->instance = instance;
	surface->allocator = kr_object_allocator(surface);
	kr_mutex_init(&surface->lock);
	/* Here the application learns that its window is in use. */
	if (surface->extension == KR_EXT_VK_KHR_android_surface) {
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

#define TERMINATOR(name, type)                                                                     \
	static VKAPI_ATTR VkResult VKAPI_CALL terminator_##name(VkInstance instance,               \
		const type *pCreateInfo, const VkAllocationCallbacks *pAllocator,                  \
		VkSurfaceKHR *pSurface)

TERMINATOR(CreateAndroidSurfaceKHR, VkAndroidSurfaceCreateInfoKHR)
{
	struct kr_vk_surface model = {
		.extension = KR_EXT_VK_KHR_android_surface,
		.info.android = *pCreateInfo,
		.icd.android = {{VK_ICD_WSI_PLATFORM_ANDROID}, pCreateInfo->window},
	};

	model.info.android.pNext = NULL;
	return create(instance, &model, pAllocator, pSurface);
}

TERMINATOR(CreateHeadlessSurfaceEXT, VkHeadlessSurfaceCreateInfoEXT)
{
	struct kr_vk_surface model = {
		.extension = KR_EXT_VK_EXT_headless_surface,
		.info.headless = *pCreateInfo,
		.icd.base = {VK_ICD_WSI_PLATFORM_HEADLESS},
	};

	model.info.headless.pNext = NULL;
	return create(instance, &model, pAllocator, pSurface);
}

TERMINATOR(CreateXcbSurfaceKHR, VkXcbSurfaceCreateInfoKHR)
{
	struct kr_vk_surface model = {
		.extension = KR_EXT_VK_KHR_xcb_surface,
		.info.xcb = *pCreateInfo,
		.icd.xcb = {{VK_ICD_WSI_PLATFORM_XCB}, pCreateInfo->connection,
			pCreateInfo->window},
	};

	model.info.xcb.pNext = NULL;
	return create(instance, &model, pAllocator, pSurface);
}

TERMINATOR(CreateXlibSurfaceKHR, VkXlibSurfaceCreateInfoKHR)
{
	struct kr_vk_surface model = {
		.extension = KR_EXT_VK_KHR_xlib_surface,
		.info.xlib = *pCreateInfo,
		.icd.xlib = {{VK_ICD_WSI_PLATFORM_XLIB}, pCreateInfo->dpy, pCreateInfo->window},
	};

	model.info.xlib.pNext = NULL;
	return create(instance, &model, pAllocator, pSurface);
}

TERMINATOR(CreateWaylandSurfaceKHR, VkWaylandSurfaceCreateInfoKHR)
{
	struct kr_vk_surface model = {
		.extension = KR_EXT_VK_KHR_wayland_surface,
		.info.wayland = *pCreateInfo,
		.icd.wayland = {{VK_ICD_WSI_PLATFORM_WAYLAND}, pCreateInfo->display,
			pCreateInfo->surface},
	};

	model.info.wayland.pNext = NULL;
	return create(instance, &model, pAllocator, pSurface);
}

TERMINATOR(CreateDirectFBSurfaceEXT, VkDirectFBSurfaceCreateInfoEXT)
{
	struct kr_vk_surface model = {
		.extension = KR_EXT_VK_EXT_directfb_surface,
		.info.directfb = *pCreateInfo,
		.icd.directfb = {{VK_ICD_WSI_PLATFORM_DIRECTFB}, pCreateInfo->dfb,
			pCreateInfo->surface},
	};

	model.info.directfb.pNext = NULL;
	return create(instance, &model, pAllocator, pSurface);
}

TERMINATOR(CreateDisplayPlaneSurfaceKHR, VkDisplaySurfaceCreateInfoKHR)
{
	struct kr_vk_surface model = {
		.extension = KR_EXT_VK_KHR_display,
		.info.display = *pCreateInfo,
		.icd.display =
			{
				.base = {VK_ICD_WSI_PLATFORM_DISPLAY},
				.displayMode = pCreateInfo->displayMode,
				.planeIndex = pCreateInfo->planeIndex,
				.planeStackIndex = pCreateInfo->planeStackIndex,
				.transform = pCreateInfo->transform,
				.globalAlpha = pCreateInfo->globalAlpha,
				.alphaMode = pCreateInfo->alphaMode,
				.imageExtent = pCreateInfo->imageExtent,
			},
	};

	model.info.display.pNext = NULL;
	return create(instance, &model, pAllocator, pSurface);
}

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
