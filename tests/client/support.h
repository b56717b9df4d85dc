/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the client share: a fake service, and an environment that names it. */
#ifndef KR_TESTS_CLIENT_SUPPORT_H
#define KR_TESTS_CLIENT_SUPPORT_H

#include "../profiles/support.h"
#include "fake_service.h"
#include "harness.h"
#include "util/clock.h"

/* Hides the system, starts a fake service and names it in KRAFLA_SERVICE. */
struct fake_service *begin(const char *profile);

#endif
