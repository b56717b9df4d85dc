/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what is written may be run: asked under each thing that forbids it. */
#include <stdio.h>
#include <string.h>

#include "deny.h"
#include "harness.h"
#include "util/code_memory.h"

/* How many mappings the process has: what was tried must be none of them. */
static int
count_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[512];
	int count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		count++;
	fclose(file);
	return count;
}

/* M-04 */
static void
allowed_here(void **state)
{
	char why[KR_CODE_MEMORY_WHY_SIZE] = "untouched";
	int before;

	assert_false(kr_code_memory_forbidden(why));
	assert_string_equal(why, "untouched");
	before = count_mappings();
	for (int i = 0; i < 100; i++)
		assert_false(kr_code_memory_forbidden(why));
	assert_int_equal(count_mappings(), before);
}

/* M-04 */
static void
forbidden_by_mdwe(void **state)
{
	char why[KR_CODE_MEMORY_WHY_SIZE];
	int before;

	if (!kr_test_deny_code_by_prctl())
		kr_test_skip("no-mdwe", NULL);
	assert_true(kr_code_memory_forbidden(why));
	assert_string_equal(why, "PR_SET_MDWE forbids it to this process");
	before = count_mappings();
	for (int i = 0; i < 100; i++)
		assert_true(kr_code_memory_forbidden(why));
	assert_int_equal(count_mappings(), before);
}

/* M-04: as systemd's MemoryDenyWriteExecute= does it. */
static void
forbidden_by_a_filter(void **state)
{
	char why[KR_CODE_MEMORY_WHY_SIZE];

	kr_test_deny_code_by_filter();
	assert_true(kr_code_memory_forbidden(why));
	assert_non_null(strstr(why, "a seccomp filter of this process refuses it"));
}

static const struct kr_test tests[] = {
	KR_TEST(allowed_here),
	KR_TEST(forbidden_by_mdwe),
	KR_TEST(forbidden_by_a_filter),
};
KR_TEST_MAIN(tests)
