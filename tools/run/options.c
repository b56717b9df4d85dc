/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the options of `krafla run`. Documented in docs/commands.md. */
#include "tools/run/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "colour/space.h"
#include "manifest/profile.h"
#include "tools/command/command.h"
#include "tools/command/place_option.h"
#include "tools/run/shell_words.h"
#include "util/clock.h"

#define SIZE_MAX_PIXELS 16384
#define REFRESH_MAX_HZ  1000
#define IDLE_MAX_MS     3600000
#define MHZ_PER_HZ      1000

/* Decimal digits, no sign or space, from 1 to max; *at is behind them then. */
static bool
read_number(const char **at, uint64_t max, uint64_t *number)
{
	char *end;
	unsigned long long value;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	value = strtoull(*at, &end, 10);
	if (errno || value == 0 || value > max)
		return false;
	*at = end;
	*number = value;
	return true;
}

/* Hertz with up to three decimals. */
static bool
read_refresh(const char **at, uint32_t *refresh_mhz)
{
	uint32_t scale = MHZ_PER_HZ;
	uint64_t hertz;

	if (!read_number(at, REFRESH_MAX_HZ, &hertz))
		return false;
	*refresh_mhz = (uint32_t)hertz * MHZ_PER_HZ;
	if (**at != '.')
		return true;
	++*at;
	while (isdigit((unsigned char)**at) && scale > 1) {
		scale /= 10;
		*refresh_mhz += scale * (uint32_t)(*(*at)++ - '0');
	}
	return true;
}

/* One and more, with commas between them. How many; 0: they aren't that, or are too many. */
static unsigned
read_rates(const char **at, uint32_t rates[KR_DISPLAY_MAX_RATES])
{
	unsigned count = 0;

	do {
		if (count == KR_DISPLAY_MAX_RATES || !read_refresh(at, &rates[count++]))
			return 0;
	} while (**at == ',' && ++*at);
	return count;
}

static int
parse_rates(const char **at, const char *text, struct kr_run_options *options)
{
	uint32_t rates[KR_DISPLAY_MAX_RATES] = {0};
	unsigned count = read_rates(at, rates);

	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < i; j++) {
			if (rates[j] == rates[i])
				return kr_usage_error("run",
					"--display has the rate %g twice: '%s'",
					(double)rates[i] / MHZ_PER_HZ, text);
		}
	}
	options->refresh_mhz = count ? rates[0] : 0;
	options->other_count = count ? count - 1 : 0;
	memcpy(options->other_mhz, rates + 1, sizeof(options->other_mhz));
	return 0;
}

static int
parse_display(const char *text, struct kr_run_options *options)
{
	uint64_t width, height;
	const char *at = text;
	bool ok = read_number(&at, SIZE_MAX_PIXELS, &width) && *at++ == 'x' &&
		read_number(&at, SIZE_MAX_PIXELS, &height);

	if (ok && *at == '@') {
		int code;

		at++;
		code = parse_rates(&at, text, options);
		if (code)
			return code;
		ok = options->refresh_mhz;
	}
	if (!ok || *at)
		return kr_usage_error("run",
			"--display wants WIDTHxHEIGHT or WIDTHxHEIGHT@HZ[,HZ...] (up to %dx%d@%d, %d rates), not '%s'",
			SIZE_MAX_PIXELS, SIZE_MAX_PIXELS, REFRESH_MAX_HZ, KR_DISPLAY_MAX_RATES,
			text);
	options->width = (uint32_t)width;
	options->height = (uint32_t)height;
	options->size_given = true;
	return 0;
}

const char *
kr_run_rates_text(const struct kr_run_options *options, char text[KR_RUN_RATES_TEXT])
{
	size_t at = (size_t)snprintf(
		text, KR_RUN_RATES_TEXT, "%.7g", (double)options->refresh_mhz / MHZ_PER_HZ);

	for (unsigned i = 0; i < options->other_count; i++)
		at += (size_t)snprintf(text + at, KR_RUN_RATES_TEXT - at, ",%.7g",
			(double)options->other_mhz[i] / MHZ_PER_HZ);
	return text;
}

static int
parse_colour(const char *text, struct kr_run_options *options)
{
	options->colour_given = true;
	if (kr_colour_from_name(text, &options->dataspace))
		return 0;
	return kr_usage_error("run",
		"--display-colour is 'srgb', 'p3', 'bt2020-pq', 'bt2020-hlg' or 'scrgb', not '%s'",
		text);
}

static int
parse_device(const char *text, struct kr_run_options *options)
{
	const char *seed = strncmp(text, "random:", 7) == 0 ? text + 7 : NULL;
	uint64_t number;

	if (strcmp(text, "soft") != 0 &&
		(!seed || !read_number(&seed, UINT32_MAX, &number) || *seed))
		return kr_usage_error("run",
			"--device is 'soft' or 'random:SEED' with a SEED from 1 to %u, not '%s'",
			UINT32_MAX, text);
	options->device = text;
	return 0;
}

