/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared library as the dynamic linker will see it, read by libelf: names, versions, dynamic
 * symbols. Every number in the file is doubted, and section headers (which libelf reads) must agree
 * with the program headers (which the dynamic linker reads). For the package part alone.
 *
 * Thread-safety: no shared state. Strings belong to the object.
 */
#ifndef KR_SERVICE_PACKAGE_ELF_H
#define KR_SERVICE_PACKAGE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <gelf.h>
#include <libelf.h>
#include "util/macros.h"

/* A version that it wants of another library (verneed). */
struct kr_package_wanted {
	const char *library; /* as it stands there: a SONAME */
	const char *version;
	unsigned index; /* what symbols call it */
	bool weak;      /* the dynamic linker goes on without */
};

struct kr_package_symbol {
	uint64_t hash; /* of the name */
	const char *name;
	const char *version; /* NULL: none */
	const char *library; /* imports: whose version it is; NULL: none */
};

struct kr_package_elf {
	Elf *elf;
	char *name;           /* for messages */
	const char *soname;   /* NULL: none */
	const char *run_path; /* RUNPATH, or RPATH where there is none; NULL: neither */
	const char **needed;
	size_t needed_count, needed_room;
	bool text_relocations, executable_stack, writable_code;
	struct kr_package_wanted *wanted; /* sorted by index */
	size_t wanted_count, wanted_room;
	/* That it defines, without the one that is its own name; by index, NULL: unused */
	const char **versions;
	size_t version_count;
	bool has_versions;                 /* there is a list of versions at all */
	struct kr_package_symbol *exports; /* sorted by hash */
	size_t export_count, export_room;
	struct kr_package_symbol *imports; /* the strong ones */
	size_t import_count, import_room;
	struct kr_package_symbol *weak; /* imports that may be missing */
	size_t weak_count, weak_room;
	/* Sections, while it is read: */
	Elf_Data *dynamic, *symbols, *versym, *verneed, *verdef;
	GElf_Shdr symbols_header, dynamic_header, verneed_header, verdef_header;
	size_t strings_index; /* of the one section that all names are in; 0: not seen yet */
	GElf_Shdr strings_header;
	Elf_Data *strings;
	size_t name_bytes; /* of symbols: what was read so far */
};

/* Whether the first bytes say ELF. */
bool kr_package_is_elf(int fd);
/* The same, and a shared library for this program's machine. */
bool kr_package_is_our_elf(int fd);

/*
 * Reads all of that; the fd is borrowed for the object's life. 0, -EINVAL or -ENOMEM with a
 * sentence that begins with `name`.
 */
int kr_package_elf_open(int fd, const char *name, struct kr_package_elf **elf, char **reason)
	KR_MUST_CHECK;
void kr_package_elf_close(struct kr_package_elf *elf);

uint64_t kr_package_symbol_hash(const char *name);
/* Whether it exports the symbol; `version` NULL: in whatever version. */
bool kr_package_elf_exports(
	const struct kr_package_elf *elf, const char *name, const char *version);
bool kr_package_elf_defines_version(const struct kr_package_elf *elf, const char *version);

#endif
