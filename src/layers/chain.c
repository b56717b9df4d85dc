/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of one instance: chosen, loaded, negotiated with. */
#include "layers/layers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

#define NEGOTIATE "vkNegotiateLoaderLayerInterfaceVersion"

/* Interface 2: the layer hands its functions over. */
static bool
negotiate(struct kr_layer *layer, PFN_vkNegotiateLoaderLayerInterfaceVersion fn)
{
	VkNegotiateLayerInterface interface = {
		.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
		.loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION,
	};

	if (fn(&interface) != VK_SUCCESS)
		return false;
	layer->get_instance_proc_addr = interface.pfnGetInstanceProcAddr;
	layer->get_device_proc_addr = interface.pfnGetDeviceProcAddr;
	layer->get_physical_device_proc_addr = interface.pfnGetPhysicalDeviceProcAddr;
	return true;
}

/* Interfaces 0 and 1: exported functions, renamed by the manifest or with the layer's name. */
static void *
find_export(const struct kr_layer *layer, const char *renamed, const char *suffix)
{
	char name[VK_MAX_EXTENSION_NAME_SIZE + 32];
	void *fn;

	if (renamed)
		return dlsym(layer->dso, renamed);
	snprintf(name, sizeof(name), "%s%s", layer->manifest->name, suffix);
	fn = dlsym(layer->dso, name);
	if (fn)
		return fn;
	snprintf(name, sizeof(name), "vk%s", suffix);
	return dlsym(layer->dso, name);
}

static bool
connect_layer(struct kr_layer *layer)
{
	const struct kr_layer_manifest *manifest = layer->manifest;
	PFN_vkNegotiateLoaderLayerInterfaceVersion fn =
		(PFN_vkNegotiateLoaderLayerInterfaceVersion)dlsym(
			layer->dso, manifest->negotiate ? manifest->negotiate : NEGOTIATE);

	if (fn && !negotiate(layer, fn)) {
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER, "layer %s refuses interface version %d",
			manifest->name, CURRENT_LOADER_LAYER_INTERFACE_VERSION);
		return false;
	}
	if (!layer->get_instance_proc_addr)
		layer->get_instance_proc_addr = (PFN_vkGetInstanceProcAddr)find_export(
			layer, manifest->get_instance_proc_addr, "GetInstanceProcAddr");
	if (!layer->get_device_proc_addr)
		layer->get_device_proc_addr = (PFN_vkGetDeviceProcAddr)find_export(
			layer, manifest->get_device_proc_addr, "GetDeviceProcAddr");
	if (!layer->get_instance_proc_addr)
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER, "layer %s has no vkGetInstanceProcAddr",
			manifest->name);
	return layer->get_instance_proc_addr != NULL;
}

static bool
open_layer(struct kr_layer *layer, const struct kr_layer_manifest *manifest)
{
	*layer = (struct kr_layer){.manifest = manifest};
	kr_log(KR_LOG_DEBUG | KR_LOG_LAYER, "Loading layer library %s", manifest->library_path);
	layer->dso = dlopen(manifest->library_path, RTLD_LAZY | RTLD_LOCAL);
	if (!layer->dso) {
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER, "layer %s: %s", manifest->name, dlerror());
		return false;
	}
	if (!connect_layer(layer)) {
		dlclose(layer->dso);
		return false;
	}
	kr_log(KR_LOG_INFO | KR_LOG_LAYER, "Insert instance layer \"%s\" (%s)", manifest->name,
		manifest->library_path);
	return true;
}

/* False when it isn't there; true also when it is in the chain already. */
static bool
add_layer(struct kr_layer_chain *chain, const char *name)
{
	const struct kr_layer_manifest *manifest = kr_layers_get(&chain->manifests, name);

	if (!manifest) {
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER,
			"layer %s is not installed (no manifest names it)", name);
		return false;
	}
	for (uint32_t i = 0; i < chain->count; i++) {
		if (chain->layers[i].manifest == manifest)
			return true;
	}
	if (!open_layer(&chain->layers[chain->count], manifest))
		return false;
	chain->count++;
	return true;
}

static void
add_environment(struct kr_layer_chain *chain, const char *list)
{
	const char *item;
	size_t len;

	while (kr_list_next(&list, ':', &item, &len)) {
		char name[VK_MAX_EXTENSION_NAME_SIZE]; /* no layer's name is longer */

		snprintf(name, sizeof(name), "%.*s", (int)KR_MIN(len, sizeof(name)), item);
		(void)add_layer(chain, name); /* said why; not fatal */
	}
}

static size_t
count_items(const char *list)
{
	const char *item;
	size_t len, count = 0;

	while (list && kr_list_next(&list, ':', &item, &len))
		count++;
	return count;
}

VkResult
kr_layer_chain_create(uint32_t name_count, const char *const *names,
	const VkAllocationCallbacks *allocator, struct kr_layer_chain **out)
{
	const char *environment = kr_env_get("VK_INSTANCE_LAYERS");
	size_t most = count_items(environment) + name_count;
	struct kr_layer_chain *chain;
	VkResult result;

	kr_layers_tell_implicit();
	if (!most) {
		*out = NULL;
		return VK_SUCCESS;
	}
	chain = kr_zalloc(allocator, sizeof(*chain) + most * sizeof(chain->layers[0]),
		VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (!chain)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = kr_layers_find(&chain->manifests);
	if (result != VK_SUCCESS)
		goto err_free;
	if (environment)
		add_environment(chain, environment);
	for (uint32_t i = 0; i < name_count; i++) {
		if (!add_layer(chain, names[i])) {
			result = VK_ERROR_LAYER_NOT_PRESENT;
			goto err_destroy;
		}
	}
	*out = chain;
	if (!chain->count) {
		kr_layer_chain_destroy(chain, allocator);
		*out = NULL;
	}
	return VK_SUCCESS;

err_destroy:
	kr_layer_chain_destroy(chain, allocator);
	return result;
err_free:
	kr_free(allocator, chain);
	return result;
}

void
kr_layer_chain_destroy(struct kr_layer_chain *chain, const VkAllocationCallbacks *allocator)
{
	if (!chain)
		return;
	while (chain->count)
		dlclose(chain->layers[--chain->count].dso);
	kr_layers_finish(&chain->manifests);
	kr_free(allocator, chain);
}

static bool
has_extension(const struct kr_layer_extensions *extensions, const char *name)
{
	for (size_t i = 0; i < extensions->count; i++) {
		if (!strcmp(extensions->items[i].name, name))
			return true;
	}
	return false;
}

bool
kr_layer_chain_has_instance_extension(const struct kr_layer_chain *chain, const char *name)
{
	for (uint32_t i = 0; chain && i < chain->count; i++) {
		if (has_extension(&chain->layers[i].manifest->instance_extensions, name))
			return true;
	}
	return false;
}

bool
kr_layer_chain_has_device_extension(const struct kr_layer_chain *chain, const char *name)
{
	for (uint32_t i = 0; chain && i < chain->count; i++) {
		if (has_extension(&chain->layers[i].manifest->device_extensions, name))
			return true;
	}
	return false;
}
