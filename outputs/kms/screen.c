/* SPDX-License-Identifier: Apache-2.0 */
/* Screens (screen.h): modes, and the commits on their way. commit.c makes the requests. */
#include "outputs/kms/screen.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <krafla/native_window.h>
#include <string.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "colour/space.h"
#include "outputs/kms/commit.h"
#include "outputs/kms/events.h"
#include "outputs/kms/log.h"
#include "sync/fence/fence.h"
#include "util/fd.h"

static struct kms_crtc *
find_crtc(struct kms_card *card, const struct kms_connector *connector)
{
	for (unsigned i = 0; i < card->crtc_count; i++) {
		if (!card->crtcs[i].used && connector->possible_crtcs & UINT32_C(1) << i)
			return &card->crtcs[i];
	}
	return NULL;
}

static const struct kms_plane *
find_primary(const struct kms_card *card, const struct kms_crtc *crtc)
{
	uint32_t bit = UINT32_C(1) << (crtc - card->crtcs);

	for (unsigned i = 0; i < card->plane_count; i++) {
		const struct kms_plane *plane = &card->planes[i];

		if (plane->possible_crtcs & bit && kms_plane_takes(plane, DRM_FORMAT_XRGB8888) &&
			plane->property[KMS_PLANE_TYPE].value == DRM_PLANE_TYPE_PRIMARY)
			return plane;
	}
	return NULL;
}

/* The planes that others left on this CRTC: the first commit takes them off. */
static uint32_t
left_over(const struct kms_screen *screen)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < screen->card->plane_count; i++) {
		if (screen->card->planes[i].property[KMS_PLANE_CRTC_ID].value == screen->crtc->id)
			bits |= UINT32_C(1) << i;
	}
	return bits;
}

static void
drop_dumbs(struct kms_screen *screen, struct kms_dumb dumbs[KMS_DUMBS])
{
	for (unsigned i = 0; i < KMS_DUMBS; i++)
		kms_dumb_destroy(screen->card->fd, &dumbs[i]);
}

/* What a mode needs: its blob, and memory of its size. */
static int
prepare_mode(
	struct kms_screen *screen, unsigned mode, uint32_t *blob, struct kms_dumb dumbs[KMS_DUMBS])
{
	const drmModeModeInfo *info = &screen->connector.modes[mode];
	int ret = 0;

	memset(dumbs, 0, KMS_DUMBS * sizeof(dumbs[0]));
	if (drmModeCreatePropertyBlob(screen->card->fd, info, sizeof(*info), blob))
		return -errno;
	for (unsigned i = 0; i < KMS_DUMBS && !ret; i++)
		ret = kms_dumb_create(screen->card->fd, info->hdisplay, info->vdisplay, &dumbs[i]);
	if (ret) {
		drop_dumbs(screen, dumbs);
		drmModeDestroyPropertyBlob(screen->card->fd, *blob);
	}
	return ret;
}

static void
unpin(struct kms_framebuffer *pinned[KMS_MAX_PLANES])
{
	for (unsigned i = 0; i < KMS_MAX_PLANES; i++) {
		kms_framebuffer_unpin(pinned[i]);
		pinned[i] = NULL;
	}
}

static void
drop_fences(struct kms_screen *screen)
{
	kr_fd_close(&screen->pending_fence);
	while (screen->pending_acquires)
		kr_fd_close(&screen->pending_acquire[--screen->pending_acquires]);
}

/* Nothing is on its way, and no framebuffer of others is on a plane. */
static void
forget_pictures(struct kms_screen *screen)
{
	unpin(screen->shown);
	unpin(screen->coming);
	drop_fences(screen);
	screen->pending = false;
}

int
kms_screen_light(struct kms_screen *screen)
{
	struct kms_dumb *dumb = &screen->dumbs[0];
	int ret;

	(void)kms_screen_settle(screen, kr_deadline_in(KMS_FLIP_LIMIT_NS));
	memset(dumb->pixels, 0, dumb->size);
	ret = kms_commit_mode(screen, true);
	if (ret)
		return ret;
	forget_pictures(screen);
	screen->dumb = 1; /* of these two the first is shown */
	screen->planes_used = UINT32_C(1) << (screen->primary - screen->card->planes);
	screen->lit = true;
	return 0;
}

int
kms_screen_darken(struct kms_screen *screen)
{
	int ret;

	if (!screen->lit)
		return 0;
	(void)kms_screen_settle(screen, kr_deadline_in(KMS_FLIP_LIMIT_NS));
	ret = kms_commit_mode(screen, false);
	if (ret)
		return ret;
	forget_pictures(screen);
	screen->planes_used = 0;
	screen->lit = false;
	return 0;
}

