/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map, against a plain array that says what it must hold. */
#include "harness.h"

#include "util/hash.h"

#define KEYS 512

static void
puts_gets_and_takes(void **state)
{
	struct kr_hash hash;
	int a, b;

	kr_hash_init(&hash);
	assert_null(kr_hash_get(&hash, 1));
	assert_null(kr_hash_take(&hash, 1));
	assert_int_equal(kr_hash_put(&hash, 0, &a), 0);
	assert_int_equal(kr_hash_put(&hash, UINT64_MAX, &b), 0);
	assert_ptr_equal(kr_hash_get(&hash, 0), &a);
	assert_ptr_equal(kr_hash_get(&hash, UINT64_MAX), &b);
	assert_int_equal(kr_hash_put(&hash, 0, &b), 0);
	assert_ptr_equal(kr_hash_get(&hash, 0), &b);
	assert_int_equal(hash.count, 2);
	assert_ptr_equal(kr_hash_take(&hash, 0), &b);
	assert_null(kr_hash_get(&hash, 0));
	assert_int_equal(hash.count, 1);
	kr_hash_finish(&hash);
}

/* Random puts and takes; keys close together and far apart, so that runs of slots form and wrap. */
static void
agrees_with_a_model(void **state)
{
	void *model[KEYS] = {0};
	uint32_t random = 12345;
	struct kr_hash hash;

	kr_hash_init(&hash);
	for (int i = 0; i < 200000; i++) {
		size_t key;
		uint64_t wide;

		random = random * 1664525u + 1013904223u;
		key = (random >> 8) % KEYS;
		wide = key % 2 ? key : (uint64_t)key << 36;
		assert_ptr_equal(kr_hash_get(&hash, wide), model[key]);
		if (random >> 31) {
			model[key] = &model[(random >> 4) % KEYS];
			assert_int_equal(kr_hash_put(&hash, wide, model[key]), 0);
		} else {
			assert_ptr_equal(kr_hash_take(&hash, wide), model[key]);
			model[key] = NULL;
		}
	}
	for (size_t key = 0; key < KEYS; key++)
		assert_ptr_equal(
			kr_hash_get(&hash, key % 2 ? key : (uint64_t)key << 36), model[key]);
	kr_hash_finish(&hash);
}

/* The generator computes the same (gen/), so the values are pinned. */
static const struct kr_test tests[] = {
	KR_TEST(puts_gets_and_takes),
	KR_TEST(agrees_with_a_model),
};

KR_TEST_MAIN(tests)
