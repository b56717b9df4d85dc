/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One layer of a manifest: {"name", "type", "library_path" | "component_layers", "api_version",
 * ...}. Members that only a newer format, an implicit layer or the override layer has are passed
 * over elsewhere, with a message.
 */
#include "manifest/layer_object.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/document.h"
#include "manifest/layer_extensions.h"
#include "util/log.h"

/* Formats from which on something may stand in a manifest. */
#define WITH_NEGOTIATION  VK_MAKE_API_VERSION(0, 1, 1, 0)
#define WITH_META         VK_MAKE_API_VERSION(0, 1, 1, 0)
#define WITH_PRE_INSTANCE VK_MAKE_API_VERSION(0, 1, 1, 2)

#define refuse(path, code, reason, ...)                                                            \
	kr_document_refuse(path, KR_LOG_LAYER, code, reason, __VA_ARGS__)
#define warn(...) kr_log(KR_LOG_WARN | KR_LOG_LAYER, __VA_ARGS__)

void
kr_manifest_layer_destroy(struct kr_manifest_layer *layer)
{
	if (!layer)
		return;
	kr_list_remove(&layer->link);
	kr_manifest_extensions_finish(&layer->instance_extensions);
	kr_manifest_extensions_finish(&layer->device_extensions);
	kr_names_finish(&layer->components);
	kr_names_finish(&layer->app_keys);
	kr_names_finish(&layer->override_paths);
	kr_names_finish(&layer->blacklist);
	free(layer->path);
	free(layer->library_path);
	free(layer->negotiate);
	free(layer->get_instance_proc_addr);
	free(layer->get_device_proc_addr);
	free(layer->pre_enumerate_extensions);
	free(layer->pre_enumerate_layers);
	free(layer->pre_enumerate_version);
	free(layer->enable_environment.name);
	free(layer->enable_environment.value);
	free(layer->disable_environment.name);
	free(layer->disable_environment.value);
	free(layer);
}

/* Copies a string that may be absent or empty: then *out stays NULL. 0 or -ENOMEM. */
static int
copy_string(const struct kr_json *object, const char *key, char **out)
{
	const char *text = kr_member_string(object, key);

	if (!text || !text[0])
		return 0;
	*out = strdup(text);
	return *out ? 0 : -ENOMEM;
}

/* {"VARIABLE": "value"}: one member. Nothing is stored for anything else. */
static int
read_environment(const struct kr_json *object, struct kr_manifest_environment *out)
{
	const char *name = kr_json_key_at(object, 0);
	const char *value = kr_json_string(kr_json_at(object, 0));

	if (!name || !value)
		return 0;
	out->name = strdup(name);
	out->value = strdup(value);
	return out->name && out->value ? 0 : -ENOMEM;
}

/* Whether a variable can be made of it that turns the layer off. */
static bool
names_variable(const struct kr_json *object)
{
	const char *name = kr_json_key_at(object, 0);

	return name && name[0] && !strchr(name, '=') && kr_json_string(kr_json_at(object, 0));
}

static int
read_functions(const struct kr_manifest_layer_place *place, const struct kr_json *functions,
	struct kr_manifest_layer *layer)
{
	int ret = copy_string(functions, "vkGetInstanceProcAddr", &layer->get_instance_proc_addr);

	if (!ret)
		ret = copy_string(functions, "vkGetDeviceProcAddr", &layer->get_device_proc_addr);
	if (!ret && place->format >= WITH_NEGOTIATION)
		ret = copy_string(
			functions, "vkNegotiateLoaderLayerInterfaceVersion", &layer->negotiate);
	return ret;
}

static int
read_pre_instance(const struct kr_manifest_layer_place *place, const struct kr_json *pre,
	struct kr_manifest_layer *layer)
{
	int ret;

	if (!pre)
		return 0;
	if (!place->implicit || place->format < WITH_PRE_INSTANCE) {
		warn("%s: layer %s: pre_instance_functions are ignored: only implicit layers in manifests of format 1.1.2 or newer have them",
			place->path, layer->name);
		return 0;
	}
	ret = copy_string(
		pre, "vkEnumerateInstanceExtensionProperties", &layer->pre_enumerate_extensions);
	if (!ret)
		ret = copy_string(
			pre, "vkEnumerateInstanceLayerProperties", &layer->pre_enumerate_layers);
	if (!ret)
		ret = copy_string(pre, "vkEnumerateInstanceVersion", &layer->pre_enumerate_version);
	return ret;
}

