/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a card (card.h). */
#include "outputs/kms/card.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "outputs/kms/connector.h"
#include "outputs/kms/log.h"
#include "util/fd.h"

#define FOLDER    "/dev/dri"
#define MAX_CARDS 64

static const char *const plane_names[KMS_PLANE_PROPERTIES] = {
	[KMS_PLANE_TYPE] = "type",
	[KMS_PLANE_FB_ID] = "FB_ID",
	[KMS_PLANE_CRTC_ID] = "CRTC_ID",
	[KMS_PLANE_SRC_X] = "SRC_X",
	[KMS_PLANE_SRC_Y] = "SRC_Y",
	[KMS_PLANE_SRC_W] = "SRC_W",
	[KMS_PLANE_SRC_H] = "SRC_H",
	[KMS_PLANE_CRTC_X] = "CRTC_X",
	[KMS_PLANE_CRTC_Y] = "CRTC_Y",
	[KMS_PLANE_CRTC_W] = "CRTC_W",
	[KMS_PLANE_CRTC_H] = "CRTC_H",
	[KMS_PLANE_IN_FENCE_FD] = "IN_FENCE_FD",
	[KMS_PLANE_ROTATION] = "rotation",
	[KMS_PLANE_ALPHA] = "alpha",
	[KMS_PLANE_BLEND] = "pixel blend mode",
	[KMS_PLANE_ZPOS] = "zpos",
};

static const char *const crtc_names[KMS_CRTC_PROPERTIES] = {
	[KMS_CRTC_ACTIVE] = "ACTIVE",
	[KMS_CRTC_MODE_ID] = "MODE_ID",
	[KMS_CRTC_OUT_FENCE_PTR] = "OUT_FENCE_PTR",
};

static bool
looks_like_a_card(const char *word)
{
	unsigned number;
	char rest;

	return word[0] == '/' || sscanf(word, "card%u%c", &number, &rest) == 1;
}

/* A connector's name has a dash ("Virtual-1"), a driver's has none ("virtio_gpu"). */
int
kms_wish_parse(const char *argument, struct kms_wish *wish)
{
	const char *colon = argument ? strchr(argument, ':') : NULL;
	const char *card = argument ? argument : "", *connector = colon ? colon + 1 : "";
	size_t length = colon ? (size_t)(colon - card) : strlen(card);

	memset(wish, 0, sizeof(*wish));
	if (!colon && length && strchr(card, '-') && !looks_like_a_card(card)) {
		connector = card;
		length = 0;
	}
	if (length >= sizeof(wish->card) || strlen(connector) >= sizeof(wish->connector) ||
		strchr(connector, ':')) {
		kms_error("kms: '%s' is no [CARD][:CONNECTOR], as card0:HDMI-A-1", argument);
		return -EINVAL;
	}
	memcpy(wish->card, card, length);
	strcpy(wish->connector, connector);
	return 0;
}

static bool
read_driver(struct kms_card *card)
{
	drmVersion *version = drmGetVersion(card->fd);

	if (version)
		snprintf(card->driver, sizeof(card->driver), "%s", version->name);
	drmFreeVersion(version);
	return version;
}

static int
read_crtcs(struct kms_card *card, const drmModeRes *resources)
{
	for (int i = 0; i < resources->count_crtcs && i < KMS_MAX_CRTCS; i++) {
		struct kms_crtc *crtc = &card->crtcs[i];
		int ret = kms_properties_read(card->fd, resources->crtcs[i], DRM_MODE_OBJECT_CRTC,
			crtc_names, KMS_CRTC_PROPERTIES, crtc->property);

		if (ret)
			return ret;
		crtc->id = resources->crtcs[i];
		card->crtc_count++;
	}
	return 0;
}

