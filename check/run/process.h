/* SPDX-License-Identifier: Apache-2.0 */
/* A case in a process of its own. For this room alone. */
#ifndef KR_CHECK_RUN_PROCESS_H
#define KR_CHECK_RUN_PROCESS_H

#include <signal.h>
#include <sys/types.h>
#include "check/run/run.h"

/* The beginning of what came through a pipe, and how much more there was. */
struct check_heard {
	int fd; /* -1: closed */
	char *text;
	size_t size, limit, lost;
};

enum check_stage {
	CHECK_STAGE_IDLE,
	CHECK_STAGE_RUNNING,
	CHECK_STAGE_ASKED, /* its time is up; its threads were asked where they are */
	CHECK_STAGE_KILLED,
	CHECK_STAGE_ENDED,
};

struct check_process {
	enum check_stage stage;
	pid_t pid;
	bool hung;
	int status; /* of waitpid */
	int64_t started_ns, until_ns;
	uint32_t timeout_s;
	struct check_shared *shared;
	struct check_heard output, trace;
};

/* Zeroes are a process that was never started. 0 or -errno. */
int check_process_start(struct check_process *process, const struct check_job *job,
	const sigset_t *mask) KR_MUST_CHECK;
/* Reads what there is, looks whether it has ended, and at the clock. Doesn't wait. */
void check_process_look(struct check_process *process, int64_t now_ns);
/* What became of one that has ended. */
void check_process_result(const struct check_process *process, struct check_result *result);
/* Ends it and all that it started, if it runs. */
void check_process_kill(struct check_process *process);
void check_process_finish(struct check_process *process);

#endif