int
kms_screen_set_mode(struct kms_screen *screen, unsigned mode)
{
	struct kms_dumb dumbs[KMS_DUMBS], old[KMS_DUMBS];
	uint32_t blob, old_blob = screen->mode_blob;
	unsigned old_mode = screen->mode;
	int ret = prepare_mode(screen, mode, &blob, dumbs);

	if (!ret) {
		memcpy(old, screen->dumbs, sizeof(old));
		memcpy(screen->dumbs, dumbs, sizeof(dumbs));
		screen->mode_blob = blob;
		screen->mode = mode;
		ret = kms_screen_light(screen);
		if (ret) {
			memcpy(screen->dumbs, old, sizeof(old));
			screen->mode_blob = old_blob;
			screen->mode = old_mode;
			memcpy(old, dumbs, sizeof(old));
			old_blob = blob;
		}
		drop_dumbs(screen, old);
		if (old_blob)
			drmModeDestroyPropertyBlob(screen->card->fd, old_blob);
	}
	if (ret)
		kms_error("kms: %s of %s can't be set to %ux%u at %u Hz: %s",
			screen->connector.name, screen->card->path,
			screen->connector.modes[mode].hdisplay,
			screen->connector.modes[mode].vdisplay,
			screen->connector.modes[mode].vrefresh, strerror(-ret));
	else
		screen->period_ns = kms_mode_period_ns(&screen->connector.modes[mode]);
	return ret;
}

static void
drop_blob(const struct kms_screen *screen, uint32_t blob)
{
	if (blob)
		drmModeDestroyPropertyBlob(screen->card->fd, blob);
}

static int
make_blob(const struct kms_screen *screen, const struct kms_colour *colour,
	const struct kr_hdr_metadata *hdr, uint32_t *blob)
{
	struct hdr_output_metadata metadata;

	*blob = 0;
	if (!colour->eotf)
		return 0;
	kms_colour_metadata(colour, hdr, &metadata);
	return drmModeCreatePropertyBlob(screen->card->fd, &metadata, sizeof(metadata), blob)
		? -errno
		: 0;
}

/* With a mode that is set anew; the old colour stays where the kernel doesn't take it. */
static int
change_colour(struct kms_screen *screen, const struct kms_colour *colour, uint32_t blob)
{
	const struct kms_colour old = screen->colour;
	uint32_t old_blob = screen->hdr_blob;
	int ret;

	screen->colour = *colour;
	screen->hdr_blob = blob;
	ret = screen->lit ? kms_screen_light(screen) : 0;
	if (ret) {
		kms_error("kms: %s of %s can't be set to other colours: %s", screen->connector.name,
			screen->card->path, strerror(-ret));
		screen->colour = old;
		screen->hdr_blob = old_blob;
		old_blob = blob;
	}
	drop_blob(screen, old_blob);
	return ret;
}

int
kms_screen_set_colour(
	struct kms_screen *screen, int32_t dataspace, const struct kr_hdr_metadata *hdr)
{
	static const struct kr_hdr_metadata none;
	struct kms_colour colour;
	const char *why = kms_colour_choose(&screen->connector, dataspace, &colour);
	uint32_t blob;
	int ret;

	if (why) {
		kms_error("kms: %s of %s can't show %s: %s", screen->connector.name,
			screen->card->path, kr_colour_name(dataspace), why);
		return -EOPNOTSUPP;
	}
	hdr = hdr ? hdr : &none;
	if (dataspace == screen->colour.dataspace && kr_hdr_metadata_equal(hdr, &screen->hdr))
		return 0;
	ret = make_blob(screen, &colour, hdr, &blob);
	if (ret)
		return ret;
	if (dataspace != screen->colour.dataspace) {
		ret = change_colour(screen, &colour, blob);
		screen->hdr_changed &= ret != 0;
	} else {
		drop_blob(screen, screen->hdr_blob);
		screen->hdr_blob = blob;
		screen->hdr_changed = blob;
	}
	if (!ret)
		screen->hdr = *hdr;
	return ret;
}

int
kms_screen_open(struct kms_screen *screen, struct kms_card *card,
	struct kms_framebuffers *framebuffers, struct kms_listener *listener,
	const struct kms_connector *connector, unsigned mode)
{
	int ret;

	memset(screen, 0, sizeof(*screen));
	screen->pending_fence = -1;
	screen->card = card;
	screen->framebuffers = framebuffers;
	screen->listener = listener;
	screen->connector = *connector;
	/* As it is told for sRGB, whatever another left there. */
	(void)kms_colour_choose(connector, HAL_DATASPACE_SRGB, &screen->colour);
	screen->crtc = find_crtc(card, connector);
	screen->primary = screen->crtc ? find_primary(card, screen->crtc) : NULL;
	if (!screen->primary) {
		kms_error(
			"kms: %s of %s has nothing left that could drive it: its other screens have it all",
			connector->name, card->path);
		return -EBUSY;
	}
	screen->planes_used = left_over(screen);
	screen->crtc->used = true;
	ret = kms_screen_set_mode(screen, mode);
	if (ret)
		screen->crtc->used = false;
	return ret;
}

