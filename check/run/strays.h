/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that drivers left behind, and that left their process group. For this room alone. */
#ifndef KR_CHECK_RUN_STRAYS_H
#define KR_CHECK_RUN_STRAYS_H

/* From now on whoever loses its parent below this process is a child of it. */
void check_strays_adopt(void);
/* Ends all children of this process: once it has none of its own. */
void check_strays_end(void);

#endif
