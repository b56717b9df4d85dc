/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes that are known, those that are wanted, and when to look again: see devices.h. Looking:
 * scan.c, watch.c.
 */
#include "service/devices/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"

#define SETTLE (10 * KR_NSEC_PER_MSEC)

void
kr_devices_set_timer(struct kr_devices *devices)
{
	int64_t due = devices->scan_due;
	const struct kr_node *node;

	kr_list_for_each (node, &devices->nodes, link) {
		if (node->young)
			due = KR_MIN(due, kr_node_grown_up(node));
	}
	kr_watch_deadline(devices->timer, due);
}

void
kr_devices_touch(struct kr_devices *devices)
{
	devices->scan_due = KR_MIN(devices->scan_due, kr_clock_now() + SETTLE);
	kr_devices_set_timer(devices);
}

bool
kr_devices_wants(const struct kr_devices *devices, const char *path)
{
	for (size_t i = 0; i < devices->pattern_count; i++) {
		if (kr_node_fits(devices->patterns[i], path))
			return true;
	}
	return false;
}

/* No `*` but in the last name, nothing that leads out of the directory. */
static bool
is_pattern(const char *pattern)
{
	const char *star = strchr(pattern, '*'), *slash = strrchr(pattern, '/');

	return *pattern && strlen(pattern) <= KR_NODE_PATH_MAX && pattern[0] != '/' &&
		pattern[0] != '.' && !strstr(pattern, "/.") && !strstr(pattern, "//") &&
		!(star && slash && star < slash) && !(slash && !slash[1]);
}

int
kr_devices_want(struct kr_devices *devices, const char *pattern)
{
	if (!is_pattern(pattern))
		return -EINVAL;
	for (size_t i = 0; i < devices->pattern_count; i++) {
		if (!strcmp(devices->patterns[i], pattern))
			return 0;
	}
	if (devices->pattern_count == KR_DEVICE_PATTERNS_MAX)
		return -ENOSPC;
	devices->patterns[devices->pattern_count] = strdup(pattern);
	if (!devices->patterns[devices->pattern_count])
		return -ENOMEM;
	devices->pattern_count++;
	kr_devices_touch(devices);
	return 0;
}

struct kr_node *
kr_devices_find(const struct kr_devices *devices, const char *path)
{
	struct kr_node *node;

	kr_list_for_each (node, &devices->nodes, link) {
		if (!strcmp(node->path, path))
			return node;
	}
	return NULL;
}

const struct kr_list *
kr_devices_nodes(const struct kr_devices *devices)
{
	return &devices->nodes;
}

int
kr_devices_open(const struct kr_devices *devices, const char *path, int *out)
{
	char full[PATH_MAX];
	int fd;

	if (!kr_devices_find(devices, path))
		return -ENOENT;
	if (snprintf(full, sizeof(full), "%s/%s", devices->config->dev, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	fd = open(full, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
	if (fd < 0)
		return -errno;
	*out = fd;
	return 0;
}
