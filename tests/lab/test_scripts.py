# SPDX-License-Identifier: Apache-2.0
"""scripts/lab without a machine: what it makes of init's words, of its list and of an archive.

test_scripts.py SCRIPTS-FOLDER TAP-FOLDER
"""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
SCRIPTS, TAP = map(pathlib.Path, sys.argv[1:3])
sys.path[:0] = [str(SCRIPTS / "lab.d"), str(TAP)]

import archive  # noqa: E402
import common  # noqa: E402
import entries  # noqa: E402
import image  # noqa: E402
import kernel  # noqa: E402
import machine  # noqa: E402
import older  # noqa: E402
import tap  # noqa: E402

loader = importlib.machinery.SourceFileLoader("lab", str(SCRIPTS / "lab"))
lab = importlib.util.module_from_spec(importlib.util.spec_from_loader("lab", loader))
loader.exec_module(lab)


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        quiet = contextlib.redirect_stderr(io.StringIO())
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)


class Results(Folder):
    """What stands on the second serial line, given by a stand-in for QEMU."""

    def run_machine(self, script, limit=5, console="the console says why"):
        results = []
        (self.folder / "console").write_text(console)
        stand_in = machine.Machine(["sh", "-c", script], self.folder / "console", {"a": limit, "b": limit},
                                   results.append)
        with stand_in:
            machine.run_all([stand_in])
        return stand_in, results

    def one(self, output, end="@end 1500 exit 0", also=""):
        script = f"printf '%s\\n' '@kernel 6.12' '@begin a' {output} '{end}' {also} '@done'"
        stand_in, results = self.run_machine(script)
        self.assertEqual(len(results), 1)
        return stand_in, results[0]

    def test_cases_are_counted(self):
        stand_in, result = self.one("'>ok 1 - x' '># # ok - x' '>not ok 2 - y' '>ok 3 - z # SKIP no-root why'")
        self.assertEqual(result.cases, [(True, "x"), (False, "y"), (None, "z # SKIP no-root why")])
        self.assertEqual(result.seconds, 1.5)
        self.assertEqual(stand_in.troubles, [])
        self.assertEqual(stand_in.kernel_release, "6.12")

    def test_bad_ends_fail(self):
        for end in ("exit 1", "signal 11", "time limit"):
            with self.subTest(end):
                _, result = self.one("'>ok 1 - x'", f"@end 1 {end}")
                self.assertEqual(result.count(False), 1)
                self.assertIn(end, result.cases[-1][1])

    def test_no_case_fails(self):
        _, result = self.one("'>hello'")
        self.assertEqual(result.count(False), 1)

    def test_kernel_trouble_fails_the_program_that_ran(self):
        for line in ("WARNING: CPU: 0 PID: 1 at x.c:3", "BUG: kernel NULL pointer dereference", "Oops: 0002 [#1]",
                     "refcount_t: underflow; use-after-free.", "INFO: task x:3 blocked for more than 30 seconds.",
                     "watchdog: BUG: soft lockup - CPU#0 stuck"):
            with self.subTest(line):
                _, result = self.one(f"'>ok 1 - x' '!{line}'")
                self.assertEqual(result.count(False), 1)
                self.assertEqual(result.kernel, [line])

    def test_ordinary_kernel_messages_do_not(self):
        _, result = self.one("'>ok 1 - x' '!krafla_sync: loading out-of-tree module taints kernel.' "
                             "'!if necessary, report a bug'")
        self.assertEqual(result.count(False), 0)

    def test_trouble_outside_of_programs_is_kept(self):
        script = "printf '%s\\n' '@error loading x.ko: no' '!BUG: at boot' '@begin a' '>ok 1 - x' '@end 1 exit 0' @done"
        stand_in, results = self.run_machine(script)
        self.assertEqual(stand_in.troubles, ["loading x.ko: no", "BUG: at boot"])
        self.assertEqual(results[0].count(False), 0)

    def test_a_machine_that_ends_early_names_the_program(self):
        stand_in, results = self.run_machine("printf '%s\\n' '@begin a' '>ok 1 - x'")
        self.assertEqual(results[0].count(False), 1)
        self.assertIn("begin a", stand_in.troubles[0])
        self.assertIn("the console says why", stand_in.troubles[0])
        self.assertIn("QEMU ended with 0", stand_in.troubles[0])

    def test_a_machine_that_is_killed_says_so(self):
        stand_in, _ = self.run_machine("echo '@begin a'; kill -9 $$")
        self.assertIn("QEMU was ended by signal 9", stand_in.troubles[0])

    def test_a_machine_that_hangs_is_ended(self):
        machine.GRACE_S, kept = 0, machine.GRACE_S
        self.addCleanup(setattr, machine, "GRACE_S", kept)
        stand_in, results = self.run_machine("printf '%s\\n' '@begin a'; exec sleep 1000", limit=1)
        self.assertEqual(results[0].count(False), 1)
        self.assertIn("no sign of life", stand_in.troubles[0])
        self.assertIsNotNone(stand_in.process.returncode)

    def test_machines_run_side_by_side(self):
        """A machine that hangs, first, doesn't keep another's results back; each ends for
        itself."""
        machine.GRACE_S, kept = 3, machine.GRACE_S
        self.addCleanup(setattr, machine, "GRACE_S", kept)
        results, console = [], self.folder / "console"
        scripts = ("printf '%s\\n' '@begin a'; exec sleep 1000",
                   "printf '%s\\n' '@begin b' '>ok 1 - x' '@end 1 exit 0' @done")
        with contextlib.ExitStack() as ends:
            both = [ends.enter_context(machine.Machine(["sh", "-c", script], console,
                                                       {"a": 1, "b": 1}, results.append))
                    for script in scripts]
            machine.run_all(both)
        self.assertEqual([(result.name, result.count(False)) for result in results],
                         [("b", 0), ("a", 1)])
        self.assertEqual([len(one.troubles) for one in both], [1, 0])
        self.assertTrue(all(one.process.returncode is not None for one in both))

    def test_the_list_shares_entries_out(self):
        (self.folder / "list").write_text("x p\ny q LAB_NEEDS=mesa,prefix\nz r LAB_NEEDS=prefix\n"
                                          "v p LAB_MACHINE=mesa\n")
        found = entries.select(entries.read(self.folder / "list"), [])
        names = {name: [entry.name for entry in share] for name, share in lab.shares(found).items()}
        self.assertEqual(names, {"mesa": ["y", "v"], "plain": ["x", "z"]})
        self.assertEqual(list(lab.shares(found[:1])), ["plain"])

    def test_qemu_that_does_not_start_is_quoted(self):
        stand_in, results = self.run_machine("echo 'qemu: no such device'; exit 1")
        self.assertEqual(results, [])
        self.assertIn("no such device", stand_in.troubles[0])


