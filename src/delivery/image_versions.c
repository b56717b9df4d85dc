/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version tables of a library (LSB core specification, "Symbol versioning"): lists of entries,
 * each with a list of names, linked by distances. A broken list could be walked for ever or in
 * circles: how many steps are taken in all is limited, and each goes forward.
 */
#include <elf.h>
#include <string.h>

#include "delivery/image.h"
#include "util/macros.h"

#define MAX_STEPS 16384 /* of a whole table; glibc's has 60 */

/* The same structures for both word sizes. */
_Static_assert(sizeof(ElfW(Verdef)) == sizeof(Elf32_Verdef), "Verdef");
_Static_assert(sizeof(ElfW(Verneed)) == sizeof(Elf32_Verneed), "Verneed");

static bool
read_at(const struct kr_image *image, ElfW(Addr) address, void *out, size_t size)
{
	const void *bytes = kr_image_at(image, address, size);

	if (bytes)
		memcpy(out, bytes, size);
	return bytes;
}

bool
kr_image_has_versions(const struct kr_image *image)
{
	ElfW(Verdef) entry;

	return image->defined && image->defined_count && image->strings &&
		read_at(image, image->defined, &entry, sizeof(entry)) &&
		entry.vd_version == VER_DEF_CURRENT;
}

int
kr_image_for_each_defined(
	const struct kr_image *image, int (*each)(void *data, const char *version), void *data)
{
	size_t left = KR_MIN(image->defined_count, (size_t)MAX_STEPS);
	ElfW(Addr) address = image->defined;
	ElfW(Verdaux) name;
	ElfW(Verdef) entry;
	int ret = 0;

	while (address && left-- && !ret && read_at(image, address, &entry, sizeof(entry)) &&
		read_at(image, address + entry.vd_aux, &name, sizeof(name))) {
		const char *version = kr_image_string(image, name.vda_name);

		/* The base version is the file's own name. */
		if (version && !(entry.vd_flags & VER_FLG_BASE))
			ret = each(data, version);
		address = entry.vd_next ? address + entry.vd_next : 0;
	}
	return ret;
}

static int
is_equal(void *data, const char *version)
{
	return !strcmp(data, version);
}

bool
kr_image_defines(const struct kr_image *image, const char *version)
{
	return kr_image_for_each_defined(image, is_equal, (void *)version);
}

int
kr_image_for_each_wanted(const struct kr_image *image,
	int (*each)(void *data, const char *library, const char *version), void *data)
{
	size_t left = KR_MIN(image->wanted_count, (size_t)MAX_STEPS), steps = MAX_STEPS;
	ElfW(Addr) address = image->wanted;
	ElfW(Verneed) entry;
	int ret = 0;

	while (address && left-- && !ret && read_at(image, address, &entry, sizeof(entry))) {
		const char *library = kr_image_string(image, entry.vn_file);
		ElfW(Addr) name_at = address + entry.vn_aux;
		ElfW(Vernaux) name;

		for (size_t i = 0; i < entry.vn_cnt && steps && !ret &&
			read_at(image, name_at, &name, sizeof(name));
			i++, steps--) {
			const char *version = kr_image_string(image, name.vna_name);

			if (library && version && !(name.vna_flags & VER_FLG_WEAK))
				ret = each(data, library, version);
			if (!name.vna_next)
				break;
			name_at += name.vna_next;
		}
		address = entry.vn_next ? address + entry.vn_next : 0;
	}
	return ret;
}
