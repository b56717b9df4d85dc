# SPDX-License-Identifier: Apache-2.0
"""
gen/null_members.h: the features, limits and properties of core Vulkan that are numbers.

gen/null_commands.h and gen/null_commands.c: every core command that the null driver has to
have, and the functions that it defines for them. A command that it doesn't define is
missing from the table.
"""

import emit

ABOUT = "the null driver's functions for the core commands, as far as it defines them."
NEWEST = (1, 3)  # NULL_API_VERSION of drivers/null/null.h


def _commands(registry):
    return [
        command
        for command in registry.sorted_commands()
        if command.core_version and command.core_version <= NEWEST
    ]


def header(registry):
    declarations = "".join(
        f"{emit.declare(command, 'null_' + command.short)} NULL_COMMAND;\n"
        for command in _commands(registry)
    )
    body = f"""#define NULL_COMMANDS_API_VERSION {emit.version(NEWEST)}

/* By command id; NULL where the driver has no function. */
extern const PFN_vkVoidFunction null_commands[KR_COMMAND_COUNT]
	__attribute__((visibility("hidden")));

/* The table refers to them weakly: which of them there are the linker finds out. */
#ifndef NULL_COMMAND
#define NULL_COMMAND
#endif
#pragma GCC visibility push(hidden)
{declarations}#pragma GCC visibility pop
"""
    return emit.header("null_commands", ABOUT, ('"gen/commands.h"', '"util/vulkan.h"'), body)


def source(registry):
    entries = (
        f"[{emit.command_id(command)}] = (PFN_vkVoidFunction)null_{command.short}"
        for command in _commands(registry)
    )
    return (
        f"{emit.banner(ABOUT)}#define NULL_COMMAND __attribute__((weak))\n"
        '#include "gen/null_commands.h"\n\n'
        "const PFN_vkVoidFunction null_commands[KR_COMMAND_COUNT] = {\n"
        f"{emit.listing(entries)}}};\n"
    )


# The member of struct null_abilities, the word before its members' names, and its type.
GROUPS = (
    ("features10", "feature", "VkPhysicalDeviceFeatures"),
    ("features11", "feature", "VkPhysicalDeviceVulkan11Features"),
    ("features12", "feature", "VkPhysicalDeviceVulkan12Features"),
    ("features13", "feature", "VkPhysicalDeviceVulkan13Features"),
    ("limits", "limit", "VkPhysicalDeviceLimits"),
    ("properties11", "property", "VkPhysicalDeviceVulkan11Properties"),
    ("properties12", "property", "VkPhysicalDeviceVulkan12Properties"),
    ("properties13", "property", "VkPhysicalDeviceVulkan13Properties"),
)
NO_NUMBERS = ("VkStructureType", "void", "char", "uint8_t", "VkConformanceVersion")


def members(registry):
    rows = []
    for group, word, struct in GROUPS:
        for member in registry.struct(struct).members:
            if member.type in NO_NUMBERS:
                continue
            place = f"{group}.{member.name}"
            element = f"{place}[0]" if "[" in member.text else place
            rows.append(f'\tX("{word}.{member.name}", {place}, {element})')
    listing = " \\\n".join(rows)
    body = f"""/* X(name, member of struct null_abilities, that member or the first of the array) */
#define NULL_MEMBERS(X) \\
{listing}
"""
    return emit.header("null_members", "what the null driver can pretend to have.", (), body)
