/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the dynamic symbols of a shared library with their versions: see elf.h. */
#include "service/package/elf_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/internal.h"
#include "util/array.h"

#define HIDDEN_BIT   0x8000u
#define MAX_SYMBOLS  ((size_t)1 << 20)
#define MAX_NAMES    ((size_t)1 << 28) /* bytes of all names of symbols */
#define MAX_VERSIONS ((size_t)0x8000)

static int
bad_versions(const struct kr_package_elf *elf, char **reason)
{
	return kr_package_elf_bad(elf, "its symbol versions can't be read", reason);
}

/* The libraries and versions that it wants: a chain of libraries, each with a chain of versions. */
static int
read_wanted_of(struct kr_package_elf *elf, const char *library, size_t at, char **reason)
{
	GElf_Vernaux entry;

	for (;;) {
		struct kr_package_wanted *wanted;
		const char *version;

		if (at >= elf->verneed->d_size || !gelf_getvernaux(elf->verneed, (int)at, &entry))
			return bad_versions(elf, reason);
		version = kr_package_elf_string(elf, entry.vna_name);
		if (!version || !kr_package_is_printable(version) ||
			elf->wanted_count == MAX_VERSIONS)
			return bad_versions(elf, reason);
		wanted = kr_array_add(
			&elf->wanted, &elf->wanted_count, &elf->wanted_room, sizeof(*elf->wanted));
		if (!wanted)
			return -ENOMEM;
		*wanted = (struct kr_package_wanted){library, version,
			entry.vna_other & ~HIDDEN_BIT, entry.vna_flags & VER_FLG_WEAK};
		if (!entry.vna_next)
			return 0;
		at += entry.vna_next;
	}
}

static int
read_wanted(struct kr_package_elf *elf, char **reason)
{
	GElf_Verneed entry;
	size_t at = 0;
	int ret;

	/* Offsets of chains are ints in libelf, and only go forward. */
	if (elf->verneed->d_size > INT32_MAX)
		return bad_versions(elf, reason);
	for (;;) {
		const char *library;

		if (at >= elf->verneed->d_size || !gelf_getverneed(elf->verneed, (int)at, &entry))
			return bad_versions(elf, reason);
		library = kr_package_elf_string(elf, entry.vn_file);
		if (!library || !kr_package_is_printable(library))
			return bad_versions(elf, reason);
		ret = read_wanted_of(elf, library, at + entry.vn_aux, reason);
		if (ret || !entry.vn_next)
			return ret;
		at += entry.vn_next;
	}
}

static int
put_version(struct kr_package_elf *elf, size_t index, const char *version)
{
	if (index >= elf->version_count) {
		size_t count = index + 16;
		const char **grown = realloc(elf->versions, count * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + elf->version_count, 0,
			(count - elf->version_count) * sizeof(*grown));
		elf->versions = grown;
		elf->version_count = count;
	}
	elf->versions[index] = version;
	return 0;
}

static int
read_defined(struct kr_package_elf *elf, char **reason)
{
	GElf_Verdef entry;
	GElf_Verdaux name;
	size_t at = 0;

	if (elf->verdef->d_size > INT32_MAX)
		return bad_versions(elf, reason);
	for (;;) {
		const char *version;

		if (at >= elf->verdef->d_size || !gelf_getverdef(elf->verdef, (int)at, &entry) ||
			at + entry.vd_aux >= elf->verdef->d_size ||
			!gelf_getverdaux(elf->verdef, (int)(at + entry.vd_aux), &name))
			return bad_versions(elf, reason);
		version = kr_package_elf_string(elf, name.vda_name);
		if (!version || entry.vd_ndx >= MAX_VERSIONS)
			return bad_versions(elf, reason);
		/* The base is the library's own name, and no version. */
		if (!(entry.vd_flags & VER_FLG_BASE) && put_version(elf, entry.vd_ndx, version))
			return -ENOMEM;
		if (!entry.vd_next)
			return 0;
		at += entry.vd_next;
	}
}

static int
by_index(const void *a, const void *b)
{
	unsigned left = ((const struct kr_package_wanted *)a)->index,
		 right = ((const struct kr_package_wanted *)b)->index;

	return left < right ? -1 : left > right;
}

