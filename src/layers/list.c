/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of layers. */
#include "layers/internal.h"

#include <string.h>

struct kr_manifest_layer *
kr_layer_find_name(const struct kr_list *list, const char *name)
{
	struct kr_manifest_layer *layer;

	kr_list_for_each (layer, list, link) {
		if (!strcmp(layer->name, name))
			return layer;
	}
	return NULL;
}

const struct kr_manifest_layer *
kr_layers_get(const struct kr_layers *layers, const char *name)
{
	return kr_layer_find_name(&layers->list, name);
}

void
kr_layers_finish(struct kr_layers *layers)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_for_each_safe (layer, next, &layers->list, link)
		kr_manifest_layer_destroy(layer);
}
