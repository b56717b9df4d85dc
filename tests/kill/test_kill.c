/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Never a hang (DESIGN rule 7): the scenarios for a few seconds each as test cases, or at length:
 *
 *   test_kill --scenario fences|timelines|display [--seed N] [--rounds N] [--seconds N]
 *
 * Without --rounds and --seconds that is 10,000 rounds or five minutes, whichever comes first.
 */
#include "kill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define CI_SECONDS   5
#define LONG_ROUNDS  10000
#define LONG_SECONDS 300

static const struct kill_scenario *const scenarios[] = {
	&kill_fences, &kill_timelines, &kill_display};

static struct kill_options options = {
	.rounds = LONG_ROUNDS,
	.seconds = LONG_SECONDS,
};
static const struct kill_scenario *chosen;

static void
run_shortly(const struct kill_scenario *scenario)
{
	const struct kill_options few = {
		.seed = (uint64_t)kr_clock_now(), .rounds = LONG_ROUNDS, .seconds = CI_SECONDS};

	assert_true(kill_run(scenario, &few));
}

/* S-03, S-04, S-06: each fence ends, signalled or in error, and rightly so. */
static void
fences(void **state)
{
	run_shortly(&kill_fences);
}

/* S-01, S-02: the points of a timeline end with it, or with its owner. */
static void
timelines(void **state)
{
	run_shortly(&kill_timelines);
}

/* W-06, H-01: a display and its applications outlive each other. */
static void
display(void **state)
{
	run_shortly(&kill_display);
}

static void
at_length(void **state)
{
	assert_true(kill_run(chosen, &options));
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(fences, 0, 60),
	KR_TEST_SLOW(timelines, 0, 60),
	KR_TEST_SLOW(display, 0, 60),
};

static int
usage(void)
{
	fputs("usage: test_kill --scenario NAME [--seed N] [--rounds N] [--seconds N]\n", stderr);
	return 2;
}

/* The value of an option, or NULL when it isn't this one. */
static const char *
value_of(char **argv, int i, const char *name)
{
	return strcmp(argv[i], name) ? NULL : argv[i + 1];
}

static bool
parse(int argc, char **argv)
{
	const char *value;

	options.seed = (uint64_t)kr_clock_now();
	for (int i = 1; i + 1 < argc; i += 2) {
		if ((value = value_of(argv, i, "--scenario"))) {
			for (size_t k = 0; k < KR_ARRAY_LEN(scenarios); k++)
				chosen = strcmp(scenarios[k]->name, value) ? chosen : scenarios[k];
		} else if ((value = value_of(argv, i, "--seed"))) {
			options.seed = strtoull(value, NULL, 10);
		} else if ((value = value_of(argv, i, "--rounds"))) {
			options.rounds = strtoull(value, NULL, 10);
		} else if ((value = value_of(argv, i, "--seconds"))) {
			options.seconds = (unsigned)strtoul(value, NULL, 10);
		} else {
			return false;
		}
	}
	return argc % 2 == 1 && chosen;
}

int
main(int argc, char **argv)
{
	struct kr_test one = KR_TEST_SLOW(at_length, 0, 0);

	kill_main_of_executed(argc, argv);
	if (argc < 2 || strncmp(argv[1], "--", 2))
		return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
	if (!parse(argc, argv))
		return usage();
	one.timeout_s = options.seconds + 120;
	return kr_test_main(1, argv, &one, 1);
}
