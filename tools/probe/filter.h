/* SPDX-License-Identifier: Apache-2.0 */
/* The filter of system calls around a driver that is tried: see confine.h. */
#ifndef KR_TOOLS_PROBE_FILTER_H
#define KR_TOOLS_PROBE_FILTER_H

#include "util/macros.h"

/*
 * For this process, for good; needs no_new_privs. *filter asks, and is the caller's. 0 or -errno.
 */
int probe_filter_install(int *filter) KR_MUST_CHECK;

#endif
