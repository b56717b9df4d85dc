/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc: what a process is called, what it does. */
#include "tools/fences/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"

#define PF_KTHREAD 0x00200000u /* linux/sched.h */

void
kr_fences_clean(char *out, size_t room, const char *text, size_t len)
{
	char whole[KR_SYNC_TEXT] = "", clean[KR_SYNC_TEXT];

	memcpy(whole, text, KR_MIN(len, sizeof(whole) - 1));
	kr_sync_text_copy(clean, whole);
	len = KR_MIN(strlen(clean), room - 1);
	memcpy(out, clean, len);
	out[len] = '\0';
}

int
kr_fences_read_proc(pid_t pid, const char *name, char *out, size_t room)
{
	char path[64];
	ssize_t len, got = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (len = 0; (size_t)len < room - 1; len += got) {
		got = read(fd, out + len, room - 1 - (size_t)len);
		if (got <= 0)
			break;
	}
	got = got < 0 ? -errno : len;
	kr_fd_close(&fd);
	out[len] = '\0';
	return (int)got;
}

/* "PID (COMMAND) STATE PPID PGRP SESSION TTY TPGID FLAGS ...": the command may hold anything. */
static bool
parse_stat(const char *text, struct kr_fences_process *process)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned flags = 0;
	char state = '?';

	if (!open || !close || close < open)
		return false;
	if (sscanf(close + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2)
		return false;
	kr_fences_clean(
		process->command, sizeof(process->command), open + 1, (size_t)(close - open - 1));
	process->state = state;
	process->kernel = flags & PF_KTHREAD;
	return true;
}

static pid_t
thread_group(pid_t pid)
{
	char text[4096];
	const char *line;

	if (kr_fences_read_proc(pid, "status", text, sizeof(text)) < 0)
		return pid;
	line = strstr(text, "\nTgid:");
	return line ? (pid_t)atoi(line + strlen("\nTgid:")) : pid;
}

int
kr_fences_process_read(pid_t pid, struct kr_fences_process *process)
{
	char text[1024];
	int len = kr_fences_read_proc(pid, "stat", text, sizeof(text));

	process->pid = pid;
	if (len < 0)
		return kill(pid, 0) && errno == ESRCH ? -ESRCH : -EACCES;
	if (!parse_stat(text, process))
		return -ESRCH;
	process->group = thread_group(pid);
	return 0;
}

void
kr_fences_process_find(
	const struct kr_fences_sample *sample, pid_t pid, struct kr_fences_process *process)
{
	const struct kr_fences_process *found = kr_fences_sample_find(sample, pid);

	*process = (struct kr_fences_process){.pid = pid};
	if (found)
		*process = *found;
	else if (pid && kr_fences_process_read(pid, process) == -EACCES)
		process->state = '?';
}

int
kr_fences_process_list(struct kr_fences_sample *sample, const struct kr_fences_sample *known)
{
	/* An empty directory would say that nobody has a fence. */
	DIR *proc = access("/proc/self/fd", F_OK) ? NULL : opendir("/proc");
	struct dirent *entry;
	int err = proc ? 0 : -errno;

	while (!err && (entry = readdir(proc))) {
		int pid = atoi(entry->d_name);

		if (pid <= 0 || pid == getpid() || (known && kr_fences_sample_find(known, pid)))
			continue;
		if (!kr_fences_sample_add_process(sample, pid))
			err = -ENOMEM;
	}
	if (proc)
		closedir(proc);
	kr_fences_sample_sort(sample);
	return err;
}

bool
kr_fences_same_network(pid_t pid)
{
	char path[64];
	struct stat ours, theirs;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	return !stat("/proc/self/ns/net", &ours) && !stat(path, &theirs) &&
		ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

const char *
kr_fences_state(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'T':
	case 't':
		return "stopped";
	case 'Z':
	case 'X':
	case 'x':
	case 0:
		return "dead";
	default:
		return "sleeping";
	}
}
