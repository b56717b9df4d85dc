# SPDX-License-Identifier: Apache-2.0
"""gen/trampolines.h and gen/trampolines.c: entry points that jump through a table."""

import emit
import policy

from emit_commands import TABLE_OF_LEVEL

ABOUT = (
    "one entry point a command. It jumps through the table that the first word of its first "
    "argument points at: a load, an indirect jump, nothing else."
)


def hand_written(command):
    return command.name in policy.HAND_WRITTEN_ENTRY


def name_of(registry, command):
    if registry.exported(command) or hand_written(command):
        return command.name
    return f"kr_trampoline_{command.short}"


def header(registry):
    declarations = "".join(
        f"KR_EXPORT {emit.declare(command, command.name)};\n"
        for command in registry.sorted_commands()
        if registry.exported(command) or hand_written(command)
    )
    body = f"""/* By command id: what vkGetInstanceProcAddr gives to applications. None is NULL. */
extern const PFN_vkVoidFunction kr_trampolines[KR_COMMAND_COUNT];

/* What libvulkan.so.1 exports. Written by hand in src/entry: those of policy.HAND_WRITTEN_ENTRY. */
{declarations}"""
    includes = ('"gen/commands.h"', '"util/macros.h"', '"util/vulkan.h"')
    return emit.header("trampolines", ABOUT, includes, body)


def _function(registry, command):
    qualifier = "" if registry.exported(command) else "static "
    head = emit.define(command, name_of(registry, command), qualifier)
    table = TABLE_OF_LEVEL[command.level]
    first = command.params[0].name
    arguments = [param.name for param in command.params]
    result = "" if command.returns == "void" else "return "
    jump = emit.call(f"{result}t->{command.short}", arguments, ";").replace("\n", "\n\t")
    return f"""{head}
{{
	const struct {table} *t = *(const struct {table} *const *){first};

	{jump}
}}
"""


def source(registry):
    functions = [
        _function(registry, command)
        for command in registry.sorted_commands("instance", "physical_device", "device")
        if not hand_written(command)
    ]
    entries = (
        f"[{emit.command_id(command)}] = (PFN_vkVoidFunction){name_of(registry, command)}"
        for command in registry.sorted_commands()
    )
    body = (
        "\n".join(functions)
        + "\nconst PFN_vkVoidFunction kr_trampolines[KR_COMMAND_COUNT] = {\n"
        + emit.listing(entries)
        + "};\n"
    )
    return emit.source("trampolines", ABOUT, ('"gen/tables.h"',), body)
