/* SPDX-License-Identifier: Apache-2.0 */
/* What vkCreateInstance's info says about the drivers that it wants. Thread-safety: no state. */
#ifndef KR_LOADER_DRIVER_REQUEST_H
#define KR_LOADER_DRIVER_REQUEST_H

#include <stdbool.h>
#include "util/vulkan.h"

/* The flag and the extension. */
bool kr_info_enumerates_portability(const VkInstanceCreateInfo *info);
/* Why the instance has no drivers although there are portability drivers: what is missing. */
const char *kr_info_portability_advice(const VkInstanceCreateInfo *info);

/* The list, when it and its extension are there, else NULL; what is odd about it is told. */
const VkDirectDriverLoadingListLUNARG *kr_info_direct_drivers(const VkInstanceCreateInfo *info);
/*
 * The extension without its list is told: a warning when nothing else was found either. A program that
 * enables whatever is offered (vulkaninfo) loses nothing by it.
 */
void kr_info_check_direct_list(const VkInstanceCreateInfo *info, bool found_others);
/* Whether drivers of the application's own are all that may take part. */
bool kr_info_wants_only_direct(const VkInstanceCreateInfo *info);

#endif
