# SPDX-License-Identifier: Apache-2.0
"""The lookup tables that gen/name_hash.h searches; the hash is the same as there."""

import emit

INDEX_BITS = 12
_FACTOR = 0x9E3779B97F4A7C15
_MASK64 = (1 << 64) - 1


def hash_of(name):
    data = name.encode()
    h = len(data)
    whole = len(data) // 8 * 8
    for start in range(0, whole, 8):
        h = (h ^ int.from_bytes(data[start : start + 8], "little")) * _FACTOR & _MASK64
        h ^= h >> 32
    h = (h ^ int.from_bytes(data[whole:], "little")) * _FACTOR & _MASK64
    return (h ^ h >> 32) & 0xFFFFFFFF


def table(names):
    """The slots for names, whose order is their index; at most a third of them used."""
    if len(names) >= (1 << INDEX_BITS) - 1:
        raise ValueError(f"{len(names)} names don't fit the {INDEX_BITS} bits of an index")
    size = 1
    while size < 3 * len(names):
        size *= 2
    slots = [0] * size
    for index, name in enumerate(names):
        h = hash_of(name)
        slot = h & (size - 1)
        while slots[slot]:
            slot = (slot + 1) & (size - 1)
        slots[slot] = (h >> INDEX_BITS << INDEX_BITS) | (index + 1)
    return slots


def emit_table(names):
    slots = table(names)
    body = emit.packed(f"{slot:#x}" if slot else "0" for slot in slots)
    return f"static const uint32_t slots[{len(slots)}] = {{\n{body}}};\n"


def emit_find(names, declaration, found, none):
    """The lookup function itself; `found` and `none` are what it returns (index is `i`)."""
    name_of = {"commands": "kr_commands[i].name", "extensions": "kr_extensions[i].name"}
    return f"""{declaration}
{{
	uint32_t hash = kr_name_hash(name), slot = hash;
	int i;

	while ((i = kr_name_probe(slots, {len(table(names)) - 1}, hash, &slot)) >= 0) {{
		if (strcmp({name_of[found[0]]}, name) == 0)
			return {found[1]};
	}}
	return {none};
}}
"""
