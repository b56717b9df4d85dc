/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. */
#ifndef KR_LAYERS_INTERNAL_H
#define KR_LAYERS_INTERNAL_H

#include "layers/layers.h"
#include "manifest/paths.h"

static inline bool
kr_layer_is_meta(const struct kr_manifest_layer *layer)
{
	return !layer->library_path;
}

/* A layer of this name in a list, or NULL. */
struct kr_manifest_layer *kr_layer_find_name(const struct kr_list *list, const char *name);

/*
 * Whether an implicit layer is enabled, by its manifest's variables and the rules. *forced
 * (may be NULL) tells whether only VK_LOADER_LAYERS_ENABLE did it. `override` is the
 * active override layer or NULL.
 */
bool kr_layer_implicit_is_enabled(const struct kr_layer_rules *rules,
	const struct kr_manifest_layer *override, const struct kr_manifest_layer *layer,
	bool *forced);

/* Takes out meta-layers that can't be; adds to the others the extensions of their components. */
VkResult kr_layers_check_meta(struct kr_list *list) KR_MUST_CHECK;

/* Whether the list of the settings leaves room for layers that it doesn't name. */
bool kr_layer_settings_want_others(const struct kr_settings *settings);
/*
 * Orders `list` as the settings say and marks what they control; layers that the
 * settings alone know are read, others that they leave no room for are taken out. Layers
 * that are off stay in, marked.
 */
VkResult kr_layers_apply_settings(const struct kr_settings *settings, struct kr_list *list)
	KR_MUST_CHECK;

/* Opens the library and gets its functions; logs what is wrong. */
enum kr_layer_open_result {
	KR_LAYER_OPENED,
	KR_LAYER_WRONG_CLASS, /* a library for another kind of process */
	KR_LAYER_FAILED,
};
enum kr_layer_open_result kr_layer_open(
	struct kr_layer *layer, const struct kr_layer_choice *choice) KR_MUST_CHECK;
/* dlopen of a layer's library, with a message of what is wrong. */
enum kr_layer_open_result kr_layer_open_library(const struct kr_manifest_layer *layer, void **dso)
	KR_MUST_CHECK;

/* Shows whoever debugs layers the chain from the application down to `bottom`. */
void kr_layer_chain_tell(const struct kr_layer_chain *chain, const char *function,
	const char *bottom, uint32_t first, bool devices);

#endif
