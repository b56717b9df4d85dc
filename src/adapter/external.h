/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ICD exports and imports (src/gpu), of a device of it. It is asked when somebody first
 * wants to know, since that takes an allocation: most devices never have such memory.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_ADAPTER_EXTERNAL_H
#define KR_ADAPTER_EXTERNAL_H

#include "adapter/device.h"
#include "adapter/extensions.h"

/*
 * Enables what of kr_gpu_extensions the ICD offers, but for what is a part of Vulkan 1.1 where the
 * application speaks that: by name its functions would come along once more.
 */
void kr_adapter_external_enable(const struct kr_adapter_gpu *gpu, const struct kr_offered *offered,
	struct kr_enabled *enabled);
/* Remembers what of them is enabled. */
void kr_adapter_external_init(struct kr_adapter_device *device, const struct kr_enabled *enabled);
/* NULL: the device can't. */
const struct kr_gpu *kr_adapter_external(struct kr_adapter_device *device);

#endif
