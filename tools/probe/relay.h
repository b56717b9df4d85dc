/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver that is tried writes to standard error, on its way to the service's log: only so
 * much of it, and nothing that a terminal obeys. So the driver has none of the service's own files
 * open.
 */
#ifndef KR_TOOLS_PROBE_RELAY_H
#define KR_TOOLS_PROBE_RELAY_H

#include <stddef.h>

#define PROBE_RELAY_MOST ((size_t)32768) /* of one trial */

struct probe_relay {
	int fd; /* -1: none, or at its end */
	size_t said;
};

/* The driver's side, for standard error: the caller's, or -1, and then standard error stays. */
int probe_relay_init(struct probe_relay *relay);
/* Passes on what is there, without waiting for more; closes fd at the end. */
void probe_relay_pass(struct probe_relay *relay);
/* When the driver is gone: passes on all that is left. */
void probe_relay_finish(struct probe_relay *relay);

#endif
