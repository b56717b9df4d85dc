/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that drivers left behind, and that left their process group: a daemon that a driver
 * makes becomes a child of whoever adopts (PR_SET_CHILD_SUBREAPER) when its parents have ended. For
 * programs of one thread, which start drivers in processes of their own.
 */
#ifndef KR_UTIL_STRAYS_H
#define KR_UTIL_STRAYS_H

#include <stddef.h>
#include <sys/types.h>

/* From now on whoever loses its parent below this process is its child. Those it has are none. */
void kr_strays_adopt(void);
/* Ends all strays, and theirs. Of `count` children it is known that they are none. */
void kr_strays_kill(const pid_t *children, size_t count);
/* As often as they were adopted: strays go where they went before. */
void kr_strays_leave(void);

#endif
