/* SPDX-License-Identifier: Apache-2.0 */
/* What `krafla package` shows: how far it is, and what a package is like. */
#ifndef KR_TOOLS_PACKAGE_PRINT_H
#define KR_TOOLS_PACKAGE_PRINT_H

#include <jansson.h>
#include <stddef.h>
#include "service/package/package.h"

/*
 * Progress on a terminal; nothing on anything else. For kr_package_from_manifest and
 * kr_package_write.
 */
void kr_print_reading(void *data, const char *what, size_t done, size_t total);
void kr_print_writing(void *data, const char *what, size_t done, size_t total);
void kr_print_end(void);

/* `headline` and what it holds and needs, in words. */
void kr_print_package(
	const struct kr_package *package, const json_t *warnings, const char *headline);

#endif
