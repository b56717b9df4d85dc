/* SPDX-License-Identifier: Apache-2.0 */
/* The settings file: where it is, which of its settings count, what is told. See settings.h. */
#include "manifest/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manifest/document.h"
#include "manifest/profile.h"
#include "manifest/settings_sections.h"
#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

/*
 * With the second slash the path is the one that other loaders say, and who compares
 * messages compares that.
 */
#define BELOW "vulkan//loader_settings.d/vk_loader_settings.json"

/* The search for the file: over when path holds one. */
struct search {
	const char *(*env_get)(const char *name);
	const char *sysconfdir;
	char path[PATH_MAX]; /* "" while nothing is found */
};

/*
 * base/middle/vulkan/...: the file that is there, readable or not. A path too long
 * for the kernel isn't.
 */
static void
try_base(struct search *search, const char *base, size_t len, const char *middle)
{
	char path[PATH_MAX];
	int size;

	if (search->path[0])
		return;
	size = snprintf(path, sizeof(path), "%.*s%s/" BELOW, (int)len, base, middle);
	if (size > 0 && (size_t)size < sizeof(path) && !access(path, F_OK))
		memcpy(search->path, path, (size_t)size + 1);
}

static void
try_list(struct search *search, const char *variable, const char *fallback)
{
	const char *list = search->env_get(variable), *item;
	size_t len;

	if (!list)
		list = fallback;
	while (kr_list_next(&list, ':', &item, &len))
		try_base(search, item, len, "");
}

/* Both homes that are named come before those that follow from HOME. */
static void
try_homes(struct search *search)
{
	const char *config = search->env_get("XDG_CONFIG_HOME");
	const char *data = search->env_get("XDG_DATA_HOME"), *home = search->env_get("HOME");

	if (config)
		try_base(search, config, strlen(config), "");
	if (data)
		try_base(search, data, strlen(data), "");
	if (home && !config)
		try_base(search, home, strlen(home), "/.config");
	if (home && !data)
		try_base(search, home, strlen(home), "/.local/share");
}

static void
find(struct search *search)
{
	const struct kr_profile *profile = kr_profile_get();
	const char *const *dirs = profile->config_dirs;

	if (!profile->settings)
		return;
	for (; dirs && *dirs; dirs++)
		try_base(search, *dirs, strlen(*dirs), "");
	if (profile->config_dirs)
		return;
	try_homes(search);
	try_list(search, "XDG_CONFIG_DIRS", "/etc/xdg");
	try_base(search, search->sysconfdir, strlen(search->sysconfdir), "");
	try_list(search, "XDG_DATA_DIRS", "/usr/local/share:/usr/share");
}

/* Which of the settings in the file are for this program. */
struct choice {
	const char *file;
	char exe[PATH_MAX]; /* "" when the kernel doesn't tell */
	const struct kr_json *named, *global;
};

static bool
names_program(const struct choice *choice, const struct kr_json *app_keys)
{
	if (kr_json_type_of(app_keys) != KR_JSON_ARRAY)
		kr_warn("%s: app_keys isn't an array: its settings are for no program",
			choice->file);
	for (size_t i = 0; i < kr_json_count(app_keys); i++) {
		const char *key = kr_json_string(kr_json_at(app_keys, i));

		if (key && choice->exe[0] && !strcmp(key, choice->exe))
			return true;
	}
	return false;
}

/* The first of each kind counts. */
static void
consider(struct choice *choice, const struct kr_json *object)
{
	const struct kr_json *app_keys = kr_json_get(object, "app_keys");

	if (kr_json_type_of(object) != KR_JSON_OBJECT)
		kr_warn("%s: settings that aren't an object are passed over", choice->file);
	else if (!app_keys && !choice->global)
		choice->global = object;
	else if (app_keys && !choice->named && names_program(choice, app_keys))
		choice->named = object;
}

/* What is wrong with the document as a whole, or NULL. */
static const char *
check(const struct kr_json *root)
{
	const struct kr_json *array = kr_json_get(root, "settings_array");

	if (!kr_json_get(root, "file_format_version"))
		return "it has no file_format_version";
	if (!array && !kr_json_get(root, "settings"))
		return "it has neither settings nor settings_array";
	if (array && kr_json_type_of(array) != KR_JSON_ARRAY)
		return "settings_array isn't an array";
	return NULL;
}

/* The settings for this program: those that name it, else the first that name none; else NULL. */
static const struct kr_json *
choose(const char *file, const struct kr_json *root)
{
	const struct kr_json *array = kr_json_get(root, "settings_array");
	struct choice choice = {.file = file};
	ssize_t len = readlink("/proc/self/exe", choice.exe, sizeof(choice.exe) - 1);

	choice.exe[len > 0 ? len : 0] = '\0';
	for (size_t i = 0; i < kr_json_count(array) && !choice.named; i++)
		consider(&choice, kr_json_at(array, i));
	if (!array)
		consider(&choice, kr_json_get(root, "settings"));
	if (!choice.named && !choice.global)
		kr_debug("%s: none of its settings are for %s", file, choice.exe);
	return choice.named ? choice.named : choice.global;
}

