/* SPDX-License-Identifier: Apache-2.0 */
/* Never a hang (DESIGN rule 7): fences, timelines and displays outlive whoever dies. */
#include "harness.h"
#include "scenarios.h"

static const struct kill_scenario *const scenarios[] = {
	&kill_fences, &kill_timelines, &kill_display, &kill_composer};

/* S-03, S-04, S-06: each fence ends, signalled or in error, and rightly so. */
static void
fences(void **state)
{
	assert_true(kill_shortly(&kill_fences));
}

/* S-02, S-05: the points of a timeline end with it, or with its owner. */
static void
timelines(void **state)
{
	assert_true(kill_shortly(&kill_timelines));
}

/* S-05: a display and its applications outlive each other, and each release fence ends. */
static void
display(void **state)
{
	assert_true(kill_shortly(&kill_display));
}

/* krafla run, the programs in it and its outputs' servers outlive each other. */
static void
composer(void **state)
{
	assert_true(kill_shortly(&kill_composer));
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(fences, 0, 60),
	KR_TEST_SLOW(timelines, 0, 60),
	KR_TEST_SLOW(display, 0, 60),
	KR_TEST_SLOW(composer, 0, 90),
};

int
main(int argc, char **argv)
{
	return kill_main(
		argc, argv, scenarios, KR_ARRAY_LEN(scenarios), tests, KR_ARRAY_LEN(tests));
}
