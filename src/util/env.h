/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place where Krafla's libraries read the environment (DESIGN rule 10). In a privileged
 * process (setuid, file capabilities) every variable reads as unset.
 */
#ifndef KR_UTIL_ENV_H
#define KR_UTIL_ENV_H

/* The value, or NULL when unset or empty. Borrowed from the environment. */
const char *kr_env_get(const char *name);
/* The same where a variable that is set to nothing counts as set. */
const char *kr_env_get_raw(const char *name);

/* The value if it is an absolute path: the base directory specification wants others ignored. */
const char *kr_env_get_directory(const char *name);

#endif
