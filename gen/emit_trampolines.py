# SPDX-License-Identifier: Apache-2.0
"""gen/trampolines.h and gen/trampolines.c: entry points that jump through a table."""

import emit
import policy

ABOUT = (
    "one entry point a command. It jumps through the table that the first word of its first "
    "argument points at, once that table is known to be one of ours."
)

TABLES = """/* Half of the magic is an immediate operand, all of it would be a load more. */
static inline __attribute__((always_inline)) const struct kr_device_table *
device_table(const void *handle, enum kr_command_id id)
{
	const struct kr_device_table *table;

	if (KR_UNLIKELY(!handle))
		kr_entry_invalid(id);
	memcpy(&table, handle, sizeof(table));
	if (KR_UNLIKELY((uint32_t)table->magic != (uint32_t)KR_DEVICE_MAGIC))
		kr_entry_invalid(id);
	return table;
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

/* As above, from the list; it doesn't come back from a handle that isn't ours. */
static __attribute__((noinline, cold)) const struct kr_instance_table *
listed_table(const void *handle, enum kr_command_id id)
{
	const struct kr_instance_table *table = handle ? kr_instance_table_of(handle) : NULL;

	if (!kr_live_is_listed(table))
		kr_entry_invalid(id);
	return table;
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


def _jump(command, table):
    arguments = [param.name for param in command.params]
    result = "" if command.returns == "void" else "return "
    return emit.call(f"{result}{table}->{command.short}", arguments, ";").replace("\n", "\n\t")


def _device_function(registry, command):
    qualifier = "" if registry.exported(command) else "static "
    table = f"device_table({command.params[0].name}, {emit.command_id(command)})"
    return f"""{emit.define(command, name_of(registry, command), qualifier)}
{{
	const struct kr_device_table *t = {table};

	{_jump(command, "t")}
}}
"""


def _instance_function(registry, command):
    """The call of the list stands in a function of its own: here it would need a stack frame."""
    qualifier = "" if registry.exported(command) else "static "
    first = command.params[0].name
    arguments = [param.name for param in command.params]
    result = "" if command.returns == "void" else "return "
    slow = emit.call(f"{result}slow_{command.short}", arguments, ";").replace("\n", "\n\t\t")
    cold = "static __attribute__((noinline, cold)) "
    return f"""{emit.define(command, f"slow_{command.short}", cold)}
{{
	const struct kr_instance_table *t = listed_table({first}, {emit.command_id(command)});

	{_jump(command, "t")}
}}

{emit.define(command, name_of(registry, command), qualifier)}
{{
	const struct kr_instance_table *t = instance_table({first});

	if (KR_UNLIKELY(!t))
		{slow}
	else
		{_jump(command, "t")}
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
    assign = "" if void else "result = "
    call = emit.call(f"{assign}t->{command.short}", arguments, ";").replace("\n", "\n\t")
    result = "" if void else f"\t{command.returns} result;\n"
    back = "" if void else "\n\treturn result;"
    return f"""{emit.define(command, name_of(registry, command), qualifier)}
{{
	const struct kr_instance_table *t = instance_table({first});
	const void *out = {out};
	uint32_t room = kr_enumeration_room(out, {count});
{result}
	if (KR_UNLIKELY(!t))
		t = listed_table({first}, {emit.command_id(command)});
	{call}
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
        '"entry/entry.h"',
        '"gen/tables.h"',
        '"loader/live.h"',
        '"util/enumerate.h"',
    )
    return emit.source("trampolines", ABOUT, includes, body)
