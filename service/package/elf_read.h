/* SPDX-License-Identifier: Apache-2.0 */
/* What reading a shared library takes. For elf.c, elf_symbols.c and elf_read.c alone. */
#ifndef KR_SERVICE_PACKAGE_ELF_READ_H
#define KR_SERVICE_PACKAGE_ELF_READ_H

#include "service/package/elf.h"

/* "NAME: what" as the reason; -EINVAL or -ENOMEM. */
int kr_package_elf_bad(const struct kr_package_elf *elf, const char *what, char **reason);
/* A name of the string section; NULL when the offset lies outside. */
const char *kr_package_elf_string(const struct kr_package_elf *elf, uint64_t offset);
/*
 * Fills versions, exports and imports, once the sections are known. 0, -EINVAL or -ENOMEM with a
 * sentence.
 */
int kr_package_elf_read_symbols(struct kr_package_elf *elf, char **reason) KR_MUST_CHECK;

#endif
