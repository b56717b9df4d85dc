/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

struct library {
	const char *file;
	size_t size;
	const Elf64_Shdr *dynsym, *dynamic;
};

static const char *
at(const struct library *library, size_t offset)
{
	assert_true(offset < library->size);
	return library->file + offset;
}

static const Elf64_Shdr *
section(const struct library *library, size_t index)
{
	const Elf64_Ehdr *header = (const void *)library->file;

	assert_true(index < header->e_shnum);
	return (const void *)at(library, header->e_shoff + index * sizeof(Elf64_Shdr));
}

struct library *
library_open(const char *path)
{
	struct library *library = calloc(1, sizeof(*library));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *header;
	struct stat st;

	if (fd < 0)
		fail_msg("%s can't be opened", path);
	assert_int_equal(fstat(fd, &st), 0);
	library->size = (size_t)st.st_size;
	library->file = mmap(NULL, library->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_ptr_not_equal(library->file, MAP_FAILED);
	header = (const void *)library->file;
	assert_memory_equal(header->e_ident, ELFMAG, SELFMAG);
	for (size_t i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *s = section(library, i);

		if (s->sh_type == SHT_DYNSYM)
			library->dynsym = s;
		else if (s->sh_type == SHT_DYNAMIC)
			library->dynamic = s;
	}
	assert_non_null(library->dynsym);
	assert_non_null(library->dynamic);
	return library;
}

void
library_close(struct library *library)
{
	munmap((void *)library->file, library->size);
	free(library);
}

/* The index-th dynamic entry with this tag, NULL behind the last. */
static const Elf64_Dyn *
entry(const struct library *library, Elf64_Sxword tag, size_t index)
{
	const Elf64_Dyn *d = (const void *)at(library, library->dynamic->sh_offset);

	for (; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == tag && !index--)
			return d;
	}
	return NULL;
}

static const char *
string(const struct library *library, const Elf64_Shdr *owner, size_t offset)
{
	return at(library, section(library, owner->sh_link)->sh_offset + offset);
}

const char *
library_soname(const struct library *library)
{
	const Elf64_Dyn *d = entry(library, DT_SONAME, 0);

	return d ? string(library, library->dynamic, d->d_un.d_val) : NULL;
}

const char *
library_needed(const struct library *library, size_t index)
{
	const Elf64_Dyn *d = entry(library, DT_NEEDED, index);

	return d ? string(library, library->dynamic, d->d_un.d_val) : NULL;
}

bool
library_defines_versions(const struct library *library)
{
	return entry(library, DT_VERDEF, 0);
}

size_t
library_symbol_count(const struct library *library)
{
	return library->dynsym->sh_size / sizeof(Elf64_Sym);
}

const char *
library_symbol(const struct library *library, size_t index, bool *defined)
{
	const Elf64_Sym *symbol =
		(const void *)at(library, library->dynsym->sh_offset + index * sizeof(Elf64_Sym));

	*defined = symbol->st_shndx != SHN_UNDEF;
	return symbol->st_name ? string(library, library->dynsym, symbol->st_name) : NULL;
}

static bool
has(const struct library *library, const char *name, bool wanted)
{
	for (size_t i = 0; i < library_symbol_count(library); i++) {
		bool defined;
		const char *symbol = library_symbol(library, i, &defined);

		if (symbol && defined == wanted && !strcmp(symbol, name))
			return true;
	}
	return false;
}

bool
library_exports(const struct library *library, const char *name)
{
	return has(library, name, true);
}

bool
library_imports(const struct library *library, const char *name)
{
	return has(library, name, false);
}
