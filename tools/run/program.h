/* SPDX-License-Identifier: Apache-2.0 */
/* Starting the program of a `krafla run` in the environment that points it at Krafla. */
#ifndef KR_TOOLS_RUN_PROGRAM_H
#define KR_TOOLS_RUN_PROGRAM_H

#include <signal.h>
#include "tools/run/child.h"
#include "tools/run/session.h"
#include "util/macros.h"

/* `mask`: the program's signal mask. 0 or an exit code, the reason told on stderr. */
int kr_program_start(const struct kr_session *session, const sigset_t *mask, struct kr_child *child)
	KR_MUST_CHECK;

#endif
