/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client in this process, which loads nothing: a connection, and what it has been given.
 *
 * What can fail returns 0 or 1, with a sentence in rig->reason.
 */
#ifndef KR_BENCH_SERVICE_CLIENT_H
#define KR_BENCH_SERVICE_CLIENT_H

#include "bench/service/rig.h"
#include "client/connection.h"

struct service_client {
	struct kr_connection *connection;
	struct kr_answer manifests; /* a directory or a listing */
	struct kr_answer package;   /* of the first manifest */
	char name[64];
};
/* Waits until kraflad has looked at everything and answers. */
int service_client_wait(struct service_rig *rig);
/* Connects, waits for idle and takes the manifests. */
int service_client_open(struct service_rig *rig, struct service_client *client);
/* Asks for the package `client->name`. */
int service_client_get(struct service_rig *rig, struct service_client *client);
/* All of it: connects, and takes the package of the one driver that is served. */
int service_client_first(struct service_rig *rig, struct service_client *client);
void service_client_close(struct service_client *client);

#endif
