/* SPDX-License-Identifier: Apache-2.0 */
/* The extensions that a layer's manifest lists. */
#ifndef KR_MANIFEST_LAYER_EXTENSIONS_H
#define KR_MANIFEST_LAYER_EXTENSIONS_H

#include "manifest/layer_manifest.h"
#include "util/json.h"

/*
 * Reads instance_extensions or device_extensions, NULL for none. Elements without a usable name are
 * passed over. 0 or -ENOMEM; what was read is finished by kr_manifest_extensions_finish either way.
 */
int kr_manifest_extensions_read(const char *path, const struct kr_json *array,
	struct kr_manifest_extensions *extensions) KR_MUST_CHECK;
void kr_manifest_extensions_finish(struct kr_manifest_extensions *extensions);

/* Appends those of `from` that `to` hasn't, without their functions. 0 or -ENOMEM. */
int kr_manifest_extensions_merge(
	struct kr_manifest_extensions *to, const struct kr_manifest_extensions *from) KR_MUST_CHECK;
bool kr_manifest_extensions_have(const struct kr_manifest_extensions *extensions, const char *name);

#endif
