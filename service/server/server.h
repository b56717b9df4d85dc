/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service as a whole: configuration, packages, devices, and the clients of one listening socket.
 * kraflad, `krafla serve`, `krafla deliver` and tests make one.
 */
#ifndef KR_SERVICE_SERVER_SERVER_H
#define KR_SERVICE_SERVER_SERVER_H

#include <jansson.h>
#include "service/config/config.h"
#include "service/loop/loop.h"
#include "service/offers/offers.h"
#include "util/macros.h"

struct kr_server;

/*
 * Borrows loop and config; takes the listening SEQPACKET socket, on failure too. `sources` may be
 * NULL. Looks at packages and devices from here on. 0 or -errno with a sentence in *reason.
 */
int kr_server_create(struct kr_loop *loop, const struct kr_config *config, int take_socket,
	const struct kr_offers_sources *sources, struct kr_server **server, char **reason)
	KR_MUST_CHECK;
/*
 * Another configuration while it runs (borrowed), whose fixed keys (config.h) are as before.
 * Clients stay connected, and what is offered stays until it is known what takes its place. 0 or
 * -ENOMEM: as before.
 */
int kr_server_configure(struct kr_server *server, const struct kr_config *config) KR_MUST_CHECK;
/*
 * Configuration, health, devices, candidates, packages, offers, clients, deliveries, fallbacks
 * (M-06).
 */
json_t *kr_server_inspect(const struct kr_server *server);
void kr_server_destroy(struct kr_server *server);

/*
 * A listening socket at `path`: a dead one is replaced, a live one is -EADDRINUSE. 0 or -errno with
 * a sentence.
 */
int kr_server_listen(const char *path, int *socket, char **reason) KR_MUST_CHECK;

#endif
