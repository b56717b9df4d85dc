# SPDX-License-Identifier: Apache-2.0
"""gen/later.h: what of commands that are newer than the registry the headers may not have."""

import emit

ABOUT = "types of the commands of Vulkan 1.4, where the headers are those of 1.3."


def header(registry):
    structs = "".join(f"typedef struct {s.name} {s.name};\n" for s in registry.later_structs)
    pointers = "".join(
        emit.call(
            f"typedef {command.returns}(VKAPI_PTR *PFN_{command.name})",
            [param.text for param in command.params],
            ";\n",
        )
        for command in registry.later
    )
    body = f"#ifndef VK_VERSION_1_4\n{structs}\n{pointers}#endif\n" if registry.later else ""
    return emit.header("later", ABOUT, ('"util/vulkan.h"',), body)
