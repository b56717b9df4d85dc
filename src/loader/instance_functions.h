/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of instances: those at the bottom of the chain, and which of them there are by name. */
#ifndef KR_LOADER_INSTANCE_FUNCTIONS_H
#define KR_LOADER_INSTANCE_FUNCTIONS_H

#include <stdbool.h>
#include "gen/commands.h"
#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* Whether the instance may call a command: core, or of an extension that it enabled. */
bool kr_instance_enables(const struct kr_instance *instance, const struct kr_command *command);

/* The terminators as a table; made once. */
const struct kr_instance_table *kr_terminator_table(void);

/* What layers find below the last of them. */
PFN_vkVoidFunction VKAPI_CALL kr_terminator_GetInstanceProcAddr(
	VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL kr_terminator_GetPhysicalDeviceProcAddr(
	VkInstance instance, const char *name);

#endif