static const struct kr_package_wanted *
find_wanted(const struct kr_package_elf *elf, unsigned index)
{
	const struct kr_package_wanted key = {.index = index};

	if (!elf->wanted_count)
		return NULL;
	return bsearch(&key, elf->wanted, elf->wanted_count, sizeof(key), by_index);
}

static int
add_import(struct kr_package_elf *elf, const char *name, unsigned version, bool weak)
{
	const struct kr_package_wanted *wanted =
		version > VER_NDX_GLOBAL ? find_wanted(elf, version) : NULL;
	struct kr_package_symbol *symbol = weak
		? kr_array_add(&elf->weak, &elf->weak_count, &elf->weak_room, sizeof(*symbol))
		: kr_array_add(
			  &elf->imports, &elf->import_count, &elf->import_room, sizeof(*symbol));

	if (!symbol)
		return -ENOMEM;
	*symbol = (struct kr_package_symbol){.hash = kr_package_symbol_hash(name),
		.name = name,
		.version = wanted ? wanted->version : NULL,
		.library = wanted ? wanted->library : NULL};
	return 0;
}

static int
add_export(struct kr_package_elf *elf, const char *name, unsigned version)
{
	struct kr_package_symbol *symbol = kr_array_add(
		&elf->exports, &elf->export_count, &elf->export_room, sizeof(*elf->exports));

	if (!symbol)
		return -ENOMEM;
	*symbol = (struct kr_package_symbol){.hash = kr_package_symbol_hash(name),
		.name = name,
		.version = version < elf->version_count ? elf->versions[version] : NULL};
	return 0;
}

static int
take_symbol(struct kr_package_elf *elf, int index, char **reason)
{
	GElf_Versym version = VER_NDX_GLOBAL;
	const char *name;
	GElf_Sym symbol;
	unsigned bind;

	if (!gelf_getsym(elf->symbols, index, &symbol) ||
		(elf->versym && !gelf_getversym(elf->versym, index, &version)))
		return kr_package_elf_bad(elf, "its symbols can't be read", reason);
	bind = GELF_ST_BIND(symbol.st_info);
	if (bind == STB_LOCAL)
		return 0;
	name = kr_package_elf_string(elf, symbol.st_name);
	if (name)
		elf->name_bytes += strlen(name);
	if (!name || elf->name_bytes > MAX_NAMES ||
		(symbol.st_shndx == SHN_UNDEF && !kr_package_is_printable(name)))
		return kr_package_elf_bad(elf, "the name of a symbol can't be read", reason);
	if (symbol.st_shndx == SHN_UNDEF)
		return *name ? add_import(elf, name, version & ~HIDDEN_BIT, bind == STB_WEAK) : 0;
	/* Version 0 is local, whatever the symbol says. */
	return version & ~HIDDEN_BIT ? add_export(elf, name, version & ~HIDDEN_BIT) : 0;
}

static int
by_hash(const void *a, const void *b)
{
	uint64_t left = ((const struct kr_package_symbol *)a)->hash,
		 right = ((const struct kr_package_symbol *)b)->hash;

	return left < right ? -1 : left > right;
}

int
kr_package_elf_read_symbols(struct kr_package_elf *elf, char **reason)
{
	size_t entry_size = gelf_fsize(elf->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t count = elf->symbols->d_size / entry_size;
	int ret = 0;

	if (count > MAX_SYMBOLS)
		return kr_package_elf_bad(elf, "it has more than 1048576 symbols", reason);
	if (elf->verneed && elf->verneed->d_size)
		ret = read_wanted(elf, reason);
	if (elf->wanted_count)
		qsort(elf->wanted, elf->wanted_count, sizeof(*elf->wanted), by_index);
	if (!ret && elf->verdef && elf->verdef->d_size) {
		elf->has_versions = true;
		ret = read_defined(elf, reason);
	}
	for (size_t i = 1; !ret && i < count; i++)
		ret = take_symbol(elf, (int)i, reason);
	if (!ret && elf->export_count)
		qsort(elf->exports, elf->export_count, sizeof(*elf->exports), by_hash);
	return ret;
}