class List(Folder):
    def read(self, text):
        path = self.folder / "list"
        path.write_text(text)
        return entries.read(path)

    def test_a_line_is_read(self):
        entry = self.read("# a comment\n\nx  t/prog LAB_LIMIT=7 LAB_FILES=a,b LAB_NEEDS=mesa,prefix A={build} 'b c' D=1\n")["x"]
        self.assertEqual((entry.limit, entry.files, entry.needs), (7, ["a", "b"], ("mesa", "prefix")))
        lines = entry.for_init(pathlib.Path("/b"), pathlib.Path("/p"), ["E=2"]).splitlines()
        self.assertEqual(lines[:5], ["name x", "limit 7", "arg /b/t/prog", "arg b c", "arg D=1"])
        self.assertIn("env A=/b", lines)
        again = entry.for_init(pathlib.Path("/b"), pathlib.Path("/p"), ["A=x=1", "HOME=/"]).splitlines()
        self.assertEqual([line for line in again if line.startswith(("env A=", "env HOME="))],
                         ["env HOME=/", "env A=x=1"])
        self.assertIn("env E=2", lines)
        self.assertEqual(lines[-1], "run")
        self.assertFalse([line for line in lines if line.startswith("without")])
        hidden = self.read("x p LAB_WITHOUT=/dev/dri\n")["x"].for_init(pathlib.Path("/b"), pathlib.Path("/p"), [])
        self.assertIn("without /dev/dri", hidden.splitlines())

    def test_wrong_lines_are_refused(self):
        for text in ("alone\n", "x p LAB_SPEED=1\n", "x p LAB_NEEDS=luck\n", "x p LAB_LIMIT=soon\n",
                     "x p LAB_MACHINE=../x\n", "x p LAB_WITHOUT=dri\n", "x 'p\n", "x p\nx q\n"):
            with self.subTest(text), self.assertRaises(common.UsageError):
                self.read(text)

    def test_a_list_that_is_not_there_is_refused(self):
        with self.assertRaisesRegex(common.UsageError, "nothere"):
            entries.read(self.folder / "nothere")

    def test_names_choose(self):
        found = self.read("x p\ny q\n")
        self.assertEqual([entry.name for entry in entries.select(found, ["y"])], ["y"])
        self.assertEqual(len(entries.select(found, [])), 2)
        with self.assertRaises(common.UsageError):
            entries.select(found, ["z"])

    def test_long_ones_run_on_demand(self):
        found = self.read("x p LAB_ON_DEMAND=1\ny q\n")
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("KRAFLA_TEST_ALL", None)
            self.assertEqual([entry.name for entry in entries.select(found, [])], ["y"])
            self.assertEqual([entry.name for entry in entries.select(found, ["x"])], ["x"])
            os.environ["KRAFLA_TEST_ALL"] = "1"
            self.assertEqual(len(entries.select(found, [])), 2)

    def test_the_list_of_krafla_is_right(self):
        entries.read(SCRIPTS.parent / "tests/lab/list")


