/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Wayland compositor of the test's own, in a process of its own: one window, whose pixels the
 * test sees. It takes buffers of shared memory, and what the test calls dma-bufs.
 */
#ifndef KR_TESTS_COMPOSER_OUTPUT_WAYLAND_SERVER_H
#define KR_TESTS_COMPOSER_OUTPUT_WAYLAND_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WAYLAND_SERVER_PIXELS 40000

/* In memory that both processes have. */
struct wayland_server {
	pid_t pid;
	char path[108];
	pthread_mutex_t lock; /* the rest; not held by a server that is frozen for long */
	uint32_t width;       /* of what is shown */
	uint32_t height;
	uint32_t pixels[WAYLAND_SERVER_PIXELS]; /* XRGB whose X is 0 */
	bool close;                             /* the window shall be closed */
	bool refuse;                            /* dma-bufs */
	uint64_t ahead;                         /* what its clock is, in s */
	unsigned shared;                        /* commits of shared memory */
	unsigned lent;                          /* of dma-bufs */
};

struct wayland_server *wayland_server_start(void);
bool wayland_server_read(
	struct wayland_server *server, uint32_t width, uint32_t height, uint32_t *pixels);
void wayland_server_close_window(struct wayland_server *server);
void wayland_server_kill(struct wayland_server *server);
void wayland_server_stop(struct wayland_server *server);

#endif
