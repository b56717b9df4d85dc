# SPDX-License-Identifier: Apache-2.0
"""Krafla's modules, built for the kernel that Debian 12 itself ships. The lab doesn't boot that
one: what is tested is that kernel/ builds there, too, without a warning.
"""
import functools
import re
import shutil

import archive
from common import LabError, NoPackages, digest, run, say, used, whole
from kernel import MAKE_VARIABLES, relocate

SERIES = "6.1"
CASE = f"older: modules_build_for_{SERIES.replace('.', '_')}"


def packages(source):
    """The newest headers of the series: release, [(package, version)...]."""
    names = source.names(f"linux-headers-{SERIES}.")
    releases = [m[1] for m in (re.fullmatch(r"linux-headers-([\d.]+-\d+)-amd64", name) for name in names) if m]
    build_tools = source.versions(f"linux-kbuild-{SERIES}")
    found = []
    for release in releases:
        common = source.versions(f"linux-headers-{release}-common")
        found += [(version, release) for version in source.versions(f"linux-headers-{release}-amd64")
                  if version in common]
    if not found or not build_tools:
        raise NoPackages(f"no headers of Linux {SERIES} are in {', '.join(archive.SUITES)}")
    by_version = functools.cmp_to_key(lambda a, b: archive.compare(a[0], b[0]))
    version, release = max(found, key=by_version)
    return release + "-amd64", [(f"linux-headers-{release}-amd64", version),
                                (f"linux-headers-{release}-common", version),
                                (f"linux-kbuild-{SERIES}", build_tools[0])]


def build(cache, source, sources):
    """Builds kernel/ where that wasn't done yet; NoPackages, or LabError with what the compiler
    says."""
    release, wanted = archive.choose(source, "older", lambda: packages(source))
    debs = source.fetch(wanted, f"headers of Linux {release}")
    place = cache / f"modules-{release}-{digest(sources, [list(item) for item in wanted])}"
    if not place.is_dir():
        say(f"building Krafla's kernel modules for Linux {release}")
        with whole(place) as folder:
            for deb in debs.values():
                run(["dpkg", "-x", str(deb), str(folder / "root")], f"unpacking {deb.name}")
            headers = folder / f"root/usr/src/linux-headers-{release}"
            relocate(headers / "Makefile")
            shutil.copytree(sources, folder / "kernel")
            run(["make", "-C", str(folder / "kernel"), f"KDIR={headers}", "W=1",
                 "KCFLAGS=-Werror", *MAKE_VARIABLES],
                f"make -C kernel for Linux {release}")
            built = sorted(path.name for path in folder.glob("kernel/*.ko"))
            if built != ["krafla_display.ko", "krafla_sync.ko"]:
                raise LabError(f"make -C kernel for Linux {release} made {', '.join(built) or 'no module'}")
            shutil.rmtree(folder / "root")
    used(place)
    return release
