/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that are called although nobody has them. What answers such calls is generated
 * (gen/missing.h); this is what is told about them.
 */
#ifndef KR_LOADER_MISSING_H
#define KR_LOADER_MISSING_H

#include <stdbool.h>
#include "gen/commands.h"
#include "gen/extensions.h"

struct kr_physical_device;

/*
 * An error, once a command and instance, to the callbacks of the instance that `handle` belongs to: the
 * first argument of the call. A driver's own handle belongs to none, nor does NULL: then once a process,
 * to whom this thread's messages go. Thread-safe.
 */
void kr_missing_tell(const void *handle, enum kr_command_id id);

/* Whether a command is core, or of an extension of devices, or of one in the set. */
bool kr_command_is_enabled(const struct kr_extension_set *set, const struct kr_command *command);

/*
 * Whether a physical device's driver is to be asked: it has the command, and what that is of was enabled
 * on it. A layer's devices (foreign.h) are asked whatever it is.
 */
bool kr_driver_offers(const struct kr_physical_device *device, enum kr_command_id id);

#endif
