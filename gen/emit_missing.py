# SPDX-License-Identifier: Apache-2.0
"""gen/missing.h and gen/missing.c: what stands in a table for commands that driver or device hasn't."""

import emit

ABOUT = "what stands in a table for commands that a driver or a device hasn't."


def header(registry):
    body = """/*
 * Put a function into every empty entry that has it told which command is lacking (loader/missing.h) and
 * fails: VK_ERROR_EXTENSION_NOT_PRESENT, or false, 0, NULL where there is no VkResult; counts become 0.
 */
void kr_instance_table_fill_missing(struct kr_instance_table *table);
void kr_device_table_fill_missing(struct kr_device_table *table);

/* What these put into the entry of a command; NULL for commands without an entry. */
extern const PFN_vkVoidFunction kr_missing_commands[KR_COMMAND_COUNT];
"""
    return emit.header("missing", ABOUT, ('"gen/commands.h"', '"gen/tables.h"'), body)


def _counts(command):
    """Parameters through which the command says how many elements it has."""
    lengths = {param.length for param in command.params}
    return [
        param.name
        for param in command.params
        if param.pointer and not param.const and param.type == "uint32_t" and param.name in lengths
    ]


def _result(returns):
    values = {"void": None, "VkResult": "VK_ERROR_EXTENSION_NOT_PRESENT", "VkBool32": "VK_FALSE"}
    return values.get(returns, "NULL" if returns.startswith("PFN_") or "*" in returns else "0")


def _function(command):
    lines = [f"kr_missing_tell({command.params[0].name}, {emit.command_id(command)});"]
    lines += [f"*{count} = 0;" for count in _counts(command)]
    result = _result(command.returns)
    if result:
        lines.append(f"return {result};")
    body = "".join(f"\t{line}\n" for line in lines)
    return f"{emit.define(command, 'kr_missing_' + command.short, 'static ')}\n{{\n{body}}}\n"


def source(registry):
    commands = registry.sorted_commands("instance", "physical_device", "device")
    entries = (
        f"[{emit.command_id(command)}] = (PFN_vkVoidFunction)kr_missing_{command.short}"
        for command in commands
    )
    body = f"""{chr(10).join(_function(command) for command in commands)}
const PFN_vkVoidFunction kr_missing_commands[KR_COMMAND_COUNT] = {{
{emit.listing(entries)}}};

static void
fill(char *table, bool device)
{{
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {{
		char *entry = table + kr_commands[i].table_offset;
		PFN_vkVoidFunction function;

		if (!kr_missing_commands[i] || (kr_commands[i].level == KR_LEVEL_DEVICE) != device)
			continue;
		memcpy(&function, entry, sizeof(function));
		if (!function)
			memcpy(entry, &kr_missing_commands[i], sizeof(function));
	}}
}}

void
kr_instance_table_fill_missing(struct kr_instance_table *table)
{{
	fill((char *)table, false);
}}

void
kr_device_table_fill_missing(struct kr_device_table *table)
{{
	fill((char *)table, true);
}}
"""
    includes = ("<string.h>", '"gen/commands.h"', '"loader/missing.h"')
    return emit.source("missing", ABOUT, includes, body)
