/* SPDX-License-Identifier: Apache-2.0 */
/* See log.h. */
#include "outputs/kms/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#define MAX_TEXT 1024

/* All hosts of a process have the same log. */
static _Atomic(const struct kr_hwc_host *) log_host;

void
kms_log_set_host(const struct kr_hwc_host *host)
{
	atomic_store(&log_host, host);
}

void
kms_log(uint32_t bits, const char *fmt, ...)
{
	const struct kr_hwc_host *host = atomic_load(&log_host);
	char text[MAX_TEXT];
	va_list args;

	if (!host)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	host->log(bits, text);
}
