/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is learned about a program while it runs, to say why it shows nothing: what its libvulkan
 * reports (util/report.h), what EGL costs it, and which Vulkan loaders its processes have loaded
 * (/proc/PID/maps). One thread, but for what the display's thread says of windows.
 */
#ifndef KR_TOOLS_RUN_WITNESS_H
#define KR_TOOLS_RUN_WITNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "tools/run/egl_costs.h"
#include "util/macros.h"

struct kr_witness {
	char *path; /* of the socket; NULL: none could be made, and nothing is heard */
	int fd;     /* readable when a report has come; -1 */
	char *ours; /* the library that the program should take; NULL: not known */
	bool verbose;
	unsigned told; /* reports, of which a few dozen are */
	/* What was reported. */
	bool instance;
	bool no_driver;
	char extension[256]; /* the first that was refused; "" none */
	struct kr_run_costs egl;
	/* What was seen: another Vulkan loader than ours, in a process of the program. */
	char *other;
	pid_t other_pid;
	char other_name[32];
	bool looked;
	bool ours_seen;
	int64_t next_ns; /* when to look; KR_FOREVER: no more */
	unsigned looks;
};

/* `path` is where the socket is to be, `ours` the library's path; both may be NULL. */
void kr_witness_init(struct kr_witness *witness, const char *path, const char *ours, bool verbose);
/* Also of one that is all zero. The socket is removed. */
void kr_witness_finish(struct kr_witness *witness);
/* For who ends without taking anything down. */
void kr_witness_remove(const struct kr_witness *witness);
/* Takes in what has been reported. */
void kr_witness_hear(struct kr_witness *witness);
/* What there is still, once the programs have ended. */
void kr_witness_hear_last(struct kr_witness *witness);
/*
 * Looks at the processes of the program when that is due; `shown`: it has a window, and
 * nothing is to be found out.
 */
void kr_witness_look(struct kr_witness *witness, pid_t program, bool shown, int64_t now);
/*
 * Why nothing was shown, as a sentence: a new string, NULL when nothing is known (or without
 * memory). `window`: there was a window, and only what keeps frames from it is of interest.
 */
char *kr_witness_why(const struct kr_witness *witness, bool window);

#endif
