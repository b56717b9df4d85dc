/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One unfinished merge, as the reactor keeps it: its data (merge_list.c) and what events do to it
 * (merge_events.c). For reactor_merges.c alone; the reactor's lock is held around all of it.
 */
#ifndef KR_SYNC_MERGE_LIST_H
#define KR_SYNC_MERGE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include "sync/points.h"
#include "sync/reactor_loop.h"
#include "util/list.h"

struct kr_sync_merge;

/* One fd that epoll watches for a merge. */
struct kr_sync_watch {
	struct kr_sync_source source;
	struct kr_sync_merge *merge;
	int fd;       /* -1: none, or closed */
	bool watched; /* in the epoll set */
	bool done;    /* an input that has signalled */
};

struct kr_sync_merge {
	struct kr_list link;
	uint64_t cookie; /* of the consumer end: what this merge is found by */
	struct kr_sync_watch producer;
	struct kr_sync_watch inputs[2];
	int32_t status; /* set when it ends; 0: nobody is left who waits */
	char name[KR_SYNC_TEXT];
};

/*
 * A merge that nothing watches yet, with duplicates of the inputs, and its fence. `handle_locked` is
 * called for events of its watches. 0 or -errno.
 */
int kr_sync_merge_create(const char *name, int fd1, int fd2,
	void (*handle_locked)(struct kr_sync_source *source, int epoll),
	struct kr_sync_merge **merge, int *fence) KR_MUST_CHECK;
/* Closes what is still open, the producer end without a signal. Accepts NULL. */
void kr_sync_merge_destroy(struct kr_sync_merge *merge);
/* The points of its inputs, and of those merges in `pending` (the list's link) that are inputs. */
void kr_sync_merge_points(const struct kr_sync_merge *merge, const struct kr_list *pending,
	struct kr_sync_points *points);
/* The merge in `pending` whose fence `fd` is, or NULL. */
const struct kr_sync_merge *kr_sync_merge_find(const struct kr_list *pending, int fd);

/*
 * What holds up the merge whose fence `fd` is: a duplicate of its first input that is active, merges of
 * merges followed, and how many inputs it has in all. 0; -ENOENT no merge of that list, or none is.
 */
int kr_sync_merge_blame(const struct kr_list *pending, int fd, int *input, uint32_t *count)
	KR_MUST_CHECK;

/* Adds to, takes out of the epoll set. A watch without an fd is none. 0 or -errno. */
int kr_sync_merge_watch(struct kr_sync_watch *watch, int epoll, uint32_t events) KR_MUST_CHECK;
void kr_sync_merge_unwatch(struct kr_sync_watch *watch, int epoll);
/* Something happened to `watch`. A merge that is over by it moves from its list to `ended`. */
void kr_sync_merge_handle(struct kr_sync_watch *watch, int epoll, struct kr_list *ended);
/* What the fence of a merge that has ended is to say. */
void kr_sync_merge_result(const struct kr_sync_merge *merge, const struct kr_list *pending,
	struct kr_sync_points *points);

#endif