/* What only the override layer has. */
static int
read_override(const struct kr_manifest_layer_place *place, const struct kr_json *object,
	struct kr_manifest_layer *layer)
{
	const struct kr_json *paths = kr_json_get(object, "override_paths");
	const struct kr_json *keys = kr_json_get(object, "app_keys");
	int ret;

	if (paths && place->format < WITH_META)
		warn("%s: Layer \"%s\" contains meta-layer-specific override paths, but using older JSON file version.",
			place->path, layer->name);
	if (!layer->override) {
		if (paths || keys)
			warn("%s: layer %s: %s is ignored: only " KR_OVERRIDE_LAYER " has it",
				place->path, layer->name, paths ? "override_paths" : "app_keys");
		return 0;
	}
	ret = kr_names_read(paths, &layer->override_paths);
	if (!ret)
		ret = kr_names_read(keys, &layer->app_keys);
	if (!ret)
		ret = kr_names_read(kr_json_get(object, "blacklisted_layers"), &layer->blacklist);
	return ret;
}

static int
read_environments(const struct kr_json *object, struct kr_manifest_layer *layer)
{
	int ret;

	if (!layer->implicit)
		return 0;
	ret = read_environment(
		kr_json_get(object, "enable_environment"), &layer->enable_environment);
	return ret ? ret
		   : read_environment(kr_json_get(object, "disable_environment"),
			     &layer->disable_environment);
}

/* All that owns memory. 0 or -ENOMEM. */
static int
copy_members(const struct kr_manifest_layer_place *place, const struct kr_json *object,
	struct kr_manifest_layer *layer)
{
	const char *library = kr_member_string(object, "library_path");
	int ret;

	layer->path = strdup(place->path);
	if (library)
		layer->library_path = kr_manifest_library_path_resolve(place->path, library);
	if (!layer->path || (library && !layer->library_path))
		return -ENOMEM;
	ret = kr_names_read(kr_json_get(object, "component_layers"), &layer->components);
	if (!ret)
		ret = read_functions(place, kr_json_get(object, "functions"), layer);
	if (!ret)
		ret = read_pre_instance(
			place, kr_json_get(object, "pre_instance_functions"), layer);
	if (!ret)
		ret = read_override(place, object, layer);
	if (!ret)
		ret = kr_manifest_extensions_read(place->path,
			kr_json_get(object, "instance_extensions"), &layer->instance_extensions);
	if (!ret)
		ret = kr_manifest_extensions_read(place->path,
			kr_json_get(object, "device_extensions"), &layer->device_extensions);
	return ret ? ret : read_environments(object, layer);
}

/* A library, or components. 0 or -EINVAL. */
static int
check_library(const struct kr_manifest_layer_place *place, const struct kr_json *object,
	const char *name, char **reason)
{
	const char *library = kr_member_string(object, "library_path");
	const struct kr_json *components = kr_json_get(object, "component_layers");

	if (library && components)
		return refuse(place->path, -EINVAL, reason,
			"layer %s is a meta-layer (component_layers), which has no library_path",
			name);
	if (library && library[0])
		return 0;
	if (kr_json_type_of(components) != KR_JSON_ARRAY)
		return refuse(place->path, -EINVAL, reason,
			"layer %s has neither a string library_path nor an array component_layers",
			name);
	if (place->format < WITH_META)
		warn("%s: layer %s is a meta-layer, which manifests have from format 1.1.0 on",
			place->path, name);
	return 0;
}

