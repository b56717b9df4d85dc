/* SPDX-License-Identifier: Apache-2.0 */
/* Which driver's a VkDisplayModeKHR is: a surface made of one can be given to that driver alone. */
#ifndef KR_LOADER_WINDOWS_DISPLAY_MODE_H
#define KR_LOADER_WINDOWS_DISPLAY_MODE_H

#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* NULL for a mode that no driver has given out. */
const struct kr_instance_driver *kr_vk_display_mode_owner(
	struct kr_instance *instance, VkDisplayModeKHR mode);

#endif
