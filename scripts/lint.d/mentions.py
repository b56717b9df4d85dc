# SPDX-License-Identifier: Apache-2.0
"""Files and functions that pages and comments name are there, under that name.

Renaming a file or a function leaves such mentions behind, and nobody but a reader would notice.
"""
import functools
import os
import re

from code_graph import ROOT, tracked

ROOTS = ("", "src", "include", "tests", "drivers")  # below which a page may leave a path's beginning out
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"(?<![\w/.*<$-])((?:[\w.-]+/)*[\w.-]+\.(?:c|h|py|S|txt))(?![\w*-])")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
OURS = re.compile(r"\b(kr_\w+|krafla_\w+)(?![\w*])")
TRACED = re.compile(r"^(?:dprintf|break) (?:\w+\.c:)?(\w+)", re.MULTILINE)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
LISTS = ("docs/loader.md", "docs/requirements.md")  # their tests are those of `checklist`


@functools.cache
def known():
    """(tracked files, names of files that are tracked or built, words of the code)."""
    files = set(tracked())
    bases = {os.path.basename(name) for name in files}
    bases |= {name for _, _, names in os.walk(ROOT / "out/build/gen") for name in names}
    bases |= {name for _, _, names in os.walk(ROOT / "out/build/protocol") for name in names}
    words = set()
    for name in files:
        if name.endswith((".c", ".h", ".py", ".map", ".build")) or "/" not in name:
            words |= set(WORD.findall((ROOT / name).read_text(errors="replace")))
    return files, bases, words


def is_file(name, page):
    files, bases, _ = known()
    if "/" not in name or name.startswith("out/build/"):
        return os.path.basename(name) in bases
    places = [*ROOTS, os.path.dirname(page)]
    return any(os.path.normpath(os.path.join(place, name)) in files for place in places)


def mentions():
    files, _, words = known()
    for page in sorted(name for name in files if name.endswith(".md")):
        text = (ROOT / page).read_text()
        for number, line in enumerate(text.splitlines(), 1):
            for code in CODE.findall(line) if page not in LISTS else ():
                for name in FILE.findall(code):
                    if not is_file(name, page):
                        yield f"{page}:{number}: there is no file {name}"
                for word in OURS.findall(code):
                    if word not in words:
                        yield f"{page}:{number}: nothing in the code is called {word}"
            for target in LINK.findall(line):
                path = os.path.normpath(os.path.join(os.path.dirname(page), target))
                if "://" not in target and not (ROOT / path).exists():
                    yield f"{page}:{number}: the link leads nowhere: {target}"
        for word in TRACED.findall(text):
            if word not in words:
                yield f"{page}: nothing in the code is called {word}"
