/* SPDX-License-Identifier: Apache-2.0 */
/* See loaders.h. */
#include "tools/run/loaders.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What marking them takes grows with the square. */
#define MAX_PROCESSES 4096

struct process {
	pid_t pid, parent, group;
	bool counts;
};

/* Its parent and group, which stand behind the name, in parentheses that a name may have too. */
static bool
read_process(pid_t pid, struct process *process)
{
	char path[48], text[1024];
	const char *rest;
	size_t n;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	rest = strrchr(text, ')');
	*process = (struct process){.pid = pid};
	return rest && sscanf(rest + 1, " %*c %d %d", &process->parent, &process->group) == 2;
}

/* All processes; how many, in a new array. */
static size_t
list_processes(struct process **out)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	struct process *all = NULL;
	size_t count = 0, room = 0;

	while (proc && (entry = readdir(proc))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid <= 0)
			continue;
		if (count == MAX_PROCESSES)
			break;
		if (count == room) {
			struct process *more =
				realloc(all, (room = room ? room * 2 : 256) * sizeof(*all));

			if (!more)
				break;
			all = more;
		}
		if (read_process(pid, &all[count]))
			count++;
	}
	if (proc)
		closedir(proc);
	*out = all;
	return count;
}

/* Whoever is in the program's group, or below somebody who counts. */
static void
mark(struct process *all, size_t count, pid_t program)
{
	bool changed = true;

	for (size_t i = 0; i < count; i++)
		all[i].counts = all[i].pid == program || all[i].group == program;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < count; i++) {
			for (size_t j = 0; j < count && !all[i].counts; j++) {
				if (all[j].counts && all[j].pid == all[i].parent)
					all[i].counts = changed = true;
			}
		}
	}
}

static void
read_name(pid_t pid, char *name, size_t size)
{
	char path[48];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(name, (int)size, file))
		snprintf(name, size, "?");
	if (file)
		fclose(file);
	name[strcspn(name, "\n")] = '\0';
	for (; *name; name++) {
		if (!isprint((unsigned char)*name))
			*name = '?';
	}
}

/* The path at the end of a line of maps, when it is a Vulkan loader's; drivers have other names. */
static const char *
loader_in(char *line)
{
	static const char name[] = "/libvulkan.so";
	char *path = strchr(line, '/'), *slash = path ? strrchr(path, '/') : NULL;

	if (!slash || strncmp(slash, name, sizeof(name) - 1) != 0)
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	return path;
}

static void
look_at(pid_t pid, const char *ours, struct kr_loaders *found)
{
	char path[48], *line = NULL;
	size_t room = 0;
	bool any = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) >= 0) {
		const char *loader = loader_in(line);

		any = true;
		if (loader && !strcmp(loader, ours))
			found->ours = true;
		if (!loader || found->other || !strcmp(loader, ours))
			continue;
		found->other = strdup(loader);
		found->other_pid = pid;
		read_name(pid, found->other_name, sizeof(found->other_name));
	}
	found->processes += any;
	if (file)
		fclose(file);
	free(line);
}

void
kr_loaders_find(pid_t program, const char *ours, struct kr_loaders *found)
{
	struct process *all;
	size_t count = list_processes(&all);

	*found = (struct kr_loaders){0};
	mark(all, count, program);
	for (size_t i = 0; i < count; i++) {
		if (all[i].counts)
			look_at(all[i].pid, ours, found);
	}
	free(all);
}
