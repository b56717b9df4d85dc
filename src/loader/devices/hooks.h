/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks: functions at the bottom of a device's chain that stand in for the driver's own. A file
 * that has some lists them in a table; device_functions.c puts the tables together.
 */
#ifndef KR_LOADER_DEVICES_HOOKS_H
#define KR_LOADER_DEVICES_HOOKS_H

#include <stddef.h>
#include "gen/commands.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* When a hook stands in for the driver's function. */
enum kr_hook_rule {
	KR_HOOK_NONE,
	KR_HOOK_ALWAYS,
	KR_HOOK_IF_DRIVERS,  /* the driver has the function */
	KR_HOOK_WITH_WSI,    /* it has, and swapchains of ours may exist */
	KR_HOOK_SWAPCHAIN,   /* swapchains of ours may exist; else the driver's own, if any */
	KR_HOOK_SURFACE,     /* swapchains of ours may exist, or the driver has the function */
	KR_HOOK_IF_MISSING,  /* the driver hasn't, and the instance enables VK_EXT_debug_utils */
	KR_HOOK_DEBUG_UTILS, /* the instance enables VK_EXT_debug_utils */
};

struct kr_hook {
	enum kr_command_id id;
	PFN_vkVoidFunction function;
	enum kr_hook_rule rule;
};

struct kr_hooks {
	const struct kr_hook *items;
	size_t count;
};

#define KR_HOOK_BY(function, command, when)                                                        \
	{                                                                                          \
		KR_CMD_##command, (PFN_vkVoidFunction)(function), KR_HOOK_##when                   \
	}
#define KR_HOOK(command, when) KR_HOOK_BY(terminator_##command, command, when)

/* The tables of other files. */
extern const struct kr_hooks kr_hooks_calibrated;
extern const struct kr_hooks kr_hooks_device;
extern const struct kr_hooks kr_hooks_object_names;
extern const struct kr_hooks kr_hooks_swapchain;
extern const struct kr_hooks kr_hooks_swapchain_presents;

#endif
