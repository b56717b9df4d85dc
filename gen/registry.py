# SPDX-License-Identifier: Apache-2.0
"""
Reads vk.xml into a model: extensions, commands, structures, handles.

Two forms of the registry are understood, and what lies between them. 1.3.239 has one feature block
a version; `supported` is one word; `requires`/`requiresCore` name dependencies. 1.4.359 spreads
core over internal feature blocks (a block belongs to the version in its `number`), defines some
names twice for different APIs (`api` is a comma list; ours is "vulkan"), makes `supported` a comma
list, and writes dependencies as expressions. Rules that follow from it:

- an element with an `api` attribute counts only when its list holds "vulkan";
- a command is core from the lowest `number` of the feature blocks that require it;
- a command, structure or enumerant may be required in several blocks, and is one thing;
- aliases are resolved until a definition is met.
"""

import re
import xml.etree.ElementTree as ElementTree

import core_1_4
import newer
import policy
from capabilities import Capabilities
from model import Command, Extension, Handle, Param, Struct, names_of, ours


class RegistryError(Exception):
    """The registry can't be generated from; the text names the file."""


def _version(number):
    major, minor = number.split(".")[:2]
    return int(major), int(minor)


class Registry:
    def __init__(self, path):
        self.path = path
        self.handles = {}
        self.structs = {}
        self.commands = {}
        self.extensions = {}
        self.features = {}  # name -> version
        self.enumerants = {}  # name -> value, of VkStructureType only
        self.later = []  # commands of 1.4 that it doesn't know
        self.later_structs = []  # and their structures
        root = self._load(path)
        try:
            self._read(root)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise RegistryError(f"{path}: no registry that can be read: {error!r}") from error
        if not self.commands or not self.extensions or not self.features:
            raise RegistryError(f"{path}: holds no commands, extensions or versions of Vulkan")

    @staticmethod
    def _load(path):
        try:
            root = ElementTree.parse(path).getroot()
        except OSError as error:
            raise RegistryError(f"{path}: {error.strerror}") from error
        except ElementTree.ParseError as error:
            raise RegistryError(f"{path}: not well-formed XML: {error}") from error
        if root.tag != "registry":
            raise RegistryError(f"{path}: the root is <{root.tag}>, not <registry>")
        return root

    def _read(self, root):
        self.capabilities = Capabilities(root)
        newer.join(root)
        self._read_types(root)
        self._read_commands(root)
        self._read_core_enumerants(root)
        for feature in root.iterfind("feature"):
            if ours(feature):
                self._read_feature(feature)
        for element in root.iterfind("extensions/extension"):
            extension = Extension(element)
            self.extensions[extension.name] = extension
        for extension in self.extensions.values():
            self._read_extension(extension)
        self._resolve_promotions()
        self._mark_window_system()
        self.commands = {
            name: command
            for name, command in self.commands.items()
            if command.core_version or command.extensions
        }
        self._add_later()
        for command in self.commands.values():
            command.level = self._level_of(command)

    def _add_later(self):
        if core_1_4.wanted(self):
            self.later = [c for c in core_1_4.commands() if c.name not in self.commands]
            self.later_structs = core_1_4.new_structs(self, self.later)
        for command in self.later:
            self.commands[command.name] = command
        for struct in self.later_structs:
            self.structs[struct.name] = struct

    # Types

    def _read_types(self, root):
        for element in root.iterfind("types/type"):
            if not ours(element):
                continue
            category = element.get("category")
            name = element.get("name") or element.findtext("name")
            if category in ("struct", "union"):
                members = [Param(member) for member in element.iterfind("member") if ours(member)]
                extends = set(filter(None, (element.get("structextends") or "").split(",")))
                self.structs[name] = Struct(name, members, extends, element.get("alias"))
            elif category == "handle":
                dispatchable = element.findtext("type") == "VK_DEFINE_HANDLE"
                self.handles[name] = Handle(
                    name, element.get("parent"), dispatchable, element.get("alias")
                )
        for name in self.structs:
            if self.struct(name) is None:
                raise RegistryError(f"{self.path}: {name} is an alias of what isn't there")

    def struct(self, name):
        """The definition behind a structure's name."""
        return self._definition(self.structs, name)

    def _definition(self, table, name):
        seen = set()
        found = table.get(name)
        while found is not None and found.alias:
            if found.name in seen:
                raise RegistryError(f"{self.path}: {name} is an alias of itself")
            seen.add(found.name)
            found = table.get(found.alias)
        return found

    # Commands

    def _read_commands(self, root):
        for element in root.iterfind("commands/command"):
            if not ours(element):
                continue
            if element.get("alias"):
                name = element.get("name")
                self.commands[name] = Command(name, None, None, element.get("alias"))
                continue
            proto = element.find("proto")
            name = proto.findtext("name")
            params = [Param(param) for param in element.iterfind("param") if ours(param)]
            self.commands[name] = Command(name, proto.findtext("type"), params, None)
        for command in self.commands.values():
            target = self._definition(self.commands, command.name)
            if target is None:
                raise RegistryError(
                    f"{self.path}: {command.name} is an alias of {command.alias}, which isn't there"
                )
            command.returns = target.returns
            command.params = target.params

    def _level_of(self, command):
        """global, instance, physical_device or device: whose object the first argument is."""
        levels = {
            "VkInstance": "instance",
            "VkPhysicalDevice": "physical_device",
            "VkDevice": "device",
        }
        handle = self.handles.get(command.params[0].type) if command.params else None
        if handle is None or command.params[0].pointer:
            return "global"
        while handle is not None:
            if handle.name in levels:
                return levels[handle.name]
            handle = self.handles.get((handle.parent or "").split(",")[0])
        raise RegistryError(f"{self.path}: {command.name}: whose is its first argument?")

    # What features and extensions hold

    def _read_core_enumerants(self, root):
        for enums in root.iterfind("enums[@name='VkStructureType']"):
            for enum in enums.iterfind("enum"):
                if ours(enum) and enum.get("value"):
                    self.enumerants[enum.get("name")] = int(enum.get("value"), 0)

    def _read_enumerant(self, enum, number):
        """Adds an enumerant of VkStructureType that a block brings; the same one may come twice."""
        if enum.get("extends") != "VkStructureType" or enum.get("alias"):
            return
        if enum.get("value"):
            value = int(enum.get("value"), 0)
        else:
            number = int(enum.get("extnumber") or number)
            value = 1000000000 + (number - 1) * 1000 + int(enum.get("offset"))
            if enum.get("dir") == "-":
                value = -value
        name = enum.get("name")
        if self.enumerants.setdefault(name, value) != value:
            raise RegistryError(f"{self.path}: {name} has two values")

    def _read_feature(self, feature):
        version = _version(feature.get("number"))
        self.features[feature.get("name")] = version
        for require in feature.iterfind("require"):
            if not ours(require):
                continue
            for enum in require.iterfind("enum"):
                if ours(enum):
                    self._read_enumerant(enum, 0)
            for kind, table in (("command", self.commands), ("type", self.structs)):
                for element in require.iterfind(kind):
                    found = self._required(kind, table, element.get("name"))
                    if found and (found.core_version is None or version < found.core_version):
                        found.core_version = version

    def _read_extension(self, extension):
        macro = re.compile(r"VK_\w+_SPEC_VERSION")
        for require in extension.element.iterfind("require"):
            if not ours(require):
                continue
            for enum in require.iterfind("enum"):
                if not ours(enum):
                    continue
                if extension.generated:
                    self._read_enumerant(enum, extension.number)
                if macro.fullmatch(enum.get("name")) and enum.get("value"):
                    extension.spec_version = extension.spec_version or int(enum.get("value"), 0)
            if not extension.generated:
                continue
            for kind, table in (("command", self.commands), ("type", self.structs)):
                for element in require.iterfind(kind):
                    found = self._required(kind, table, element.get("name"))
                    if found and extension.name not in found.extensions:
                        found.extensions.append(extension.name)

    def _required(self, kind, table, name):
        if kind == "command" and name not in table:
            raise RegistryError(f"{self.path}: {name} is required and isn't defined")
        return table.get(name)

    def _resolve_promotions(self):
        for extension in self.extensions.values():
            extension.promoted_version = self.features.get(extension.promoted_to)

    def _mark_window_system(self):
        """Extensions that depend on a surface, by whatever way."""
        for root in policy.WINDOW_SYSTEM_ROOTS:
            if root in self.extensions:
                self.extensions[root].window_system = True
        changed = True
        while changed:
            changed = False
            for extension in self.extensions.values():
                if extension.window_system:
                    continue
                names = (self.extensions.get(name) for name in names_of(extension.requires))
                if any(other is not None and other.window_system for other in names):
                    extension.window_system = True
                    changed = True

    # What emitters ask

    def generated_extensions(self):
        return sorted(
            (extension for extension in self.extensions.values() if extension.generated),
            key=lambda extension: extension.number,
        )

    def sorted_commands(self, *levels):
        """Commands by name, of the given levels (all when none is given)."""
        return [
            self.commands[name]
            for name in sorted(self.commands)
            if not levels or self.commands[name].level in levels
        ]

    def generated_structs(self):
        """Structures that the included headers define, by name."""
        return [
            self.structs[name]
            for name in sorted(self.structs)
            if self.structs[name].core_version or self.structs[name].extensions
        ]

    def exported(self, command):
        return command.core_version is not None or any(
            name in policy.EXPORTED_EXTENSIONS for name in command.extensions
        )
