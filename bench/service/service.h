/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loader service of the benchmark's own: kraflad with a private configuration, socket, packages
 * and (fake) device directory, all in a temporary directory.
 *
 * What can fail returns 0 or 1, with a sentence in rig->reason.
 */
#ifndef KR_BENCH_SERVICE_H
#define KR_BENCH_SERVICE_H

#include <stdbool.h>
#include <sys/types.h>
#include <jansson.h>
#include "bench/bench.h"
#include "client/connection.h"
#include "delivery/delivery.h"

#define SERVICE_PATH 256

struct service_rig {
	char root[64]; /* "" when there is none */
	char prefix[SERVICE_PATH];
	char socket[96], packages[96], dev[96], sys[96];
	pid_t pid; /* of kraflad; 0: it doesn't run */
	char reason[1024];
};

int service_rig_create(struct kr_bench *bench, struct service_rig *rig);
/* `krafla package`: an installed driver as package `name`. */
int service_rig_package(struct service_rig *rig, const char *manifest, const char *name);
/* Writes into a file of the temporary directory, whose folders are made. */
int service_rig_write(struct service_rig *rig, const char *path, const char *text);
/*
 * Starts kraflad with these settings (a reference is taken away) beside the rig's own, and waits
 * until it has looked at everything.
 */
int service_rig_start(struct service_rig *rig, const char *delivery, json_t *take_settings);
void service_rig_stop(struct service_rig *rig);
void service_rig_remove(struct service_rig *rig);
int service_rig_fail(struct service_rig *rig, const char *what, const char *why);

/* A client in this process: a connection, and what it has been given. */
struct service_client {
	struct kr_connection *connection;
	struct kr_answer manifests; /* a directory or a listing */
	struct kr_answer package;   /* of the first manifest */
	char name[64];
};
/* Connects, waits for idle and takes the manifests. */
int service_client_open(struct service_rig *rig, struct service_client *client);
/* Asks for the package `client->name`. */
int service_client_get(struct service_rig *rig, struct service_client *client);
/* All of it: connects, and takes the package of the one driver that is served. */
int service_client_first(struct service_rig *rig, struct service_client *client);
void service_client_close(struct service_client *client);

/*
 * Words that put a program into a sandbox with nothing but itself, the loader, the libraries that
 * it needs itself, and what the rig has; with `driver` (a library) and its manifest also that
 * driver's libraries. The words are the caller's to free.
 */
struct service_sandbox {
	char **words;
	size_t count, room;
};
int service_sandbox_make(struct kr_bench *bench, struct service_rig *rig,
	const char *const *libraries, const char *manifest, struct service_sandbox *sandbox);
/* One more file or directory, at the same path. */
void service_sandbox_bind(struct service_sandbox *sandbox, const char *path);
void service_sandbox_free(struct service_sandbox *sandbox);

/* The rows. `kind` is "mount" or "memory", in which the service runs. */
void service_starts(
	struct kr_bench *bench, struct service_rig *rig, const char *kind, const char *manifest);
void service_memory(struct kr_bench *bench, struct service_rig *rig, const char *kind);
void service_devices(struct kr_bench *bench);

#endif
