/* SPDX-License-Identifier: Apache-2.0 */
/* See edid.h. */
#include "outputs/kms/edid.h"

#define BLOCK                128
#define CTA_EXTENSION        2
#define CTA_DATA             4 /* where data blocks begin */
#define TAG_EXTENDED         7
#define EXTENDED_COLORIMETRY 5
#define EXTENDED_HDR         6

static bool
is_whole(const uint8_t block[BLOCK])
{
	uint8_t sum = 0;

	for (unsigned i = 0; i < BLOCK; i++)
		sum = (uint8_t)(sum + block[i]);
	return !sum;
}

/* What is behind the extended tag. */
static void
read_extended(uint8_t tag, const uint8_t *data, unsigned size, struct kms_edid *edid)
{
	if (tag == EXTENDED_COLORIMETRY && size >= 2) {
		edid->bt2020_rgb |= data[0] & 0x80;
		edid->dci_p3 |= data[1] & 0x80;
	} else if (tag == EXTENDED_HDR && size >= 2) {
		edid->pq |= data[0] & 0x04;
		edid->hlg |= data[0] & 0x08;
		edid->static_metadata |= data[1] & 0x01;
	}
}

static void
read_extension(const uint8_t block[BLOCK], struct kms_edid *edid)
{
	/* The detailed timings; 0: there is nothing else. */
	unsigned end = block[2] < BLOCK ? block[2] : BLOCK - 1, at = CTA_DATA;

	while (at < end) {
		unsigned size = block[at] & 0x1f;

		if (at + 1 + size > end)
			return;
		if (block[at] >> 5 == TAG_EXTENDED && size)
			read_extended(block[at + 1], &block[at + 2], size - 1, edid);
		at += 1 + size;
	}
}

void
kms_edid_read(const uint8_t *data, size_t size, struct kms_edid *edid)
{
	*edid = (struct kms_edid){0};
	for (size_t at = BLOCK; at + BLOCK <= size; at += BLOCK) {
		if (data[at] == CTA_EXTENSION && is_whole(data + at))
			read_extension(data + at, edid);
	}
}
