/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is behind the sw_sync names, as <krafla/timeline.h> describes them; these
 * return 0 or -errno.
 */
#ifndef KR_SYNC_SW_SYNC_H
#define KR_SYNC_SW_SYNC_H

#include <stdint.h>
#include "util/macros.h"

int kr_sw_sync_create(int *fd) KR_MUST_CHECK;
int kr_sw_sync_inc(int fd, uint32_t count) KR_MUST_CHECK;
int kr_sw_sync_fence(int fd, const char *name, uint32_t value, int *fence) KR_MUST_CHECK;

#endif
