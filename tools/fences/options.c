/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking the options of `krafla fences`. Documented in docs/commands.md. */
#include "tools/fences/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/command/command.h"

#define INTERVAL_MS     200
#define MAX_INTERVAL_MS 3600000
#define MAX_BUDGET_MS   86400000
#define MAX_SAMPLES     1000000000

const char kr_fences_help[] =
	"usage: krafla fences [OPTION]... [PID]...\n\n"
	"Shows the live fences of these processes, or of all that may be inspected: what each is,\n"
	"whose, how old, whether it has signalled, and who holds it. Flags fences that don't signal\n"
	"(late) and descriptors that pile up (leak), and says what it may not see, and why.\n\n"
	"  --watch          look again and again: on a terminal the table is drawn anew,\n"
	"                   elsewhere each new finding is a line\n"
	"  --interval MS    --watch: between two looks (default 200)\n"
	"  --samples N      --watch: end after N looks\n"
	"  --budget MS      a fence that hasn't signalled for so long is late (default 3000)\n"
	"  --json           the same as JSON; with --watch one object a line\n"
	"  -h, --help       this text\n\n"
	"Exits with 0 when nothing is late or leaks, 1 when something is, 2 for a wrong command\n"
	"line, 125 when a process isn't there or can't be inspected.\n";

static int
parse_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end = NULL;

	errno = 0;
	if (isdigit((unsigned char)text[0]))
		*number = strtoull(text, &end, 10);
	if (!end || *end || errno || *number < min || *number > max)
		return kr_usage_error("fences", "%s wants a number from %llu to %llu, not '%s'",
			option, (unsigned long long)min, (unsigned long long)max, text);
	return 0;
}

static int
parse_option(int c, char **argv, struct kr_fences_options *options)
{
	switch (c) {
	case 'w':
		options->watch = true;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'i':
		return parse_number(
			"--interval", optarg, 10, MAX_INTERVAL_MS, &options->interval_ms);
	case 's':
		return parse_number("--samples", optarg, 1, MAX_SAMPLES, &options->samples);
	case 'b':
		return parse_number("--budget", optarg, 0, MAX_BUDGET_MS, &options->budget_ms);
	default:
		return kr_option_error("fences", c, argv);
	}
}

static int
parse_pids(int argc, char **argv, struct kr_fences_options *options)
{
	options->pids = calloc((size_t)(argc - optind) + 1, sizeof(*options->pids));
	if (!options->pids)
		return KR_EXIT_FAILURE;
	for (int i = optind; i < argc; i++) {
		uint64_t pid;
		int ret = parse_number("a process", argv[i], 1, INT_MAX, &pid);

		if (ret)
			return ret;
		options->pids[options->pid_count++] = (pid_t)pid;
	}
	return 0;
}

int
kr_fences_options_parse(int argc, char **argv, struct kr_fences_options *options)
{
	static const struct option long_options[] = {
		{"watch", no_argument, NULL, 'w'},
		{"json", no_argument, NULL, 'j'},
		{"interval", required_argument, NULL, 'i'},
		{"samples", required_argument, NULL, 's'},
		{"budget", required_argument, NULL, 'b'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c, ret = 0;

	opterr = 0;
	while (!ret && (c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(kr_fences_help, stdout);
			return KR_EXIT_OK;
		}
		ret = parse_option(c, argv, options);
	}
	if (!ret)
		ret = parse_pids(argc, argv, options);
	if (!ret && !options->watch && (options->interval_ms || options->samples))
		ret = kr_usage_error("fences", "--interval and --samples go with --watch");
	if (!options->interval_ms)
		options->interval_ms = INTERVAL_MS;
	return ret ? ret : -1;
}
