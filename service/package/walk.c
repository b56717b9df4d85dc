/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk: see walk.h. Links to directories are followed like directories, so a tree may be
 * endless: depth and number of entries are bounded.
 */
#include "service/package/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/package/beneath.h"
#include "service/package/internal.h"
#include "util/fd.h"
#include "util/macros.h"
#include "util/text.h"

#define MAX_DEPTH   16
#define MAX_ENTRIES 4096

struct walk {
	int root;
	const char *name;
	kr_package_walk_fn fn;
	void *data;
	char **reason;
	unsigned entries;
};

static int
refuse_open(const struct walk *walk, const char *path, int ret)
{
	struct stat status;

	if (ret == -EXDEV)
		return kr_package_refuse(walk->reason, -EINVAL,
			"%s: %s is a link that leads out of the contents", walk->name, path);
	if (ret == -ENOENT && !fstatat(walk->root, path, &status, AT_SYMLINK_NOFOLLOW))
		return kr_package_refuse(
			walk->reason, -EINVAL, "%s: %s is a link to nothing", walk->name, path);
	if (ret == -ENOENT)
		return kr_package_refuse(walk->reason, -EAGAIN,
			"%s: %s was removed while it was read", walk->name, path);
	return kr_package_refuse(
		walk->reason, ret, "%s: %s can't be opened: %s", walk->name, path, strerror(-ret));
}

static int walk_directory(struct walk *walk, const char *path, int depth);

static int
visit(struct walk *walk, const char *path, int depth)
{
	struct stat status;
	int ret, fd;

	if (++walk->entries > MAX_ENTRIES)
		return kr_package_refuse(walk->reason, -EFBIG,
			"%s: it has more than %d entries; a link may lead to a directory above it",
			walk->name, MAX_ENTRIES);
	if (!kr_package_path_is_good(path))
		return kr_package_refuse(walk->reason, -EINVAL,
			"%s: it has a file whose name isn't printable", walk->name);
	if (!strcmp(path, KR_INDEX_FILE))
		return kr_package_refuse(walk->reason, -EINVAL,
			"%s: the name " KR_INDEX_FILE " is Krafla's own", walk->name);
	fd = kr_package_open_beneath(walk->root, path, O_PATH);
	if (fd < 0)
		return refuse_open(walk, path, fd);
	if (fstat(fd, &status))
		ret = refuse_open(walk, path, -errno);
	else if (S_ISDIR(status.st_mode))
		ret = walk_directory(walk, path, depth + 1);
	else
		ret = walk->fn(walk->data, path, fd, &status, walk->reason);
	kr_fd_close(&fd);
	return ret;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
free_names(char **names)
{
	for (char **name = names; name && *name; name++)
		free(*name);
	free(names);
}

/* Takes fd. As many names as may still be visited, and one more; a list that ends with NULL. */
static int
read_names(const struct walk *walk, int take_fd, char ***names, size_t *count)
{
	const size_t most = MAX_ENTRIES + 1 - KR_MIN(walk->entries, (unsigned)MAX_ENTRIES);
	DIR *directory = fdopendir(take_fd);
	const struct dirent *entry;
	int ret = directory ? 0 : -errno;

	*count = 0;
	*names = calloc(most + 1, sizeof(**names));
	if (!*names)
		ret = -ENOMEM;
	while (!ret && *count < most) {
		errno = 0;
		entry = readdir(directory);
		if (!entry) {
			ret = -errno;
			break;
		}
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		(*names)[*count] = strdup(entry->d_name);
		if (!(*names)[(*count)++])
			ret = -ENOMEM;
	}
	if (directory)
		closedir(directory);
	else
		close(take_fd);
	return ret;
}

static int
walk_directory(struct walk *walk, const char *path, int depth)
{
	const bool top = !strcmp(path, ".");
	char **names = NULL;
	size_t count = 0;
	int ret, fd;

	if (depth > MAX_DEPTH)
		return kr_package_refuse(walk->reason, -ELOOP,
			"%s: %s lies deeper than %d directories; a link may lead to a directory above it",
			walk->name, path, MAX_DEPTH);
	fd = kr_package_open_beneath(walk->root, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return refuse_open(walk, path, fd);
	ret = read_names(walk, fd, &names, &count);
	if (ret)
		ret = refuse_open(walk, path, ret);
	else
		qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 0; i < count && !ret; i++) {
		char *below = kr_asprintf("%s%s%s", top ? "" : path, top ? "" : "/", names[i]);

		ret = below ? visit(walk, below, depth) : -ENOMEM;
		free(below);
	}
	free_names(names);
	return ret;
}

int
kr_package_walk(int root, const char *name, kr_package_walk_fn fn, void *data, char **reason)
{
	struct walk walk = {root, name, fn, data, reason, 0};

	return walk_directory(&walk, ".", 0);
}
