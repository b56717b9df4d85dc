# SPDX-License-Identifier: Apache-2.0
"""The figures of the code's structure (scripts/structure says what each means), and their trend.

Whether a circle or a file of one's own is right is a matter of judgement: lint tells what got worse
since the figures in structure.json were kept, and fails on nothing of it.
"""
import json

from code_graph import ROOT, code, long_lines, unit

BASELINE = ROOT / "scripts/lint.d/structure.json"
COLUMNS = ("files", "folder", "circles", "in circles", "largest", "knots", "up", "funcs", "one",
           "%", "lines", "long")
DRAWER = 25  # .c files in one folder, from which it wants folders of its own


def figures(graph, rooms):
    """A row a room, and `total`."""
    rows = {room: measure(graph, room) for room in rooms}
    return rows | {"total": total(rows.values())}


def measure(graph, room):
    files = [name for name in graph.files if graph.room(name) == room]
    sources = [name for name in files if name.endswith(".c")]
    folders = [name.rsplit("/", 1)[0] for name in sources]
    circles = graph.circles(room)
    inside, knots = ({part for circle in found for part in circle}
                     for found in (circles, graph.circles(room, calls_alone=False)))
    functions = graph.counted(room)
    one = [row for row in graph.one_user() if graph.room(row[1]) == room]
    return {"files": len(sources),
            "folder": max(map(folders.count, folders), default=0),
            "circles": len(circles),
            "in circles": sum(1 for name in sources if unit(name) in inside),
            "largest": max(map(len, circles), default=0),
            "knots": sum(1 for name in sources if unit(name) in knots),
            "up": sum(1 for source, *_ in graph.upward() if graph.room(source) == room),
            "funcs": len(functions),
            "one": len(one),
            "%": percent(len(one), len(functions)),
            "lines": sum(graph.texts[name].count("\n") for name in files),
            "long": len(list(long_lines(files)))}


def percent(part, whole):
    return round(100 * part / whole) if whole else 0


def total(rows):
    most = ("folder", "largest")
    row = {column: (max if column in most else sum)(row[column] for row in rows)
           for column in COLUMNS}
    return row | {"%": percent(row["one"], row["funcs"])}


def rooms_of(graph):
    return sorted({graph.room(name) for name in graph.files if name.endswith(".c")})


def structure():
    """What lint says of it: the totals, then what got worse in which room."""
    graph = code()
    if not graph.built:
        yield "out/build is missing; run scripts/build first"
        return
    rows, before = figures(graph, rooms_of(graph)), json.loads(BASELINE.read_text())
    now, then = rows["total"], before["total"]
    shown = (("circles", "circles"), ("largest", "files in the largest"),
             ("%", "% of functions with one user"))
    yield "; ".join(f"{words} {now[figure]} (was {then[figure]})" for figure, words in shown)
    for room, row in rows.items():
        if room != "total":
            yield from worse(graph, room, row, before.get(room, dict.fromkeys(COLUMNS, 0)))


def worse(graph, room, row, old):
    if row["folder"] > max(DRAWER, old["folder"]):
        yield f"{room}: {row['folder']} .c files in one folder, were {old['folder']}"
    if row["in circles"] > old["in circles"]:
        names = "; ".join(" ".join(part[len(room) + 1:] for part in circle)
                          for circle in graph.circles(room))
        yield f"{room}: {row['in circles']} files in circles, were {old['in circles']}: {names}"
    if row["one"] > old["one"] and row["%"] > old["%"]:
        yield (f"{room}: {row['one']} functions with one user, were {old['one']}: "
               f"scripts/structure --one-user {room}")
