/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first bytes of ELF files. Fields are read byte by byte: the file may have the other byte
 * order.
 */
#include "manifest/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/text.h"

/* e_type and e_machine follow e_ident directly, in files of either word size. */
#define TYPE_AT    EI_NIDENT
#define MACHINE_AT (EI_NIDENT + 2)
#define HEAD_SIZE  (EI_NIDENT + 4)

static int
read_head(const char *path, unsigned char *head)
{
	FILE *file;
	int ret = kr_file_open(path, &file);

	if (ret)
		return ret == -ENODEV ? -ENOEXEC : ret;
	errno = 0;
	if (fread(head, 1, HEAD_SIZE, file) != HEAD_SIZE)
		ret = ferror(file) && errno ? -errno : -ENOEXEC;
	fclose(file);
	return ret;
}

static uint16_t
read_half(const unsigned char *at, bool big_endian)
{
	return big_endian ? (uint16_t)(at[0] << 8 | at[1]) : (uint16_t)(at[1] << 8 | at[0]);
}

int
kr_elf_read(const char *path, struct kr_elf *elf)
{
	unsigned char head[HEAD_SIZE];
	bool big_endian;
	int ret = read_head(path, head);

	if (ret)
		return ret;
	if (memcmp(head, ELFMAG, SELFMAG) ||
		(head[EI_CLASS] != ELFCLASS32 && head[EI_CLASS] != ELFCLASS64) ||
		(head[EI_DATA] != ELFDATA2LSB && head[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	big_endian = head[EI_DATA] == ELFDATA2MSB;
	*elf = (struct kr_elf){
		.word_size = head[EI_CLASS] == ELFCLASS64 ? 64 : 32,
		.big_endian = big_endian,
		.type = read_half(head + TYPE_AT, big_endian),
		.machine = read_half(head + MACHINE_AT, big_endian),
	};
	return 0;
}

static const char *
machine_name(uint16_t machine)
{
	switch (machine) {
	case EM_386:
		return "x86";
	case EM_X86_64:
		return "x86-64";
	case EM_ARM:
		return "arm";
	case EM_AARCH64:
		return "aarch64";
	case EM_RISCV:
		return "riscv";
	case EM_PPC64:
		return "ppc64";
	case EM_S390:
		return "s390";
	case EM_LOONGARCH:
		return "loongarch";
	default:
		return "unknown";
	}
}

/* Our own ELF header, which the linker names: what we are, this process can load. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static int
check_against_self(const struct kr_elf *elf, char **reason)
{
	unsigned word_size = sizeof(void *) * 8;
	bool big_endian = __ehdr_start.e_ident[EI_DATA] == ELFDATA2MSB;

	if (elf->word_size != word_size)
		*reason = kr_asprintf(
			"it is a %u-bit library and this process is %u-bit (wrong ELF class: ELFCLASS%u)",
			elf->word_size, word_size, elf->word_size);
	else if (elf->machine != __ehdr_start.e_machine || elf->big_endian != big_endian)
		*reason = kr_asprintf(
			"it is made for %s (ELF machine %u, %s-endian), this process is %s",
			machine_name(elf->machine), elf->machine,
			elf->big_endian ? "big" : "little", machine_name(__ehdr_start.e_machine));
	else if (elf->type != ET_DYN)
		*reason = kr_asprintf("it is an ELF file but no shared library");
	else
		return 0;
	return -ELIBBAD;
}

int
kr_elf_check(const char *path, char **reason)
{
	struct kr_elf elf;
	int ret = kr_elf_read(path, &elf);

	if (ret) {
		*reason = kr_asprintf("%s",
			ret == -ENOEXEC ? "it is no shared library (not an ELF file)"
					: strerror(-ret));
		return ret;
	}
	return check_against_self(&elf, reason);
}
