/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a connector tells its screen of the colours that are sent to it: the properties Colorspace,
 * HDR_OUTPUT_METADATA and "max bpc". sRGB needs none of them. For others the connector must have
 * them and the screen must say that it knows the colours (edid.h): a screen that is told nothing
 * shows them as if they were sRGB's.
 */
#ifndef KR_OUTPUTS_KMS_COLOUR_H
#define KR_OUTPUTS_KMS_COLOUR_H

#include <stdint.h>
#include <xf86drm.h>
#include <xf86drmMode.h>
#include "colour/hdr.h"
#include "outputs/kms/connector.h"

struct kms_colour {
	int32_t dataspace;   /* HAL_DATASPACE_* */
	uint64_t colorspace; /* the property's value */
	uint64_t bpc;
	uint8_t eotf; /* 0: there is no metadata */
};

/*
 * What stands for a dataspace on a connector. NULL, and `colour` is filled; or, for people, why
 * there is nothing, as the end of a sentence.
 */
const char *kms_colour_choose(
	const struct kms_connector *connector, int32_t dataspace, struct kms_colour *colour);
/* The kernel's form of the metadata, whose zeros mean that nothing is known. */
void kms_colour_metadata(const struct kms_colour *colour, const struct kr_hdr_metadata *hdr,
	struct hdr_output_metadata *out);

#endif
