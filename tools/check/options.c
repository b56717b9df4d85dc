/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking the options of `krafla check`. Documented in docs/check.md. */
#include "tools/check/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "check/run/run.h"
#include "tools/command/command.h"
#include "util/clock.h"
#include "util/text.h"

#define NAME     "check"
#define OWN_JOBS 8 /* more would fill a card with devices */
#define MAX_TIME 86400

const char kr_check_help[] =
	"usage: krafla check [OPTION]... [DRIVER]\n"
	"       krafla check --list [--json] [--filter GLOB]...\n\n"
	"Checks a driver against the contract between a Vulkan platform and its drivers, a case\n"
	"after the other, each in a process of its own. DRIVER is a HAL module (vulkan.NAME.so) or\n"
	"the manifest of a Linux driver (NAME.json), which is checked through Krafla's adapter.\n"
	"Without one, all that this machine has are checked, one after the other.\n\n"
	"      --filter GLOB   only the cases whose names it fits; several fit what any of them does\n"
	"      --device N      the driver's device number N (default 0)\n"
	"      --jobs N        so many cases at a time (default: one a processor, 8 at most)\n"
	"      --timeout S     a case may take S seconds (default 10, or what it says itself)\n"
	"      --seed N        chance as it was in the run that printed N\n"
	"      --json          what came of it as JSON\n"
	"      --tap           ... in the Test Anything Protocol\n"
	"      --junit FILE    beside that, as JUnit's XML, in a file\n"
	"      --list          only say which cases there are\n"
	"  -h, --help          this text\n\n"
	"Exits with 0 when all holds that must hold, 1 when a case failed, 2 for a wrong command\n"
	"line, 3 when there is no such driver or it can't be loaded, 125 when krafla itself failed\n"
	"(no process, no room for the answer).\n";

enum word { FILTER = 256, DEVICE, JOBS, TIMEOUT, SEED, JSON, TAP, JUNIT, LIST };

static int
parse_number(const char *option, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end = NULL;

	errno = 0;
	if (isdigit((unsigned char)optarg[0]))
		*number = strtoull(optarg, &end, 10);
	if (!end || *end || errno || *number < min || *number > max)
		return kr_usage_error(NAME, "%s wants a number from %llu to %llu, not '%s'", option,
			(unsigned long long)min, (unsigned long long)max, optarg);
	return -1;
}

static int
parse_filter(struct kr_check_options *options)
{
	if (!check_filter_fits(optarg))
		return kr_usage_error(
			NAME, "--filter '%s' fits no case: --list says which there are", optarg);
	options->filters[options->filter_count++] = optarg;
	return -1;
}

static int
parse_option(int c, char **argv, struct kr_check_options *options)
{
	switch (c) {
	case FILTER:
		return parse_filter(options);
	case DEVICE:
		return parse_number("--device", 0, CHECK_MAX_PHYSICAL - 1, &options->device);
	case JOBS:
		return parse_number("--jobs", 1, CHECK_MOST_JOBS, &options->jobs);
	case TIMEOUT:
		return parse_number("--timeout", 1, MAX_TIME, &options->timeout_s);
	case SEED:
		return parse_number("--seed", 0, UINT64_MAX, &options->seed);
	case JSON:
		options->json = true;
		return -1;
	case TAP:
		options->tap = true;
		return -1;
	case JUNIT:
		options->junit = optarg;
		return -1;
	case LIST:
		options->list = true;
		return -1;
	case 'h':
		fputs(kr_check_help, stdout);
		return KR_EXIT_OK;
	default:
		return kr_option_error(NAME, c, argv);
	}
}

/* A file, though dlopen would look for a bare name elsewhere. */
static int
take_driver(const char *path, struct kr_check_options *options)
{
	if (!path)
		return -1;
	options->driver = kr_asprintf("%s%s", strchr(path, '/') ? "" : "./", path);
	if (options->driver)
		return -1;
	kr_complain(NAME, "out of memory");
	return KR_EXIT_FAILURE;
}

static int
check_together(int argc, char **argv, struct kr_check_options *options)
{
	if (argc - optind > 1)
		return kr_usage_error(NAME,
			"'%s' is one driver too many: one at a time, or none for all",
			argv[optind + 1]);
	if (argv[optind] && !argv[optind][0])
		return kr_usage_error(NAME, "the driver's name is empty");
	if (options->json && options->tap)
		return kr_usage_error(NAME, "--json and --tap both want standard output");
	if (options->list && (options->tap || options->junit))
		return kr_usage_error(NAME, "--list runs nothing: there is no result for %s",
			options->tap ? "--tap" : "--junit");
	if (options->junit && !options->junit[0])
		return kr_usage_error(NAME, "--junit wants the name of a file");
	return take_driver(argv[optind], options);
}

static void
set_defaults(struct kr_check_options *options)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t chance = 0;

	options->jobs = processors > 0 ? KR_MIN((uint64_t)processors, (uint64_t)OWN_JOBS) : 1;
	/* 32 bits: it is to be typed. */
	if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
		chance = (uint32_t)kr_clock_now();
	options->seed = chance;
}

int
kr_check_options_parse(int argc, char **argv, struct kr_check_options *options)
{
	static const struct option long_options[] = {
		{"filter", required_argument, NULL, FILTER},
		{"device", required_argument, NULL, DEVICE},
		{"jobs", required_argument, NULL, JOBS},
		{"timeout", required_argument, NULL, TIMEOUT},
		{"seed", required_argument, NULL, SEED},
		{"json", no_argument, NULL, JSON},
		{"tap", no_argument, NULL, TAP},
		{"junit", required_argument, NULL, JUNIT},
		{"list", no_argument, NULL, LIST},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c, ret = -1;

	*options = (struct kr_check_options){0};
	options->filters = calloc((size_t)argc, sizeof(*options->filters));
	if (!options->filters) {
		kr_complain(NAME, "out of memory");
		return KR_EXIT_FAILURE;
	}
	set_defaults(options);
	opterr = 0;
	while (ret < 0 && (c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1)
		ret = parse_option(c, argv, options);
	return ret < 0 ? check_together(argc, argv, options) : ret;
}

void
kr_check_options_finish(struct kr_check_options *options)
{
	free(options->filters);
	free(options->driver);
}
