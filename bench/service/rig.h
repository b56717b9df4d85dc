/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loader service of the benchmark's own: kraflad with a private configuration, socket, packages
 * and (fake) device directory, all in a temporary directory.
 *
 * What can fail returns 0 or 1, with a sentence in rig->reason.
 */
#ifndef KR_BENCH_SERVICE_RIG_H
#define KR_BENCH_SERVICE_RIG_H

#include <sys/types.h>
#include <jansson.h>
#include "bench/bench.h"

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
 * Starts kraflad with these settings (a reference is taken away) beside the rig's own. It doesn't
 * answer yet: service_client_wait.
 */
int service_rig_start(struct service_rig *rig, const char *delivery, json_t *take_settings);
void service_rig_stop(struct service_rig *rig);
void service_rig_remove(struct service_rig *rig);
int service_rig_fail(struct service_rig *rig, const char *what, const char *why);
/* With the first line that the program started last has said. */
int service_rig_fail_logged(struct service_rig *rig, const char *what);

#endif
