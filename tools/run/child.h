/* SPDX-License-Identifier: Apache-2.0 */
/* The program that `krafla run` runs: started, signalled, waited for. One thread. */
#ifndef KR_TOOLS_RUN_CHILD_H
#define KR_TOOLS_RUN_CHILD_H

#include <stdbool.h>
#include <signal.h>
#include <sys/types.h>
#include "tools/run/undumpable.h"
#include "util/macros.h"

struct kr_child {
	/*
	 * 0: not started, or its end was taken in. There before kr_child_start returns:
	 * the program may hold it up.
	 */
	_Atomic pid_t pid;
	int pidfd; /* readable when it has ended; -1 then */
	/*
	 * It leads a process group, so that signals reach what it starts as well. On a terminal it
	 * stays in krafla's own group instead, which is the one that may use the terminal.
	 */
	bool own_group;
	int status; /* as of waitpid */
	/* Who traces it, and has to take its end in first; NULL. */
	struct kr_undumpable *undumpable;
};

struct kr_child_setup {
	char *const *variables; /* "NAME=value", or "NAME" to remove it; ended by NULL */
	const sigset_t *mask;   /* its signal mask */
	bool output_to_error;   /* its standard output is krafla's standard error */
	/* Who makes it a process that isn't debuggable; NULL. */
	struct kr_undumpable *undumpable;
};

enum kr_child_failure {
	KR_CHILD_FAILURE_START,   /* starting any: -EAGAIN, -EMFILE... */
	KR_CHILD_FAILURE_EXEC,    /* the program: -ENOENT, -EACCES... */
	KR_CHILD_FAILURE_TRACE,   /* it couldn't be traced */
	KR_CHILD_FAILURE_DUMPING, /* it didn't give up to be debuggable, and was killed */
};

/* Starts argv[0] (searched in PATH). 0 or -errno, and in *failure what that is about. */
int kr_child_start(struct kr_child *child, char **argv, const struct kr_child_setup *how,
	enum kr_child_failure *failure) KR_MUST_CHECK;
void kr_child_signal(const struct kr_child *child, int signal);
/* Takes in the end of a child whose pidfd is readable; kill_group ends what it left running. */
void kr_child_reap(struct kr_child *child, bool kill_group);
/* The exit code by the shell's rule: 128 + signal when a signal killed it. */
int kr_child_exit_code(const struct kr_child *child);

#endif
