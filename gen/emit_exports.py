# SPDX-License-Identifier: Apache-2.0
"""exports.map and stub.c: what libvulkan.so.1 exports, for the linker and as a stub library."""

import emit
from emit_trampolines import hand_written


def exported(registry):
    return [
        command.name
        for command in registry.sorted_commands()
        if registry.exported(command) or hand_written(command)
    ]


def version_script(registry):
    """An anonymous version script: no version nodes, as in every other libvulkan.so.1."""
    names = "".join(f"\t\t{name};\n" for name in exported(registry))
    banner = emit.banner("what libvulkan.so.1 exports.")
    return f"{banner}{{\n\tglobal:\n{names}\tlocal:\n\t\t*;\n}};\n"


def stub(registry):
    """Only names: a program that links with it needs no driver, no loader and no headers."""
    about = "a library to link with that has the symbols of libvulkan.so.1 and does nothing."
    functions = "".join(
        f"void {name}(void);\nvoid\n{name}(void)\n{{\n}}\n\n" for name in exported(registry)
    )
    push, pop = (f"#pragma GCC visibility {word}\n" for word in ("push(default)", "pop"))
    return f"{emit.banner(about)}{push}\n{functions}{pop}"
