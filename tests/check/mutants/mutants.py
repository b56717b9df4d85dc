# SPDX-License-Identifier: Apache-2.0
"""The wrong drivers of drivers/null/mutants.h, and `krafla check` on each of them.

As a program it runs all of the contract on all of them, and prints a line each: which cases found
the fault. That takes minutes; the tests run the case that a row names, and no more.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

Mutant = collections.namedtuple("Mutant", "name requirement case fault section")
ROW = re.compile(r'X\(\s*(\w+),\s*"([^"]*)",\s*"([^"]*)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)')
SECTION = re.compile(r"#define NULL_MUTANTS_(\w+)\(X\)")
SITE = re.compile(r"\bnull_has_fault\(\s*(\w+)\s*\)")
# Faults that show in a driver of some kind alone: the first in which one is found counts.
KINDS = ("version=11", "version=11,layout=own", "version=10", "version=9", "version=8",
         "version=7", "version=6", "version=5", "version=11,usage=0x10000000",
         "version=11,protected=yes,compression=yes,msrtss=yes", "version=11,devices=2",
         "version=11,shared=no", "version=11,hardware_buffers=yes")
# What a right driver may be.
RIGHT = tuple(f"version={version}" for version in range(5, 12)) + (
    "", "version=11,layout=own", "version=8,layout=own", "version=11,shared=no",
    "version=7,shared=no", "version=11,mutable=no", "version=11,protected=yes",
    "version=11,compression=yes,msrtss=yes", "version=11,usage=0x10000000",
    "version=9,usage=0x8000000110000000", "version=11,refuse=1",
    "version=11,hardware_buffers=yes", "version=8,hardware_buffers=yes",
    "version=11,devices=2", "version=11,devices=4,layout=own",
    "api=1.1,version=11", "api=1.4,version=11", "api=1.0.3,version=8")
LIMIT_S = 300
FOUND = ("failed", "remark")


def read_table(path):
    """The rows, in their order."""
    text = pathlib.Path(path).read_text(encoding="utf-8").replace("\\\n", "\n")
    mutants, section = [], None
    for match in re.finditer(f"{SECTION.pattern}|{ROW.pattern}", text):
        if match.group(1):
            section = match.group(1)
        else:
            fault = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match.group(5)))
            mutants.append(Mutant(*match.group(2, 3, 4), fault, section))
    return mutants


def read_sites(folder):
    """{name: [file:line]} of null_has_fault."""
    sites = collections.defaultdict(list)
    for path in sorted(pathlib.Path(folder).rglob("*.c")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for name in SITE.findall(line):
                sites[name].append(f"{path.name}:{number}")
    return sites


class Checker:
    def __init__(self, krafla, module, jobs=1):
        self.krafla = str(krafla)
        self.module = str(module)
        self.jobs = str(jobs)

    @functools.cached_property
    def cases(self):
        """{name: what --list says of it}"""
        done = subprocess.run([self.krafla, "check", "--list", "--json"], check=True, timeout=60,
                              stdout=subprocess.PIPE)
        return {case["name"]: case for case in json.loads(done.stdout)}

    def run(self, settings, patterns=()):
        """[(case, verdict, what was seen)] and the exit code."""
        filters = [word for pattern in patterns for word in ("--filter", pattern)]
        environment = {**os.environ, "KRAFLA_NULL_DRIVER": settings}
        done = subprocess.run(
            [self.krafla, "check", "--json", "--seed", "1", "--jobs", self.jobs, *filters,
             self.module], env=environment, timeout=LIMIT_S, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"krafla check ended with {done.returncode}:"
                               f" {done.stderr.decode(errors='replace')[-500:]}")
        found = [(case["name"], case["verdict"], case.get("seen", ""))
                 for driver in json.loads(done.stdout)["drivers"] for case in driver["cases"]]
        return found, done.returncode

    def killers(self, settings, patterns=()):
        """The cases that fail, or would if they weren't optional, with what they saw."""
        found, _ = self.run(settings, patterns)
        return {name: seen for name, verdict, seen in found
                if verdict in FOUND}

    def kill(self, mutant, patterns):
        """(killers, settings): of the first kind of driver in which there are some."""
        for kind in KINDS:
            killers = self.killers(f"{kind},mutant={mutant.name}", patterns)
            if killers:
                return killers, kind
        return {}, None


def matched(cases, pattern):
    return [name for name in cases if fnmatch.fnmatchcase(name, pattern)]


def in_parallel(function, items):
    """More than there are processors: many wait for what never happens."""
    with concurrent.futures.ThreadPoolExecutor(4 * os.cpu_count()) as pool:
        return list(pool.map(function, items))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("krafla", help="the command, of a build folder")
    parser.add_argument("module", help="vulkan.null.so")
    parser.add_argument("table", help="drivers/null/mutants.h")
    parser.add_argument("--right", action="store_true", help="right drivers of each kind instead")
    parser.add_argument("--filter", action="append", default=[], metavar="GLOB",
                        help="only these cases, of krafla check")
    options = parser.parse_args()
    checker = Checker(options.krafla, options.module)
    bad = 0
    if options.right:
        for settings in RIGHT:
            found, code = checker.run(settings, options.filter)
            told = [f"{name}: {seen}" for name, verdict, seen in found
                    if verdict in FOUND]
            print(f"{settings or '(as it is)'}: {'; '.join(told) or 'found by no case'}")
            bad += bool(code)
        return bad != 0
    table = read_table(options.table)
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        found = pool.map(lambda mutant: checker.kill(mutant, options.filter), table)
        for mutant, (killers, kind) in zip(table, found):
            named = matched(killers, mutant.case)
            bad += not named
            print(f"{mutant.name} [{mutant.requirement}] {'' if named else 'NOT '}found by"
                  f" {mutant.case}; all ({kind}): {' '.join(killers) or 'none'}", flush=True)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
