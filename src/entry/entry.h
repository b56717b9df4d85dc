/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry points that gen/ leaves to hand (policy.HAND_WRITTEN_ENTRY): those that come before there
 * is an object to jump through, and those that build or end a chain. All are declared in
 * gen/trampolines.h; here is what the others of this room need of them.
 */
#ifndef KR_ENTRY_ENTRY_H
#define KR_ENTRY_ENTRY_H

#include "gen/commands.h"
#include "util/vulkan.h"

/*
 * The answer to a handle that is none of ours, as in every loader: a sentence with the command's name
 * and the id of the rule in the specification, then abort(), since nothing could be returned (DESIGN
 * rule 5).
 */
_Noreturn void kr_entry_invalid(enum kr_command_id id) __attribute__((cold));

#endif
