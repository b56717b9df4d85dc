/* SPDX-License-Identifier: Apache-2.0 */
/* What a window can show: as it says, or as every ANativeWindow of another platform can. */
#ifndef KR_WSI_ABILITIES_H
#define KR_WSI_ABILITIES_H

#include <stdbool.h>
#include <krafla/native_window.h>
#include "util/vulkan.h"
#include "window/queue/presentation.h"

/*
 * Asked of the window; false when it doesn't know the question, and what is told then is
 * assumed.
 */
bool kr_wsi_window_abilities(ANativeWindow *window, struct kr_abilities *abilities);

/* The same in Vulkan's bits. */
VkSurfaceTransformFlagsKHR kr_wsi_transforms(const struct kr_abilities *abilities);
VkCompositeAlphaFlagsKHR kr_wsi_alphas(const struct kr_abilities *abilities);
VkPresentScalingFlagsEXT kr_wsi_scalings(const struct kr_abilities *abilities);
/* Of both axes; 0 where nothing is scaled. */
VkPresentGravityFlagsEXT kr_wsi_gravities(const struct kr_abilities *abilities);

#endif
