/* SPDX-License-Identifier: Apache-2.0 */
/* See connector.h. */
#include "outputs/kms/connector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xf86drm.h>

#include "util/clock.h"

#define NM_PER_1000_INCH 25400 /* millimetres */

static const char *const names[KMS_CONNECTOR_PROPERTIES] = {
	[KMS_CONNECTOR_CRTC_ID] = "CRTC_ID",
	[KMS_CONNECTOR_COLORSPACE] = "Colorspace",
	[KMS_CONNECTOR_HDR] = "HDR_OUTPUT_METADATA",
	[KMS_CONNECTOR_MAX_BPC] = "max bpc",
	[KMS_CONNECTOR_EDID] = "EDID",
};

int
kms_connectors_list(int drm, uint32_t ids[KMS_MAX_CONNECTORS])
{
	drmModeRes *resources = drmModeGetResources(drm);
	int count = 0;

	if (!resources)
		return -errno;
	for (int i = 0; i < resources->count_connectors && count < KMS_MAX_CONNECTORS; i++)
		ids[count++] = resources->connectors[i];
	drmModeFreeResources(resources);
	return count;
}

static uint32_t
possible_crtcs(int drm, const drmModeConnector *from)
{
	uint32_t mask = 0;

	for (int i = 0; i < from->count_encoders; i++) {
		drmModeEncoder *encoder = drmModeGetEncoder(drm, from->encoders[i]);

		if (encoder)
			mask |= encoder->possible_crtcs;
		drmModeFreeEncoder(encoder);
	}
	return mask;
}

/* The preferred mode first, the others as they come; none whose picture is two fields. */
static void
read_modes(struct kms_connector *connector, const drmModeConnector *from)
{
	for (int preferred = 1; preferred >= 0; preferred--) {
		for (int i = 0; i < from->count_modes; i++) {
			const drmModeModeInfo *mode = &from->modes[i];

			if (connector->mode_count == KMS_MAX_MODES ||
				mode->flags & DRM_MODE_FLAG_INTERLACE ||
				!!(mode->type & DRM_MODE_TYPE_PREFERRED) != preferred)
				continue;
			connector->modes[connector->mode_count++] = *mode;
		}
	}
}

/* What can be said to the screen, and what it says that it knows. */
static int
read_colours(int drm, struct kms_connector *connector)
{
	const struct kms_property *property = connector->property;
	drmModePropertyBlobRes *edid;
	int ret = kms_properties_read(drm, connector->id, DRM_MODE_OBJECT_CONNECTOR, names,
		KMS_CONNECTOR_PROPERTIES, connector->property);

	if (ret)
		return ret;
	connector->colorspaces.bt2020 =
		kms_property_value(drm, &property[KMS_CONNECTOR_COLORSPACE], "BT2020_RGB");
	connector->colorspaces.dci_p3 =
		kms_property_value(drm, &property[KMS_CONNECTOR_COLORSPACE], "DCI-P3_RGB_D65");
	edid = property[KMS_CONNECTOR_EDID].value
		? drmModeGetPropertyBlob(drm, (uint32_t)property[KMS_CONNECTOR_EDID].value)
		: NULL;
	if (edid)
		kms_edid_read(edid->data, edid->length, &connector->edid);
	drmModeFreePropertyBlob(edid);
	return 0;
}

int
kms_connector_read(int drm, uint32_t id, struct kms_connector *connector)
{
	drmModeConnector *from = drmModeGetConnector(drm, id);
	const char *type;

	if (!from)
		return -errno;
	memset(connector, 0, sizeof(*connector));
	type = drmModeGetConnectorTypeName(from->connector_type);
	snprintf(connector->name, sizeof(connector->name), "%s-%u", type ? type : "Unknown",
		from->connector_type_id);
	connector->id = id;
	connector->possible_crtcs = possible_crtcs(drm, from);
	connector->width_mm = from->mmWidth;
	connector->height_mm = from->mmHeight;
	read_modes(connector, from);
	connector->screen = from->connector_type != DRM_MODE_CONNECTOR_WRITEBACK;
	connector->connected = connector->screen && connector->mode_count &&
		from->connection == DRM_MODE_CONNECTED;
	drmModeFreeConnector(from);
	return read_colours(drm, connector);
}

bool
kms_connector_any(int drm, const char *name)
{
	uint32_t ids[KMS_MAX_CONNECTORS];
	int count = kms_connectors_list(drm, ids);

	for (int i = 0; i < count; i++) {
		struct kms_connector connector;

		if (!kms_connector_read(drm, ids[i], &connector) && connector.connected &&
			(!name[0] || !strcmp(name, connector.name)))
			return true;
	}
	return false;
}

int64_t
kms_mode_period_ns(const drmModeModeInfo *mode)
{
	uint64_t pixels = (uint64_t)mode->htotal * mode->vtotal;

	if (mode->flags & DRM_MODE_FLAG_DBLSCAN)
		pixels *= 2;
	if (mode->clock && pixels)
		return (int64_t)(pixels * 1000000 / mode->clock); /* the clock is in kHz */
	return KR_NSEC_PER_SEC / (mode->vrefresh ? mode->vrefresh : 60);
}

static int32_t
dots_per_1000_inches(uint32_t pixels, uint32_t mm)
{
	return mm ? (int32_t)((uint64_t)pixels * NM_PER_1000_INCH / mm) : -1;
}

int32_t
kms_connector_attribute(
	const struct kms_connector *connector, unsigned number, enum krafla_attribute attribute)
{
	const drmModeModeInfo *mode = &connector->modes[number];

	switch (attribute) {
	case KRAFLA_ATTRIBUTE_WIDTH:
		return mode->hdisplay;
	case KRAFLA_ATTRIBUTE_HEIGHT:
		return mode->vdisplay;
	case KRAFLA_ATTRIBUTE_VSYNC_PERIOD:
		return (int32_t)kms_mode_period_ns(mode);
	case KRAFLA_ATTRIBUTE_DPI_X:
		return dots_per_1000_inches(mode->hdisplay, connector->width_mm);
	case KRAFLA_ATTRIBUTE_DPI_Y:
		return dots_per_1000_inches(mode->vdisplay, connector->height_mm);
	default:
		return -1;
	}
}
