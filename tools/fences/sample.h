/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla fences: one look at the fences of processes (a sample), and what is wrong with them (findings).
 *
 *   options   the command line
 *   sockets   the kernel's table of unix sockets: fences by their names
 *   process   what /proc says of a process
 *   rights    why something can't be seen
 *   look      one descriptor: is it a fence, and which
 *   names     the same by the names of sockets
 *   sample    all descriptors of all processes
 *   elsewhere who else holds what was seen; what the table alone tells
 *   ages      how long they have been seen
 *   rows      descriptors of one fence brought together
 *   groups    counted by process, kind and timeline; their growth
 *   findings  late fences and leaks
 *   print, json
 */
#ifndef KR_TOOLS_FENCES_SAMPLE_H
#define KR_TOOLS_FENCES_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "sync/wait/describe.h"
#include "util/macros.h"

enum kr_fences_role {
	KR_FENCES_HELD,     /* a fence */
	KR_FENCES_PRODUCER, /* the end that signals */
	KR_FENCES_BUFFER,   /* a fence inside a dma-buf */
};

/* One descriptor. */
struct kr_fences_seen {
	pid_t pid; /* 0: the table of sockets alone tells of it */
	int fd;
	uint64_t inode; /* of its socket; 0: it isn't one */
	bool alone;     /* a producer whose fence is closed everywhere */
	bool beside;    /* of a process that wasn't asked for */
	enum kr_fences_role role;
	uint64_t key;     /* the same for descriptors of one fence, within a sample */
	int64_t since_ns; /* when it was made, else when it was seen first; 0 not known */
	char buffer[KR_SYNC_TEXT];
	struct kr_fence_description about;
};

enum kr_fences_kind { /* of descriptors that are no fences, to see which grow */
	KR_FENCES_SOCKETS,
	KR_FENCES_PIPES,
	KR_FENCES_EVENTFDS,
	KR_FENCES_BUFFERS,
	KR_FENCES_MEMFDS,
	KR_FENCES_OTHERS,
	KR_FENCES_KINDS,
};

#define KR_FENCES_COMMAND 16

struct kr_fences_process {
	pid_t pid;
	pid_t group; /* the process that this is a thread of: pid itself when it is none */
	bool beside; /* not asked for: it is here for the fences that it shares */
	char command[KR_FENCES_COMMAND];
	char state;                            /* as /proc tells it: R, S, D, T, t, Z ... */
	bool kernel;                           /* a thread of the kernel */
	bool named;                            /* on the command line */
	bool inspected;                        /* its list of descriptors could be read */
	uint32_t counts[KR_FENCES_BUFFER + 1]; /* by role */
	uint32_t others[KR_FENCES_KINDS];
	uint32_t opaque_kernel;  /* kernel fences that couldn't be looked at */
	uint32_t opaque_sockets; /* sockets that may be fences */
	char *not_seen;          /* a sentence; NULL: all was seen */
};

struct kr_fences_sample {
	int64_t taken_ns;
	struct kr_fences_seen *seen;
	size_t seen_count, seen_room;
	struct kr_fences_process *processes; /* by pid */
	size_t process_count, process_room;
	size_t asked; /* how many of them aren't there beside */
};

/* --- sample --- */

/*
 * A look at these processes, or at all but krafla itself (count 0). 0; -ESRCH, -EACCES: a process that
 * was named is gone, or can't be inspected: the sample is good, and tells; -ENOMEM. `before` may be NULL:
 * what it has seen is as old as it was then.
 */
int kr_fences_sample_take(struct kr_fences_sample *sample, const pid_t *pids, size_t count,
	const struct kr_fences_sample *before) KR_MUST_CHECK;
void kr_fences_sample_finish(struct kr_fences_sample *sample);
/* NULL: it isn't part of the sample. */
const struct kr_fences_process *kr_fences_sample_find(
	const struct kr_fences_sample *sample, pid_t pid);
/* A new element behind the others, zeroed; NULL without memory. */
struct kr_fences_seen *kr_fences_sample_add(struct kr_fences_sample *sample);
struct kr_fences_process *kr_fences_sample_add_process(struct kr_fences_sample *sample, pid_t pid);
/* Adds all processes but krafla itself and those that are in `known` (may be NULL). 0 or -errno. */
int kr_fences_sample_list(struct kr_fences_sample *sample, const struct kr_fences_sample *known)
	KR_MUST_CHECK;
