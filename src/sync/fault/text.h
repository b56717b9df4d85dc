/* SPDX-License-Identifier: Apache-2.0 */
/* Faults as text. For fault.c. */
#ifndef KR_SYNC_FAULT_TEXT_H
#define KR_SYNC_FAULT_TEXT_H

#include <krafla/fault.h>
#include <stdbool.h>
#include "util/macros.h"

/*
 * The faults that `text` names, as krafla_fault_set_text says; others have size 0. Returns
 * 0, or -EINVAL, which is logged.
 */
int kr_fault_parse(const char *text, struct krafla_fault faults[KRAFLA_FAULT_SITES]) KR_MUST_CHECK;
/* The environment's in the same way; false: there are none. */
bool kr_fault_read_environment(struct krafla_fault faults[KRAFLA_FAULT_SITES]);

#endif
