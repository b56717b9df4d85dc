#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns a corpus file that is kept as text into what a fuzz target reads: from_hex.py IN OUT.
# begins a comment line."""
import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:])
lines = [line for line in source.read_text().splitlines() if not line.startswith("#")]
target.write_bytes(bytes.fromhex(" ".join(lines)))
