/* SPDX-License-Identifier: Apache-2.0 */
/* Layer manifests: {"file_format_version", "layer": {...}} or {..., "layers": [{...}, ...]}. */
#include "manifest/layer_manifest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/document.h"
#include "manifest/layer_extensions.h"
#include "util/json.h"
#include "util/log.h"
#include "util/text.h"

#define refuse(path, code, reason, ...)                                                            \
	kr_document_refuse(path, KR_LOG_LAYER, code, reason, __VA_ARGS__)

/* Copies a string that may be absent: then *out stays NULL. 0 or -ENOMEM. */
static int
copy_string(const struct kr_json *object, const char *key, char **out)
{
	const char *text = kr_member_string(object, key);

	if (!text)
		return 0;
	*out = strdup(text);
	return *out ? 0 : -ENOMEM;
}

void
kr_layer_manifest_destroy(struct kr_layer_manifest *layer)
{
	if (!layer)
		return;
	kr_list_remove(&layer->link);
	kr_layer_extensions_finish(&layer->instance_extensions);
	kr_layer_extensions_finish(&layer->device_extensions);
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

/* {"VARIABLE": "value"}: one member. */
static int
read_environment(const struct kr_json *object, struct kr_layer_environment *out)
{
	const char *name = kr_json_key_at(object, 0);
	const char *value = kr_json_string(kr_json_at(object, 0));

	if (!name || !value)
		return 0;
	out->name = strdup(name);
	out->value = strdup(value);
	return out->name && out->value ? 0 : -ENOMEM;
}

static int
read_functions(const struct kr_json *object, struct kr_layer_manifest *layer)
{
	const struct kr_json *functions = kr_json_get(object, "functions");
	const struct kr_json *pre = kr_json_get(object, "pre_instance_functions");
	int ret;

	ret = copy_string(functions, "vkNegotiateLoaderLayerInterfaceVersion", &layer->negotiate);
	if (!ret)
		ret = copy_string(
			functions, "vkGetInstanceProcAddr", &layer->get_instance_proc_addr);
	if (!ret)
		ret = copy_string(functions, "vkGetDeviceProcAddr", &layer->get_device_proc_addr);
	if (!ret)
		ret = copy_string(pre, "vkEnumerateInstanceExtensionProperties",
			&layer->pre_enumerate_extensions);
	if (!ret)
		ret = copy_string(
			pre, "vkEnumerateInstanceLayerProperties", &layer->pre_enumerate_layers);
	if (!ret)
		ret = copy_string(pre, "vkEnumerateInstanceVersion", &layer->pre_enumerate_version);
	return ret;
}

/* All that owns memory. 0 or -ENOMEM. */
static int
copy_members(const char *path, const struct kr_json *object, struct kr_layer_manifest *layer)
{
	int ret;

	layer->path = strdup(path);
	layer->library_path =
		kr_library_path_resolve(path, kr_member_string(object, "library_path"));
	if (!layer->path || !layer->library_path)
		return -ENOMEM;
	ret = read_functions(object, layer);
	if (!ret)
		ret = kr_layer_extensions_read(path, kr_json_get(object, "instance_extensions"),
			&layer->instance_extensions);
	if (!ret)
		ret = kr_layer_extensions_read(
			path, kr_json_get(object, "device_extensions"), &layer->device_extensions);
	if (!ret)
		ret = read_environment(
			kr_json_get(object, "enable_environment"), &layer->enable_environment);
	if (!ret)
		ret = read_environment(
			kr_json_get(object, "disable_environment"), &layer->disable_environment);
	return ret;
}

/* Whether the object has everything a layer needs; 0 or -EINVAL with the reason. */
static int
check_object(const char *path, const struct kr_json *object, char **reason)
{
	static const char *const needed[] = {
		"name", "type", "api_version", "implementation_version", "description"};
	const char *name = kr_member_string(object, "name");
	uint32_t arch;

	for (size_t i = 0; i < KR_ARRAY_LEN(needed); i++) {
		if (!kr_member_string(object, needed[i]))
			return refuse(path, -EINVAL, reason, "layer %.255s has no string %s",
				name ? name : "(without a name)", needed[i]);
	}
	if (!name[0] || strlen(name) >= VK_MAX_EXTENSION_NAME_SIZE)
		return refuse(path, -EINVAL, reason, "a layer's name is empty or longer than %u",
			VK_MAX_EXTENSION_NAME_SIZE - 1);
	if (kr_json_get(object, "component_layers"))
		return refuse(path, -EINVAL, reason,
			"layer %s is a meta-layer (component_layers), which isn't supported yet",
			name);
	if (!kr_member_string(object, "library_path") ||
		!kr_member_string(object, "library_path")[0])
		return refuse(path, -EINVAL, reason, "layer %s has no string library_path", name);
	if (!kr_library_arch(object, &arch) && arch && arch != sizeof(void *) * 8)
		return refuse(path, -ELIBBAD, reason,
			"layer %s is %u-bit (library_arch) and this process is %zu-bit", name, arch,
			sizeof(void *) * 8);
	return 0;
}

static int
read_scalars(const char *path, const struct kr_json *object, struct kr_layer_manifest *layer,
	char **reason)
{
	const char *type = kr_member_string(object, "type");

	snprintf(layer->name, sizeof(layer->name), "%s", kr_member_string(object, "name"));
	snprintf(layer->description, sizeof(layer->description), "%s",
		kr_member_string(object, "description"));
	layer->implementation_version = kr_member_number(object, "implementation_version");
	layer->instance_layer = !strcmp(type, "INSTANCE") || !strcmp(type, "GLOBAL");
	if (!layer->instance_layer && strcmp(type, "DEVICE"))
		return refuse(path, -EINVAL, reason,
			"layer %s: type \"%.40s\" is none of INSTANCE, GLOBAL, DEVICE", layer->name,
			type);
	if (kr_version_from_text(kr_member_string(object, "api_version"), &layer->api_version))
		return refuse(path, -EINVAL, reason,
			"layer %s: api_version \"%.40s\" is no version", layer->name,
			kr_member_string(object, "api_version"));
	return 0;
}

static int
read_layer(const char *path, const struct kr_json *object, struct kr_list *layers, char **reason)
{
	struct kr_layer_manifest *layer;
	int ret = check_object(path, object, reason);

	if (ret)
		return ret;
	layer = calloc(1, sizeof(*layer));
	if (!layer)
		return refuse(path, -ENOMEM, reason, "out of memory");
	kr_list_init(&layer->link);
	ret = read_scalars(path, object, layer, reason);
	if (!ret) {
		ret = copy_members(path, object, layer);
		if (ret)
			refuse(path, ret, reason, "out of memory");
	}
	if (ret)
		kr_layer_manifest_destroy(layer);
	else
		kr_list_append(layers, &layer->link);
	return ret;
}

/* Puts the sentence of one more layer behind those that are there already. */
static void
join_reason(char **all, char *take_reason)
{
	char *joined;

	if (!*all) {
		*all = take_reason;
		return;
	}
	joined = take_reason ? kr_asprintf("%s; %s", *all, take_reason) : NULL;
	free(take_reason);
	if (joined) {
		free(*all);
		*all = joined;
	}
}

static int
read_array(const char *path, const struct kr_json *array, struct kr_list *layers, char **reason)
{
	size_t read = 0;
	int first = 0;

	if (!kr_json_count(array))
		return refuse(path, -EINVAL, reason, "it has neither an object layer nor layers");
	for (size_t i = 0; i < kr_json_count(array); i++) {
		char *why = NULL;
		int ret = read_layer(path, kr_json_at(array, i), layers, &why);

		if (!ret) {
			read++;
			continue;
		}
		first = first ? first : ret;
		join_reason(reason, why);
	}
	return read ? 0 : first;
}

int
kr_layer_manifest_read(const char *path, struct kr_list *layers, char **reason)
{
	const struct kr_json *array, *single;
	struct kr_json *root;
	char *why = NULL;
	int ret = kr_document_read(path, KR_LOG_LAYER, &root, reason);

	if (ret)
		return ret;
	array = kr_json_get(root, "layers");
	single = kr_json_get(root, "layer");
	if (kr_json_type(array) != KR_JSON_ARRAY && kr_json_type(single) == KR_JSON_OBJECT)
		ret = read_layer(path, single, layers, &why);
	else
		ret = read_array(
			path, kr_json_type(array) == KR_JSON_ARRAY ? array : NULL, layers, &why);
	kr_json_free(root);
	*reason = why;
	return ret;
}
