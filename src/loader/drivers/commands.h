/* SPDX-License-Identifier: Apache-2.0 */
/* Which commands a driver has, and who may call them. */
#ifndef KR_LOADER_DRIVERS_COMMANDS_H
#define KR_LOADER_DRIVERS_COMMANDS_H

#include <stdbool.h>
#include "gen/commands.h"
#include "gen/extensions.h"

struct kr_instance_table;
struct kr_physical_device;

/*
 * Whether a driver (an instance table after kr_instance_table_fill_missing) has a command itself.
 */
bool kr_instance_table_has(const struct kr_instance_table *driver, enum kr_command_id id);
/*
 * Whether a device's driver has a command of an instance extension, and that
 * extension is enabled on it.
 */
bool kr_physical_device_has_command_of(const struct kr_physical_device *device,
	enum kr_extension extension, enum kr_command_id id);

/* Whether a command is core, or of an extension of devices, or of one in the set. */
bool kr_extension_set_enables(const struct kr_extension_set *set, const struct kr_command *command);

/*
 * Whether a physical device's driver is to be asked: it has the command, and what that is of was
 * enabled on it. A layer's devices (foreign.h) are asked whatever it is.
 */
bool kr_physical_device_has_command(const struct kr_physical_device *device, enum kr_command_id id);

#endif
