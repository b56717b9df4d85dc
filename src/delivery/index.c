/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a delivered package: see index.h. */
#include "delivery/index.h"

#include <stdlib.h>
#include <string.h>

#include "delivery/index_outside.h"
#include "util/text.h"

#define MAX_PATH 1023
#define MAX_NAME 64

static void
finish_need(struct kr_index_need *need)
{
	for (size_t i = 0; i < need->version_count; i++)
		free(need->versions[i]);
	free(need->versions);
	free(need->library);
}

static void
free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void
kr_index_finish(struct kr_index *index)
{
	for (size_t i = 0; i < index->file_count; i++) {
		free(index->files[i].path);
		free(index->files[i].soname);
	}
	for (size_t i = 0; i < index->need_count; i++)
		finish_need(&index->needs[i]);
	for (size_t i = 0; i < index->variable_count; i++)
		free(index->variables[i].name);
	free_list(index->nodes);
	free_list(index->system_paths);
	free(index->variables);
	free(index->files);
	free(index->needs);
	free(index->name);
	free(index->driver);
	*index = (struct kr_index){0};
}

bool
kr_index_is_plain(const char *text, size_t max)
{
	size_t len = text ? strlen(text) : 0;

	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	}
	return len && len <= max;
}

bool
kr_index_is_path(const char *path)
{
	const char *part = path;

	if (!kr_index_is_plain(path, MAX_PATH) || !strcmp(path, KR_INDEX_FILE))
		return false;
	for (;;) {
		size_t len = strcspn(part, "/");

		if (!len || (len == 1 && part[0] == '.') || (len == 2 && !strncmp(part, "..", 2)))
			return false;
		if (!part[len])
			return true;
		part += len + 1;
	}
}

bool
kr_index_is_system_path(const char *path)
{
	static const char below[] = "/usr/share/";

	if (path[0] != '/' || !kr_index_is_path(path + 1))
		return false;
	return !strcmp(path, "/sys") || !strncmp(path, "/sys/", 5) ||
		!strncmp(path, below, strlen(below));
}

bool
kr_index_is_variable(const char *name)
{
	static const char *const prefixes[] = {"LD_", "VK_", "KRAFLA_"};
	static const char *const names[] = {"PATH", "HOME", "SHELL", "USER"};
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	size_t length = strlen(name);

	if (!length || length > MAX_NAME || strspn(name, letters) != length ||
		(name[0] >= '0' && name[0] <= '9'))
		return false;
	for (size_t i = 0; i < KR_ARRAY_LEN(prefixes); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return false;
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (!strcmp(name, names[i]))
			return false;
	}
	return true;
}

char *
kr_index_variable_value(const struct kr_index *index, size_t variable, bool mount, const int *fds)
{
	size_t file = index->variables[variable].file;

	return mount ? kr_asprintf("/proc/self/fd/%d/%s", fds[0], index->files[file].path)
		     : kr_asprintf("/proc/self/fd/%d", fds[file + 1]);
}
