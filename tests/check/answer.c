/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char answer[256 << 10];

int
shell(const char *format, ...)
{
	char line[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	return kr_test_shell(line, answer, sizeof(answer));
}

void
expect(const char *part)
{
	if (!strstr(answer, part))
		fail_msg("\"%s\" isn't in: %s", part, answer);
}
