/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watching the device directory: see devices.h. A scan lists the directories in which wanted nodes
 * may be and compares; it is due a moment after the first event since the last scan
 * (kr_devices_touch), so a storm of them costs one scan each moment and is never put off further. A
 * node that has just appeared and may not be opened yet is looked at again when its permissions
 * change; while it is young it counts as one on its way.
 */
#include "service/devices/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/device_map.h"
#include "util/clock.h"
#include "util/log.h"

/* Whether a wanted node may be in or below this. */
static bool
leads_to_wanted(const struct kr_devices *devices, const char *path)
{
	const size_t len = strlen(path);

	for (size_t i = 0; i < devices->pattern_count; i++) {
		if (!strncmp(devices->patterns[i], path, len) && devices->patterns[i][len] == '/')
			return true;
	}
	return false;
}

/* A tag is the directory's path below the device directory, "." for itself. */
static void
handle_directory(void *data, const char *tag, const char *name)
{
	struct kr_devices *devices = data;
	char path[KR_NODE_PATH_MAX + 1];

	if (tag && name &&
		snprintf(path, sizeof(path), "%s%s%s", strcmp(tag, ".") ? tag : "",
			strcmp(tag, ".") ? "/" : "", name) < (int)sizeof(path) &&
		!kr_devices_wants(devices, path) && !leads_to_wanted(devices, path))
		return;
	kr_devices_touch(devices);
}

static void
handle_timer(void *data, uint32_t events)
{
	struct kr_devices *devices = data;

	if (kr_devices_scan(devices))
		devices->changed(devices->data);
}

static int
want_classes(struct kr_devices *devices)
{
	const struct kr_config *config = devices->config;
	int ret = 0;

	for (size_t i = 0; !ret && i < config->class_count; i++) {
		ret = kr_devices_want(devices, config->classes[i].pattern);
		if (ret == -EINVAL)
			kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
				"The class %s of the configuration is no pattern of nodes below %s: it is left out",
				config->classes[i].pattern, config->dev);
		ret = ret == -EINVAL ? 0 : ret;
	}
	return ret;
}

/* What the device map and the configuration name. */
static int
want_known(struct kr_devices *devices)
{
	const struct kr_hardware_rule *rules;
	int ret = kr_devices_want(devices, "dri/renderD*");
	size_t count;

	if (!ret)
		ret = kr_devices_want(devices, "dri/card*");
	rules = kr_hardware_rules(&count);
	for (size_t i = 0; i < count; i++) {
		for (const char *const *node = rules[i].nodes; !ret && *node; node++)
			ret = kr_devices_want(devices, *node);
	}
	return ret ? ret : want_classes(devices);
}

int
kr_devices_create(struct kr_loop *loop, const struct kr_config *config, int uevents,
	void (*changed)(void *data), void *data, struct kr_devices **out)
{
	struct kr_devices *devices = calloc(1, sizeof(*devices));
	int ret;

	if (!devices)
		return -ENOMEM;
	*devices = (struct kr_devices){.loop = loop,
		.config = config,
		.changed = changed,
		.data = data,
		.scan_due = KR_FOREVER};
	kr_list_init(&devices->nodes);
	ret = kr_watch_add(loop, -1, 0, handle_timer, devices, &devices->timer);
	if (!ret)
		ret = kr_directories_create(loop, handle_directory, devices, &devices->directories);
	if (!ret)
		ret = want_known(devices);
	if (!ret)
		ret = kr_uevents_create(devices, uevents, &devices->uevents);
	if (ret)
		kr_devices_destroy(devices);
	else
		*out = devices;
	return ret;
}

void
kr_devices_configure(struct kr_devices *devices, const struct kr_config *config)
{
	int ret;

	devices->config = config;
	ret = want_classes(devices);
	if (ret)
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"Not all \"classes\" of the configuration can be watched for: %s",
			strerror(-ret));
	kr_devices_touch(devices);
}

json_t *
kr_devices_inspect(const struct kr_devices *devices)
{
	const char *uevents = kr_uevents_source(devices->uevents);

	return json_pack("{s:s, s:s, s:s?}", "directory", devices->config->dev, "events",
		uevents ? uevents : "inotify", "reason", devices->reason);
}

void
kr_devices_destroy(struct kr_devices *devices)
{
	struct kr_node *node, *next;

	if (!devices)
		return;
	kr_uevents_destroy(devices->uevents);
	kr_directories_destroy(devices->directories);
	kr_watch_remove(devices->timer);
	kr_list_for_each_safe (node, next, &devices->nodes, link)
		kr_node_free(node);
	for (size_t i = 0; i < devices->pattern_count; i++)
		free(devices->patterns[i]);
	free(devices->reason);
	free(devices->told);
	free(devices);
}
