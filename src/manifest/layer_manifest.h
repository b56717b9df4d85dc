/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON manifest of a layer. One file may describe several. Thread-safety: no shared state.
 */
#ifndef KR_MANIFEST_LAYER_MANIFEST_H
#define KR_MANIFEST_LAYER_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "manifest/names.h"
#include "manifest/settings.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/vulkan.h"

struct kr_manifest_extension {
	char name[VK_MAX_EXTENSION_NAME_SIZE];
	uint32_t spec_version;
	char **entrypoints; /* device extensions: the functions it adds */
	size_t entrypoint_count;
};

struct kr_manifest_extensions {
	struct kr_manifest_extension *items;
	size_t count;
};

/* A variable and its value, of enable_environment and disable_environment; both NULL when absent.
 */
struct kr_manifest_environment {
	char *name;
	char *value;
};

/* The implicit meta-layer that configuration tools write: it rules over the other layers. */
#define KR_OVERRIDE_LAYER "VK_LAYER_LUNARG_override"

struct kr_manifest_layer {
	struct kr_list link;
	char *path;         /* of the manifest */
	char *library_path; /* as dlopen takes it; NULL: a meta-layer, which is its components */
	char name[VK_MAX_EXTENSION_NAME_SIZE];
	char description[VK_MAX_DESCRIPTION_SIZE];
	uint32_t api_version;
	uint32_t implementation_version;
	bool implicit;   /* read as one: used without being asked for */
	bool override;   /* KR_OVERRIDE_LAYER */
	bool by_library; /* described by its library: `path` is that, and nothing is negotiated */
	bool instance_only; /* has no part in the chains of devices */
	/* What the settings file says of it; AUTO without. Set by whoever applies the settings. */
	enum kr_settings_control control;
	unsigned mark; /* for whoever walks the list */
	/* Names of functions that replace the usual ones (functions{}); NULL where not given. */
	char *negotiate;
	char *get_instance_proc_addr;
	char *get_device_proc_addr;
	/* pre_instance_functions{} of an implicit layer; NULL where not given. */
	char *pre_enumerate_extensions;
	char *pre_enumerate_layers;
	char *pre_enumerate_version;
	struct kr_manifest_extensions instance_extensions;
	struct kr_manifest_extensions device_extensions;
	/* Of implicit layers alone; the second is always there. */
	struct kr_manifest_environment enable_environment;
	struct kr_manifest_environment disable_environment;
	struct kr_names components; /* component_layers of a meta-layer */
	/* Of the override layer alone. */
	struct kr_names app_keys;
	struct kr_names override_paths;
	struct kr_names blacklist;
};

/*
 * Reads a file and appends its layers to `layers` in the file's order, as implicit layers or as
 * explicit ones: what may stand in it and what must differs. Layers of type DEVICE are left out,
 * since nothing uses them. Returns 0 when at least one was appended; layers that had to be left
 * out are then told in *reason (else NULL). Otherwise -ENOMEM, -EINVAL, -EFBIG or -errno of
 * opening it, with *reason set and `layers` untouched. *reason (free) has sentences with file and
 * cause, which have been logged.
 */
int kr_manifest_layer_read(const char *path, bool implicit,
	struct kr_list *layers /* kr_manifest_layer.link */, char **reason) KR_MUST_CHECK;
/* Takes the layer out of its list and frees it. */
void kr_manifest_layer_destroy(struct kr_manifest_layer *layer);

#endif
