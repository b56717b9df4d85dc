/* SPDX-License-Identifier: Apache-2.0 */
/* See log.h. */
#include "outputs/display/log.h"

#include <stdarg.h>
#include <stdio.h>

void
display_log(const struct kr_display_output_host *host, uint32_t bits, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	host->log(bits, text);
}
