/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the headers and the dynamic section of a shared library: see elf.h. Symbols:
 * elf_symbols.c.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/elf_read.h"
#include "service/package/internal.h"
#include "util/array.h"
#include "util/macros.h"

/* This program's own ELF header, which the linker names. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

#define MAX_SEGMENTS 256
#define MAX_TAGS     4096

static int
check_header(const struct kr_package_elf *elf, char **reason)
{
	const char *identity = elf_getident(elf->elf, NULL);
	GElf_Ehdr header;

	if (elf_kind(elf->elf) != ELF_K_ELF || !identity || !gelf_getehdr(elf->elf, &header))
		return kr_package_elf_bad(elf, "it is no ELF file", reason);
	if (header.e_machine != __ehdr_start.e_machine ||
		memcmp(identity, __ehdr_start.e_ident, EI_VERSION) != 0)
		return kr_package_refuse(reason, -EINVAL,
			"%s: it is a %s-bit library for ELF machine %u, this system is %zu-bit and machine %u",
			elf->name, identity[EI_CLASS] == ELFCLASS64 ? "64" : "32", header.e_machine,
			sizeof(void *) * 8, __ehdr_start.e_machine);
	if (header.e_type != ET_DYN)
		return kr_package_elf_bad(elf, "it is no shared library", reason);
	return 0;
}

/* A stack that nothing is said of is executable on x86, and isn't on newer machines. */
static bool
stack_is_executable(const GElf_Phdr *stack)
{
	if (stack->p_type == PT_GNU_STACK)
		return stack->p_flags & PF_X;
	return __ehdr_start.e_machine == EM_X86_64 || __ehdr_start.e_machine == EM_386;
}

static int
read_segments(struct kr_package_elf *elf, GElf_Phdr *dynamic, char **reason)
{
	GElf_Phdr stack = {0};
	size_t count;

	if (elf_getphdrnum(elf->elf, &count) || !count || count > MAX_SEGMENTS)
		return kr_package_elf_bad(elf, "its program headers can't be read", reason);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf->elf, (int)i, &segment))
			return kr_package_elf_bad(elf, "its program headers can't be read", reason);
		if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) &&
			(segment.p_flags & PF_X))
			elf->writable_code = true;
		else if (segment.p_type == PT_GNU_STACK)
			stack = segment;
		else if (segment.p_type == PT_DYNAMIC)
			*dynamic = segment;
	}
	elf->executable_stack = stack_is_executable(&stack);
	if (!dynamic->p_type)
		return kr_package_elf_bad(elf, "it has no dynamic section", reason);
	return 0;
}

/* Where a section of this kind is kept; NULL for those that nobody needs. */
static Elf_Data **
place_of(struct kr_package_elf *elf, GElf_Word type, GElf_Shdr **header)
{
	*header = NULL;
	switch (type) {
	case SHT_DYNAMIC:
		*header = &elf->dynamic_header;
		return &elf->dynamic;
	case SHT_DYNSYM:
		*header = &elf->symbols_header;
		return &elf->symbols;
	case SHT_GNU_verneed:
		*header = &elf->verneed_header;
		return &elf->verneed;
	case SHT_GNU_verdef:
		*header = &elf->verdef_header;
		return &elf->verdef;
	case SHT_GNU_versym:
		return &elf->versym;
	default:
		return NULL;
	}
}

static int
take_section(struct kr_package_elf *elf, Elf_Scn *section, const GElf_Shdr *header, char **reason)
{
	GElf_Shdr *copy;
	Elf_Data **place = place_of(elf, header->sh_type, &copy);

	if (!place)
		return 0;
	if (*place)
		return kr_package_elf_bad(elf, "it has two sections of one kind", reason);
	*place = elf_getdata(section, NULL);
	if (!*place || ((*place)->d_size && !(*place)->d_buf))
		return kr_package_elf_bad(elf, "a section of it can't be read", reason);
	if (!copy)
		return 0;
	*copy = *header;
	/* The dynamic linker knows one table of names. */
	if (elf->strings_index && elf->strings_index != header->sh_link)
		return kr_package_elf_bad(elf, "its sections have several tables of names", reason);
	elf->strings_index = header->sh_link;
	return 0;
}

