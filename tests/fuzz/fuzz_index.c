/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the index of a delivered package, and what it promises of each path and name. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "delivery/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_file(const struct kr_index_file *file)
{
	if (!file->path[0] || file->path[0] == '/' || !strncmp(file->path, "../", 3) ||
		strstr(file->path, "/../") || strstr(file->path, "//") || !strcmp(file->path, ".."))
		abort();
	if (file->soname && (!file->soname[0] || strchr(file->soname, '/')))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kr_index index = {0};
	size_t drivers = 0;
	char *reason;
	int ret = kr_index_parse((const char *)data, size, &index, &reason);

	if (ret) {
		if (!reason || index.name)
			abort();
		free(reason);
		return 0;
	}
	if (reason || index.file_count > KR_INDEX_MAX_FILES)
		abort();
	for (size_t i = 0; i < index.file_count; i++) {
		check_file(&index.files[i]);
		drivers += index.files[i].role == KR_INDEX_DRIVER;
	}
	if (drivers != 1)
		abort();
	kr_index_finish(&index);
	return 0;
}
