/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a driver before its cases. For this room alone. */
#ifndef KR_CHECK_RUN_SHOW_H
#define KR_CHECK_RUN_SHOW_H

#include <stdbool.h>
#include "check/rig/driver.h"
#include "util/macros.h"

/* What the inspection left beside the driver; zeroes where it can't be true. */
void check_believe_facts(const struct check_shared *shared, struct check_facts *facts);
/* Names of files are any bytes: as reports may have them. False without memory. */
bool check_show_driver(const struct check_driver *driver, struct check_driver *shown) KR_MUST_CHECK;
void check_free_shown(struct check_driver *shown);

#endif
