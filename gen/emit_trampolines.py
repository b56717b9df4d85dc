# SPDX-License-Identifier: Apache-2.0
"""gen/trampolines.h and gen/trampolines.c: entry points that jump through a table."""

import emit
import policy

ABOUT = (
    "one entry point a command. It jumps through the table that the first word of its first "
    "argument points at, once that table is known to be one of ours."
)

TABLES = """/*
 * NULL for a handle that isn't ours. Half of the magic is an immediate operand, all of it would be
 * a load more.
 */
static inline __attribute__((always_inline)) const struct kr_device_table *
device_table(const void *handle)
{
	const struct kr_device_table *table;

	if (KR_UNLIKELY(!handle))
		return NULL;
	memcpy(&table, handle, sizeof(table));
	return KR_UNLIKELY((uint32_t)table->magic != (uint32_t)KR_DEVICE_MAGIC) ? NULL : table;
}

/* The table of an instance's object; NULL for one that has to be looked for in the list. */
static inline __attribute__((always_inline)) const struct kr_instance_table *
instance_table(const void *handle)
{
	const struct kr_instance_table *table;

	if (KR_UNLIKELY(!handle))
		return NULL;
	memcpy(&table, handle, sizeof(table));
	return KR_UNLIKELY(!kr_live_is_in_slot(table)) ? NULL : table;
}

/* As above, from the list; NULL for a handle that isn't ours. */
static __attribute__((noinline, cold)) const struct kr_instance_table *
listed_table(const void *handle)
{
	const struct kr_instance_table *table = handle ? kr_instance_table_of(handle) : NULL;

	return kr_live_is_listed(table) ? table : NULL;
}
"""


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
    includes = ('"gen/commands.h"', '"gen/later.h"', '"util/macros.h"', '"util/vulkan.h"')
    return emit.header("trampolines", ABOUT, includes, body)


def _elsewhere(command):
    """With an object of another loader, or of none: entry/elsewhere.h knows."""
    first = command.params[0].name
    call = emit.call(
        ("" if command.returns == "void" else "return ") + "found",
        [param.name for param in command.params],
        ";",
    ).replace("\n", "\n\t")
    cold = "static __attribute__((noinline, cold)) "
    return f"""{emit.define(command, f"elsewhere_{command.short}", cold)}
{{
	PFN_{command.name} found =
		(PFN_{command.name})kr_entry_elsewhere({first}, {emit.command_id(command)});

	{call}
}}
"""


def _call(command, prefix):
    arguments = [param.name for param in command.params]
    result = "" if command.returns == "void" else "return "
    return emit.call(f"{result}{prefix}{command.short}", arguments, ";").replace("\n", "\n\t\t")


def _device_function(registry, command):
    qualifier = "" if registry.exported(command) else "static "
    return f"""{_elsewhere(command)}
{emit.define(command, name_of(registry, command), qualifier)}
{{
	const struct kr_device_table *t = device_table({command.params[0].name});

	if (KR_UNLIKELY(!t))
		{_call(command, "elsewhere_")}
	else
		{_call(command, "t->")}
}}
"""


def _instance_function(registry, command):
    """The call of the list stands in a function of its own: here it would need a stack frame."""
    qualifier = "" if registry.exported(command) else "static "
    first = command.params[0].name
    cold = "static __attribute__((noinline, cold)) "
    return f"""{_elsewhere(command)}
{emit.define(command, f"slow_{command.short}", cold)}
{{
	const struct kr_instance_table *t = listed_table({first});

	if (!t)
		{_call(command, "elsewhere_")}
	else
		{_call(command, "t->")}
}}

{emit.define(command, name_of(registry, command), qualifier)}
{{
	const struct kr_instance_table *t = instance_table({first});

	if (KR_UNLIKELY(!t))
		{_call(command, "slow_")}
	else
		{_call(command, "t->")}
}}
"""


def enumeration(command):
    """Of a question in two calls the parameter of the count and those of the items; else None."""
    for count in command.params:
        items = [param for param in command.params if param.length == count.name]
        if items and count.pointer and not count.const and count.type == "uint32_t":
            return count.name, [param.name for param in items]
    return None


def _enumerating_function(registry, command):
    """Whoever answers, no more is handed on than the application has room for."""
    qualifier = "" if registry.exported(command) else "static "
    first = command.params[0].name
    count, items = enumeration(command)
    # Items of two kinds come together or not at all.
    out = items[0] if len(items) == 1 else f"{items[0]} ? (void *){items[0]} : (void *){items[1]}"
    arguments = [param.name for param in command.params]
    void = command.returns == "void"
    ours = emit.call(
        f"{'' if void else 'result = '}t->{command.short}", arguments, ";"
    ).replace("\n", "\n\t")
    others = emit.call(f"elsewhere_{command.short}", arguments, ";").replace("\n", "\n\t\t")
    others = f"{{\n\t\t{others}\n\t\treturn;\n\t}}" if void else f"\n\t\treturn {others}"
    result = "" if void else f"\t{command.returns} result;\n"
    back = "" if void else "\n\treturn result;"
    return f"""{_elsewhere(command)}
{emit.define(command, name_of(registry, command), qualifier)}
{{
	const struct kr_instance_table *t = instance_table({first});
	const void *out = {out};
	uint32_t room;
{result}
	if (KR_UNLIKELY(!t))
		t = listed_table({first});
	if (KR_UNLIKELY(!t)){' ' if void else ''}{others}
	room = kr_enumeration_room(out, {count});
	{ours}
	kr_enumeration_fit(out, room, {count});{back}
}}
"""


def _function(registry, command):
    if command.level == "device":
        return _device_function(registry, command)
    if enumeration(command):
        return _enumerating_function(registry, command)
    return _instance_function(registry, command)


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
        TABLES
        + "\n"
        + "\n".join(functions)
        + "\nconst PFN_vkVoidFunction kr_trampolines[KR_COMMAND_COUNT] = {\n"
        + emit.listing(entries)
        + "};\n"
    )
    includes = (
        "<string.h>",
        '"entry/elsewhere.h"',
        '"gen/tables.h"',
        '"loader/handles/live.h"',
        '"util/enumerate.h"',
    )
    return emit.source("trampolines", ABOUT, includes, body)
