/* SPDX-License-Identifier: Apache-2.0 */
/* What modules tell people: by their host, whose log it is. */
#ifndef KR_OUTPUTS_LOG_H
#define KR_OUTPUTS_LOG_H

#include "surface/output_module.h"
#include "util/log.h"
#include "util/macros.h"

void output_log(const struct kr_output_host *host, uint32_t bits, const char *fmt, ...)
	KR_PRINTF(3, 4);

#endif
