/* SPDX-License-Identifier: Apache-2.0 */
/* Cleaning text: see text.h. */
#include "util/text.h"

#include <stdint.h>

/* How long the character of UTF-8 at `p` is; 0: it is none, or one that XML doesn't allow. */
static size_t
character(const unsigned char *p, const unsigned char *end)
{
	size_t length = *p >= 0xf0 && *p < 0xf5 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;
	uint32_t code;

	if (*p >= 0xf5 || !length || (size_t)(end - p) < length)
		return 0;
	code = *p & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if ((length == 3 && code < 0x800) || (length == 4 && code < 0x10000) || code > 0x10ffff ||
		(code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff ||
		code < 0xa0)
		return 0;
	return length;
}

void
kr_text_clean(char *text, size_t size, bool lines)
{
	unsigned char *p = (unsigned char *)text, *end = p + size;

	while (p < end) {
		size_t length = *p < 0x80 ? 0 : character(p, end);

		if (length) {
			p += length;
			continue;
		}
		if (*p >= 0x7f || (*p < 0x20 && !(lines && (*p == '\n' || *p == '\t'))))
			*p = *p == '\n' || *p == '\t' ? ' ' : '?';
		p++;
	}
}
