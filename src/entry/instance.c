/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points without an object, and those that make and end instances. */
#include <stdlib.h>
#include <string.h>

#include "entry/entry.h"
#include "gen/trampolines.h"
#include "loader/handles.h"
#include "loader/instance.h"
#include "util/log.h"

_Noreturn void
kr_entry_invalid(enum kr_command_id id)
{
	const struct kr_command *command = &kr_commands[id];
	bool alias = command->specified != id;

	kr_log(KR_LOG_ERROR | KR_LOG_FATAL,
		"%s: Invalid %s [VUID-%s-%s-parameter]: no such object is alive in this loader%s%s",
		command->name, command->handle, command->name, command->handle,
		alias ? "; the specification has the rule under " : "",
		alias ? kr_commands[command->specified].name : "");
	abort();
}

VKAPI_ATTR VkResult VKAPI_CALL
vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	return kr_instance_create(info, allocator, instance);
}

VKAPI_ATTR void VKAPI_CALL
vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	if (!instance)
		return;
	if (!kr_instance_table_is_live(kr_instance_table_of(instance)))
		kr_entry_invalid(KR_CMD_DestroyInstance);
	kr_instance_destroy(instance, allocator);
}