static int
read_plane(struct kms_card *card, uint32_t id)
{
	struct kms_plane *plane = &card->planes[card->plane_count];
	drmModePlane *from = drmModeGetPlane(card->fd, id);
	int ret;

	if (!from)
		return -errno;
	plane->id = id;
	plane->possible_crtcs = from->possible_crtcs;
	plane->format_count = KR_MIN(from->count_formats, (uint32_t)KMS_MAX_FORMATS);
	memcpy(plane->formats, from->formats, plane->format_count * sizeof(plane->formats[0]));
	drmModeFreePlane(from);
	ret = kms_properties_read(card->fd, id, DRM_MODE_OBJECT_PLANE, plane_names,
		KMS_PLANE_PROPERTIES, plane->property);
	if (!ret)
		card->plane_count++;
	return ret;
}

static int
read_planes(struct kms_card *card)
{
	drmModePlaneRes *planes = drmModeGetPlaneResources(card->fd);
	int ret = 0;

	if (!planes)
		return -errno;
	for (uint32_t i = 0; i < planes->count_planes && i < KMS_MAX_PLANES && !ret; i++)
		ret = read_plane(card, planes->planes[i]);
	drmModeFreePlaneResources(planes);
	return ret;
}

static int
ask_for_atomic(struct kms_card *card)
{
	if (!drmSetClientCap(card->fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1) &&
		!drmSetClientCap(card->fd, DRM_CLIENT_CAP_ATOMIC, 1))
		return 0;
	kms_error(
		"kms: %s (%s) has no atomic mode setting, which gives and takes fences: %s. Name another card",
		card->path, card->driver, strerror(errno));
	return -EOPNOTSUPP;
}

static int
read_parts(struct kms_card *card)
{
	drmModeRes *resources = drmModeGetResources(card->fd);
	uint64_t prime = 0;
	int ret;

	if (!resources || !resources->count_crtcs || !resources->count_connectors) {
		drmModeFreeResources(resources);
		kms_error(
			"kms: %s (%s) has no screens: it renders only, or its driver sets no modes. Name another card, as kms:card1",
			card->path, card->driver);
		return -ENODEV;
	}
	ret = ask_for_atomic(card);
	if (ret) {
		drmModeFreeResources(resources);
		return ret;
	}
	ret = read_crtcs(card, resources);
	drmModeFreeResources(resources);
	if (!ret)
		ret = read_planes(card);
	if (ret)
		kms_error("kms: %s (%s) doesn't say what it consists of: %s", card->path,
			card->driver, strerror(-ret));
	card->prime = !drmGetCap(card->fd, DRM_CAP_PRIME, &prime) && prime & DRM_PRIME_CAP_IMPORT;
	return ret;
}

/*
 * With a seat the card comes with this right. Without, it is the first's who opens it, or of
 * who asks when nobody has it.
 */
static int
take_the_screens(struct kms_card *card, const struct kms_seat *seat)
{
	int ret;

	if (seat || drmIsMaster(card->fd) || !drmSetMaster(card->fd))
		return 0;
	ret = errno == EBUSY || errno == EINVAL ? -EBUSY : -errno;
	if (ret == -EACCES || ret == -EBUSY)
		kms_error(
			"kms: another program shows its pictures on %s (%s), as a desktop does: end it, or run this on a virtual terminal of its own with seatd or logind",
			card->path, card->driver);
	else
		kms_error("kms: %s (%s) lets nobody set its modes: %s", card->path, card->driver,
			strerror(-ret));
	return ret;
}

static int
open_device(struct kms_card *card, struct kms_seat *seat, const char *path)
{
	int ret;

	memset(card, 0, sizeof(*card));
	card->fd = -1;
	snprintf(card->path, sizeof(card->path), "%s", path);
	ret = kms_seat_open_device(seat, path, &card->fd, &card->seat_id);
	if (!ret && !read_driver(card)) {
		kms_card_close(card, seat);
		ret = -ENOTTY;
	}
	return ret;
}

static int
tell_unopened(const char *path, int error)
{
	if (error == -EACCES || error == -EPERM)
		kms_error(
			"kms: %s may not be opened: put the user into its group (video, as a rule), or start seatd or a session of logind",
			path);
	else if (error == -ENOTTY)
		kms_error("kms: %s is no graphics card of the kernel's (DRM)", path);
	else
		kms_error("kms: %s can't be opened: %s", path, strerror(-error));
	return error;
}

