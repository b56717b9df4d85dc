/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the numbers of pixels mean: Android's dataspaces (HAL_DATASPACE_*, krafla/native_window.h),
 * each of them primaries and a transfer function. All have the white of D65, also DCI_P3: Android's
 * has the primaries of SMPTE RP 431-2 and the gamma of 2.6, but the white of Display P3.
 *
 * Light is relative to reference white, 1.0: sRGB's (1,1,1), 203 cd/m2 of PQ, and HLG's signal 0.75
 * (ITU-R BT.2408). No state.
 */
#ifndef KR_COLOUR_SPACE_H
#define KR_COLOUR_SPACE_H

#include <stdbool.h>
#include <stdint.h>

enum kr_colour_primaries {
	KR_PRIMARIES_BT709,
	KR_PRIMARIES_P3,
	KR_PRIMARIES_BT2020,
	KR_PRIMARIES_ADOBE,
	KR_PRIMARIES_COUNT,
};

enum kr_colour_transfer {
	KR_TRANSFER_LINEAR,
	KR_TRANSFER_SRGB,      /* IEC 61966-2-1 */
	KR_TRANSFER_GAMMA_2_2, /* Adobe RGB (1998): 563/256 */
	KR_TRANSFER_GAMMA_2_6, /* SMPTE RP 431-2 */
	KR_TRANSFER_PQ,        /* SMPTE ST 2084, ITU-R BT.2100 */
	KR_TRANSFER_HLG,       /* ITU-R BT.2100 */
	KR_TRANSFER_COUNT,
};

struct kr_colour_space {
	enum kr_colour_primaries primaries;
	enum kr_colour_transfer transfer;
	bool extended; /* numbers below 0 and above 1 mean something, in formats that have them */
};

/*
 * False: it isn't known. UNKNOWN (0), ARBITRARY (1) and the older name of sRGB (513) are sRGB: ask
 * for what kr_colour_resolve answers.
 */
bool kr_colour_space_of(int32_t dataspace, struct kr_colour_space *space);
/* Whether there is one of that number, or 0, 1 or 513. */
bool kr_colour_is_known(int32_t dataspace);
/*
 * What the pixels of a layer are on a display: UNKNOWN and 513 sRGB, ARBITRARY what the display is,
 * all others what they say. A display of UNKNOWN is one of sRGB.
 */
int32_t kr_colour_resolve(int32_t dataspace, int32_t display);
/* Whether a display can be of it, UNKNOWN (sRGB) included. */
bool kr_colour_is_for_displays(int32_t dataspace);
/* Whether light above reference white can be said in it. */
bool kr_colour_has_hdr(int32_t dataspace);
/* "srgb", "p3", "bt2020-pq"...; for one that isn't known "unknown". */
const char *kr_colour_name(int32_t dataspace);
/*
 * A display's: "srgb", "p3", "bt2020-pq", "bt2020-hlg", "scrgb" (which is linear, as IEC 61966-2-2
 * has it). False: no display is called so.
 */
bool kr_colour_from_name(const char *name, int32_t *dataspace);

#endif
