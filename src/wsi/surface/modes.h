/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The present modes of a surface on a device: which there are, which may be switched among without
 * a new swapchain, and how many images each needs.
 */
#ifndef KR_WSI_MODES_H
#define KR_WSI_MODES_H

#include <stdint.h>
#include "util/vulkan.h"
#include "window/queue/presentation.h"
#include "wsi/surface/surface.h"
#include "wsi/wsi.h"

/*
 * 1 << enum kr_present_mode, FIFO always. `surface` NULL: what all surfaces of the device have.
 * `state` is what its window has answered.
 */
uint32_t kr_wsi_modes(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	const struct kr_wsi_window_state *state);

/* Those of `modes` that a swapchain may switch to from `mode`, itself first. */
uint32_t kr_wsi_modes_compatible(uint32_t modes, enum kr_present_mode mode,
	const struct kr_wsi_window_state *state, VkPresentModeKHR list[KR_PRESENT_MODE_COUNT]);

/* How many images a swapchain has at least and at most. */
void kr_wsi_mode_counts(const struct kr_wsi_window_state *state, enum kr_present_mode mode,
	uint32_t *least, uint32_t *most);

#endif
