/* SPDX-License-Identifier: Apache-2.0 */
/* A scan of the device directory: see watch.c. */
#include "service/devices/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "service/loop/shortage.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/text.h"

/* Where statx is denied, without the time of birth. */
static bool
identify_plainly(int directory, const char *name, struct kr_node_identity *identity)
{
	struct stat status;

	if ((errno != ENOSYS && errno != EPERM && errno != EACCES) ||
		fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) || S_ISDIR(status.st_mode) ||
		S_ISLNK(status.st_mode) || S_ISSOCK(status.st_mode))
		return false;
	*identity = (struct kr_node_identity){.inode = status.st_ino,
		.major = major(status.st_rdev),
		.minor = minor(status.st_rdev)};
	return true;
}

/* Whether it may be a node: no directory, link or socket. */
static bool
identify(int directory, const char *name, struct kr_node_identity *identity)
{
	struct statx status;

	if (statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_INO | STATX_BTIME,
		    &status))
		return identify_plainly(directory, name, identity);
	if (S_ISDIR(status.stx_mode) || S_ISLNK(status.stx_mode) || S_ISSOCK(status.stx_mode))
		return false;
	*identity = (struct kr_node_identity){.inode = status.stx_ino,
		.major = status.stx_rdev_major,
		.minor = status.stx_rdev_minor};
	if (status.stx_mask & STATX_BTIME) {
		identity->born_s = status.stx_btime.tv_sec;
		identity->born_ns = status.stx_btime.tv_nsec;
	}
	return true;
}

static struct kr_node *
add_node(struct kr_devices *devices, const char *path, const struct kr_node_identity *identity)
{
	struct kr_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	*node = (struct kr_node){.path = strdup(path),
		.error = -EAGAIN,
		.identity = *identity,
		.serial = ++devices->last_serial,
		/* What was there at the start isn't on its way. */
		.since = devices->scanned ? kr_clock_now() : INT64_MIN / 2};
	kr_list_init(&node->link);
	if (!node->path) {
		free(node);
		return NULL;
	}
	kr_list_append(&devices->nodes, &node->link);
	devices->node_count++;
	return node;
}

static bool
is_same(const struct kr_node_identity *a, const struct kr_node_identity *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
		a->born_s == b->born_s && a->born_ns == b->born_ns;
}

/* What may have changed of a node that stays. True: it has. */
static bool
refresh(struct kr_devices *devices, struct kr_node *node, int directory, const char *name)
{
	const int error = faccessat(directory, name, R_OK | W_OK, AT_EACCESS) ? -errno : 0;
	const bool young = error && kr_clock_now() < kr_node_grown_up(node);
	bool changed = node->error != error || node->young != young;

	node->error = error;
	node->young = young;
	if (!node->kernel_driver) {
		if (kr_node_kernel_driver(devices->config, node->path, &node->kernel_driver))
			devices->is_short = true;
		changed = changed || node->kernel_driver;
	}
	/* A device may be known to sysfs a moment after its node is there. */
	if (!node->ids.pci_vendor) {
		const struct kr_node_ids before = node->ids;

		if (kr_node_find_ids(devices->config, node, &node->ids))
			devices->is_short = true;
		changed = changed || memcmp(&before, &node->ids, sizeof(before));
	}
	return changed;
}

static bool
look_at(struct kr_devices *devices, int directory, const char *path, const char *name)
{
	struct kr_node *node = kr_devices_find(devices, path);
	struct kr_node_identity identity;

	if (!identify(directory, name, &identity))
		return false;
	if (node && !node->seen && !is_same(&node->identity, &identity)) {
		kr_node_free(node);
		devices->node_count--;
		node = NULL;
	}
	if (!node && devices->node_count >= KR_NODES_MAX)
		return false;
	if (!node)
		node = add_node(devices, path, &identity);
	devices->is_short = devices->is_short || !node;
	if (!node)
		return false;
	node->seen = true;
	return refresh(devices, node, directory, name);
}

