# SPDX-License-Identifier: Apache-2.0
"""Writes so many bytes that a seed decides: random_bytes.py SEED SIZE FILE."""
import random
import sys

seed, size, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
chance = random.Random(seed)
with open(path, "wb") as file:
    # The first byte of fuzz_composer.c's input picks how it is run: each way in turn.
    file.write(bytes([seed]) + bytes(chance.randrange(256) for _ in range(size - 1)))
