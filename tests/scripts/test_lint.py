# SPDX-License-Identifier: Apache-2.0
"""scripts/lint on a repository of a few files: each check of the structure is seen to fail.

test_lint.py SCRIPTS-FOLDER TAP-FOLDER -- COMPILER...
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPTS, TAP = map(pathlib.Path, sys.argv[1:3])
COMPILER = sys.argv[4:]
sys.path.insert(0, str(TAP))

import tap  # noqa: E402

# In pieces: what this file writes for others to cite isn't cited here.
REQUIREMENT, ITEM, SENTENCE, PAGE = "A-0", "K-0", "B-0", "nowhere" + ".md"
RANKS = """
| rank | room | path | holds |
|---|---|---|---|
| 0 | `low` | `src/low` | |
| 1 | `high` | `src/high` | |

| folder | sub-rooms, lowest first |
|---|---|
| `src/high` | `cellar` < `attic` |
"""
FILES = {
    ".gitignore": "out/\nscripts/\n",
    "src/README.md": RANKS,
    "docs/requirements.md": f"| {REQUIREMENT}1 | a sentence | done | |\n",
    "docs/loader.md": f"| {ITEM}1 | a sentence | |\n",
    "docs/buffer-queue.md": f"| {SENTENCE}1 | a sentence | |\n",
    "docs/design.md": "# Design\n## 4. Rules\n1. One.\n### 4.2 Part\n",
    "src/low/low.h": "int kr_low(void);\n",
    "src/low/low.c": '#include "low/low.h"\n'
                     f"/* {REQUIREMENT}1, {ITEM}1, {SENTENCE}1, DESIGN 4.2, rule 1 */\n"
                     "int\nkr_low(void)\n{\n\treturn 1;\n}\n",
    "src/high/cellar/wine.c": '#include "low/low.h"\nint\nkr_wine(void)\n{\n\treturn kr_low();\n}\n',
    "src/high/attic/box.c": "int kr_wine(void);\nint\nkr_box(void)\n{\n\treturn kr_wine();\n}\n",
}


@unittest.skipUnless(shutil.which("git"), "no-git")
class Lint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(SCRIPTS, self.root / "scripts", ignore=shutil.ignore_patterns("lab*", "demo"))
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def build(self):
        """Object files and the list of them, as meson leaves both."""
        jobs, build = [], self.root / "out/build"
        build.mkdir(parents=True, exist_ok=True)
        for path in sorted(self.root.glob("src/**/*.c")):
            output = path.relative_to(self.root).as_posix().replace("/", "_") + ".o"
            subprocess.run([*COMPILER, "-fvisibility=hidden", "-I", self.root / "src", "-c", path,
                            "-o", build / output], check=True)
            jobs.append({"directory": str(build), "file": str(path), "output": output})
        (build / "compile_commands.json").write_text(json.dumps(jobs))

    def lint(self, *checks, build=True):
        if build:
            self.build()
        done = subprocess.run([sys.executable, self.root / "scripts/lint", *checks],
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def assert_finds(self, check, *findings):
        code, out = self.lint(check)
        self.assertEqual(code, 1, out)
        self.assertIn(f"{check}: {len(findings)} finding(s)", out)
        for finding in findings:
            self.assertIn(finding, out)

    def test_nothing_is_wrong(self):
        self.assertEqual(self.lint("ranks", "families", "lines", "citations"),
                         (0, "ranks: ok\nfamilies: ok\nlines: ok\ncitations: ok\n"))

    def test_include_of_a_higher_room(self):
        self.write("src/high/high.h", "")
        self.write("src/low/up.c", '#include "high/high.h"\n')
        self.assert_finds("ranks", "src/low/up.c:1: low (rank 0) includes high (rank 1)")

    def test_call_of_a_higher_room(self):
        self.write("src/low/up.c", "int kr_box(void);\nint\nkr_low_up(void)\n{\n"
                   "\treturn kr_box();\n}\n")
        self.assert_finds("ranks", "src/low/up.c -> src/high/attic/box.c: that is no lower room: "
                          "calls kr_box")

    def test_call_of_what_is_no_room(self):
        self.write("src/tool.c", "int\nkr_tool(void)\n{\n\treturn 0;\n}\n")
        self.write("src/low/up.c", "int kr_tool(void);\nint\nkr_low_up(void)\n{\n"
                   "\treturn kr_tool();\n}\n")
        self.assert_finds("ranks", "src/low/up.c -> src/tool.c: that is no lower room")

    def test_without_a_build_calls_are_not_known(self):
        code, out = self.lint("ranks", "families", build=False)
        self.assertEqual((code, out.count("run scripts/build first")), (1, 2), out)

    def test_include_without_a_room(self):
        self.write("tools/tool.c", '#include "low/low.h"\n#include "tool.h"\n')
        self.assert_finds("ranks", 'tools/tool.c:2: include "tool.h" names no room')

    def test_call_up_between_sub_rooms(self):
        self.write("src/high/cellar/rat.c", "int kr_box(void);\nint\nkr_rat(void)\n{\n"
                   "\treturn kr_box();\n}\n")
        self.assert_finds("ranks", "attic isn't below cellar in src/high: calls kr_box")

    def test_include_up_between_sub_rooms(self):
        self.write("src/high/attic/box.h", "")
        self.write("src/high/cellar/rat.c", '#include "high/attic/box.h"\n')
        self.assert_finds("ranks", "attic isn't below cellar in src/high: includes it in line 1")

    def test_folder_without_a_place(self):
        self.write("src/low/hole/hole.c", "")
        self.assert_finds("ranks", "src/low/hole has no place")

    def test_place_without_a_folder(self):
        self.write("src/README.md", RANKS.replace("`attic`", "`attic` < `roof`"))
        self.assert_finds("ranks", "src/high holds no roof")

    def test_family_in_two_rooms(self):
        self.write("src/low/wine.c", "int\nkr_wine_drink(void)\n{\n\treturn 0;\n}\n")
        self.assert_finds("families", "kr_wine_ stands in 2 rooms")

    def test_type_and_function_of_one_name(self):
        self.write("src/low/type.h", "struct kr_low {\n\tint x;\n};\n")
        self.assert_finds("families", "src/low/type.h: kr_low is a type and a function")

    def test_type_of_users_and_generated_function_of_one_name(self):
        self.write("include/low.h", "enum krafla_low {\n\tKRAFLA_LOW,\n};\n")
        self.write("out/build/gen/low.h", "static inline int\nkrafla_low(int x)\n{\n\treturn x;\n}\n")
        self.assert_finds("families", "include/low.h: krafla_low is a type and a function")

    def test_citations_that_lead_nowhere(self):
        self.write("src/low/cites.c", f"/* {REQUIREMENT}2, {ITEM}2, {SENTENCE}2 (DESIGN\n"
                   f" * 9.9), rule 7; {PAGE} */\n")
        self.assert_finds("citations", f"{REQUIREMENT}2 is no row", f"{ITEM}2 is no row",
                          f"{SENTENCE}2 is no row",
                          "no section 9.9", "no rule 7", f"no page {PAGE}")

    def test_mentions_that_lead_nowhere(self):
        self.write("docs/testing.md", "`kr_low` (`src/low/low.c`), `low/low.h`, [a](testing.md)\n")
        self.write("src/low/said.c", "/* low.c, low/low.h, linux/sync_file.h */\n")
        self.assertEqual(self.lint("mentions"), (0, "mentions: ok\n"))
        self.write("docs/testing.md", "`src/low/gone.c` [a](gone)\n`kr_gone`, `kr_wine`\n"
                                      "(`src/low/low.c`)\n```\ndprintf kr_off,\n```\n")
        self.write("src/low/said.c", "/* wine.c,\n * low/off.h */\n")
        self.assert_finds("mentions", "docs/testing.md:1: there is no file src/low/gone.c",
                          "docs/testing.md:1: the link leads nowhere: gone",
                          "docs/testing.md:2: nothing in the code is called kr_gone",
                          "docs/testing.md: nothing in the code is called kr_off",
                          "docs/testing.md: kr_wine isn't in src/low/low.c",
                          "src/low/said.c:1: there is no file wine.c here",
                          "src/low/said.c:2: there is no file low/off.h here")

    def test_programs_of_the_lab(self):
        self.write("tests/lab/list", "# NAME PROGRAM\none tests/one/test_one LAB_FILES=lib/a.so.1,lib/b.so\n")
        self.write("out/build/build.ninja", "build tests/one/test_one: c_LINKER x.o\n"
                   "build lib/a.so.1 | lib/a.so.1.p/a.so.1.symbols: c_LINKER y.o\n"
                   "build lib/b.so: c_LINKER z.o\n")
        self.assertEqual(self.lint("mentions"), (0, "mentions: ok\n"))
        self.write("tests/lab/list", "one tests/test_one LAB_FILES=lib/a.so.1,lib/c.so\n")
        self.assert_finds("mentions", "tests/lab/list:1: nothing builds tests/test_one",
                          "tests/lab/list:1: nothing builds lib/c.so")

    def test_numbers_stand_over_the_case_that_follows(self):
        """A string that holds the beginning of a comment doesn't begin one."""
        page = f"| {{}}1 | a sentence | {{}} | low/test_low.c: `two` |\n"
        self.write("docs/requirements.md", page.format(REQUIREMENT, "done"))
        self.write("docs/loader.md", page.format(ITEM, "a remark"))
        self.write("docs/buffer-queue.md", page.format(SENTENCE, "as there"))
        self.write("tests/low/test_low.c", '#include "harness.h"\n'
                   'static void\none(void **state)\n{\n\tput("low/*");\n}\n'
                   f"/* {REQUIREMENT}1, {ITEM}1, {SENTENCE}1 */\nstatic void\ntwo(void **state)\n{{\n}}\n")
        self.assertEqual(self.lint("checklist"), (0, "checklist: ok\n"))

    def test_long_lines(self):
        self.write("src/low/long.c", "/* " + "x " * 50 + "*/\nconst char *kr_low_said =\n"
                   '\t"' + "a message stays in one piece " * 5 + '";\n')
        self.assert_finds("lines", "src/low/long.c:1: 105 columns")

    def test_quotes_in_a_long_comment_make_no_message(self):
        said = "doesn't " + "x " * 50 + "and can't"
        self.write("src/low/long.c", f"int x; /* {said} */\n")
        self.write("src/low/meson.build", f"# {said}\nlow = 1 # {said}\n")
        self.assert_finds("lines", "src/low/long.c:1: ", "src/low/meson.build:1: ",
                          "src/low/meson.build:2: ")

    def test_names_that_git_quotes(self):
        self.write("src/low/\u00e4 \"b.h", '#include "high/high.h"\n')
        self.assert_finds("ranks", "src/low/\u00e4 \"b.h:1: low (rank 0) includes high (rank 1)")

    def test_circles_are_told(self):
        self.write("scripts/lint.d/structure.json", json.dumps(
            {"total": {"circles": 0, "largest": 0, "%": 0}}))
        for name, other in (("a", "b"), ("b", "a")):
            self.write(f"src/low/{name}.c", f"int kr_low_{other}(void);\nint\nkr_low_{name}(void)\n"
                       f"{{\n\treturn kr_low_{other}();\n}}\n")
        code, out = self.lint("structure")
        self.assertEqual(code, 0)
        self.assertIn("circles 1 (was 0); files in the largest 2 (was 0)", out)
        self.assertIn("src/low: 2 files in circles, were 0: a b", out)


tap.main(sys.modules["__main__"])
