# SPDX-License-Identifier: Apache-2.0
"""Proof that the cases of `krafla check` see what they are for: each wrong driver is found by the
case that its row names, and a right one by none.

test_mutants.py KRAFLA MODULE SOURCE-ROOT TAP-FOLDER
"""
import collections
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
KRAFLA, MODULE, ROOT, TAP = map(pathlib.Path, sys.argv[1:5])
sys.path[:0] = [str(TAP), str(pathlib.Path(__file__).parent)]

import mutants  # noqa: E402
import tap  # noqa: E402

TABLE = mutants.read_table(ROOT / "drivers/null/mutants.h")
CHECKER = mutants.Checker(KRAFLA, MODULE)
LEAST = 60


def without_mutant():
    """{case: why}"""
    lines = (pathlib.Path(__file__).parent / "without_mutant").read_text(encoding="utf-8")
    rows = [line.split("\t", 1) for line in lines.splitlines() if line and line[0] != "#"]
    return dict(rows)


class Table(unittest.TestCase):
    def test_mutants_are_many(self):
        self.assertGreaterEqual(len(TABLE), LEAST)

    def test_rows_are_read(self):
        text = (ROOT / "drivers/null/mutants.h").read_text(encoding="utf-8")
        self.assertEqual(len(TABLE), len(re.findall(r"\bX\(\w+,", text)) - 1)  # the comment's

    def test_no_two_share_a_fault(self):
        for what in ("name", "fault"):
            words = collections.Counter(getattr(mutant, what).lower() for mutant in TABLE)
            self.assertEqual([word for word, count in words.items() if count > 1], [])

    def test_each_has_a_place_of_its_own(self):
        sites = mutants.read_sites(ROOT / "drivers/null")
        self.assertEqual({name: found for name, found in sites.items() if len(found) > 1}, {})
        self.assertEqual(set(sites), {mutant.name for mutant in TABLE})

    def test_requirements_are_there(self):
        page = (ROOT / "docs/requirements.md").read_text(encoding="utf-8")
        known = set(re.findall(r"^\| ([A-Z]-\d\d) \|", page, re.MULTILINE))
        self.assertEqual([mutant for mutant in TABLE
                          if not set(mutant.requirement.split()) <= known], [])

    def test_cases_are_of_the_requirement(self):
        wrong = []
        for mutant in TABLE:
            cases = mutants.matched(CHECKER.cases, mutant.case)
            wrong += [mutant] if not cases else []
            wrong += [(mutant.name, mutant.requirement, case) for case in cases
                      if not set(mutant.requirement.split())
                      & set(CHECKER.cases[case]["requirement"].split())]
        self.assertEqual(wrong, [])


class Proof(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        found = mutants.in_parallel(lambda mutant: CHECKER.kill(mutant, [mutant.case]), TABLE)
        cls.killers = {mutant.name: killers for mutant, (killers, _) in zip(TABLE, found)}
        cls.kinds = {kind for _, kind in found if kind}

    def test_each_mutant_is_found(self):
        self.assertEqual([mutant for mutant in TABLE if not self.killers[mutant.name]], [])

    def test_each_case_finds_one(self):
        finding = {case for killers in self.killers.values() for case in killers}
        without = without_mutant()
        self.assertEqual(sorted(set(CHECKER.cases) - finding - set(without)), [])
        self.assertEqual(sorted(set(without) & finding), [], "they have one now")
        self.assertEqual(sorted(set(without) - set(CHECKER.cases)), [], "there is no such case")

    def test_right_drivers_are_found_by_none(self):
        """Of the kinds in which mutants were found; the others: mutants.py --right."""
        kinds = sorted(self.kinds | {"version=5", "version=8", "version=11,api=1.4"})
        found = mutants.in_parallel(CHECKER.killers, kinds)
        self.assertEqual({kind: killers for kind, killers in zip(kinds, found) if killers}, {})


tap.main(sys.modules["__main__"])
