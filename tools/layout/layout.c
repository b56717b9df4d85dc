/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla layout: what windows a `krafla run` has and where they lie, and other places for them
 * while it runs. It talks to the run's control socket (docs/control-protocol.md).
 */
#include "tools/command/command.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/place_option.h"
#include "tools/layout/find.h"
#include "tools/layout/link.h"
#include "tools/layout/list.h"

#define MAX_CHANGES 64

static const char help[] =
	"usage: krafla layout [OPTION]... [SOCKET|PID]\n\n"
	"Lists the windows of a krafla run, or places them while it runs. The run is named by its\n"
	"display's SOCKET (krafla run -v tells it) or its process; without, it is the only one.\n\n"
	"  --layout LAYOUT        native, fit, stretch or grid, for all that has no place\n"
	"  --rotate TURN          how the screen is turned: 0, 90, 180, 270, mirror, mirror-90,\n"
	"                         mirror-180 or mirror-270\n"
	"  --display WxH          how large the screen is, of a run without --capture and readers\n"
	"  --program N            what follows is for the windows of the Nth program, from 1\n"
	"  --window ID            ... for this window, and counts more than its program's\n"
	"  --place [WxH][+X+Y]    where it lies and how large it is\n"
	"  --z N                  how far up, before the order of the programs\n"
	"  --alpha A              how opaque, from 0 to 1\n"
	"  --hide, --show         whether it is seen\n"
	"  --json                 the list as JSON\n"
	"  -h, --help             this text\n\n"
	"Without a change it lists. With one it says nothing when all are made, and they are in\n"
	"the next picture. Exits with 0; 2 for a wrong command line; 125 when there is no such\n"
	"run, program or window.\n";

struct change {
	uint64_t window; /* or */
	uint32_t program;
	struct kr_layout_place place;
};

struct options {
	const char *layout;
	const char *turn;
	uint32_t width; /* 0: as it is */
	uint32_t height;
	struct change changes[MAX_CHANGES];
	unsigned change_count;
	bool json;
	const char *target;
};

enum option_code {
	OPTION_LAYOUT = 256,
	OPTION_ROTATE,
	OPTION_DISPLAY,
	OPTION_PROGRAM,
	OPTION_WINDOW,
	OPTION_PLACE,
	OPTION_Z,
	OPTION_ALPHA,
	OPTION_HIDE,
	OPTION_SHOW,
	OPTION_JSON,
};

static int
begin_change(struct options *options, const char *name, const char *text, bool window)
{
	char *end;
	unsigned long long number;

	if (options->change_count == MAX_CHANGES)
		return kr_usage_error("layout", "there are more than %d changes", MAX_CHANGES);
	errno = 0;
	number = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || !number ||
		(!window && number > UINT32_MAX))
		return kr_usage_error(
			"layout", "--%s wants a number from 1 on, not '%s'", name, text);
	options->changes[options->change_count++] = (struct change){
		.window = window ? number : 0,
		.program = window ? 0 : (uint32_t)number,
	};
	return 0;
}

static int
take_place_option(struct options *options, int code)
{
	struct kr_layout_place *place;

	if (!options->change_count)
		return kr_usage_error("layout",
			"name the window first: --program N or --window ID stand before its place");
	place = &options->changes[options->change_count - 1].place;
	switch (code) {
	case OPTION_PLACE:
		return kr_place_option_rect(place, "layout", optarg);
	case OPTION_Z:
		return kr_place_option_z(place, "layout", optarg);
	case OPTION_ALPHA:
		return kr_place_option_alpha(place, "layout", optarg);
	default:
		place->visible = code == OPTION_SHOW;
		place->set |= KR_PLACE_VISIBLE;
		return 0;
	}
}

static int
take_layout(struct options *options)
{
	enum kr_layout layout;

	if (!kr_layout_from_name(optarg, &layout))
		return kr_usage_error("layout",
			"--layout is 'native', 'fit', 'stretch' or 'grid', not '%s'", optarg);
	options->layout = optarg;
	return 0;
}

static int
take_turn(struct options *options)
{
	int32_t transform;

	if (!kr_layout_turn_from_name(optarg, &transform))
		return kr_usage_error("layout",
			"--rotate is 0, 90, 180, 270, mirror, mirror-90, mirror-180 or mirror-270, not '%s'",
			optarg);
	options->turn = optarg;
	return 0;
}

static int
take_size(struct options *options)
{
	struct kr_layout_place place = {.set = KR_PLACE_SIZE};
	int end = 0;

	if (!isdigit((unsigned char)optarg[0]) ||
		sscanf(optarg, "%5" SCNu32 "x%5" SCNu32 "%n", &place.width, &place.height, &end) !=
			2 ||
		optarg[end] || !kr_layout_place_is_valid(&place))
		return kr_usage_error("layout",
			"--display wants WIDTHxHEIGHT (up to %dx%d), not '%s'", KR_PLACE_MAX,
			KR_PLACE_MAX, optarg);
	options->width = place.width;
	options->height = place.height;
	return 0;
}

