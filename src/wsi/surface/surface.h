/* SPDX-License-Identifier: Apache-2.0 */
/* A surface: a window, who made it, and the swapchain that holds it. */
#ifndef KR_WSI_SURFACE_H
#define KR_WSI_SURFACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <krafla/native_window.h>
#include "util/macros.h"
#include "util/vulkan.h"
#include "window/queue/presentation.h"
#include "wsi/wsi.h"

struct kr_wsi_swapchain;

/* What a program was told last of a window; capability queries may come from any thread. */
struct kr_wsi_told {
	atomic_bool any;
	atomic_uint width;
	atomic_uint height;
	atomic_uint hint;
};

struct kr_wsi_surface {
	ANativeWindow *window; /* one reference */
	const struct kr_wsi_surface_ops *ops;
	void *data;
	uint64_t consumer_usage; /* AHARDWAREBUFFER_USAGE_* bits that the far end asks for */
	uint32_t native_format;  /* AHARDWAREBUFFER_FORMAT_*: what the far end likes best */
	struct kr_wsi_swapchain *current; /* the one that isn't retired, or NULL */
	bool connected;                   /* as an API, to the window */
	bool used;                        /* buffers may be left from an earlier swapchain */
	struct kr_wsi_told told;          /* of it, to programs */
	bool hdr_said;                    /* the window has metadata; of the device's lock */
	bool drops; /* the window was told to drop frames, and keeps one buffer more for that */
};

/* What the window answers to capability queries, all of it asked for anew. */
struct kr_wsi_window_state {
	uint32_t width;
	uint32_t height;
	uint32_t min_undequeued; /* of a window that drops nothing, whatever it does now */
	uint32_t max_buffers;
	uint32_t transform_hint;
	struct kr_abilities abilities;
	bool says_abilities; /* else they are assumed */
};
VkResult kr_wsi_surface_ask(struct kr_wsi_surface *surface, struct kr_wsi_window_state *state)
	KR_MUST_CHECK;

/* A capability query is answered with this. */
void kr_wsi_surface_told(struct kr_wsi_surface *surface, const struct kr_wsi_window_state *state);

/* A question whose answer is a number that can't be negative; false when there is none. */
bool kr_wsi_window_query(ANativeWindow *window, int what, uint32_t *value);

/* Connects to the window, with all buffers of an earlier swapchain dropped. */
VkResult kr_wsi_surface_reconnect(struct kr_wsi_surface *surface) KR_MUST_CHECK;

/* What an error of a window means for Vulkan; never VK_SUCCESS. */
VkResult kr_wsi_result_from_window(int error);

#endif
