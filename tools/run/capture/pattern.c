/* SPDX-License-Identifier: Apache-2.0 */
/* The name pattern of captures. It never reaches printf: it comes from the command line. */
#include "tools/run/capture/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define MAX_DIGITS 20

/* Reads a conversion after its '%'; *at is behind it then. */
static bool
read_conversion(struct kr_capture_pattern *pattern, const char **at)
{
	const char *p = *at;

	pattern->zeros = *p == '0';
	while (*p == '0')
		p++;
	pattern->width = 0;
	while (isdigit((unsigned char)*p) && pattern->width <= MAX_DIGITS)
		pattern->width = pattern->width * 10 + (*p++ - '0');
	if (pattern->width > MAX_DIGITS || (*p != 'd' && *p != 'u'))
		return false;
	pattern->numbered = true;
	*at = p + 1;
	return true;
}

static const char *
parse(struct kr_capture_pattern *pattern, const char *text)
{
	char *out = pattern->before;

	while (*text) {
		char c = *text++;

		if (c == '%' && *text == '%') {
			text++;
		} else if (c == '%') {
			if (pattern->numbered)
				return "it has more than one conversion";
			if (!read_conversion(pattern, &text))
				return "only %d, with a width like %05d, can stand for the frame's number";
			out = pattern->after;
			continue;
		}
		*out++ = c;
	}
	return NULL;
}

int
kr_capture_pattern_init(struct kr_capture_pattern *pattern, const char *text, const char **why)
{
	struct kr_capture_pattern made = {
		.before = calloc(1, strlen(text) + 1),
		.after = calloc(1, strlen(text) + 1),
	};
	int err = -ENOMEM;

	if (!made.before || !made.after)
		goto err_free;
	err = -EINVAL;
	*why = parse(&made, text);
	if (*why)
		goto err_free;
	*pattern = made;
	return 0;

err_free:
	kr_capture_pattern_finish(&made);
	return err;
}

void
kr_capture_pattern_finish(struct kr_capture_pattern *pattern)
{
	free(pattern->before);
	free(pattern->after);
	*pattern = (struct kr_capture_pattern){0};
}

const char *
kr_capture_pattern_end(const struct kr_capture_pattern *pattern)
{
	return pattern->numbered ? pattern->after : pattern->before;
}

char *
kr_capture_pattern_name(const struct kr_capture_pattern *pattern, uint64_t number)
{
	unsigned long long n = number;

	if (!pattern->numbered)
		return strdup(pattern->before);
	if (pattern->zeros)
		return kr_asprintf(
			"%s%0*llu%s", pattern->before, pattern->width, n, pattern->after);
	return kr_asprintf("%s%*llu%s", pattern->before, pattern->width, n, pattern->after);
}
