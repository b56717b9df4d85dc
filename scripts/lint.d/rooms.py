# SPDX-License-Identifier: Apache-2.0
"""What may use what: the rank table of src/README.md, and its table of sub-rooms."""
import re

from code_graph import FUNCTION, ROOT, TYPE, code, public, rooms, tracked

NO_BUILD = "calls aren't known: out/build is missing; run scripts/build first"
BESIDE = ("bench/", "check/", "drivers/", "lib/", "outputs/", "tools/")  # may include any room, by its name


def ranks():
    table = rooms()
    if not table:
        yield "src/README.md holds no rank table"
    rank_of = dict(table.values())
    for name in tracked(".c", ".h"):
        home = next((room for path, room in table.items() if name.startswith(path + "/")), None)
        if not home and not name.startswith(BESIDE):
            continue
        for number, line in enumerate((ROOT / name).read_text(errors="replace").splitlines(), 1):
            include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not include:
                continue
            folder = include[1].split("/")[0]
            if "/" not in include[1]:
                yield f'{name}:{number}: include "{include[1]}" names no room'
            elif not home:
                continue
            elif folder in rank_of and folder != home[0] and rank_of[folder] >= home[1]:
                yield (f"{name}:{number}: {home[0]} (rank {home[1]}) includes "
                       f"{folder} (rank {rank_of[folder]})")
            elif folder not in {*rank_of, "gen"} and not include[1].startswith("kernel/uapi/"):
                yield f'{name}:{number}: include "{include[1]}": no such room in src/README.md'
    graph = code()
    if not graph.built:
        yield NO_BUILD
    for source, target, edge in graph.climbing():
        yield f"{source} -> {target}: that is no lower room: {edge.text()}"
    yield from sub_ranks()


def sub_ranks():
    graph = code()
    for path, ranks_of in graph.subs.items():
        here = {graph.sub(name) for name in graph.files if graph.room(name) == path}
        for sub in sorted(ranks_of.keys() - here - {"."}):
            yield f"src/README.md: {path} holds no {sub}"
    folders = {(graph.room(name), graph.sub(name)) for name in graph.files}
    for path, sub in sorted(folders):
        if sub not in {"."} | graph.subs.get(path, {}).keys():
            yield f"{path}/{sub} has no place in the table of sub-rooms of src/README.md"
    for source, target, edge in graph.upward():
        order = f"{graph.sub(target)} isn't below {graph.sub(source)} in {graph.room(source)}"
        yield f"{source} -> {target}: {order}: {edge.text()}"


# What memory of a GPU is stands where buffers are, what is done with it in the room above.
SHARED_FAMILIES = {"gpu": {"src/gralloc", "src/gpu"}}


def families():
    """Names kr_<word>_ belong to one room, so that a name says where it is at home."""
    graph = code()
    if not graph.built:
        yield NO_BUILD
    for word, rooms_of_word in sorted(graph.families().items()):
        if len(rooms_of_word) > 1 and set(rooms_of_word) - SHARED_FAMILIES.get(word, set()):
            places = "; ".join(f"{room}: {' '.join(sorted(set().union(*files.values())))}"
                               for room, files in rooms_of_word.items())
            yield f"kr_{word}_ stands in {len(rooms_of_word)} rooms: {places}"
    yield from namesakes(graph.texts | dict(public()))


def namesakes(texts):
    """Types and functions of one name, static, exported and generated ones too."""
    functions = {found for text in texts.values() for found in FUNCTION.findall(text)}
    for name, text in texts.items():
        for kind in sorted(set(TYPE.findall(text)) & functions):
            yield f"{name}: {kind} is a type and a function"
