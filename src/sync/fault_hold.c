/* SPDX-License-Identifier: Apache-2.0 */
/* Fences that are held back: follows with the reactor's watchers. */
#include "sync/fault_hold.h"

#include <errno.h>

int
kr_fault_hold(enum krafla_fault_site site, const struct krafla_fault *fault, int *fence)
{
	(void)site, (void)fault, (void)fence;
	return -EOPNOTSUPP;
}

bool
kr_fault_hold_passed(enum krafla_fault_site site, int fence)
{
	(void)site, (void)fence;
	return false;
}

void
kr_fault_hold_release(enum krafla_fault_site site)
{
	(void)site;
}

void
kr_fault_hold_before_fork(void)
{
}

void
kr_fault_hold_after_fork(bool child)
{
	(void)child;
}
