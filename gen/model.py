# SPDX-License-Identifier: Apache-2.0
"""What a registry holds: parameters, commands, structures, handles, extensions, dependencies."""

import re

import policy


class Param:
    """A parameter of a command or a member of a structure."""

    def __init__(self, element):
        self.name = element.findtext("name")
        self.type = element.findtext("type")
        text = re.sub(r"\s+", " ", "".join(_texts(element))).strip()
        self.text = re.sub(r"\s*\*\s*", " *", text).replace("* *", "**")
        self.pointer = "*" in self.text
        self.const = self.text.startswith("const ")
        self.length = (element.get("len") or "").split(",")[0]
        self.untyped_handle = element.get("objecttype") is not None
        self.values = element.get("values")


class Command:
    def __init__(self, name, returns, params, alias):
        self.name = name
        self.returns = returns
        self.params = params
        self.alias = alias
        self.core_version = None  # (major, minor)
        self.extensions = []  # names of generated extensions that hold it
        self.level = None

    @property
    def short(self):
        return self.name[2:]

    @property
    def declaration(self):
        return ", ".join(param.text for param in self.params) or "void"


class Struct:
    def __init__(self, name, members, extends, alias):
        self.name = name
        self.members = members
        self.extends = extends
        self.alias = alias
        self.extensions = []
        self.core_version = None


class Handle:
    def __init__(self, name, parent, dispatchable, alias):
        self.name = name
        self.parent = parent
        self.dispatchable = dispatchable
        self.alias = alias


class Extension:
    def __init__(self, element):
        self.name = element.get("name")
        self.number = int(element.get("number"))
        self.instance = element.get("type") == "instance"
        self.platform = element.get("platform")
        self.supported = "vulkan" in (element.get("supported") or "").split(",")
        self.generated = self.supported and self.platform in policy.PLATFORMS
        self.promoted_to = element.get("promotedto")
        self.requires = _dependency(element)
        self.spec_version = 0
        self.promoted_version = None
        self.window_system = False
        self.element = element


def _texts(element):
    """The text of a member or parameter, without comments."""
    if element.text:
        yield element.text
    for child in element:
        if child.tag != "comment":
            yield from _texts(child)
        if child.tail:
            yield child.tail


def ours(element):
    api = element.get("api")
    return api is None or "vulkan" in api.split(",")


def _dependency(element):
    """
    What an extension depends on, as tokens of an expression: names, `+` and, `,` or, parentheses.
    The old `requires` is a list whose comma means and. Struct::feature names aren't followed.
    """
    if element.get("depends"):
        return re.findall(r"[+,()]|[\w:]+", element.get("depends"))
    names = re.findall(r"\w+", element.get("requires") or "")
    return [token for name in names for token in ("+", name)][1:]


def names_of(tokens):
    return {token for token in tokens if token not in "+,()" and "::" not in token}


def satisfied(tokens, present):
    """Evaluates a dependency: and and or have one precedence, from left to right."""
    stack, value, operator = [], True, "+"
    for token in tokens:
        if token == "(":
            stack.append((value, operator))
            value, operator = True, "+"
        elif token in "+,":
            operator = token
        else:
            if token == ")":
                operand = value
                value, operator = stack.pop()
            else:
                operand = "::" in token or present(token)
            value = (value and operand) if operator == "+" else (value or operand)
    return value
