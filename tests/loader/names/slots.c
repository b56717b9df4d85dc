/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assembly of src/loader/names/unknown_slots.S alone: each slot finds its own function, each
 * argument comes through, also when the function is looked for first by code that uses every
 * register. A program of its own, without the harness, so that it can be built for other machines
 * and run under an emulator.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "loader/handles/unknown_layout.h"

#if KR_UNKNOWN_SLOT_SIZE
typedef void (*function)(void);
typedef double (*sum_fn)(void *object, int64_t a, float b, const int64_t *c, double d, int e, int f,
	int g, float h, double i, float j, double k, float l, double m, float n, int8_t o,
	int64_t p);

struct owner {
	function unknown[KR_UNKNOWN_SLOTS];
	uint64_t table[1];
};
struct object {
	void *table;
	void *handle;
	void *driver;
};

extern const char kr_unknown_slots[], kr_unknown_terminators[];
function kr_unknown_resolve(const void *object, uint32_t index);
function kr_unknown_resolve_below(const void *object, uint32_t index);

static struct owner top, driver;
static const void *seen;
static uint32_t resolved, seen_index;

#define SUM(number)                                                                                \
	static double sum##number(void *object, int64_t a, float b, const int64_t *pc, double d,   \
		int e, int f, int g, float h, double i, float j, double k, float l, double m,      \
		float n, int8_t o, int64_t p)                                                      \
	{                                                                                          \
		seen = object;                                                                     \
		return (double)a + b + (double)*pc + d + e + f + g + h + i + j + k + l + m + n +   \
			o + (double)p + 0.125 * number;                                            \
	}
SUM(0)
SUM(1)

static void
use_all_registers(void)
{
#if defined(__x86_64__)
	__asm__ volatile("" ::
				 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			 "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
	__asm__ volatile("xor %%ecx, %%ecx; xor %%edx, %%edx; xor %%esi, %%esi; xor %%edi, %%edi;"
			 "xor %%r8d, %%r8d; xor %%r9d, %%r9d; xor %%r10d, %%r10d;"
			 "xorps %%xmm0, %%xmm0; xorps %%xmm1, %%xmm1; xorps %%xmm2, %%xmm2;"
			 "xorps %%xmm3, %%xmm3; xorps %%xmm4, %%xmm4; xorps %%xmm5, %%xmm5;"
			 "xorps %%xmm6, %%xmm6; xorps %%xmm7, %%xmm7" ::
				 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "xmm0", "xmm1",
			 "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#else
	__asm__ volatile("mov x1, #0; mov x2, #0; mov x3, #0; mov x4, #0; mov x5, #0; mov x6, #0;"
			 "mov x7, #0; mov x8, #0; mov x16, #0; mov x17, #0;"
			 "movi v0.16b, #0; movi v1.16b, #0; movi v2.16b, #0; movi v3.16b, #0;"
			 "movi v4.16b, #0; movi v5.16b, #0; movi v6.16b, #0; movi v7.16b, #0" ::
				 : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x16", "x17",
			 "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
#endif
}

function
kr_unknown_resolve(const void *object, uint32_t index)
{
	struct owner *owner =
		(struct owner *)((char *)*(void *const *)object - offsetof(struct owner, table));

	resolved++;
	seen_index = index;
	owner->unknown[index] = (function)(index % 2 ? sum1 : sum0);
	use_all_registers();
	return owner->unknown[index];
}

function
kr_unknown_resolve_below(const void *object, uint32_t index)
{
	(void)object;
	resolved++;
	seen_index = index;
	driver.unknown[index] = (function)(index % 2 ? sum1 : sum0);
	use_all_registers();
	return (function)(uintptr_t)(kr_unknown_terminators + KR_UNKNOWN_TERMINATOR_SIZE * index);
}

static int
check(const char *slots, size_t size, uint32_t index, struct object *object, const void *expected)
{
	static const int64_t third = 1 << 16;
	uintptr_t address = (uintptr_t)slots + size * index;
	sum_fn sum = (sum_fn)address;

	for (int i = 0; i < 2; i++) {
		double result = sum(object, INT64_C(1) << 40, 1.5f, &third, 0.25, 2, 4, 8, 16.0f,
			32.0, 64.0f, 128.0, 256.0f, 512.0, 1024.0f, -1, 4096);

		if (result !=
				1099511627776.0 + 65536 + 14 - 1 + 4096 + 1.75 + 2032 +
					0.125 * (index % 2) ||
			seen != expected || seen_index != index)
			return printf("# slot %u, call %d\n", index, i);
	}
	return 0;
}

int
main(void)
{
	struct object object = {top.table, &seen, driver.table};
	int failed = 0;

	for (uint32_t i = 0; i < KR_UNKNOWN_SLOTS; i++) {
		failed |= check(kr_unknown_slots, KR_UNKNOWN_SLOT_SIZE, i, &object, &object);
		failed |= check(
			kr_unknown_terminators, KR_UNKNOWN_TERMINATOR_SIZE, i, &object, &seen);
	}
	/* Once each. */
	failed |= resolved != 2 * KR_UNKNOWN_SLOTS;
	printf("1..1\n%sok 1 - slots\n", failed ? "not " : "");
	return failed != 0;
}
#else
int
main(void)
{
	puts("1..1\nok 1 - slots # SKIP no-slots this machine has none");
	return 0;
}
#endif
