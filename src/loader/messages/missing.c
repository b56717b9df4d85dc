/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about commands that nobody has. */
#include "loader/messages/missing.h"

#include "discover/driver.h"
#include "loader/drivers/drivers.h"
#include "loader/handles/handles.h"
#include "loader/messages/messages.h"
#include "loader/handles/physical_device.h"
#include "util/log.h"

/* NULL for handles that aren't the loader's: a driver's functions are called with its own. */
static struct kr_instance *
instance_of(const void *handle, const struct kr_command *command)
{
	if (!handle)
		return NULL;
	if (command->level == KR_LEVEL_DEVICE)
		return kr_device_from_dispatchable(handle)->instance;
	return kr_instance_table_is_live(kr_instance_table_of(handle))
		? kr_instance_from_dispatchable(handle)
		: NULL;
}

static void
tell_of_driver(struct kr_instance *instance, const void *handle, const char *command)
{
	const struct kr_physical_device *device =
		instance ? kr_physical_device_look_up(instance, handle) : NULL;

	if (device)
		kr_instance_log(instance, KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: the driver \"%s\" doesn't implement it, or lacks the extension that it is of",
			command, device->owner->driver->driver->name);
	else if (instance)
		kr_instance_log(instance, KR_LOG_ERROR, "%s: nothing implements it", command);
	else
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s: the driver doesn't implement it",
			command);
}

void
kr_missing_tell(const void *handle, enum kr_command_id id)
{
	static atomic_bool without_instance[KR_COMMAND_COUNT];
	const struct kr_command *command = &kr_commands[id];
	struct kr_instance *instance = instance_of(handle, command);
	/* Relaxed: it only keeps a message from being told twice. */
	atomic_bool *told = instance ? instance->missing_told : without_instance;

	if (atomic_exchange_explicit(&told[id], true, memory_order_relaxed))
		return;
	if (command->level == KR_LEVEL_DEVICE)
		kr_instance_log(instance, KR_LOG_ERROR,
			"%s: called on a device that hasn't got it: it is neither core there nor of an extension that was enabled",
			command->name);
	else
		tell_of_driver(instance, handle, command->name);
}
