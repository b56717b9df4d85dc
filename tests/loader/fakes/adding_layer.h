/* SPDX-License-Identifier: Apache-2.0 */
/* What adding_layer.so exports as `adding_layer`. */
#ifndef KR_TESTS_LOADER_ADDING_LAYER_H
#define KR_TESTS_LOADER_ADDING_LAYER_H

#include <stdbool.h>
#include "util/vulkan.h"

#define ADDED_DEVICE ((VkPhysicalDevice)(uintptr_t)0xabcd0000)

struct adding_layer {
	bool overwrites; /* what *pDevice points at */
	bool forgets;    /* the device below, and fails */
	bool lies; /* lists NULL, says that it wrote 5000 devices, gives no device with success */

	VkPhysicalDevice created_with, group_with, future;
	bool no_names; /* it leaves names, tags and markers to what is below */
	uint64_t named, tagged, marked, mark_tagged;
};

#endif
