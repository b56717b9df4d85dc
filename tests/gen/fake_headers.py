# SPDX-License-Identifier: Apache-2.0
"""
Vulkan headers made from a registry, good enough to compile against: what the generator makes from
the newest registry is compiled although the newest headers aren't installed. As in the real
headers, only types that the generated blocks need are declared; video codec types are just ints.
"""

import os
import re

CORE = """/* made for a test */
#include <stdint.h>
#include <stddef.h>
#define VKAPI_ATTR
#define VKAPI_CALL
#define VKAPI_PTR
#define VK_MAKE_API_VERSION(variant, major, minor, patch) \\
	((((uint32_t)(variant)) << 29U) | ((major) << 22U) | ((minor) << 12U) | (patch))
#define VK_NULL_HANDLE NULL
#define VK_FALSE 0U
#define VK_TRUE 1U
#define VK_DEFINE_HANDLE(object) typedef struct object##_T *object;
"""
RESULTS = ("VK_SUCCESS = 0", "VK_ERROR_EXTENSION_NOT_PRESENT = -7", "VK_RESULT_MAX = 0x7FFFFFFF")


def _ours(element):
    return "vulkan" in (element.get("api") or "vulkan").split(",")


class Headers:
    def __init__(self, root, registry):
        self.registry = registry
        self.types = {}
        for element in root.iterfind("types/type"):
            name = element.get("name") or element.findtext("name") or element.findtext("proto/name")
            if _ours(element):
                self.types.setdefault(name, element)
        self.constants = {
            enum.get("name"): enum.get("value") or enum.get("alias")
            for enum in root.iterfind("enums[@name='API Constants']/enum")
        }
        self.done = set()
        self.lines = []
        self._blocks(root)

    def _blocks(self, root):
        """What the headers declare: types and commands of features and generated extensions."""
        blocks = [feature for feature in root.iterfind("feature") if _ours(feature)]
        for element in root.iterfind("extensions/extension"):
            if self.registry.extensions[element.get("name")].generated:
                blocks.append(element)
                self.lines.append(f"#define {element.get('name')} 1")
        requires = [r for block in blocks for r in block.iterfind("require") if _ours(r)]
        for require in requires:
            for element in require.iterfind("type"):
                self._declare(element.get("name"))
        for require in requires:
            for element in require.iterfind("command"):
                self._command(element.get("name"))

    def _command(self, name):
        if name in self.done:
            return
        self.done.add(name)
        command = self.registry.commands[name]
        self._declare(command.returns)
        for param in command.params:
            self._declare(param.type)
        self.lines.append(f"typedef {command.returns} (*PFN_{name})({command.declaration});")

    def _declare(self, name):
        element = self.types.get(name)
        if name in self.done or element is None:
            return
        self.done.add(name)
        if element.get("alias"):
            self._declare(element.get("alias"))
            self.lines.append(f"typedef {element.get('alias')} {name};")
            return
        category = element.get("category")
        if category in ("struct", "union"):
            self.lines.append(f"typedef {category} {name} {name};")
            for member in element.iter("type"):
                if member is not element:
                    self._declare(member.text)
            self._members(name, category)
        elif category == "handle":
            self.lines.append(f"VK_DEFINE_HANDLE({name})")
        elif category == "enum":
            self._enum(name)
        elif category in ("bitmask", "basetype"):
            for inner in element.iterfind("type"):
                self._declare(inner.text)
            self.lines.append("".join(element.itertext()).strip())
        elif category == "funcpointer":
            self.lines.append(f"typedef void (*{name})(void);")
        elif category is None and name.startswith("StdVideo"):
            self.lines.append(f"typedef int {name};")

    def _members(self, name, category):
        members = "".join(f"\t{member.text};\n" for member in self.registry.structs[name].members)
        for constant in re.findall(r"\[(VK_\w+)\]", members):
            members = members.replace(f"[{constant}]", f"[{self._constant(constant)}]")
        self.lines.append(f"{category} {name} {{\n{members}}};")

    def _constant(self, name):
        value = self.constants[name]
        return self._constant(value) if value.startswith("VK_") else value

    def _enum(self, name):
        items = [f"{name}_FAKE_MAX = 0x7FFFFFFF"]
        if name == "VkResult":
            items = RESULTS
        elif name == "VkStructureType":
            items = [f"{key} = {value}" for key, value in self.registry.enumerants.items()]
        self.lines.append(f"typedef enum {name} {{\n\t{', '.join(items)}\n}} {name};")

    def write(self, folder):
        os.makedirs(os.path.join(folder, "vulkan"), exist_ok=True)
        names = ("core", "beta", "android", "xcb", "xlib", "xlib_xrandr", "wayland", "directfb")
        for name in names:
            text = ""
            if name == "directfb":  # the last one that util/vulkan.h includes
                text = CORE + "\n".join(self.lines) + "\n"
            with open(os.path.join(folder, "vulkan", f"vulkan_{name}.h"), "w") as file:
                file.write(text)