class Packages(Folder):
    """An archive of which only the answers are there."""

    def make(self, versions):
        found = archive.Archive(self.folder)
        found.versions = lambda name: versions.get(name, [])
        found._query = lambda *command: "\n".join(name for name in versions
                                                  if name.startswith(command[-1]))
        return found

    @staticmethod
    def kernel_set(release, version):
        return {f"linux-image-{release}-amd64": [version], f"linux-headers-{release}-amd64": [version],
                f"linux-headers-{release}-common": [version], f"linux-kbuild-{release}": [version]}

    def test_the_newest_whole_kernel_is_chosen(self):
        versions = {**self.kernel_set("6.12.118-rt", "6.12.118-1"),
                    "linux-source-6.12": ["6.12.118-1", "6.12.117-1", "6.12.95-1", "6.12.9-1"],
                    **self.kernel_set("6.12.9", "6.12.9-1"),
                    **self.kernel_set("6.12.95", "6.12.95-1"),
                    **self.kernel_set("6.12.117", "6.12.117-1"),
                    "linux-image-6.12.95-rt-amd64": ["6.12.95-1"], "linux-image-6.12.999-amd64": ["6.12.999-1"]}
        release, packages = self.make(versions).kernel("6.12")
        self.assertEqual(release, "6.12.117-amd64")
        self.assertEqual({version for _, version in packages}, {"6.12.117-1"})
        del versions["linux-headers-6.12.117-common"]
        self.assertEqual(self.make(versions).kernel("6.12")[0], "6.12.95-amd64")

    def test_no_kernel_is_no_packages(self):
        with self.assertRaises(common.NoPackages):
            self.make({"linux-source-6.12": ["6.12.1-1"]}).kernel("6.12")

    def test_the_newest_whole_headers_are_chosen_for_the_older_kernel(self):
        versions = {"linux-kbuild-6.1": ["6.1.192-2", "6.1.90-1"],
                    "linux-headers-6.1.0-9-amd64": ["6.1.9-1"], "linux-headers-6.1.0-9-common": ["6.1.9-1"],
                    "linux-headers-6.1.0-56-amd64": ["6.1.192-2"], "linux-headers-6.1.0-56-common": ["6.1.192-2"],
                    "linux-headers-6.1.0-57-amd64": ["6.1.200-1"], "linux-headers-6.1.0-58-rt-amd64": ["6.1.300-1"]}
        release, packages = older.packages(self.make(versions))
        self.assertEqual(release, "6.1.0-56-amd64")
        self.assertEqual(dict(packages)["linux-kbuild-6.1"], "6.1.192-2")
        del versions["linux-kbuild-6.1"]
        with self.assertRaises(common.NoPackages):
            older.packages(self.make(versions))

    def test_the_older_kernel_counts_as_a_case(self):
        for outcome, counts in ((True, (1, 0, 0)), (common.LabError("what gcc said"), (0, 1, 0)),
                                (common.NoPackages("no way"), (0, 0, 1)), (None, (0, 0, 0))):
            report = lab.Report(False)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                lab.report_older(report, outcome)
            self.assertEqual((report.passed, report.failed, report.skipped), counts)
            failed = isinstance(outcome, common.LabError) and counts[1] == 1
            self.assertEqual("gcc said" in said.getvalue(), failed)

    def test_the_choice_is_kept_for_when_the_archive_is_away(self):
        found = archive.Archive(self.folder)
        with self.assertRaises(common.NoPackages):
            archive.choose(found, "kernel", lambda: self.fail("asked"))
        found.reached = True
        found.apt.mkdir()
        found.stamp.touch()
        self.assertEqual(archive.choose(found, "kernel", lambda: ["x"]), ["x"])
        found.reached = False
        self.assertEqual(archive.choose(found, "kernel", lambda: self.fail("asked")), ["x"])

    def test_a_failed_download_leaves_nothing(self):
        found = archive.Archive(self.folder)
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "apt-get").write_text("#!/bin/sh\necho half > one_1_all.deb.partial\necho broken >&2\nexit 100\n")
        (programs / "apt-get").chmod(0o755)
        found.env["PATH"] = f"{programs}:{found.env['PATH']}"
        with unittest.mock.patch.dict("os.environ", PATH=found.env["PATH"]), \
                self.assertRaisesRegex(common.NoPackages, "broken"):
            found.fetch([("one", "1")], "a test")
        self.assertEqual(list((self.folder / "packages").iterdir()), [])

    def test_interrupted_work_leaves_nothing(self):
        with self.assertRaises(KeyboardInterrupt), common.whole(self.folder / "x") as partial:
            (partial / "half").touch()
            raise KeyboardInterrupt
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_killed_runs_began_is_removed(self):
        for name in ("peers-1.partial-7/half", "packages/download.partial-7/half", "packages/one.deb", "peers-1/whole"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).touch()
        common.forget_old(self.folder)
        left = sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                      if path.is_file())
        self.assertEqual(left, ["packages/one.deb", "peers-1/whole"])

    def test_a_machine_dies_with_its_lab(self):
        with unittest.mock.patch.object(machine.shutil, "which", lambda name: name):
            command = machine.qemu("kernel", "initrd", "console", 1, None)
        at = command.index("--")
        self.assertEqual(command[:at], ["setpriv", "--pdeathsig", "KILL"])
        with unittest.mock.patch.object(machine.shutil, "which", lambda name: None), \
                self.assertRaisesRegex(common.LabError, "install-packages lab"):
            machine.qemu("kernel", "initrd", "console", 1, None)

    def test_without_packages_every_entry_is_skipped(self):
        (self.folder / "list").write_text("x p\ny q LAB_NEEDS=mesa\n")
        (self.folder / "build").mkdir()
        options = argparse.Namespace(build=self.folder / "build", cache=self.folder,
                                     source=self.folder / "list", name=[],
                                     list=False, verbose=False, tap=self.folder / "tap", env=[])
        lab.options = lambda: options
        lab.build_programs = lambda *_: None
        lab.Prepared = lambda *_: (_ for _ in ()).throw(common.NoPackages("no way"))
        sys.stdout.flush()
        stdout, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO())
        try:
            with self.assertRaises(common.NoPackages) as caught:
                lab.main()
        finally:
            sys.stdout = stdout
        self.assertEqual(caught.exception.code, 3)
        self.assertEqual((self.folder / "tap").read_text(),
                         "ok - x # SKIP no-lab-packages no way\nok - y # SKIP no-lab-packages no way\n")


