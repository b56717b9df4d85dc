/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that drivers left behind, and that left their process group: a daemon that a driver
 * makes becomes a child of the runner (PR_SET_CHILD_SUBREAPER) when its case ends, and is ended
 * then. For this room alone, and one thread.
 */
#ifndef KR_CHECK_RUN_STRAYS_H
#define KR_CHECK_RUN_STRAYS_H

#include <stddef.h>
#include <sys/types.h>

/* From now on whoever loses its parent below this process is its child. Those it has are none. */
void check_strays_adopt(void);
/* Ends all strays, and theirs. Of `count` children it is known that they are none. */
void check_strays_kill(const pid_t *children, size_t count);
/* As often as they were adopted: strays go where they went before. */
void check_strays_leave(void);

#endif
