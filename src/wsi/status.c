/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a swapchain still fits its window, and vkGetSwapchainStatusKHR. */
#include "wsi/status.h"

#include "wsi/swapchain.h"
#include "wsi/transform.h"

void
kr_wsi_surface_told(struct kr_wsi_surface *surface, const struct kr_wsi_window_state *state)
{
	atomic_store_explicit(&surface->told.width, state->width, memory_order_relaxed);
	atomic_store_explicit(&surface->told.height, state->height, memory_order_relaxed);
	atomic_store_explicit(&surface->told.hint, state->transform_hint, memory_order_relaxed);
	atomic_store_explicit(&surface->told.any, true, memory_order_release);
}

void
kr_wsi_status_begin(struct kr_wsi_swapchain *s)
{
	const struct kr_wsi_told *told = &s->surface->told;
	struct kr_wsi_made_for *made = &s->made_for;

	if (atomic_load_explicit(&told->any, memory_order_acquire)) {
		made->width = atomic_load_explicit(&told->width, memory_order_relaxed);
		made->height = atomic_load_explicit(&told->height, memory_order_relaxed);
		made->hint = atomic_load_explicit(&told->hint, memory_order_relaxed);
		return;
	}
	/* What it doesn't answer stays 0, which no later answer is taken for. */
	(void)kr_wsi_window_query(s->window, NATIVE_WINDOW_DEFAULT_WIDTH, &made->width);
	(void)kr_wsi_window_query(s->window, NATIVE_WINDOW_DEFAULT_HEIGHT, &made->height);
	(void)kr_wsi_window_query(s->window, NATIVE_WINDOW_TRANSFORM_HINT, &made->hint);
}

static bool
turned(const struct kr_wsi_swapchain *s)
{
	uint32_t hint;

	return kr_wsi_window_query(s->window, NATIVE_WINDOW_TRANSFORM_HINT, &hint) &&
		hint != s->made_for.hint && s->transform != VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR &&
		kr_wsi_transform_from_hint(hint) != s->transform;
}

static bool
resized(const struct kr_wsi_swapchain *s)
{
	bool on_its_side =
		kr_wsi_transform_for_window(s->transform) & NATIVE_WINDOW_TRANSFORM_ROT_90;
	uint32_t has_width = on_its_side ? s->extent.height : s->extent.width;
	uint32_t has_height = on_its_side ? s->extent.width : s->extent.height;
	uint32_t width, height;

	if (!kr_wsi_window_query(s->window, NATIVE_WINDOW_DEFAULT_WIDTH, &width) ||
		!kr_wsi_window_query(s->window, NATIVE_WINDOW_DEFAULT_HEIGHT, &height))
		return false;
	return (width != s->made_for.width || height != s->made_for.height) &&
		(width != has_width || height != has_height) &&
		(!on_its_side || width != has_height || height != has_width);
}

bool
kr_wsi_is_suboptimal(const struct kr_wsi_swapchain *s)
{
	if (turned(s))
		return true;
	/* Only windows that someone can resize, unless the program said how that is to look. */
	return s->surface->ops->refresh && !s->present.scaled && resized(s);
}

VkResult
kr_wsi_get_swapchain_status(struct kr_wsi_device *device, VkSwapchainKHR swapchain)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(swapchain);
	uint32_t valid = 1;

	if (atomic_load(&device->lost))
		return VK_ERROR_DEVICE_LOST;
	if (atomic_load(&s->retired))
		return VK_ERROR_OUT_OF_DATE_KHR;
	if (s->surface->ops->refresh)
		s->surface->ops->refresh(s->surface->data);
	/* Windows that don't know this question are valid. */
	if (kr_wsi_window_query(s->window, NATIVE_WINDOW_IS_VALID, &valid) && !valid)
		return VK_ERROR_SURFACE_LOST_KHR;
	s->suboptimal = kr_wsi_is_suboptimal(s);
	return s->suboptimal ? VK_SUBOPTIMAL_KHR : VK_SUCCESS;
}
