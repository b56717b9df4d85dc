/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe (K-41): a driver library is opened by a program of its own, krafla-probe, before this
 * process opens it. One that crashes or hangs there is quarantined: it takes nobody down. Opt-in,
 * because it starts a process.
 *
 * The verdict is remembered in $XDG_CACHE_HOME/krafla/probe (else ~/.cache/krafla/probe), one file
 * a library, for as long as the library is the same file with the same size and time. Where it is
 * named without a directory and isn't in LD_LIBRARY_PATH, the dynamic linker's list of libraries
 * (/etc/ld.so.cache) must be the same.
 *
 * Thread-safety: any thread. Starting the program gives the process a child, which is waited for.
 */
#ifndef KR_DISCOVER_PROBE_H
#define KR_DISCOVER_PROBE_H

#include <stdbool.h>
#include "util/macros.h"

struct kr_discover_options;

enum kr_probe_mode {
	KR_PROBE_BY_VARIABLE, /* unknown libraries, if KRAFLA_PROBE says so */
	KR_PROBE_EVERYTHING,  /* the others too, now; of them nothing is remembered */
};

/* Zero (or NULL) members mean the default in brackets. */
struct kr_probe_options {
	enum kr_probe_mode mode;
	/* [KRAFLA_PROBE if a path, else krafla/krafla-probe beside this library] */
	const char *program;
	unsigned timeout_ms; /* [KR_PROBE_TIMEOUT_MS] */
};

#define KR_PROBE_TIMEOUT_MS 5000u
#define KR_PROBE_TEXT_SIZE  512 /* room for a sentence with two paths in it */

enum kr_probe_outcome {
	KR_PROBE_WORKS,   /* opened and ended in peace, whatever the driver then said */
	KR_PROBE_CRASHED, /* a signal, or an exit of the driver's own */
	KR_PROBE_HUNG,    /* nothing came for the time allowed */
};

struct kr_probe_result {
	enum kr_probe_outcome outcome;
	int devices; /* how many it has, -1 when it didn't get so far */
	/*
	 * What happened, as part of a sentence: "signal 11 (Segmentation fault) while
	 * it was opened".
	 */
	char text[KR_PROBE_TEXT_SIZE];
};

/* How far the probe goes. */
enum kr_probe_depth {
	KR_PROBE_AS_DRIVER, /* makes an instance and counts its devices */
	KR_PROBE_OPEN,      /* opens the library and calls nothing of it: for layers */
};

/*
 * Has `program` open the library. 0, or -errno when that can't be done or understood: then nothing
 * is known of the library.
 */
int kr_probe_run(const char *program, const char *library_path, enum kr_probe_depth depth,
	unsigned timeout_ms, struct kr_probe_result *result) KR_MUST_CHECK;

/*
 * Reads the answer of krafla-probe, which it changes: "OUTCOME DEVICES TEXT\n", with the outcome as
 * a number of enum kr_probe_outcome. 0 or -EPROTO.
 */
int kr_probe_parse(char *answer, struct kr_probe_result *result) KR_MUST_CHECK;

/*
 * Whether the library must not be opened: it crashed or hung, now or, by what is remembered,
 * before. If so, *reason is a sentence (NULL without memory), which has been logged.
 */
bool kr_driver_quarantined(const struct kr_discover_options *options, const char *library_path,
	char **reason) KR_MUST_CHECK;

#endif