/* Whether the object has everything a layer needs; 0 or -EINVAL with the reason. */
static int
check_object(
	const struct kr_manifest_layer_place *place, const struct kr_json *object, char **reason)
{
	static const char *const strings[] = {"name", "type"};
	static const char *const others[] = {
		"api_version", "implementation_version", "description"};
	const struct kr_json *disable = kr_json_get(object, "disable_environment");
	const char *name = kr_member_string(object, "name");

	for (size_t i = 0; i < KR_ARRAY_LEN(strings); i++) {
		if (!kr_member_string(object, strings[i]))
			return refuse(place->path, -EINVAL, reason, "layer %.255s has no string %s",
				name ? name : "(without a name)", strings[i]);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(others); i++) {
		if (!kr_json_get(object, others[i]))
			return refuse(place->path, -EINVAL, reason, "layer %.255s has no %s", name,
				others[i]);
	}
	if (!name[0] || strlen(name) >= VK_MAX_EXTENSION_NAME_SIZE)
		return refuse(place->path, -EINVAL, reason,
			"a layer's name is empty or longer than %u",
			VK_MAX_EXTENSION_NAME_SIZE - 1);
	if (place->implicit && !names_variable(disable))
		return refuse(place->path, -EINVAL, reason,
			"implicit layer %s has no disable_environment, by which it could be turned off (Policy #LLP_LAYER_9)",
			name);
	return check_library(place, object, name, reason);
}

/*
 * A library for another kind of process is nothing to worry about where both kinds are installed.
 */
static int
check_arch(const struct kr_manifest_layer_place *place, const struct kr_json *object, char **reason)
{
	uint32_t arch;

	if (kr_manifest_library_arch(object, &arch) || !arch || arch == sizeof(void *) * 8)
		return 0;
	return kr_document_refuse(place->path, KR_LOG_INFO | KR_LOG_LAYER, -ELIBBAD, reason,
		"layer %s is %u-bit (library_arch) and this process is %zu-bit: The library architecture in layer %s doesn't match the current running architecture, skipping this layer",
		kr_member_string(object, "name"), arch, sizeof(void *) * 8, place->path);
}

static int
check_type(const struct kr_manifest_layer_place *place, const char *type, const char *name,
	char **reason)
{
	if (!strcmp(type, "INSTANCE") || !strcmp(type, "GLOBAL"))
		return 0;
	if (!strcmp(type, "DEVICE"))
		return refuse(place->path, -EINVAL, reason,
			"layer %s: Device layers are deprecated, they do nothing", name);
	return refuse(place->path, -EINVAL, reason,
		"layer %s: type \"%.40s\" is none of INSTANCE, GLOBAL, DEVICE", name, type);
}

static int
read_scalars(const struct kr_manifest_layer_place *place, const struct kr_json *object,
	struct kr_manifest_layer *layer, char **reason)
{
	const char *description = kr_member_string(object, "description");
	const char *name = layer->name;

	snprintf(layer->name, sizeof(layer->name), "%s", kr_member_string(object, "name"));
	snprintf(layer->description, sizeof(layer->description), "%s",
		description ? description : "");
	layer->implementation_version = kr_member_number(object, "implementation_version");
	layer->implicit = place->implicit;
	layer->override = place->implicit && !strcmp(name, KR_OVERRIDE_LAYER);
	if (kr_member_version(
		    object, "api_version", place->path, KR_LOG_LAYER, &layer->api_version))
		return refuse(place->path, -EINVAL, reason, "layer %s has no api_version", name);
	if (VK_API_VERSION_VARIANT(layer->api_version))
		return refuse(place->path, -EINVAL, reason,
			"Layer \"%s\" has an 'api_version' field which contains a non-zero variant value of %u.  Skipping Layer.",
			name, VK_API_VERSION_VARIANT(layer->api_version));
	if (strncmp(name, "VK_LAYER_", strlen("VK_LAYER_")))
		kr_warn("Layer name %s does not conform to naming standard (Policy #LLP_LAYER_3)",
			name);
	return check_type(place, kr_member_string(object, "type"), name, reason);
}

int
kr_manifest_layer_object_read(const struct kr_manifest_layer_place *place,
	const struct kr_json *object, struct kr_list *layers, char **reason)
{
	struct kr_manifest_layer *layer;
	int ret = check_object(place, object, reason);

	if (!ret)
		ret = check_arch(place, object, reason);
	if (ret)
		return ret;
	layer = calloc(1, sizeof(*layer));
	if (!layer)
		return refuse(place->path, -ENOMEM, reason, "out of memory");
	kr_list_init(&layer->link);
	ret = read_scalars(place, object, layer, reason);
	if (!ret) {
		ret = copy_members(place, object, layer);
		if (ret)
			refuse(place->path, ret, reason, "out of memory");
	}
	if (ret)
		kr_manifest_layer_destroy(layer);
	else
		kr_list_append(layers, &layer->link);
	return ret;
}