/* Of its table of names the last byte must be zero, so that every name in it ends. */
static int
read_strings(struct kr_package_elf *elf, char **reason)
{
	Elf_Scn *section = elf_getscn(elf->elf, elf->strings_index);

	if (section && gelf_getshdr(section, &elf->strings_header) &&
		elf->strings_header.sh_type == SHT_STRTAB)
		elf->strings = elf_getdata(section, NULL);
	if (!elf->strings || !elf->strings->d_buf || !elf->strings->d_size ||
		((const char *)elf->strings->d_buf)[elf->strings->d_size - 1])
		return kr_package_elf_bad(elf, "its table of names can't be read", reason);
	return 0;
}

static int
read_sections(struct kr_package_elf *elf, char **reason)
{
	Elf_Scn *section = NULL;
	int ret;

	while ((section = elf_nextscn(elf->elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			return kr_package_elf_bad(elf, "its section headers can't be read", reason);
		ret = take_section(elf, section, &header, reason);
		if (ret)
			return ret;
	}
	if (!elf->dynamic || !elf->symbols)
		return kr_package_elf_bad(elf,
			"its sections were stripped off, so that its symbols can't be checked",
			reason);
	return read_strings(elf, reason);
}

static int
add_needed(struct kr_package_elf *elf, const char *name)
{
	const char **place = kr_array_add(
		&elf->needed, &elf->needed_count, &elf->needed_room, sizeof(*elf->needed));

	if (!place)
		return -ENOMEM;
	*place = name;
	return 0;
}

/* What tags say where symbols and versions lie, against what the sections say. */
static bool
agrees(const struct kr_package_elf *elf, const GElf_Dyn *tag)
{
	GElf_Addr address = tag->d_un.d_ptr;

	switch (tag->d_tag) {
	case DT_STRTAB:
		return elf->strings_header.sh_addr == address;
	case DT_SYMTAB:
		return elf->symbols_header.sh_addr == address;
	case DT_VERNEED:
		return elf->verneed && elf->verneed_header.sh_addr == address;
	case DT_VERDEF:
		return elf->verdef && elf->verdef_header.sh_addr == address;
	case DT_VERSYM:
		return elf->versym;
	default:
		return true;
	}
}

/* The dynamic linker loads these as well, and takes symbols from them before all others. */
static int
refuse_filter(const struct kr_package_elf *elf, const GElf_Dyn *tag, char **reason)
{
	const char *name = kr_package_elf_string(elf, tag->d_un.d_val);

	return kr_package_refuse(reason, -EINVAL,
		"%s: it names %s as what it filters or is audited by (DT_FILTER, DT_AUXILIARY, DT_AUDIT): a library that it loads must be one that it needs",
		elf->name, name ? name : "something");
}

static int
take_tag(struct kr_package_elf *elf, const GElf_Dyn *tag, const char **rpath, char **reason)
{
	const char *text = NULL;

	if (!agrees(elf, tag))
		return kr_package_elf_bad(
			elf, "its section headers don't agree with its dynamic section", reason);
	if (tag->d_tag == DT_NEEDED || tag->d_tag == DT_SONAME || tag->d_tag == DT_RUNPATH ||
		tag->d_tag == DT_RPATH) {
		text = kr_package_elf_string(elf, tag->d_un.d_val);
		if (!text || !*text || !kr_package_is_printable(text))
			return kr_package_elf_bad(
				elf, "a name in its dynamic section can't be read", reason);
	}
	if (tag->d_tag == DT_FILTER || tag->d_tag == DT_AUXILIARY || tag->d_tag == DT_AUDIT ||
		tag->d_tag == DT_DEPAUDIT)
		return refuse_filter(elf, tag, reason);
	if (tag->d_tag == DT_SONAME)
		elf->soname = text;
	else if (tag->d_tag == DT_RUNPATH)
		elf->run_path = text;
	else if (tag->d_tag == DT_RPATH)
		*rpath = text;
	else if (tag->d_tag == DT_TEXTREL ||
		(tag->d_tag == DT_FLAGS && (tag->d_un.d_val & DF_TEXTREL)))
		elf->text_relocations = true;
	return tag->d_tag == DT_NEEDED ? add_needed(elf, text) : 0;
}

/* Whether what is mapped at that address is what the file has at that place. */
static bool
lies_at(const struct kr_package_elf *elf, GElf_Addr address, GElf_Off offset, GElf_Xword size)
{
	size_t count;

	if (elf_getphdrnum(elf->elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf->elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
			address >= segment.p_vaddr &&
			address - segment.p_vaddr < segment.p_filesz &&
			size <= segment.p_filesz - (address - segment.p_vaddr) &&
			offset == segment.p_offset + (address - segment.p_vaddr))
			return true;
	}
	return false;
}

/* All that is looked at: the dynamic linker knows addresses alone. */
static bool
all_lie_right(const struct kr_package_elf *elf, const GElf_Phdr *dynamic)
{
	const GElf_Shdr *sections[] = {&elf->strings_header, &elf->symbols_header,
		elf->verneed ? &elf->verneed_header : NULL,
		elf->verdef ? &elf->verdef_header : NULL};

	for (size_t i = 0; i < KR_ARRAY_LEN(sections); i++) {
		if (sections[i] &&
			!lies_at(elf, sections[i]->sh_addr, sections[i]->sh_offset,
				sections[i]->sh_size))
			return false;
	}
	return lies_at(elf, dynamic->p_vaddr, dynamic->p_offset, elf->dynamic_header.sh_size);
}

static int
read_dynamic(struct kr_package_elf *elf, const GElf_Phdr *segment, char **reason)
{
	const char *rpath = NULL;
	GElf_Dyn tag;

	if (elf->dynamic_header.sh_offset != segment->p_offset || !all_lie_right(elf, segment))
		return kr_package_elf_bad(
			elf, "its section headers don't agree with its program headers", reason);
	for (int i = 0;; i++) {
		int ret;

		/* The dynamic linker looks for the end, however large the section says it is. */
		if (i == MAX_TAGS || !gelf_getdyn(elf->dynamic, i, &tag))
			return kr_package_elf_bad(elf, "its dynamic section has no end", reason);
		if (tag.d_tag == DT_NULL)
			break;
		ret = take_tag(elf, &tag, &rpath, reason);
		if (ret)
			return ret;
	}
	if (!elf->run_path)
		elf->run_path = rpath;
	return 0;
}

static int
read_all(struct kr_package_elf *elf, char **reason)
{
	GElf_Phdr dynamic = {0};
	int ret = check_header(elf, reason);

	if (!ret)
		ret = read_segments(elf, &dynamic, reason);
	if (!ret)
		ret = read_sections(elf, reason);
	if (!ret)
		ret = read_dynamic(elf, &dynamic, reason);
	return ret ? ret : kr_package_elf_read_symbols(elf, reason);
}

int
kr_package_elf_open(int fd, const char *name, struct kr_package_elf **elf, char **reason)
{
	struct kr_package_elf *opened = calloc(1, sizeof(*opened));
	int ret;

	if (!opened)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	opened->name = strdup(name);
	opened->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!opened->name)
		ret = -ENOMEM;
	else if (!opened->elf)
		ret = kr_package_elf_bad(opened, "it is no ELF file", reason);
	else
		ret = read_all(opened, reason);
	if (ret)
		kr_package_elf_close(opened);
	else
		*elf = opened;
	return ret;
}
