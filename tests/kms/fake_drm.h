/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdrm for a connector with colours, which no card of the lab has: what is read of it, and the
 * requests that come. The kernel behind it takes all of them, or what a case has it refuse.
 */
#ifndef KR_TESTS_KMS_FAKE_DRM_H
#define KR_TESTS_KMS_FAKE_DRM_H

#include <stdbool.h>
#include <stdint.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#define FAKE_CONNECTOR 40
#define FAKE_CRTC      30
#define FAKE_EDID      90 /* its blob */

/* The connector's properties by their ids. */
enum fake_property {
	FAKE_CRTC_ID = 50,
	FAKE_COLORSPACE,
	FAKE_HDR,
	FAKE_MAX_BPC,
	FAKE_EDID_BLOB,
	FAKE_PROPERTIES_END,
};

struct fake_blob {
	uint32_t id; /* 0: it is no more */
	struct hdr_output_metadata metadata;
};

extern struct fake_drm {
	bool lacks[FAKE_PROPERTIES_END];
	bool no_bt2020, no_p3; /* of the values of Colorspace */
	uint64_t most_bpc;
	uint8_t edid[256];
	unsigned edid_size;
	bool refuses_modes;
	bool refuses_hdr; /* without a mode that is set */
	/* What the last request that was taken said of the connector. */
	bool said[FAKE_PROPERTIES_END];
	uint64_t value[FAKE_PROPERTIES_END];
	bool was_mode;
	unsigned commits;
	struct fake_blob blobs[16];
} fake_drm;

/* A screen that knows all colours on a connector that has them. */
void fake_drm_init(void);
/* The checksum of the extension block. */
void fake_drm_seal_edid(void);
/* NULL: there is none of that id. */
const struct hdr_output_metadata *fake_drm_metadata(uint64_t blob);
unsigned fake_drm_blobs(void);

#endif
