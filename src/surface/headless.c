/* SPDX-License-Identifier: Apache-2.0 */
/* See headless.h. */
#include "surface/headless.h"

#include <krafla/hardware_buffer.h>

#include "surface/display.h"
#include "window/queue/sink.h"
#include "window/window.h"

static const struct kr_wsi_surface_ops sizeless_ops = {.no_size = true};

/* A surface over a queue, whose reference it takes, also on failure. */
static VkResult
wrap_queue(struct kr_queue *take_queue, const struct kr_wsi_surface_ops *ops,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	ANativeWindow *window;
	VkResult result;
	int ret;

	ret = kr_window_create(take_queue, &window);
	kr_queue_unref(take_queue);
	if (ret)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = kr_wsi_surface_create(window, ops, NULL, allocator, surface);
	kr_window_unref(window);
	return result;
}

/*
 * Frames to nowhere: the sink needs nothing of a buffer, and holds one frame only while it arrives,
 * or while it is shared. However a frame is to be shown, nobody sees that it isn't; and as there is
 * no time when it would be, it counts as shown once it is taken.
 */
static VkResult
open_nowhere(const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	const struct kr_queue_config config = {
		.default_width = 1,
		.default_height = 1,
		.default_format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
		.max_acquired = 1,
		.abilities =
			{
				.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT),
				.transforms = KR_ABILITY_TRANSFORMS,
				.alphas = KR_ABILITY_ALL(KR_ALPHA_COUNT),
				.scalings = KR_ABILITY_ALL(KR_SCALING_COUNT),
				.gravities = KR_ABILITY_ALL(KR_GRAVITY_COUNT),
				.colours = KR_ABILITY_ALL(KR_COLOUR_COUNT),
			},
		.timing = {.events = KR_SINK_NULL_EVENTS},
	};
	struct kr_queue *queue;
	struct kr_sink *sink;

	if (kr_sink_null_create(&sink) || kr_queue_create(&config, sink, &queue))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	return wrap_queue(queue, &sizeless_ops, allocator, surface);
}

VkResult
kr_surface_open_headless(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface)
{
	struct kr_queue *queue;

	if (!display)
		return open_nowhere(allocator, surface);
	if (kr_surface_connect_display(display, NULL, 0, 0, &queue))
		return VK_ERROR_SURFACE_LOST_KHR;
	return wrap_queue(queue, NULL, allocator, surface);
}
