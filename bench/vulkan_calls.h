/* SPDX-License-Identifier: Apache-2.0 */
/* How children call Vulkan: by name; what fails is told and ends the child. */
#ifndef KR_BENCH_VULKAN_CALLS_H
#define KR_BENCH_VULKAN_CALLS_H

#include <stdio.h>
#include "bench/vulkan_child.h"

#define INSTANCE_FN(vk, name) ((PFN_##name)(vk)->gipa((vk)->instance, #name))
#define DEVICE_FN(vk, name)   ((PFN_##name)(vk)->gdpa((vk)->device, #name))
#define TRY(call)                                                                                  \
	do {                                                                                       \
		VkResult try_result = (call);                                                      \
		if (try_result < 0) {                                                              \
			fprintf(stderr, "krafla-bench: %s: %d\n", #call, try_result);              \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

#endif
