/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose instance is made, and what for: the first question about anybody's log. Thread-safety: no shared state.
 */
#ifndef KR_LOADER_INSTANCE_REQUEST_H
#define KR_LOADER_INSTANCE_REQUEST_H

#include "util/vulkan.h"

/* The application, the layers and extensions that it names; and what is wrong with its version. */
void kr_instance_request_tell(const VkInstanceCreateInfo *info);

#endif
