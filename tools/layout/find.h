/* SPDX-License-Identifier: Apache-2.0 */
/* Which `krafla run` is meant. */
#ifndef KR_TOOLS_LAYOUT_FIND_H
#define KR_TOOLS_LAYOUT_FIND_H

#include "tools/layout/link.h"
#include "util/macros.h"

/*
 * `target`: the socket of a display, the id of a `krafla run`, or NULL for the only one of this
 * user's where runs put their sockets. 0 or an exit code, the reason told on stderr.
 */
int kr_control_link_find(const char *target, struct kr_control_link *link) KR_MUST_CHECK;

#endif
