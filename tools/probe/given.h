/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For krafla-probe: a driver that came as descriptors, as a client of the loader service gets it.
 */
#ifndef KR_TOOLS_PROBE_GIVEN_H
#define KR_TOOLS_PROBE_GIVEN_H

#include "discover/library.h"
#include "util/macros.h"

/*
 * Checks and loads it (delivery/delivery.h), and gives it the way to open files that clients give
 * it (F-05). `kind` is "mount" or "memory", `fds` a list of numbers, which are taken. 0 or -errno
 * with a sentence in *reason.
 */
int probe_open_given(const char *kind, const char *fds, struct kr_driver_library **library,
	char **reason) KR_MUST_CHECK;

#endif
