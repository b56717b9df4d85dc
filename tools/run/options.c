/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking the options of `krafla run`. Documented in docs/commands.md. */
#include "tools/run/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/profile.h"
#include "tools/command/command.h"
#include "tools/command/place_option.h"
#include "tools/run/shell_words.h"
#include "util/clock.h"

#define SIZE_MAX_PIXELS 16384
#define REFRESH_MAX_HZ  1000
#define IDLE_MAX_MS     3600000
#define MHZ_PER_HZ      1000

const char kr_run_help[] =
	"usage: krafla run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"       krafla run [OPTION]... --program 'PROGRAM ARGUMENT...'...\n\n"
	"Runs a Vulkan program, or several, on a display of its own: all they present goes there,\n"
	"whatever window it was made for.\n\n"
	"  --program COMMAND      a program, its words cut apart as a shell does it; once for each.\n"
	"                         Windows of later ones lie above; PROGRAM, if given, is the last\n"
	"  --place [WxH][+X+Y]    where windows of the --program before it lie (or of PROGRAM, if\n"
	"                         none is before it), and how large they are\n"
	"  --z N                  ... how far up, before the order of the programs (default 0)\n"
	"  --alpha A              ... how opaque, from 0 to 1 (default 1)\n"
	"  --hidden               ... not seen at all, until krafla layout shows them\n"
	"  --socket PATH          make the display's socket known as PATH, for --join, krafla\n"
	"                         layout and programs that are started otherwise\n"
	"  --join SOCKET          show them on the display of another krafla run (its --socket, or\n"
	"                         what its -v tells), above its own programs; none is made\n"
	"  --display WxH[@HZ]     size and refresh rate (default 1280x720@60)\n"
	"  --layout LAYOUT        where windows lie: native, in their own size in the middle\n"
	"                         (default); fit, as large as they can be; stretch, over all of\n"
	"                         the display; grid, side by side. Without --display pictures are\n"
	"                         as large as the first window that is shown\n"
	"  --rotate TURN          how the screen is turned, clockwise: 0 (default), 90, 180 or 270;\n"
	"                         mirror, mirror-90 and so on: from left to right before that.\n"
	"                         --display is the pictures' size; at 90 and 270 windows see a\n"
	"                         screen with the two swapped, and are told how it is turned\n"
	"  --compose auto|cpu|gpu who draws pictures of several windows, or of scaled ones: the GPU\n"
	"                         where that is cheaper (auto, default), the CPU, or the GPU alone:\n"
	"                         then it is an error when there is none\n"
	"  --device DEVICE        what composes: soft (default), or random:SEED, which hands\n"
	"                         windows back to the display at random; the pictures are the same\n"
	"  --clock real|virtual   real: ticks at the refresh rate (default). virtual: a tick\n"
	"                         follows when every window has queued a frame; all are shown\n"
	"  --frames N             end the program after N frames (SIGTERM, after 2 s SIGKILL)\n"
	"  --capture TARGET       write each picture, up to 8 times for as many targets:\n"
	"                         a file each, %d (%05d) standing for its number, with a name\n"
	"                         that ends in .png, .ppm, .raw (R, G, B, 255) or .y4m; all of\n"
	"                         them in one .raw or .y4m; a FIFO; or -, standard output (what\n"
	"                         the program itself prints then goes to standard error)\n"
	"  --capture-format NAME  png, ppm, raw or y4m, for - and FIFOs\n"
	"  --capture-from N       the first picture to write (default 1)\n"
	"  --capture-every N      ... and how many further on the next one is (default 1)\n"
	"  --compress LEVEL       of .png: 0 none, 1 quick (default), 9 small and slow\n"
	"  --output KIND          where the pictures are seen, up to 4 times: x11[:DISPLAY],\n"
	"                         wayland[:SOCKET], windows of these servers (without a name, of\n"
	"                         DISPLAY, WAYLAND_DISPLAY); headless, nowhere (default). The run\n"
	"                         ends when such a window is closed.\n"
	"                         kms[:CARD][:CONNECTOR], the screens of a graphics card;\n"
	"                         window:SOCKET, a program's reader, which gets them as buffers\n"
	"  --summary FILE         write the summary as JSON; - is standard output\n"
	"  --wsi platform|driver  who shows the windows (default platform); with driver the\n"
	"                         program keeps its driver's own window system\n"
	"  --profile NAME         the programs' profile: linux, android or fuchsia (KRAFLA_PROFILE)\n"
	"  --not-debuggable       nobody may look into the programs and what they start, from their\n"
	"                         first instruction on: no debugger, no core dump; in the profile\n"
	"                         android no variable names code for them. What they leave running\n"
	"                         ends with krafla; setuid programs get no rights\n"
	"  --idle MS              virtual clock: don't wait longer for a window (default 1000)\n"
	"  -v, --verbose          tell what happens\n"
	"  -h, --help             this text\n\n"
	"Exits with the program's code (128 + N when signal N killed it); 0 when --frames were\n"
	"reached; 2 for a wrong command line; 3 when fewer frames came than --frames asked for,\n"
	"or none to capture; 4 when a picture couldn't be written; 5 when the GPU that drew was lost\n"
	"though all pictures were to be drawn by it (--compose gpu, --clock virtual); 125 when krafla\n"
	"itself failed; 126 and 127 when the program can't be executed or found.\n\n"
	"Pictures are written by as many threads as there are processors. What waits for them takes\n"
	"1 GiB or a quarter of the memory at most; then the display waits, and no picture is lost.\n";

