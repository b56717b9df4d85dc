/* SPDX-License-Identifier: Apache-2.0 */
/* What a run says of its programs and windows: as a table, as JSON (docs/commands.md). */
#ifndef KR_TOOLS_LAYOUT_LIST_H
#define KR_TOOLS_LAYOUT_LIST_H

#include <stdbool.h>
#include "tools/layout/link.h"
#include "util/macros.h"

/* On stdout. 0 or an exit code, the reason told on stderr. */
int kr_control_link_list(const struct kr_control_link *link, bool json) KR_MUST_CHECK;

#endif
