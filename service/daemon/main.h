/* SPDX-License-Identifier: Apache-2.0 */
/* What kraflad and `krafla serve` are: a service from its command line to its end. */
#ifndef KR_SERVICE_DAEMON_MAIN_H
#define KR_SERVICE_DAEMON_MAIN_H

/* Options, socket activation, signals: runs until it is ended, and returns the exit code. */
int kr_daemon_main(int argc, char **argv, const char *command);

#endif
