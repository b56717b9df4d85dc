/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the index of a delivered package, and what it promises of each path and name. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "delivery/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_path(const char *path)
{
	if (!path[0] || path[0] == '/' || !strncmp(path, "../", 3) || strstr(path, "/../") ||
		strstr(path, "//") || !strcmp(path, ".."))
		abort();
}

static void
check_file(const struct kr_index_file *file)
{
	check_path(file->path);
	if (file->soname && (!file->soname[0] || strchr(file->soname, '/')))
		abort();
}

/* What a launcher binds and sets. */
static void
check_outside(const struct kr_index *index)
{
	for (char **node = index->nodes; node && *node; node++)
		check_path(*node);
	for (char **path = index->system_paths; path && *path; path++) {
		check_path(*path + 1);
		if (strncmp(*path, "/sys", 4) != 0 && strncmp(*path, "/usr/share/", 11) != 0)
			abort();
	}
	for (size_t i = 0; i < index->variable_count; i++) {
		if (index->variables[i].file >= index->file_count ||
			!kr_index_is_variable(index->variables[i].name))
			abort();
	}
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
	check_outside(&index);
	kr_index_finish(&index);
	return 0;
}
