/* SPDX-License-Identifier: Apache-2.0 */
/* Finding and reading the files of allow lists: see allow.h. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/package/allow.h"
#include "service/package/internal.h"
#include "util/array.h"
#include "util/env.h"
#include "util/fd.h"
#include "util/text.h"

#define SUFFIX ".txt"

static bool
is_directory(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/*
 * What belongs to this program, as installed or as built; else where it was to be installed. NULL
 * without memory.
 */
static char *
find_directory(void)
{
	static const char *const places[] = {"../share/krafla/platform", "platform",
		"../service/platform", "../../service/platform", "../../../service/platform"};
	const char *said = kr_env_get("KRAFLA_PLATFORM");
	char self[PATH_MAX], *slash, *path;
	ssize_t len;

	if (said)
		return strdup(said);
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[len < 0 ? 0 : len] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < KR_ARRAY_LEN(places); i++) {
		path = kr_asprintf("%.*s/%s", (int)(slash - self), self, places[i]);
		if (!path || is_directory(path))
			return path;
		free(path);
	}
	return strdup(KRAFLA_PLATFORM_DIRECTORY);
}

/* The version of a list by its name, "12.txt"; 0: it is no list. */
static unsigned
version_of(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	if (!digits || digits > 6 || name[0] == '0' || strcmp(name + digits, SUFFIX) != 0)
		return 0;
	return (unsigned)strtoul(name, NULL, 10);
}

static int
read_list(const char *path, unsigned version, struct kr_allow_list **list, char **reason)
{
	struct stat status;
	char *text = NULL;
	size_t size;
	int fd = -1, ret = kr_package_pin_path(path, &fd, &status);

	if (!ret)
		ret = kr_package_read_text(fd, &text, &size);
	kr_fd_close(&fd);
	if (ret)
		return kr_package_refuse(
			reason, ret, "the allow list %s can't be read: %s", path, strerror(-ret));
	ret = kr_allow_parse(path, text, size, list, reason);
	free(text);
	if (ret || (*list)->version == version)
		return ret;
	ret = kr_package_refuse(reason, -EINVAL, "%s: it says platform %u, and isn't called so",
		path, (*list)->version);
	kr_allow_destroy(*list);
	return ret;
}

static int
add_list(struct kr_allow_lists *lists, const char *directory, unsigned version, char **reason)
{
	struct kr_allow_list *list, **place;
	char *path = kr_asprintf("%s/%u" SUFFIX, directory, version);
	int ret = path ? read_list(path, version, &list, reason) : -ENOMEM;

	free(path);
	if (ret)
		return ret;
	place = kr_array_add(&lists->lists, &lists->count, &lists->room, sizeof(*place));
	if (!place) {
		kr_allow_destroy(list);
		return -ENOMEM;
	}
	*place = list;
	return 0;
}

struct versions {
	unsigned *numbers;
	size_t count, room;
};

static int
by_number(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return left < right ? -1 : left > right;
}

static int
list_versions(const char *directory, struct versions *versions, char **reason)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	int ret = 0;

	if (!entries)
		return kr_package_refuse(reason, -errno,
			"the directory of allow lists %s can't be read: %s", directory,
			strerror(errno));
	while (!ret && (entry = readdir(entries))) {
		unsigned version = version_of(entry->d_name), *place;

		if (!version)
			continue;
		place = kr_array_add(
			&versions->numbers, &versions->count, &versions->room, sizeof(*place));
		if (place)
			*place = version;
		else
			ret = -ENOMEM;
	}
	closedir(entries);
	if (!ret && versions->count)
		qsort(versions->numbers, versions->count, sizeof(*versions->numbers), by_number);
	return ret;
}

/* Which versions there are, for a message. */
static int
refuse_version(
	const char *directory, const struct versions *versions, unsigned version, char **reason)
{
	char name[32];

	snprintf(name, sizeof(name), "%u" SUFFIX, version);
	if (!versions->count)
		return kr_package_refuse(reason, -ENOENT,
			"there is no allow list in %s: a file like 1" SUFFIX " is missing",
			directory);
	return kr_package_refuse(reason, -ENOENT,
		"platform version %u isn't known here: %s/%s is missing; there are versions %u to %u",
		version, directory, name, versions->numbers[0],
		versions->numbers[versions->count - 1]);
}

static int
read_from(const char *directory, unsigned version, struct versions *versions,
	struct kr_allow_lists *lists, char **reason)
{
	int ret = list_versions(directory, versions, reason);
	size_t first = versions->count ? versions->count - 1 : 0;

	if (ret)
		return ret;
	for (size_t i = 0; version && i < versions->count; i++) {
		if (versions->numbers[i] == version)
			first = i;
	}
	if (!versions->count || (version && versions->numbers[first] != version))
		return refuse_version(directory, versions, version, reason);
	for (size_t i = first; !ret && i < versions->count; i++)
		ret = add_list(lists, directory, versions->numbers[i], reason);
	return ret;
}

int
kr_allow_read(unsigned version, struct kr_allow_lists *lists, char **reason)
{
	struct versions versions = {0};
	char *directory = find_directory();
	int ret;

	*reason = NULL;
	*lists = (struct kr_allow_lists){0};
	ret = directory ? read_from(directory, version, &versions, lists, reason) : -ENOMEM;
	free(versions.numbers);
	free(directory);
	if (ret)
		kr_allow_finish(lists);
	return ret;
}

void
kr_allow_finish(struct kr_allow_lists *lists)
{
	for (size_t i = 0; i < lists->count; i++)
		kr_allow_destroy(lists->lists[i]);
	free(lists->lists);
	*lists = (struct kr_allow_lists){0};
}
