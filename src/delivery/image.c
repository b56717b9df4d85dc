/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic section: see image.h. Files and loaded libraries differ in where a segment's bytes
 * are, and in that the dynamic linker may have turned the addresses in the dynamic section of a
 * loaded one into pointers. Structures are copied out before they are read: nothing promises that
 * they are aligned.
 */
#include "delivery/image.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "util/macros.h"

#define MAX_DYNAMIC 4096 /* entries; real ones have 40 */
#define MAX_STRING  256  /* with its end */

/* Our own ELF header, which the linker names: what we are, this process can load. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

const void *
kr_image_at(const struct kr_image *image, ElfW(Addr) address, size_t size)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct kr_image_segment *segment = &image->segments[i];
		ElfW(Addr) offset = address - segment->address;

		if (address >= segment->address && offset < segment->size &&
			size <= segment->size - offset)
			return segment->bytes + offset;
	}
	return NULL;
}

/*
 * An address of the dynamic section as the file says it, whether or not it was made a pointer; 0:
 * nowhere.
 */
static ElfW(Addr) unmoved(const struct kr_image *image, ElfW(Addr) address)
{
	if (kr_image_at(image, address, 1))
		return address;
	return kr_image_at(image, address - image->base, 1) ? address - image->base : 0;
}

static ElfW(Dyn) dynamic_entry(const struct kr_image *image, size_t index)
{
	ElfW(Dyn) entry;

	memcpy(&entry, image->dynamic + index * sizeof(entry), sizeof(entry));
	return entry;
}

const char *
kr_image_string(const struct kr_image *image, ElfW(Addr) offset)
{
	const char *text;
	size_t room;

	if (!image->strings || offset >= image->strings_size)
		return NULL;
	text = image->strings + offset;
	room = KR_MIN(image->strings_size - offset, (size_t)MAX_STRING);
	return memchr(text, '\0', room) ? text : NULL;
}

static void
read_dynamic(struct kr_image *image)
{
	ElfW(Addr) strings = 0;
	size_t count = image->dynamic_count;

	for (size_t i = 0; i < count; i++) {
		ElfW(Dyn) entry = dynamic_entry(image, i);

		switch (entry.d_tag) {
		case DT_NULL:
			image->dynamic_count = count = i;
			break;
		case DT_STRTAB:
			strings = unmoved(image, entry.d_un.d_ptr);
			break;
		case DT_STRSZ:
			image->strings_size = entry.d_un.d_val;
			break;
		case DT_VERDEF:
			image->defined = unmoved(image, entry.d_un.d_ptr);
			break;
		case DT_VERDEFNUM:
			image->defined_count = entry.d_un.d_val;
			break;
		case DT_VERNEED:
			image->wanted = unmoved(image, entry.d_un.d_ptr);
			break;
		case DT_VERNEEDNUM:
			image->wanted_count = entry.d_un.d_val;
			break;
		}
	}
	image->strings = strings ? kr_image_at(image, strings, image->strings_size) : NULL;
}

static void
add_segment(struct kr_image *image, ElfW(Addr) address, const unsigned char *bytes, size_t size)
{
	if (image->segment_count < KR_IMAGE_MAX_SEGMENTS)
		image->segments[image->segment_count++] =
			(struct kr_image_segment){bytes, address, size};
}

/* Once the segments are there. */
static int
find_dynamic(struct kr_image *image, const ElfW(Phdr) * header)
{
	size_t size = KR_MIN(header->p_memsz, header->p_filesz);

	image->dynamic = kr_image_at(image, header->p_vaddr, size);
	image->dynamic_count = KR_MIN(size / sizeof(ElfW(Dyn)), (size_t)MAX_DYNAMIC);
	if (!image->dynamic)
		return -ENOEXEC;
	read_dynamic(image);
	return 0;
}

static int
check_header(const ElfW(Ehdr) * header)
{
	if (memcmp(header->e_ident, ELFMAG, SELFMAG))
		return -ENOEXEC;
	if (header->e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
		header->e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
		header->e_machine != __ehdr_start.e_machine || header->e_type != ET_DYN ||
		header->e_phentsize != sizeof(ElfW(Phdr)))
		return -ELIBBAD;
	return 0;
}

int
kr_image_from_bytes(const void *bytes, size_t size, struct kr_image *image)
{
	struct kr_image found = {0};
	ElfW(Phdr) header, dynamic = {0};
	ElfW(Ehdr) file;
	int ret;

	if (size < sizeof(file))
		return -ENOEXEC;
	memcpy(&file, bytes, sizeof(file));
	ret = check_header(&file);
	if (ret)
		return ret;
	if (file.e_phoff > size || file.e_phnum > (size - file.e_phoff) / sizeof(header))
		return -ELIBBAD;
	for (size_t i = 0; i < file.e_phnum; i++) {
		memcpy(&header, (const char *)bytes + file.e_phoff + i * sizeof(header),
			sizeof(header));
		if (header.p_type == PT_DYNAMIC)
			dynamic = header;
		if (header.p_type == PT_LOAD && header.p_offset < size)
			add_segment(&found, header.p_vaddr,
				(const unsigned char *)bytes + header.p_offset,
				KR_MIN(header.p_filesz, size - header.p_offset));
	}
	if (find_dynamic(&found, &dynamic))
		return -ELIBBAD;
	*image = found;
	return 0;
}

int
kr_image_from_loaded(const struct dl_phdr_info *info, struct kr_image *image)
{
	struct kr_image found = {.base = info->dlpi_addr};
	const ElfW(Phdr) *dynamic = NULL;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_DYNAMIC)
			dynamic = header;
		/* Beyond the bytes of the file may be a page that isn't there. */
		if (header->p_type == PT_LOAD && header->p_flags & PF_R)
			add_segment(&found, header->p_vaddr,
				(const unsigned char *)(info->dlpi_addr + header->p_vaddr),
				header->p_filesz);
	}
	if (!dynamic || find_dynamic(&found, dynamic))
		return -ENOEXEC;
	*image = found;
	return 0;
}

const char *
kr_image_soname(const struct kr_image *image)
{
	for (size_t i = 0; i < image->dynamic_count; i++) {
		ElfW(Dyn) entry = dynamic_entry(image, i);

		if (entry.d_tag == DT_SONAME)
			return kr_image_string(image, entry.d_un.d_val);
	}
	return NULL;
}

int
kr_image_for_each_needed(
	const struct kr_image *image, int (*each)(void *data, const char *library), void *data)
{
	int ret = 0;

	for (size_t i = 0; i < image->dynamic_count && !ret; i++) {
		ElfW(Dyn) entry = dynamic_entry(image, i);
		const char *library =
			entry.d_tag == DT_NEEDED ? kr_image_string(image, entry.d_un.d_val) : NULL;

		if (library)
			ret = each(data, library);
	}
	return ret;
}
