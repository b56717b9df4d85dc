/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Wayland compositor of the test's own, in a process of its own: it shows nothing, counts what it
 * is told, and misbehaves as it is asked to.
 */
#ifndef KR_TESTS_SURFACE_WAYLAND_SERVER_H
#define KR_TESTS_SURFACE_WAYLAND_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What it has, beside wl_compositor. */
#define SERVER_SHM          1u
#define SERVER_DMABUF       2u
#define SERVER_PRESENTATION 4u
#define SERVER_FENCES       8u
#define SERVER_TEARING      16u
#define SERVER_ALL          31u

struct server_setup {
	uint32_t has;
	uint32_t compositor; /* its version; 0: 4 */
	unsigned dies_at;    /* with this request of all, counted from 1; 0: never */
	bool breaks;         /* it says that a rule was broken then, in place of dying */
	bool refuses;        /* dma-bufs */
};

/* In memory that both processes have. */
struct wayland_server {
	pid_t pid;
	char path[108];
	struct server_setup setup;
	pthread_mutex_t lock; /* the rest */
	bool hides;           /* the window: no callbacks, nothing is shown */
	bool keeps;           /* buffers: none is released */
	unsigned requests;    /* of all */
	unsigned commits;     /* with a buffer */
	unsigned lent;        /* of these with a dma-buf */
	unsigned fences;      /* acquire fences */
	uint32_t first_pixel; /* of what was committed last */
	uint32_t format;
	int32_t transform;
	uint32_t hint; /* of tearing-control */
	unsigned damages;
	int32_t damage[4]; /* the last; x, y, width, height */
	bool buffer_damage;
};

struct wayland_server *server_start(const struct server_setup *setup);
/* Waits until so many commits have come; fails the case after 10 s. */
void server_expect_commits(struct wayland_server *server, unsigned commits);
void server_set(struct wayland_server *server, bool hides, bool keeps);
void server_kill(struct wayland_server *server);
void server_stop(struct wayland_server *server);

#endif
