/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of descriptors: see fd_name.h. A thread may have descriptors of its own (unshare
 * CLONE_FILES), and a process may have lost its first thread, whose descriptors /proc/<pid>/fd are:
 * /proc/<pid>/task/<tid> is the second try.
 */
#include "delivery/fd_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/text.h"

bool
kr_delivery_fd_is_at(int fd, const char *path)
{
	struct stat theirs, ours;
	bool same = false;
	FILE *file;

	if (kr_file_open(path, &file))
		return false;
	if (!fstat(fileno(file), &theirs) && !fstat(fd, &ours))
		same = theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
	fclose(file);
	return same;
}

static bool
name_by(const char *link, int fd, char *name)
{
	char target[48];
	ssize_t len = readlink(link, target, sizeof(target) - 1);

	if (len <= 0)
		return false;
	target[len] = '\0';
	snprintf(name, KR_DELIVERY_FD_NAME_SIZE, "/proc/%s/fd/%d", target, fd);
	return kr_delivery_fd_is_at(fd, name);
}

int
kr_delivery_fd_name(int fd, char name[KR_DELIVERY_FD_NAME_SIZE], char **reason)
{
	if (name_by("/proc/self", fd, name) || name_by("/proc/thread-self", fd, name))
		return 0;
	if (access("/proc/self", F_OK))
		*reason = kr_asprintf(
			"/proc isn't mounted in this process's view, or not for its processes: a driver that is delivered is opened by its name below /proc/<pid>/fd; mount it (bubblewrap: --proc /proc)");
	else
		*reason = kr_asprintf(
			"descriptor %d can't be opened by its name below /proc/<pid>/fd, which loading a delivered driver needs: /proc is restricted here",
			fd);
	return -ENOENT;
}