static bool
list_directory(struct kr_devices *devices, DIR *directory, const char *below)
{
	const struct dirent *entry;
	bool changed = false;

	while ((entry = readdir(directory))) {
		char path[KR_NODE_PATH_MAX + 1];

		if (entry->d_name[0] == '.' ||
			snprintf(path, sizeof(path), "%s%s%s", below, *below ? "/" : "",
				entry->d_name) >= (int)sizeof(path) ||
			!kr_devices_wants(devices, path))
			continue;
		changed = look_at(devices, dirfd(directory), path, entry->d_name) || changed;
	}
	return changed;
}

static void
note_failure(struct kr_devices *devices, const char *path, int err)
{
	char *reason = kr_asprintf("%s can't be watched: %s", path, strerror(-err));

	if (reason && (!devices->told || strcmp(devices->told, reason)))
		kr_log(KR_LOG_WARN | KR_LOG_LOUD, "%s; devices that come or go may be missed",
			reason);
	if (devices->reason)
		free(reason);
	else
		devices->reason = reason;
}

/* `below` has no slash at its end; "" is the device directory itself. */
static bool
scan_directory(struct kr_devices *devices, const char *below)
{
	char path[PATH_MAX];
	bool changed;
	DIR *directory;
	int ret;

	if (snprintf(path, sizeof(path), "%s%s%s", devices->config->dev, *below ? "/" : "",
		    below) >= (int)sizeof(path))
		return false;
	ret = kr_directories_add(devices->directories, path, *below ? below : ".");
	if (ret && ret != -ENOENT)
		note_failure(devices, path, ret);
	devices->is_short = devices->is_short || kr_is_shortage(ret);
	directory = opendir(path);
	if (!directory) {
		devices->is_short = devices->is_short || kr_is_shortage(-errno);
		return false;
	}
	changed = list_directory(devices, directory, below);
	closedir(directory);
	return changed;
}

/* Each directory of a pattern once: where it is the pattern's that comes first. */
static bool
scan_pattern(struct kr_devices *devices, size_t index)
{
	const char *pattern = devices->patterns[index], *slash = strrchr(pattern, '/');
	const size_t len = slash ? (size_t)(slash - pattern) : 0;
	char below[KR_NODE_PATH_MAX + 1];

	for (size_t i = 0; i < index; i++) {
		const char *other = strrchr(devices->patterns[i], '/');

		if ((other ? (size_t)(other - devices->patterns[i]) : 0) == len &&
			!strncmp(devices->patterns[i], pattern, len))
			return false;
	}
	memcpy(below, pattern, len);
	below[len] = '\0';
	return scan_directory(devices, below);
}

static bool
remove_unseen(struct kr_devices *devices)
{
	struct kr_node *node, *next;
	bool changed = false;

	kr_list_for_each_safe (node, next, &devices->nodes, link) {
		if (node->seen)
			continue;
		kr_node_free(node);
		devices->node_count--;
		changed = true;
	}
	return changed;
}

bool
kr_devices_scan(struct kr_devices *devices)
{
	struct kr_node *node;
	bool changed = false;

	devices->scan_due = KR_FOREVER;
	free(devices->told);
	devices->told = devices->reason;
	devices->reason = NULL;
	kr_list_for_each (node, &devices->nodes, link)
		node->seen = false;
	devices->is_short = false;
	kr_directories_begin(devices->directories);
	for (size_t i = 0; i < devices->pattern_count; i++)
		changed = scan_pattern(devices, i) || changed;
	kr_directories_end(devices->directories);
	if (devices->is_short)
		devices->scan_due = kr_clock_now() + KR_SHORTAGE_AGAIN;
	else
		changed = remove_unseen(devices) || changed;
	devices->scanned = true;
	kr_devices_set_timer(devices);
	return changed;
}
