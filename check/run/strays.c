/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that makes a daemon takes it out of the case's process group. It becomes a child of the
 * runner then (PR_SET_CHILD_SUBREAPER), which ends it when the cases are over; and its children
 * become the runner's in turn.
 */
#include "check/run/strays.h"

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

#define ROUNDS 100 /* of those who make children as fast as they are ended */

void
check_strays_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

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

/* Whether there was one. */
static bool
end_children(void)
{
	DIR *processes = opendir("/proc");
	bool any = false;

	if (!processes)
		return false;
	for (struct dirent *entry = readdir(processes); entry; entry = readdir(processes)) {
		pid_t pid;

		if (!isdigit((unsigned char)entry->d_name[0]) ||
			parent_of(entry->d_name) != getpid())
			continue;
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		any |= !kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	closedir(processes);
	return any;
}

void
check_strays_end(void)
{
	for (int i = 0; i < ROUNDS && end_children(); i++)
		continue;
}
