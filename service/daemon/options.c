/* SPDX-License-Identifier: Apache-2.0 */
/* What kraflad is told on its command line. */
#include "service/daemon/daemon.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/daemon/options.h"

void
kr_daemon_complain(const struct kr_daemon *daemon, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", daemon->command);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

static int
refuse_usage(const struct kr_daemon *daemon, int c, char **argv)
{
	const char *word = argv[optind - 1];

	if (c == ':')
		kr_daemon_complain(daemon, "option '%s' needs a value", word);
	else if (optopt && strncmp(word, "--", 2) != 0)
		kr_daemon_complain(daemon, "unknown option '-%c'", optopt);
	else if (optopt)
		kr_daemon_complain(daemon, "option '%s' takes no value", word);
	else
		kr_daemon_complain(daemon, "unknown or ambiguous option '%s'", word);
	return KR_DAEMON_WRONG_USAGE;
}

int
kr_daemon_read_options(struct kr_daemon *daemon, int argc, char **argv)
{
	static const struct option table[] = {
		{"config", required_argument, NULL, 'c'},
		{"socket", required_argument, NULL, 's'},
		{"system", no_argument, NULL, 'y'},
		{"user", no_argument, NULL, 'u'},
		{"check", no_argument, NULL, 'k'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
		switch (c) {
		case 'c':
			daemon->options.config = optarg;
			break;
		case 's':
			daemon->options.socket = optarg;
			break;
		case 'y':
			daemon->options.system = true;
			break;
		case 'u':
			daemon->options.user = true;
			break;
		case 'k':
			daemon->options.check = true;
			break;
		case 'h':
			printf("usage: %s [--config FILE] [--socket PATH] [--system|--user] [--check]\n\n%s",
				daemon->command, KR_DAEMON_OPTIONS_HELP);
			return 0;
		default:
			c = refuse_usage(daemon, c, argv);
			fprintf(stderr, "'%s --help' explains how to call it.\n", daemon->command);
			return c;
		}
	}
	if (optind < argc) {
		kr_daemon_complain(daemon, "'%s' is one argument too many", argv[optind]);
		fprintf(stderr, "'%s --help' explains how to call it.\n", daemon->command);
		return KR_DAEMON_WRONG_USAGE;
	}
	if (daemon->options.system && daemon->options.user) {
		kr_daemon_complain(daemon, "--system and --user exclude each other");
		return KR_DAEMON_WRONG_USAGE;
	}
	daemon->options.user |= geteuid() != 0 && !daemon->options.system;
	return -1;
}
