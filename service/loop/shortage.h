/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is short for a moment: memory, descriptors, the kernel's patience with descriptors on their
 * way, processes. An error of that kind says nothing about the package, device or driver that was
 * being looked at, so what was known of it stays, and it is looked at again by itself.
 */
#ifndef KR_SERVICE_LOOP_SHORTAGE_H
#define KR_SERVICE_LOOP_SHORTAGE_H

#include <errno.h>
#include <stdbool.h>
#include "util/clock.h"

#define KR_SHORTAGE_AGAIN KR_NSEC_PER_SEC

/* `err` is 0 or -errno. */
static inline bool
kr_is_shortage(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -ENOBUFS ||
		err == -ETOOMANYREFS;
}

#endif