class Image(Folder):
    @staticmethod
    def unpack(data):
        found, at = {}, 0
        while True:
            fields = [int(data[at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in range(13)]
            name = data[at + 110:at + 110 + fields[11] - 1].decode()
            start = at + 110 + fields[11] + -(110 + fields[11]) % 4
            if name == "TRAILER!!!":
                return found
            found[name] = (fields[1], data[start:start + fields[6]])
            at = start + fields[6] + -fields[6] % 4

    def test_programs_bring_their_libraries(self):
        made = image.Image()
        made.program(pathlib.Path("/bin/sh"), "/somewhere/sh")
        made.file("/etc/odd", b"12345")
        made.write(self.folder / "cpio")
        found = self.unpack((self.folder / "cpio").read_bytes())
        self.assertEqual(found["etc/odd"][1], b"12345")
        self.assertEqual(found["somewhere/sh"][1], pathlib.Path("/bin/sh").read_bytes())
        self.assertTrue(any("libc.so.6" in name for name in found))
        self.assertEqual(found["lib64"][1], b"usr/lib64")
        names = list(found)
        for number, name in enumerate(names):
            parent = name.rpartition("/")[0]
            self.assertTrue(not parent or parent in names[:number], f"{name} before its folder")

    def test_what_is_missing_is_an_error(self):
        with self.assertRaisesRegex(common.LabError, "nothere"):
            image.Image().tree(self.folder / "nothere")


class Modules(Folder):
    def test_dependencies_are_loaded_first(self):
        depends = {"a.ko": "b,c-c\n", "b.ko": "c_c\n", "c-c.ko": "\n"}
        known = {kernel.module_name(pathlib.Path(name)): pathlib.Path(name) for name in depends}
        kernel.run, kept = lambda command, what: depends[command[-1]], kernel.run
        self.addCleanup(setattr, kernel, "run", kept)
        order = {}
        kernel.add_with_dependencies(order, known, set(), "a")
        self.assertEqual(list(order), ["c_c", "b", "a"])
        depends["c-c.ko"] = "nowhere\n"
        with self.assertRaisesRegex(common.LabError, "nowhere"):
            kernel.add_with_dependencies({}, known, set(), "a")
        kernel.add_with_dependencies({}, known, {"nowhere"}, "a")

    def test_changed_sources_are_not_edited_blindly(self):
        path = self.folder / "x.c"
        path.write_text("late_initcall(f);")
        kernel.edit(path, ("late_initcall(", "module_init("))
        self.assertEqual(path.read_text(), "module_init(f);")
        with self.assertRaises(common.LabError):
            kernel.edit(path, ("late_initcall(", "module_init("))

    def test_content_decides_what_is_built_again(self):
        (self.folder / "a").mkdir()
        (self.folder / "a/x").write_text("1")
        first = common.digest(self.folder / "a", "6.12")
        self.assertNotEqual(first, common.digest(self.folder / "a", "6.13"))
        (self.folder / "a/x").write_text("2")
        self.assertNotEqual(first, common.digest(self.folder / "a", "6.12"))


tap.main(sys.modules["__main__"])
