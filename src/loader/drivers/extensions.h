/* SPDX-License-Identifier: Apache-2.0 */
/* Which instance extensions there are, who has them, and what of them a driver is given. */
#ifndef KR_LOADER_DRIVERS_EXTENSIONS_H
#define KR_LOADER_DRIVERS_EXTENSIONS_H

#include <stdbool.h>
#include "gen/extensions.h"
#include "loader/drivers/drivers.h"
#include "loader/handles/handles.h"
#include "util/macros.h"
#include "util/vulkan.h"

/* vkEnumerateInstanceExtensionProperties without a layer's name. */
VkResult kr_instance_extensions_enumerate(uint32_t *count, VkExtensionProperties *properties);

/*
 * Whether names are names, before anybody reads them: VK_ERROR_EXTENSION_NOT_PRESENT when one is
 * NULL or longer than any.
 */
VkResult kr_instance_extensions_check_names(const VkInstanceCreateInfo *info) KR_MUST_CHECK;
/*
 * Checks what an application enables and notes what of it is known. Extensions of layers are fine.
 * VK_ERROR_EXTENSION_NOT_PRESENT names the missing one in a message.
 */
VkResult kr_instance_extensions_check(const VkInstanceCreateInfo *info,
	const struct kr_loaded_drivers *drivers, bool platform_wsi,
	const struct kr_layer_chain *chain, struct kr_extension_set *enabled) KR_MUST_CHECK;

/* Extensions by which surfaces are made that the driver itself could present to. */
bool kr_extension_makes_surfaces(enum kr_extension extension);

/* What of the application's extensions this driver gets; decides how the driver takes part. */
void kr_instance_driver_choose(struct kr_instance_driver *driver, bool platform_wsi,
	const struct kr_extension_set *enabled);

#endif
