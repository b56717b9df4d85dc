/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `krafla deliver`. */
#ifndef KR_TOOLS_DELIVER_OPTIONS_H
#define KR_TOOLS_DELIVER_OPTIONS_H

#include <stdbool.h>
#include "tools/deliver/bwrap.h"
#include "util/macros.h"

struct kr_deliver_options {
	const char *driver;  /* a name, manifest or package directory; NULL: the best there is */
	const char *service; /* a socket; NULL: as the environment says, or none */
	bool no_service;
	bool strict;
	bool sandbox; /* the command makes the driver's process see other libraries than this one */
	bool library_path;
	bool print;
	bool bwrap;
	struct kr_bwrap_line line; /* with bwrap */
	char **command;            /* NULL-terminated, points into argv */
};

extern const char kr_deliver_help[];

/* 0; 1 when help was asked for and shown; otherwise an exit code, the reason told on stderr. */
int kr_deliver_options_parse(int argc, char **argv, struct kr_deliver_options *options)
	KR_MUST_CHECK;

#endif
