/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_drm.h. What setting a screen needs beside libdrm is here, too, and does nothing. */
#include "fake_drm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/kms/events.h"
#include "outputs/kms/framebuffer.h"
#include "outputs/kms/screen.h"
#include "util/macros.h"

struct fake_drm fake_drm;
static uint32_t last_blob;

static const char *const names[FAKE_PROPERTIES_END] = {
	[FAKE_CRTC_ID] = "CRTC_ID",
	[FAKE_COLORSPACE] = "Colorspace",
	[FAKE_HDR] = "HDR_OUTPUT_METADATA",
	[FAKE_MAX_BPC] = "max bpc",
	[FAKE_EDID_BLOB] = "EDID",
};

/* A base block, and an extension with the two data blocks of CTA-861. */
void
fake_drm_init(void)
{
	static const uint8_t extension[] = {
		0x02, 0x03, 0x0d, 0x00, /* CTA, revision 3, timings from 13 on */
		0x23, 0x09, 0x07, 0x07, /* audio, which is nothing to us */
		0xe3, 0x05, 0x80, 0x80, /* colorimetry: BT2020RGB, DCI-P3 */
	};
	static const uint8_t hdr[] = {0xe3, 0x06, 0x0d, 0x01}; /* SDR, PQ, HLG; type 1 */

	memset(&fake_drm, 0, sizeof(fake_drm));
	fake_drm.most_bpc = 12;
	memcpy(fake_drm.edid + 128, extension, sizeof(extension));
	memcpy(fake_drm.edid + 128 + sizeof(extension), hdr, sizeof(hdr));
	fake_drm.edid[130] = (uint8_t)(sizeof(extension) + sizeof(hdr));
	fake_drm.edid_size = 256;
	fake_drm_seal_edid();
}

void
fake_drm_seal_edid(void)
{
	uint8_t sum = 0;

	for (unsigned i = 128; i < 255; i++)
		sum = (uint8_t)(sum + fake_drm.edid[i]);
	fake_drm.edid[255] = (uint8_t)-sum;
}

const struct hdr_output_metadata *
fake_drm_metadata(uint64_t blob)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(fake_drm.blobs); i++) {
		if (blob && fake_drm.blobs[i].id == blob)
			return &fake_drm.blobs[i].metadata;
	}
	return NULL;
}

unsigned
fake_drm_blobs(void)
{
	unsigned count = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(fake_drm.blobs); i++)
		count += fake_drm.blobs[i].id != 0;
	return count;
}

/* --- libdrm: what is there --- */

drmModeConnectorPtr
drmModeGetConnector(int fd, uint32_t id)
{
	drmModeConnector *connector = calloc(1, sizeof(*connector));

	connector->connector_id = id;
	connector->connector_type = DRM_MODE_CONNECTOR_HDMIA;
	connector->connector_type_id = 1;
	connector->connection = DRM_MODE_CONNECTED;
	connector->count_modes = 1;
	connector->modes = calloc(1, sizeof(*connector->modes));
	connector->modes[0] =
		(drmModeModeInfo){.hdisplay = 64, .vdisplay = 32, .vrefresh = 60, .name = "64x32"};
	return connector;
}

void
drmModeFreeConnector(drmModeConnectorPtr connector)
{
	free(connector->modes);
	free(connector);
}

const char *
drmModeGetConnectorTypeName(uint32_t type)
{
	return "HDMI-A";
}

drmModeEncoderPtr
drmModeGetEncoder(int fd, uint32_t id)
{
	return NULL;
}

void
drmModeFreeEncoder(drmModeEncoderPtr encoder)
{
}

drmModeResPtr
drmModeGetResources(int fd)
{
	return NULL;
}

void
drmModeFreeResources(drmModeResPtr resources)
{
}

drmModeObjectPropertiesPtr
drmModeObjectGetProperties(int fd, uint32_t object, uint32_t type)
{
	drmModeObjectProperties *all = calloc(1, sizeof(*all));

	all->props = calloc(FAKE_PROPERTIES_END, sizeof(*all->props));
	all->prop_values = calloc(FAKE_PROPERTIES_END, sizeof(*all->prop_values));
	for (uint32_t id = FAKE_CRTC_ID; id < FAKE_PROPERTIES_END; id++) {
		if (fake_drm.lacks[id])
			continue;
		all->props[all->count_props] = id;
		all->prop_values[all->count_props++] = id == FAKE_MAX_BPC ? 8
			: id == FAKE_EDID_BLOB && fake_drm.edid_size      ? FAKE_EDID
									  : 0;
	}
	return all;
}

void
drmModeFreeObjectProperties(drmModeObjectPropertiesPtr all)
{
	free(all->props);
	free(all->prop_values);
	free(all);
}

