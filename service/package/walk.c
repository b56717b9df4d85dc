/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk: see walk.h. Links to directories are followed like directories, so a tree may be
 * endless: depth and number of entries are bounded.
 */
#include "service/package/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/package/beneath.h"
#include "service/package/internal.h"
#include "util/fd.h"
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
is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* scandir, with a bound on what it reads given by visit(). */
static int
walk_directory(struct walk *walk, const char *path, int depth)
{
	struct dirent **entries;
	int count, ret = 0, fd;

	if (depth > MAX_DEPTH)
		return kr_package_refuse(walk->reason, -ELOOP,
			"%s: %s lies deeper than %d directories; a link may lead to a directory above it",
			walk->name, path, MAX_DEPTH);
	fd = kr_package_open_beneath(walk->root, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return refuse_open(walk, path, fd);
	count = scandirat(fd, ".", &entries, is_entry, by_name);
	if (count < 0) {
		ret = refuse_open(walk, path, -errno);
		kr_fd_close(&fd);
		return ret;
	}
	kr_fd_close(&fd);
	for (int i = 0; i < count; i++) {
		bool top = !strcmp(path, ".");
		char *below = ret ? NULL
				  : kr_asprintf("%s%s%s", top ? "" : path, top ? "" : "/",
					    entries[i]->d_name);

		if (!ret)
			ret = below ? visit(walk, below, depth) : -ENOMEM;
		free(below);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

int
kr_package_walk(int root, const char *name, kr_package_walk_fn fn, void *data, char **reason)
{
	struct walk walk = {root, name, fn, data, reason, 0};

	return walk_directory(&walk, ".", 0);
}