enum option_code {
	OPTION_DISPLAY = 256,
	OPTION_DEVICE,
	OPTION_COMPOSE,
	OPTION_LAYOUT,
	OPTION_ROTATE,
	OPTION_CLOCK,
	OPTION_FRAMES,
	OPTION_CAPTURE,
	OPTION_CAPTURE_FORMAT,
	OPTION_CAPTURE_FROM,
	OPTION_CAPTURE_EVERY,
	OPTION_COMPRESS,
	OPTION_OUTPUT,
	OPTION_SUMMARY,
	OPTION_WSI,
	OPTION_IDLE,
	OPTION_PROGRAM,
	OPTION_PLACE,
	OPTION_Z,
	OPTION_ALPHA,
	OPTION_HIDDEN,
	OPTION_JOIN,
	OPTION_SOCKET,
	OPTION_PROFILE,
	OPTION_NOT_DEBUGGABLE,
};

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

static int
parse_display(const char *text, struct kr_run_options *options)
{
	uint64_t width, height;
	const char *at = text;
	bool ok = read_number(&at, SIZE_MAX_PIXELS, &width) && *at++ == 'x' &&
		read_number(&at, SIZE_MAX_PIXELS, &height);

	if (ok && *at == '@') {
		at++;
		ok = read_refresh(&at, &options->refresh_mhz);
	}
	if (!ok || *at)
		return kr_usage_error("run",
			"--display wants WIDTHxHEIGHT or WIDTHxHEIGHT@HZ (up to %dx%d@%d), not '%s'",
			SIZE_MAX_PIXELS, SIZE_MAX_PIXELS, REFRESH_MAX_HZ, text);
	options->width = (uint32_t)width;
	options->height = (uint32_t)height;
	options->size_given = true;
	return 0;
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
split_program(struct kr_run_options *options, const char *text)
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
take_option(struct kr_run_options *options, int code, char **argv)
{
	uint64_t number = 0;
	bool second = false;
	int err = 0;

	switch (code) {
	case OPTION_DISPLAY:
		return parse_display(optarg, options);
	case OPTION_DEVICE:
		return parse_device(optarg, options);
	case OPTION_COMPOSE:
		return parse_compose(optarg, options);
	case OPTION_LAYOUT:
		options->layout_given = true;
		return parse_layout(optarg, options);
	case OPTION_ROTATE:
		return parse_rotate(optarg, options);
	case OPTION_CLOCK:
		err = parse_word("--clock", "real", "virtual", optarg, &second);
		options->clock = second ? KR_CLOCK_VIRTUAL : KR_CLOCK_REAL;
		options->clock_given = true;
		return err;
	case OPTION_FRAMES:
		return parse_number("--frames", optarg, UINT32_MAX, &options->frames);
	case OPTION_CAPTURE:
		return kr_capture_request_add(&options->capture, optarg);
	case OPTION_CAPTURE_FORMAT:
		return kr_capture_request_set_format(&options->capture, optarg);
	case OPTION_CAPTURE_FROM:
		return parse_number("--capture-from", optarg, UINT32_MAX, &options->capture.from);
	case OPTION_CAPTURE_EVERY:
		return parse_number("--capture-every", optarg, UINT32_MAX, &options->capture.every);
	case OPTION_COMPRESS:
		return kr_capture_request_set_level(&options->capture, optarg);
	case OPTION_OUTPUT:
		return kr_run_output_request_add(&options->outputs, optarg);
	case OPTION_SUMMARY:
		options->summary = optarg;
		return 0;
	case OPTION_WSI:
		return parse_word("--wsi", "platform", "driver", optarg, &options->driver_wsi);
	case OPTION_IDLE:
		err = parse_number("--idle", optarg, IDLE_MAX_MS, &number);
		options->idle_ns = (int64_t)number * KR_NSEC_PER_MSEC;
		options->idle_given = true;
		return err;
	case OPTION_PROGRAM:
		return split_program(options, optarg);
	case OPTION_PLACE:
		return kr_place_option_rect(place_of(options), "run", optarg);
	case OPTION_Z:
		return kr_place_option_z(place_of(options), "run", optarg);
	case OPTION_ALPHA:
		return kr_place_option_alpha(place_of(options), "run", optarg);
	case OPTION_HIDDEN:
		place_of(options)->set |= KR_PLACE_VISIBLE;
		place_of(options)->visible = false;
		return 0;
	case OPTION_SOCKET:
		options->socket = optarg;
		return 0;
	case OPTION_JOIN:
		options->join = optarg;
		return 0;
	case OPTION_PROFILE:
		options->profile = optarg;
		return kr_profile_exists(optarg)
			? 0
			: kr_usage_error("run",
				  "--profile is 'linux', 'android' or 'fuchsia', not '%s'", optarg);
	case OPTION_NOT_DEBUGGABLE:
		options->not_debuggable = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case 'h':
		fputs(kr_run_help, stdout);
		return 1;
	default:
		return kr_option_error("run", code, argv);
	}
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

/* What belongs to the display, which is another's. */
static int
check_join(const struct kr_run_options *options)
{
	const char *what = NULL;

	if (options->size_given)
		what = "display";
	else if (options->clock_given)
		what = "clock";
	else if (options->frames)
		what = "frames";
	else if (options->capture.count)
		what = "capture";
	else if (options->outputs.count)
		what = "output";
	else if (options->layout_given)
		what = "layout";
	else if (options->transform_given)
		what = "rotate";
	else if (options->device)
		what = "device";
	else if (options->compose_given)
		what = "compose";
	else if (options->idle_given)
		what = "idle";
	else if (options->socket)
		what = "socket";
	else if (options->driver_wsi)
		what = "wsi driver";
	if (what)
		return kr_usage_error("run",
			"with --join the display is another krafla's, so --%s can't work", what);
	for (unsigned i = 0; i < options->program_count; i++) {
		if (options->programs[i].place.set)
			return kr_usage_error("run",
				"with --join windows are placed by 'krafla layout %s', not by options",
				options->join);
	}
	return 0;
}

static int
check(struct kr_run_options *options)
{
	if (!options->program_count)
		return kr_usage_error("run", "no program is named");
	if (options->join) {
		int code = check_join(options);

		if (code)
			return code;
	}
	if (options->device && options->compose == KR_RUN_COMPOSE_GPU)
		return kr_usage_error("run",
			"--compose gpu can't work with --device %s, which composes by the CPU",
			options->device);
	if (options->driver_wsi &&
		(options->frames || options->capture.count || options->outputs.count ||
			options->socket || options->compose_given))
		return kr_usage_error("run",
			"with --wsi driver nothing is shown on krafla's display, so --%s can't work",
			options->frames                  ? "frames"
				: options->capture.count ? "capture"
				: options->outputs.count ? "output"
				: options->socket        ? "socket"
							 : "compose");
	return kr_capture_request_complete(&options->capture, options->frames, options->summary);
}

int
kr_run_options_parse(int argc, char **argv, struct kr_run_options *options)
{
	static const struct option long_options[] = {
		{"display", required_argument, NULL, OPTION_DISPLAY},
		{"device", required_argument, NULL, OPTION_DEVICE},
		{"compose", required_argument, NULL, OPTION_COMPOSE},
		{"layout", required_argument, NULL, OPTION_LAYOUT},
		{"rotate", required_argument, NULL, OPTION_ROTATE},
		{"clock", required_argument, NULL, OPTION_CLOCK},
		{"frames", required_argument, NULL, OPTION_FRAMES},
		{"capture", required_argument, NULL, OPTION_CAPTURE},
		{"capture-format", required_argument, NULL, OPTION_CAPTURE_FORMAT},
		{"capture-from", required_argument, NULL, OPTION_CAPTURE_FROM},
		{"capture-every", required_argument, NULL, OPTION_CAPTURE_EVERY},
		{"compress", required_argument, NULL, OPTION_COMPRESS},
		{"output", required_argument, NULL, OPTION_OUTPUT},
		{"summary", required_argument, NULL, OPTION_SUMMARY},
		{"wsi", required_argument, NULL, OPTION_WSI},
		{"idle", required_argument, NULL, OPTION_IDLE},
		{"program", required_argument, NULL, OPTION_PROGRAM},
		{"place", required_argument, NULL, OPTION_PLACE},
		{"z", required_argument, NULL, OPTION_Z},
		{"alpha", required_argument, NULL, OPTION_ALPHA},
		{"hidden", no_argument, NULL, OPTION_HIDDEN},
		{"join", required_argument, NULL, OPTION_JOIN},
		{"socket", required_argument, NULL, OPTION_SOCKET},
		{"profile", required_argument, NULL, OPTION_PROFILE},
		{"not-debuggable", no_argument, NULL, OPTION_NOT_DEBUGGABLE},
		{"verbose", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c, err = 0;

	*options = (struct kr_run_options){
		.width = 1280,
		.height = 720,
		.refresh_mhz = 60 * MHZ_PER_HZ,
		.clock = KR_CLOCK_REAL,
		.idle_ns = KR_NSEC_PER_SEC,
		.capture = KR_CAPTURE_REQUEST_NONE,
	};
	opterr = 0;
	optind = 1;
	/* '+': the program's own options are not ours. */
	while (err == 0 && (c = getopt_long(argc, argv, "+:vh", long_options, NULL)) != -1)
		err = take_option(options, c, argv);
	if (err)
		return err;
	err = add_last(options, argv + optind);
	return err ? err : check(options);
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