void
kms_screen_close(struct kms_screen *screen, bool ours)
{
	const struct kms_counts *counts = &screen->counts;

	if (ours && !screen->lost)
		(void)kms_screen_darken(screen);
	forget_pictures(screen);
	drop_dumbs(screen, screen->dumbs);
	drop_blob(screen, screen->mode_blob);
	drop_blob(screen, screen->hdr_blob);
	screen->crtc->used = false;
	kms_info(
		"kms: %s of %s: %llu commits, %llu on the screen, %llu of them at their vertical blank, %llu later; %llu came before the last was shown, %llu were refused, %llu not seen",
		screen->connector.name, screen->card->path, (unsigned long long)counts->commits,
		(unsigned long long)counts->flips, (unsigned long long)counts->on_time,
		(unsigned long long)counts->late, (unsigned long long)counts->waited,
		(unsigned long long)counts->refused, (unsigned long long)counts->unseen);
}

/* When the frame on its way was all that the screen needed: by its call, or by its last fence. */
static int64_t
ready_since(const struct kms_screen *screen)
{
	int64_t since = screen->pending_since;

	for (unsigned i = 0; i < screen->pending_acquires; i++) {
		int64_t at = kr_fence_signal_time(screen->pending_acquire[i]);

		since = KR_MAX(since, at);
	}
	return since;
}

void
kms_screen_handle_flip(struct kms_screen *screen, int64_t time_ns)
{
	if (!screen->pending)
		return;
	/* The first vertical blank is at most a period away; a tenth for the clock's own faults. */
	if (time_ns - ready_since(screen) <= screen->period_ns + screen->period_ns / 10)
		screen->counts.on_time++;
	else
		screen->counts.late++;
	screen->counts.flips++;
	screen->flip_ns = time_ns;
	screen->pending = false;
	drop_fences(screen);
	unpin(screen->shown);
	memcpy(screen->shown, screen->coming, sizeof(screen->shown));
	memset(screen->coming, 0, sizeof(screen->coming));
}

int
kms_screen_settle(struct kms_screen *screen, int64_t deadline_ns)
{
	while (screen->pending) {
		int ret = kms_events_wait(screen->card->fd, deadline_ns);

		if (ret)
			return ret;
	}
	return 0;
}

struct kms_dumb *
kms_screen_next_dumb(struct kms_screen *screen)
{
	return &screen->dumbs[screen->dumb];
}

static void
note_commit(struct kms_screen *screen, const struct kms_scanout *scanouts, unsigned count)
{
	screen->pending = true;
	screen->planes_used = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct kms_scanout *scanout = &scanouts[i];
		unsigned place = (unsigned)(scanout->plane - screen->card->planes);
		int *acquire = &screen->pending_acquire[screen->pending_acquires];

		screen->planes_used |= UINT32_C(1) << place;
		screen->coming[place] = scanout->framebuffer;
		kms_framebuffer_pin(scanout->framebuffer);
		if (scanout->fb == screen->dumbs[screen->dumb].id)
			screen->dumb = (screen->dumb + 1) % KMS_DUMBS;
		if (scanout->in_fence >= 0 && !kr_fd_dup(scanout->in_fence, acquire))
			screen->pending_acquires++;
	}
	screen->hdr_changed = false;
	screen->counts.commits++;
	kms_framebuffers_age(screen->framebuffers);
}

int
kms_screen_commit(
	struct kms_screen *screen, const struct kms_scanout *scanouts, unsigned count, int *out)
{
	int64_t deadline = kr_deadline_in(KMS_FLIP_LIMIT_NS);
	int ret;

	if (screen->pending)
		screen->counts.waited++;
	do {
		ret = kms_screen_settle(screen, deadline);
		if (ret)
			return ret;
		screen->pending_since = kr_clock_now();
		ret = kms_commit_planes(screen, scanouts, count, out);
		/* The last one's end may be told before the kernel has tidied up behind it. */
		if (ret == -EBUSY)
			(void)kms_events_wait(
				screen->card->fd, kr_deadline_in(2 * KR_NSEC_PER_MSEC));
		/* Some drivers want a mode to be set for it: the picture is more. */
		if (ret == -EINVAL && screen->hdr_changed) {
			kms_info("kms: %s takes no other HDR metadata while it is lit",
				screen->connector.name);
			screen->hdr_changed = false;
			ret = kms_commit_planes(screen, scanouts, count, out);
		}
	} while (ret == -EBUSY && kr_clock_now() < deadline);
	if (!ret) {
		note_commit(screen, scanouts, count);
		if (kr_fd_dup(*out, &screen->pending_fence))
			screen->pending_fence = -1;
	} else {
		screen->counts.refused++;
	}
	return ret;
}

void
kms_screen_look(struct kms_screen *screen)
{
	if (screen->pending && screen->pending_fence >= 0 &&
		kr_fence_status(screen->pending_fence) != KR_FENCE_ACTIVE)
		(void)kms_screen_settle(screen, kr_deadline_in(KMS_EVENT_LIMIT_NS));
}
