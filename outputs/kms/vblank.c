/* SPDX-License-Identifier: Apache-2.0 */
/* Vertical blanks of a display: as its card tells them, or by the clock where that tells none. */
#include "outputs/kms/display.h"

#include <xf86drm.h>

#include "util/macros.h"

void
kms_vblank_ask(struct kms_display *display)
{
	int ret;

	if (!display->vsync || display->vsync_asked || !display->screen.lit)
		return;
	ret = drmCrtcQueueSequence(display->screen.card->fd, display->screen.crtc->id,
		DRM_CRTC_SEQUENCE_RELATIVE, 1, NULL, (uint64_t)(uintptr_t)&display->listener);
	display->vsync_asked = !ret;
	/* A card that has no vertical blanks: at the mode's own pace then. */
	if (ret)
		display->vsync_ns = kr_clock_now() + display->screen.period_ns;
}

void
kms_vblank_handle(struct kms_listener *listener, uint64_t sequence, int64_t time_ns)
{
	struct kms_display *display = kr_container_of(listener, struct kms_display, listener);

	display->vsync_asked = false;
	if (display->vsync && display->connected)
		display->host->vsync(
			display->host, display->handle, time_ns, display->screen.period_ns);
	kms_vblank_ask(display);
}

void
kms_vblank_tick(struct kms_display *display)
{
	int64_t now = kr_clock_now(), period = display->screen.period_ns;

	if (!display->vsync || !display->vsync_ns || now < display->vsync_ns)
		return;
	display->host->vsync(display->host, display->handle, display->vsync_ns, period);
	display->vsync_ns += period * ((now - display->vsync_ns) / period + 1);
}
