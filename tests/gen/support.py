# SPDX-License-Identifier: Apache-2.0
"""What the generator's tests share: where things are, the command line, running the generator."""

import argparse
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GENERATE = os.path.join(ROOT, "gen", "generate.py")
REACH = os.path.join(ROOT, "gen", "handle_reach.txt")
sys.path.insert(1, os.path.join(ROOT, "gen"))


def _parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--registry", required=True)
    parser.add_argument("--newest", required=True)
    parser.add_argument("--headers", default="")
    parser.add_argument("--build-root", required=True)
    parser.add_argument("--trampoline-args", default="", type=str.split)
    parser.add_argument("--link-args", default="", type=str.split)
    parser.add_argument("cc", nargs="+")
    return parser.parse_args()


options = _parse()


def generate(kind, registry, output, reach=REACH):
    files = ("--registry", registry, "--reach", reach, "-o", output)
    return run(sys.executable, GENERATE, kind, *files, check=False)


def run(*command, check=True):
    return subprocess.run(command, capture_output=True, text=True, check=check)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()
