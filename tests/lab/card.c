/* SPDX-License-Identifier: Apache-2.0 */
/* DRM devices of the lab (card.h), by atomic mode setting. */
#include "card.h"

#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "harness.h"

#define MAX_CARDS 8

int
card_open(const char *driver)
{
	for (int i = 0; i < MAX_CARDS; i++) {
		char path[32];
		drmVersion *version;
		bool found;
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		version = fd < 0 ? NULL : drmGetVersion(fd);
		found = version && !strcmp(version->name, driver);
		drmFreeVersion(version);
		if (found)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	fail_msg("no /dev/dri/card* is of the driver %s", driver);
	return -1;
}

static uint32_t
property(int drm, uint32_t object, uint32_t type, const char *name, uint64_t *value)
{
	drmModeObjectProperties *all = drmModeObjectGetProperties(drm, object, type);
	uint32_t id = 0;

	assert_non_null(all);
	for (uint32_t i = 0; i < all->count_props; i++) {
		drmModePropertyRes *one = drmModeGetProperty(drm, all->props[i]);

		if (one && !strcmp(one->name, name)) {
			id = one->prop_id;
			if (value)
				*value = all->prop_values[i];
		}
		drmModeFreeProperty(one);
	}
	drmModeFreeObjectProperties(all);
	if (!id)
		fail_msg("the device has no property %s", name);
	return id;
}

static void
add(const struct card_screen *screen, drmModeAtomicReq *request, uint32_t object, uint32_t type,
	const char *name, uint64_t value)
{
	assert_true(drmModeAtomicAddProperty(request, object,
			    property(screen->drm, object, type, name, NULL), value) >= 0);
}

static void
take_mode(struct card_screen *screen, const drmModeModeInfo *mode)
{
	screen->width = mode->hdisplay;
	screen->height = mode->vdisplay;
	assert_int_equal(
		drmModeCreatePropertyBlob(screen->drm, mode, sizeof(*mode), &screen->mode), 0);
}

static void
find_connector(struct card_screen *screen)
{
	drmModeRes *resources = drmModeGetResources(screen->drm);

	assert_non_null(resources);
	assert_true(resources->count_crtcs > 0);
	screen->crtc = resources->crtcs[0];
	for (int i = 0; i < resources->count_connectors && !screen->connector; i++) {
		drmModeConnector *one = drmModeGetConnector(screen->drm, resources->connectors[i]);

		if (one && one->connection == DRM_MODE_CONNECTED && one->count_modes) {
			screen->connector = one->connector_id;
			take_mode(screen, &one->modes[0]);
		}
		drmModeFreeConnector(one);
	}
	drmModeFreeResources(resources);
	assert_int_not_equal(screen->connector, 0);
}

static void
find_plane(struct card_screen *screen)
{
	drmModePlaneRes *planes = drmModeGetPlaneResources(screen->drm);

	assert_non_null(planes);
	for (uint32_t i = 0; i < planes->count_planes && !screen->plane; i++) {
		drmModePlane *one = drmModeGetPlane(screen->drm, planes->planes[i]);
		uint64_t type = 0;

		property(screen->drm, planes->planes[i], DRM_MODE_OBJECT_PLANE, "type", &type);
		if (one && type == DRM_PLANE_TYPE_PRIMARY && one->possible_crtcs & 1)
			screen->plane = planes->planes[i];
		drmModeFreePlane(one);
	}
	drmModeFreePlaneResources(planes);
	assert_int_not_equal(screen->plane, 0);
}

static void
make_picture(struct card_screen *screen, int i)
{
	uint32_t handles[4] = {0}, pitches[4] = {0}, offsets[4] = {0};
	uint64_t size;

	assert_int_equal(drmModeCreateDumbBuffer(screen->drm, screen->width, screen->height, 32, 0,
				 &handles[0], &pitches[0], &size),
		0);
	assert_int_equal(
		drmModeAddFB2(screen->drm, screen->width, screen->height, DRM_FORMAT_XRGB8888,
			handles, pitches, offsets, &screen->picture[i], 0),
		0);
	screen->handle[i] = handles[0];
}

static void
add_plane(const struct card_screen *screen, drmModeAtomicReq *request, int picture)
{
	const struct {
		const char *name;
		uint64_t value;
	} values[] = {
		{"FB_ID", screen->picture[picture]},
		{"CRTC_ID", screen->crtc},
		{"SRC_X", 0},
		{"SRC_Y", 0},
		{"SRC_W", (uint64_t)screen->width << 16},
		{"SRC_H", (uint64_t)screen->height << 16},
		{"CRTC_X", 0},
		{"CRTC_Y", 0},
		{"CRTC_W", screen->width},
		{"CRTC_H", screen->height},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		add(screen, request, screen->plane, DRM_MODE_OBJECT_PLANE, values[i].name,
			values[i].value);
}

static void
set_mode(const struct card_screen *screen)
{
	drmModeAtomicReq *request = drmModeAtomicAlloc();

	add(screen, request, screen->connector, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", screen->crtc);
	add(screen, request, screen->crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", screen->mode);
	add(screen, request, screen->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1);
	add_plane(screen, request, 0);
	assert_int_equal(
		drmModeAtomicCommit(screen->drm, request, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	drmModeAtomicFree(request);
}

void
card_screen_open(struct card_screen *screen, const char *driver)
{
	memset(screen, 0, sizeof(*screen));
	screen->drm = card_open(driver);
	assert_int_equal(drmSetClientCap(screen->drm, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1), 0);
	assert_int_equal(drmSetClientCap(screen->drm, DRM_CLIENT_CAP_ATOMIC, 1), 0);
	find_connector(screen);
	find_plane(screen);
	make_picture(screen, 0);
	make_picture(screen, 1);
	set_mode(screen);
}

void
card_screen_close(struct card_screen *screen)
{
	for (int i = 0; i < 2; i++) {
		drmModeRmFB(screen->drm, screen->picture[i]);
		drmModeDestroyDumbBuffer(screen->drm, screen->handle[i]);
	}
	drmModeDestroyPropertyBlob(screen->drm, screen->mode);
	close(screen->drm);
}

int
card_flip(const struct card_screen *screen, int picture, int acquire, int *out)
{
	drmModeAtomicReq *request = drmModeAtomicAlloc();
	int32_t fence = -1;
	int err;

	add_plane(screen, request, picture);
	if (acquire >= 0)
		add(screen, request, screen->plane, DRM_MODE_OBJECT_PLANE, "IN_FENCE_FD",
			(uint64_t)acquire);
	add(screen, request, screen->crtc, DRM_MODE_OBJECT_CRTC, "OUT_FENCE_PTR",
		(uintptr_t)&fence);
	err = drmModeAtomicCommit(screen->drm, request, DRM_MODE_ATOMIC_NONBLOCK, NULL);
	drmModeAtomicFree(request);
	if (!err)
		*out = fence;
	return err;
}
