/* SPDX-License-Identifier: Apache-2.0 */
/* Reads relocations, and on x86-64 the call before a return address. */
#include "entry/references.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

/* What of a library's dynamic section is needed to read its relocations. */
struct image {
	uintptr_t base;
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * relocations[2]; /* of data and of calls */
	size_t counts[2];
};

static void
read_entry(const ElfW(Dyn) * entry, struct image *image)
{
	const void *at = (const void *)entry->d_un.d_ptr;

	switch (entry->d_tag) {
	case DT_SYMTAB:
		image->symbols = at;
		break;
	case DT_STRTAB:
		image->names = at;
		break;
	case DT_RELA:
		image->relocations[0] = at;
		break;
	case DT_RELASZ:
		image->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
		break;
	case DT_JMPREL:
		image->relocations[1] = at;
		break;
	case DT_PLTRELSZ:
		image->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
		break;
	default:
		break;
	}
}

/* False: it can't be read. The vDSO's addresses, for one, aren't relocated. */
static bool
read_image(const struct link_map *map, struct image *image)
{
	*image = (struct image){.base = map->l_addr};
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		read_entry(entry, image);
	return image->symbols && image->names && (uintptr_t)image->symbols >= image->base;
}

/*
 * The first place from *at on (a count of relocations) that refers to the name; 0:
 * there is no other.
 */
static uintptr_t
next_reference(const struct image *image, const char *name, size_t *at)
{
	for (; *at < image->counts[0] + image->counts[1]; (*at)++) {
		bool data = *at < image->counts[0];
		const ElfW(Rela) *r = data ? &image->relocations[0][*at]
					   : &image->relocations[1][*at - image->counts[0]];
		size_t symbol = ELF64_R_SYM(r->r_info);

		if (!symbol || strcmp(image->names + image->symbols[symbol].st_name, name))
			continue;
		(*at)++;
		return image->base + r->r_offset;
	}
	return 0;
}

#ifdef __x86_64__
/* Whether it refers to the name at this place. */
static bool
refers_at(const struct link_map *map, const char *name, uintptr_t place)
{
	struct image image;
	uintptr_t slot;
	size_t at = 0;

	if (!read_image(map, &image))
		return false;
	do
		slot = next_reference(&image, name, &at);
	while (slot && slot != place);
	return slot != 0;
}

static struct link_map *
library_of(uintptr_t address)
{
	struct link_map *map = NULL;
	Dl_info info;

	return dladdr1((const void *)address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

/* endbr64, bnd, jmp *slot(%rip) */
#define LONGEST_STUB 11

/* What an instruction with a 32-bit displacement at its end, which is at `end`, points at. */
static uintptr_t
target(const uint8_t *end)
{
	int32_t displacement;

	memcpy(&displacement, end - sizeof(displacement), sizeof(displacement));
	return (uintptr_t)end + (uintptr_t)(intptr_t)displacement;
}

/* Where a stub that is nothing but jmp *slot(%rip) has its address; 0: it is none. */
static uintptr_t
stub_slot(uintptr_t function)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *stub = (const uint8_t *)function;

	if (!memcmp(stub, endbr, sizeof(endbr)))
		stub += sizeof(endbr);
	stub += *stub == 0xf2; /* bnd */
	return stub[0] == 0xff && stub[1] == 0x25 ? target(stub + 6) : 0;
}

static uintptr_t
read_slot(uintptr_t slot)
{
	uintptr_t value;

	memcpy(&value, (const void *)slot, sizeof(value));
	return value;
}

/*
 * A program with fixed addresses has a stub whose address stands for a library's
 * function everywhere.
 */
static uintptr_t
behind_stub(uintptr_t function)
{
	uintptr_t slot = function ? stub_slot(function) : 0;

	return slot ? read_slot(slot) : function;
}

/*
 * Where the address stands that is called by what ends at `caller`, in `map`: call *slot(%rip), or
 * a call of a stub. 0 for other calls. Some of those look like one of these, with a stub that may
 * be nowhere: only what is in the same library is looked at.
 */
static uintptr_t
called_slot(const uint8_t *caller, const struct link_map *map)
{
	if (library_of((uintptr_t)caller - 6) != map)
		return 0;
	if (caller[-6] == 0xff && caller[-5] == 0x15)
		return target(caller);
	if (caller[-5] != 0xe8 || library_of(target(caller)) != map ||
		library_of(target(caller) + LONGEST_STUB) != map)
		return 0;
	return stub_slot(target(caller));
}

bool
kr_call_is_by_name(const void *caller, const char *name)
{
	const struct link_map *map = library_of((uintptr_t)caller);
	uintptr_t slot = map ? called_slot(caller, map) : 0;

	return slot && refers_at(map, name, slot);
}
#else
static uintptr_t
behind_stub(uintptr_t function)
{
	return function;
}

bool
kr_call_is_by_name(const void *caller, const char *name)
{
	return false;
}
#endif

bool
kr_entry_library_refers_to(const struct link_map *map, const char *name, uintptr_t value)
{
	struct image image;
	uintptr_t slot, held;
	size_t at = 0;

	if (!read_image(map, &image))
		return false;
	while ((slot = next_reference(&image, name, &at))) {
		memcpy(&held, (const void *)slot, sizeof(held));
		if (held == value || behind_stub(held) == value)
			return true;
	}
	return false;
}
