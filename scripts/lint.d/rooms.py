# SPDX-License-Identifier: Apache-2.0
"""What may use what: the rank table of src/README.md, and its table of sub-rooms."""
import re

from code_graph import ROOT, code, rooms, tracked


def ranks():
    table = rooms()
    if not table:
        yield "src/README.md holds no rank table"
    rank_of = dict(table.values())
    for name in tracked(".c", ".h"):
        home = next((room for path, room in table.items() if name.startswith(path + "/")), None)
        if not home:
            continue
        for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not include:
                continue
            folder = include[1].split("/")[0]
            if "/" not in include[1]:
                yield f'{name}:{number}: include "{include[1]}" names no room'
            elif folder in rank_of and folder != home[0] and rank_of[folder] >= home[1]:
                yield (f"{name}:{number}: {home[0]} (rank {home[1]}) includes "
                       f"{folder} (rank {rank_of[folder]})")
            elif folder not in {*rank_of, "gen"} and not include[1].startswith("kernel/uapi/"):
                yield f'{name}:{number}: include "{include[1]}": no such room in src/README.md'
    yield from sub_ranks()


def sub_ranks():
    graph = code()
    for path, ranks_of in graph.subs.items():
        here = {graph.sub(name) for name in graph.files if graph.room(name) == path}
        for sub in sorted(ranks_of.keys() - here - {"."}):
            yield f"src/README.md: {path} holds no {sub}"
    for source, target, edge in graph.upward():
        order = f"{graph.sub(target)} isn't below {graph.sub(source)} in {graph.room(source)}"
        yield f"{source} -> {target}: {order}: {edge.text()}"
