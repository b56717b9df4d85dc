/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unfinished merges, as the reactor keeps them. A merge waits for inputs; an input is watched once,
 * for all merges that wait for it:
 *
 *   merge A ---use---.
 *                     input (fd) -- in the epoll set
 *   merge B ---use---'
 *
 *   list.c    the objects, and what events do to them
 *   inputs.c  which inputs a new merge has
 *   points.c  what a merge consists of
 *
 * For pending.c alone; the reactor's lock is held around all of it.
 */
#ifndef KR_SYNC_MERGE_LIST_H
#define KR_SYNC_MERGE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include "sync/fence/own_points.h"
#include "sync/fence/points.h"
#include "sync/reactor/loop.h"
#include "util/list.h"

/* More inputs than that a merge doesn't have: then an inner merge is one of its inputs. */
#define KR_SYNC_MAX_INPUTS KR_SYNC_MAX_POINTS

/* One fence that merges wait for, on a duplicate. Freed with its last use. */
struct kr_sync_input {
	struct kr_sync_source source;
	struct kr_list uses;       /* kr_sync_use.link */
	int fd;                    /* -1: closed by the program */
	bool watched;              /* in the epoll set */
	bool done;                 /* it has signalled */
	uint64_t cookie;           /* of a user-space fence; 0: of none */
	struct kr_own_point point; /* zeroes: not one of this process, or it has ended */
};

struct kr_sync_use {
	struct kr_list link;
	struct kr_sync_input *input;
	struct kr_sync_merge *merge;
};

struct kr_sync_merge {
	struct kr_sync_source source; /* of the producer end */
	struct kr_list link;
	uint64_t cookie; /* of the consumer end: what this merge is found by */
	int producer;
	bool watched;
	bool over;
	int32_t status; /* when it is over; 0: nobody is left who waits */
	char name[KR_SYNC_TEXT];
	unsigned open; /* inputs that haven't signalled */
	unsigned count;
	struct kr_sync_use uses[];
};

/* The inputs of a merge that is being made. */
struct kr_sync_inputs {
	unsigned count;
	struct kr_sync_input *list[2 * KR_SYNC_MAX_INPUTS];
};

/* Called with their events. */
struct kr_sync_merge_handlers {
	void (*input)(struct kr_sync_source *source, int epoll);
	void (*producer)(struct kr_sync_source *source, int epoll);
};

/*
 * What a merge of the two waits for; fd2 may be -1. Inner merges that are in `pending` are
 * their inputs that are still active, so that a chain of merges is no longer than its
 * points. 0, -ENOMEM, -EMFILE.
 */
int kr_sync_inputs_find(struct kr_sync_inputs *inputs, const struct kr_list *pending,
	const struct kr_sync_merge_handlers *handlers, int fd1, int fd2) KR_MUST_CHECK;
/* Frees those that no merge uses. */
void kr_sync_inputs_drop(struct kr_sync_inputs *inputs);

/* A merge of those inputs that nothing watches yet. It owns the producer end. 0 or -ENOMEM. */
int kr_sync_merge_create(const char *name, const struct kr_sync_inputs *inputs,
	const struct kr_sync_merge_handlers *handlers, int take_producer,
	struct kr_sync_merge **merge) KR_MUST_CHECK;
/* Closes what is still open and nobody else's, the producer end without a signal. */
void kr_sync_merge_destroy(struct kr_sync_merge *merge, int epoll);
/* Of an input without a use. */
void kr_sync_input_destroy(struct kr_sync_input *input, int epoll);
/* The merge in `pending` whose fence `fd` is, or NULL. */
struct kr_sync_merge *kr_sync_merge_find(const struct kr_list *pending, int fd);

/* The points of its inputs, and of those merges in `pending` (the list's link) that are inputs. */
void kr_sync_merge_points(const struct kr_sync_merge *merge, const struct kr_list *pending,
	struct kr_sync_points *points);
/* What the fence of a merge that is over is to say. */
void kr_sync_merge_result(const struct kr_sync_merge *merge, const struct kr_list *pending,
	struct kr_sync_points *points);
/*
 * What holds up the merge whose fence `fd` is: a duplicate of its first input that is
 * active, merges of merges followed, and how many inputs it has in all. 0; -ENOENT no merge
 * of that list, or none is.
 */
int kr_sync_merge_blame(const struct kr_list *pending, int fd, int *input, uint32_t *count)
	KR_MUST_CHECK;

/* Adds the producer end and then the inputs to the epoll set. 0 or -errno. */
int kr_sync_merge_watch_producer(struct kr_sync_merge *merge, int epoll) KR_MUST_CHECK;
int kr_sync_merge_watch_inputs(struct kr_sync_merge *merge, int epoll) KR_MUST_CHECK;
/* Something happened to the one or the other. Merges that are over by it move to `ended`. */
void kr_sync_merge_handle_input(struct kr_sync_source *source, int epoll, struct kr_list *ended);
void kr_sync_merge_handle_producer(struct kr_sync_source *source, int epoll, struct kr_list *ended);
/* Moves it there: its fence signals, fails, or (0) is forgotten, when the batch is through. */
void kr_sync_merge_end(
	struct kr_sync_merge *merge, int32_t status, int epoll, struct kr_list *ended);

#endif
