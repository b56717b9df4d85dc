/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that have no manifest but are asked themselves (Y-02 to Y-07, docs/profiles.md). */
#ifndef KR_LAYERS_ANDROID_H
#define KR_LAYERS_ANDROID_H

#include "layers/layers.h"
#include "util/list.h"
#include "util/macros.h"

/*
 * The names that debug.vulkan.layers and debug.vulkan.layer.<n> give, nearest to the
 * application first.
 */
struct kr_layer_property_names {
	char (*items)[VK_MAX_EXTENSION_NAME_SIZE];
	size_t count;
};

/* 0 or -ENOMEM; *names is finished with kr_layer_property_names_finish either way. */
int kr_layer_property_names_read(struct kr_layer_property_names *names) KR_MUST_CHECK;
void kr_layer_property_names_finish(struct kr_layer_property_names *names);

/*
 * Appends the layers of one library, as they describe themselves: kr_manifest_layer with the
 * library's path. A library that can't be opened or lacks what it must have is told and
 * passed over. 0 or -ENOMEM.
 */
int kr_layer_library_read(const char *path, struct kr_list *list) KR_MUST_CHECK;

/*
 * kr_layers_find where layers are libraries: those of the directories that this process may take
 * layers from, each name once. Layers that the properties name are marked as implicit and come
 * first, in the order of the properties.
 */
VkResult kr_layers_find_libraries(enum kr_layer_scope scope, struct kr_layers *layers)
	KR_MUST_CHECK;

/*
 * VK_ERROR_LAYER_NOT_PRESENT, with a message, when the properties name a layer that
 * isn't in the list.
 */
VkResult kr_layers_check_properties(const struct kr_layers *layers) KR_MUST_CHECK;

#endif
