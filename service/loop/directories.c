/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watched directories: see directories.h. A row is one wish to hear of a directory. Two rows may
 * have the same watch of the kernel, which knows directories and not paths; it is given up with its
 * last row. Rows of a directory that is gone end with IN_IGNORED.
 */
#include "service/loop/directories.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "util/list.h"

#define EVENTS                                                                                     \
	(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_MODIFY |             \
		IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

#define ROWS_MAX 4096
#define TRIES    16

struct row {
	struct kr_list link;
	int wd;
	bool wanted;
	char *tag;
	char *only; /* the one name that counts; NULL: all */
};

struct kr_directories {
	int inotify;
	struct kr_watch *watch;
	kr_directories_fn fn;
	void *data;
	struct kr_list rows; /* row.link */
	size_t count;
};

static void
free_row(struct kr_directories *directories, struct row *row)
{
	directories->count--;
	kr_list_remove(&row->link);
	free(row->tag);
	free(row->only);
	free(row);
}

static bool
is_watched(const struct kr_directories *directories, int wd)
{
	const struct row *row;

	kr_list_for_each (row, &directories->rows, link) {
		if (row->wd == wd)
			return true;
	}
	return false;
}

static void
forget(struct kr_directories *directories, int wd)
{
	struct row *row, *next;

	kr_list_for_each_safe (row, next, &directories->rows, link) {
		if (row->wd == wd)
			free_row(directories, row);
	}
}

static void
tell(struct kr_directories *directories, const struct inotify_event *event)
{
	const char *name = event->len ? event->name : NULL;
	const struct row *row;

	if (event->mask & IN_Q_OVERFLOW) {
		directories->fn(directories->data, NULL, NULL);
		return;
	}
	kr_list_for_each (row, &directories->rows, link) {
		if (row->wd == event->wd && (!row->only || !name || !strcmp(row->only, name)))
			directories->fn(directories->data, row->tag, row->only ? NULL : name);
	}
	if (event->mask & IN_IGNORED)
		forget(directories, event->wd);
}

/* One buffer a round: the rest keeps the descriptor readable. */
static void
handle_events(void *data, uint32_t events)
{
	struct kr_directories *directories = data;
	char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	const ssize_t got = read(directories->inotify, buffer, sizeof(buffer));
	const struct inotify_event *event;

	for (ssize_t at = 0; at < got; at += (ssize_t)(sizeof(*event) + event->len)) {
		event = (const struct inotify_event *)(buffer + at);
		tell(directories, event);
	}
}

int
kr_directories_create(
	struct kr_loop *loop, kr_directories_fn fn, void *data, struct kr_directories **out)
{
	struct kr_directories *directories = calloc(1, sizeof(*directories));
	int ret;

	if (!directories)
		return -ENOMEM;
	directories->fn = fn;
	directories->data = data;
	kr_list_init(&directories->rows);
	directories->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (directories->inotify < 0) {
		ret = -errno;
		free(directories);
		return ret;
	}
	ret = kr_watch_add(loop, directories->inotify, EPOLLIN, handle_events, directories,
		&directories->watch);
	if (ret) {
		close(directories->inotify);
		free(directories);
		return ret;
	}
	*out = directories;
	return 0;
}

void
kr_directories_begin(struct kr_directories *directories)
{
	struct row *row;

	kr_list_for_each (row, &directories->rows, link)
		row->wanted = false;
}

static bool
is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct row *
find_row(struct kr_directories *directories, int wd, const char *tag, const char *only)
{
	struct row *row;

	kr_list_for_each (row, &directories->rows, link) {
		if (row->wd == wd && !strcmp(row->tag, tag) && is_same(row->only, only))
			return row;
	}
	return NULL;
}

static int
add_row(struct kr_directories *directories, int wd, const char *tag, const char *only)
{
	struct row *row = find_row(directories, wd, tag, only);

	if (row) {
		row->wanted = true;
		return 0;
	}
	if (directories->count >= ROWS_MAX)
		return -ENOSPC;
	row = calloc(1, sizeof(*row));
	if (!row)
		return -ENOMEM;
	directories->count++;
	kr_list_append(&directories->rows, &row->link);
	row->wd = wd;
	row->wanted = true;
	row->tag = strdup(tag);
	row->only = only ? strdup(only) : NULL;
	if (row->tag && (!only || row->only))
		return 0;
	free_row(directories, row);
	return -ENOMEM;
}

static int
add(struct kr_directories *directories, const char *path, const char *tag, const char *only)
{
	const int wd = inotify_add_watch(directories->inotify, path, EVENTS);
	int ret;

	if (wd < 0)
		return -errno;
	ret = add_row(directories, wd, tag, only);
	if (ret && !is_watched(directories, wd))
		inotify_rm_watch(directories->inotify, wd);
	return ret;
}

/*
 * Watches the closest directory above `path` for the one name that is missing there. 0: something
 * is there by now that wasn't a moment ago, so ask again.
 */
static int
await(struct kr_directories *directories, const char *path, const char *tag)
{
	char above[PATH_MAX];
	const size_t len = strnlen(path, sizeof(above));
	int ret = -ENOENT;

	if (len == sizeof(above) || path[0] != '/')
		return -EINVAL;
	memcpy(above, path, len + 1);
	while (ret == -ENOENT || ret == -ENOTDIR) {
		char *slash = strrchr(above, '/');

		if (!slash)
			return ret;
		*slash = '\0';
		/* A slash at the end or a double one names nothing. */
		if (!slash[1])
			continue;
		ret = add(directories, above[0] ? above : "/", tag, slash + 1);
		*slash = '/';
		if (!ret)
			return access(above, F_OK) ? -ENOENT : 0;
		*slash = '\0';
	}
	return ret;
}

int
kr_directories_add(struct kr_directories *directories, const char *path, const char *tag)
{
	int ret = add(directories, path, tag, NULL);

	/* Bounded: each time around another directory has just appeared. */
	for (int i = 0; ret == -ENOENT && i < TRIES; i++) {
		ret = await(directories, path, tag);
		if (ret)
			return ret;
		ret = add(directories, path, tag, NULL);
	}
	return ret;
}

void
kr_directories_end(struct kr_directories *directories)
{
	struct row *row, *next;

	kr_list_for_each_safe (row, next, &directories->rows, link) {
		const int wd = row->wd;

		if (row->wanted)
			continue;
		free_row(directories, row);
		if (!is_watched(directories, wd))
			inotify_rm_watch(directories->inotify, wd);
	}
}

void
kr_directories_destroy(struct kr_directories *directories)
{
	struct row *row, *next;

	if (!directories)
		return;
	kr_watch_remove(directories->watch);
	close(directories->inotify);
	kr_list_for_each_safe (row, next, &directories->rows, link)
		free_row(directories, row);
	free(directories);
}
