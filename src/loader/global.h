/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bottom of the functions that need no instance. Entry points reach it through the
 * chains of implicit layers (layers/queries.h), layers also by vkGetInstanceProcAddr while
 * they create an instance.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_LOADER_GLOBAL_H
#define KR_LOADER_GLOBAL_H

#include "layers/queries.h"
#include "util/vulkan.h"

/*
 * What vkEnumerateInstanceVersion answers: the newest core version of the registry, with its patch.
 */
uint32_t kr_loader_version(void);

/*
 * The layers to look at for the extensions of this one; NULL or "" for those of drivers and loader.
 */
enum kr_layer_scope kr_extensions_scope(const char *layer);
VkResult kr_extensions_answer(const struct kr_layer_query *query, const char *layer,
	uint32_t *count, VkExtensionProperties *properties);

VKAPI_ATTR VkResult VKAPI_CALL kr_terminator_EnumerateInstanceVersion(uint32_t *version);
VKAPI_ATTR VkResult VKAPI_CALL kr_terminator_EnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties);
VKAPI_ATTR VkResult VKAPI_CALL kr_terminator_EnumerateInstanceLayerProperties(
	uint32_t *count, VkLayerProperties *properties);

#endif
