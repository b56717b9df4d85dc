/* SPDX-License-Identifier: Apache-2.0 */
/* What `krafla run -v` tells of what happens. */
#ifndef KR_TOOLS_RUN_SAY_H
#define KR_TOOLS_RUN_SAY_H

#include "util/macros.h"

/*
 * "krafla run: TEXT" on stderr, over a progress line that may stand there. A reader who doesn't
 * read misses it: nobody waits. Thread-safe.
 */
void kr_say(const char *fmt, ...) KR_PRINTF(1, 2);

#endif
