/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of VkSurfaceKHR, one row each: what makes it, what it holds, whose it is, and how ours
 * is opened. A new kind is a row of the table in surface.c, its members here and its constructor in
 * the loader (src/loader/windows); a new window system of ours is a folder of outputs/ besides.
 */
#ifndef KR_SURFACE_KIND_H
#define KR_SURFACE_KIND_H

#include <stdbool.h>
#include <stdint.h>
#include "util/vulkan.h" /* first: it decides what the Vulkan headers declare */
#include <vulkan/vk_icd.h>
#include "gen/commands.h"
#include "gen/extensions.h"
#include "surface/output_module.h"
#include "wsi/wsi.h"

/* What makes a surface. The application's pNext chain is not kept. */
union kr_surface_info {
	VkBaseInStructure base;
	VkAndroidSurfaceCreateInfoKHR android;
	VkHeadlessSurfaceCreateInfoEXT headless;
	VkXcbSurfaceCreateInfoKHR xcb;
	VkXlibSurfaceCreateInfoKHR xlib;
	VkWaylandSurfaceCreateInfoKHR wayland;
	VkDirectFBSurfaceCreateInfoEXT directfb;
	VkDisplaySurfaceCreateInfoKHR display;
};

/* What drivers of interface 2 read: as vk_icd.h has it with the platforms' headers. */
union kr_surface_icd {
	VkIcdSurfaceBase base;
	VkIcdSurfaceDisplay display;
	struct {
		VkIcdSurfaceBase base;
		struct ANativeWindow *window;
	} android;
	struct {
		VkIcdSurfaceBase base;
		xcb_connection_t *connection;
		xcb_window_t window;
	} xcb;
	struct {
		VkIcdSurfaceBase base;
		Display *dpy;
		Window window;
	} xlib;
	struct {
		VkIcdSurfaceBase base;
		struct wl_display *display;
		struct wl_surface *surface;
	} wayland;
	struct {
		VkIcdSurfaceBase base;
		IDirectFB *dfb;
		IDirectFBSurface *surface;
	} directfb;
};

enum kr_surface_owner {
	KR_SURFACE_OURS, /* no driver makes them */
	/* where the platform's window system is chosen; else the driver's */
	KR_SURFACE_OURS_IF_CHOSEN,
	KR_SURFACE_OURS_IF_NEEDED, /* likewise, and where the driver has none of the kind */
	KR_SURFACE_DRIVERS,        /* nothing of ours shows them */
};

/* Windows of a window system that an output module speaks with. */
struct kr_surface_system {
	enum kr_output_system number;
	const char *module;
	bool sized; /* its windows have a size of their own; else it is that of what is presented */
	const char *without; /* with a display, when there is no module: a sentence for people */
	void (*name_window)(const union kr_surface_info *info, struct kr_native_window *native);
};

struct kr_surface_request;

struct kr_surface_kind {
	enum kr_extension extension; /* offers it */
	enum kr_command_id command;  /* makes it */
	VkIcdWsiPlatform platform;
	/*
	 * The native handles: where they begin in what makes the surface, whose size is told, and
	 * in what drivers read, which has them in the same order.
	 */
	uint16_t info_size;
	uint16_t info_handles;
	uint16_t icd_handles;
	enum kr_surface_owner owner;
	bool needs_display; /* ours can't be without one */
	/* Of ours; `display` is the socket of KRAFLA_DISPLAY or NULL. Contract: kr_surface_open. */
	VkResult (*open)(const struct kr_surface_request *request, const char *display,
		const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface);
	const struct kr_surface_system *system; /* NULL: of none */
};

enum kr_surface_kind_number {
	KR_SURFACE_ANDROID,
	KR_SURFACE_HEADLESS,
	KR_SURFACE_XCB,
	KR_SURFACE_XLIB,
	KR_SURFACE_WAYLAND,
	KR_SURFACE_DIRECTFB,
	KR_SURFACE_DISPLAY,
	KR_SURFACE_KIND_COUNT,
};

extern const struct kr_surface_kind kr_surface_kinds[KR_SURFACE_KIND_COUNT];

/* A surface that is asked for. */
struct kr_surface_request {
	const struct kr_surface_kind *kind;
	union kr_surface_info info;
};

#endif
