/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a library file is, read from its first bytes: so that one of the wrong word size or machine
 * is refused with a sentence instead of dlopen's. Thread-safety: no state.
 */
#ifndef KR_MANIFEST_ELF_FILE_H
#define KR_MANIFEST_ELF_FILE_H

#include <stdint.h>
#include "util/macros.h"

struct kr_elf {
	uint8_t word_size; /* 32 or 64 */
	uint8_t big_endian;
	uint16_t type;    /* ET_DYN for a shared library */
	uint16_t machine; /* EM_* */
};

/* Reads the file with fopen. 0, -errno of opening or reading, -ENOEXEC when it isn't ELF. */
int kr_elf_read(const char *path, struct kr_elf *elf) KR_MUST_CHECK;

/*
 * 0 when this process could load the file. Otherwise a negative errno and a sentence without the
 * path in *reason (free): -ENOEXEC (no ELF file), -ELIBBAD (other word size, byte order, machine or
 * no shared library), -errno of opening it. *reason is NULL only without memory.
 */
int kr_elf_check(const char *path, char **reason) KR_MUST_CHECK;

#endif
