/* SPDX-License-Identifier: Apache-2.0 */
/* Short ways to inject faults at one site, for the tests of fault injection. */
#ifndef KR_TESTS_SYNC_FAULT_RIG_H
#define KR_TESTS_SYNC_FAULT_RIG_H

#include <krafla/fault.h>

#define FAULT_SITE KRAFLA_FAULT_AT_QUEUE

struct krafla_fault fault_of(enum krafla_fault_kind kind);
/* What becomes of fences at FAULT_SITE from now on. */
void fault_set(const struct krafla_fault *fault);
void fault_set_kind(enum krafla_fault_kind kind);
/* What passes there in place of "signalled"; -1 when that is left alone. */
int pass_none(void);

#endif
