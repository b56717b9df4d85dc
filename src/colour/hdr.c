/* SPDX-License-Identifier: Apache-2.0 */
/* See hdr.h. */
#include "colour/hdr.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(struct kr_hdr_metadata) ==
		offsetof(struct kr_hdr_metadata, max_fall) + sizeof(float),
	"nothing lies between the fields");

#define NUMBERS ((sizeof(struct kr_hdr_metadata) - sizeof(uint32_t)) / sizeof(float))

bool
kr_hdr_metadata_valid(const struct kr_hdr_metadata *metadata)
{
	float numbers[NUMBERS];

	if (metadata->has & ~(uint32_t)(KR_HDR_MASTERING | KR_HDR_CONTENT))
		return false;
	memcpy(numbers, (const char *)metadata + sizeof(uint32_t), sizeof(numbers));
	for (size_t i = 0; i < NUMBERS; i++) {
		if (!isfinite(numbers[i]) || numbers[i] < 0)
			return false;
	}
	return true;
}

bool
kr_hdr_metadata_equal(const struct kr_hdr_metadata *a, const struct kr_hdr_metadata *b)
{
	if (!a || !b)
		return a == b;
	return memcmp(a, b, sizeof(*a)) == 0;
}
