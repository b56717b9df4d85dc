/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening below a directory: see beneath.h. openat2 does it in one call; but systemd denies that
 * one with ENOSYS in services with DynamicUser= or RestrictSUIDSGID=, because a filter can't look
 * at its flags, and so do the filters of older container programs.
 *
 * By steps: the directories from root down to where we are stay open, in a stack. A name is opened
 * below the last one without following links; a link's text is put in front of what is left of the
 * path; ".." takes one off the stack, and there is none above root. So nothing that is renamed
 * meanwhile leads out.
 */
#include "service/package/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/fd.h"

#define MAX_STEPS 64
#define MAX_LINKS 40

struct steps {
	int fds[MAX_STEPS]; /* O_PATH: the first is root's own, and the last where we are */
	unsigned depth;
	unsigned links;
	char rest[PATH_MAX]; /* what is left of the path */
};

static int
follow(struct steps *steps, int link)
{
	char text[PATH_MAX];
	ssize_t len = readlinkat(link, "", text, sizeof(text) - 1);
	const size_t rest = strlen(steps->rest);

	if (len < 0)
		return -errno;
	if (++steps->links > MAX_LINKS)
		return -ELOOP;
	if (!len || text[0] == '/')
		return len ? -EXDEV : -ENOENT;
	if ((size_t)len + 1 + rest >= sizeof(steps->rest))
		return -ENAMETOOLONG;
	memmove(steps->rest + len + 1, steps->rest, rest + 1);
	memcpy(steps->rest, text, (size_t)len);
	steps->rest[len] = '/';
	return 0;
}

static int
enter(struct steps *steps, const char *name)
{
	struct stat status;
	int fd, ret = 0;

	fd = openat(steps->fds[steps->depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		ret = -errno;
	else if (S_ISLNK(status.st_mode))
		ret = follow(steps, fd);
	else if (steps->depth + 1 == MAX_STEPS)
		ret = -ELOOP;
	else {
		steps->fds[++steps->depth] = fd;
		return 0;
	}
	close(fd);
	return ret;
}

/* The next name of the path, taken off it; false at its end. */
static bool
next_name(struct steps *steps, char name[NAME_MAX + 1], int *ret)
{
	const char *begin = steps->rest + strspn(steps->rest, "/");
	const size_t len = strcspn(begin, "/");

	if (!len)
		return false;
	*ret = len > NAME_MAX ? -ENAMETOOLONG : 0;
	if (*ret)
		return false;
	memcpy(name, begin, len);
	name[len] = '\0';
	memmove(steps->rest, begin + len, strlen(begin + len) + 1);
	return true;
}

static bool
is_directory(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISDIR(status.st_mode);
}

static int
walk(struct steps *steps)
{
	char name[NAME_MAX + 1];
	int ret = 0;

	while (!ret && next_name(steps, name, &ret)) {
		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
			ret = enter(steps, name);
		else if (!is_directory(steps->fds[steps->depth]))
			ret = -ENOTDIR;
		else if (!strcmp(name, "."))
			continue;
		else if (!steps->depth)
			ret = -EXDEV;
		else
			kr_fd_close(&steps->fds[steps->depth--]);
	}
	return ret;
}

int
kr_package_open_beneath_by_steps(int root, const char *path, int flags)
{
	struct steps steps = {.depth = 0};
	int ret, fd;

	if (path[0] == '/')
		return -EXDEV;
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= sizeof(steps.rest))
		return -ENAMETOOLONG;
	strcpy(steps.rest, path);
	steps.fds[0] = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (steps.fds[0] < 0)
		return -errno;
	ret = walk(&steps);
	if (!ret && flags & O_DIRECTORY) {
		fd = openat(steps.fds[steps.depth], ".", flags | O_CLOEXEC);
		ret = fd < 0 ? -errno : fd;
	} else if (!ret) {
		ret = steps.fds[steps.depth];
		steps.fds[steps.depth] = -1;
	}
	for (unsigned i = 0; i <= steps.depth; i++)
		kr_fd_close(&steps.fds[i]);
	return ret;
}

int
kr_package_open_beneath(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	int fd;

	/*
	 * It gives EAGAIN when something was renamed meanwhile; who renames without end is not
	 * waited for.
	 */
	for (int tries = 0; tries < 16; tries++) {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	if (fd < 0 && errno == ENOSYS)
		return kr_package_open_beneath_by_steps(root, path, flags);
	return fd < 0 ? -errno : fd;
}
