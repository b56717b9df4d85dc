/* SPDX-License-Identifier: Apache-2.0 */
/* What is said when the program of a `krafla run` has ended, before the summary. */
#ifndef KR_TOOLS_RUN_TELL_END_H
#define KR_TOOLS_RUN_TELL_END_H

#include "tools/run/child.h"
#include "tools/run/session.h"
#include "tools/run/summary.h"

/* On stderr: how it ended if that is worth a word, and why it showed nothing or too little. */
void kr_tell_end(
	const struct kr_session *session, const struct kr_child *child, enum kr_run_end end);

#endif
