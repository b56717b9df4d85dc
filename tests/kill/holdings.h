/* SPDX-License-Identifier: Apache-2.0 */
/* What another process holds of that which programs and their windows bring to it. */
#ifndef KR_TESTS_KILL_HOLDINGS_H
#define KR_TESTS_KILL_HOLDINGS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct kill_holdings {
	unsigned descriptors;
	unsigned threads;
	unsigned mappings; /* of memory objects */
};

struct kill_holdings kill_holdings_look(pid_t pid);
/* Its descriptors and threads, as comments. */
void kill_holdings_list(pid_t pid, FILE *out);
/* Once some looks in turn have found the same. */
struct kill_holdings kill_holdings_settle(pid_t pid);
/*
 * Less is fine: a server that died takes a connection with it. `spare`: so many memory objects may
 * have come.
 */
bool kill_holdings_grew(
	const struct kill_holdings *now, const struct kill_holdings *before, unsigned spare);

#endif
