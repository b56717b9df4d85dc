/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and checking the options of `krafla deliver`. Documented in docs/deliver.md. */
#include "tools/deliver/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/command/command.h"

const char kr_deliver_help[] =
	"usage: krafla deliver [OPTION]... [--] COMMAND [ARGUMENT]...\n\n"
	"Runs a command with a Vulkan driver that it inherits as open descriptors: it needs no\n"
	"driver, no manifest and none of the driver's libraries where it runs, and any Vulkan\n"
	"loader will do. The driver comes from the loader service, or, when none is running, from\n"
	"those that are installed here.\n\n"
	"  --driver NAME          lvp, libvulkan_lvp.so, the path of a manifest or of a package;\n"
	"                         default: the first whose hardware is here, a software driver last\n"
	"  --service SOCKET       ask this loader service (default: KRAFLA_SERVICE, else the\n"
	"                         system's, else the user's, if one is running)\n"
	"  --no-service           use the drivers installed here\n"
	"  --strict               give sealed copies in memory, not a mount of the driver's files\n"
	"  --bwrap                COMMAND is a command line of bwrap: put into it what the driver\n"
	"                         needs of /dev and /sys, /proc, and the variables\n"
	"  --sandbox              COMMAND makes a sandbox by other means: don't check the driver's\n"
	"                         needs against the libraries of this system. Here and with\n"
	"                         --bwrap an installed driver is tried first, and what it opens\n"
	"                         itself is given along\n"
	"  --library-path         name the driver itself, and its libraries by LD_LIBRARY_PATH\n"
	"  --print                show variables and command line; run nothing\n"
	"  -h, --help             this text\n\n"
	"The command takes this process's place, so its exit code is its own. 2: the command line\n"
	"is wrong; 125: the driver can't be given; 126 and 127: the command can't be executed or\n"
	"found.\n";

enum option_code {
	OPTION_DRIVER = 256,
	OPTION_SERVICE,
	OPTION_NO_SERVICE,
	OPTION_STRICT,
	OPTION_BWRAP,
	OPTION_SANDBOX,
	OPTION_LIBRARY_PATH,
	OPTION_PRINT,
};

static int
take_option(struct kr_deliver_options *options, int code, char **argv)
{
	switch (code) {
	case OPTION_DRIVER:
		options->driver = optarg;
		return *optarg ? 0 : kr_usage_error("deliver", "--driver wants a name");
	case OPTION_SERVICE:
		options->service = optarg;
		return *optarg ? 0 : kr_usage_error("deliver", "--service wants a socket");
	case OPTION_NO_SERVICE:
		options->no_service = true;
		return 0;
	case OPTION_STRICT:
		options->strict = true;
		return 0;
	case OPTION_BWRAP:
		options->bwrap = options->sandbox = true;
		return 0;
	case OPTION_SANDBOX:
		options->sandbox = true;
		return 0;
	case OPTION_LIBRARY_PATH:
		options->library_path = true;
		return 0;
	case OPTION_PRINT:
		options->print = true;
		return 0;
	case 'h':
		fputs(kr_deliver_help, stdout);
		return 1;
	default:
		return kr_option_error("deliver", code, argv);
	}
}

static int
check(struct kr_deliver_options *options)
{
	char *reason = NULL;
	int code = 0;

	if (!options->command[0])
		return kr_usage_error("deliver", "no command is named");
	if (options->service && options->no_service)
		return kr_usage_error("deliver", "--service and --no-service exclude each other");
	if (options->library_path && options->strict)
		return kr_usage_error(
			"deliver", "--library-path needs a directory, which --strict doesn't give");
	if (options->bwrap &&
		kr_bwrap_read((const char *const *)options->command, &options->line, &reason))
		code = kr_usage_error("deliver", "%s", reason ? reason : "out of memory");
	free(reason);
	return code;
}

int
kr_deliver_options_parse(int argc, char **argv, struct kr_deliver_options *options)
{
	static const struct option long_options[] = {
		{"driver", required_argument, NULL, OPTION_DRIVER},
		{"service", required_argument, NULL, OPTION_SERVICE},
		{"no-service", no_argument, NULL, OPTION_NO_SERVICE},
		{"strict", no_argument, NULL, OPTION_STRICT},
		{"bwrap", no_argument, NULL, OPTION_BWRAP},
		{"sandbox", no_argument, NULL, OPTION_SANDBOX},
		{"library-path", no_argument, NULL, OPTION_LIBRARY_PATH},
		{"print", no_argument, NULL, OPTION_PRINT},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c, err = 0;

	*options = (struct kr_deliver_options){0};
	opterr = 0;
	optind = 1;
	/* '+': the command's own options are not ours. */
	while (err == 0 && (c = getopt_long(argc, argv, "+:h", long_options, NULL)) != -1)
		err = take_option(options, c, argv);
	if (err)
		return err;
	options->command = argv + optind;
	return check(options);
}
