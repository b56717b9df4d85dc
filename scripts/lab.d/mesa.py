# SPDX-License-Identifier: Apache-2.0
"""A newer Mesa for the lab: lavapipe and EGL of Debian's backports, which take and give sync_files
where /dev/udmabuf is there. Debian 12's own doesn't. It goes onto a disk image that the machine mounts at
/disk: the machine starts faster so than with all of it in memory."""
import os
import pathlib
import re
import shutil
import subprocess

from archive import RELEASE
from common import LabError, NoPackages, digest, run, say, used, whole
from image import libraries

PACKAGES = {"mesa-vulkan-drivers": "libvulkan_lvp.so", "libegl-mesa0": "libEGL_mesa.so.0"}
# libc comes with the programs, of the machine that built them; the loader under test is Krafla's.
LEFT_OUT = ("libc6", "gcc-12-base", "libvulkan1")
FOLDERS = ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu")
# Where Debian has it, so that whatever looks for lavapipe finds this one.
MANIFESTS = {
    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json": '{"file_format_version": "1.0.0", "ICD": '
        '{"library_path": "/disk/lib/libvulkan_lvp.so", "api_version": "1.4.0"}}\n',
    "/usr/share/glvnd/egl_vendor.d/50_mesa.json": '{"file_format_version": "1.0.0", "ICD": '
        '{"library_path": "/disk/lib/libEGL_mesa.so.0"}}\n',
}
# Added to a program's environment that says LAB_NEEDS=mesa.
# Mesa warns of each card that it has no driver for, which hides what failed.
ENVIRONMENT = ("MESA_SHADER_CACHE_DISABLE=1", "EGL_LOG_LEVEL=fatal")
SIZE_SLACK = 1.25


def packages(archive):
    """[(name, version)...]: Mesa and all it needs, as if nothing were installed."""
    empty = archive.apt / "empty"
    empty.touch()
    done = subprocess.run(["apt-get", "-s", "install", "--no-install-recommends",
                           "-o", f"Dir::State::status={empty}",
                           "-t", RELEASE + "-backports", *PACKAGES],
                          env=archive.env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.findall(r"^Inst (\S+) \((\S+) ", done.stdout, re.M)
    versions = dict(found)
    for package in PACKAGES:
        if "bpo" not in versions.get(package, ""):
            raise NoPackages(f"{RELEASE}-backports can't be had, or has no {package}")
    return [(name, version) for name, version in found if name not in LEFT_OUT]


class Mesa:
    def __init__(self, cache, debs):
        self.debs = debs
        self.folder = cache / f"mesa-{digest(sorted(path.name for path in debs.values()), pathlib.Path(__file__))}"
        self.disk = self.folder / "disk.img"

    def prepare(self):
        if not self.folder.is_dir():
            say("making the disk with Mesa's lavapipe and EGL")
            with whole(self.folder) as folder:
                self._make(folder)
        used(self.folder)

    def add_to(self, image):
        """What stands outside of the disk: the drivers' manifests, links to its
        libraries where every program looks for them (an older one of this machine gives
        way), and libc of this machine."""
        for path, text in MANIFESTS.items():
            image.file(path, text.encode())
        for name in (self.folder / "libraries").read_text().split():
            image.symlink(f"/{FOLDERS[0]}/{name}", f"/disk/lib/{name}")
        for line in (self.folder / "beside").read_text().split():
            image.library(pathlib.Path(line))

    def _make(self, folder):
        root, disk = folder / "root", folder / "disk"
        for deb in self.debs.values():
            run(["dpkg", "-x", str(deb), str(root)], f"unpacking {deb.name}")
        places = [root / name for name in FOLDERS]
        os.makedirs(disk / "lib")
        needed = {}
        for package, driver in PACKAGES.items():
            path = places[0] / driver
            if not path.exists():
                raise LabError(f"{package} has no {driver}")
            needed.update(dict.fromkeys((path, *libraries(path, places))))
        beside = []
        for library in needed:
            if root in library.parents:
                shutil.copyfile(library.resolve(), disk / "lib" / library.name)
            else:
                beside.append(f"{library}\n")
        (folder / "beside").write_text("".join(beside))
        (folder / "libraries").write_text("".join(f"{path.name}\n" for path in (disk / "lib").iterdir()))
        size = sum(path.stat().st_size for path in disk.rglob("*")) * SIZE_SLACK
        run(["/sbin/mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-d", str(disk),
             str(folder / "disk.img"), f"{int(size) >> 10}k"], "making a disk image")
        shutil.rmtree(root)
        shutil.rmtree(disk)
