# SPDX-License-Identifier: Apache-2.0
"""
What a device can be asked for by name: the structures of features, properties, formats and queue
families with their members, where these lie, and by which rule a wanted value is compared.

Much of it is newer than the headers that Krafla is built with, and a profile may want it all the
same. So the layout of each structure is computed here, from the registry and, for what that lacks,
from newer_capabilities.txt; for what the headers have, the compiler checks it.
"""

import os
import re

from model import ours

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "newer_capabilities.txt")

# What a structure describes: the one that is asked for with it in its chain.
ROLES = {
    "VkPhysicalDeviceFeatures2": "features",
    "VkPhysicalDeviceProperties2": "properties",
    "VkFormatProperties2": "format",
    "VkQueueFamilyProperties2": "queue",
}
# Without sType: members of those.
PLAIN = {
    "VkPhysicalDeviceFeatures": "features",
    "VkPhysicalDeviceProperties": "properties",
    "VkFormatProperties": "format",
    "VkQueueFamilyProperties": "queue",
}
# Size, which is the alignment too. Anything else without a definition can't be asked for.
SCALARS = {
    "VkBool32": 4,
    "uint8_t": 1,
    "char": 1,
    "uint16_t": 2,
    "uint32_t": 4,
    "int32_t": 4,
    "float": 4,
    "VkFlags": 4,
    "VkSampleMask": 4,
    "uint64_t": 8,
    "int64_t": 8,
    "size_t": 8,
    "VkDeviceSize": 8,
    "VkDeviceAddress": 8,
    "VkFlags64": 8,
    "double": 8,
}


class Member:
    def __init__(self, type_name, name, count, limit, pointer, counter=None):
        self.type = type_name
        self.name = name
        self.count = count  # elements of an array, 0 where it is none
        self.limit = limit
        self.pointer = pointer
        self.counter = counter  # of a pointer: the member that says how many there are


class Structure:
    def __init__(self, name, role, stype, members):
        self.name = name
        self.role = role  # None: a part of others
        self.stype = stype
        self.members = members
        self.core = None
        self.extensions = []


