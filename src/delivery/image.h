/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a shared library says of itself in its dynamic section: its name, what it needs, and the
 * symbol versions that it defines and wants. Of a file, or of a library that is loaded in this
 * process; of the word size and byte order of this process alone, for others can't be loaded
 * anyway.
 *
 * Every offset is checked against the file's bytes, or the loaded segments: a file may be
 * anybody's. Tables that are missing or broken are no error: they say nothing, and
 * kr_image_has_versions is false.
 *
 * Thread-safety: no state. An image of a loaded library is valid as long as that stays loaded, one
 * of a file as long as its bytes.
 */
#ifndef KR_DELIVERY_IMAGE_H
#define KR_DELIVERY_IMAGE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

#define KR_IMAGE_MAX_SEGMENTS 32

struct kr_image_segment {
	const unsigned char *bytes;
	ElfW(Addr) address; /* as the file says it */
	size_t size;
};

struct kr_image {
	struct kr_image_segment segments[KR_IMAGE_MAX_SEGMENTS];
	size_t segment_count;
	const unsigned char *dynamic;
	size_t dynamic_count;
	const char *strings;
	size_t strings_size;
	ElfW(Addr) base;            /* of a loaded library: what its addresses were moved by */
	ElfW(Addr) defined, wanted; /* DT_VERDEF, DT_VERNEED; 0: none */
	size_t defined_count, wanted_count;
};

/* 0; -ENOEXEC no ELF file; -ELIBBAD one that this process can't load, or no shared library. */
int kr_image_from_bytes(const void *bytes, size_t size, struct kr_image *image) KR_MUST_CHECK;
/* Of what dl_iterate_phdr says of a library. -ENOEXEC when it has no dynamic section. */
int kr_image_from_loaded(const struct dl_phdr_info *info, struct kr_image *image) KR_MUST_CHECK;

/* `size` bytes at an address of the file, or NULL when they aren't all there; a name, or NULL. */
const void *kr_image_at(const struct kr_image *image, ElfW(Addr) address, size_t size);
const char *kr_image_string(const struct kr_image *image, ElfW(Addr) offset);

/* DT_SONAME, or NULL. */
const char *kr_image_soname(const struct kr_image *image);
/* Each DT_NEEDED. Ends when each() returns other than 0, and returns that. */
int kr_image_for_each_needed(
	const struct kr_image *image, int (*each)(void *data, const char *library), void *data);

/* Whether it says which versions it defines. Libraries that know no versions don't. */
bool kr_image_has_versions(const struct kr_image *image);
bool kr_image_defines(const struct kr_image *image, const char *version);
int kr_image_for_each_defined(
	const struct kr_image *image, int (*each)(void *data, const char *version), void *data);
/*
 * Each version that it wants of another library; those that it can do without (weak) are left out.
 */
int kr_image_for_each_wanted(const struct kr_image *image,
	int (*each)(void *data, const char *library, const char *version), void *data);

#endif
