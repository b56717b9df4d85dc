#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Generates C from the Vulkan registry.

    generate.py KIND --registry vk.xml -o FILE
    generate.py all  --registry vk.xml -o FOLDER

KIND is the name of a generated file (`commands.h`, `trampolines.c`, ...). A file that would not
change is left alone, so that nothing is compiled again for a changed comment in the registry.
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True

import emit_capabilities
import emit_commands
import emit_exports
import emit_extensions
import emit_handle_reach
import emit_later
import emit_missing
import emit_null
import emit_struct_sizes
import emit_tables
import emit_terminators
import emit_trampolines
from emit_terminators import TerminatorError
from handle_reach import HandleReach, ReachError
from registry import Registry, RegistryError

KINDS = {
    "capabilities.h": emit_capabilities.header,
    "capabilities.c": emit_capabilities.source,
    "extensions.h": emit_extensions.header,
    "extensions.c": emit_extensions.source,
    "later.h": emit_later.header,
    "commands.h": emit_commands.header,
    "commands.c": emit_commands.source,
    "tables.h": emit_tables.header,
    "tables.c": emit_tables.source,
    "trampolines.h": emit_trampolines.header,
    "trampolines.c": emit_trampolines.source,
    "terminators.h": emit_terminators.header,
    "terminators.c": emit_terminators.source,
    "missing.h": emit_missing.header,
    "missing.c": emit_missing.source,
    "null_commands.h": emit_null.header,
    "null_commands.c": emit_null.source,
    "null_members.h": emit_null.members,
    "struct_sizes.h": emit_struct_sizes.header,
    "struct_sizes.c": emit_struct_sizes.source,
    "exports.map": emit_exports.version_script,
    "stub.c": emit_exports.stub,
}
# These are made from the verdicts as well.
REACH_KINDS = {
    "handle_reach.h": emit_handle_reach.header,
    "handle_reach.c": emit_handle_reach.source,
}
HERE = os.path.dirname(os.path.abspath(__file__))


def write(path, text):
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    temporary = f"{path}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def main(arguments):
    parser = argparse.ArgumentParser(description="Generates C from the Vulkan registry.")
    kinds = ["all", *KINDS, *REACH_KINDS]
    parser.add_argument("kind", choices=kinds, metavar="KIND", help="a file's name, or all")
    parser.add_argument("--registry", required=True, help="vk.xml")
    parser.add_argument("--reach", default=os.path.join(HERE, "handle_reach.txt"), help="verdicts")
    parser.add_argument("-o", dest="output", required=True, help="file, or folder for all")
    options = parser.parse_args(arguments)
    try:
        registry = Registry(options.registry)
        # Whatever is made: nothing may be made from a registry with an undecided way.
        reach = HandleReach(registry, options.reach)
        for kind in kinds[1:] if options.kind == "all" else [options.kind]:
            text = KINDS[kind](registry) if kind in KINDS else REACH_KINDS[kind](registry, reach)
            folder = options.kind == "all"
            write(os.path.join(options.output, kind) if folder else options.output, text)
    except (RegistryError, ReachError, TerminatorError) as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"generate.py: {error.filename or options.output}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
