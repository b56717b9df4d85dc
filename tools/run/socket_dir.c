/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of sockets: see socket_dir.h. */
#include "tools/run/socket_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/text.h"

#define RANDOM "XXXXXX"
#define TRIES  10

/*
 * Ours and nobody else's, and not held: *lock then holds it. A link isn't followed; what another
 * user has made isn't touched, whatever it is called.
 */
static bool
take(int base, const char *name, int *lock)
{
	int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 0777) != 0700 ||
		!st.st_nlink || flock(fd, LOCK_EX | LOCK_NB)) {
		kr_fd_close(&fd);
		return false;
	}
	*lock = fd;
	return true;
}

/* Only what krafla run puts there: a directory with anything else in it stays. */
static void
remove_at(int base, const char *name, int lock)
{
	static const char *const sockets[] = {
		KR_SOCKET_DIR_NAME, KR_SOCKET_DIR_CONTROL, KR_SOCKET_DIR_REPORT};
	struct stat st;

	for (size_t i = 0; i < KR_ARRAY_LEN(sockets); i++) {
		if (!fstatat(lock, sockets[i], &st, AT_SYMLINK_NOFOLLOW) && S_ISSOCK(st.st_mode))
			unlinkat(lock, sockets[i], 0);
	}
	unlinkat(base, name, AT_REMOVEDIR);
}

static void
remove_dead(const char *base)
{
	DIR *dir = opendir(base);
	struct dirent *entry;
	int lock;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, KR_SOCKET_DIR_PREFIX, strlen(KR_SOCKET_DIR_PREFIX)) !=
				0 ||
			strlen(entry->d_name) != strlen(KR_SOCKET_DIR_PREFIX RANDOM) ||
			!take(dirfd(dir), entry->d_name, &lock))
			continue;
		remove_at(dirfd(dir), entry->d_name, lock);
		close(lock);
	}
	if (dir)
		closedir(dir);
}

/*
 * Between the two steps somebody else's search may have taken it for a dead one: then
 * there is another.
 */
static bool
make(struct kr_socket_dir *dir, const char *base)
{
	char *path = kr_asprintf("%s/" KR_SOCKET_DIR_PREFIX RANDOM, base);
	struct stat st;

	if (!path || !mkdtemp(path)) {
		free(path);
		return false;
	}
	if (take(AT_FDCWD, path, &dir->lock)) {
		if (!fstat(dir->lock, &st) && st.st_nlink) {
			dir->path = path;
			return true;
		}
		kr_fd_close(&dir->lock);
	} else if (errno != EWOULDBLOCK && !access(path, F_OK)) {
		/* A file system without locks: nobody can take it for a dead one either. */
		dir->path = path;
		return true;
	}
	free(path);
	errno = EAGAIN;
	return false;
}

bool
kr_socket_dir_make(struct kr_socket_dir *dir, const char *base)
{
	const size_t room =
		sizeof(((struct sockaddr_un *)0)->sun_path) - sizeof("/" KR_SOCKET_DIR_CONTROL);

	*dir = (struct kr_socket_dir){.lock = -1};
	if (!base || base[0] != '/' ||
		strlen(base) + strlen("/" KR_SOCKET_DIR_PREFIX RANDOM) > room) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (int i = 0; i < TRIES; i++) {
		if (make(dir, base)) {
			remove_dead(base);
			return true;
		}
		if (errno != EAGAIN)
			return false;
	}
	return false;
}

void
kr_socket_dir_finish(struct kr_socket_dir *dir)
{
	char *socket = dir->path ? kr_asprintf("%s/" KR_SOCKET_DIR_NAME, dir->path) : NULL;

	if (socket)
		unlink(socket);
	if (dir->path)
		rmdir(dir->path);
	free(socket);
	free(dir->path);
	kr_fd_close(&dir->lock);
	*dir = (struct kr_socket_dir){.lock = -1};
}
