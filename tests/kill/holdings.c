/* SPDX-License-Identifier: Apache-2.0 */
/* See holdings.h. */
#include "holdings.h"

#include <dirent.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "kill.h"

#define STABLE_LOOKS  20
#define LOOK_AGAIN_MS 2
#define LISTED_FDS    1024

static unsigned
count_entries(pid_t pid, const char *what)
{
	char path[64];
	unsigned count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, what);
	dir = opendir(path);
	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

struct kill_holdings
kill_holdings_look(pid_t pid)
{
	struct kill_holdings now = {count_entries(pid, "fd"), count_entries(pid, "task"), 0};
	char line[512];
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/maps", pid);
	file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file))
		now.mappings += strstr(line, "/memfd:") != NULL;
	if (file)
		fclose(file);
	return now;
}

/* A file of one line, or of several, each as a comment. */
static void
copy_file(const char *path, FILE *out)
{
	FILE *file = fopen(path, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		fprintf(out, "#   %s", line);
	if (file)
		fclose(file);
}

static void
list_descriptors(pid_t pid, FILE *out)
{
	char path[64], target[128];

	for (int fd = 0; fd < LISTED_FDS; fd++) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		fprintf(out, "# %d: %s\n", fd, target);
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
		if (strstr(target, "[eventpoll]"))
			copy_file(path, out);
	}
}

void
kill_holdings_list(pid_t pid, FILE *out)
{
	struct dirent *entry;
	char path[320];
	DIR *dir;

	list_descriptors(pid, out);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, entry->d_name);
		copy_file(path, out);
	}
	if (dir)
		closedir(dir);
}

bool
kill_holdings_grew(
	const struct kill_holdings *now, const struct kill_holdings *before, unsigned spare)
{
	return now->descriptors > before->descriptors + spare || now->threads > before->threads ||
		now->mappings > before->mappings + spare;
}

struct kill_holdings
kill_holdings_settle(pid_t pid)
{
	int64_t deadline = kr_clock_now() + KILL_PATIENCE_NS;
	struct kill_holdings last = kill_holdings_look(pid), now;

	for (unsigned same = 0; same < STABLE_LOOKS && kr_clock_now() < deadline; last = now) {
		poll(NULL, 0, LOOK_AGAIN_MS);
		now = kill_holdings_look(pid);
		same = memcmp(&now, &last, sizeof(now)) ? 0 : same + 1;
	}
	return last;
}
