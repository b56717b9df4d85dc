/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers there are, from their manifests. */
#include "layers/layers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/paths.h"
#include "util/log.h"

/* Moves the layers that can be used and whose names are new from `from` to `to`; frees the others. */
static void
take_new(struct kr_list *to, struct kr_list *from)
{
	struct kr_layer_manifest *layer, *next;

	kr_list_for_each_safe (layer, next, from, link) {
		const struct kr_layer_manifest *same = kr_layers_get(to, layer->name);

		if (!same && layer->instance_layer) {
			kr_list_remove(&layer->link);
			kr_list_append(to, &layer->link);
			continue;
		}
		if (same)
			kr_log(KR_LOG_INFO | KR_LOG_LAYER,
				"%s: layer %s is described by %s already", layer->path, layer->name,
				same->path);
		kr_layer_manifest_destroy(layer);
	}
}

VkResult
kr_layers_find(struct kr_list *layers)
{
	struct kr_search_list files;

	kr_list_init(layers);
	if (kr_manifest_find(KR_MANIFEST_EXPLICIT_LAYER, NULL, &files))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (size_t i = 0; i < files.count; i++) {
		struct kr_list read;
		char *reason = NULL;
		int ret;

		kr_list_init(&read);
		ret = kr_layer_manifest_read(files.places[i].path, &read, &reason);
		free(reason);
		if (ret == -ENOMEM)
			goto err_finish;
		take_new(layers, &read);
	}
	kr_search_list_finish(&files);
	return VK_SUCCESS;

err_finish:
	kr_search_list_finish(&files);
	kr_layers_finish(layers);
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

void
kr_layers_finish(struct kr_list *layers)
{
	struct kr_layer_manifest *layer, *next;

	kr_list_for_each_safe (layer, next, layers, link)
		kr_layer_manifest_destroy(layer);
}

const struct kr_layer_manifest *
kr_layers_get(const struct kr_list *layers, const char *name)
{
	const struct kr_layer_manifest *layer;

	kr_list_for_each (layer, layers, link) {
		if (!strcmp(layer->name, name))
			return layer;
	}
	return NULL;
}

void
kr_layer_properties(const struct kr_layer_manifest *layer, VkLayerProperties *properties)
{
	*properties = (VkLayerProperties){
		.specVersion = layer->api_version,
		.implementationVersion = layer->implementation_version,
	};
	memcpy(properties->layerName, layer->name, sizeof(properties->layerName));
	memcpy(properties->description, layer->description, sizeof(properties->description));
}

void
kr_layers_tell_implicit(void)
{
	struct kr_search_list files;

	if (!kr_log_enabled(KR_LOG_INFO | KR_LOG_LAYER))
		return;
	if (kr_manifest_find(KR_MANIFEST_IMPLICIT_LAYER, NULL, &files))
		return;
	for (size_t i = 0; i < files.count; i++)
		kr_log(KR_LOG_INFO | KR_LOG_LAYER,
			"%s: implicit layers are not supported yet, this one is not loaded",
			files.places[i].path);
	kr_search_list_finish(&files);
}