class Capabilities:
    def __init__(self, root):
        self.structures = {}
        self.aliases = {}  # name -> structure
        self.enums = {}  # type -> {name: value}
        self.bits = {}  # type of flags -> type of its bits
        self.wide = set()  # those of 64 bits
        self.extensions = {}  # name -> is it an instance's
        self.constants = {}
        self._read_constants(root)
        self._read_types(root)
        self._read_enums(root)
        for feature in root.iterfind("feature"):
            if ours(feature):
                major, minor = feature.get("number").split(".")[:2]
                self._read_parts(feature, (int(major), int(minor)), None, None)
        for extension in root.iterfind("extensions/extension"):
            self._read_extension(extension)
        self._give_providers()
        if os.path.exists(PATH):
            with open(PATH, encoding="utf-8") as file:
                self._join(file)

    # The registry

    def _read_constants(self, root):
        for enum in root.iterfind("enums[@name='API Constants']/enum"):
            if re.fullmatch(r"\d+U?", enum.get("value") or ""):
                self.constants[enum.get("name")] = int(enum.get("value").rstrip("U"))

    def _member(self, element):
        parts = [element.text or ""]
        for child in element:
            parts += [child.text or "" if child.tag != "comment" else "", child.tail or ""]
        text = "".join(parts)
        dimensions = re.findall(r"\[\s*(\w+)\s*\]", text)
        count = 1 if dimensions else 0
        for dimension in dimensions:
            count *= self.constants.get(dimension) or int(dimension)
        return Member(
            element.findtext("type"),
            element.findtext("name"),
            count,
            element.get("limittype") or "",
            "*" in text,
            (element.get("len") or "").split(",")[0] if "*" in text else None,
        )

    def _read_types(self, root):
        self._stypes = {}
        self._providers = {}
        for element in root.iterfind("types/type"):
            if not ours(element):
                continue
            category, name = element.get("category"), element.get("name")
            if category == "bitmask":
                name = name or element.findtext("name")
                bits = element.get("requires") or element.get("bitvalues")
                if element.get("alias"):
                    self.bits[name] = element.get("alias")
                else:
                    self.bits[name] = bits
                    if element.findtext("type") == "VkFlags64":
                        self.wide.add(name)
            elif category == "struct" and element.get("alias"):
                self.aliases[name] = element.get("alias")
            elif category == "struct":
                roots = (element.get("structextends") or "").split(",") + [name]
                role = next((ROLES[root] for root in roots if root in ROLES), PLAIN.get(name))
                elements = [member for member in element.iterfind("member") if ours(member)]
                members = [self._member(member) for member in elements]
                if elements and elements[0].get("values"):
                    self._stypes[name] = elements[0].get("values")
                self.structures[name] = Structure(name, role, None, members)

    def _add_enum(self, owner, element, number):
        if not ours(element):
            return
        value = None
        if element.get("bitpos"):
            value = 1 << int(element.get("bitpos"))
        elif element.get("value"):
            value = int(element.get("value"), 0)
        elif element.get("offset"):
            number = int(element.get("extnumber") or number)
            value = 1000000000 + (number - 1) * 1000 + int(element.get("offset"))
            value = -value if element.get("dir") else value
        elif element.get("alias"):
            value = element.get("alias")
        self.enums.setdefault(owner, {})[element.get("name")] = value

    def _read_enums(self, root):
        for enums in root.iterfind("enums"):
            if enums.get("type") in ("enum", "bitmask"):
                for element in enums.iterfind("enum"):
                    self._add_enum(enums.get("name"), element, None)

    def _read_parts(self, element, core, extension, number):
        for require in element.iterfind("require"):
            if not ours(require):
                continue
            for part in require.iterfind("type"):
                self._providers.setdefault(part.get("name"), []).append((core, extension))
            for part in require.iterfind("enum"):
                if part.get("extends"):
                    self._add_enum(part.get("extends"), part, number)

    def _read_extension(self, extension):
        if "vulkan" not in (extension.get("supported") or "").split(","):
            return
        name = extension.get("name")
        self.extensions[name] = extension.get("type") == "instance"
        self._read_parts(extension, None, name, extension.get("number"))

    def _give_providers(self):
        for values in self.enums.values():
            for name, value in values.items():
                while isinstance(value, str):
                    value = values.get(value)
                values[name] = value
        stypes = self.enums.get("VkStructureType", {})
        for name, enumerant in self._stypes.items():
            self.structures[name].stype = stypes.get(enumerant)
        for name, providers in self._providers.items():
            structure = self.find(name)
            for core, extension in providers if structure else []:
                if core:
                    structure.core = min(structure.core or core, core)
                elif extension not in structure.extensions:
                    structure.extensions.append(extension)
        for structure in self.structures.values():
            # Of other APIs, and of extensions that are disabled.
            if not structure.core and not structure.extensions:
                structure.role = None

    # newer_capabilities.txt

    def _join(self, lines):
        """Adds what the registry lacks."""
        members, values = None, None
        for line in lines:
            words = line.split("#")[0].split()
            if not words:
                continue
            if line[0] in " \t":
                if values is not None:
                    values.setdefault(words[0], int(words[1]))
                elif members is not None:
                    members.append(self._newer_member(words))
                continue
            members, values = None, None
            if words[0] == "extension":
                self.extensions.setdefault(words[1], len(words) > 2)
            elif words[0] == "alias":
                if words[1] not in self.structures:
                    self.aliases.setdefault(words[1], words[2])
            elif words[0] == "flags":
                self.bits.setdefault(words[1], words[2])
                if len(words) > 3 and words[1] not in self.wide:
                    self.wide.add(words[1])
            elif words[0] == "enum":
                values = self.enums.setdefault(words[1], {})
            elif words[0] == "limit":
                self._set_limit(*words[1:])
            elif words[0] == "struct" and self.find(words[1]) is None:
                members = self._newer_structure(words)
            elif words[0] != "struct":
                raise ValueError(f"{PATH}: {line.strip()}")

    def _set_limit(self, structure, member, limit):
        found = self.find(structure)
        for one in found.members if found else []:
            if one.name == member:
                one.limit = limit

    @staticmethod
    def _newer_member(words):
        match = re.fullmatch(r"(\w+)(?:(\*)(\w*))?(?:\[(\d+)\])?", words[0])
        limit = words[2] if len(words) > 2 else ""
        return Member(match[1], words[1], int(match[4] or 0), limit, bool(match[2]), match[3])

    def _newer_structure(self, words):
        role = None if words[2] == "part" else words[2]
        members = []
        structure = Structure(words[1], role, int(words[3]) or None, members)
        if structure.stype:
            members.append(Member("VkStructureType", "sType", 0, "", False))
            members.append(Member("void", "pNext", 0, "", True))
        for provider in words[4:]:
            if provider[0].isdigit():
                structure.core = tuple(int(part) for part in provider.split("."))
            else:
                structure.extensions.append(provider)
        self.structures[words[1]] = structure
        return members

    # Questions

    def find(self, name):
        """A structure by its name or another name of it."""
        seen = set()
        while name in self.aliases and name not in seen:
            seen.add(name)
            name = self.aliases[name]
        return self.structures.get(name)

    def bits_of(self, type_name):
        """The type whose enumerants are the bits of these flags; None: they are no flags."""
        if type_name not in self.bits:
            return None
        while self.bits.get(self.bits[type_name]) is not None and self.bits[type_name] in self.bits:
            type_name = self.bits[type_name]
        return self.bits[type_name] or type_name

    def is_wide(self, type_name):
        while type_name in self.bits and self.bits[type_name] in self.bits:
            type_name = self.bits[type_name]
        return type_name in self.wide

    def layout(self, type_name):
        """(size, alignment) of a type of 64-bit systems; None where it isn't known."""
        if type_name in SCALARS:
            return SCALARS[type_name], SCALARS[type_name]
        if type_name in self.bits:
            size = 8 if self.is_wide(type_name) else 4
            return size, size
        if type_name in self.enums:
            return 4, 4
        structure = self.find(type_name)
        offsets = self.offsets(structure) if structure else None
        return (offsets[-1], offsets[-2]) if offsets else None

    def offsets(self, structure):
        """Of each member, then the alignment and the size; None where it can't be computed."""
        offset, alignment, offsets = 0, 1, []
        for member in structure.members:
            layout = (8, 8) if member.pointer else self.layout(member.type)
            if layout is None:
                return None
            size, align = layout
            offset = (offset + align - 1) // align * align
            offsets.append(offset)
            offset += size * (member.count or 1)
            alignment = max(alignment, align)
        return [*offsets, alignment, (offset + alignment - 1) // alignment * alignment]
