/* SPDX-License-Identifier: Apache-2.0 */
/* The dynamic section of a shared library: what it needs, exports and imports. */
#ifndef KR_TESTS_ENTRY_ELF_SYMBOLS_H
#define KR_TESTS_ENTRY_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct library;

/* Fails the case when the file isn't a library of this machine. */
struct library *library_open(const char *path);
void library_close(struct library *library);

const char *library_soname(const struct library *library);
/* The index-th DT_NEEDED, NULL behind the last. */
const char *library_needed(const struct library *library, size_t index);
bool library_defines_versions(const struct library *library);
size_t library_symbol_count(const struct library *library);
/* NULL for a symbol without name; *defined: it exports it, else imports. */
const char *library_symbol(const struct library *library, size_t index, bool *defined);
bool library_exports(const struct library *library, const char *name);
bool library_imports(const struct library *library, const char *name);

#endif
