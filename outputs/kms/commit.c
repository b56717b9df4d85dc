/* SPDX-License-Identifier: Apache-2.0 */
/* See commit.h. */
#include "outputs/kms/commit.h"

#include <errno.h>
#include <stdint.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

/* A request that is being made: what fails in between is told at its end. */
struct request {
	drmModeAtomicReq *atomic;
	bool failed;
};

static void
add(struct request *request, uint32_t object, const struct kms_property *property, uint64_t value)
{
	if (drmModeAtomicAddProperty(request->atomic, object, property->id, value) < 0)
		request->failed = true;
}

/* A property that not every object has, and that means this value where it is missing. */
static void
add_if_there(struct request *request, uint32_t object, const struct kms_property *property,
	uint64_t value)
{
	if (property->id)
		add(request, object, property, value);
}

static void
add_nothing(struct request *request, const struct kms_plane *plane)
{
	add(request, plane->id, &plane->property[KMS_PLANE_FB_ID], 0);
	add(request, plane->id, &plane->property[KMS_PLANE_CRTC_ID], 0);
}

static void
add_scanout(struct request *request, const struct kms_crtc *crtc, const struct kms_scanout *scanout)
{
	const struct kms_property *property = scanout->plane->property;
	uint32_t id = scanout->plane->id;

	add(request, id, &property[KMS_PLANE_FB_ID], scanout->fb);
	add(request, id, &property[KMS_PLANE_CRTC_ID], crtc->id);
	for (unsigned i = 0; i < 4; i++) {
		add(request, id, &property[KMS_PLANE_SRC_X + i], scanout->src[i]);
		add(request, id, &property[KMS_PLANE_CRTC_X + i], (uint64_t)scanout->dst[i]);
	}
	add_if_there(request, id, &property[KMS_PLANE_ROTATION], scanout->rotation);
	add_if_there(request, id, &property[KMS_PLANE_ALPHA], scanout->alpha);
	if (property[KMS_PLANE_BLEND].mask & UINT64_C(1) << scanout->blend)
		add(request, id, &property[KMS_PLANE_BLEND], scanout->blend);
	if (scanout->in_fence >= 0)
		add(request, id, &property[KMS_PLANE_IN_FENCE_FD], (uint64_t)scanout->in_fence);
}

/* The planes of `bits` that no scanout is for show nothing. */
static void
add_others(struct request *request, const struct kms_screen *screen, uint32_t bits,
	const struct kms_scanout *scanouts, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		bits &= ~(UINT32_C(1) << (scanouts[i].plane - screen->card->planes));
	for (unsigned i = 0; i < screen->card->plane_count; i++) {
		if (bits & UINT32_C(1) << i)
			add_nothing(request, &screen->card->planes[i]);
	}
}

static int
begin(struct request *request)
{
	request->failed = false;
	request->atomic = drmModeAtomicAlloc();
	return request->atomic ? 0 : -ENOMEM;
}

static int
end(struct request *request, const struct kms_screen *screen, uint32_t flags)
{
	int ret = request->failed ? -ENOMEM : 0;

	if (!ret)
		ret = drmModeAtomicCommit(
			screen->card->fd, request->atomic, flags, screen->listener);
	drmModeAtomicFree(request->atomic);
	return ret;
}

void
kms_commit_cover(struct kms_scanout *scanout, const struct kms_plane *plane, uint32_t fb,
	uint32_t width, uint32_t height)
{
	*scanout = (struct kms_scanout){
		.plane = plane,
		.fb = fb,
		.src = {0, 0, (uint64_t)width << 16, (uint64_t)height << 16},
		.dst = {0, 0, (int32_t)width, (int32_t)height},
		.rotation = DRM_MODE_ROTATE_0,
		.alpha = UINT16_MAX,
		.in_fence = -1,
	};
}

/* What the connector tells its screen; what it can't say was asked for by nobody. */
static void
add_colour(struct request *request, const struct kms_screen *screen)
{
	const struct kms_property *property = screen->connector.property;
	uint32_t id = screen->connector.id;

	add_if_there(request, id, &property[KMS_CONNECTOR_COLORSPACE], screen->colour.colorspace);
	add_if_there(request, id, &property[KMS_CONNECTOR_HDR], screen->hdr_blob);
	/* Else it stays the driver's choice. */
	if (screen->colour.bpc)
		add_if_there(request, id, &property[KMS_CONNECTOR_MAX_BPC], screen->colour.bpc);
}

int
kms_commit_mode(const struct kms_screen *screen, bool on)
{
	const struct kms_property *crtc = screen->crtc->property;
	const struct kms_dumb *dumb = &screen->dumbs[0];
	struct kms_scanout black;
	struct request request;
	int ret = begin(&request);

	if (ret)
		return ret;
	kms_commit_cover(&black, screen->primary, dumb->id, dumb->width, dumb->height);
	add(&request, screen->connector.id, &screen->connector.property[KMS_CONNECTOR_CRTC_ID],
		on ? screen->crtc->id : 0);
	if (on)
		add_colour(&request, screen);
	add(&request, screen->crtc->id, &crtc[KMS_CRTC_MODE_ID], on ? screen->mode_blob : 0);
	add(&request, screen->crtc->id, &crtc[KMS_CRTC_ACTIVE], on);
	if (on)
		add_scanout(&request, screen->crtc, &black);
	add_others(&request, screen,
		screen->planes_used | UINT32_C(1) << (screen->primary - screen->card->planes),
		&black, on);
	return end(&request, screen, DRM_MODE_ATOMIC_ALLOW_MODESET);
}

int
kms_commit_planes(const struct kms_screen *screen, const struct kms_scanout *scanouts,
	unsigned count, int *out)
{
	struct request request;
	int32_t fence = -1;
	int ret = begin(&request);

	if (ret)
		return ret;
	for (unsigned i = 0; i < count; i++)
		add_scanout(&request, screen->crtc, &scanouts[i]);
	add_others(&request, screen, screen->planes_used, scanouts, count);
	if (screen->hdr_changed)
		add_if_there(&request, screen->connector.id,
			&screen->connector.property[KMS_CONNECTOR_HDR], screen->hdr_blob);
	add(&request, screen->crtc->id, &screen->crtc->property[KMS_CRTC_OUT_FENCE_PTR],
		(uintptr_t)&fence);
	ret = end(&request, screen, DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT);
	if (!ret)
		*out = fence;
	return ret;
}

bool
kms_commit_test(const struct kms_screen *screen, const struct kms_scanout *scanouts, unsigned count)
{
	struct request request;

	if (begin(&request))
		return false;
	for (unsigned i = 0; i < count; i++)
		add_scanout(&request, screen->crtc, &scanouts[i]);
	add_others(&request, screen, screen->planes_used, scanouts, count);
	return !end(&request, screen, DRM_MODE_ATOMIC_TEST_ONLY | DRM_MODE_ATOMIC_NONBLOCK);
}
