/* SPDX-License-Identifier: Apache-2.0 */
/* See colour.h. */
#include "outputs/kms/colour.h"

#include <krafla/native_window.h>
#include <math.h>
#include <string.h>

#include "util/macros.h"

/* Of CTA-861-G, table 7; HDMI_EOTF_* of the kernel. */
#define EOTF_PQ  2
#define EOTF_HLG 3
/* The only type of static metadata there is. */
#define STATIC_METADATA_TYPE1 0
/* Fewer bits of PQ and HLG have steps that can be seen. */
#define HDR_BPC 10

static uint64_t
bits(const struct kms_connector *connector, uint64_t wanted)
{
	const struct kms_property *bpc = &connector->property[KMS_CONNECTOR_MAX_BPC];

	/* What the driver chose may be more. */
	return KR_MAX(wanted, bpc->value);
}

static const char *
choose_p3(const struct kms_connector *connector, struct kms_colour *colour)
{
	if (!connector->colorspaces.dci_p3.there)
		return "the connector's Colorspace has no DCI-P3_RGB_D65";
	if (!connector->edid.dci_p3)
		return "the screen's EDID doesn't say that it knows DCI-P3";
	colour->colorspace = connector->colorspaces.dci_p3.value;
	colour->bpc = bits(connector, 0);
	return NULL;
}

static const char *
choose_bt2020(const struct kms_connector *connector, bool known, struct kms_colour *colour)
{
	const struct kms_property *bpc = &connector->property[KMS_CONNECTOR_MAX_BPC];

	if (!connector->property[KMS_CONNECTOR_HDR].id)
		return "the connector has no HDR_OUTPUT_METADATA";
	if (!connector->colorspaces.bt2020.there)
		return "the connector's Colorspace has no BT2020_RGB";
	if (!known || !connector->edid.static_metadata)
		return "the screen's EDID doesn't say that it knows this transfer function";
	if (!connector->edid.bt2020_rgb)
		return "the screen's EDID doesn't say that it knows BT.2020";
	if (bpc->id && bpc->max < HDR_BPC)
		return "the connector has fewer than 10 bits a channel";
	colour->colorspace = connector->colorspaces.bt2020.value;
	colour->bpc = bits(connector, HDR_BPC);
	return NULL;
}

const char *
kms_colour_choose(
	const struct kms_connector *connector, int32_t dataspace, struct kms_colour *colour)
{
	struct kms_colour c = {.dataspace = dataspace, .bpc = bits(connector, 0)};
	const char *why = NULL;

	switch (dataspace) {
	case HAL_DATASPACE_SRGB:
		break;
	case HAL_DATASPACE_DISPLAY_P3:
		why = choose_p3(connector, &c);
		break;
	case HAL_DATASPACE_BT2020_PQ:
		c.eotf = EOTF_PQ;
		why = choose_bt2020(connector, connector->edid.pq, &c);
		break;
	case HAL_DATASPACE_BT2020_HLG:
		c.eotf = EOTF_HLG;
		why = choose_bt2020(connector, connector->edid.hlg, &c);
		break;
	default:
		why = "no connector has such colours";
	}
	if (!why)
		*colour = c;
	return why;
}

/* In units of 1/scale, as 16 bits can have it. */
static uint16_t
in_units(float value, double scale)
{
	return (uint16_t)fmin(floor((double)value * scale + 0.5), UINT16_MAX);
}

void
kms_colour_metadata(const struct kms_colour *colour, const struct kr_hdr_metadata *hdr,
	struct hdr_output_metadata *out)
{
	struct hdr_metadata_infoframe *frame = &out->hdmi_metadata_type1;
	const float *primaries[3];

	memset(out, 0, sizeof(*out));
	out->metadata_type = STATIC_METADATA_TYPE1;
	frame->eotf = colour->eotf;
	frame->metadata_type = STATIC_METADATA_TYPE1;
	primaries[0] = hdr->red;
	primaries[1] = hdr->green;
	primaries[2] = hdr->blue;
	for (unsigned i = 0; i < KR_ARRAY_LEN(primaries); i++) {
		frame->display_primaries[i].x = in_units(primaries[i][0], 50000);
		frame->display_primaries[i].y = in_units(primaries[i][1], 50000);
	}
	frame->white_point.x = in_units(hdr->white[0], 50000);
	frame->white_point.y = in_units(hdr->white[1], 50000);
	frame->max_display_mastering_luminance = in_units(hdr->max_luminance, 1);
	frame->min_display_mastering_luminance = in_units(hdr->min_luminance, 10000);
	frame->max_cll = in_units(hdr->max_cll, 1);
	frame->max_fall = in_units(hdr->max_fall, 1);
}
