# SPDX-License-Identifier: Apache-2.0
"""
gen/terminators.h and gen/terminators.c: the bottom of the instance chain for physical devices,
which unwraps the loader's object and calls the driver that owns it, if that has the command.
"""

import emit
import policy
import reach

ABOUT = "the bottom of the instance chain: unwraps the physical device and calls its driver."


class TerminatorError(Exception):
    """A command needs a terminator by hand; the text names it."""


def _holders(registry, handles):
    return handles | reach.closure(registry, reach.direct(registry, handles))


def generated(registry):
    """
    The commands whose terminator can be one line: a physical device, nothing else that the loader
    wraps. A surface means that the window system has a say; other wrapped handles inside structures
    would have to be translated, so such a command must be named in policy.EXCLUDED_TERMINATORS.
    """
    surface = _holders(registry, {"VkSurfaceKHR"})
    wrapped = _holders(registry, {"VkInstance", "VkPhysicalDevice"})
    commands = []
    for command in registry.sorted_commands("physical_device"):
        if command.name in policy.EXCLUDED_TERMINATORS:
            continue
        if reach.has(command.params, surface):
            continue
        if reach.has(command.params[1:], wrapped):
            raise TerminatorError(
                f"{registry.path}: {command.name} takes a second wrapped handle: write its "
                "terminator in the loader and name it in gen/policy.py EXCLUDED_TERMINATORS"
            )
        commands.append(command)
    return commands


def header(registry):
    body = """/* By command id; NULL for what isn't a physical device's or is written by hand. */
extern const PFN_vkVoidFunction kr_generated_terminators[KR_COMMAND_COUNT];
/* The same for every command of a physical device, those left to hand too: unwrapping alone. */
extern const PFN_vkVoidFunction kr_unwrapping[KR_COMMAND_COUNT];
"""
    return emit.header("terminators", ABOUT, ('"gen/commands.h"', '"util/vulkan.h"'), body)


def _refusal(command):
    """Every driver has what was core from the first; of others each is asked only if it has it."""
    if command.core_version == (1, 0):
        return ""
    arguments = [param.name for param in command.params]
    call = emit.call(f"kr_missing_{command.short}", arguments, ";").replace("\n", "\n\t\t")
    if command.returns == "void":
        call = f"{{\n\t\t{call}\n\t\treturn;\n\t}}"
        return f"\tif (!kr_physical_device_has_command(d, {emit.command_id(command)})) {call}\n"
    return f"\tif (!kr_physical_device_has_command(d, {emit.command_id(command)}))\n\t\treturn {call}\n"


def _function(command, name, refusal=""):
    first = command.params[0].name
    arguments = ["d->handle"] + [param.name for param in command.params[1:]]
    result = "" if command.returns == "void" else "return "
    line = emit.call(f"{result}d->driver->{command.short}", arguments, ";").replace("\n", "\n\t")
    return f"""{emit.define(command, name, "static ")}
{{
	const struct kr_physical_device *d = kr_physical_device_from_handle({first});

{refusal}	{line}
}}
"""


def _table(name, functions):
    entries = (
        f"[{emit.command_id(command)}] = (PFN_vkVoidFunction){function}"
        for command, function in functions
    )
    return f"\nconst PFN_vkVoidFunction {name}[KR_COMMAND_COUNT] = {{\n{emit.listing(entries)}}};\n"


def source(registry):
    commands = generated(registry)
    terminators = [(command, f"terminator_{command.short}") for command in commands]
    others = [
        (command, f"unwrap_{command.short}")
        for command in registry.sorted_commands("physical_device")
        if command not in commands
    ]
    functions = [
        _function(command, function, _refusal(command))
        for command, function in terminators
    ]
    functions += [_function(*pair) for pair in others]
    body = (
        "\n".join(functions)
        + _table("kr_generated_terminators", terminators)
        + _table("kr_unwrapping", terminators + others)
    )
    includes = (
        '"gen/missing.h"',
        '"gen/tables.h"',
        '"loader/drivers/commands.h"',
        '"loader/handles/handles.h"',
    )
    return emit.source("terminators", ABOUT, includes, body)
