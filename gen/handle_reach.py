# SPDX-License-Identifier: Apache-2.0
"""
Rule 2 of the design: a driver never sees a Krafla surface, swapchain or window.

The registry tells every way by which one could come to a driver; gen/handle_reach.txt holds what
was decided about each. A way without a verdict fails the build, with its name, so that a newer
registry can't open one silently. Ways are:

- commands with a VkSurfaceKHR, VkSwapchainKHR or untyped object handle, themselves or in a
  structure (also one inside it or in its chain; hidden and safe structures carry nothing);
- structures that hold such a handle, and structures chained to swapchain creation or to a present;
- device extensions about swapchains, and the feature structures that switch them on.
"""

import re

import policy
import reach
from model import names_of, satisfied

KINDS = ("command", "struct", "extension")
WORDS = ("handler", "hidden", "safe")


class ReachError(Exception):
    """A verdict is missing or can't be right; the text names the file and what is wrong."""


class Verdict:
    def __init__(self, kind, name, word, rest):
        self.kind = kind
        self.name = name
        self.word = word
        self.extension = None
        if word == "hidden":
            self.extension = name if kind == "extension" else rest


def read_verdicts(path):
    """{(kind, name): Verdict} of a file of lines `KIND NAME VERDICT`; # starts a comment."""
    verdicts = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split("#")[0].split(None, 3)
            if not words:
                continue
            where = f"{path}:{number}"
            if len(words) < 3 or words[0] not in KINDS or words[2] not in WORDS:
                form = f"{'|'.join(KINDS)} NAME {'|'.join(WORDS)}"
                raise ReachError(f"{where}: expected {form}, got: {line.strip()}")
            kind, name, word = words[:3]
            rest = words[3].strip() if len(words) == 4 else ""
            if word == "hidden" and kind != "extension" and not re.fullmatch(r"VK_\w+", rest):
                raise ReachError(f"{where}: {name} hidden: by which extension?")
            if not rest and (word == "safe" or (word, kind) == ("hidden", "extension")):
                raise ReachError(f"{where}: {name} {word}: for what reason?")
            if (kind, name) in verdicts:
                raise ReachError(f"{where}: {name} has a verdict already")
            verdicts[kind, name] = Verdict(kind, name, word, rest)
    return verdicts


class HandleReach:
    def __init__(self, registry, path):
        self.registry = registry
        self.path = path
        self.verdicts = read_verdicts(path)
        self.hidden = sorted({v.extension for v in self.verdicts.values() if v.extension})
        self.handled_extensions = sorted(
            verdict.name
            for verdict in self.verdicts.values()
            if (verdict.kind, verdict.word) == ("extension", "handler")
        )
        self.generated = {struct.name for struct in registry.generated_structs()}
        self.ways = self._structs() | self._extensions()
        self.ways |= self._features() | self._commands()
        self._check_complete()
        for verdict in self.verdicts.values():
            self._check_hidden(verdict)
        self._check_dependents()

    # The ways

    def _structs(self):
        found = reach.direct(self.registry, policy.REACHING_HANDLES, untyped=True)
        for name in self.generated:
            if self.registry.struct(name).extends & set(policy.SWAPCHAIN_CHAINS):
                found.add(name)
        return {("struct", name) for name in found & self.generated}

    def _extensions(self):
        return {
            ("extension", extension.name)
            for extension in self.registry.extensions.values()
            if extension.supported and not extension.instance
            if extension.window_system or re.search("_(swapchain|present)", extension.name)
        }

    def _features(self):
        extensions = {name for kind, name in self.ways if kind == "extension"}
        return {
            ("struct", name)
            for name in self.generated
            if self.registry.struct(name).extends & set(policy.FEATURE_ROOTS)
            if extensions & set(self.registry.structs[name].extensions)
        }

    def _commands(self):
        """A structure that is hidden or safe carries nothing into a command."""
        carriers = {
            name
            for name in reach.direct(self.registry, policy.REACHING_HANDLES, untyped=True)
            if ("struct", name) not in self.verdicts
            or self.verdicts["struct", name].word == "handler"
        }
        structs = reach.closure(self.registry, carriers, chains=True)
        return {
            ("command", command.name)
            for command in self.registry.sorted_commands()
            if reach.has(command.params, policy.REACHING_HANDLES, untyped=True)
            or reach.has(command.params, structs)
        }

    # The checks

    def _check_complete(self):
        missing = sorted(way for way in self.ways if way not in self.verdicts)
        if missing:
            names = "\n".join(f"  {kind} {name}" for kind, name in missing)
            raise ReachError(
                f"{self.path}: no verdict on these, by which a surface or swapchain of ours can "
                f"come to a driver ({self.registry.path}):\n{names}"
            )

    def _check_hidden(self, verdict):
        if not verdict.extension:
            return
        holders = {"command": self.registry.commands, "struct": self.registry.structs}
        if verdict.kind == "extension":
            extension = self.registry.extensions.get(verdict.name)
            if extension and extension.supported and extension.instance:
                self._wrong(verdict, "is an instance extension")
            return
        found = holders[verdict.kind].get(verdict.name)
        if found is None or not (found.core_version or found.extensions):
            return  # of a newer registry, or of another platform
        if verdict.extension not in self.registry.extensions:
            self._wrong(verdict, f"is hidden by {verdict.extension}, which doesn't exist")
        if verdict.extension not in found.extensions:
            self._wrong(verdict, f"doesn't belong to {verdict.extension}")
        if found.core_version:
            self._wrong(verdict, "is core: no hidden extension takes it away")
        for name in found.extensions:
            if name not in self.hidden:
                self._wrong(verdict, f"also belongs to {name}, which isn't hidden")

    def _check_dependents(self):
        """What can't be had without a hidden extension must be hidden with it."""
        for extension in self.registry.extensions.values():
            if not extension.supported or extension.name in self.hidden:
                continue
            if names_of(extension.requires).isdisjoint(self.hidden):
                continue
            if not satisfied(extension.requires, lambda name: name not in self.hidden):
                raise ReachError(
                    f"{self.path}: {extension.name} needs an extension that is hidden: hide it too"
                )

    def _wrong(self, verdict, what):
        raise ReachError(f"{self.path}: {verdict.kind} {verdict.name} {what}")

    def handled(self):
        """The ways of this registry that our code has to handle, by name."""
        return sorted(
            name
            for kind, name in self.ways
            if kind != "extension" and self.verdicts[kind, name].word == "handler"
        )
