/* SPDX-License-Identifier: Apache-2.0 */
/* See strays.h. */
#include "util/strays.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST   512
#define ROUNDS 100 /* of those who make children as fast as they are ended */

static struct {
	unsigned depth;
	pid_t before[MOST]; /* children of whoever became krafla by exec */
	size_t before_count;
} strays;

static pid_t
parent_of(const char *process)
{
	char path[300], line[512];
	const char *end;
	int parent = 0;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/stat", process);
	file = fopen(path, "re");
	if (!file)
		return 0;
	size = fread(line, 1, sizeof(line) - 1, file);
	line[size] = '\0';
	/* Behind the name, which may have brackets in it. */
	end = strrchr(line, ')');
	if (!end || sscanf(end, ") %*c %d", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

/* For kernels that don't list children. */
static size_t
look_for_children(pid_t children[MOST])
{
	DIR *processes = opendir("/proc");
	size_t count = 0;

	if (!processes)
		return 0;
	for (struct dirent *entry = readdir(processes); entry && count < MOST;
		entry = readdir(processes)) {
		if (isdigit((unsigned char)entry->d_name[0]) &&
			parent_of(entry->d_name) == getpid())
			children[count++] = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	closedir(processes);
	return count;
}

static size_t
list_children(pid_t children[MOST])
{
	size_t count = 0;
	char path[64];
	FILE *list;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
	list = fopen(path, "re");
	if (!list)
		return look_for_children(children);
	while (count < MOST && fscanf(list, "%d", &children[count]) == 1)
		count++;
	fclose(list);
	return count;
}

void
kr_strays_adopt(void)
{
	if (strays.depth++)
		return;
	strays.before_count = list_children(strays.before);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static bool
is_in(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++) {
		if (pids[i] == pid)
			return true;
	}
	return false;
}

/* Whether there was one. */
static bool
kill_once(const pid_t *others, size_t other_count)
{
	pid_t children[MOST];
	size_t count = list_children(children);
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (is_in(others, other_count, children[i]) ||
			is_in(strays.before, strays.before_count, children[i]))
			continue;
		any |= !kill(children[i], SIGKILL);
		while (waitpid(children[i], NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	return any;
}

void
kr_strays_kill(const pid_t *children, size_t count)
{
	for (int i = 0; i < ROUNDS && kill_once(children, count); i++)
		continue;
}

void
kr_strays_leave(void)
{
	if (!--strays.depth)
		prctl(PR_SET_CHILD_SUBREAPER, 0);
}
