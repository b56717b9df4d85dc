/* SPDX-License-Identifier: Apache-2.0 */
/* A layer's library: opened, negotiated with. */
#include "layers/internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "util/library.h"
#include "util/log.h"

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
	/* A layer of version 1 left the pointers as they were. */
	if (interface.loaderLayerInterfaceVersion < 2)
		return true;
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
	snprintf(name, sizeof(name), "%s%s", layer->choice.manifest->name, suffix);
	fn = dlsym(layer->dso, name);
	if (fn)
		return fn;
	snprintf(name, sizeof(name), "vk%s", suffix);
	return dlsym(layer->dso, name);
}

static bool
connect_layer(struct kr_layer *layer)
{
	const struct kr_manifest_layer *manifest = layer->choice.manifest;
	PFN_vkNegotiateLoaderLayerInterfaceVersion fn =
		(PFN_vkNegotiateLoaderLayerInterfaceVersion)dlsym(
			layer->dso, manifest->negotiate ? manifest->negotiate : NEGOTIATE);

	if (fn && !manifest->by_library && !negotiate(layer, fn)) {
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER, "layer %s (%s) refuses interface version %d",
			manifest->name, manifest->library_path,
			CURRENT_LOADER_LAYER_INTERFACE_VERSION);
		return false;
	}
	if (!layer->get_instance_proc_addr)
		layer->get_instance_proc_addr = (PFN_vkGetInstanceProcAddr)find_export(
			layer, manifest->get_instance_proc_addr, "GetInstanceProcAddr");
	if (!layer->get_device_proc_addr)
		layer->get_device_proc_addr = (PFN_vkGetDeviceProcAddr)find_export(
			layer, manifest->get_device_proc_addr, "GetDeviceProcAddr");
	if (kr_library_is_a_loader((const void *)layer->get_device_proc_addr) ||
		manifest->instance_only)
		layer->get_device_proc_addr = NULL;
	if (kr_library_is_a_loader((const void *)layer->get_instance_proc_addr))
		layer->get_instance_proc_addr = NULL;
	if (!layer->get_instance_proc_addr)
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER, "layer %s (%s) has no %s", manifest->name,
			manifest->library_path,
			manifest->get_instance_proc_addr ? manifest->get_instance_proc_addr
							 : "vkGetInstanceProcAddr");
	return layer->get_instance_proc_addr != NULL;
}

enum kr_layer_open_result
kr_layer_open_library(const struct kr_manifest_layer *layer, void **dso)
{
	const char *error;
	bool wrong_class;

	*dso = kr_library_load(layer->library_path, RTLD_LAZY | RTLD_LOCAL, &error);
	if (*dso) {
		kr_log(KR_LOG_DEBUG | KR_LOG_LAYER, "Loading layer library %s",
			layer->library_path);
		return KR_LAYER_OPENED;
	}
	/* Where programs of both kinds run, libraries of both are installed: no error. */
	wrong_class = strstr(error, "wrong ELF class") != NULL;
	kr_log((wrong_class ? KR_LOG_INFO : KR_LOG_ERROR) | KR_LOG_LAYER, "layer %s (%s): %s",
		layer->name, layer->path, error);
	return wrong_class ? KR_LAYER_WRONG_CLASS : KR_LAYER_FAILED;
}

enum kr_layer_open_result
kr_layer_open(struct kr_layer *layer, const struct kr_layer_choice *choice)
{
	enum kr_layer_open_result result;

	*layer = (struct kr_layer){.choice = *choice};
	result = kr_layer_open_library(choice->manifest, &layer->dso);
	if (result != KR_LAYER_OPENED)
		return result;
	if (!connect_layer(layer)) {
		dlclose(layer->dso);
		return KR_LAYER_FAILED;
	}
	kr_log(KR_LOG_INFO | KR_LOG_LAYER, "Insert instance layer \"%s\" (%s)",
		choice->manifest->name, choice->manifest->library_path);
	return KR_LAYER_OPENED;
}
