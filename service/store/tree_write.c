/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in the store's own directories, through a descriptor of the directory. They are readable by everybody,
 * whatever the process's umask is.
 */
#include "service/store/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Watchers ignore it: its name begins with a dot. */
#define NEW_FILE ".new"

bool
kr_tree_path_is_good(const char *path)
{
	const char *part = path;

	if (strlen(path) >= PATH_MAX - sizeof(NEW_FILE))
		return false;
	for (;;) {
		const size_t len = strcspn(part, "/");

		if (!len || (len == 1 && part[0] == '.') || (len == 2 && !memcmp(part, "..", 2)))
			return false;
		if (!part[len])
			return true;
		part += len + 1;
	}
}

static int
make_folders(int directory, const char *path)
{
	char folder[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		if (mkdirat(directory, folder, 0755)) {
			if (errno == EEXIST)
				continue;
			return -errno;
		}
		if (fchmodat(directory, folder, 0755, 0))
			return -errno;
	}
	return 0;
}

static int
write_whole(int fd, const char *text, size_t size)
{
	while (size) {
		const ssize_t written = write(fd, text, size);

		if (written < 0)
			return -errno;
		text += written;
		size -= (size_t)written;
	}
	return fchmod(fd, 0444) ? -errno : 0;
}

int
kr_tree_write(int directory, const char *path, const char *text, size_t size)
{
	char temporary[PATH_MAX];
	const char *name = strrchr(path, '/');
	const int folder_len = name ? (int)(name + 1 - path) : 0;
	int fd, ret;

	if (!kr_tree_path_is_good(path))
		return -EINVAL;
	ret = make_folders(directory, path);
	if (ret)
		return ret;
	snprintf(temporary, sizeof(temporary), "%.*s%s", folder_len, path, NEW_FILE);
	fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = write_whole(fd, text, size);
	close(fd);
	if (!ret && renameat(directory, temporary, directory, path))
		ret = -errno;
	if (ret)
		unlinkat(directory, temporary, 0);
	return ret;
}

void
kr_tree_unlink(int directory, const char *path)
{
	char folder[PATH_MAX];
	char *slash;

	if (!kr_tree_path_is_good(path) || unlinkat(directory, path, 0))
		return;
	snprintf(folder, sizeof(folder), "%s", path);
	while ((slash = strrchr(folder, '/'))) {
		*slash = '\0';
		if (unlinkat(directory, folder, AT_REMOVEDIR))
			return; /* others are in it */
	}
}
