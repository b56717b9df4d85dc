/* SPDX-License-Identifier: Apache-2.0 */
/* See holdings.h. */
#include "holdings.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "kill.h"

#define STABLE_LOOKS  20
#define LOOK_AGAIN_MS 2

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
