/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a swapchain still fits its window, and vkGetSwapchainStatusKHR. */
#include "wsi/status.h"

#include "wsi/swapchain.h"
#include "wsi/surface/transform.h"

/* What the window is like now; one of another platform is asked for each. */
static bool
ask_shape(const struct kr_wsi_swapchain *s, struct kr_window_shape *shape)
{
	ANativeWindow *window = s->window;

	if (!s->present.foreign)
		return !window->perform(window, KR_WINDOW_GET_SHAPE, shape);
	return kr_wsi_window_query(window, NATIVE_WINDOW_TRANSFORM_HINT, &shape->transform_hint) &&
		kr_wsi_window_query(window, NATIVE_WINDOW_DEFAULT_WIDTH, &shape->width) &&
		kr_wsi_window_query(window, NATIVE_WINDOW_DEFAULT_HEIGHT, &shape->height);
}

void
kr_wsi_status_begin(struct kr_wsi_swapchain *s)
{
	const struct kr_wsi_told *told = &s->surface->told;
	struct kr_window_shape *made = &s->made_for;

	if (atomic_load_explicit(&told->any, memory_order_acquire)) {
		made->width = atomic_load_explicit(&told->width, memory_order_relaxed);
		made->height = atomic_load_explicit(&told->height, memory_order_relaxed);
		made->transform_hint = atomic_load_explicit(&told->hint, memory_order_relaxed);
		return;
	}
	if (!ask_shape(s, made))
		*made = (struct kr_window_shape){0};
}

static bool
turned(const struct kr_wsi_swapchain *s, uint32_t hint)
{
	return hint != s->made_for.transform_hint &&
		s->transform != VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR &&
		kr_wsi_transform_from_hint(hint) != s->transform;
}

static bool
resized(const struct kr_wsi_swapchain *s, uint32_t width, uint32_t height)
{
	bool on_its_side;

	if (width == s->made_for.width && height == s->made_for.height)
		return false;
	on_its_side = kr_wsi_transform_for_window(s->transform) & NATIVE_WINDOW_TRANSFORM_ROT_90;
	return (width != s->extent.width || height != s->extent.height) &&
		(!on_its_side || width != s->extent.height || height != s->extent.width);
}

bool
kr_wsi_is_suboptimal(const struct kr_wsi_swapchain *s)
{
	struct kr_window_shape shape;

	if (!ask_shape(s, &shape))
		return false;
	if (turned(s, shape.transform_hint))
		return true;
	/* Only windows with a size of their own, unless the program said how that is to look. */
	return !s->surface->ops->no_size && !s->present.scaled &&
		resized(s, shape.width, shape.height);
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