static int
parse_compose(const char *text, struct kr_run_options *options)
{
	static const char *const words[] = {
		[KR_RUN_COMPOSE_AUTO] = "auto",
		[KR_RUN_COMPOSE_CPU] = "cpu",
		[KR_RUN_COMPOSE_GPU] = "gpu",
	};

	options->compose_given = true;
	for (size_t i = 0; i < KR_ARRAY_LEN(words); i++) {
		if (strcmp(text, words[i]))
			continue;
		options->compose = (enum kr_run_compose)i;
		return 0;
	}
	return kr_usage_error("run", "--compose is 'auto', 'cpu' or 'gpu', not '%s'", text);
}

static int
parse_layout(const char *text, struct kr_run_options *options)
{
	options->layout_given = true;
	if (kr_layout_from_name(text, &options->layout))
		return 0;
	return kr_usage_error(
		"run", "--layout is 'native', 'fit', 'stretch' or 'grid', not '%s'", text);
}

static int
parse_rotate(const char *text, struct kr_run_options *options)
{
	options->transform_given = true;
	if (kr_layout_turn_from_name(text, &options->transform))
		return 0;
	return kr_usage_error("run",
		"--rotate is 0, 90, 180, 270, mirror, mirror-90, mirror-180 or mirror-270, not '%s'",
		text);
}

static int
parse_number(const char *option, const char *text, uint64_t max, uint64_t *number)
{
	const char *at = text;

	if (!read_number(&at, max, number) || *at)
		return kr_usage_error("run", "%s wants a number from 1 to %llu, not '%s'", option,
			(unsigned long long)max, text);
	return 0;
}

static int
parse_frames(const char *text, struct kr_run_options *options)
{
	return parse_number("--frames", text, UINT32_MAX, &options->frames);
}

static int
parse_idle(const char *text, struct kr_run_options *options)
{
	uint64_t number = 0;
	int err = parse_number("--idle", text, IDLE_MAX_MS, &number);

	options->idle_ns = (int64_t)number * KR_NSEC_PER_MSEC;
	options->idle_given = true;
	return err;
}

/* *second says whether it is the second of the two words. */
static int
parse_word(const char *option, const char *first_word, const char *second_word, const char *text,
	bool *second)
{
	if (strcmp(text, first_word) && strcmp(text, second_word))
		return kr_usage_error("run", "%s is '%s' or '%s', not '%s'", option, first_word,
			second_word, text);
	*second = !strcmp(text, second_word);
	return 0;
}

static int
parse_clock(const char *text, struct kr_run_options *options)
{
	bool second = false;
	int err = parse_word("--clock", "real", "virtual", text, &second);

	options->clock = second ? KR_CLOCK_VIRTUAL : KR_CLOCK_REAL;
	options->clock_given = true;
	return err;
}

static int
parse_wsi(const char *text, struct kr_run_options *options)
{
	return parse_word("--wsi", "platform", "driver", text, &options->driver_wsi);
}

static int
parse_profile(const char *text, struct kr_run_options *options)
{
	options->profile = text;
	if (kr_profile_exists(text))
		return 0;
	return kr_usage_error(
		"run", "--profile is 'linux', 'android' or 'fuchsia', not '%s'", text);
}

static int
take_not_debuggable(const char *text, struct kr_run_options *options)
{
	options->not_debuggable = true;
	return 0;
}

static int
take_verbose(const char *text, struct kr_run_options *options)
{
	options->verbose = true;
	return 0;
}

static int
take_help(const char *text, struct kr_run_options *options)
{
	fputs(kr_run_help, stdout);
	return 1;
}

/* --- What is written of the pictures, and where they are seen --- */

static int
add_capture(const char *text, struct kr_run_options *options)
{
	return kr_capture_request_add(&options->capture, text);
}

static int
parse_capture_format(const char *text, struct kr_run_options *options)
{
	return kr_capture_request_set_format(&options->capture, text);
}

static int
parse_capture_from(const char *text, struct kr_run_options *options)
{
	return parse_number("--capture-from", text, UINT32_MAX, &options->capture.from);
}

static int
parse_capture_every(const char *text, struct kr_run_options *options)
{
	return parse_number("--capture-every", text, UINT32_MAX, &options->capture.every);
}

static int
parse_compress(const char *text, struct kr_run_options *options)
{
	return kr_capture_request_set_level(&options->capture, text);
}

static int
add_output(const char *text, struct kr_run_options *options)
{
	return kr_run_output_request_add(&options->outputs, text);
}

static int
take_summary(const char *text, struct kr_run_options *options)
{
	options->summary = text;
	return 0;
}

static int
take_socket(const char *text, struct kr_run_options *options)
{
	options->socket = text;
	return 0;
}

static int
take_join(const char *text, struct kr_run_options *options)
{
	options->join = text;
	return 0;
}

/* --- Programs, and where their windows lie --- */

static int
add_program(struct kr_run_options *options, char **argv, bool split)
{
	if (options->program_count == KR_DISPLAY_MAX_GROUPS) {
		if (split)
			free(argv);
		return kr_usage_error(
			"run", "there are more than %d programs", KR_DISPLAY_MAX_GROUPS);
	}
	options->programs[options->program_count].argv = argv;
	options->programs[options->program_count++].split = split;
	return 0;
}

