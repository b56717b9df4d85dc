/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which libraries are layers: every libVkLayer*.so in the application's own directory, and,
 * when the process is debuggable, in the debug directory, which is looked at first. Of files
 * with one name the first counts.
 *
 * What names a directory is a property, and in a guarded process that isn't debuggable properties
 * come from the system's own file alone (util/guard.h): so no environment brings a layer in (Y-06).
 */
#include "layers/android.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/guard.h"
#include "util/log.h"
#include "util/properties.h"
#include "util/text.h"

#define PREFIX        "libVkLayer"
#define SUFFIX        ".so"
#define ORIGIN        "$ORIGIN"
#define APPLICATION   "ro.krafla.layers.application"
#define DEBUG         "ro.krafla.layers.debug"
#define DEBUG_DEFAULT "/data/local/debug/vulkan"

/* The library of this file name that is in the list, or NULL. */
static const struct kr_manifest_layer *
find_file(const struct kr_list *list, const char *name)
{
	const struct kr_manifest_layer *layer;

	kr_list_for_each (layer, list, link) {
		if (!strcmp(strrchr(layer->path, '/') + 1, name))
			return layer;
	}
	return NULL;
}

/* Takes out layers whose name an earlier one has. */
static void
drop_repeated(struct kr_list *list)
{
	struct kr_manifest_layer *layer, *next, *earlier;

	kr_list_for_each_safe (layer, next, list, link) {
		kr_list_for_each (earlier, list, link) {
			if (earlier == layer || !strcmp(earlier->name, layer->name))
				break;
		}
		if (earlier == layer)
			continue;
		kr_log(KR_LOG_WARN | KR_LOG_LAYER, "%s: layer %s is in %s already; passed over",
			layer->path, layer->name, earlier->path);
		kr_manifest_layer_destroy(layer);
	}
}

static int
read_directory(const char *path, struct kr_list *list)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int ret = 0;

	if (!dir) {
		if (errno != ENOENT)
			kr_log(KR_LOG_WARN | KR_LOG_LAYER, "%s can't be searched for layers: %s",
				path, strerror(errno));
		return 0;
	}
	while (!ret && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		char *file;

		if (strncmp(name, PREFIX, strlen(PREFIX)) || !kr_has_suffix(name, SUFFIX) ||
			find_file(list, name))
			continue;
		file = kr_asprintf("%s/%s", path, name);
		ret = file ? kr_layer_library_read(file, list) : -ENOMEM;
		free(file);
	}
	closedir(dir);
	return ret;
}

/* The directory of this program, without a slash at its end; "" when the kernel doesn't tell. */
static void
get_origin(char *origin, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", origin, size - 1);
	char *slash;

	origin[len > 0 ? len : 0] = '\0';
	slash = strrchr(origin, '/');
	if (slash)
		*slash = '\0';
}

/* An element of a list of directories: absolute, or below $ORIGIN. */
static int
read_item(const char *property, const char *item, size_t len, struct kr_list *list)
{
	char origin[PATH_MAX] = "";
	char *path;
	int ret;

	if (len >= strlen(ORIGIN) && !strncmp(item, ORIGIN, strlen(ORIGIN))) {
		get_origin(origin, sizeof(origin));
		item += strlen(ORIGIN);
		len -= strlen(ORIGIN);
	}
	if (!origin[0] && item[0] != '/') {
		kr_log(KR_LOG_WARN | KR_LOG_LAYER, "%s: %.*s is no absolute directory; passed over",
			property, (int)len, item);
		return 0;
	}
	path = kr_asprintf("%s%.*s", origin, (int)len, item);
	ret = path ? read_directory(path, list) : -ENOMEM;
	free(path);
	return ret;
}

static int
read_list(const char *property, const char *fallback, struct kr_list *list)
{
	char value[KR_PROPERTY_VALUE_MAX];
	const char *rest = value, *item;
	size_t len;
	int ret = 0;

	if (!kr_property_get(property, value, sizeof(value)))
		rest = fallback;
	while (!ret && kr_list_next(&rest, ':', &item, &len))
		ret = read_item(property, item, len, list);
	return ret;
}

/* Marks what the properties name and moves it to the front, in their order. */
static void
order(struct kr_list *list, const struct kr_layer_property_names *names)
{
	struct kr_list *last = list;

	for (size_t i = 0; i < names->count; i++) {
		struct kr_manifest_layer *layer;

		kr_list_for_each (layer, list, link) {
			if (strcmp(layer->name, names->items[i]))
				continue;
			layer->implicit = true;
			kr_list_remove(&layer->link);
			kr_list_insert(last, &layer->link);
			last = &layer->link;
			break;
		}
	}
}

VkResult
kr_layers_find_libraries(enum kr_layer_scope scope, struct kr_layers *layers)
{
	struct kr_layer_property_names names;
	int ret = kr_layer_property_names_read(&names);

	kr_list_init(&layers->list);
	layers->override = NULL;
	/* Opening libraries has effects: not for nothing. */
	if (!ret && (scope == KR_LAYERS_ALL || names.count)) {
		if (kr_guard_process_is_debuggable())
			ret = read_list(DEBUG, DEBUG_DEFAULT, &layers->list);
		if (!ret)
			ret = read_list(APPLICATION, "", &layers->list);
		drop_repeated(&layers->list);
		order(&layers->list, &names);
	}
	kr_layer_property_names_finish(&names);
	if (!ret)
		return VK_SUCCESS;
	kr_layers_finish(layers);
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

VkResult
kr_layers_check_properties(const struct kr_layers *layers)
{
	struct kr_layer_property_names names;
	VkResult result = VK_SUCCESS;

	if (kr_layer_property_names_read(&names))
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
	for (size_t i = 0; i < names.count && result == VK_SUCCESS; i++) {
		if (kr_layers_get(layers, names.items[i]))
			continue;
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER,
			"layer %s, which a property debug.vulkan.layer* names, is in none of the directories that this process may take layers from",
			names.items[i]);
		result = VK_ERROR_LAYER_NOT_PRESENT;
	}
	kr_layer_property_names_finish(&names);
	return result;
}
