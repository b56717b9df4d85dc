/* SPDX-License-Identifier: Apache-2.0 */
#include "store_rig.h"
#include "tests/harness/harness.h"
#include <stdio.h>
static void
gives_a_mount(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("p"));
	struct kr_given given = give(generation, false);
	json_t *j = kr_store_inspect(store), *g = kr_generation_inspect(generation);

	json_dumpf(j, stdout, 0);
	json_dumpf(g, stdout, 0);
	puts("");
	json_decref(j);
	json_decref(g);
	assert_int_equal(given.kind, KR_DELIVERY_MOUNT);
	assert_given_holds(&given, 0, "libgood.so", "good");
	assert_given_holds(&given, 1, "share/data.bin", "data");
	kr_given_finish(&given);
	given = give(generation, true);
	assert_int_equal(given.kind, KR_DELIVERY_MEMORY);
	assert_given_holds(&given, 0, "libgood.so", "good");
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}
static const struct kr_test tests[] = {KR_TEST(gives_a_mount)};
KR_TEST_MAIN(tests)
