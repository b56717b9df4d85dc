/* SPDX-License-Identifier: Apache-2.0 */
/* Names to functions: an index of the generated command list. */
#include "null/commands.h"

#include <string.h>

#include "gen/commands.h"
#include "null/mutants.h"
#include "null/null.h"

/*
 * Every vkCmd* command without a function of its own. They return nothing, and on the ABIs that
 * Krafla runs on the caller removes the arguments, so one function without any stands for all of
 * them.
 */
static VKAPI_ATTR void VKAPI_CALL
do_nothing(void)
{
}

_Static_assert(
	VK_API_VERSION_MINOR(NULL_API_VERSION) == VK_API_VERSION_MINOR(NULL_COMMANDS_API_VERSION),
	"what is generated is for the version that is implemented");

static PFN_vkVoidFunction
function_of(const struct kr_command *command)
{
	PFN_vkVoidFunction fn = null_commands[kr_command_get_id(command)];

	if (fn)
		return fn;
	if (!strncmp(command->name, "vkCmd", 5) && command->core_version &&
		command->core_version <= VK_API_VERSION_1_3)
		return do_nothing;
	return NULL;
}

PFN_vkVoidFunction
null_find_function(const char *name)
{
	const struct kr_command *command = kr_command_find(name);

	return command ? function_of(command) : NULL;
}

bool
null_is_physical_device_function(const char *name)
{
	const struct kr_command *command = kr_command_find(name);

	return command && command->level == KR_LEVEL_PHYSICAL_DEVICE;
}

bool
null_is_device_function(const char *name)
{
	const struct kr_command *command = kr_command_find(name);

	return command && command->level == KR_LEVEL_DEVICE;
}

bool
null_is_global_function(const char *name)
{
	const struct kr_command *command = kr_command_find(name);

	return command && command->level == KR_LEVEL_GLOBAL;
}

PFN_vkVoidFunction
null_find_native_buffer_function(const struct null_settings *settings, const char *name)
{
#define NAMED(fn, since) {"vk" #fn, (PFN_vkVoidFunction)null_##fn, since},
	static const struct {
		const char *name;
		PFN_vkVoidFunction fn;
		uint32_t since;
	} named[] = {NULL_NATIVE_BUFFER_COMMANDS(NAMED)};

	if (strstr(name, "GrallocUsage") && null_has_fault(has_no_usage_functions))
		return NULL;
	for (size_t i = 0; i < KR_ARRAY_LEN(named); i++) {
		if (!strcmp(name, named[i].name) && settings->version >= named[i].since)
			return named[i].fn;
	}
	return NULL;
}
