/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_EXT_debug_utils and VK_EXT_debug_report: the loader keeps the application's callbacks, gives
 * them its own messages and creates them on every driver that supports them, whose messages come
 * with the loader's handles (DESIGN rule 3).
 */
#ifndef KR_LOADER_MESSAGES_MESSENGERS_H
#define KR_LOADER_MESSAGES_MESSENGERS_H

#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* The callbacks chained to VkInstanceCreateInfo count for vkDestroyInstance too: kept with it. */
VkResult kr_messengers_keep_chained(struct kr_instance *instance, const void *chain) KR_MUST_CHECK;
/*
 * Frees what is left of an instance's callbacks. The drivers' own must be gone with their instance.
 */
void kr_messengers_finish(struct kr_instance *instance);

#endif
