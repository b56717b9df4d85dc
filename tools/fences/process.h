/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc says of processes, and why it, or the kernel, says no more. */
#ifndef KR_TOOLS_FENCES_PROCESS_H
#define KR_TOOLS_FENCES_PROCESS_H

#include "tools/fences/sample.h"

/* Fills in pid, group, command, state, kernel. 0, -ESRCH, or -EACCES: it is there but hidden. */
int kr_fences_process_read(pid_t pid, struct kr_fences_process *process) KR_MUST_CHECK;
/* The same of a process that may or may not be part of the sample; state 0 when it isn't there. */
void kr_fences_process_find(
	const struct kr_fences_sample *sample, pid_t pid, struct kr_fences_process *process);
/* A file of /proc, "/proc/PID/NAME", as text; its length, or -errno. */
int kr_fences_read_proc(pid_t pid, const char *name, char *out, size_t room) KR_MUST_CHECK;
/* Adds all processes but krafla itself and those that are in `known` (may be NULL). 0 or -errno. */
int kr_fences_process_list(struct kr_fences_sample *sample, const struct kr_fences_sample *known)
	KR_MUST_CHECK;
/* "running", "sleeping", "stopped" or "dead", for a letter of /proc; 0: it isn't there. */
const char *kr_fences_state(char state);
/* Text of others, without what steers a terminal: at most 31 bytes. */
void kr_fences_clean(char *out, size_t room, const char *text, size_t len);
/* Whether a process is in krafla's own network namespace, whose sockets its table shows. */
bool kr_fences_same_network(pid_t pid);

/* --- rights.c: sentences (free), NULL without memory. --- */

/* Why its list of descriptors can't be read: opening it gave `err` (negative). */
char *kr_fences_why_no_list(pid_t pid, int err);
/* Why its descriptors can't be looked at: pidfd_getfd gave `err` (negative). */
char *kr_fences_why_no_look(pid_t pid, int err);

#endif
