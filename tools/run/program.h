/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of a `krafla run`: started in the environment that points it at Krafla, and
 * what is said of its end.
 */
#ifndef KR_TOOLS_RUN_PROGRAM_H
#define KR_TOOLS_RUN_PROGRAM_H

#include <signal.h>
#include "tools/run/child.h"
#include "tools/run/session.h"
#include "tools/run/summary.h"
#include "util/macros.h"

/*
 * `mask`: the program's signal mask; `undumpable`: who makes it one that isn't debuggable, or NULL.
 * 0 or an exit code, the reason told on stderr.
 */
int kr_program_start(const struct kr_session *session, char **program, const sigset_t *mask,
	struct kr_undumpable *undumpable, struct kr_child *child) KR_MUST_CHECK;

/*
 * On stderr, before the summary: how each ended if that is worth a word, and why it showed nothing
 * or too little.
 */
void kr_program_tell_ends(const struct kr_session *session, enum kr_run_end end);

#endif
