/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the loader service. */
#ifndef KR_BENCH_SERVICE_SERVICE_H
#define KR_BENCH_SERVICE_SERVICE_H

#include "bench/service/rig.h"

/* `kind` is "mount" or "memory", in which the service runs. */
void service_starts(
	struct kr_bench *bench, struct service_rig *rig, const char *kind, const char *manifest);
void service_memory(struct kr_bench *bench, struct service_rig *rig, const char *kind);
void service_devices(struct kr_bench *bench);

#endif
