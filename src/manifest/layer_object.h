/* SPDX-License-Identifier: Apache-2.0 */
/* One layer's object in a manifest. For this room alone. */
#ifndef KR_MANIFEST_LAYER_OBJECT_H
#define KR_MANIFEST_LAYER_OBJECT_H

#include "manifest/layer_manifest.h"
#include "util/json.h"

/* Where an object stands: what may be in it depends on that. */
struct kr_manifest_layer_place {
	const char *path; /* of the file */
	uint32_t format;  /* file_format_version, as VK_MAKE_API_VERSION */
	bool implicit;
};

/* Appends the layer. 0, or a negative code with the reason as kr_manifest_layer_read has it. */
int kr_manifest_layer_object_read(const struct kr_manifest_layer_place *place,
	const struct kr_json *object, struct kr_list *layers, char **reason) KR_MUST_CHECK;

#endif
