/* SPDX-License-Identifier: Apache-2.0 */
/* What outputs of a display tell people: by their host, whose log it is. */
#ifndef KR_OUTPUTS_DISPLAY_LOG_H
#define KR_OUTPUTS_DISPLAY_LOG_H

#include "composer/output/module.h"
#include "util/log.h"
#include "util/macros.h"

void display_log(const struct kr_display_output_host *host, uint32_t bits, const char *fmt, ...)
	KR_PRINTF(3, 4);

#endif
