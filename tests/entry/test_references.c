/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls by name: real calls of this program, and bytes that only look like one. */

#include "entry/references.h"
#include "harness.h"

/* In the test's library of functions: says whether it was called by that name. */
bool called_by_name(const char *name);

static void
calls_of_this_program(void **state)
{
	bool (*volatile pointer)(const char *) = called_by_name;

	assert_true(called_by_name("called_by_name"));
	assert_false(called_by_name("no_such_name"));
#ifdef __x86_64__
	assert_false(pointer("called_by_name"));
#endif
}

/*
 * The two bytes of call *%rax behind one that looks like a near call: what that would
 * call isn't mapped.
 */
static void
bytes_that_look_like_a_call(void **state)
{
	static const uint8_t bytes[64] = {[40] = 0xe8, 0x90, 0x90, 0xff, 0xd0};
	static const uint8_t forward[64] = {[40] = 0xe8, 0xff, 0xff, 0xff, 0x7f};
	static const uint8_t first[64] = {0};

	assert_false(kr_call_is_by_name(bytes + 45, "no_such_name"));
#ifdef __x86_64__
	assert_false(kr_call_is_by_name(bytes + 45, "called_by_name"));
	assert_false(kr_call_is_by_name(forward + 45, "called_by_name"));
	assert_false(kr_call_is_by_name(first + 6, "called_by_name"));
#endif
}

/* What belongs to no library has no names. */
static void
code_of_nobody(void **state)
{
	uint8_t bytes[64] = {0};

	assert_false(kr_call_is_by_name(bytes + 32, "called_by_name"));
	assert_false(kr_call_is_by_name(NULL, "called_by_name"));
}

static const struct kr_test tests[] = {
	KR_TEST(calls_of_this_program),
	KR_TEST(bytes_that_look_like_a_call),
	KR_TEST(code_of_nobody),
};

KR_TEST_MAIN(tests)