static void
tell_unknown(const char *name)
{
	char known[512] = "";
	size_t at = 0;

	for (int i = 0; i < MAX_CARDS && at < sizeof(known); i++) {
		char path[32];

		snprintf(path, sizeof(path), FOLDER "/card%d", i);
		if (!access(path, F_OK))
			at += snprintf(
				known + at, sizeof(known) - at, "%scard%d", at ? ", " : "", i);
	}
	kms_error("kms: there is no card '%s'; /dev/dri has %s. A card is named by its node or its "
		  "driver: card0, vkms",
		name, known[0] ? known : "none");
}

/* All of an open card that there is to have; it is closed when that fails. */
static int
complete(struct kms_card *card, struct kms_seat *seat)
{
	int ret = read_parts(card);

	if (!ret)
		ret = take_the_screens(card, seat);
	if (ret)
		kms_card_close(card, seat);
	return ret;
}

static bool
fits(const struct kms_card *card, const struct kms_wish *wish)
{
	if (wish->card[0])
		return !strcmp(card->driver, wish->card);
	return kms_connector_any(card->fd, wish->connector);
}

/* By its driver, or by its having what is wished for. */
static int
search(struct kms_card *card, struct kms_seat *seat, const struct kms_wish *wish)
{
	int denied = 0;
	char refused[64] = "";

	for (int i = 0; i < MAX_CARDS; i++) {
		char path[32];
		int ret;

		snprintf(path, sizeof(path), FOLDER "/card%d", i);
		if (access(path, F_OK))
			continue;
		ret = open_device(card, seat, path);
		if (ret && !denied) {
			denied = ret;
			snprintf(refused, sizeof(refused), "%s", path);
		}
		if (ret)
			continue;
		if (fits(card, wish))
			return complete(card, seat);
		kms_card_close(card, seat);
	}
	if (denied)
		return tell_unopened(refused, denied);
	if (wish->card[0])
		tell_unknown(wish->card);
	else
		kms_error(
			"kms: no card of /dev/dri has a screen that is connected%s%s: plug one in, or name the card, as kms:card0",
			wish->connector[0] ? " as " : "", wish->connector);
	return wish->card[0] ? -ENOENT : -ENODEV;
}

int
kms_card_open(struct kms_card *card, struct kms_seat *seat, const struct kms_wish *wish)
{
	char path[80];
	int ret;

	if (!wish->card[0] || !looks_like_a_card(wish->card))
		return search(card, seat, wish);
	snprintf(path, sizeof(path), "%s%s", wish->card[0] == '/' ? "" : FOLDER "/", wish->card);
	if (access(path, F_OK)) {
		tell_unknown(wish->card);
		return -ENOENT;
	}
	ret = open_device(card, seat, path);
	return ret ? tell_unopened(path, ret) : complete(card, seat);
}

void
kms_card_close(struct kms_card *card, struct kms_seat *seat)
{
	if (card->fd >= 0)
		kms_seat_close_device(seat, card->fd, card->seat_id);
	card->fd = -1;
}

int
kms_card_crtc_index(const struct kms_card *card, uint32_t crtc)
{
	for (unsigned i = 0; i < card->crtc_count; i++) {
		if (card->crtcs[i].id == crtc)
			return (int)i;
	}
	return -1;
}

bool
kms_plane_takes(const struct kms_plane *plane, uint32_t fourcc)
{
	for (unsigned i = 0; i < plane->format_count; i++) {
		if (plane->formats[i] == fourcc)
			return true;
	}
	return false;
}

void
kms_card_look(struct kms_card *card)
{
	drmModeRes *resources = drmModeGetResources(card->fd);
	uint64_t prime = 0;

	(void)read_driver(card);
	card->prime = !drmGetCap(card->fd, DRM_CAP_PRIME, &prime) && prime & DRM_PRIME_CAP_IMPORT;
	if (resources && !drmSetClientCap(card->fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1) &&
		!drmSetClientCap(card->fd, DRM_CLIENT_CAP_ATOMIC, 1) &&
		(read_crtcs(card, resources) || read_planes(card)))
		card->plane_count = 0;
	drmModeFreeResources(resources);
}