static int
split_program(const char *text, struct kr_run_options *options)
{
	char **words;
	int err = kr_shell_words(text, &words);

	if (err == -ENOMEM) {
		kr_complain("run", "out of memory");
		return KR_EXIT_FAILURE;
	}
	if (err < 0)
		return kr_usage_error("run",
			"--program wants a program and its arguments, with each quote closed, not '%s'",
			text);
	return add_program(options, words, true);
}

/* Of the --program before it; without one, of PROGRAM, which is the last of all. */
static struct kr_layout_place *
place_of(struct kr_run_options *options)
{
	unsigned count = options->program_count;

	return count ? &options->programs[count - 1].place : &options->first_place;
}

static int
parse_place(const char *text, struct kr_run_options *options)
{
	return kr_place_option_rect(place_of(options), "run", text);
}

static int
parse_z(const char *text, struct kr_run_options *options)
{
	return kr_place_option_z(place_of(options), "run", text);
}

static int
parse_alpha(const char *text, struct kr_run_options *options)
{
	return kr_place_option_alpha(place_of(options), "run", text);
}

static int
take_hidden(const char *text, struct kr_run_options *options)
{
	place_of(options)->set |= KR_PLACE_VISIBLE;
	place_of(options)->visible = false;
	return 0;
}

/* PROGRAM, if it is there. */
static int
add_last(struct kr_run_options *options, char **argv)
{
	int err = argv[0] ? add_program(options, argv, false) : 0;

	if (err || !options->first_place.set || !options->program_count)
		return err;
	if (!argv[0])
		return kr_usage_error("run",
			"a place stands before every --program, and no PROGRAM is at the end: it stands behind the --program that it is for");
	kr_layout_place_merge(
		&options->programs[options->program_count - 1].place, &options->first_place);
	return 0;
}

#define FIRST_CODE 256 /* of options without a letter: behind all characters */

static const struct row {
	const char *name;
	int argument;
	int (*take)(const char *text, struct kr_run_options *options);
	char letter;
} rows[] = {
	{"display", required_argument, parse_display},
	{"display-colour", required_argument, parse_colour},
	{"device", required_argument, parse_device},
	{"compose", required_argument, parse_compose},
	{"layout", required_argument, parse_layout},
	{"rotate", required_argument, parse_rotate},
	{"clock", required_argument, parse_clock},
	{"frames", required_argument, parse_frames},
	{"capture", required_argument, add_capture},
	{"capture-format", required_argument, parse_capture_format},
	{"capture-from", required_argument, parse_capture_from},
	{"capture-every", required_argument, parse_capture_every},
	{"compress", required_argument, parse_compress},
	{"output", required_argument, add_output},
	{"summary", required_argument, take_summary},
	{"wsi", required_argument, parse_wsi},
	{"idle", required_argument, parse_idle},
	{"program", required_argument, split_program},
	{"place", required_argument, parse_place},
	{"z", required_argument, parse_z},
	{"alpha", required_argument, parse_alpha},
	{"hidden", no_argument, take_hidden},
	{"join", required_argument, take_join},
	{"socket", required_argument, take_socket},
	{"profile", required_argument, parse_profile},
	{"not-debuggable", no_argument, take_not_debuggable},
	{"verbose", no_argument, take_verbose, 'v'},
	{"help", no_argument, take_help, 'h'},
};

static int
code_of(size_t row)
{
	return rows[row].letter ? rows[row].letter : FIRST_CODE + (int)row;
}

static int
take_option(struct kr_run_options *options, int code, char **argv)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		if (code == code_of(i))
			return rows[i].take(optarg, options);
	}
	return kr_option_error("run", code, argv);
}

int
kr_run_options_parse(int argc, char **argv, struct kr_run_options *options)
{
	struct option long_options[KR_ARRAY_LEN(rows) + 1] = {{0}};
	int c, err = 0;

	*options = (struct kr_run_options){
		.width = 1280,
		.height = 720,
		.refresh_mhz = 60 * MHZ_PER_HZ,
		.clock = KR_CLOCK_REAL,
		.idle_ns = KR_NSEC_PER_SEC,
		.capture = KR_CAPTURE_REQUEST_NONE,
	};
	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++)
		long_options[i] = (struct option){rows[i].name, rows[i].argument, NULL, code_of(i)};
	opterr = 0;
	optind = 1;
	/* '+': the program's own options are not ours. */
	while (err == 0 && (c = getopt_long(argc, argv, "+:vh", long_options, NULL)) != -1)
		err = take_option(options, c, argv);
	if (err)
		return err;
	err = add_last(options, argv + optind);
	return err ? err : kr_run_options_check(options);
}

void
kr_run_options_finish(struct kr_run_options *options)
{
	for (unsigned i = 0; i < options->program_count; i++) {
		if (options->programs[i].split)
			free(options->programs[i].argv);
	}
	options->program_count = 0;
}
