/* SPDX-License-Identifier: Apache-2.0 */
/* A sample: the fences that processes had at one look (take.h), and the processes. */
#ifndef KR_TOOLS_FENCES_SAMPLE_H
#define KR_TOOLS_FENCES_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

void kr_fences_sample_finish(struct kr_fences_sample *sample);
/* NULL: it isn't part of the sample. */
const struct kr_fences_process *kr_fences_sample_find(
	const struct kr_fences_sample *sample, pid_t pid);
/*
 * Adds a descriptor of `process`: pid, beside and since_ns come from it and from `seen->about`, and
 * it is counted. 0 or -ENOMEM.
 */
int kr_fences_sample_add(struct kr_fences_sample *sample, struct kr_fences_process *process,
	const struct kr_fences_seen *seen) KR_MUST_CHECK;
/* A new process behind the others, zeroed but for its pid; NULL without memory. */
struct kr_fences_process *kr_fences_sample_add_process(struct kr_fences_sample *sample, pid_t pid);
/* By pid, which kr_fences_sample_find counts on. */
void kr_fences_sample_sort(struct kr_fences_sample *sample);

/* -1 not known. */
static inline int64_t
kr_fences_age(const struct kr_fences_seen *seen, const struct kr_fences_sample *sample)
{
	if (!seen->since_ns)
		return -1;
	return seen->since_ns < sample->taken_ns ? sample->taken_ns - seen->since_ns : 0;
}

#endif
