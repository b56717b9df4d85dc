/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the layers of a library say of themselves, in the functions that manifests
 * stand for elsewhere.
 */
#include "layers/android.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/layer_manifest.h"
#include "util/enumerate.h"
#include "util/library.h"
#include "util/log.h"

struct library {
	const char *path;
	void *dso;
	PFN_vkEnumerateInstanceLayerProperties instance_layers;
	PFN_vkEnumerateInstanceExtensionProperties instance_extensions;
	PFN_vkEnumerateDeviceLayerProperties device_layers;         /* may be NULL */
	PFN_vkEnumerateDeviceExtensionProperties device_extensions; /* may be NULL */
};

/*
 * A function of the library's own, or of one that it brings: a loader's, which a layer without such
 * a function but with libvulkan among its dependencies shows, would answer with this very question.
 */
static void *
find_function(const struct library *library, const char *name)
{
	void *function = dlsym(library->dso, name);

	return kr_library_is_a_loader(function) ? NULL : function;
}

static bool
open_library(struct library *library)
{
	const char *error;

	library->dso = kr_library_load(library->path, RTLD_NOW | RTLD_LOCAL, &error);
	if (!library->dso) {
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER, "%s can't be opened: %s", library->path, error);
		return false;
	}
	library->instance_layers = (PFN_vkEnumerateInstanceLayerProperties)find_function(
		library, "vkEnumerateInstanceLayerProperties");
	library->instance_extensions = (PFN_vkEnumerateInstanceExtensionProperties)find_function(
		library, "vkEnumerateInstanceExtensionProperties");
	library->device_layers = (PFN_vkEnumerateDeviceLayerProperties)find_function(
		library, "vkEnumerateDeviceLayerProperties");
	library->device_extensions = (PFN_vkEnumerateDeviceExtensionProperties)find_function(
		library, "vkEnumerateDeviceExtensionProperties");
	if (library->instance_layers && library->instance_extensions)
		return true;
	kr_log(KR_LOG_ERROR | KR_LOG_LAYER, "%s has no %s: it can't say which layers it has",
		library->path,
		library->instance_layers ? "vkEnumerateInstanceExtensionProperties"
					 : "vkEnumerateInstanceLayerProperties");
	dlclose(library->dso);
	return false;
}

/* What a layer writes may lack its end. `out` is zero. */
static void
copy_text(char *out, const char *text, size_t size)
{
	memcpy(out, text, strnlen(text, size - 1));
}

static VkResult
ask_instance_layers(const void *context, uint32_t *count, void *items)
{
	return ((const struct library *)context)->instance_layers(count, items);
}

static VkResult
ask_device_layers(const void *context, uint32_t *count, void *items)
{
	return ((const struct library *)context)->device_layers(VK_NULL_HANDLE, count, items);
}

/* An answer to be freed; one that is an error is told and none. 0 or -ENOMEM. */
static int
take_answer(const struct library *library, const char *function, VkResult result)
{
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
		return -ENOMEM;
	if (result != VK_SUCCESS)
		kr_log(KR_LOG_WARN | KR_LOG_LAYER, "%s: %s gave VkResult %d; taken as none",
			library->path, function, result);
	return 0;
}

static int
ask_layers(const struct library *library, bool device, uint32_t *count, VkLayerProperties **layers)
{
	const struct kr_enumeration question = {
		.ask = device ? ask_device_layers : ask_instance_layers,
		.context = library,
		.item_size = sizeof(**layers),
		.most = KR_MOST_LAYERS,
		.who = library->path,
		.function = device ? "vkEnumerateDeviceLayerProperties"
				   : "vkEnumerateInstanceLayerProperties",
		.log = KR_LOG_LAYER,
	};
	VkResult result;

	*count = 0;
	*layers = NULL;
	result = kr_enumerate(&question, NULL, count, (void **)layers);
	return take_answer(library, question.function, result);
}

static int
read_extensions(const struct library *library, bool device, const char *layer,
	struct kr_manifest_extensions *extensions)
{
	const struct kr_enumerate_question question = {
		.of_instance = library->instance_extensions,
		.of_device = device ? library->device_extensions : NULL,
		.layer = layer,
		.who = library->path,
		.log = KR_LOG_LAYER,
	};
	VkExtensionProperties *items = NULL;
	uint32_t count = 0;
	VkResult result;
	int ret;

	if (device && !library->device_extensions)
		return 0;
	result = kr_enumerate_extensions(&question, NULL, &count, &items);
	ret = take_answer(library,
		device ? "vkEnumerateDeviceExtensionProperties"
		       : "vkEnumerateInstanceExtensionProperties",
		result);
	if (!ret && count) {
		extensions->items = calloc(count, sizeof(*extensions->items));
		ret = extensions->items ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; i < count && !ret; i++) {
		copy_text(extensions->items[i].name, items[i].extensionName,
			VK_MAX_EXTENSION_NAME_SIZE);
		extensions->items[i].spec_version = items[i].specVersion;
		extensions->count++;
	}
	free(items);
	return ret;
}

/* Layers that don't name themselves for devices too have no part in a device's chain. */
static bool
is_listed(const VkLayerProperties *list, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strncmp(list[i].layerName, name, VK_MAX_EXTENSION_NAME_SIZE))
			return true;
	}
	return false;
}

static int
append_layer(const struct library *library, const VkLayerProperties *properties, bool instance_only,
	struct kr_list *list)
{
	struct kr_manifest_layer *layer = calloc(1, sizeof(*layer));
	int ret = 0;

	if (!layer)
		return -ENOMEM;
	kr_list_init(&layer->link);
	copy_text(layer->name, properties->layerName, sizeof(layer->name));
	copy_text(layer->description, properties->description, sizeof(layer->description));
	layer->api_version = properties->specVersion;
	layer->implementation_version = properties->implementationVersion;
	layer->by_library = true;
	layer->instance_only = instance_only;
	layer->path = strdup(library->path);
	layer->library_path = strdup(library->path);
	if (!layer->path || !layer->library_path)
		ret = -ENOMEM;
	if (!ret)
		ret = read_extensions(library, false, layer->name, &layer->instance_extensions);
	if (!ret && !instance_only)
		ret = read_extensions(library, true, layer->name, &layer->device_extensions);
	if (ret)
		kr_manifest_layer_destroy(layer);
	else
		kr_list_append(list, &layer->link);
	return ret;
}

static int
read_layers(const struct library *library, struct kr_list *list)
{
	VkLayerProperties *layers, *device_layers = NULL;
	uint32_t count, device_count = 0;
	int ret = ask_layers(library, false, &count, &layers);

	if (!ret && library->device_layers)
		ret = ask_layers(library, true, &device_count, &device_layers);
	for (uint32_t i = 0; i < count && !ret; i++) {
		const char *name = layers[i].layerName;

		if (name[0] && memchr(name, '\0', VK_MAX_EXTENSION_NAME_SIZE))
			ret = append_layer(library, &layers[i],
				!is_listed(device_layers, device_count, name), list);
		else
			kr_log(KR_LOG_WARN | KR_LOG_LAYER,
				"%s: its layer %u has no usable name; passed over", library->path,
				i);
	}
	free(layers);
	free(device_layers);
	return ret;
}

int
kr_layer_library_read(const char *path, struct kr_list *list)
{
	struct library library = {.path = path};
	int ret;

	if (!open_library(&library))
		return 0;
	ret = read_layers(&library, list);
	/* It is opened again when it is used. */
	dlclose(library.dso);
	return ret;
}
