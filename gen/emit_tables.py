# SPDX-License-Identifier: Apache-2.0
"""gen/tables.h and gen/tables.c: the dispatch tables and how they are filled."""

import emit

ABOUT = "the dispatch tables of instances and devices."


def _members(commands):
    return "".join(f"\tPFN_{command.name} {command.short};\n" for command in commands)


def header(registry):
    instance = registry.sorted_commands("instance", "physical_device")
    device = registry.sorted_commands("device")
    body = f"""/* What the first word of an object points at; `magic` is its owner's business. */
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
    return emit.header("tables", ABOUT, ("<stdint.h>", '"gen/later.h"', '"util/vulkan.h"'), body)


def _ids(name, commands):
    ids = emit.packed(emit.command_id(command) for command in commands)
    return f"static const uint16_t {name}[] = {{\n{ids}}};\n"


def source(registry):
    ids = _ids("of_instance", registry.sorted_commands("instance", "physical_device"))
    ids += _ids("of_device", registry.sorted_commands("device"))
    body = """/*
 * All function pointers have one size and form (POSIX); bytes are copied, no type is punned.
 */
static void
store(void *table, const struct kr_command *command, PFN_vkVoidFunction function)
{
	memcpy((char *)table + command->table_offset, &function, sizeof(function));
}

void
kr_instance_table_load(struct kr_instance_table *table, PFN_vkGetInstanceProcAddr get,
	VkInstance instance)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(of_instance); i++) {
		const struct kr_command *command = &kr_commands[of_instance[i]];

		store(table, command, get(instance, command->name));
	}
	table->GetInstanceProcAddr = get;
}

void
kr_device_table_load(struct kr_device_table *table, PFN_vkGetDeviceProcAddr get, VkDevice device)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(of_device); i++) {
		const struct kr_command *command = &kr_commands[of_device[i]];

		store(table, command, get(device, command->name));
	}
}
"""
    return emit.source("tables", ABOUT, ("<string.h>", '"gen/commands.h"', '"util/macros.h"'), ids + "\n" + body)
