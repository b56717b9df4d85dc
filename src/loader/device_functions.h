/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of devices: those at the bottom of the chain, and what applications find by name. */
#ifndef KR_LOADER_DEVICE_FUNCTIONS_H
#define KR_LOADER_DEVICE_FUNCTIONS_H

#include <stdbool.h>
#include "gen/commands.h"
#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* Fills the device's table with what is at the bottom of the chain; NULL for what it hasn't got. */
void kr_device_load_terminators(struct kr_device *device);
PFN_vkVoidFunction VKAPI_CALL kr_terminator_GetDeviceProcAddr(VkDevice device, const char *name);

/* The application's vkGetDeviceProcAddr, but for the functions that entry/ writes by hand. */
PFN_vkVoidFunction kr_device_find(
	VkDevice device, const struct kr_command *command, const char *name);

/* Functions that only the platform calls: nobody above it finds them (D-05). */
bool kr_is_platform_function(const char *name);

#endif
