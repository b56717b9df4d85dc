/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /etc/ld.so.cache: a header, entries, and strings, to which the entries point by their distance
 * from the header (glibc, sysdeps/generic/dl-cache.h, format 1.1). A table of an older format may
 * stand before it in the same file.
 */
#include "delivery/ld_cache.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAGIC      "glibc-ld.so.cache1.1"
#define MAGIC_SIZE (sizeof(MAGIC) - 1)

struct header {
	char magic[MAGIC_SIZE];
	uint32_t count;
	uint32_t strings_size;
	uint32_t unused[5];
};

struct entry {
	int32_t flags; /* the machine: each has values of its own */
	uint32_t name;
	uint32_t path;
	uint32_t os_version;
	uint64_t hwcap; /* not 0: only for some processors */
};

static const char *
string(const unsigned char *cache, size_t size, uint32_t offset)
{
	if (offset >= size || !memchr(cache + offset, '\0', size - offset))
		return NULL;
	return (const char *)cache + offset;
}

/* With its end, and all of it before the cache's. */
static bool
is_at(const unsigned char *cache, size_t size, uint32_t offset, const char *text)
{
	const size_t length = strlen(text) + 1;

	return offset < size && length <= size - offset && !memcmp(cache + offset, text, length);
}

int
kr_ld_cache_for_each(const void *bytes, size_t size, const char *soname,
	int (*each)(void *data, const char *path), void *data)
{
	const unsigned char *cache = memmem(bytes, size, MAGIC, MAGIC_SIZE);
	struct header header;
	int ret = 0;

	if (!cache)
		return 0;
	size -= (size_t)(cache - (const unsigned char *)bytes);
	if (size < sizeof(header))
		return 0;
	memcpy(&header, cache, sizeof(header));
	if (header.count > (size - sizeof(header)) / sizeof(struct entry))
		return 0;
	for (size_t i = 0; i < header.count && !ret; i++) {
		const char *path;
		struct entry entry;

		memcpy(&entry, cache + sizeof(header) + i * sizeof(entry), sizeof(entry));
		if (entry.hwcap || !is_at(cache, size, entry.name, soname))
			continue;
		path = string(cache, size, entry.path);
		if (path)
			ret = each(data, path);
	}
	return ret;
}
