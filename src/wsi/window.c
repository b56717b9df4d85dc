/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells a window what a new swapchain's buffers shall be. Windows keep what they are told, so
 * everything that an earlier swapchain can have set is set here, also to its default.
 */
#include "wsi/swapchain.h"

#include <errno.h>

#include "util/clock.h"
#include "util/log.h"
#include "wsi/surface/abilities.h"
#include "wsi/surface/transform.h"

/* Fresh buffers are free, so this is only for a far end that is stuck. */
#define CREATE_TIMEOUT_NS (5 * KR_NSEC_PER_SEC)

/*
 * One buffer for producer and far end. A window that has never heard of it is fine where nobody
 * wants it.
 */
static int
set_shared(ANativeWindow *window, bool shared, bool refreshes)
{
	int ret = window->perform(window, NATIVE_WINDOW_SET_SHARED_BUFFER_MODE, (int)shared);

	if (!ret || !shared)
		ret = window->perform(window, NATIVE_WINDOW_SET_AUTO_REFRESH, (int)refreshes);
	return shared && ret == -ENOSYS ? -EOPNOTSUPP : shared ? ret : 0;
}

static int
set_timing(struct kr_wsi_surface *surface, const struct kr_wsi_window_request *request)
{
	ANativeWindow *window = surface->window;
	bool drops = request->buffers.drops;
	int ret = 0;

	/* The old count may leave no room for the buffer that dropping frames needs. */
	if (!request->reuses)
		ret = window->perform(window, NATIVE_WINDOW_SET_BUFFER_COUNT, (size_t)0);
	if (!ret)
		ret = window->perform(
			window, NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT, (int64_t)CREATE_TIMEOUT_NS);
	if (!ret)
		ret = window->setSwapInterval(window, drops ? 0 : 1);
	if (!ret)
		surface->drops = drops;
	if (!ret)
		ret = window->perform(window, NATIVE_WINDOW_SET_BUFFERS_TIMESTAMP,
			(int64_t)NATIVE_WINDOW_TIMESTAMP_AUTO);
	return ret;
}

/*
 * Windows of other platforms scale what they are given to their own size, and where that makes no
 * difference it isn't said: what shows them may then put them where it likes, as large as they are.
 * Ours are as large as their images, but for those that fill what shows them.
 */
static int
scaling_mode(const struct kr_wsi_surface *surface, const VkExtent2D *extent)
{
	ANativeWindow *window = surface->window;
	struct kr_abilities abilities;
	uint32_t width, height;

	if (!surface->ops->fills_window && kr_wsi_window_abilities(window, &abilities))
		return NATIVE_WINDOW_SCALING_MODE_FREEZE;
	if (kr_wsi_window_query(window, NATIVE_WINDOW_DEFAULT_WIDTH, &width) &&
		kr_wsi_window_query(window, NATIVE_WINDOW_DEFAULT_HEIGHT, &height) &&
		width == extent->width && height == extent->height && !surface->ops->fills_window)
		return NATIVE_WINDOW_SCALING_MODE_FREEZE;
	return NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW;
}

/*
 * What is passed through is what the program has said to its window, and Android's compositor is
 * told nothing else. Ours would take pixels of which nothing is said for sRGB, and convert them.
 */
static int
set_dataspace(ANativeWindow *window, int32_t dataspace)
{
	struct kr_abilities abilities;
	uint32_t said = 0;

	if (dataspace == HAL_DATASPACE_ARBITRARY &&
		(!kr_wsi_window_abilities(window, &abilities) ||
			(kr_wsi_window_query(window, NATIVE_WINDOW_DATASPACE, &said) && said)))
		return 0;
	return window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DATASPACE, (int)dataspace);
}

static int
set_content(const struct kr_wsi_surface *surface, const VkSwapchainCreateInfoKHR *info,
	const struct kr_wsi_buffers *buffers)
{
	ANativeWindow *window = surface->window;
	int ret;

	ret = window->perform(window, NATIVE_WINDOW_SET_BUFFERS_FORMAT, (int)buffers->format);
	if (!ret)
		ret = set_dataspace(window, buffers->dataspace);
	if (!ret)
		ret = window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS,
			(int)info->imageExtent.width, (int)info->imageExtent.height);
	if (!ret)
		ret = window->perform(window, NATIVE_WINDOW_SET_BUFFERS_TRANSFORM,
			kr_wsi_transform_for_window(info->preTransform));
	if (!ret)
		ret = window->perform(window, NATIVE_WINDOW_SET_SCALING_MODE,
			scaling_mode(surface, &info->imageExtent));
	if (!ret)
		ret = window->perform(window, NATIVE_WINDOW_SET_CROP, NULL);
	if (!ret)
		ret = window->perform(window, NATIVE_WINDOW_SET_SURFACE_DAMAGE, NULL, (size_t)0);
	if (!ret)
		ret = window->perform(window, NATIVE_WINDOW_SET_USAGE64, buffers->usage);
	return ret;
}

/*
 * All buffers that the queue may have become images: with more of them than images, a later dequeue
 * could give one that no image is made of.
 */
static int
set_count(ANativeWindow *window, uint32_t wanted, uint32_t *count)
{
	uint32_t min_undequeued, max, n;
	int ret;

	if (!kr_wsi_window_query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, &min_undequeued) ||
		!kr_wsi_window_query(window, NATIVE_WINDOW_MAX_BUFFER_COUNT, &max))
		return -ENODEV;
	n = KR_MAX(wanted, min_undequeued + 1);
	if (n > KR_MIN(max, KR_WSI_MAX_IMAGES)) {
		kr_error("vkCreateSwapchainKHR: %u images, the window has %u buffers", n, max);
		return -EOPNOTSUPP;
	}
	ret = window->perform(window, NATIVE_WINDOW_SET_BUFFER_COUNT, (size_t)n);
	if (!ret)
		*count = n;
	return ret;
}

static int
configure(struct kr_wsi_surface *surface, struct kr_wsi_window_request *request)
{
	const VkPresentModeKHR mode = request->info->presentMode;
	ANativeWindow *window = surface->window;
	int ret = set_shared(window, false, false);

	if (!ret)
		ret = set_timing(surface, request);
	if (!ret)
		ret = set_content(surface, request->info, &request->buffers);
	if (!ret)
		ret = set_count(window, request->buffers.count, &request->count);
	if (ret || !request->shared)
		return ret;
	request->count = 1;
	return set_shared(window, true, mode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR);
}

VkResult
kr_wsi_window_configure(struct kr_wsi_surface *surface, struct kr_wsi_window_request *request)
{
	VkResult result = VK_SUCCESS;
	int ret;

	if (!request->reuses)
		result = kr_wsi_surface_reconnect(surface);
	if (result != VK_SUCCESS)
		return result;
	surface->used = true;
	if (surface->ops->set_present_mode)
		surface->ops->set_present_mode(surface->data, request->info->presentMode);
	ret = configure(surface, request);
	if (ret) {
		kr_error("window system: the window can't be set up for the swapchain (%d)", ret);
		return kr_wsi_result_from_window(ret);
	}
	return VK_SUCCESS;
}
