/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a program with scenarios: see kill_main. */
#include "kill.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define SHORT_SECONDS 5
#define LONG_ROUNDS   10000
#define LONG_SECONDS  300
#define MAX_SECONDS   86400

static struct kill_options options = {
	.rounds = LONG_ROUNDS,
	.seconds = LONG_SECONDS,
};
static const struct kill_scenario *chosen;

bool
kill_shortly(const struct kill_scenario *scenario)
{
	const struct kill_options few = {
		.seed = (uint64_t)kr_clock_now(), .rounds = LONG_ROUNDS, .seconds = SHORT_SECONDS};

	return kill_run(scenario, &few);
}

static void
at_length(void **state)
{
	assert_true(kill_run(chosen, &options));
}

static int
usage(const struct kill_scenario *const *scenarios, size_t count)
{
	fputs("usage: --scenario NAME [--seed N] [--rounds N] [--seconds N]\nscenarios:", stderr);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, " %s", scenarios[i]->name);
	fputc('\n', stderr);
	return 2;
}

static bool
parse_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return isdigit((unsigned char)text[0]) && !*end && !errno && *number <= max;
}

static bool
parse_option(const char *name, const char *value, const struct kill_scenario *const *scenarios,
	size_t count)
{
	uint64_t seconds;

	if (!strcmp(name, "--scenario")) {
		for (size_t i = 0; i < count; i++)
			chosen = strcmp(scenarios[i]->name, value) ? chosen : scenarios[i];
		return chosen && !strcmp(chosen->name, value);
	}
	if (!strcmp(name, "--seed"))
		return parse_number(value, UINT64_MAX, &options.seed);
	if (!strcmp(name, "--rounds"))
		return parse_number(value, UINT64_MAX, &options.rounds);
	if (strcmp(name, "--seconds") || !parse_number(value, MAX_SECONDS, &seconds))
		return false;
	options.seconds = (unsigned)seconds;
	return true;
}

int
kill_main(int argc, char **argv, const struct kill_scenario *const *scenarios,
	size_t scenario_count, const struct kr_test *tests, size_t test_count)
{
	struct kr_test one = KR_TEST_SLOW(at_length, 0, 0);

	kill_main_of_executed(argc, argv);
	if (argc < 2 || strncmp(argv[1], "--", 2) != 0)
		return kr_test_main(argc, argv, tests, test_count);
	options.seed = (uint64_t)kr_clock_now();
	for (int i = 1; i < argc; i += 2) {
		if (i + 1 == argc || !parse_option(argv[i], argv[i + 1], scenarios, scenario_count))
			return usage(scenarios, scenario_count);
	}
	if (!chosen)
		return usage(scenarios, scenario_count);
	one.timeout_s = options.seconds + 120;
	return kr_test_main(1, argv, &one, 1);
}