void kr_fences_sample_sort(struct kr_fences_sample *sample);

/* --- ages --- */

/* What doesn't tell its age is as old as it has been seen (`before` may be NULL). 0 or -ENOMEM. */
int kr_fences_carry_ages(struct kr_fences_sample *sample, const struct kr_fences_sample *before)
	KR_MUST_CHECK;

/* --- rows --- */

/* One fence: its descriptors are seen[first] to seen[first + count - 1]. */
struct kr_fences_row {
	size_t first, count;
	const struct kr_fences_seen *best; /* the one that tells most */
	bool late;
	bool held; /* by a process that was looked at */
	bool elsewhere; /* not so, but it isn't closed: on its way in a message, or with who wasn't seen */
	int64_t age_ns; /* -1 not known */
};

/* -1 not known. */
static inline int64_t
kr_fences_age(const struct kr_fences_seen *seen, const struct kr_fences_sample *sample)
{
	if (!seen->since_ns)
		return -1;
	return seen->since_ns < sample->taken_ns ? sample->taken_ns - seen->since_ns : 0;
}

struct kr_fences_rows {
	struct kr_fences_row *rows;
	size_t count;
	size_t active;
};

/* Orders sample->seen by fence, and the rows as they are shown. 0 or -ENOMEM. */
int kr_fences_rows_make(struct kr_fences_rows *rows, struct kr_fences_sample *sample,
	int64_t budget_ns) KR_MUST_CHECK;
void kr_fences_rows_finish(struct kr_fences_rows *rows);

/* --- groups --- */

#define KR_FENCES_HISTORY 5 /* looks that growth is judged by */

enum kr_fences_class {
	KR_FENCES_ACTIVE,
	KR_FENCES_DONE,
	KR_FENCES_ENDS,  /* that should signal */
	KR_FENCES_OTHER, /* no fences: others[kind] */
};

/* Descriptors of a process that are alike. */
struct kr_fences_group {
	pid_t pid;
	enum kr_fences_class class;
	enum kr_fences_kind kind; /* of KR_FENCES_OTHER */
	pid_t owner;
	char timeline[KR_SYNC_TEXT];
	uint32_t old;                       /* older than the budget */
	uint32_t counts[KR_FENCES_HISTORY]; /* now, and the looks before */
	int64_t times[KR_FENCES_HISTORY];   /* of those looks; 0: there was none */
};

struct kr_fences_groups {
	struct kr_fences_group *groups;
	size_t count, room;
};

/* The groups of a sample; what they were before comes from `before` (may be NULL). 0 or -ENOMEM. */
int kr_fences_groups_make(struct kr_fences_groups *groups, const struct kr_fences_sample *sample,
	int64_t budget_ns, const struct kr_fences_groups *before) KR_MUST_CHECK;
void kr_fences_groups_finish(struct kr_fences_groups *groups);

/* --- findings --- */

struct kr_fences_finding {
	bool leak;                           /* else late */
	pid_t pid;                           /* 0 not known */
	uint64_t identity;                   /* the same in the next sample */
	const struct kr_fences_group *group; /* of a leak; else NULL */
	uint32_t grown;
	const struct kr_fences_row *row; /* of a late fence, the oldest; else NULL */
	uint32_t fences;                 /* that are late alike: of its owner and timeline */
	char text[448];
};

struct kr_fences_findings {
	struct kr_fences_finding *findings;
	size_t count, room;
};

/* 0 or -ENOMEM. Borrows the groups. */
int kr_fences_findings_make(struct kr_fences_findings *findings,
	const struct kr_fences_sample *sample, const struct kr_fences_rows *rows,
	const struct kr_fences_groups *groups) KR_MUST_CHECK;
void kr_fences_findings_finish(struct kr_fences_findings *findings);

/* --- print, json --- */

struct kr_fences_report {
	const struct kr_fences_sample *sample;
	const struct kr_fences_rows *rows;
	const struct kr_fences_findings *findings;
	int64_t budget_ns;
};

void kr_fences_print(FILE *out, const struct kr_fences_report *report, size_t max_rows);
/* `lines`: all on one line. 0 or -1. */
int kr_fences_print_json(const struct kr_fences_report *report, bool lines) KR_MUST_CHECK;
/* "running", "sleeping", "stopped" or "dead", for a letter of /proc; 0: it isn't there. */
const char *kr_fences_state(char state);

#endif
