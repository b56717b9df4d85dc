/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings about a package. For the package part alone. */
#ifndef KR_SERVICE_PACKAGE_WARN_H
#define KR_SERVICE_PACKAGE_WARN_H

#include <jansson.h>
#include "service/package/imports.h"

/* Appends a sentence for each to `warnings`, which may be NULL. 0 or -ENOMEM. */
int kr_package_warn(const struct kr_import_judge *judge, json_t *warnings) KR_MUST_CHECK;

#endif
