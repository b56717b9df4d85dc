/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feature structures of extensions about swapchains. Where swapchains of ours can exist, those of
 * what we offer are answered here, those of what is hidden aren't there, and a driver gets neither,
 * except what it is told of for swapchains of its own.
 */
#ifndef KR_LOADER_DEVICES_FEATURES_H
#define KR_LOADER_DEVICES_FEATURES_H

#include "chain/chain.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* What of a chain of features the driver isn't given; `window` is borrowed. */
struct kr_chain_filter kr_features_filter(const struct kr_device_window *window);

/*
 * VK_ERROR_FEATURE_NOT_PRESENT, which is logged, when the chain of a VkDeviceCreateInfo asks for
 * such a feature that isn't offered.
 */
VkResult kr_features_check(const struct kr_device_window *window, const void *chain) KR_MUST_CHECK;

/* Whether the chain of a VkDeviceCreateInfo enables the one feature of this structure. */
bool kr_features_enable(const void *chain, VkStructureType type);

#endif
