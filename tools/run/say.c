/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/say.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void
kr_say(const char *fmt, ...)
{
	struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};
	const char *begin = isatty(STDERR_FILENO) ? "\r\033[K" : "";
	char text[1024], line[1100];
	va_list args;
	int n;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	n = snprintf(line, sizeof(line), "%skrafla run: %s\n", begin, text);
	/* A pipe that has room takes so little at once. */
	if (poll(&room, 1, 0) > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return;
}
