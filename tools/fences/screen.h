/* SPDX-License-Identifier: Apache-2.0 */
/* Text on a terminal: how wide it is there, and a picture of it that is drawn anew. */
#ifndef KR_TOOLS_FENCES_SCREEN_H
#define KR_TOOLS_FENCES_SCREEN_H

#include <stddef.h>

struct kr_screen_size {
	size_t rows, columns;
};

/* Of the terminal at stdout; 24 by 80 when it doesn't tell. */
struct kr_screen_size kr_screen_get_size(void);
/* In columns, of UTF-8 without control characters. Bytes that aren't UTF-8 count one each. */
size_t kr_screen_width(const char *text);
/*
 * Replaces what stdout shows by the lines of `text` that it has room for; long lines
 * are wrapped by it.
 */
void kr_screen_draw(const char *text, struct kr_screen_size size);

#endif
