/* SPDX-License-Identifier: Apache-2.0 */
/* HDR metadata of the frames to come, as a whole and in Android's two parts. */
#include <errno.h>

#include "window/state.h"

int
kr_window_set_hdr(struct kr_window *window, const struct kr_hdr_metadata *hdr)
{
	if (hdr && !kr_hdr_metadata_valid(hdr))
		return -EINVAL;
	kr_mutex_lock(&window->lock);
	window->state.input.hdr = hdr ? *hdr : (struct kr_hdr_metadata){0};
	kr_mutex_unlock(&window->lock);
	return 0;
}

static struct kr_hdr_metadata
get_hdr(struct kr_window *window)
{
	struct kr_hdr_metadata hdr;

	kr_mutex_lock(&window->lock);
	hdr = window->state.input.hdr;
	kr_mutex_unlock(&window->lock);
	return hdr;
}

int
kr_window_set_mastering(struct kr_window *window, const struct android_smpte2086_metadata *m)
{
	const struct kr_hdr_metadata now = get_hdr(window);
	struct kr_hdr_metadata hdr = {
		.has = now.has & KR_HDR_CONTENT,
		.max_cll = now.max_cll,
		.max_fall = now.max_fall,
	};

	if (m)
		hdr = (struct kr_hdr_metadata){
			.has = hdr.has | KR_HDR_MASTERING,
			.red = {m->displayPrimaryRed.x, m->displayPrimaryRed.y},
			.green = {m->displayPrimaryGreen.x, m->displayPrimaryGreen.y},
			.blue = {m->displayPrimaryBlue.x, m->displayPrimaryBlue.y},
			.white = {m->whitePoint.x, m->whitePoint.y},
			.max_luminance = m->maxLuminance,
			.min_luminance = m->minLuminance,
			.max_cll = hdr.max_cll,
			.max_fall = hdr.max_fall,
		};
	return kr_window_set_hdr(window, &hdr);
}

int
kr_window_set_content_light(struct kr_window *window, const struct android_cta861_3_metadata *c)
{
	struct kr_hdr_metadata hdr = get_hdr(window);

	hdr.has &= ~(uint32_t)KR_HDR_CONTENT;
	hdr.has |= c ? KR_HDR_CONTENT : 0;
	hdr.max_cll = c ? c->maxContentLightLevel : 0;
	hdr.max_fall = c ? c->maxFrameAverageLightLevel : 0;
	return kr_window_set_hdr(window, &hdr);
}
