# SPDX-License-Identifier: Apache-2.0
"""The lab's initramfs: a cpio archive that holds init, modules and programs with the libraries they
need."""
import os
import pathlib
import re
import stat
import subprocess

from common import LabError
from kernel import module_data

# Loaded by libc itself when a thread is cancelled: in no list of dependencies.
LATE_LIBRARIES = ("/lib/x86_64-linux-gnu/libgcc_s.so.1",)
SHELL = "/bin/sh"
MERGED = ("bin", "sbin", "lib", "lib64")
PASSWD = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"


class Image:
    """Files by their path in the machine. Paths of the build folder stay what they are, so that a
    program finds what it looks for by an absolute name."""

    def __init__(self):
        self.entries = {}
        for name in MERGED:
            self.symlink(f"/{name}", f"usr/{name}")
        for name in ("/dev", "/proc", "/sys", "/tmp", "/run", "/root", "/disk"):
            self.folder(name)
        self.node("/dev/console", 5, 1)
        self.file("/etc/passwd", PASSWD.encode())
        self.file("/etc/group", b"root:x:0:\nnogroup:x:65534:\n")
        for path in (SHELL, *LATE_LIBRARIES):
            self.program(pathlib.Path(path))

    @staticmethod
    def _place(path):
        path = os.path.normpath(str(path)).lstrip("/")
        first = path.split("/")[0]
        return f"usr/{path}" if first in MERGED and path != first else path

    def _add(self, path, mode, data=b"", device=(0, 0)):
        place = self._place(path)
        parent = os.path.dirname(place)
        if parent and parent not in self.entries:
            self.folder(parent)
        self.entries[place] = (mode, data, device)

    def folder(self, path):
        self._add(path, stat.S_IFDIR | 0o755)

    def symlink(self, path, target):
        self.entries[path.lstrip("/")] = (stat.S_IFLNK | 0o777, target.encode(), (0, 0))

    def node(self, path, major, minor):
        self._add(path, stat.S_IFCHR | 0o600, device=(major, minor))

    def file(self, path, data, mode=0o644):
        self._add(path, stat.S_IFREG | mode, data)

    def has(self, path):
        return self._place(path) in self.entries

    def program(self, path, place=None):
        """A program or library of this machine, with all libraries it is linked against."""
        if self.has(place or path):
            return
        self.file(place or path, path.read_bytes(), 0o755)
        for library in libraries(path):
            self.library(library)

    def tree(self, path):
        """A file, or a folder with everything below it, at the same place."""
        if path.is_symlink():
            self._add(path, stat.S_IFLNK | 0o777, os.readlink(path).encode())
            self.tree(path.parent / os.readlink(path))
        elif path.is_dir():
            for entry in sorted(path.iterdir()):
                self.tree(entry)
        elif not path.is_file():
            raise LabError(f"{path} is missing")
        elif is_elf(path):
            self.program(path)
        else:
            self.file(path, path.read_bytes(), path.stat().st_mode & 0o755)

    def library(self, path):
        if not self.has(path):
            self.file(path, path.read_bytes(), 0o755)

    def modules(self, order):
        """The modules and /lab/modules, which says in what order init loads them."""
        lines = []
        for path, parameters in order:
            name = path.name.split(".ko")[0] + ".ko"
            self.file(f"/lab/ko/{name}", module_data(path))
            lines.append(f"/lab/ko/{name} {parameters}\n")
        self.file("/lab/modules", "".join(lines).encode())

    def write(self, path):
        with open(path, "wb") as out:
            for number, (name, entry) in enumerate(sorted(self.entries.items()), 1):
                write_entry(out, number, name, *entry)
            write_entry(out, 0, "TRAILER!!!", 0, b"", (0, 0))


def write_entry(out, number, name, mode, data, device):
    """An entry of the format that the kernel calls newc (initramfs-buffer-format of its
    documentation)."""
    encoded = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(encoded), 0)
    header = b"070701" + b"".join(b"%08x" % field for field in fields) + encoded
    out.write(header + b"\0" * (-len(header) % 4) + data + b"\0" * (-len(data) % 4))


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def libraries(path, places=()):
    """All that the dynamic linker would load for a program or library, looking first into
    `places`."""
    env = dict(os.environ, LD_LIBRARY_PATH=":".join(map(str, places)))
    done = subprocess.run(["ldd", str(path)], capture_output=True, text=True, env=env)
    if "not a dynamic executable" in done.stdout + done.stderr or "statically linked" in done.stdout:
        return []
    absent = re.findall(r"^\s*(\S+) => not found", done.stdout, re.M)
    if done.returncode or absent:
        raise LabError(f"{path} needs {', '.join(absent) or 'something that ldd does not find'}: {done.stderr.strip()}")
    return [pathlib.Path(found) for found in re.findall(r"(?:=> |^\s*)(/\S+) \(0x", done.stdout, re.M)]
