/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal: see screen.h. */
#include "tools/fences/screen.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "util/macros.h"

#define CLEAR "\033[H\033[J"

struct kr_screen_size
kr_screen_get_size(void)
{
	struct winsize size = {0};

	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	return (struct kr_screen_size){
		size.ws_row ? size.ws_row : 24, size.ws_col ? size.ws_col : 80};
}

/* Of the character at `text`, whose bytes are counted out. */
static size_t
width_of_next(const char *text, size_t *bytes)
{
	mbstate_t state = {0};
	wchar_t c;
	size_t len = mbrtowc(&c, text, strlen(text), &state);
	int width;

	if (len == 0 || len > strlen(text)) {
		*bytes = 1;
		return 1;
	}
	*bytes = len;
	width = wcwidth(c);
	return width < 0 ? 1 : (size_t)width;
}

/* Names are UTF-8, whatever the user's locale is. */
size_t
kr_screen_width(const char *text)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t old = utf8 ? uselocale(utf8) : (locale_t)0;
	size_t width = 0, bytes;

	for (; *text; text += bytes)
		width += width_of_next(text, &bytes);
	if (utf8) {
		uselocale(old);
		freelocale(utf8);
	}
	return width;
}

void
kr_screen_draw(const char *text, struct kr_screen_size size)
{
	size_t used = 0;

	fputs(CLEAR, stdout);
	while (*text) {
		size_t len = strcspn(text, "\n"), height;
		char line[2048];

		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		height = KR_MAX((kr_screen_width(line) + size.columns - 1) / size.columns, 1u);
		used += height;
		/* The cursor needs a line, too. */
		if (used >= size.rows)
			break;
		puts(line);
		text += len + (text[len] == '\n');
	}
}
