# SPDX-License-Identifier: Apache-2.0
"""How each file looks by itself."""
import concurrent.futures
import os
import re
import shutil
import subprocess

from code_graph import ROOT, long_lines, tracked, written


def spdx():
    for name in tracked():
        path = ROOT / name
        if name == "LICENSE" or path.suffix in (".md", ".png", ".json", ".supp", ".txt", ".hex",
                                                ".expected", ".in"):
            continue
        if path.name in (".gitignore", ".clang-format", "packages", "skip-reasons"):
            continue
        head = path.read_text(errors="replace").splitlines()[:2]
        licence = "GPL-2.0 OR MIT" if name.startswith("kernel/") else "Apache-2.0"
        if not any("SPDX-License-Identifier: " + licence in line for line in head):
            yield f"{name}: no SPDX line at its head"


def compile_alone(job):
    name, flags = job
    done = subprocess.run(["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Wextra",
                           *flags, "-x", "c", name], cwd=ROOT, capture_output=True, text=True)
    return None if done.returncode == 0 else f"{name}: doesn't compile alone:\n{done.stderr}"


def headers():
    build = ROOT / "out/build"
    if not (build / "gen").is_dir():
        yield "headers: out/build is missing; run scripts/build first"
        return
    flags = ["-Iinclude", "-Isrc", "-Idrivers", f"-I{build}", f"-I{build}/src", "-I."]
    flags += [f"-I{p}" for p in ("src", "tests/harness")]
    flags += subprocess.run(["pkg-config", "--cflags", "cmocka", "pixman-1", "xcb", "libpng", "libdrm"],
                            capture_output=True, text=True).stdout.split()
    # Headers of the kernel modules need the kernel's own; kernel/uapi is for both sides.
    jobs = [(name, flags) for name in tracked(".h")
            if not name.startswith("kernel/") or name.startswith("kernel/uapi/")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(compile_alone, jobs))


def layout():
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not tool:
        yield "format: clang-format isn't installed"
        return
    names = tracked(".c", ".h")
    done = subprocess.run([tool, "--dry-run", "--Werror", *names], cwd=ROOT, capture_output=True,
                          text=True)
    places = [line for line in done.stderr.splitlines() if "error: code should be" in line]
    yield from (line.split(": error")[0] + ": not as .clang-format lays it out" for line in places)


def lines():
    """Comments too, which clang-format leaves; a message stays whole, so that a search finds it."""
    for name, number, columns in long_lines(written()):
        yield f"{name}:{number}: {columns} columns, more than 100"


def paths():
    """No path of a machine, no package archive's host."""
    bad = re.compile(r"/work/(?:main|shared)|/home/\w+/|https?://(?:deb|ftp|security)\.[\w.]*debian")
    for name in tracked():
        path = ROOT / name
        if path.suffix == ".png" or name == "scripts/lint.d/sources.py":
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if bad.search(line):
                yield f"{name}:{number}: names a path or host of one machine"
