/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library that was read, and what can be asked of it: see elf.h. */
#include "service/package/elf.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/package/elf_read.h"
#include "service/package/internal.h"

/* This program's own ELF header, which the linker names. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

bool
kr_package_is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

bool
kr_package_is_our_elf(int fd)
{
	ElfW(Ehdr) header;

	return pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
		!memcmp(header.e_ident, __ehdr_start.e_ident, EI_VERSION) &&
		header.e_machine == __ehdr_start.e_machine && header.e_type == ET_DYN;
}

int
kr_package_elf_bad(const struct kr_package_elf *elf, const char *what, char **reason)
{
	return kr_package_refuse(reason, -EINVAL, "%s: %s", elf->name, what);
}

const char *
kr_package_elf_string(const struct kr_package_elf *elf, uint64_t offset)
{
	return offset < elf->strings->d_size ? (const char *)elf->strings->d_buf + offset : NULL;
}

void
kr_package_elf_close(struct kr_package_elf *elf)
{
	if (!elf)
		return;
	elf_end(elf->elf);
	free(elf->name);
	free(elf->needed);
	free(elf->wanted);
	free(elf->versions);
	free(elf->exports);
	free(elf->imports);
	free(elf->weak);
	free(elf);
}

uint64_t
kr_package_symbol_hash(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash;
}

/* The first with that hash. */
static size_t
find_export(const struct kr_package_elf *elf, uint64_t hash)
{
	size_t low = 0, high = elf->export_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (elf->exports[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
kr_package_elf_exports(const struct kr_package_elf *elf, const char *name, const char *version)
{
	uint64_t hash = kr_package_symbol_hash(name);

	for (size_t i = find_export(elf, hash);
		i < elf->export_count && elf->exports[i].hash == hash; i++) {
		const struct kr_package_symbol *symbol = &elf->exports[i];

		if (!strcmp(symbol->name, name) &&
			(!version || !elf->has_versions ||
				(symbol->version && !strcmp(symbol->version, version))))
			return true;
	}
	return false;
}

bool
kr_package_elf_defines_version(const struct kr_package_elf *elf, const char *version)
{
	for (size_t i = 0; i < elf->version_count; i++) {
		if (elf->versions[i] && !strcmp(elf->versions[i], version))
			return true;
	}
	return !elf->has_versions;
}
