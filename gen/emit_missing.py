# SPDX-License-Identifier: Apache-2.0
"""gen/missing.h and gen/missing.c: what stands in a table for commands that aren't there."""

import emit

ABOUT = "what stands in a table for commands that a driver or a device hasn't."


def header(registry):
    declarations = "".join(
        f"{emit.declare(command, 'kr_missing_' + command.short)};\n"
        for command in registry.sorted_commands("physical_device")
    )
    body = f"""/*
 * Put a function into every empty entry that has it told which command is lacking
 * (loader/messages/missing.h) and fails: VK_ERROR_EXTENSION_NOT_PRESENT, or false, 0, NULL where
 * there is no VkResult; counts become 0.
 */
void kr_instance_table_fill_missing(struct kr_instance_table *table);
void kr_device_table_fill_missing(struct kr_device_table *table);

/* Whether it is one of those functions. */
bool kr_command_is_missing(PFN_vkVoidFunction function);

/* Those of physical devices. */
{declarations}"""
    return emit.header("missing", ABOUT, ("<stdbool.h>", '"gen/tables.h"'), body)


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
    qualifier = "MISSING " if command.level == "physical_device" else "static MISSING "
    return f"{emit.define(command, 'kr_missing_' + command.short, qualifier)}\n{{\n{body}}}\n"


def _fill(commands):
    """Statements rather than a table: function pointers in data are relocated in each process."""
    return "".join(
        f"\tif (!table->{command.short})\n\t\ttable->{command.short} = kr_missing_{command.short};\n"
        for command in commands
    )


def source(registry):
    instance = registry.sorted_commands("instance", "physical_device")
    device = registry.sorted_commands("device")
    body = f"""/*
 * The functions are together, so that one can tell them by where they are; the linker names the
 * ends.
 */
#define MISSING __attribute__((section("kr_missing")))
extern const char __start_kr_missing[] __attribute__((visibility("hidden")));
extern const char __stop_kr_missing[] __attribute__((visibility("hidden")));

{chr(10).join(_function(command) for command in instance + device)}
bool
kr_command_is_missing(PFN_vkVoidFunction function)
{{
	uintptr_t at = (uintptr_t)function;

	return at >= (uintptr_t)__start_kr_missing && at < (uintptr_t)__stop_kr_missing;
}}

void
kr_instance_table_fill_missing(struct kr_instance_table *table)
{{
{_fill(instance)}}}

void
kr_device_table_fill_missing(struct kr_device_table *table)
{{
{_fill(device)}}}
"""
    includes = ('"gen/commands.h"', '"loader/messages/missing.h"')
    return emit.source("missing", ABOUT, includes, body)
