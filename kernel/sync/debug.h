/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* debugfs: krafla_sync/timelines lists all timelines and their open points. */
#ifndef KRAFLA_SYNC_DEBUG_H
#define KRAFLA_SYNC_DEBUG_H

void krafla_debug_init(void);
void krafla_debug_exit(void);

#endif
