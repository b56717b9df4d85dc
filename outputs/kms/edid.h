/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a screen says of its colours, in the CTA-861 extensions of its EDID: the colorimetry data
 * block and the HDR static metadata data block (CTA-861-G 7.5.5, 7.5.13).
 */
#ifndef KR_OUTPUTS_KMS_EDID_H
#define KR_OUTPUTS_KMS_EDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kms_edid {
	bool bt2020_rgb;
	bool dci_p3;
	bool pq; /* SMPTE ST 2084 */
	bool hlg;
	bool static_metadata; /* of type 1, SMPTE ST 2086 */
};

/* Of as much as there is; what is cut off or damaged says nothing. */
void kms_edid_read(const uint8_t *data, size_t size, struct kms_edid *edid);

#endif
