/* SPDX-License-Identifier: Apache-2.0 */
/* The present modes of a surface. */
#include "wsi/surface/modes.h"

#include "util/macros.h"
#include "wsi/surface/present_mode.h"

/* Beyond what the far end keeps: one to render to, one that waits to be shown. */
#define EXTRA_IMAGES 2

/* Where the maker of the surface knows better than its window what the output does. */
static bool
is_vetoed(const struct kr_wsi_surface *surface, enum kr_present_mode mode)
{
	return mode != KR_PRESENT_FIFO && surface->ops->has_present_mode &&
		!surface->ops->has_present_mode(surface->data, kr_wsi_present_mode_to_vulkan(mode));
}

uint32_t
kr_wsi_modes(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	const struct kr_wsi_window_state *state)
{
	uint32_t modes = KR_ABILITY(KR_PRESENT_FIFO);

	/* VK_GOOGLE_surfaceless_query: of no other modes may be spoken without a surface. */
	if (!surface)
		return modes | (gpu->shared_image ? KR_ABILITY_SHARED : 0);
	for (uint32_t i = 0; i < KR_PRESENT_MODE_COUNT; i++) {
		enum kr_present_mode mode = (enum kr_present_mode)i;

		if (!(state->abilities.modes & KR_ABILITY(i)) || is_vetoed(surface, mode))
			continue;
		/* W-10: the driver has to bear an image that others read meanwhile. */
		if (kr_present_mode_is_shared(mode) && !gpu->shared_image)
			continue;
		/* A queue that drops frames needs one buffer more than one that doesn't. */
		if (kr_present_mode_drops(mode) && state->min_undequeued + 1 >= state->max_buffers)
			continue;
		modes |= KR_ABILITY(i);
	}
	return modes;
}

/*
 * All modes of one family: a window that says its abilities is told the mode with each frame, and
 * what dropping needs is reserved when the swapchain is made. Another platform's windows switch
 * between the shared modes alone.
 */
uint32_t
kr_wsi_modes_compatible(uint32_t modes, enum kr_present_mode mode,
	const struct kr_wsi_window_state *state, VkPresentModeKHR list[KR_PRESENT_MODE_COUNT])
{
	bool shared = kr_present_mode_is_shared(mode);
	uint32_t count = 0;

	if (!(modes & KR_ABILITY(mode)))
		return 0;
	list[count++] = kr_wsi_present_mode_to_vulkan(mode);
	if (!shared && (!state || !state->says_abilities))
		return count;
	for (uint32_t i = 0; i < KR_PRESENT_MODE_COUNT; i++) {
		enum kr_present_mode other = (enum kr_present_mode)i;

		if (other != mode && (modes & KR_ABILITY(i)) &&
			kr_present_mode_is_shared(other) == shared)
			list[count++] = kr_wsi_present_mode_to_vulkan(other);
	}
	return count;
}

void
kr_wsi_mode_counts(const struct kr_wsi_window_state *state, enum kr_present_mode mode,
	uint32_t *least, uint32_t *most)
{
	if (kr_present_mode_is_shared(mode)) {
		*least = *most = 1;
		return;
	}
	*least = KR_MIN(state->min_undequeued + EXTRA_IMAGES, state->max_buffers);
	*most = state->max_buffers;
}
