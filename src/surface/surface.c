/* SPDX-License-Identifier: Apache-2.0 */
/* The table of surface kinds, and opening by it and by what KRAFLA_DISPLAY says. */
#include "surface/surface.h"

#include <stddef.h>
#include <string.h>

#include "surface/headless.h"
#include "surface/native.h"
#include "surface/plane.h"
#include "util/env.h"

/* The application's ANativeWindow itself: it knows where its frames go. */
static VkResult
open_android(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	return kr_wsi_surface_create(request->info.android.window, NULL, NULL, allocator, surface);
}

static void
name_xcb_window(const union kr_surface_info *info, struct kr_native_window *native)
{
	native->connection = info->xcb.connection;
	native->window = info->xcb.window;
}

static const struct kr_surface_system xcb = {
	.number = KR_OUTPUT_SYSTEM_XCB,
	.module = "xcb",
	.sized = true,
	.without = "the X window's size isn't known, the display's is used",
	.name_window = name_xcb_window,
};

static void
name_xlib_window(const union kr_surface_info *info, struct kr_native_window *native)
{
	native->connection = info->xlib.dpy;
	native->window = info->xlib.window;
}

static const struct kr_surface_system xlib = {
	.number = KR_OUTPUT_SYSTEM_XLIB,
	.module = "xcb",
	.sized = true,
	.without = "the X window's size isn't known, the display's is used",
	.name_window = name_xlib_window,
};

static void
name_wayland_window(const union kr_surface_info *info, struct kr_native_window *native)
{
	native->connection = info->wayland.display;
	native->window = (uintptr_t)info->wayland.surface;
}

static const struct kr_surface_system wayland = {
	.number = KR_OUTPUT_SYSTEM_WAYLAND,
	.module = "wayland",
	.without =
		"nothing keeps the Wayland window mapped: a program that waits for its compositor may stand still",
	.name_window = name_wayland_window,
};

#define HANDLES(type, first, icd)                                                                  \
	.info_size = sizeof(type), .info_handles = offsetof(type, first),                          \
	.icd_handles = offsetof(union kr_surface_icd, icd)

const struct kr_surface_kind kr_surface_kinds[KR_SURFACE_KIND_COUNT] = {
	[KR_SURFACE_ANDROID] =
		{
			.extension = KR_EXT_VK_KHR_android_surface,
			.command = KR_CMD_CreateAndroidSurfaceKHR,
			.platform = VK_ICD_WSI_PLATFORM_ANDROID,
			HANDLES(VkAndroidSurfaceCreateInfoKHR, window, android.window),
			.owner = KR_SURFACE_OURS,
			.open = open_android,
		},
	[KR_SURFACE_HEADLESS] =
		{
			.extension = KR_EXT_VK_EXT_headless_surface,
			.command = KR_CMD_CreateHeadlessSurfaceEXT,
			.platform = VK_ICD_WSI_PLATFORM_HEADLESS,
			/* It has none. */
			.info_size = sizeof(VkHeadlessSurfaceCreateInfoEXT),
			.info_handles = sizeof(VkHeadlessSurfaceCreateInfoEXT),
			.owner = KR_SURFACE_OURS_IF_NEEDED,
			.open = kr_surface_open_headless,
		},
	[KR_SURFACE_XCB] =
		{
			.extension = KR_EXT_VK_KHR_xcb_surface,
			.command = KR_CMD_CreateXcbSurfaceKHR,
			.platform = VK_ICD_WSI_PLATFORM_XCB,
			HANDLES(VkXcbSurfaceCreateInfoKHR, connection, xcb.connection),
			.owner = KR_SURFACE_OURS_IF_CHOSEN,
			.open = kr_surface_open_native,
			.system = &xcb,
		},
	[KR_SURFACE_XLIB] =
		{
			.extension = KR_EXT_VK_KHR_xlib_surface,
			.command = KR_CMD_CreateXlibSurfaceKHR,
			.platform = VK_ICD_WSI_PLATFORM_XLIB,
			HANDLES(VkXlibSurfaceCreateInfoKHR, dpy, xlib.dpy),
			.owner = KR_SURFACE_OURS_IF_CHOSEN,
			.open = kr_surface_open_native,
			.system = &xlib,
		},
	[KR_SURFACE_WAYLAND] =
		{
			.extension = KR_EXT_VK_KHR_wayland_surface,
			.command = KR_CMD_CreateWaylandSurfaceKHR,
			.platform = VK_ICD_WSI_PLATFORM_WAYLAND,
			HANDLES(VkWaylandSurfaceCreateInfoKHR, display, wayland.display),
			.owner = KR_SURFACE_OURS_IF_CHOSEN,
			.open = kr_surface_open_native,
			.system = &wayland,
		},
	[KR_SURFACE_DIRECTFB] =
		{
			.extension = KR_EXT_VK_EXT_directfb_surface,
			.command = KR_CMD_CreateDirectFBSurfaceEXT,
			.platform = VK_ICD_WSI_PLATFORM_DIRECTFB,
			HANDLES(VkDirectFBSurfaceCreateInfoEXT, dfb, directfb.dfb),
			.owner = KR_SURFACE_DRIVERS,
		},
	[KR_SURFACE_DISPLAY] =
		{
			.extension = KR_EXT_VK_KHR_display,
			.command = KR_CMD_CreateDisplayPlaneSurfaceKHR,
			.platform = VK_ICD_WSI_PLATFORM_DISPLAY,
			HANDLES(VkDisplaySurfaceCreateInfoKHR, displayMode, display.displayMode),
			.owner = KR_SURFACE_OURS_IF_CHOSEN,
			.needs_display = true,
			.open = kr_surface_open_plane,
		},
};

