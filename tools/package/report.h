/* SPDX-License-Identifier: Apache-2.0 */
/* What a package, or one library, imports of the system, by the allow list (I-03, I-04). */
#ifndef KR_TOOLS_PACKAGE_REPORT_H
#define KR_TOOLS_PACKAGE_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include "service/package/package.h"

/*
 * All imports of a checked package that are worth a word, as objects. 0, or -errno with a sentence.
 */
int kr_print_gather_imports(const struct kr_package *package, json_t **imports, char **reason)
	KR_MUST_CHECK;

/*
 * Reports on a library that needn't be in a package, a driver's or a layer's, on standard output.
 * `declared`: families that it may import, NULL-terminated. An exit code; what is wrong was said.
 */
int kr_print_library(const char *path, char *const *declared, bool as_json) KR_MUST_CHECK;

#endif
