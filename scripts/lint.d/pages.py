# SPDX-License-Identifier: Apache-2.0
"""Pages that list what the code holds, and nothing else."""
import re
import subprocess

from code_graph import ROOT, product


def words_of_tables(text):
    """What stands in backticks in the first column of a page's tables."""
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


def environment():
    """docs/environment.md lists the variables and properties that the code knows, and no others."""
    page = "docs/environment.md"
    listed = words_of_tables((ROOT / page).read_text())
    variable = re.compile(r'"(HOME|(?:KRAFLA|XDG)_[A-Z_]+|VK_[A-Z_]*(?:FILES|FILENAMES|PATH|LAYERS|DEBUG|SELECT|DISABLE|ENABLE|ALLOW|FILTER))["=]'
                          r'|kr_env_(?:get|get_code|get_raw|get_directory|bool)\("(\w+)"\)|"((?:ro|debug)\.[a-z_.0-9]+)"')
    known = {}
    for name in product(".c", ".h"):
        for found in variable.finditer((ROOT / name).read_text(errors="replace")):
            known.setdefault(found[1] or found[2] or found[3], name)
    known["KRAFLA_PROP_<name>"] = "src/util/properties.c"
    yield from (f"{known[word]}: {word} isn't in {page}" for word in sorted(known.keys() - listed))
    yield from (f"{page}: nothing reads {word}" for word in sorted(listed - known.keys()))


def locks():
    """docs/threading.md names the file of each lock."""
    page = "docs/threading.md"
    text = (ROOT / page).read_text()
    for name in product(".c", ".h"):
        lines = (ROOT / name).read_text(errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            found = re.match(r"\s*(?:static )?struct kr_mutex (\w+)[; ]", line)
            if found and name != "src/util/mutex.h" and f"`{name}`" not in text:
                yield f"{name}:{number}: the lock `{found[1]}` isn't in {page}"


def waits():
    """docs/threading.md names each file that waits, with its deadline."""
    page = "docs/threading.md"
    listed = words_of_tables((ROOT / page).read_text().split("## Waits")[1])
    waits = re.compile(r"\b(p?poll|kr_fd_poll|epoll_wait|kr_cond_wait_until|kr_fence_wait\w*|kr_sync_wait\w+|sync_wait"
                       r"|fence_wait|waitpid|waitid|pthread_join|connect|xcb_connect|nanosleep|usleep"
                       r"|sleep)\((.*)")
    known = set()
    for name in product(".c"):
        for line in (ROOT / name).read_text(errors="replace").splitlines():
            found = waits.search(line)
            code = found and not line.startswith(("kr_", "sync_wait", " *", "/*", "#"))
            if code and not (found[1].endswith("poll") and ", 0)" in found[2]) and name != "src/util/mutex.c":
                known.add(name)
    yield from (f"{name}: it waits, and isn't in {page}" for name in sorted(known - listed))
    yield from (f"{page}: {name} doesn't wait" for name in sorted(listed - known)
                if name.endswith(".c"))


def checklist():
    """The numbered pages and the numbers in the tests: see scripts/checklist."""
    done = subprocess.run([ROOT / "scripts/checklist"], capture_output=True, text=True)
    yield from (done.stdout + done.stderr).splitlines()
