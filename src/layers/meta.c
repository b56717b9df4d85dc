/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Meta-layers: a name for several layers. One is valid when each of its components is there,
 * isn't older than it, and, where it is a meta-layer too, is valid itself. Since a component
 * may be a meta-layer, the check follows them; a layer that is met again while it is being
 * checked contains itself.
 *
 * Every layer is checked once, whatever the number of meta-layers that name it:
 * `mark` keeps the verdict.
 */
#include "layers/internal.h"

#include <string.h>

#include "manifest/layer_extensions.h"
#include "util/log.h"

enum mark {
	UNKNOWN,
	CHECKING,
	VALID,
	INVALID,
};

#define info(...)  kr_log(KR_LOG_INFO | KR_LOG_LAYER, __VA_ARGS__)
#define warn(...)  kr_log(KR_LOG_WARN | KR_LOG_LAYER, __VA_ARGS__)
#define debug(...) kr_log(KR_LOG_DEBUG | KR_LOG_LAYER, __VA_ARGS__)

/* Who looks for these words in messages shall find them. */
#define VERIFY "verify_meta_layer_component_layers: "

static bool
is_older(uint32_t version, uint32_t than)
{
	uint32_t minor = VK_API_VERSION_MINOR(version), major = VK_API_VERSION_MAJOR(version);

	return major < VK_API_VERSION_MAJOR(than) ||
		(major == VK_API_VERSION_MAJOR(than) && minor < VK_API_VERSION_MINOR(than));
}

/* Whether a component may stay; what isn't a question of its own components. */
static bool
fits(const struct kr_manifest_layer *meta, size_t index, const struct kr_manifest_layer *component)
{
	const char *name = meta->components.items[index];

	if (!component) {
		warn(VERIFY
			"Meta-layer %s can't find component layer %s at index %zu.  Skipping this layer. (%s)",
			meta->name, name, index, meta->path);
		return false;
	}
	if (!strcmp(component->name, meta->name)) {
		warn(VERIFY
			"Meta-layer %s lists itself in its component layer list at index %zu.  Skipping this layer. (%s)",
			meta->name, index, meta->path);
		return false;
	}
	if (!is_older(component->api_version, meta->api_version))
		return true;
	warn(VERIFY
		"Meta-layer uses API version %u.%u, but component layer %zu has API version %u.%u that is lower.  Skipping this layer. (%s, %s)",
		VK_API_VERSION_MAJOR(meta->api_version), VK_API_VERSION_MINOR(meta->api_version),
		index, VK_API_VERSION_MAJOR(component->api_version),
		VK_API_VERSION_MINOR(component->api_version), meta->name, name);
	return false;
}

static VkResult check(struct kr_manifest_layer *layer, const struct kr_list *list);

/* Sets *valid for one component. VK_ERROR_OUT_OF_HOST_MEMORY is all that can go wrong. */
static VkResult
check_component(struct kr_manifest_layer *meta, size_t index, const struct kr_list *list,
	struct kr_manifest_layer **component, bool *valid)
{
	VkResult result;

	*component = kr_layer_find_name(list, meta->components.items[index]);
	*valid = fits(meta, index, *component);
	if (!*valid || !kr_layer_is_meta(*component))
		return VK_SUCCESS;
	if ((*component)->mark == CHECKING) {
		warn(VERIFY "meta-layers %s and %s contain each other. Skipping these layers.",
			meta->name, (*component)->name);
		*valid = false;
		return VK_SUCCESS;
	}
	info(VERIFY "Adding meta-layer %s which also contains meta-layer %s", meta->name,
		(*component)->name);
	result = check(*component, list);
	*valid = (*component)->mark == VALID;
	return result;
}

static void
tell_extensions(const struct kr_manifest_layer *meta, const struct kr_manifest_layer *component,
	const struct kr_manifest_extensions *extensions, const char *kind)
{
	for (size_t i = 0; i < extensions->count; i++)
		debug("Meta-layer %s component layer %s adding %s extension %s", meta->name,
			component->name, kind, extensions->items[i].name);
}

static VkResult
take_extensions(struct kr_manifest_layer *meta, const struct kr_manifest_layer *component)
{
	tell_extensions(meta, component, &component->instance_extensions, "instance");
	tell_extensions(meta, component, &component->device_extensions, "device");
	if (kr_manifest_extensions_merge(
		    &meta->instance_extensions, &component->instance_extensions) ||
		kr_manifest_extensions_merge(
			&meta->device_extensions, &component->device_extensions))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	return VK_SUCCESS;
}

static VkResult
check(struct kr_manifest_layer *layer, const struct kr_list *list)
{
	VkResult result = VK_SUCCESS;
	bool valid = true;

	if (!kr_layer_is_meta(layer) || layer->mark != UNKNOWN)
		return VK_SUCCESS;
	layer->mark = CHECKING;
	for (size_t i = 0; i < layer->components.count && valid && result == VK_SUCCESS; i++) {
		struct kr_manifest_layer *component;

		result = check_component(layer, i, list, &component, &valid);
		if (result == VK_SUCCESS && valid)
			result = take_extensions(layer, component);
	}
	layer->mark = valid ? VALID : INVALID;
	return result;
}

VkResult
kr_layers_check_meta(struct kr_list *list)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_for_each (layer, list, link)
		layer->mark = UNKNOWN;
	kr_list_for_each (layer, list, link) {
		VkResult result = check(layer, list);

		if (result != VK_SUCCESS)
			return result;
	}
	kr_list_for_each_safe (layer, next, list, link) {
		if (layer->mark != INVALID)
			continue;
		debug("Removing meta-layer %s from instance layer list since it appears invalid.",
			layer->name);
		kr_manifest_layer_destroy(layer);
	}
	return VK_SUCCESS;
}
