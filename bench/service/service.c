/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What drivers from the loader service cost, for both ways of giving them: lavapipe as a package,
 * against lavapipe as it is installed.
 */
#include "bench/service/service.h"

#include <glob.h>
#include <stdio.h>

#include "bench/service/client.h"

static const char *const kinds[] = {"mount", "memory"};

/*
 * What the service makes for its first client (copies, in memory) stays with it: no
 * other one's share.
 */
static int
begin(struct service_rig *rig, const char *kind)
{
	struct service_client client;

	if (service_rig_start(rig, kind, json_pack("{s:s}", "software", "lavapipe")) ||
		service_client_wait(rig) || service_client_first(rig, &client))
		return 1;
	service_client_close(&client);
	return 0;
}

static void
with_kind(struct kr_bench *bench, struct service_rig *rig, const char *kind, const char *manifest)
{
	char name[64];

	if (begin(rig, kind)) {
		snprintf(name, sizeof(name), "service: by %s", kind);
		kr_bench_skip(bench, name, rig->reason);
	} else {
		service_starts(bench, rig, kind, manifest);
		service_memory(bench, rig, kind);
	}
	service_rig_stop(rig);
}

static void
with_lavapipe(struct kr_bench *bench, const char *manifest)
{
	struct service_rig rig;

	if (service_rig_create(bench, &rig) || service_rig_package(&rig, manifest, "lavapipe")) {
		kr_bench_skip(bench, "service: lavapipe", rig.reason);
	} else {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			with_kind(bench, &rig, kinds[i], manifest);
	}
	service_rig_remove(&rig);
}

void
kr_bench_service(struct kr_bench *bench)
{
	glob_t found = {0};

	if (glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found))
		kr_bench_skip(bench, "service: lavapipe", "lavapipe's manifest isn't installed");
	else
		with_lavapipe(bench, found.gl_pathv[0]);
	globfree(&found);
	service_devices(bench);
}
