/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without a fuzzer: every file given, and mutations of them from a fixed seed,
 * so that a failure comes again. `KRAFLA_FUZZ_ROUNDS` mutations a file (default 20000); without
 * `KRAFLA_TEST_ALL`, one in `KRAFLA_FUZZ_SHARE` of them, which the build says.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INPUT 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t random_state = 0x9e3779b97f4a7c15u;

/* xorshift64* */
static uint32_t
next_random(uint32_t below)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 0x2545f4914f6cdd1du) >> 32) % below;
}

static size_t
mutate_once(uint8_t *data, size_t size)
{
	size_t at = size ? next_random((uint32_t)size) : 0, len;

	switch (next_random(6)) {
	case 0: /* another byte */
		if (size)
			data[at] = (uint8_t)next_random(256);
		return size;
	case 1: /* a flipped bit */
		if (size)
			data[at] ^= (uint8_t)(1u << next_random(8));
		return size;
	case 2: /* cut short */
		return at;
	case 3: /* a hole */
		len = size ? next_random((uint32_t)(size - at)) : 0;
		memmove(data + at, data + at + len, size - at - len);
		return size - len;
	case 4: /* an insertion */
		if (size == MAX_INPUT)
			return size;
		memmove(data + at + 1, data + at, size - at);
		data[at] = (uint8_t)next_random(256);
		return size + 1;
	default: /* a part twice */
		len = size ? next_random((uint32_t)(size - at)) : 0;
		if (size + len > MAX_INPUT)
			return size;
		memmove(data + at + len, data + at, size - at);
		return size + len;
	}
}

/* A copy of exactly the size, so that a sanitizer sees each byte that is read beyond it. */
static void
run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static size_t
read_input(const char *path, uint8_t *data)
{
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file) {
		printf("Bail out! %s can't be read\n", path);
		exit(1);
	}
	size = fread(data, 1, MAX_INPUT, file);
	fclose(file);
	return size;
}

int
main(int argc, char **argv)
{
	static uint8_t seed[MAX_INPUT], data[MAX_INPUT];
	const char *text = getenv("KRAFLA_FUZZ_ROUNDS");
	const char *share = getenv("KRAFLA_TEST_ALL") ? NULL : getenv("KRAFLA_FUZZ_SHARE");
	unsigned long rounds = text ? strtoul(text, NULL, 10) : 20000;

	if (share)
		rounds /= strtoul(share, NULL, 10);
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		size_t size = read_input(argv[i], seed);
		const char *slash = strrchr(argv[i], '/');

		run(seed, size);
		for (unsigned long round = 0; round < rounds; round++) {
			size_t len = size;

			memcpy(data, seed, size);
			for (uint32_t n = next_random(4) + 1; n; n--)
				len = mutate_once(data, len);
			run(data, len);
		}
		printf("ok %d - %s\n", i, slash ? slash + 1 : argv[i]);
		fflush(stdout);
	}
	return argc < 2;
}
