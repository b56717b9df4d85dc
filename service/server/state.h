/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the server and of its clients share. */
#ifndef KR_SERVICE_SERVER_STATE_H
#define KR_SERVICE_SERVER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "service/catalog/catalog.h"
#include "service/offers/offers.h"
#include "service/server/peer.h"
#include "service/users/credentials.h"
#include "service/server/retired.h"
#include "service/store/store.h"
#include "service/users/users.h"
#include "util/list.h"

struct kr_server_counts {
	uint64_t connections, turned_away, thrown_out;
	struct kr_peer_counts given; /* of clients that are gone, too */
};

struct kr_server {
	struct kr_loop *loop;
	const struct kr_config *config;
	struct kr_store *store;
	struct kr_tree *manifests, *devices;
	struct kr_catalog *catalog;
	struct kr_offers *offers;
	struct kr_retired retired;
	json_t *nodes; /* an object, whose keys are the paths of the device fs */
	uid_t own_uid;
	char *unconfined; /* why it couldn't be; NULL: it is, or nobody tried to */
	bool started;     /* packages and devices are being looked at */
	bool was_idle;    /* there was a time when nothing was being looked at */
	bool has_news;    /* another summary than when this was last cleared, by whoever shows it */

	int socket;
	struct kr_watch *accepting;
	struct kr_list peers; /* kr_peer.link */
	uint32_t peer_count;
	uint64_t next_number;
	struct kr_users users;

	struct kr_server_counts counts;
	int64_t since;
	int64_t quiet_until; /* no complaint about a client before */
};

/* Nothing is being looked at. */
static inline bool
kr_server_is_idle(const struct kr_server *server)
{
	return server->started && kr_catalog_is_idle(server->catalog) &&
		kr_offers_is_idle(server->offers);
}

/* --- serve.c --- */

/* A peer that was accepted, or that a test has made. Takes both, on failure too. 0 or -errno. */
int kr_server_serve(struct kr_server *server, int take_fd, const struct kr_credentials *credentials,
	struct kr_user *take_user) KR_MUST_CHECK;

/* Begins to accept. 0 or -errno. */
int kr_server_accept(struct kr_server *server) KR_MUST_CHECK;

/* --- inspect.c --- */

/* The state as a sealed memfd. 0 or -errno. */
int kr_server_state(const struct kr_server *server, int *fd) KR_MUST_CHECK;
/* A line: how many drivers, packages, devices. A new string, NULL without memory. */
char *kr_server_summary(const struct kr_server *server);

#endif
