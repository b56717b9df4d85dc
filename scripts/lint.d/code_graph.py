# SPDX-License-Identifier: Apache-2.0
"""The code as a graph: files, their rooms, what includes and what calls what.

Includes are read from the source, calls and shared data from the object files of a build folder: a
symbol that one object defines and another leaves undefined is an edge between their files, and
nothing has to be guessed.
"""
import collections
import functools
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PRODUCT = ("src/", "drivers/", "outputs/", "lib/", "tools/", "service/", "check/")
INCLUDE_ROOTS = ("src", "drivers", "", "include")
NOT_CODE = re.compile(r'/\*[\s\S]*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"')
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
TYPE = re.compile(r"^\s*(?:struct|enum|union) (kr(?:afla)?_\w+) \{", re.MULTILINE)
FUNCTION = re.compile(r"^(?:(?!return\b|typedef\b)[\w *]*\b)?(kr(?:afla)?_\w+)\(", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def tracked(*suffixes):
    out = subprocess.run(["git", "ls-files", "-zco", "--exclude-standard"], cwd=ROOT, check=True,
                         capture_output=True, text=True).stdout
    names = [name for name in out.split("\0") if name and (ROOT / name).is_file()]
    return [name for name in names if not suffixes or name.endswith(suffixes)]


def product(*suffixes):
    """What is built for users: tests, benchmarks and examples left out."""
    return [name for name in tracked(*suffixes) if name.startswith(PRODUCT)]


def public():
    """(name, text) of the headers that users include, and of generated ones."""
    written = [ROOT / name for name in tracked(".h") if name.startswith(("include/", "kernel/uapi/"))]
    generated = [path for folder in ("gen", "protocol", "src", "service")
                 for path in sorted((ROOT / "out/build" / folder).glob("**/*.h"))]
    for path in written + generated:
        yield path.relative_to(ROOT).as_posix(), path.read_text(errors="replace")


def rooms():
    """The rank table of src/README.md: path -> (room, rank)."""
    table = {}
    for line in (ROOT / "src/README.md").read_text().splitlines():
        row = re.match(r"\| (\d+) \| `(\w+)` \| `([\w/]+)` \|", line)
        if row:
            table[row[3]] = (row[2], int(row[1]))
    return table


def sub_rooms():
    """The table of sub-rooms in src/README.md: room's path -> sub-room -> rank inside the room."""
    table = {}
    for line in (ROOT / "src/README.md").read_text().splitlines():
        row = re.match(r"\| `([\w/]+)` \| (`[\w.]+`(?: *[<,] *`[\w.]+`)*) \|", line)
        if row:
            steps = [re.findall(r"`([\w.]+)`", step) for step in row[2].split("<")]
            ranks = {name: rank for rank, names in enumerate(steps) for name in names}
            table[row[1]] = ranks if "." in ranks else ranks | {".": len(steps)}
    return table


def unit(name):
    """A .c and its .h are one thing."""
    return name.rsplit(".", 1)[0]


class Edge:
    """One file's use of another: its calls there, the data it takes, the line that includes it."""

    def __init__(self):
        self.calls, self.data, self.line = set(), set(), 0

    def text(self):
        parts = [f"calls {', '.join(sorted(self.calls))}" if self.calls else "",
                 f"takes {', '.join(sorted(self.data))}" if self.data else "",
                 f"includes it in line {self.line}" if self.line else ""]
        return "; ".join(filter(None, parts))


class Code:
    """The product's files and the edges between them; without a build only includes are known."""

    def __init__(self, build=None):
        self.files = product(".c", ".h")
        self.rooms, self.subs = rooms(), sub_rooms()
        self.edges = collections.defaultdict(Edge)  # (file, file) -> Edge
        self.functions = collections.defaultdict(set)  # file -> its non-static functions
        self.exported = set()
        self.users = collections.defaultdict(set)  # symbol -> files that use it, generated ones too
        self.built = bool(build) and (pathlib.Path(build) / "compile_commands.json").is_file()
        self._read_includes()
        if self.built:
            self._read_objects(pathlib.Path(build))

    def room(self, name):
        """The folder of a file's room: of the rank table, outputs/*, drivers/null, tools, lib."""
        for path in self.rooms:
            if name.startswith(path + "/"):
                return path
        parts = name.split("/")
        depth = 2 if parts[0] in ("src", "outputs", "drivers") and len(parts) > 2 else 1
        return "/".join(parts[:depth])

    def sub(self, name):
        """The sub-room of a file: a folder, `.`, or the file itself where the table names it."""
        room = self.room(name)
        rest = name[len(room) + 1:]
        if "/" in rest:
            return rest.split("/")[0]
        own = [row for row in self.subs.get(room, {}) if row != "." and unit(row) == unit(rest)]
        return own[0] if own else "."

    def _read_includes(self):
        known = set(self.files)
        self.texts = {name: (ROOT / name).read_text(errors="replace") for name in self.files}
        for name, text in self.texts.items():
            for found in INCLUDE.finditer(text):
                places = [os.path.dirname(name), *INCLUDE_ROOTS]
                target = next((path for path in (os.path.normpath(os.path.join(place, found[1]))
                                                 for place in places) if path in known), None)
                if target and unit(target) != unit(name):
                    self.edges[name, target].line = text.count("\n", 0, found.start()) + 1

    def _read_objects(self, build):
        known = set(self.files)
        jobs = json.loads((build / "compile_commands.json").read_text())
        objects, sources = [], {}
        for job in jobs:
            path = os.path.normpath(os.path.join(job["directory"], job["file"]))
            path = os.path.relpath(path, build.resolve().parent.parent)
            output = os.path.normpath(os.path.join(build, job["output"]))
            if path.startswith(("tests/", "bench/", "examples/")) or not os.path.exists(output):
                continue
            objects.append(output)
            sources[output] = path
        defines, takes = collections.defaultdict(set), collections.defaultdict(set)
        functions = set()
        for path, kind, visibility, section, symbol in symbols(objects):
            name = sources[path]
            if section == "UND":
                takes[symbol].add(name)
                continue
            defines[symbol].add(name)
            if kind == "FUNC":
                functions.add(symbol)
            if kind == "FUNC" and name in known:
                self.functions[name].add(symbol)
                if visibility == "DEFAULT":
                    self.exported.add(symbol)
        for symbol, names in takes.items():
            for name in names:
                owners = defines.get(symbol, set()) & known
                near = {owner for owner in owners if self.room(owner) == self.room(name)}
                owners = near or owners
                self.users[symbol].add(name)
                if len(owners) == 1 and name in known and name not in owners:
                    edge = self.edges[name, min(owners)]
                    (edge.calls if symbol in functions else edge.data).add(symbol)
        for name, functions in self.functions.items():
            words = collections.Counter(WORD.findall(NOT_CODE.sub(" ", self.texts[name])))
            for symbol in functions:
                if words[symbol] > 1:
                    self.users[symbol].add(name)

    def circles(self, room, calls_alone=True):
        """The strongly connected components of a room's units, with more than one of them."""
        graph = {unit(name): set() for name in self.files if self.room(name) == room}
        for (source, target), edge in self.edges.items():
            if unit(source) in graph and unit(target) in graph and (edge.calls or not calls_alone):
                graph[unit(source)].add(unit(target))
        return sorted((sorted(part) for part in components(graph) if len(part) > 1), key=len)[::-1]

    def one_user(self):
        """(function, file, user) of each function that one other file of its room uses alone."""
        for name, functions in self.functions.items():
            for symbol in functions - self.exported - {"main"}:
                users = self.users[symbol]
                inside = {self.room(user) for user in users} == {self.room(name)}
                if len(users) == 1 and name not in users and inside:
                    yield symbol, name, min(users)

    def counted(self, room):
        """The functions of which `one_user` asks."""
        return [(symbol, name) for name, functions in self.functions.items()
                if self.room(name) == room for symbol in functions - self.exported - {"main"}]

    def families(self):
        """Names by their first word, kr_<word>_: word -> room -> file -> functions and types."""
        found = {}
        for name, text in self.texts.items():
            names = {f"{symbol}()" for symbol in self.functions[name] - self.exported}
            names |= {f"struct {kind}" for kind in TYPE.findall(text)}
            for symbol in names:
                word = re.match(r"(?:struct )?kr_([a-z0-9]+)", symbol)
                if word:
                    files = found.setdefault(word[1], {}).setdefault(self.room(name), {})
                    files.setdefault(name, set()).add(symbol)
        return found

    def climbing(self):
        """(file, file, edge) for each call of another room that the rank table doesn't allow."""
        for (source, target), edge in sorted(self.edges.items(), key=lambda item: item[0]):
            mine, theirs = (self.rooms.get(self.room(name)) for name in (source, target))
            used = edge.calls or edge.data
            if used and mine and mine != theirs and (not theirs or theirs[1] >= mine[1]):
                yield source, target, edge

    def upward(self):
        """(file, file, edge) for each edge between sub-rooms of a room that doesn't point down."""
        for (source, target), edge in sorted(self.edges.items(), key=lambda item: item[0]):
            room = self.room(source)
            ranks = self.subs.get(room)
            if not ranks or self.room(target) != room:
                continue
            mine, theirs = self.sub(source), self.sub(target)
            ordered = mine in ranks and theirs in ranks
            if mine != theirs and ordered and ranks[theirs] >= ranks[mine]:
                yield source, target, edge


@functools.cache
def code():
    """The code as it is in out/build, read once for all checks."""
    return Code(ROOT / "out/build")


def symbols(objects):
    """(object, type, visibility, section, name) of each global symbol."""
    out = subprocess.run(["readelf", "-sW", *objects], check=True, capture_output=True, text=True,
                         env=os.environ | {"LC_ALL": "C"}).stdout
    path = objects[0] if objects else None
    for line in out.splitlines():
        if line.startswith("File: "):
            path = line[6:]
        words = line.split()
        if len(words) == 8 and words[4] in ("GLOBAL", "WEAK"):
            yield path, words[3], words[5], words[6], words[7]


def components(graph):
    """The strongly connected components (Tarjan), without recursion: an iterator for each node."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    found.append(stack[cut:])
                    on_stack -= set(stack[cut:])
                    del stack[cut:]
            elif target not in index:
                index[target] = low[target] = len(index)
                stack.append(target)
                on_stack.add(target)
                work.append((target, iter(sorted(graph[target]))))
            elif target in on_stack:
                low[node] = min(low[node], index[target])
    return found


# A string, or a comment behind code: quotes in that one begin no string.
STRING = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?:/\*|//|#\s).*""")


def written():
    """Every file that people write and that isn't a page: what the width of a line is asked of."""
    return [name for name in tracked()
            if name.endswith((".c", ".h", ".S", ".py", ".sh", "meson.build", "meson_options.txt"))
            or name.startswith("scripts/") and "." not in name.rsplit("/", 1)[1]]


def long_lines(names, columns=100):
    """(file, line number, width) of lines over 100 columns, a tab being 8."""
    for name in names:
        for number, line in enumerate((ROOT / name).read_text(errors="replace").splitlines(), 1):
            width = len(line.expandtabs(8))
            if width > columns and not may_be_long(line, columns):
                yield name, number, width


def may_be_long(line, columns):
    """A message stays in one piece, however long; an address can't be cut."""
    if line.lstrip().startswith(("*", "/*", "//", "# ", '"""')):
        return re.search(r"https?://\S{30}", line) is not None
    longest = max(map(len, STRING.findall(line)), default=0)
    return longest > 0 and len(line.expandtabs(8)) - longest <= columns - 2