static int
take_option(struct options *options, int code, char **argv)
{
	switch (code) {
	case OPTION_LAYOUT:
		return take_layout(options);
	case OPTION_ROTATE:
		return take_turn(options);
	case OPTION_DISPLAY:
		return take_size(options);
	case OPTION_PROGRAM:
		return begin_change(options, "program", optarg, false);
	case OPTION_WINDOW:
		return begin_change(options, "window", optarg, true);
	case OPTION_PLACE:
	case OPTION_Z:
	case OPTION_ALPHA:
	case OPTION_HIDE:
	case OPTION_SHOW:
		return take_place_option(options, code);
	case OPTION_JSON:
		options->json = true;
		return 0;
	case 'h':
		fputs(help, stdout);
		return 1;
	default:
		return kr_option_error("layout", code, argv);
	}
}

static int
check(const struct options *options)
{
	for (unsigned i = 0; i < options->change_count; i++) {
		const struct change *change = &options->changes[i];

		if (!change->place.set)
			return kr_usage_error("layout",
				"nothing is asked for %s %" PRIu64
				": --place, --z, --alpha, --hide or --show",
				change->window ? "window" : "program",
				change->window ? change->window : change->program);
	}
	if (options->json &&
		(options->layout || options->turn || options->width || options->change_count))
		return kr_usage_error("layout", "--json is for the list, and this is a change");
	return 0;
}

static int
parse(int argc, char **argv, struct options *options)
{
	static const struct option long_options[] = {
		{"layout", required_argument, NULL, OPTION_LAYOUT},
		{"rotate", required_argument, NULL, OPTION_ROTATE},
		{"display", required_argument, NULL, OPTION_DISPLAY},
		{"program", required_argument, NULL, OPTION_PROGRAM},
		{"window", required_argument, NULL, OPTION_WINDOW},
		{"place", required_argument, NULL, OPTION_PLACE},
		{"z", required_argument, NULL, OPTION_Z},
		{"alpha", required_argument, NULL, OPTION_ALPHA},
		{"hide", no_argument, NULL, OPTION_HIDE},
		{"show", no_argument, NULL, OPTION_SHOW},
		{"json", no_argument, NULL, OPTION_JSON},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c, err = 0;

	opterr = 0;
	optind = 1;
	while (err == 0 && (c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1)
		err = take_option(options, c, argv);
	if (err)
		return err;
	options->target = argv[optind];
	if (options->target && argv[optind + 1])
		return kr_usage_error("layout", "'%s' is one argument too many", argv[optind + 1]);
	return check(options);
}

/* Sends it, and says what came of it if that isn't what was asked for. */
static int
change(const struct kr_control_link *link, const struct kr_cp_message *message, const char *what,
	uint64_t number)
{
	struct kr_cp_message answer;
	int err = kr_control_link_ask(link, message, KR_CP_DONE, &answer);

	if (err < 0)
		kr_complain(
			"layout", "the run at %s doesn't answer: %s", link->path, strerror(-err));
	else if (answer.done.error == ENOENT)
		kr_complain("layout", "the run has no %s %" PRIu64 "; 'krafla layout' lists them",
			what, number);
	else if (answer.done.error == EBUSY)
		kr_complain("layout",
			"pictures keep their size while the run captures them, or a reader gets them");
	else if (answer.done.error)
		kr_complain("layout", "the run refuses that: %s", strerror(answer.done.error));
	else
		return 0;
	return KR_EXIT_FAILURE;
}

static int
change_screen(const struct kr_control_link *link, const struct options *options)
{
	struct kr_cp_message message = {.type = KR_CP_SET_SIZE,
		.set_size = {.width = options->width, .height = options->height}};
	int code = 0;

	if (link->welcome.version < 2) {
		kr_complain("layout",
			"the run is of an older krafla, whose screen can't be changed (--rotate, --display)");
		return KR_EXIT_FAILURE;
	}
	if (options->width)
		code = change(link, &message, "size", 0);
	if (code || !options->turn)
		return code;
	message = (struct kr_cp_message){.type = KR_CP_SET_TURN};
	snprintf(message.set_turn.turn, sizeof(message.set_turn.turn), "%s", options->turn);
	return change(link, &message, "turn", 0);
}

static int
make_changes(const struct kr_control_link *link, const struct options *options)
{
	int code = 0;

	if (options->layout) {
		struct kr_cp_message message = {.type = KR_CP_SET_LAYOUT};

		snprintf(message.set_layout.layout, sizeof(message.set_layout.layout), "%s",
			options->layout);
		code = change(link, &message, "layout", 0);
	}
	if ((options->turn || options->width) && code == 0)
		code = change_screen(link, options);
	for (unsigned i = 0; i < options->change_count && code == 0; i++) {
		const struct change *asked = &options->changes[i];
		struct kr_cp_message message = {
			.type = KR_CP_PLACE,
			.place = {.window = asked->window, .program = asked->program},
		};

		kr_control_put_place(&message.place, &asked->place);
		code = change(link, &message, asked->window ? "window" : "program",
			asked->window ? asked->window : asked->program);
	}
	return code;
}

static int
run_command(int argc, char **argv)
{
	struct options options = {0};
	struct kr_control_link link;
	int code = parse(argc, argv, &options);

	if (code)
		return code == 1 ? KR_EXIT_OK : code;
	code = kr_control_link_find(options.target, &link);
	if (code)
		return code;
	code = options.layout || options.turn || options.width || options.change_count
		? make_changes(&link, &options)
		: kr_control_link_list(&link, options.json);
	kr_control_link_close(&link);
	return code;
}

const struct kr_subcommand kr_subcommand_layout = {
	.name = "layout",
	.summary = "list the windows of a krafla run, and place them while it runs",
	.help = help,
	.run = run_command,
};
