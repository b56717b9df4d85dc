/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files: see mapping.h. */
#include "delivery/mapping.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "util/file.h"

static int
map(int fd, struct kr_mapping *mapping)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size <= 0 ||
		(uintmax_t)status.st_size > PTRDIFF_MAX)
		return -EINVAL;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	*mapping = (struct kr_mapping){bytes, (size_t)status.st_size};
	return 0;
}

int
kr_mapping_open(const char *path, struct kr_mapping *mapping)
{
	FILE *file;
	int ret = kr_file_open(path, &file);

	if (ret)
		return ret;
	ret = map(fileno(file), mapping);
	fclose(file);
	return ret;
}

void
kr_mapping_close(struct kr_mapping *mapping)
{
	if (mapping->bytes)
		munmap((void *)mapping->bytes, mapping->size);
	*mapping = (struct kr_mapping){0};
}
