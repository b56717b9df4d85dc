# SPDX-License-Identifier: Apache-2.0
"""gen/missing.h and gen/missing.c: what stands in a table for commands that driver or device hasn't."""

import emit

ABOUT = "what stands in a table for commands that a driver or a device hasn't."


def header(registry):
    body = """/*
 * Put a function into every empty entry that says once which command is lacking and fails:
 * VK_ERROR_EXTENSION_NOT_PRESENT, or false, 0, NULL where there is no VkResult; counts become 0.
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
    lines = [f"complain({emit.command_id(command)});"]
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
    body = f"""/* Relaxed: it only keeps a message from being said twice. */
static atomic_bool said[KR_COMMAND_COUNT];

/* Not inline, it would stand in every function below. */
static __attribute__((noinline, cold)) void
complain(enum kr_command_id id)
{{
	const struct kr_command *command = &kr_commands[id];

	if (atomic_exchange_explicit(&said[id], true, memory_order_relaxed))
		return;
	if (command->level == KR_LEVEL_DEVICE)
		kr_log(KR_LOG_ERROR,
			"%s: called on a device that hasn't got it: it is neither core there nor of "
			"an extension that was enabled",
			command->name);
	else
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s: the driver doesn't implement it",
			command->name);
}}

{chr(10).join(_function(command) for command in commands)}
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
    includes = ("<stdatomic.h>", "<string.h>", '"gen/commands.h"', '"util/log.h"')
    return emit.source("missing", ABOUT, includes, body)
