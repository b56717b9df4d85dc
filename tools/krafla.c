/* SPDX-License-Identifier: Apache-2.0 */
/* The `krafla` command: finds the sub-command and runs it. A new one is a line in the table. */
#include "tools/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct kr_subcommand *const commands[] = {
	&kr_subcommand_run,
	&kr_subcommand_layout,
	&kr_subcommand_info,
	&kr_subcommand_explain,
	&kr_subcommand_features,
	&kr_subcommand_fences,
	&kr_subcommand_check,
	&kr_subcommand_deliver,
	&kr_subcommand_package,
	&kr_subcommand_serve,
	&kr_subcommand_service,
};

static const struct kr_subcommand *
find_command(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(commands); i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

static void
print_help(FILE *out)
{
	fputs("usage: krafla COMMAND [ARGUMENT]...\n"
	      "       krafla help COMMAND\n"
	      "       krafla --version\n\n"
	      "A Vulkan platform: window system, buffers, fences and drivers.\n\n",
		out);
	for (size_t i = 0; i < KR_ARRAY_LEN(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fputs("  help     explain a command\n", out);
}

static int
run_help(int argc, char **argv)
{
	const struct kr_subcommand *command;

	if (argc > 2)
		return kr_usage_error("", "'%s' is one argument too many", argv[2]);
	if (argc < 2) {
		print_help(stdout);
		return KR_EXIT_OK;
	}
	command = find_command(argv[1]);
	if (!command)
		return kr_usage_error("", "there is no command '%s'", argv[1]);
	fputs(command->help, stdout);
	return KR_EXIT_OK;
}

/*
 * Whoever starts krafla may have closed them; the next file that is opened would be taken for one.
 * These can't be read or written, as a closed one can't.
 */
static void
hold_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null",
				(fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	}
}

static int
run(int argc, char **argv)
{
	const struct kr_subcommand *command;

	if (argc < 2) {
		print_help(stderr);
		return KR_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return run_help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version")) {
		if (argc > 2)
			return kr_usage_error("", "'%s' is one argument too many", argv[2]);
		puts("krafla " KRAFLA_VERSION);
		return KR_EXIT_OK;
	}
	if (argv[1][0] == '-')
		return kr_usage_error("", "unknown option '%s'", argv[1]);
	command = find_command(argv[1]);
	if (!command)
		return kr_usage_error("", "there is no command '%s'", argv[1]);
	return command->run(argc - 1, argv + 1);
}

/*
 * An answer that isn't all there is none: a full disk is heard of only when the last
 * of it is written.
 */
int
main(int argc, char **argv)
{
	int code;

	hold_standard_descriptors();
	code = run(argc, argv);
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	kr_complain(argc > 1 && argv[1][0] != '-' ? argv[1] : "",
		"the answer can't be written to standard output%s%s", errno ? ": " : "",
		errno ? strerror(errno) : "");
	return KR_EXIT_FAILURE;
}
