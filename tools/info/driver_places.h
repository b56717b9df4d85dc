/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where drivers are looked for by their manifests, what packages have them, and what to do when
 * there are none: for `krafla explain` and `info`.
 */
#ifndef KR_TOOLS_INFO_DRIVER_PLACES_H
#define KR_TOOLS_INFO_DRIVER_PLACES_H

#include <jansson.h>
#include <stdbool.h>

/*
 * The places in search order, `path` and `named_by` each; empty where the profile has no manifests.
 * A new value, NULL without memory.
 */
json_t *kr_info_driver_places(void);
/* What to do when no driver can be used and no entry says it: a new string, NULL without memory. */
char *kr_info_driver_advice(void);
/* "; it is usually in PACKAGES" for a library whose packages are known, else "". A new string. */
char *kr_info_library_packages(const char *library_path);
/*
 * Whether one of these entries (of explain or info) is a driver that programs get;
 * the stub is none.
 */
bool kr_info_any_driver_used(const json_t *drivers);
/* Nothing when one is. Else the text that says so, where was looked, and what to do. */
void kr_info_print_driver_places(const json_t *drivers);

#endif