drmModePropertyPtr
drmModeGetProperty(int fd, uint32_t id)
{
	static const char *const spaces[] = {
		[0] = "Default", [9] = "BT2020_RGB", [11] = "DCI-P3_RGB_D65"};
	drmModePropertyRes *property = calloc(1, sizeof(*property));

	property->prop_id = id;
	strcpy(property->name, names[id]);
	if (id == FAKE_MAX_BPC) {
		property->flags = DRM_MODE_PROP_RANGE;
		property->count_values = 2;
		property->values = calloc(2, sizeof(*property->values));
		property->values[0] = 6;
		property->values[1] = fake_drm.most_bpc;
	}
	if (id != FAKE_COLORSPACE)
		return property;
	property->flags = DRM_MODE_PROP_ENUM;
	property->enums = calloc(KR_ARRAY_LEN(spaces), sizeof(*property->enums));
	for (unsigned i = 0; i < KR_ARRAY_LEN(spaces); i++) {
		if (!spaces[i] || (i == 9 && fake_drm.no_bt2020) || (i == 11 && fake_drm.no_p3))
			continue;
		property->enums[property->count_enums].value = i;
		strcpy(property->enums[property->count_enums++].name, spaces[i]);
	}
	return property;
}

void
drmModeFreeProperty(drmModePropertyPtr property)
{
	if (!property)
		return;
	free(property->values);
	free(property->enums);
	free(property);
}

drmModePropertyBlobPtr
drmModeGetPropertyBlob(int fd, uint32_t id)
{
	drmModePropertyBlobRes *blob = calloc(1, sizeof(*blob));

	blob->id = id;
	blob->length = fake_drm.edid_size;
	blob->data = fake_drm.edid;
	return blob;
}

void
drmModeFreePropertyBlob(drmModePropertyBlobPtr blob)
{
	free(blob);
}

/* --- libdrm: what comes --- */

int
drmModeCreatePropertyBlob(int fd, const void *data, size_t size, uint32_t *id)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(fake_drm.blobs); i++) {
		struct fake_blob *blob = &fake_drm.blobs[i];

		if (blob->id)
			continue;
		*id = blob->id = 100 + ++last_blob;
		if (size == sizeof(blob->metadata))
			memcpy(&blob->metadata, data, size);
		return 0;
	}
	errno = ENOSPC;
	return -1;
}

int
drmModeDestroyPropertyBlob(int fd, uint32_t id)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(fake_drm.blobs); i++) {
		if (fake_drm.blobs[i].id == id)
			fake_drm.blobs[i] = (struct fake_blob){0};
	}
	return 0;
}

struct _drmModeAtomicReq {
	bool said[FAKE_PROPERTIES_END];
	uint64_t value[FAKE_PROPERTIES_END];
};

drmModeAtomicReqPtr
drmModeAtomicAlloc(void)
{
	return calloc(1, sizeof(struct _drmModeAtomicReq));
}

void
drmModeAtomicFree(drmModeAtomicReqPtr request)
{
	free(request);
}

int
drmModeAtomicAddProperty(
	drmModeAtomicReqPtr request, uint32_t object, uint32_t property, uint64_t value)
{
	if (object == FAKE_CONNECTOR && property < FAKE_PROPERTIES_END) {
		request->said[property] = true;
		request->value[property] = value;
	}
	return 1;
}

int
drmModeAtomicCommit(int fd, const drmModeAtomicReqPtr request, uint32_t flags, void *data)
{
	bool mode = flags & DRM_MODE_ATOMIC_ALLOW_MODESET;

	if (mode ? fake_drm.refuses_modes : fake_drm.refuses_hdr && request->said[FAKE_HDR])
		return -EINVAL;
	memcpy(fake_drm.said, request->said, sizeof(fake_drm.said));
	memcpy(fake_drm.value, request->value, sizeof(fake_drm.value));
	fake_drm.was_mode = mode;
	fake_drm.commits++;
	return 0;
}

/* --- beside libdrm --- */

bool
kms_plane_takes(const struct kms_plane *plane, uint32_t fourcc)
{
	return true;
}

int
kms_dumb_create(int drm, uint32_t width, uint32_t height, struct kms_dumb *dumb)
{
	*dumb = (struct kms_dumb){.id = 1, .width = width, .height = height, .size = 64};
	dumb->pixels = calloc(1, dumb->size);
	return 0;
}

void
kms_dumb_destroy(int drm, struct kms_dumb *dumb)
{
	free(dumb->pixels);
	*dumb = (struct kms_dumb){0};
}

void
kms_framebuffer_pin(struct kms_framebuffer *framebuffer)
{
}

void
kms_framebuffer_unpin(struct kms_framebuffer *framebuffer)
{
}

void
kms_framebuffers_age(struct kms_framebuffers *cache)
{
}

int
kms_events_wait(int drm, int64_t deadline_ns)
{
	return -ETIMEDOUT;
}
