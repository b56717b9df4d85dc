/* SPDX-License-Identifier: Apache-2.0 */
/* Places of files: see place.h. */
#include "tools/run/place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tools/command/command.h"
#include "util/clock.h"
#include "util/fd.h"

#define LINKS_MAX 40 /* as the kernel's */
#define TRIES     100

/*
 * Opens the folder of `path`, which begins at the place's folder so far, and names what is in it.
 */
static int
step(struct kr_place *place, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *folder = !slash ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
	int fd;

	free(place->name);
	place->name = strdup(name);
	if (!folder || !place->name) {
		free(folder);
		return -ENOMEM;
	}
	fd = openat(place->folder, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (fd < 0)
		return -errno;
	if (place->folder >= 0)
		close(place->folder);
	place->folder = fd;
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EISDIR;
	if (fstatat(fd, name, &place->found, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	place->found = (struct stat){0};
	return errno == ENOENT ? 0 : -errno;
}

static bool
in_proc(const struct kr_place *place)
{
	struct statfs fs;

	return fstatfs(place->folder, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * Links are followed one by one, because what is replaced is the last one's target,
 * in its own folder.
 */
static int
follow(struct kr_place *place)
{
	char target[4096];

	for (int links = 0; S_ISLNK(place->found.st_mode); links++) {
		ssize_t len = readlinkat(place->folder, place->name, target, sizeof(target));
		int err;

		if (len < 0)
			return -errno;
		if (links == LINKS_MAX || len == (ssize_t)sizeof(target))
			return -ELOOP;
		/* What such a link says ("pipe:[4711]", "/gone (deleted)") isn't where it leads. */
		if (in_proc(place)) {
			place->to_write_to = true;
			return fstatat(place->folder, place->name, &place->found, 0) ? -errno : 0;
		}
		target[len] = '\0';
		err = step(place, target);
		if (err < 0)
			return err;
	}
	return 0;
}

int
kr_place_find(struct kr_place *place, const char *path, enum kr_place_links links)
{
	struct stat st;
	int err;

	*place = KR_PLACE_NONE;
	if (!*path)
		return -ENOENT;
	/* The kernel refuses links of others in shared folders, and would not be asked below. */
	if (links == KR_PLACE_FOLLOW && stat(path, &st) && errno != ENOENT)
		return -errno;
	err = step(place, path);
	if (err == 0 && links == KR_PLACE_FOLLOW)
		err = follow(place);
	if (err < 0)
		return err;
	if (S_ISDIR(place->found.st_mode))
		return -EISDIR;
	if (!place->found.st_mode && in_proc(place))
		return -ENOENT;
	if (place->found.st_mode && !S_ISREG(place->found.st_mode) &&
		!S_ISLNK(place->found.st_mode))
		place->to_write_to = true;
	return 0;
}

void
kr_place_finish(struct kr_place *place)
{
	int err = kr_place_put_file(place, -ECANCELED);

	(void)err;
	if (place->folder >= 0)
		close(place->folder);
	free(place->name);
	*place = KR_PLACE_NONE;
}

static uint64_t
random_number(void)
{
	static _Atomic uint64_t count;
	uint64_t number;

	/*
	 * Without it, O_EXCL still keeps what is there; a name that can be guessed is
	 * only in the way.
	 */
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
		number = (uint64_t)kr_clock_now() * 2654435761u + (uint64_t)getpid() + count++;
	return number;
}

int
kr_place_create_file(struct kr_place *place)
{
	const struct stat *old = &place->found;
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		snprintf(place->part, sizeof(place->part), ".krafla-%016llx",
			(unsigned long long)random_number());
		fd = openat(place->folder, place->part,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		place->part[0] = '\0';
		return -errno;
	}
	place->fd = fd;
	if (S_ISREG(old->st_mode)) {
		/* Who may not give files away keeps this one. */
		if (old->st_uid != geteuid() || old->st_gid != getegid())
			(void)!fchown(fd, old->st_uid, old->st_gid);
		(void)!fchmod(fd, old->st_mode & 0777);
	}
	return 0;
}

int
kr_place_put_file(struct kr_place *place, int err)
{
	if (place->fd >= 0 && close(place->fd) && err == 0)
		err = -errno;
	place->fd = -1;
	if (!place->part[0])
		return err;
	if (err == 0 && renameat(place->folder, place->part, place->folder, place->name))
		err = -errno;
	if (err < 0)
		unlinkat(place->folder, place->part, 0);
	place->part[0] = '\0';
	return err;
}

/* The descriptor of this process that a link in /proc/self/fd stands for; -1: it is none. */
static int
own_descriptor(const struct kr_place *place)
{
	char *end;
	long number = strtol(place->name, &end, 10);
	struct stat st;

	if (!place->to_write_to || *end || number < 0 || number > INT32_MAX || !in_proc(place) ||
		fstat((int)number, &st) || st.st_dev != place->found.st_dev ||
		st.st_ino != place->found.st_ino)
		return -1;
	return (int)number;
}

int
kr_place_open(const struct kr_place *place, int *fd)
{
	int own = own_descriptor(place), opened;
	int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

	if (own >= 0)
		return kr_fd_dup(own, fd);
	if (S_ISREG(place->found.st_mode))
		flags |= O_APPEND;
	opened = openat(place->folder, place->name, flags);
	if (opened < 0)
		return -errno;
	*fd = opened;
	return 0;
}

int
kr_write_all(int fd, const void *data, size_t len)
{
	const uint8_t *next = data;

	while (len) {
		struct pollfd room = {.fd = fd, .events = POLLOUT};
		ssize_t written = write(fd, next, len);

		if (written == 0)
			return -EIO;
		if (written > 0) {
			next += written;
			len -= (size_t)written;
		} else if (errno == EAGAIN) {
			int ready = kr_fd_poll(&room, 1, KR_FOREVER);

			if (ready < 0)
				return ready;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* --- for the command line --- */

static void
tell_not_found(const char *option, const char *path, int err)
{
	const char *slash = strrchr(path, '/');
	char *folder = !slash   ? strdup(".")
		: slash == path ? strdup("/")
				: strndup(path, (size_t)(slash - path));
	struct stat st;

	if (!folder)
		kr_complain("run", "out of memory");
	else if (err == -EISDIR)
		kr_complain("run", "%s: '%s' is a directory", option, path);
	else if (stat(folder, &st) < 0)
		kr_complain("run", "%s: the directory '%s' can't be used: %s%s", option, folder,
			strerror(errno), errno == ENOENT ? " (make it first)" : "");
	else if (!S_ISDIR(st.st_mode))
		kr_complain("run", "%s: '%s' is not a directory", option, folder);
	else
		kr_complain("run", "%s: '%s' can't be written, nor can what it is a link to: %s",
			option, path, strerror(-err));
	free(folder);
}

int
kr_place_check(const char *option, const char *path, enum kr_place_links links)
{
	struct kr_place place;
	int err = kr_place_find(&place, path, links), code = KR_EXIT_FAILURE;

	if (err < 0)
		tell_not_found(option, path, err);
	else if (place.to_write_to && links == KR_PLACE_REPLACE_LINK)
		kr_complain("run",
			"%s: '%s' is a device, FIFO or socket, which no file can replace", option,
			path);
	else if (place.to_write_to && faccessat(place.folder, place.name, W_OK, 0) < 0)
		kr_complain("run", "%s: '%s' can't be written: %s", option, path, strerror(errno));
	else if (!place.to_write_to && faccessat(place.folder, ".", W_OK | X_OK, 0) < 0)
		kr_complain("run", "%s: no files can be made in the directory of '%s': %s", option,
			path, strerror(errno));
	else
		code = 0;
	kr_place_finish(&place);
	return code;
}
