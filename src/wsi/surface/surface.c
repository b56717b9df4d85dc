/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces: connecting to a window, and what it says of itself. */
#include "wsi/surface/surface.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "util/alloc.h"
#include "util/log.h"
#include "wsi/surface/abilities.h"

VkResult
kr_wsi_result_from_window(int error)
{
	switch (error) {
	case -ENOMEM:
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	case -EMFILE:
	case -ENFILE:
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	case -EOPNOTSUPP:
		return VK_ERROR_INITIALIZATION_FAILED;
	default:
		return VK_ERROR_SURFACE_LOST_KHR;
	}
}

bool
kr_wsi_window_query(ANativeWindow *window, int what, uint32_t *value)
{
	int answer = -1;

	if (window->query(window, what, &answer) || answer < 0)
		return false;
	*value = (uint32_t)answer;
	return true;
}

static VkResult
connect_window(struct kr_wsi_surface *surface)
{
	ANativeWindow *window = surface->window;
	int ret = window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL);

	if (ret == 0) {
		surface->connected = true;
		return VK_SUCCESS;
	}
	kr_error("window system: the window can't be connected to (%d)", ret);
	return ret == -EINVAL ? VK_ERROR_NATIVE_WINDOW_IN_USE_KHR : kr_wsi_result_from_window(ret);
}

static void
disconnect_window(struct kr_wsi_surface *surface)
{
	ANativeWindow *window = surface->window;

	if (surface->connected)
		window->perform(window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_EGL);
	surface->connected = false;
}

VkResult
kr_wsi_surface_create(ANativeWindow *window, const struct kr_wsi_surface_ops *ops, void *data,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	static const struct kr_wsi_surface_ops no_ops;
	struct kr_wsi_surface *s;
	VkResult result;

	s = kr_zalloc(allocator, sizeof(*s), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	s->window = window;
	s->ops = ops ? ops : &no_ops;
	s->data = data;
	if (window->perform(window, NATIVE_WINDOW_GET_CONSUMER_USAGE64, &s->consumer_usage)) {
		kr_error("window system: the window doesn't say what its consumer needs");
		result = VK_ERROR_SURFACE_LOST_KHR;
		goto err_free;
	}
	if (!kr_wsi_window_query(window, NATIVE_WINDOW_FORMAT, &s->native_format))
		s->native_format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
	result = connect_window(s);
	if (result != VK_SUCCESS)
		goto err_free;
	window->common.incRef(&window->common);
	*surface = s;
	return VK_SUCCESS;

err_free:
	kr_free(allocator, s);
	return result;
}

void
kr_wsi_surface_destroy(struct kr_wsi_surface *surface, const VkAllocationCallbacks *allocator)
{
	if (!surface)
		return;
	disconnect_window(surface);
	surface->window->common.decRef(&surface->window->common);
	if (surface->ops->destroy)
		surface->ops->destroy(surface->data);
	kr_free(allocator, surface);
}

VkResult
kr_wsi_surface_reconnect(struct kr_wsi_surface *surface)
{
	VkResult result;

	if (surface->connected && !surface->used)
		return VK_SUCCESS;
	disconnect_window(surface);
	result = connect_window(surface);
	if (result == VK_SUCCESS)
		surface->used = surface->drops = false;
	return result;
}

VkResult
kr_wsi_surface_ask(struct kr_wsi_surface *surface, struct kr_wsi_window_state *state)
{
	ANativeWindow *window = surface->window;
	struct kr_wsi_window_state s = {0};
	uint32_t valid = 1;

	if (surface->ops->refresh)
		surface->ops->refresh(surface->data);
	/* Windows that don't know this question are valid. */
	if (kr_wsi_window_query(window, NATIVE_WINDOW_IS_VALID, &valid) && !valid)
		return VK_ERROR_SURFACE_LOST_KHR;
	if (!kr_wsi_window_query(window, NATIVE_WINDOW_DEFAULT_WIDTH, &s.width) ||
		!kr_wsi_window_query(window, NATIVE_WINDOW_DEFAULT_HEIGHT, &s.height) ||
		!kr_wsi_window_query(
			window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, &s.min_undequeued) ||
		!kr_wsi_window_query(window, NATIVE_WINDOW_MAX_BUFFER_COUNT, &s.max_buffers) ||
		!kr_wsi_window_query(window, NATIVE_WINDOW_TRANSFORM_HINT, &s.transform_hint))
		return VK_ERROR_SURFACE_LOST_KHR;
	if (surface->drops && s.min_undequeued > 1)
		s.min_undequeued--;
	s.says_abilities = kr_wsi_window_abilities(window, &s.abilities);
	*state = s;
	return VK_SUCCESS;
}

void
kr_wsi_surface_told(struct kr_wsi_surface *surface, const struct kr_wsi_window_state *state)
{
	atomic_store_explicit(&surface->told.width, state->width, memory_order_relaxed);
	atomic_store_explicit(&surface->told.height, state->height, memory_order_relaxed);
	atomic_store_explicit(&surface->told.hint, state->transform_hint, memory_order_relaxed);
	atomic_store_explicit(&surface->told.any, true, memory_order_release);
}
