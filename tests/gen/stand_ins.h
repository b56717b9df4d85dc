/* SPDX-License-Identifier: Apache-2.0 */
/* What a test of the trampolines decides about handles. */
#ifndef KR_TESTS_GEN_STAND_INS_H
#define KR_TESTS_GEN_STAND_INS_H

#include "gen/commands.h"
#include "gen/tables.h"

/* The only table in the list of those alive. */
extern const struct kr_instance_table *stand_in_listed;
/* Called for a wrong handle; it doesn't return. */
extern void (*stand_in_invalid)(enum kr_command_id id);

#endif
