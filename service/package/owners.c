/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who can write a package: see owners.h. A path is gone along step by step, as the kernel does it:
 * who may write the directory that a link lies in decides where it leads. Pinned files are asked
 * themselves, too, since their owner may have given others the right to write, or the file, before
 * the path was made safe.
 */
#include "service/package/owners.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/package/component.h"
#include "service/package/internal.h"
#include "service/users/credentials.h"
#include "util/fd.h"

#define MAX_LINKS 40 /* as the kernel's */

struct way {
	uid_t own;
	bool has_hidden; /* users without a number in this namespace: root is one of them */
	uid_t hidden;
	int at; /* the directory that has been reached; O_PATH */
	int links;
	char rest[PATH_MAX]; /* what is still to be gone */
	char gone[PATH_MAX]; /* for messages */
	char **reason;
};

static bool
owns_well(const struct way *way, uid_t uid)
{
	return !uid || uid == way->own || (way->has_hidden && uid == way->hidden);
}

static int
check_status(const struct way *way, const char *path, const struct stat *status)
{
	const unsigned others = status->st_mode & (S_IWGRP | S_IWOTH);

	if (!owns_well(way, status->st_uid))
		return kr_package_refuse(way->reason, -EPERM,
			"%s belongs to user %u: drivers are taken only from what root or user %u, who runs this service, owns",
			path, (unsigned)status->st_uid, (unsigned)way->own);
	/* Rights of links mean nothing, and in a sticky directory each entry's owner decides. */
	if (!others || S_ISLNK(status->st_mode) ||
		(S_ISDIR(status->st_mode) && status->st_mode & S_ISVTX))
		return 0;
	return kr_package_refuse(way->reason, -EPERM,
		"%s can be written by %s (mode %04o): drivers are taken only from where nobody but their owner can write: chmod go-w '%s'",
		path, others & S_IWOTH ? "everybody" : "its group",
		(unsigned)status->st_mode & 07777, path);
}

static int
refuse_step(const struct way *way, int error)
{
	/* It was there when it was read. */
	return kr_package_refuse(way->reason, error == -ENOENT ? -EAGAIN : error,
		"%s can't be looked at: %s", way->gone, strerror(-error));
}

/* Goes on from the root: where a path begins, and where an absolute link leads. */
static int
go_to_root(struct way *way)
{
	struct stat status;
	const int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	strcpy(way->gone, "/");
	if (root < 0 || fstat(root, &status)) {
		const int error = -errno;

		if (root >= 0)
			close(root);
		return refuse_step(way, error);
	}
	kr_fd_close(&way->at);
	way->at = root;
	return check_status(way, "/", &status);
}

/* Takes the next name from the rest. False: there is none. */
static bool
next_name(struct way *way, char name[NAME_MAX + 1], int *error)
{
	char *begin = way->rest + strspn(way->rest, "/");
	const size_t len = strcspn(begin, "/");

	*error = len > NAME_MAX ? -ENAMETOOLONG : 0;
	if (!len || *error)
		return false;
	memcpy(name, begin, len);
	name[len] = '\0';
	memmove(way->rest, begin + len, strlen(begin + len) + 1);
	return true;
}

static int
note_name(struct way *way, const char *name)
{
	const size_t len = strlen(way->gone);

	if (snprintf(way->gone + len, sizeof(way->gone) - len, "%s%s", len > 1 ? "/" : "", name) >=
		(int)(sizeof(way->gone) - len))
		return -ENAMETOOLONG;
	return 0;
}

static int
follow(struct way *way, int link)
{
	char target[PATH_MAX], *slash = strrchr(way->gone, '/');
	const ssize_t len = readlinkat(link, "", target, sizeof(target));
	const size_t rest = strlen(way->rest);

	if (len < 0)
		return refuse_step(way, -errno);
	if (++way->links > MAX_LINKS)
		return refuse_step(way, -ELOOP);
	if ((size_t)len + 1 + rest >= sizeof(way->rest))
		return refuse_step(way, -ENAMETOOLONG);
	memmove(way->rest + len + 1, way->rest, rest + 1);
	memcpy(way->rest, target, (size_t)len);
	way->rest[len] = '/';
	slash[slash == way->gone] = '\0';
	return target[0] == '/' ? go_to_root(way) : 0;
}

static int
step(struct way *way, const char *name)
{
	struct stat status;
	int ret = note_name(way, name), fd;

	if (ret)
		return refuse_step(way, ret);
	fd = openat(way->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status)) {
		ret = refuse_step(way, -errno);
	} else {
		ret = check_status(way, way->gone, &status);
		if (!ret && S_ISLNK(status.st_mode)) {
			ret = follow(way, fd);
		} else if (!ret) {
			kr_fd_close(&way->at);
			way->at = fd;
			return 0;
		}
	}
	kr_fd_close(&fd);
	return ret;
}

static int
go(struct way *way, const char *path)
{
	char name[NAME_MAX + 1];
	int ret;

	way->links = 0;
	if (path[0] != '/' || strlen(path) >= sizeof(way->rest))
		return kr_package_refuse(way->reason, -EINVAL, "%s is no absolute path", path);
	strcpy(way->rest, path);
	ret = go_to_root(way);
	while (!ret && next_name(way, name, &ret))
		ret = step(way, name);
	return ret == -ENAMETOOLONG && !*way->reason ? refuse_step(way, ret) : ret;
}

static int
check_file(struct way *way, const struct kr_package *package, const struct kr_package_file *file)
{
	char path[PATH_MAX];
	struct stat status;
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", package->contents, file->path) >=
		(int)sizeof(path))
		return kr_package_refuse(way->reason, -ENAMETOOLONG, "%s is too long", file->path);
	if (fstat(file->fd, &status))
		return kr_package_refuse(way->reason, -errno, "%s can't be looked at: %s",
			file->path, strerror(errno));
	ret = go(way, path);
	return ret ? ret : check_status(way, path, &status);
}

static int
check_component(struct way *way, const struct kr_package *package)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" KR_COMPONENT_FILE, package->path) >=
		(int)sizeof(path))
		return kr_package_refuse(
			way->reason, -ENAMETOOLONG, "%s is too long", package->path);
	return go(way, path);
}

int
kr_package_check_owners(const struct kr_package *package, char **reason)
{
	struct way way = {.own = geteuid(), .at = -1, .reason = reason};
	int ret;

	*reason = NULL;
	way.has_hidden = kr_credentials_hidden_users(&way.hidden);
	ret = package->component ? check_component(&way, package) : 0;
	if (!ret)
		ret = go(&way, package->metadata_file);
	for (size_t i = 0; i < package->file_count && !ret; i++)
		ret = check_file(&way, package, &package->files[i]);
	kr_fd_close(&way.at);
	return ret;
}
