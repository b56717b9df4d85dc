/* SPDX-License-Identifier: Apache-2.0 */
/* What kraflad and `krafla serve` can be told. */
#ifndef KR_SERVICE_DAEMON_OPTIONS_H
#define KR_SERVICE_DAEMON_OPTIONS_H

/* The help, behind its usage line. */
#define KR_DAEMON_OPTIONS_HELP                                                                     \
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

#endif
