/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the `krafla` command share: commands, exit codes, usage errors. */
#ifndef KR_TOOLS_COMMAND_COMMAND_H
#define KR_TOOLS_COMMAND_COMMAND_H

#include <stdbool.h>
#include "util/macros.h"

/* What krafla itself exits with; `krafla run` otherwise passes the program's code on. */
enum kr_exit {
	KR_EXIT_OK = 0,
	KR_EXIT_FAILED = 1,           /* check: a case failed */
	KR_EXIT_USAGE = 2,            /* the command line is wrong */
	KR_EXIT_NO_FRAMES = 3,        /* run: frames were asked for and none or fewer came */
	KR_EXIT_NO_DRIVER = 3,        /* check: there is none, or it can't be loaded */
	KR_EXIT_CAPTURE = 4,          /* run: a picture couldn't be written */
	KR_EXIT_GPU_LOST = 5,         /* run: what was to draw all pictures didn't draw all */
	KR_EXIT_NO_DEVICE = 5,        /* features: there is no device to ask */
	KR_EXIT_FAILURE = 125,        /* krafla itself failed; the message says at what */
	KR_EXIT_NOT_EXECUTABLE = 126, /* run: the program can't be executed */
	KR_EXIT_NOT_FOUND = 127,      /* run: there is no such program */
};

struct kr_subcommand {
	const char *name;
	const char *summary; /* for the list of commands */
	const char *help;    /* all of it, usage line first */
	/*
	 * argv[0] is the command's name. Returns the exit code; whether stdout took the
	 * answer is looked at behind it.
	 */
	int (*run)(int argc, char **argv);
};

extern const struct kr_subcommand kr_subcommand_run;
extern const struct kr_subcommand kr_subcommand_layout;
extern const struct kr_subcommand kr_subcommand_info;
extern const struct kr_subcommand kr_subcommand_explain;
extern const struct kr_subcommand kr_subcommand_features;
extern const struct kr_subcommand kr_subcommand_fences;
extern const struct kr_subcommand kr_subcommand_check;
extern const struct kr_subcommand kr_subcommand_deliver;
extern const struct kr_subcommand kr_subcommand_package;
extern const struct kr_subcommand kr_subcommand_serve;
extern const struct kr_subcommand kr_subcommand_service;

/* "krafla COMMAND: message" and a hint where to read on. Returns KR_EXIT_USAGE. */
int kr_usage_error(const char *command, const char *fmt, ...) KR_PRINTF(2, 3);
/* "krafla COMMAND: message" on stderr. */
void kr_complain(const char *command, const char *fmt, ...) KR_PRINTF(2, 3);
/*
 * What getopt_long (with opterr 0 and a leading ':' in its options) refused with `c`, told as a
 * usage error. `argv` must be the one that it read.
 */
int kr_option_error(const char *command, int c, char **argv);

/*
 * The folder that holds bin/krafla, found from the running program: a new string,
 * NULL when unknown.
 */
char *kr_find_prefix(void);
/*
 * krafla-probe where it is installed, else as a build folder has it: a new string,
 * NULL when it is nowhere.
 */
char *kr_find_installed_probe(void);
/*
 * krafla-probe: what KRAFLA_PROBE names, else the one of this krafla. A new string,
 * NULL when unknown.
 */
char *kr_find_probe(void);

#endif
