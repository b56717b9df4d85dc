# SPDX-License-Identifier: Apache-2.0
"""tests/lab/list: what runs in the lab (its format: tests/lab/README.md)."""
import os
import pathlib
import re
import shlex

from common import UsageError

DEFAULT_LIMIT_S = 240
ENVIRONMENT = ("PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "XDG_RUNTIME_DIR=/run/user/0", "LANG=C.UTF-8",
               "KRAFLA_LAB=1")
NEEDS = ("mesa", "prefix")


class Entry:
    def __init__(self, place, line):
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise UsageError(f"{place}: {error}")
        if len(words) < 2:
            raise UsageError(f"{place}: a line is NAME PROGRAM [VARIABLE=VALUE]... [ARGUMENT]...")
        self.name, self.program = words[:2]
        self.limit, self.files, self.needs, self.without = DEFAULT_LIMIT_S, [], (), None
        self.environment, self.arguments = [], []
        self.machine, self.on_demand = None, False
        for word in words[2:]:
            self._take(place, word)
        self.machine = self.machine or ("mesa" if "mesa" in self.needs else "plain")

    def _take(self, place, word):
        variable = re.match(r"([A-Z_][A-Z0-9_]*)=(.*)$", word)
        if not variable or self.arguments:
            self.arguments.append(word)
        elif variable[1] == "LAB_LIMIT" and variable[2].isdigit():
            self.limit = int(variable[2])
        elif variable[1] == "LAB_MACHINE" and re.fullmatch(r"[a-z]+", variable[2]):
            self.machine = variable[2]
        elif word == "LAB_ON_DEMAND=1":
            self.on_demand = True
        elif variable[1] == "LAB_FILES":
            self.files += variable[2].split(",")
        elif variable[1] == "LAB_WITHOUT" and variable[2].startswith("/"):
            self.without = variable[2]
        elif variable[1] == "LAB_NEEDS" and set(variable[2].split(",")) <= set(NEEDS):
            self.needs = tuple(variable[2].split(","))
        elif variable[1].startswith("LAB_"):
            raise UsageError(f"{place}: '{word}': there are LAB_LIMIT (seconds), LAB_MACHINE (a-z), LAB_FILES, "
                             f"LAB_ON_DEMAND=1, LAB_WITHOUT (a folder's path) and LAB_NEEDS ({', '.join(NEEDS)})")
        else:
            self.environment.append(word)

    def for_init(self, build, prefix, extra):
        """The lines that tests/lab/init_run.c reads."""
        def fill(word):
            return word.replace("{build}", str(build)).replace("{prefix}", str(prefix))

        lines = [f"name {self.name}", f"limit {self.limit}", f"arg {build / self.program}"]
        lines += [f"arg {fill(word)}" for word in self.arguments]
        lines += [f"without {self.without}"] if self.without else []
        # Of a name that is set twice a program would find the first.
        environment = dict(word.split("=", 1) for word in (*ENVIRONMENT, *self.environment, *extra))
        lines += [f"env {name}={fill(value)}" for name, value in environment.items()]
        return "\n".join((*lines, "run\n"))


def read(path):
    entries = {}
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"reading the list {path}: {error}")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        entry = Entry(f"{path}:{number}", line)
        if entry.name in entries:
            raise UsageError(f"{path}:{number}: there is a '{entry.name}' already")
        entries[entry.name] = entry
    return entries


def select(entries, names):
    """Those that are named; without names all, but what is long only if KRAFLA_TEST_ALL is set."""
    unknown = [name for name in names if name not in entries]
    if unknown:
        raise UsageError(f"no '{unknown[0]}' in the list; there are: {', '.join(entries)}")
    if not names:
        every = bool(os.environ.get("KRAFLA_TEST_ALL"))
        return [entry for entry in entries.values() if every or not entry.on_demand]
    return [entry for entry in entries.values() if entry.name in names]
