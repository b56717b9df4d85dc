/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings file, vk_loader_settings.json (K-20, docs/loader.md): found anew at each global
 * call, so that a tool may change it under a running program. A missing file is no settings and no
 * message; one that can't be read, or whose layers aren't what they have to be, is told and counts
 * as missing. Another section that isn't what it has to be is told and counts as missing alone.
 *
 * Thread-safety: no shared state but the log's mask; any thread.
 */
#ifndef KR_MANIFEST_SETTINGS_H
#define KR_MANIFEST_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "manifest/paths.h"
#include "util/macros.h"
#include "util/vulkan.h"

enum kr_settings_control {
	/* as its manifest and the environment say; also what an unknown word means */
	KR_CONTROL_AUTO,
	KR_CONTROL_ON,
	KR_CONTROL_OFF,
	KR_CONTROL_UNORDERED, /* unordered_layer_location: here go the layers that aren't listed */
};

struct kr_settings_layer {
	char *name; /* NULL for KR_CONTROL_UNORDERED */
	char *path; /* its manifest; NULL: wherever a layer of this name is found */
	enum kr_settings_control control;
	bool implicit; /* treat_as_implicit_manifest */
};

/* One entry of device_configurations; what isn't given isn't compared. */
struct kr_settings_device {
	bool has_device_uuid, has_driver_uuid, has_driver_version;
	uint8_t device_uuid[VK_UUID_SIZE];
	uint8_t driver_uuid[VK_UUID_SIZE];
	uint32_t driver_version;
	char device_name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE]; /* "" when not given */
	char driver_name[VK_MAX_DRIVER_NAME_SIZE];          /* "" when not given */
};

struct kr_settings {
	char *path; /* of the file; NULL: no settings apply to this program, all else is zero */
	bool has_log;
	uint32_t log_bits; /* stderr_log, as KR_LOG_* */
	bool has_layers;   /* the list, also an empty one, replaces the search for layers */
	struct kr_settings_layer *layers;
	size_t layer_count;
	char **driver_paths; /* additional_drivers: manifests */
	size_t driver_count;
	bool drivers_exclusive; /* additional_drivers_use_exclusively */
	struct kr_settings_device *devices;
	size_t device_count; /* 0: devices as they are */
};

/*
 * Finds and reads the settings of this program (/proc/self/exe decides among app_keys). `options`
 * may be NULL. 0 (also without any) or -ENOMEM. kr_settings_finish ends it.
 *
 * Each call also makes the log follow stderr_log as it is now, and says which file is
 * in use: call it once in a global call and hand the result down.
 */
int kr_settings_read(const struct kr_search_options *options, struct kr_settings *settings)
	KR_MUST_CHECK;
void kr_settings_finish(struct kr_settings *settings);

#endif
