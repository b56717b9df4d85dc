/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a program's first instruction to its first physical device: alone, in a sandbox, and a
 * hundred at once. With the driver from the service; with the one that is installed; and with the
 * package's files loaded by their paths, which tells what the delivery costs from what the files'
 * place in the disk's cache does. The ways take turns.
 */
#include "bench/service/service.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/service/client.h"
#include "bench/service/sandbox.h"
#include "bench/vulkan_child.h"
#include "delivery/delivery.h"

#define MAX_STARTS  300
#define MAX_AT_ONCE 100

/* What a child tells of its first device. */
struct start {
	double us;     /* from its first instruction; NAN: it got none */
	double cpu_us; /* of its processor time, since it was forked */
	int64_t when;
};

static int64_t
cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* `first LOADER` prints its struct start. */
int
kr_bench_child_first(int argc, char **argv)
{
	PFN_vkEnumeratePhysicalDevices list;
	int64_t start = kr_bench_now(), end;
	struct vulkan_child vk;
	uint32_t count = 0;

	if (argc < 1 || vulkan_child_open(&vk, argv[0]))
		return 1;
	list = (PFN_vkEnumeratePhysicalDevices)vk.gipa(vk.instance, "vkEnumeratePhysicalDevices");
	if (list(vk.instance, &count, NULL) != VK_SUCCESS || !count)
		return 1;
	end = kr_bench_now();
	printf("%.3f %.3f %" PRId64 "\n", (double)(end - start) / 1000, (double)cpu_now() / 1000,
		end);
	return 0;
}

/* A way to get the driver. */
enum { SERVICE, INSTALLED, PACKAGE, WAYS };

struct way {
	char text[3][SERVICE_PATH + 32]; /* environment */
	struct service_sandbox sandbox;
};

static void
start_one(struct kr_bench *bench, const struct way *way, struct kr_bench_process *process)
{
	const char *arguments[] = {"first", bench->loaders[KR_BENCH_KRAFLA], NULL};
	const char *environment[] = {way->text[0], way->text[1], way->text[2], NULL};

	(void)kr_bench_spawn(
		bench, (const char *const *)way->sandbox.words, arguments, environment, process);
}

static struct start
collect_one(struct kr_bench_process *process)
{
	struct start start = {NAN, NAN, 0};
	char out[128], *end;

	if (kr_bench_collect(process, out, sizeof(out)))
		return start;
	start.us = strtod(out, &end);
	start.cpu_us = strtod(end, &end);
	start.when = strtoll(end, NULL, 10);
	return start;
}

static struct start
one_start(struct kr_bench *bench, const struct way *way)
{
	struct kr_bench_process process;

	start_one(bench, way, &process);
	return collect_one(&process);
}

/* So many together: .us until the last one has its device. */
static struct start
many_starts(struct kr_bench *bench, const struct way *way, unsigned count)
{
	struct kr_bench_process processes[MAX_AT_ONCE];
	struct start all = {.us = 0};
	int64_t start = kr_bench_now();
	bool failed = false;

	for (unsigned i = 0; i < count; i++)
		start_one(bench, way, &processes[i]);
	for (unsigned i = 0; i < count; i++) {
		struct start one = collect_one(&processes[i]);

		failed |= isnan(one.us);
		all.us = fmax(all.us, (double)(one.when - start) / 1000);
		all.cpu_us += one.cpu_us;
	}
	if (failed)
		all.us = NAN;
	return all;
}

struct medians {
	double us[WAYS], cpu_us[WAYS];
};

/* Of runs in turns; NAN for a way that failed once. */
static void
take_turns(struct kr_bench *bench, const struct way ways[WAYS], unsigned runs, unsigned at_once,
	struct medians *medians)
{
	static double us[WAYS][MAX_STARTS], cpu_us[WAYS][MAX_STARTS];
	bool failed[WAYS] = {false};

	for (unsigned run = 0; run < runs; run++) {
		for (unsigned i = 0; i < WAYS; i++) {
			struct start start = at_once ? many_starts(bench, &ways[i], at_once)
						     : one_start(bench, &ways[i]);

			us[i][run] = start.us;
			cpu_us[i][run] = start.cpu_us;
			failed[i] |= isnan(start.us);
		}
	}
	for (unsigned i = 0; i < WAYS; i++) {
		medians->us[i] = failed[i] ? NAN : kr_bench_median(us[i], runs);
		medians->cpu_us[i] = failed[i] ? NAN : kr_bench_median(cpu_us[i], runs);
	}
}

static void
compare(struct kr_bench *bench, const char *name, const char *unit, const double values[WAYS],
	double goal)
{
	static const char *const names[WAYS] = {
		"the service", "driver installed", "package's files, by path"};
	char reason[96];

	for (unsigned i = INSTALLED; i < WAYS; i++) {
		unsigned failed = isnan(values[SERVICE]) ? SERVICE : i;

		snprintf(reason, sizeof(reason), "a program got no device (%s)", names[failed]);
		if (isnan(values[failed]))
			kr_bench_skip(bench, name, reason);
		else
			kr_bench_row(bench, name, unit, values[SERVICE], names[i], values[i], goal);
	}
}

static unsigned
runs_of(const struct kr_bench *bench)
{
	unsigned runs = bench->repeat * (bench->quick ? 1 : 20);

	return runs < MAX_STARTS ? runs : MAX_STARTS;
}

