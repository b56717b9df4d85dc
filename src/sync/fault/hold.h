/* SPDX-License-Identifier: Apache-2.0 */
/* Fences that a fault holds back. For fault.c. */
#ifndef KR_SYNC_FAULT_HOLD_H
#define KR_SYNC_FAULT_HOLD_H

#include <krafla/fault.h>
#include <stdbool.h>
#include "util/macros.h"

/*
 * Puts a fence in the place of *fence that signals later, out of order or never, as `fault` says.
 * 0; or -errno, and *fence is as it was.
 */
int kr_fault_hold(enum krafla_fault_site site, const struct krafla_fault *fault, int *fence)
	KR_MUST_CHECK;
/*
 * Another fence (borrowed) passes the site: fences that wait for that hear of it. True: one that
 * was swapped has waited for this one, which is therefore left alone.
 */
bool kr_fault_hold_passed(enum krafla_fault_site site, int fence);
/* What is held at that site is held no more. */
void kr_fault_hold_release(enum krafla_fault_site site);

#endif
