# SPDX-License-Identifier: Apache-2.0
"""unittest with TAP for output."""

import sys
import traceback
import unittest


class _Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.count = 0

    def _line(self, word, test, rest=""):
        self.count += 1
        print(f"{word} {self.count} - {test.id().replace('__main__.', '')}{rest}", flush=True)

    def _failed(self, test, err):
        self._line("not ok", test)
        for line in "".join(traceback.format_exception(*err)).splitlines():
            print(f"# {line}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._line("ok", test)

    def addError(self, test, err):
        super().addError(test, err)
        self._failed(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._failed(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._failed(subtest, err)

    def addSkip(self, test, reason):
        """`reason` is an id of tests/skip-reasons."""
        super().addSkip(test, reason)
        self._line("ok", test, f" # SKIP {reason}")


def main(module):
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = _Result()
    suite.run(result)
    print(f"1..{result.count}", flush=True)
    sys.exit(0 if result.wasSuccessful() else 1)
