/* SPDX-License-Identifier: Apache-2.0 */
/* A package that came as a mount: the root and every file of the index must be on mounts that nobody writes to. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "delivery/take.h"
#include "util/file.h"
#include "util/text.h"

static int
check_mount_flags(int fd, const char *what, unsigned long denied, char **reason)
{
	struct statvfs system;

	if (fstatvfs(fd, &system)) {
		*reason = kr_asprintf(
			"the mount of %s can't be asked for its flags: %s", what, strerror(errno));
		return -EPERM;
	}
	if (!(system.f_flag & ST_RDONLY) || !(system.f_flag & ST_NOSUID)) {
		*reason = kr_asprintf("the mount of %s isn't read-only and nosuid: what a process "
				      "loads must not change under it",
			what);
		return -EPERM;
	}
	if (system.f_flag & denied) {
		*reason =
			kr_asprintf("the mount of %s forbids to run what is in it (noexec)", what);
		return -EPERM;
	}
	return 0;
}

/* A file of a mount may be a mount of its own, so each is looked at. */
static int
check_mounted_file(
	const struct kr_delivery *delivery, const char *root, size_t number, char **reason)
{
	const struct kr_index_file *entry = &delivery->index.files[number];
	char path[KR_DELIVERY_PATH_SIZE];
	struct stat status;
	FILE *file;
	int ret = kr_delivery_path(delivery, root, number, path, reason);

	if (ret)
		return ret;
	ret = kr_file_open(path, &file);
	if (ret) {
		*reason = kr_asprintf("%s can't be opened: %s", entry->path, strerror(-ret));
		return -EINVAL;
	}
	if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode)) {
		*reason = kr_asprintf("%s is no regular file", entry->path);
		ret = -EINVAL;
	} else {
		ret = check_mount_flags(fileno(file), entry->path,
			entry->role == KR_INDEX_DATA ? 0 : ST_NOEXEC, reason);
	}
	fclose(file);
	return ret;
}

static int
read_mounted_index(struct kr_delivery *delivery, const char *root, char **reason)
{
	char path[KR_FD_NAME_SIZE + sizeof("/" KR_INDEX_FILE)];
	struct stat status;
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "%s/%s", root, KR_INDEX_FILE);
	ret = kr_file_open(path, &file);
	if (ret) {
		*reason = kr_asprintf(
			"its index %s can't be opened: %s", KR_INDEX_FILE, strerror(-ret));
		return ret == -EMFILE || ret == -ENFILE ? ret : -EINVAL;
	}
	if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode)) {
		*reason = kr_asprintf("its index %s is no regular file", KR_INDEX_FILE);
		ret = -EINVAL;
	} else {
		ret = kr_take_index(delivery, fileno(file), status.st_size, reason);
	}
	fclose(file);
	return ret;
}

int
kr_take_mount(struct kr_delivery *delivery, char **reason)
{
	char root[KR_FD_NAME_SIZE];
	struct stat status;
	int ret;

	if (delivery->fd_count != 1 || fstat(delivery->fds[0], &status) ||
		!S_ISDIR(status.st_mode)) {
		*reason = kr_asprintf("what came isn't one directory");
		return -EINVAL;
	}
	ret = check_mount_flags(delivery->fds[0], "the package", 0, reason);
	if (!ret)
		ret = kr_delivery_root(delivery, root, reason);
	if (!ret)
		ret = read_mounted_index(delivery, root, reason);
	for (size_t i = 0; i < delivery->index.file_count && !ret; i++)
		ret = check_mounted_file(delivery, root, i, reason);
	return ret;
}
