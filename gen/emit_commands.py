# SPDX-License-Identifier: Apache-2.0
"""gen/commands.h and gen/commands.c: every command, what it belongs to, and lookup by name."""

import emit
import names

ABOUT = "every Vulkan command, what it belongs to, and lookup by name."
TABLE_OF_LEVEL = {
    "instance": "kr_instance_table",
    "physical_device": "kr_instance_table",
    "device": "kr_device_table",
}


def header(registry):
    commands = registry.sorted_commands()
    ids = [emit.command_id(command) for command in commands]
    name_size = emit.room(command.name for command in commands)
    handle_size = emit.room(_handle(command) for command in commands)
    body = f"""enum kr_command_level {{
	KR_LEVEL_GLOBAL,          /* before there is an instance */
	KR_LEVEL_INSTANCE,        /* first argument VkInstance */
	KR_LEVEL_PHYSICAL_DEVICE, /* first argument VkPhysicalDevice */
	KR_LEVEL_DEVICE,          /* first argument VkDevice or a dispatchable object of one */
}};

/* Named without vk, in the order of their names. */
enum kr_command_id {{
{emit.listing(ids)}	KR_COMMAND_COUNT
}};

struct kr_command {{
	char name[{name_size}];
	char handle[{handle_size}]; /* its first parameter, the object; "" for global ones */
	uint16_t specified;    /* enum kr_command_id of what it is an alias of, or itself */
	uint8_t level;         /* enum kr_command_level */
	bool exported;         /* libvulkan.so.1 exports it */
	bool window_system;    /* belongs to an extension that depends on VK_KHR_surface */
	uint32_t core_version; /* VK_MAKE_API_VERSION of the version that made it core, or 0 */
	uint32_t table_offset; /* bytes into its level's table (gen/tables.h), 0 for global ones */
	/* kr_command_extensions[extension_first...]: each of them alone enables the command */
	uint16_t extension_count;
	uint16_t extension_first;
}};

extern const struct kr_command kr_commands[KR_COMMAND_COUNT];
extern const uint16_t kr_command_extensions[]; /* enum kr_extension */

/* NULL when the name is unknown. Thread-safe. */
const struct kr_command *kr_command_find(const char *name);

static inline enum kr_command_id
kr_command_get_id(const struct kr_command *command)
{{
	return (enum kr_command_id)(command - kr_commands);
}}
"""
    return emit.header("commands", ABOUT, ("<stdbool.h>", "<stdint.h>"), body)


def _handle(command):
    """The name of the object that it is called on."""
    return command.params[0].name if command.level in TABLE_OF_LEVEL else ""


def _entry(registry, command, first):
    table = TABLE_OF_LEVEL.get(command.level)
    fields = [
        f'"{command.name}"',
        f'"{_handle(command)}"',
        emit.command_id(_specified(registry, command)),
        f"KR_LEVEL_{command.level.upper()}",
        "true" if registry.exported(command) else "false",
        "true" if is_window_system(registry, command) else "false",
        emit.version(command.core_version),
        f"offsetof(struct {table}, {command.short})" if table else "0",
        str(len(command.extensions)),
        str(first if command.extensions else 0),
    ]
    return f"[{emit.command_id(command)}] = {{{', '.join(fields)}}}"


def _specified(registry, command):
    """The command that the specification describes under this name."""
    while command.alias in registry.commands:
        command = registry.commands[command.alias]
    return command


def is_window_system(registry, command):
    return any(registry.extensions[name].window_system for name in command.extensions)


def source(registry):
    commands = registry.sorted_commands()
    all_names = [command.name for command in commands]
    entries, extensions = [], []
    for command in commands:
        entries.append(_entry(registry, command, len(extensions)))
        extensions += [emit.extension_id(name) for name in command.extensions]
    find = names.emit_find(
        all_names,
        "const struct kr_command *\nkr_command_find(const char *name)",
        ("commands", "&kr_commands[i]"),
        "NULL",
    )
    body = (
        "const uint16_t kr_command_extensions[] = {\n"
        + emit.listing(extensions)
        + "};\n\nconst struct kr_command kr_commands[KR_COMMAND_COUNT] = {\n"
        + emit.listing(entries)
        + "};\n\n"
        + names.emit_table(all_names)
        + "\n"
        + find
    )
    includes = (
        "<stddef.h>",
        "<string.h>",
        '"gen/extensions.h"',
        '"gen/name_hash.h"',
        '"gen/tables.h"',
    )
    return emit.source("commands", ABOUT, includes, body)
