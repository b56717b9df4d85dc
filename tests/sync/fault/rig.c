/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include "harness.h"

#include "sync/fault/fault.h"

struct krafla_fault
fault_of(enum krafla_fault_kind kind)
{
	return (struct krafla_fault){.size = sizeof(struct krafla_fault), .kind = kind};
}

void
fault_set(const struct krafla_fault *fault)
{
	assert_int_equal(krafla_fault_set(FAULT_SITE, fault), 0);
}

void
fault_set_kind(enum krafla_fault_kind kind)
{
	struct krafla_fault fault = fault_of(kind);

	fault_set(&fault);
}

int
pass_none(void)
{
	return kr_fault_fence(FAULT_SITE, -1);
}
