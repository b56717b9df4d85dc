# SPDX-License-Identifier: Apache-2.0
"""gen/tables.h and gen/tables.c: the dispatch tables and how they are filled."""

import emit

ABOUT = "the dispatch tables of instances and devices."


def _members(commands):
    return "".join(f"\tPFN_{command.name} {command.short};\n" for command in commands)


def header(registry):
    instance = registry.sorted_commands("instance", "physical_device")
    device = registry.sorted_commands("device")
    body = f"""/* What the first word of a dispatchable object points at; `magic` is its owner's business. */
struct kr_instance_table {{
	uint64_t magic;
{_members(instance)}}};

struct kr_device_table {{
	uint64_t magic;
{_members(device)}}};

/*
 * Asks for every entry by name; one that the driver (or layer) hasn't becomes NULL. The table's own
 * GetInstanceProcAddr becomes `get`. `magic` is left alone.
 */
void kr_instance_table_load(struct kr_instance_table *table, PFN_vkGetInstanceProcAddr get,
	VkInstance instance);
void kr_device_table_load(struct kr_device_table *table, PFN_vkGetDeviceProcAddr get,
	VkDevice device);
"""
    return emit.header("tables", ABOUT, ("<stdint.h>", '"util/vulkan.h"'), body)


def source(registry):
    body = """/* All function pointers have one size and form (POSIX); bytes are copied, no type is punned. */
static void
store(void *table, const struct kr_command *command, PFN_vkVoidFunction function)
{
	memcpy((char *)table + command->table_offset, &function, sizeof(function));
}

void
kr_instance_table_load(struct kr_instance_table *table, PFN_vkGetInstanceProcAddr get,
	VkInstance instance)
{
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];

		if (command->level == KR_LEVEL_INSTANCE ||
			command->level == KR_LEVEL_PHYSICAL_DEVICE)
			store(table, command, get(instance, command->name));
	}
	table->GetInstanceProcAddr = get;
}

void
kr_device_table_load(struct kr_device_table *table, PFN_vkGetDeviceProcAddr get, VkDevice device)
{
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];

		if (command->level == KR_LEVEL_DEVICE)
			store(table, command, get(device, command->name));
	}
}
"""
    return emit.source("tables", ABOUT, ("<string.h>", '"gen/commands.h"'), body)
