/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `krafla run`. */
#ifndef KR_TOOLS_RUN_OPTIONS_H
#define KR_TOOLS_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "composer/composer.h"
#include "composer/layout.h"
#include "tools/run/capture/request.h"
#include "tools/run/outputs.h"

/* One of the programs, in their order on the command line, which is that of their windows. */
struct kr_run_program {
	char **argv;                  /* ended by NULL */
	struct kr_layout_place place; /* what was asked for of its windows */
	bool split; /* argv is one block of its own; else it points into the command line */
};

/* Who draws pictures: --compose. */
enum kr_run_compose {
	KR_RUN_COMPOSE_AUTO, /* whoever does it for less */
	KR_RUN_COMPOSE_CPU,
	KR_RUN_COMPOSE_GPU, /* or nobody */
};

struct kr_run_options {
	uint32_t width;
	uint32_t height;
	bool size_given; /* by --display */
	uint32_t refresh_mhz;
	/* Beside that, where windows wish for others. */
	uint32_t other_mhz[KR_DISPLAY_MAX_RATES - 1];
	unsigned other_count;
	int32_t dataspace; /* HAL_DATASPACE_* of its pictures: --display-colour; 0: sRGB */
	enum kr_layout layout;
	int32_t transform;  /* of the screen: --rotate */
	const char *device; /* of the display's own screen; NULL: as `compose` says */
	enum kr_run_compose compose;
	enum kr_display_clock clock;
	uint64_t frames; /* 0: as many as come */
	struct kr_capture_request capture;
	struct kr_run_output_request outputs;
	const char *summary; /* file, NULL none */
	bool driver_wsi;     /* the program keeps its driver's own window system */
	const char *profile; /* of the programs: --profile; NULL: as it is */
	bool not_debuggable; /* the programs, and what they start */
	int64_t idle_ns;
	bool verbose;
	bool clock_given;
	bool colour_given;
	bool idle_given;
	bool layout_given;
	bool compose_given;
	bool transform_given;
	struct kr_layout_place first_place; /* of options before any --program: PROGRAM's */
	const char *socket;                 /* the display's is known by it, too; NULL */
	const char *join;                   /* the socket of another krafla's display, NULL none */
	struct kr_run_program programs[KR_DISPLAY_MAX_GROUPS];
	unsigned program_count; /* 1 at least */
};

extern const char kr_run_help[];

/* The display's rates as they may be typed: "144,120,23.976". Returns `text`. */
#define KR_RUN_RATES_TEXT (KR_DISPLAY_MAX_RATES * 9)
const char *kr_run_rates_text(const struct kr_run_options *options, char text[KR_RUN_RATES_TEXT]);

/* 0; 1 when help was asked for and shown; otherwise an exit code, the reason told on stderr. */
int kr_run_options_parse(int argc, char **argv, struct kr_run_options *options) KR_MUST_CHECK;
/* Whether they can stand together; the same codes. kr_run_options_parse ends with it. */
int kr_run_options_check(struct kr_run_options *options) KR_MUST_CHECK;
/* Whatever came of the parsing. */
void kr_run_options_finish(struct kr_run_options *options);

#endif
