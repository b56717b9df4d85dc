/* SPDX-License-Identifier: Apache-2.0 */
/* What kraflad and `krafla serve` do beside serving: options, and being started by systemd. */
#ifndef KR_SERVICE_SERVER_MAIN_H
#define KR_SERVICE_SERVER_MAIN_H

#include <stdbool.h>
#include "util/macros.h"

/* The help, behind its usage line. */
#define KR_SERVER_OPTIONS_HELP                                                                     \
	"Offers drivers to processes that have none, until it is ended by SIGTERM, SIGINT or\n"    \
	"SIGQUIT. By SIGHUP it reads its configuration anew.\n"                                    \
	"What it offers, and to whom, says its configuration (docs/service.md).\n\n"               \
	"  --config FILE  instead of /etc/krafla/kraflad.json, or krafla/kraflad.json of the\n"    \
	"                 user's configuration directory, which need not be there\n"               \
	"  --socket PATH  listen there; default: as the configuration says, then\n"                \
	"                 /run/krafla/service for root, krafla/service of XDG_RUNTIME_DIR for\n"   \
	"                 others. A socket that systemd hands over comes before all of these\n"    \
	"  --system       as the system's service, whoever runs it: its socket and "               \
	"configuration\n"                                                                          \
	"  --user         as a user's service: his socket and configuration, also for root\n"      \
	"                 (default: the system's for root, a user's for others)\n"                 \
	"  --check        read the configuration, say what is wrong with it, and end\n"            \
	"  -h, --help     this text\n"

struct kr_server_options {
	const char *config;
	const char *socket;
	bool user, system;
	bool check; /* the configuration, and nothing else */
};

/* activation.c: what systemd says by its environment, and is told. */

/*
 * A socket that was handed over (LISTEN_FDS): 1 and the descriptor, the caller's; 0 none was; -errno with a sentence
 * when it isn't one listening SEQPACKET socket.
 */
int kr_activation_take(int *socket, char **reason) KR_MUST_CHECK;
/* Where to tell how it goes (NOTIFY_SOCKET): a descriptor, or -1. Before namespaces change. */
int kr_activation_notify_open(void);
/* Never waits; what can't be told isn't. */
void kr_activation_notify(int fd, const char *text);

#endif
