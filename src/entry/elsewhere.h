/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other loaders in this process: a program that brings a libvulkan.so.1 of its own, and ours
 * because it is preloaded or a library of the program links it. Names that the other exports and
 * refers to without binding them to itself, as the Khronos loader does, then mean ours: what it
 * gives for "vkQueueSubmit" is our entry point, and is called with the other's queue. So an object
 * that isn't ours goes to the loader that has made it, by that one's own function. Ours is bound to
 * itself (-Bsymbolic); no other loader ever stands in its way.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_ENTRY_ELSEWHERE_H
#define KR_ENTRY_ELSEWHERE_H

#include "gen/commands.h"
#include "util/vulkan.h"

/*
 * The command's function of the loader whose object `handle` is. Where there is no other loader, or
 * none that has the command, the process ends with a message that names the command and the rule.
 * With several, that one whose functions stand in the table which the handle's first word points
 * at, as all loaders have it; else the first.
 */
PFN_vkVoidFunction kr_entry_elsewhere(const void *handle, enum kr_command_id id)
	__attribute__((cold));

/*
 * Of a command without an object, called through our exported name: the function of the loader that
 * the caller means, NULL if that is ours. Another is meant when it has taken our name for its own,
 * so that its vkGetInstanceProcAddr gives ours, unless the caller (a return address) calls by the
 * name, as who is linked with ours does. Who has found the exported name by dlsym, or jumps to it
 * at a function's end, can't be told from who has it from the other loader: he gets an instance of
 * the other then, and all works, through kr_entry_elsewhere (the other way round it wouldn't);
 * vkGetInstanceProcAddr of ours gives other addresses, which are certainly meant.
 */
PFN_vkVoidFunction kr_entry_meant_elsewhere(
	const void *caller, PFN_vkVoidFunction exported, enum kr_command_id id);

#endif
