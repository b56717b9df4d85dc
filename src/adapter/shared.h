/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared presentable images (W-05, W-09, W-10): images that are shown while they are drawn to.
 *
 * Two things are needed of an ICD. Its images must lie in the buffer itself: a copy would be made
 * at a present, and VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR shows what was drawn without one.
 * And the image stays in VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR while it is used. An ICD knows that
 * layout when it offers VK_KHR_shared_presentable_image. One that draws by the CPU has no layouts
 * at all, mostly; whether that is so is tried once for each physical device. No command is
 * rewritten.
 */
#ifndef KR_ADAPTER_SHARED_H
#define KR_ADAPTER_SHARED_H

#include <stdbool.h>
#include "adapter/instance.h"

/* sharedImage. The first call may take as long as a trial. */
bool kr_adapter_shares_images(struct kr_adapter_gpu *gpu);

#endif
