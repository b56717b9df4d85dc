/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla service: what a loader service is doing, as it tells it (ask.h), for people or as it is.
 */
#include "tools/command/command.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/service/ask.h"
#include "tools/service/print.h"

/* Of `krafla service status`: the service answers, and isn't healthy. */
#define EXIT_UNHEALTHY 1

static const char help[] =
	"usage: krafla service status [--socket PATH] [--json]\n\n"
	"Shows what a loader service offers, to whom, what it gave, and what is wrong.\n\n"
	"  --socket PATH  the service that listens there; default: KRAFLA_SERVICE, then\n"
	"                 /run/krafla/service, then krafla/service of XDG_RUNTIME_DIR\n"
	"  --json         all that it tells, as JSON (docs/service.md)\n"
	"  -h, --help     this text\n\n"
	"exit code: 0 it offers drivers, 1 it doesn't (yet), 2 wrong usage, 125 it can't be "
	"asked\n";

static bool
is_healthy(const json_t *state)
{
	const char *health =
		json_string_value(json_object_get(json_object_get(state, "health"), "state"));

	return health && !strcmp(health, "ok");
}

static int
show_status(const char *path, bool json)
{
	char *socket = NULL, *reason = NULL;
	json_t *state = NULL;
	int err = kr_ask_service(path, &socket, &state, &reason), failed = 0;

	if (err) {
		kr_complain("service", "%s", reason ? reason : strerror(-err));
		free(socket);
		free(reason);
		return KR_EXIT_FAILURE;
	}
	if (json) {
		failed = json_dumpf(state, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		kr_print_service(socket, state);
	}
	err = failed ? KR_EXIT_FAILURE : is_healthy(state) ? KR_EXIT_OK : EXIT_UNHEALTHY;
	json_decref(state);
	free(socket);
	free(reason);
	return err;
}

static int
run_command(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"json", no_argument, NULL, 'j'},
		{"socket", required_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	const char *socket = NULL;
	bool json = false;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		switch (c) {
		case 'j':
			json = true;
			break;
		case 's':
			socket = optarg;
			break;
		case 'h':
			return fputs(help, stdout) < 0 ? KR_EXIT_FAILURE : KR_EXIT_OK;
		default:
			return kr_option_error("service", c, argv);
		}
	}
	if (optind == argc)
		return kr_usage_error("service", "what to do is missing: there is 'status'");
	if (strcmp(argv[optind], "status") != 0)
		return kr_usage_error(
			"service", "'%s' is nothing it does: there is 'status'", argv[optind]);
	if (optind + 1 < argc)
		return kr_usage_error("service", "'%s' is one argument too many", argv[optind + 1]);
	return show_status(socket, json);
}

const struct kr_command kr_command_service = {
	.name = "service",
	.summary = "tell what a loader service offers, to whom, and what is wrong",
	.help = help,
	.run = run_command,
};
