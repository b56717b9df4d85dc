/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers whose hardware is provably not here aren't opened (K-40). Thread-safety: no shared state. */
#ifndef KR_DISCOVER_ABSENT_H
#define KR_DISCOVER_ABSENT_H

#include <stdbool.h>
#include "discover/driver.h"

/* What KRAFLA_ABSENT_HARDWARE says, with a message when it says nothing that is known. Once a search. */
bool kr_absent_are_opened(const struct kr_discover_options *options);

/*
 * Whether the library need not be opened: it is one of hardware/device_map.txt and none of its devices is
 * here. Never one that was named by somebody (`named_by`: the variable or the settings file, NULL for a
 * standard directory). If so, *reason is a sentence (NULL without memory), which has been logged.
 */
bool kr_driver_absent(const struct kr_discover_options *options, const char *library_path,
	const char *named_by, char **reason) KR_MUST_CHECK;

#endif
