/* SPDX-License-Identifier: Apache-2.0 */
/* What fork.c needs of the sw_sync names (<krafla/timeline.h>). */
#ifndef KR_SYNC_SW_SYNC_H
#define KR_SYNC_SW_SYNC_H

void kr_sw_sync_before_fork(void);
void kr_sw_sync_after_fork(void);

#endif
