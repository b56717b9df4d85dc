/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boundaries at which <krafla/fault.h> makes fences misbehave. A boundary passes its fence
 * through kr_fault_fence, which costs one relaxed load while no fault is set.
 *
 *   fault.c  which fences are meant, and what becomes of them
 *   hold.c   those that are held back
 *   text.c   faults as text, and the environment
 */
#ifndef KR_SYNC_FAULT_FAULT_H
#define KR_SYNC_FAULT_FAULT_H

#include <krafla/fault.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "util/macros.h"

/*
 * 1 << site for each that has a fault, and until somebody asks KR_FAULT_UNREAD. Partner: fault.c.
 */
#define KR_FAULT_UNREAD (1u << 31)
extern atomic_uint kr_fault_sites;

int kr_fault_pass(enum krafla_fault_site site, int take_fence);

/*
 * What passes in place of the fence, which is owned on the way in and on the way out; -1
 * is a fence that has signalled. Any thread; not with a lock held that is ranked behind
 * the faults' (threading.md).
 */
static inline int
kr_fault_fence(enum krafla_fault_site site, int take_fence)
{
	if (KR_UNLIKELY(atomic_load_explicit(&kr_fault_sites, memory_order_relaxed)))
		return kr_fault_pass(site, take_fence);
	return take_fence;
}

#endif
