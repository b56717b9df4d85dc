/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program says of the light in its pictures (VK_EXT_hdr_metadata): the display that they
 * were mastered on (SMPTE ST 2086) and how bright they are (CTA-861.3). No state.
 */
#ifndef KR_COLOUR_HDR_H
#define KR_COLOUR_HDR_H

#include <stdbool.h>
#include <stdint.h>

enum {
	KR_HDR_MASTERING = 1 << 0, /* SMPTE ST 2086: primaries, white, luminances */
	KR_HDR_CONTENT = 1 << 1,   /* CTA-861.3: MaxCLL, MaxFALL */
};

/* What `has` doesn't name is 0. */
struct kr_hdr_metadata {
	uint32_t has; /* KR_HDR_* */
	float red[2]; /* CIE 1931 x, y */
	float green[2];
	float blue[2];
	float white[2];
	float max_luminance; /* cd/m2, as all that follows */
	float min_luminance;
	float max_cll;
	float max_fall;
};

/* Whether all of it is finite and not negative, and `has` names nothing else. */
bool kr_hdr_metadata_valid(const struct kr_hdr_metadata *metadata);
/* Whether both say the same; NULL says nothing. */
bool kr_hdr_metadata_equal(const struct kr_hdr_metadata *a, const struct kr_hdr_metadata *b);

#endif
