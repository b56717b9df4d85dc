/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command line of bubblewrap, understood as far as to put something into it.
 * Thread-safety: no shared state.
 */
#ifndef KR_TOOLS_DELIVER_BWRAP_H
#define KR_TOOLS_DELIVER_BWRAP_H

#include <stdbool.h>
#include <stddef.h>
#include "tools/deliver/words.h"
#include "util/macros.h"

struct kr_bwrap_line {
	const char *const *argv;
	size_t options; /* words up to the end of bwrap's own options */
	size_t command; /* where the command begins: behind a "--", if there is one */
	bool has_proc;  /* something is already mounted at /proc in the sandbox */
	bool has_sys;   /* the same of /sys */
};

/*
 * Reads `bwrap OPTION... [--] COMMAND...`, which ends with NULL. 0, or -EINVAL with a sentence in
 * *reason (free; NULL without memory): it isn't bwrap, runs nothing, or has an option whose
 * arguments can't be counted.
 */
int kr_bwrap_read(const char *const *argv, struct kr_bwrap_line *line, char **reason) KR_MUST_CHECK;
/*
 * The same line with `more` behind its options, so that nothing of the line can cover what they
 * mount, and with a /proc, which libraries are loaded through. When `more` names places below /sys
 * and nothing is mounted there, it gets an empty one to hold them, which a read-only root couldn't.
 */
void kr_bwrap_extend(
	const struct kr_bwrap_line *line, const struct kr_words *more, struct kr_words *out);
/*
 * Whether bwrap could mount something at `path` (absolute): it is there already, or can be made.
 * Where the line shows a directory of the system read-only it must be in that; an error of bwrap
 * would be the end of the command.
 */
bool kr_bwrap_has_room(const struct kr_bwrap_line *line, const char *path);

#endif
