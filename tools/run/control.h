/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control socket of a `krafla run` (docs/control-protocol.md): whoever connects lists windows
 * and places them. It is served by the thread that polls, which never waits for a client: one that
 * doesn't read its answers is let go, and so is the one that was silent longest when another comes
 * and there are too many. Thread-safety: one thread.
 */
#ifndef KR_TOOLS_RUN_CONTROL_H
#define KR_TOOLS_RUN_CONTROL_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include "composer/layout.h"
#include "tools/command/control.h"
#include "util/macros.h"
#include "window/remote/listener.h"

#define KR_CONTROL_CLIENTS 8
/* Descriptors that are polled. */
#define KR_CONTROL_POLL (1 + KR_CONTROL_CLIENTS)

/* What is asked. Calls come from kr_control_dispatch, and wait for nothing. */
struct kr_control_host {
	enum kr_layout (*get_layout)(void *data);
	void (*set_layout)(void *data, enum kr_layout layout);
	/* How large pictures are (0: not known yet), the rate, and how the screen is turned. */
	void (*get_screen)(void *data, uint32_t *width, uint32_t *height, uint32_t *refresh_mhz,
		int32_t *transform);
	/* 0 or -errno. */
	int (*set_turn)(void *data, int32_t transform);
	int (*set_size)(void *data, uint32_t width, uint32_t height);
	/* False: there is none of that number, the first is 1. */
	bool (*get_program)(void *data, uint32_t number, struct kr_cp_program *program);
	/* The window with the smallest id above `after`; false: none. */
	bool (*get_window)(void *data, uint64_t after, struct kr_cp_window2 *window);
	/* What is set replaces what was asked for. 0, -ENOENT. */
	int (*place_program)(void *data, uint32_t number, const struct kr_layout_place *place);
	int (*place_window)(void *data, uint64_t id, const struct kr_layout_place *place);
};

struct kr_control_client {
	int fd;           /* -1: none */
	uint32_t version; /* that is spoken with it; 0: it hasn't said hello */
	uint64_t heard;   /* kr_control.serial when it last said something */
};

struct kr_control {
	const struct kr_control_host *host;
	void *data;
	struct kr_listener listener;
	struct kr_control_client clients[KR_CONTROL_CLIENTS];
	uint64_t serial;
};

/* Nobody listens. */
void kr_control_init(struct kr_control *control, const struct kr_control_host *host, void *data);
/* 0 or -errno of the socket. */
int kr_control_listen(struct kr_control *control, const char *path) KR_MUST_CHECK;
/* Safe on one that is zeroed. */
void kr_control_finish(struct kr_control *control);
/* Takes the client in, as one that has connected. */
void kr_control_add(struct kr_control *control, int take_socket);
void kr_control_poll(const struct kr_control *control, struct pollfd fds[KR_CONTROL_POLL]);
/* Answers what has come, a bounded part of it at a time. `fds` as kr_control_poll filled them. */
void kr_control_dispatch(struct kr_control *control, const struct pollfd fds[KR_CONTROL_POLL]);

#endif