/* "ERROR | WARNING | ...": the words in the order in which users of loaders know them. */
static void
log_words(uint32_t bits, char *text, size_t size)
{
	static const struct {
		uint32_t bit;
		const char *word;
	} words[] = {
		{KR_LOG_ERROR, "ERROR"},
		{KR_LOG_WARN, "WARNING"},
		{KR_LOG_INFO, "INFO"},
		{KR_LOG_DEBUG, "DEBUG"},
		{KR_LOG_PERF, "PERF"},
		{KR_LOG_DRIVER, "DRIVER"},
		{KR_LOG_LAYER, "LAYER"},
	};
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < KR_ARRAY_LEN(words); i++) {
		if (bits & words[i].bit && used < size)
			used += (size_t)snprintf(
				text + used, size - used, "%s%s", used ? " | " : "", words[i].word);
	}
}

static void
tell_layer(const struct kr_settings_layer *layer, size_t index)
{
	static const char *const controls[] = {
		[KR_CONTROL_AUTO] = "auto",
		[KR_CONTROL_ON] = "on",
		[KR_CONTROL_OFF] = "off",
		[KR_CONTROL_UNORDERED] = "unordered_layer_location",
	};

	kr_debug("---- Layer Configuration [%zu] ----", index);
	if (layer->control != KR_CONTROL_UNORDERED) {
		kr_debug("Name: %s", layer->name);
		kr_debug("Path: %s", layer->path ? layer->path : "(wherever it is found)");
		kr_debug("Layer Type: %s", layer->implicit ? "Implicit" : "Explicit");
	}
	kr_debug("Control: %s", controls[layer->control]);
}

static void
tell_nothing(const char *path)
{
	kr_info("vk_loader_settings.json file found at \"%s\" but did not contain any valid settings.",
		path);
}

static bool
has_any(const struct kr_settings *settings)
{
	return settings->log_bits || settings->has_layers || settings->driver_count ||
		settings->drivers_exclusive || settings->device_count;
}

/* What the file asks for, in the words that people look for in the output of loaders. */
static void
tell(const struct kr_settings *settings)
{
	char words[80];

	if (!has_any(settings)) {
		tell_nothing(settings->path);
		return;
	}
	kr_info("Using layer configurations found in loader settings from %s", settings->path);
	if (!kr_log_enabled(KR_LOG_DEBUG))
		return;
	log_words(settings->log_bits, words, sizeof(words));
	if (words[0])
		kr_debug("Loader Settings Filters for Logging to Standard Error: %s", words);
	kr_debug("Layer Configurations count = %zu", settings->layer_count);
	for (size_t i = 0; i < settings->layer_count; i++)
		tell_layer(&settings->layers[i], i);
	kr_debug("---------------------------------");
	for (size_t i = 0; i < settings->driver_count; i++)
		kr_debug("Additional driver%s: %s",
			settings->drivers_exclusive ? ", exclusively" : "",
			settings->driver_paths[i]);
	if (settings->device_count)
		kr_debug("Device Configurations count = %zu", settings->device_count);
}

/* Reads the file at settings->path. 0, -ENOMEM, or another error: then it doesn't apply. */
static int
read_file(struct kr_settings *settings)
{
	const struct kr_json *object;
	struct kr_json *root;
	const char *wrong;
	char *reason = NULL;
	int ret = kr_document_read(settings->path, 0, &root, &reason);

	free(reason);
	if (ret)
		return ret;
	wrong = check(root);
	if (wrong)
		kr_warn("%s: %s: the settings file isn't used", settings->path, wrong);
	object = wrong ? NULL : choose(settings->path, root);
	ret = object ? kr_settings_sections_read(object, settings) : -ENOENT;
	kr_json_free(root);
	return ret;
}

int
kr_settings_read(const struct kr_search_options *options, struct kr_settings *settings)
{
	struct search search = {
		.env_get = options && options->env_get ? options->env_get : kr_env_get,
		.sysconfdir = options && options->sysconfdir ? options->sysconfdir : "/etc",
	};
	struct kr_settings found = {0};
	int ret = 0;

	find(&search);
	if (search.path[0]) {
		found.path = strdup(search.path);
		ret = found.path ? read_file(&found) : -ENOMEM;
	}
	if (ret && ret != -ENOMEM)
		tell_nothing(found.path);
	if (ret)
		kr_settings_finish(&found);
	kr_log_set_override(found.log_bits);
	if (ret == -ENOMEM)
		return ret;
	if (found.path)
		tell(&found);
	*settings = found;
	return 0;
}

void
kr_settings_finish(struct kr_settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++) {
		free(settings->layers[i].name);
		free(settings->layers[i].path);
	}
	for (size_t i = 0; i < settings->driver_count; i++)
		free(settings->driver_paths[i]);
	free(settings->layers);
	free(settings->driver_paths);
	free(settings->devices);
	free(settings->path);
	memset(settings, 0, sizeof(*settings));
}
