# SPDX-License-Identifier: Apache-2.0
"""Debian's packages for the lab: found and downloaded with apt, never installed.

apt runs with a configuration and with lists of its own below the cache, so that it works for a
plain user, changes nothing of the machine, and may look into a suite that the machine doesn't use.
Its sources are derived from the machine's own lines of Debian 12.
"""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

from common import NoPackages, say, whole

RELEASE = "bookworm"
SUITES = (RELEASE, RELEASE + "-updates", RELEASE + "-security", RELEASE + "-backports")
FRESH_S = 24 * 3600
KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")
OVERRIDES = """#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "root";
APT::Get::List-Cleanup "false";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Dir::Etc::sourcelist "{apt}/sources.list";
Dir::Etc::sourceparts "{apt}/none";
Dir::State::lists "{apt}/lists";
Dir::Cache "{apt}/cache";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
"""


class Archive:
    def __init__(self, cache):
        self.cache = cache
        self.apt = cache / "apt"
        self.env = dict(os.environ, APT_CONFIG=str(self.apt / "apt.conf"), LC_ALL="C")
        self.stamp = self.apt / "updated"
        self.reached = False

    def _query(self, *command):
        return subprocess.run(command, env=self.env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL).stdout

    def _sources(self):
        """The machine's own sources of Debian 12, and its backports from the same place."""
        targets = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
                                  "Identifier: Packages"], capture_output=True, text=True).stdout
        rows = [line.split() for line in targets.splitlines()]
        rows = {tuple(row) for row in rows if len(row) == 3 and row[1] in SUITES and row[2] == "main"}
        bases = sorted(uri for uri, suite, _ in rows if suite == RELEASE)
        if not bases:
            raise NoPackages(f"no source of Debian 12 ({RELEASE} main) is among the machine's apt sources")
        rows |= {(bases[0], RELEASE + "-backports", "main")}
        option = f"[signed-by={KEYRING}] " if KEYRING.exists() else ""
        return "".join(f"deb {option}{' '.join(row)}\n" for row in sorted(rows))

    def _configure(self):
        parts = self.apt / "apt.conf.d"
        shutil.rmtree(parts, ignore_errors=True)
        for folder in (parts, self.apt / "none", self.apt / "lists/partial", self.apt / "cache/archives/partial"):
            folder.mkdir(parents=True, exist_ok=True)
        for file in pathlib.Path("/etc/apt/apt.conf.d").glob("*"):
            if file.is_file() and os.access(file, os.R_OK):
                shutil.copyfile(file, parts / file.name)
        (parts / "zz-lab").write_text(OVERRIDES.format(apt=self.apt))
        (self.apt / "apt.conf").write_text(f'Dir::Etc::parts "{parts}";\n')
        (self.apt / "sources.list").write_text(self._sources())

    def refresh(self):
        """Has the lists of the suites at hand, not older than a day where the archive can be
        reached."""
        if not shutil.which("apt-get"):
            raise NoPackages("this isn't Debian: apt-get is missing")
        if self._query("dpkg", "--print-architecture").strip() != "amd64":
            raise NoPackages("the lab needs an amd64 machine: its tests run on an amd64 kernel")
        if self.stamp.exists() and time.time() - self.stamp.stat().st_mtime < FRESH_S:
            self.reached = True
            return
        self._configure()
        say("reading Debian's package lists")
        subprocess.run(["apt-get", "update", "-q"], env=self.env, capture_output=True,
                       stdin=subprocess.DEVNULL)
        # A suite that is missing (backports of a mirror) is no reason to do without the others.
        self.reached = bool(self._query("apt-cache", "pkgnames", "linux-source-6.12").strip())
        if self.reached:
            self.stamp.touch()

    def names(self, beginning):
        return self._query("apt-cache", "pkgnames", beginning).split()

    def versions(self, package):
        """The versions that the suites have of a package, newest first."""
        text = self._query("apt-cache", "madison", package)
        found = {line.split("|")[1].strip() for line in text.splitlines() if "Packages" in line}
        return sorted(found, key=functools.cmp_to_key(compare), reverse=True)

    def kernel(self, series):
        """The newest kernel of a series with headers, build tools and source:
        [(package, version)...]."""
        names = self.names(f"linux-image-{series}.")
        releases = [m[1] for m in (re.fullmatch(r"linux-image-([\w.+~]+)-amd64", name) for name in names) if m]
        sources = self.versions(f"linux-source-{series}")
        found = [(version, release) for release in releases
                 for version in self.versions(f"linux-image-{release}-amd64") if version in sources]
        by_version = functools.cmp_to_key(lambda a, b: compare(a[0], b[0]))
        for version, release in sorted(found, key=by_version, reverse=True):
            names = [f"linux-image-{release}-amd64", f"linux-headers-{release}-amd64",
                     f"linux-headers-{release}-common", f"linux-kbuild-{release}", f"linux-source-{series}"]
            if all(version in self.versions(name) for name in names):
                return release + "-amd64", [(name, version) for name in names]
        raise NoPackages(f"no kernel {series} with its headers and source is in {', '.join(SUITES)}")

    def fetch(self, packages, what):
        """The .deb files of these packages, from the cache or downloaded; name -> path."""
        folder = self.cache / "packages"
        folder.mkdir(exist_ok=True)
        paths = {name: folder / f"{name}_{version.replace(':', '%3a')}.deb" for name, version in packages}
        missing = [f"{name}={version}" for name, version in packages if not paths[name].exists()]
        if missing:
            say(f"downloading {what}: {' '.join(missing)}")
            self._download(folder / "download", missing, paths)
        for path in folder.glob("*.deb"):
            stale = any(path.name.startswith(name + "_") and path != wanted
                        for name, wanted in paths.items())
            if stale:
                path.unlink()
        return paths

    def _download(self, place, wanted, paths):
        with whole(place) as folder:
            done = subprocess.run(["apt-get", "download", "-q", *wanted], cwd=folder, env=self.env,
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            for item in wanted:
                name = item.split("=")[0]
                files = list(folder.glob(f"{name}_*.deb"))
                if len(files) == 1:  # apt gives it this name only when its checksum is right
                    files[0].rename(paths[name])
            if done.returncode:
                tail = "\n".join(done.stderr.splitlines()[-4:])
                raise NoPackages(f"apt-get download {' '.join(wanted)} failed:\n{tail}")


def compare(a, b):
    if a == b:
        return 0
    return 1 if subprocess.run(["dpkg", "--compare-versions", a, "gt", b]).returncode == 0 else -1


def choose(archive, kind, find):
    """What `find` chooses while the archive can be reached; else what it chose last, if that is
    cached."""
    record = archive.cache / f"{kind}.json"
    if (archive.reached and record.exists()
            and record.stat().st_mtime >= archive.stamp.stat().st_mtime):
        return json.loads(record.read_text())
    if archive.reached:
        chosen = find()
        partial = record.with_suffix(".partial")
        partial.write_text(json.dumps(chosen))
        partial.rename(record)
        return chosen
    if not record.exists():
        raise NoPackages("the package archive can't be reached, and nothing is cached")
    say(f"the package archive can't be reached: taking the cached {kind}")
    return json.loads(record.read_text())
