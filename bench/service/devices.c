/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a device node appearing to its driver's manifest appearing before a client's inotify. Device
 * directory and sysfs are made up, and so is the driver: the null driver under the name of one that
 * the device map has. It isn't probed, for no made-up node would answer.
 */
#include "bench/service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/service/client.h"
#include "bench/vulkan_child.h"
#include "delivery/delivery.h"

#define NODE    "dev/dri/renderD128"
#define LIBRARY "libvulkan_radeon.so"
#define MANIFEST                                                                                   \
	"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"%s\", "                \
	"\"api_version\": \"1.3.239\"}}\n"
#define PATIENCE  10000 /* ms */
#define MAX_TURNS 200

/* An installed driver to make a package of. */
static int
make_package(struct kr_bench *bench, struct service_rig *rig)
{
	char library[4096], copy[2 * SERVICE_PATH], manifest[2 * SERVICE_PATH], text[4096];

	if (vulkan_child_driver_path(bench->null_manifest, library, sizeof(library)))
		return service_rig_fail(rig, bench->null_manifest, "it names no absolute path");
	snprintf(copy, sizeof(copy), "%s/" LIBRARY, rig->root);
	if (symlink(library, copy))
		return service_rig_fail(rig, copy, strerror(errno));
	snprintf(text, sizeof(text), MANIFEST, copy);
	snprintf(manifest, sizeof(manifest), "%s/icd.json", rig->root);
	return service_rig_write(rig, "icd.json", text) ||
		service_rig_package(rig, manifest, "radv");
}

/* Waits for an event, so long at most. */
static int
wait_for(struct service_rig *rig, int watch, uint32_t wanted)
{
	char buffer[4096] __attribute__((aligned(8)));
	struct pollfd p = {.fd = watch, .events = POLLIN};

	while (poll(&p, 1, PATIENCE) > 0) {
		ssize_t got = read(watch, buffer, sizeof(buffer));

		for (ssize_t at = 0; at < got;) {
			struct inotify_event *event = (struct inotify_event *)(buffer + at);

			if (event->mask & wanted && event->len && event->name[0] != '.')
				return 0;
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	}
	return service_rig_fail(rig, "a manifest",
		wanted == IN_DELETE ? "it stays without its device" : "it doesn't appear");
}

static int
one_turn(struct service_rig *rig, int watch, double *ms)
{
	char node[SERVICE_PATH];
	int64_t start = kr_bench_now();

	if (service_rig_write(rig, NODE, "") || wait_for(rig, watch, IN_MOVED_TO))
		return 1;
	*ms = (double)(kr_bench_now() - start) / 1e6;
	snprintf(node, sizeof(node), "%s/" NODE, rig->root);
	if (unlink(node))
		return service_rig_fail(rig, node, strerror(errno));
	return wait_for(rig, watch, IN_DELETE);
}

static int
measure(struct kr_bench *bench, struct service_rig *rig, int watch, double *median)
{
	unsigned turns = bench->repeat * (bench->quick ? 1 : 10);
	double ms[MAX_TURNS];

	turns = turns < MAX_TURNS ? turns : MAX_TURNS;
	for (unsigned i = 0; i < turns; i++) {
		if (one_turn(rig, watch, &ms[i]))
			return 1;
	}
	*median = kr_bench_median(ms, turns);
	return 0;
}

static int
watch_manifests(struct service_rig *rig, const struct service_client *client, int *watch)
{
	char path[64];

	if (client->manifests.message.manifests.kind != KR_DELIVERY_MOUNT)
		return service_rig_fail(
			rig, "manifests", "they come as a listing here, which can't be watched");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", client->manifests.fds[0]);
	*watch = inotify_init1(IN_CLOEXEC);
	if (*watch < 0 || inotify_add_watch(*watch, path, IN_MOVED_TO | IN_DELETE) < 0)
		return service_rig_fail(rig, "inotify", strerror(errno));
	return 0;
}

static int
with_client(struct kr_bench *bench, struct service_rig *rig, double *median)
{
	struct service_client client;
	int watch = -1;
	int ret = service_client_open(rig, &client);

	if (ret)
		return ret;
	ret = watch_manifests(rig, &client, &watch) || measure(bench, rig, watch, median);
	if (watch >= 0)
		close(watch);
	service_client_close(&client);
	return ret;
}

void
service_devices(struct kr_bench *bench)
{
	static const char name[] = "service: device appears to manifest visible";
	struct service_rig rig;
	double median;
	char folder[SERVICE_PATH];
	int ret = service_rig_create(bench, &rig);

	snprintf(folder, sizeof(folder), "%s/dri", rig.dev);
	if (!ret && mkdir(folder, 0755))
		ret = service_rig_fail(&rig, folder, strerror(errno));
	if (!ret)
		ret = service_rig_write(
			&rig, "sys/class/drm/renderD128/device/uevent", "DRIVER=amdgpu\n");
	if (!ret)
		ret = make_package(bench, &rig) || service_rig_start(&rig, "auto", NULL) ||
			service_client_wait(&rig) || with_client(bench, &rig, &median);
	if (ret)
		kr_bench_skip(bench, name, rig.reason);
	else
		kr_bench_row(bench, name, "ms", median, NULL, 0, 0);
	service_rig_remove(&rig);
}