/* The last handle lies as far from the first in both; what is copied with it is padding. */
#define SAME_LAYOUT(type, first, last, icd)                                                        \
	_Static_assert(offsetof(type, last) - offsetof(type, first) ==                             \
				offsetof(union kr_surface_icd, icd.last) -                         \
					offsetof(union kr_surface_icd, icd.first) &&               \
			offsetof(union kr_surface_icd, icd.first) + sizeof(type) -                 \
					offsetof(type, first) <=                                   \
				sizeof(union kr_surface_icd),                                      \
		#type)
SAME_LAYOUT(VkAndroidSurfaceCreateInfoKHR, window, window, android);
SAME_LAYOUT(VkXcbSurfaceCreateInfoKHR, connection, window, xcb);
SAME_LAYOUT(VkXlibSurfaceCreateInfoKHR, dpy, window, xlib);
SAME_LAYOUT(VkWaylandSurfaceCreateInfoKHR, display, surface, wayland);
SAME_LAYOUT(VkDirectFBSurfaceCreateInfoEXT, dfb, surface, directfb);
SAME_LAYOUT(VkDisplaySurfaceCreateInfoKHR, displayMode, imageExtent, display);

const char *
kr_surface_display(void)
{
	return kr_env_get("KRAFLA_DISPLAY");
}

const struct kr_surface_kind *
kr_surface_kind_of(enum kr_extension extension)
{
	for (size_t i = 0; i < KR_SURFACE_KIND_COUNT; i++) {
		if (kr_surface_kinds[i].extension == extension)
			return &kr_surface_kinds[i];
	}
	return NULL;
}

bool
kr_surface_is_ours(const struct kr_surface_kind *kind, bool chosen, bool driver_has)
{
	switch (kind->owner) {
	case KR_SURFACE_OURS:
		return true;
	case KR_SURFACE_OURS_IF_CHOSEN:
		return chosen;
	case KR_SURFACE_OURS_IF_NEEDED:
		return chosen || !driver_has;
	default:
		return false;
	}
}

bool
kr_surface_is_offered(const struct kr_surface_kind *kind, bool chosen)
{
	if (kind->needs_display && !kr_surface_display())
		return false;
	return kr_surface_is_ours(kind, chosen, false);
}

void
kr_surface_request_init(
	struct kr_surface_request *request, const struct kr_surface_kind *kind, const void *info)
{
	memset(request, 0, sizeof(*request));
	request->kind = kind;
	memcpy(&request->info, info, kind->info_size);
	request->info.base.pNext = NULL;
}

void
kr_surface_fill_icd(const struct kr_surface_request *request, union kr_surface_icd *icd)
{
	const struct kr_surface_kind *kind = request->kind;

	memset(icd, 0, sizeof(*icd));
	icd->base.platform = kind->platform;
	memcpy((char *)icd + kind->icd_handles, (const char *)&request->info + kind->info_handles,
		kind->info_size - kind->info_handles);
}

VkResult
kr_surface_open(const struct kr_surface_request *request, const VkAllocationCallbacks *allocator,
	struct kr_wsi_surface **surface)
{
	if (!request->kind->open)
		return VK_ERROR_INITIALIZATION_FAILED;
	return request->kind->open(request, kr_surface_display(), allocator, surface);
}

bool
kr_surface_support(const struct kr_surface_kind *kind, void *connection, uintptr_t visual)
{
	return kind->system &&
		kr_surface_native_support(kind->system, connection, visual, kr_surface_display());
}
