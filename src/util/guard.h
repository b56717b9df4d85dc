/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process takes from its environment. In a guarded process that isn't debuggable, no
 * variable may name code to load (Y-05, Y-06): such variables read as unset, said once, and so do
 * properties but for those of the system's own file. A profile decides whether processes are
 * guarded; they aren't unless told.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_UTIL_GUARD_H
#define KR_UTIL_GUARD_H

#include <stdbool.h>

void kr_guard_set(bool on);

/*
 * Whether others may look into this process (PR_GET_DUMPABLE), or the system as a whole says
 * ro.debuggable, in any value but zero.
 */
bool kr_guard_process_is_debuggable(void);

/* Whether variables may name code now. */
bool kr_guard_trusts_environment(void);

/* As kr_env_get, for a variable that says where code comes from. */
const char *kr_env_get_code(const char *name);
/* The same where a variable that is set to nothing counts as set. */
const char *kr_env_get_code_raw(const char *name);

#endif
