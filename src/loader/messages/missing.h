/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that are called although nobody has them. What answers such calls is generated
 * (gen/missing.h); this is what is told about them.
 */
#ifndef KR_LOADER_MESSAGES_MISSING_H
#define KR_LOADER_MESSAGES_MISSING_H

#include "gen/commands.h"

/*
 * An error, once a command and instance, to the callbacks of the instance that `handle` belongs to:
 * the first argument of the call. A driver's own handle belongs to none, nor does NULL: then once a
 * process, to whom this thread's messages go. Thread-safe.
 */
void kr_missing_tell(const void *handle, enum kr_command_id id);

#endif
