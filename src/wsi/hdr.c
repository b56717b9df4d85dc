/* SPDX-License-Identifier: Apache-2.0 */
/* See hdr.h. */
#include "wsi/hdr.h"

#include <errno.h>

#include "util/log.h"
#include "window/window.h"

/* Windows of another platform are told in Android's two parts. */
static int
say_in_parts(ANativeWindow *window, const struct kr_hdr_metadata *hdr)
{
	const struct android_smpte2086_metadata mastering = {
		.displayPrimaryRed = {hdr->red[0], hdr->red[1]},
		.displayPrimaryGreen = {hdr->green[0], hdr->green[1]},
		.displayPrimaryBlue = {hdr->blue[0], hdr->blue[1]},
		.whitePoint = {hdr->white[0], hdr->white[1]},
		.maxLuminance = hdr->max_luminance,
		.minLuminance = hdr->min_luminance,
	};
	const struct android_cta861_3_metadata content = {
		.maxContentLightLevel = hdr->max_cll,
		.maxFrameAverageLightLevel = hdr->max_fall,
	};
	int ret = window->perform(window, NATIVE_WINDOW_SET_BUFFERS_SMPTE2086_METADATA,
		hdr->has & KR_HDR_MASTERING ? &mastering : NULL);

	if (ret)
		return ret;
	return window->perform(window, NATIVE_WINDOW_SET_BUFFERS_CTA861_3_METADATA,
		hdr->has & KR_HDR_CONTENT ? &content : NULL);
}

static void
say_locked(const struct kr_wsi_device *device, struct kr_wsi_swapchain *s) KR_REQUIRES(device->lock)
{
	ANativeWindow *window = s->window;
	int ret = window->perform(window, KR_WINDOW_SET_HDR, s->hdr.has ? &s->hdr : NULL);

	if (ret == -ENOENT)
		ret = say_in_parts(window, &s->hdr);
	if (ret)
		kr_debug("window system: the window takes no HDR metadata (%d)", ret);
	s->surface->hdr_said = s->hdr.has != 0;
}

void
kr_wsi_hdr_begin(struct kr_wsi_swapchain *swapchain, const struct kr_wsi_swapchain *old)
{
	struct kr_wsi_device *device = swapchain->device;

	kr_mutex_lock(&device->lock);
	if (old && old->buffers.dataspace == swapchain->buffers.dataspace)
		swapchain->hdr = old->hdr;
	if (swapchain->hdr.has || swapchain->surface->hdr_said)
		say_locked(device, swapchain);
	kr_mutex_unlock(&device->lock);
}

static struct kr_hdr_metadata
from_vulkan(const VkHdrMetadataEXT *metadata)
{
	return (struct kr_hdr_metadata){
		.has = KR_HDR_MASTERING | KR_HDR_CONTENT,
		.red = {metadata->displayPrimaryRed.x, metadata->displayPrimaryRed.y},
		.green = {metadata->displayPrimaryGreen.x, metadata->displayPrimaryGreen.y},
		.blue = {metadata->displayPrimaryBlue.x, metadata->displayPrimaryBlue.y},
		.white = {metadata->whitePoint.x, metadata->whitePoint.y},
		.max_luminance = metadata->maxLuminance,
		.min_luminance = metadata->minLuminance,
		.max_cll = metadata->maxContentLightLevel,
		.max_fall = metadata->maxFrameAverageLightLevel,
	};
}

void
kr_wsi_set_hdr_metadata(
	struct kr_wsi_device *device, VkSwapchainKHR swapchain, const VkHdrMetadataEXT *metadata)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(swapchain);
	struct kr_hdr_metadata hdr = from_vulkan(metadata);

	if (!kr_hdr_metadata_valid(&hdr)) {
		kr_error("vkSetHdrMetadataEXT: a value is negative or no number; nothing is set");
		return;
	}
	kr_mutex_lock(&device->lock);
	/* Its window is another's by now. */
	if (!atomic_load(&s->retired)) {
		s->hdr = hdr;
		say_locked(device, s);
	}
	kr_mutex_unlock(&device->lock);
}
