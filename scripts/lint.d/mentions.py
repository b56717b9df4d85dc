# SPDX-License-Identifier: Apache-2.0
"""Files that pages and comments name, and functions that pages name, are there under that name.

Renaming a file or a function leaves such mentions behind, and nobody but a reader would notice.
"""
import functools
import os
import re

from code_graph import ROOT, code, tracked

ROOTS = ("", "src", "include", "tests", "drivers")  # below which a page may leave a path's beginning out
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"(?<![\w/.*<$-])((?:[\w.-]+/)*[\w.-]+\.(?:c|h|py|S|txt))(?![\w*-])")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
OURS = re.compile(r"\b(kr_\w+|krafla_\w+)(?![\w*])")
PAIR = re.compile(r"`(\w+)`\s\(`([\w/]+\.[ch])`")  # a function, and in brackets where it is
TRACED = re.compile(r"^(?:dprintf|break) (?:\w+\.c:)?(\w+)", re.MULTILINE)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
# A string may hold what begins a comment, so strings are found too, and passed over.
COMMENT = re.compile(r"/\*[\s\S]*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)'")
SOURCE = re.compile(r"(?<![\w/.*<$-])((?:[\w.-]+/)*[\w-]+\.[chS])(?![\w*-])")
OTHERS = re.compile(  # headers and sources that aren't ours
    r"(?:linux|drm|android|system|sysdeps|X11|net|vulkan|drivers/dma-buf|include/uapi)/"
    r"|(?:vulkan|vk_icd|vk_layer|vk_android_native_buffer|nativebase|window|hardware|hwvulkan"
    r"|gralloc1?|AHardwareBuffer|drm|drm_fourcc|vgem_drm|sw_sync)\.[ch]$")
LISTS = ("docs/loader.md", "docs/requirements.md")  # their tests are those of `checklist`


@functools.cache
def known():
    """(tracked files, names of files that are tracked or built, words of the code)."""
    files = set(tracked())
    bases = {os.path.basename(name) for name in files} | generated()
    words = set()
    for name in files:
        if name.endswith((".c", ".h", ".py", ".map", ".build")) or "/" not in name:
            words |= set(WORD.findall((ROOT / name).read_text(errors="replace")))
    return files, bases, words


@functools.cache
def generated():
    folders = ("out/build/gen", "out/build/protocol", "out/build/src")
    return {name for folder in folders for _, _, names in os.walk(ROOT / folder) for name in names}


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
            for words_of_code in CODE.findall(line) if page not in LISTS else ():
                for name in FILE.findall(words_of_code):
                    if not is_file(name, page):
                        yield f"{page}:{number}: there is no file {name}"
                for word in OURS.findall(words_of_code):
                    if word not in words:
                        yield f"{page}:{number}: nothing in the code is called {word}"
            for target in LINK.findall(line):
                path = os.path.normpath(os.path.join(os.path.dirname(page), target))
                if "://" not in target and not (ROOT / path).exists():
                    yield f"{page}:{number}: the link leads nowhere: {target}"
        for word in TRACED.findall(text):
            if word not in words:
                yield f"{page}: nothing in the code is called {word}"
        for word, name in PAIR.findall(text):
            if name in files and word not in (ROOT / name).read_text(errors="replace"):
                yield f"{page}: {word} isn't in {name}"
    yield from in_comments()
    yield from in_lab()


def in_lab():
    """tests/lab/list names programs and files as the build does: asked of it where there is one."""
    page, plan = ROOT / "tests/lab/list", ROOT / "out/build/build.ninja"
    if not (page.is_file() and plan.is_file()):
        return
    built = set(re.findall(r"^build ([^:$|]+?)(?: \| [^:]*)?:", plan.read_text(), re.MULTILINE))
    for number, line in enumerate(page.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        files = [word[len("LAB_FILES="):] for word in words if word.startswith("LAB_FILES=")]
        for name in words[1:2] + ",".join(files).split(","):
            if name and name not in built and not name.startswith("/"):
                yield f"tests/lab/list:{number}: nothing builds {name}"


def in_comments():
    """A bare name is a file of the same room; others are named as one includes them."""
    files, _, _ = known()
    room = code().room
    inside = {(room(name), os.path.basename(name)) for name in files}
    for name in sorted(files):
        if not name.endswith((".c", ".h")):
            continue
        text = (ROOT / name).read_text(errors="replace")
        for comment in COMMENT.finditer(text):
            if not comment[0].startswith("/*"):
                continue
            for found in SOURCE.finditer(comment[0]):
                target, base = found[1], os.path.basename(found[1])
                if "/" in target:
                    there = is_file(target, name) or f"{room(name)}/{target}" in files
                else:
                    there = (room(name), base) in inside
                if not there and base not in generated() and not OTHERS.match(target):
                    line = text.count("\n", 0, comment.start() + found.start()) + 1
                    yield f"{name}:{line}: there is no file {target} here"
