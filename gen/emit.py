# SPDX-License-Identifier: Apache-2.0
"""What the emitters share: the first lines of a file, wrapping, and the names of things in C."""

import textwrap

WIDTH = 100


def banner(about):
    """The first lines of a generated file; `about` says what it is for."""
    text = f"Generated from vk.xml by gen/generate.py: {about}"
    lines = textwrap.wrap(text, WIDTH - 6)
    if len(lines) == 1:
        body = f"/* {lines[0]} */"
    else:
        body = "/*\n" + "".join(f" * {line}\n" for line in lines) + " */"
    return f"/* SPDX-License-Identifier: Apache-2.0 */\n{body}\n"


def header(name, about, includes, body):
    """A header gen/<name>.h with its guard."""
    guard = f"KR_GEN_{name.upper()}_H"
    lines = "".join(f"#include {include}\n" for include in includes)
    return f"{banner(about)}#ifndef {guard}\n#define {guard}\n\n{lines}\n{body}\n#endif\n"


def source(name, about, includes, body):
    """A source gen/<name>.c, which includes its header first."""
    own = f'#include "gen/{name}.h"\n' if name else ""
    lines = "".join(f"#include {include}\n" for include in includes)
    return f"{banner(about)}{own}{lines}\n{body}"


def listing(lines):
    """Items of an enum or an initialiser, one a line."""
    return "".join(f"\t{line},\n" for line in lines)


def packed(items):
    """Items of an initialiser, as many a line as fit."""
    text = ", ".join(items) + ","
    return textwrap.indent(textwrap.fill(text, WIDTH - 8, break_on_hyphens=False), "\t") + "\n"


def room(texts):
    """The size of an array that takes any of them: names in place need no relocation at load."""
    return max(len(text) for text in texts) + 1


def version(number):
    """A (major, minor) or None as VK_MAKE_API_VERSION."""
    return f"VK_MAKE_API_VERSION(0, {number[0]}, {number[1]}, 0)" if number else "0"


def call(prefix, arguments, suffix):
    """A call or a declaration, wrapped where it is too long: prefix(arguments)suffix."""
    limit = WIDTH - 8
    lines, line = [], f"{prefix}("
    for index, argument in enumerate(arguments):
        last = index == len(arguments) - 1
        piece = argument + (f"){suffix}" if last else ",")
        if len(line) + 1 + len(piece) > limit and index > 0:
            lines.append(line.rstrip())
            line = "\t"
            limit = WIDTH - 8 - 7
        line += piece + ("" if last else " ")
    return "\n".join(lines + [line])


def declare(command, name):
    """The declaration of a function with the command's type, without semicolon."""
    params = [param.text for param in command.params] or ["void"]
    return call(f"VKAPI_ATTR {command.returns} VKAPI_CALL {name}", params, "")


def define(command, name, qualifier=""):
    """The same as the head of a definition: the name starts its line."""
    params = [param.text for param in command.params] or ["void"]
    return f"{qualifier}VKAPI_ATTR {command.returns} VKAPI_CALL\n{call(name, params, '')}"


def extension_id(name):
    return f"KR_EXT_{name}"


def command_id(command):
    return f"KR_CMD_{command.short}"
