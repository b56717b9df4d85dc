/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of kraflad's main share: the process from its command line to its end. For them
 * alone.
 */
#ifndef KR_SERVICE_DAEMON_DAEMON_H
#define KR_SERVICE_DAEMON_DAEMON_H

#include <stdbool.h>
#include <sys/stat.h>
#include "service/config/config.h"
#include "service/loop/loop.h"
#include "util/macros.h"

/* As the krafla command's (tools/command/command.h). */
#define KR_DAEMON_WRONG_USAGE 2
#define KR_DAEMON_FAILED      125

struct kr_server;

struct kr_daemon_options {
	const char *config;
	const char *socket;
	bool user, system;
	bool check; /* the configuration, and nothing else */
};

struct kr_daemon {
	const char *command;
	struct kr_daemon_options options;
	/* The second one while it takes the place of the first, or the other way round */
	struct kr_config configs[2];
	struct kr_config *config; /* that counts; NULL: none was read */
	struct kr_loop *loop;
	struct kr_server *server;
	struct kr_watch *signals;
	int signal_fd;
	int notify;
	int socket;        /* until the server has it */
	char *socket_path; /* that was made here; NULL: handed over */
	struct stat made;  /* what was made, so that no other's is removed */
	bool stopped;
};

/* "COMMAND: message" on stderr. */
void kr_daemon_complain(const struct kr_daemon *daemon, const char *fmt, ...) KR_PRINTF(2, 3);

/* options.c: -1: go on; else the exit code. */
int kr_daemon_read_options(struct kr_daemon *daemon, int argc, char **argv) KR_MUST_CHECK;
/* The configuration: 0 or -errno, which has been told. */
int kr_daemon_configure(struct kr_daemon *daemon) KR_MUST_CHECK;
/* Reads it anew and takes over what can be; what can't, and what is wrong, is told. */
void kr_daemon_reload(struct kr_daemon *daemon);

/* confine.c: from here on, for good. What can't be had is told. */
void kr_daemon_confine(struct kr_daemon *daemon);

/* socket.c: the one that was handed over, or a new one. 0 or -errno, which has been told. */
int kr_daemon_get_socket(struct kr_daemon *daemon) KR_MUST_CHECK;
/* What was made, unless another has taken its place. */
void kr_daemon_remove_socket(struct kr_daemon *daemon);

/* activation.c: what systemd says by its environment, and is told. */

/*
 * A socket that was handed over (LISTEN_FDS): 1 and the descriptor, the caller's; 0 none was;
 * -errno with a sentence when it isn't one listening SEQPACKET socket.
 */
int kr_activation_take(int *socket, char **reason) KR_MUST_CHECK;
/* Where to tell how it goes (NOTIFY_SOCKET): a descriptor, or -1. Before namespaces change. */
int kr_activation_notify_open(void);
/* Never waits; what can't be told isn't. */
void kr_activation_notify(int fd, const char *text);

#endif
