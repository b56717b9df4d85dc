/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System properties: what `ro.hardware.vulkan` is on Android is here a line `name=value` of a
 * property file (docs/environment.md). Sources, first hit wins:
 *   1. KRAFLA_PROP_<name with dots as underscores>
 *   2. the files of KRAFLA_PROPERTIES (colon list), in order
 *   3. /etc/krafla/properties
 * In a privileged process only 3 counts, and in one that may take no code from its environment
 * (guard.h).
 */
#ifndef KR_UTIL_PROPERTIES_H
#define KR_UTIL_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include "util/property_file.h"

/* Copies the value (cut to size, always terminated); false when no source has the property. */
bool kr_property_get(const char *name, char *value, size_t size);

#endif