/* SONAMEs that the package needs of the process. Borrowed from the delivery; NULL-terminated. */
static void
list_needs(const struct kr_index *index, const char **names)
{
	size_t count = 0;

	for (size_t i = 0; i < index->need_count && count < KR_INDEX_MAX_FILES; i++) {
		bool own = false;

		for (size_t k = 0; k < index->file_count; k++)
			own |= index->files[k].soname &&
				!strcmp(index->files[k].soname, index->needs[i].library);
		if (!own)
			names[count++] = index->needs[i].library;
	}
	names[count] = NULL;
}

static int
sandbox_of_service(struct kr_bench *bench, struct service_rig *rig, struct service_sandbox *sandbox)
{
	const char *names[KR_INDEX_MAX_FILES + 1];
	struct kr_delivery *delivery;
	struct service_client client;
	char *reason = NULL;
	int ret = service_client_first(rig, &client);

	if (ret)
		return ret;
	ret = kr_delivery_take(client.package.message.package.kind, client.package.fds,
		client.package.fd_count, &delivery, &reason);
	client.package.fd_count = 0;
	if (ret) {
		ret = service_rig_fail(rig, "the package", reason ? reason : "out of memory");
	} else {
		list_needs(kr_delivery_index(delivery), names);
		ret = service_sandbox_make(bench, rig, names, NULL, sandbox);
		kr_delivery_destroy(delivery);
	}
	free(reason);
	service_client_close(&client);
	return ret;
}

static int
sandbox_of_driver(struct kr_bench *bench, struct service_rig *rig, const char *manifest,
	struct service_sandbox *sandbox)
{
	char driver[4096];
	const char *names[] = {driver, NULL};

	if (vulkan_child_driver_path(manifest, driver, sizeof(driver)))
		return service_rig_fail(rig, manifest, "it names no absolute path");
	return service_sandbox_make(bench, rig, names, manifest, sandbox);
}

/* The one of the service is enough for the package's files, with these beside it. */
static int
make_sandboxes(struct kr_bench *bench, struct service_rig *rig, const char *manifest,
	struct way ways[WAYS])
{
	if (sandbox_of_service(bench, rig, &ways[SERVICE].sandbox) ||
		sandbox_of_service(bench, rig, &ways[PACKAGE].sandbox))
		return 1;
	service_sandbox_bind(&ways[PACKAGE].sandbox, rig->packages);
	return sandbox_of_driver(bench, rig, manifest, &ways[INSTALLED].sandbox);
}

/* Copies in memory have pages of their own kind. */
static double
goal_of(const char *kind)
{
	return strcmp(kind, "memory") ? 1.05 : 1.1;
}

static void
in_sandbox(struct kr_bench *bench, struct service_rig *rig, const char *name, const char *kind,
	const char *manifest, struct way ways[WAYS])
{
	struct medians medians;

	if (make_sandboxes(bench, rig, manifest, ways)) {
		kr_bench_skip(bench, name, rig->reason);
	} else {
		take_turns(bench, ways, runs_of(bench), 0, &medians);
		compare(bench, name, "us", medians.us, goal_of(kind));
	}
	for (unsigned i = 0; i < WAYS; i++)
		service_sandbox_free(&ways[i].sandbox);
}

static void
name_ways(const struct service_rig *rig, const char *manifest, struct way ways[WAYS])
{
	size_t size = sizeof(ways->text[0]);

	for (unsigned i = 0; i < WAYS; i++) {
		snprintf(ways[i].text[0], size, "KRAFLA_SERVICE=%s",
			i == SERVICE ? rig->socket : "none");
		snprintf(ways[i].text[2], size, "LD_LIBRARY_PATH=");
	}
	snprintf(ways[SERVICE].text[1], size, "KRAFLA_PROFILE=fuchsia");
	snprintf(ways[INSTALLED].text[1], size, "VK_DRIVER_FILES=%s", manifest);
	snprintf(ways[PACKAGE].text[1], size, "VK_DRIVER_FILES=%s/lavapipe/contents/%s",
		rig->packages, strrchr(manifest, '/') + 1);
	snprintf(
		ways[PACKAGE].text[2], size, "LD_LIBRARY_PATH=%s/lavapipe/contents", rig->packages);
}

void
service_starts(
	struct kr_bench *bench, struct service_rig *rig, const char *kind, const char *manifest)
{
	struct way ways[WAYS] = {0};
	unsigned at_once = bench->quick ? MAX_AT_ONCE / 10 : MAX_AT_ONCE;
	struct medians medians;
	char name[96];

	name_ways(rig, manifest, ways);
	snprintf(name, sizeof(name), "service: first device, by %s", kind);
	take_turns(bench, ways, runs_of(bench), 0, &medians);
	compare(bench, name, "us", medians.us, goal_of(kind));
	snprintf(name, sizeof(name), "service: processor time until then, by %s", kind);
	compare(bench, name, "us", medians.cpu_us, 0);
	snprintf(name, sizeof(name), "service: first device in a sandbox, by %s", kind);
	in_sandbox(bench, rig, name, kind, manifest, ways);
	snprintf(name, sizeof(name), "service: last device of %u starts at once, by %s", at_once,
		kind);
	take_turns(bench, ways, bench->quick ? 1 : bench->repeat, at_once, &medians);
	for (unsigned i = 0; i < WAYS; i++)
		medians.us[i] /= 1000;
	compare(bench, name, "ms", medians.us, 0);
}
