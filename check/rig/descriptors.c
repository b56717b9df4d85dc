/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors: how many there are, and what became of one that was given away. */
#include "check/rig/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEARCHED 4096 /* without /proc */

unsigned
check_descriptors(struct check *c)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	if (!dir) {
		for (int fd = 0; fd < SEARCHED; fd++)
			count += check_fd_is_open(c, fd);
		return count;
	}
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count - 1; /* the directory's own */
}

/* Each kind once, with how many there are: numbers of descriptors rise. */
const char *
check_newest_descriptors(struct check *c, unsigned count)
{
	static char text[512], targets[64][64];
	unsigned counts[64] = {0}, kinds = 0;
	size_t length = 0;

	for (int fd = SEARCHED - 1; fd > 2 && count; fd--) {
		char path[32], target[64];
		unsigned kind = 0;
		ssize_t read;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		read = readlink(path, target, sizeof(target) - 1);
		if (read < 0)
			continue;
		count--;
		target[read] = '\0';
		target[strcspn(target, "[0123456789")] = '\0';
		while (kind < kinds && strcmp(targets[kind], target))
			kind++;
		if (kind == KR_ARRAY_LEN(targets))
			continue;
		if (kind == kinds)
			strcpy(targets[kinds++], target);
		counts[kind]++;
	}
	text[0] = '\0';
	for (unsigned i = 0; i < kinds && length < sizeof(text); i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u of %s",
			i ? ", " : "", counts[i], targets[i]);
	return text;
}

bool
check_fd_is_open(struct check *c, int fd)
{
	return fcntl(fd, F_GETFD) >= 0 || errno != EBADF;
}

struct check_mark
check_mark_fd(struct check *c, int fd)
{
	struct check_mark mark = {fd, fcntl(fd, F_DUPFD_CLOEXEC, 3)};

	if (mark.copy < 0)
		check_skip(c, "descriptor %d can't be duplicated: %s", fd, strerror(errno));
	return mark;
}

/* Where kcmp is denied: files that aren't alike are two, and what is alike may be. */
static bool
is_alike(int a, int b)
{
	struct stat of_a, of_b;

	return !fstat(a, &of_a) && !fstat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
		of_a.st_ino == of_b.st_ino;
}

bool
check_mark_is_open(struct check *c, const struct check_mark *mark)
{
	long same;

	if (!check_fd_is_open(c, mark->fd))
		return false;
	same = syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, (unsigned long)mark->fd,
		(unsigned long)mark->copy);
	return same < 0 ? is_alike(mark->fd, mark->copy) : !same;
}

void
check_unmark(struct check *c, struct check_mark *mark)
{
	if (mark->copy >= 0)
		close(mark->copy);
	mark->copy = -1;
}
