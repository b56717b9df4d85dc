/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a settings object: see settings_sections.h. */
#include "manifest/settings_sections.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/document.h"
#include "util/log.h"

/* An entry of a section that is being read; for messages too. */
struct entry {
	struct kr_settings *settings;
	const char *section;
	size_t index;
	const struct kr_json *object;
};

/*
 * Entries are compared with each other and with what is found: of a file of megabytes
 * that would take minutes.
 */
#define MAX_ENTRIES 4096

/* What follows when a section isn't what it has to be; for messages. */
static const char *
consequence(const char *section)
{
	return strcmp(section, "layers") ? "the section isn't used"
					 : "the settings file isn't used";
}

static int
refuse_section(const struct kr_settings *settings, const char *section, const char *why)
{
	kr_warn("%s: %s %s: %s", settings->path, section, why, consequence(section));
	return -EINVAL;
}

static int
refuse_entry(const struct entry *entry, const char *why)
{
	kr_warn("%s: %s[%zu]: %s: %s", entry->settings->path, entry->section, entry->index, why,
		consequence(entry->section));
	return -EINVAL;
}

static int
copy_string(const char *text, char **out)
{
	if (!text)
		return 0;
	*out = strdup(text);
	return *out ? 0 : -ENOMEM;
}

/*
 * Calls read() for each entry of a section, which is an array (or, as other loaders have it, an
 * object, whose keys mean nothing).
 */
static int
read_entries(struct kr_settings *settings, const struct kr_json *section, const char *name,
	int (*read)(const struct entry *entry))
{
	int ret = 0;

	for (size_t i = 0; i < kr_json_count(section) && !ret; i++) {
		struct entry entry = {settings, name, i, kr_json_at(section, i)};

		if (kr_json_type_of(entry.object) != KR_JSON_OBJECT)
			return refuse_entry(&entry, "isn't an object");
		ret = read(&entry);
	}
	return ret;
}

/* A section that may be absent; *items has room for all of its entries then. 0 or -errno. */
static int
open_section(const struct kr_settings *settings, const struct kr_json *section, const char *name,
	size_t item_size, void **items)
{
	size_t count = kr_json_count(section);

	if (section && kr_json_type_of(section) != KR_JSON_ARRAY &&
		kr_json_type_of(section) != KR_JSON_OBJECT)
		return refuse_section(settings, name, "isn't an array");
	if (count > MAX_ENTRIES)
		return refuse_section(settings, name, "has more than 4096 entries");
	if (count) {
		*items = calloc(count, item_size);
		if (!*items)
			return -ENOMEM;
	}
	return 0;
}

/* stderr_log: the words of VK_LOADER_DEBUG, and `validation`, which no message of a loader has. */
static int
read_log(struct kr_settings *settings, const struct kr_json *object)
{
	const struct kr_json *words = kr_json_get(object, "stderr_log");

	if (!words)
		return 0;
	if (kr_json_type_of(words) != KR_JSON_ARRAY)
		return refuse_section(settings, "stderr_log", "isn't an array");
	settings->has_log = true;
	for (size_t i = 0; i < kr_json_count(words); i++) {
		const char *word = kr_json_string(kr_json_at(words, i));
		uint32_t bits = word ? kr_log_bits_from_list(word, strlen(word)) : 0;

		if (!word || (!bits && word[0] && strcmp(word, "validation")))
			kr_warn("%s: stderr_log: %s is no kind of message; passed over",
				settings->path, word ? word : "what isn't a string");
		settings->log_bits |= bits;
	}
	return 0;
}

static enum kr_settings_control
control_from_text(const char *text)
{
	if (!strcmp(text, "on"))
		return KR_CONTROL_ON;
	if (!strcmp(text, "off"))
		return KR_CONTROL_OFF;
	if (!strcmp(text, "unordered_layer_location"))
		return KR_CONTROL_UNORDERED;
	return KR_CONTROL_AUTO;
}

static int
read_layer(const struct entry *entry)
{
	const char *control = kr_member_string(entry->object, "control");
	const char *name = kr_member_string(entry->object, "name");
	struct kr_settings *settings = entry->settings;
	struct kr_settings_layer *layer = &settings->layers[settings->layer_count++];
	int ret;

	if (!control)
		return refuse_entry(entry, "has no string control");
	layer->control = control_from_text(control);
	if (layer->control == KR_CONTROL_UNORDERED)
		return 0;
	if (layer->control == KR_CONTROL_AUTO && strcmp(control, "auto"))
		kr_warn("%s: layers[%zu]: control \"%.40s\" isn't known; taken as auto",
			settings->path, entry->index, control);
	if (!name)
		return refuse_entry(entry, "has no string name");
	layer->implicit = kr_json_bool(kr_json_get(entry->object, "treat_as_implicit_manifest"));
	ret = copy_string(name, &layer->name);
	return ret ? ret : copy_string(kr_member_string(entry->object, "path"), &layer->path);
}

static int
read_layers(struct kr_settings *settings, const struct kr_json *object)
{
	const struct kr_json *section = kr_json_get(object, "layers");
	int ret = open_section(
		settings, section, "layers", sizeof(*settings->layers), (void **)&settings->layers);

	if (ret)
		return ret;
	settings->has_layers = section;
	return read_entries(settings, section, "layers", read_layer);
}

static int
read_driver(const struct entry *entry)
{
	const char *path = kr_member_string(entry->object, "path");

	if (!path)
		return refuse_entry(entry, "has no string path");
	return copy_string(path, &entry->settings->driver_paths[entry->settings->driver_count++]);
}

static int
read_drivers(struct kr_settings *settings, const struct kr_json *object)
{
	const struct kr_json *section = kr_json_get(object, "additional_drivers");
	int ret = open_section(settings, section, "additional_drivers",
		sizeof(*settings->driver_paths), (void **)&settings->driver_paths);

	if (!ret)
		ret = read_entries(settings, section, "additional_drivers", read_driver);
	if (!ret)
		settings->drivers_exclusive =
			kr_json_bool(kr_json_get(object, "additional_drivers_use_exclusively"));
	return ret;
}

static void
drop_drivers(struct kr_settings *settings)
{
	for (size_t i = 0; i < settings->driver_count; i++)
		free(settings->driver_paths[i]);
	free(settings->driver_paths);
	settings->driver_paths = NULL;
	settings->driver_count = 0;
}

/* A UUID is an array of its bytes. Absent: *has stays false. */
static int
read_uuid(const struct entry *entry, const char *key, bool *has, uint8_t *uuid)
{
	const struct kr_json *array = kr_json_get(entry->object, key);

	if (!array)
		return 0;
	if (kr_json_type_of(array) != KR_JSON_ARRAY || kr_json_count(array) != VK_UUID_SIZE)
		return refuse_entry(entry, "a UUID isn't an array of 16 numbers");
	for (size_t i = 0; i < VK_UUID_SIZE; i++) {
		const struct kr_json *item = kr_json_at(array, i);
		double number = kr_json_number(item);

		if (kr_json_type_of(item) != KR_JSON_NUMBER ||
			!(number >= 0 && number <= UINT8_MAX) || (uint8_t)number != number)
			return refuse_entry(entry, "a number of a UUID isn't one of 0 to 255");
		uuid[i] = (uint8_t)number;
	}
	*has = true;
	return 0;
}

static int
read_version(const struct entry *entry, bool *has, uint32_t *version)
{
	const struct kr_json *item = kr_json_get(entry->object, "driverVersion");
	double number = kr_json_number(item);

	if (!item)
		return 0;
	if (kr_json_type_of(item) != KR_JSON_NUMBER || !(number >= 0 && number <= UINT32_MAX) ||
		(uint32_t)number != number)
		return refuse_entry(entry, "driverVersion isn't a 32-bit number");
	*version = (uint32_t)number;
	*has = true;
	return 0;
}

static int
read_name(const struct entry *entry, const char *key, char *out, size_t size)
{
	const struct kr_json *item = kr_json_get(entry->object, key);
	const char *text = kr_json_string(item);

	if (!item)
		return 0;
	if (!text || strlen(text) >= size)
		return refuse_entry(entry, "a name isn't a string of at most 255 characters");
	memcpy(out, text, strlen(text) + 1);
	return 0;
}

static int
read_device(const struct entry *entry)
{
	struct kr_settings_device *device =
		&entry->settings->devices[entry->settings->device_count++];
	int ret = read_uuid(entry, "deviceUUID", &device->has_device_uuid, device->device_uuid);

	if (!ret)
		ret = read_uuid(entry, "driverUUID", &device->has_driver_uuid, device->driver_uuid);
	if (!ret)
		ret = read_version(entry, &device->has_driver_version, &device->driver_version);
	if (!ret)
		ret = read_name(
			entry, "deviceName", device->device_name, sizeof(device->device_name));
	if (!ret)
		ret = read_name(
			entry, "driverName", device->driver_name, sizeof(device->driver_name));
	if (ret)
		return ret;
	if (!device->has_device_uuid && !device->has_driver_uuid && !device->has_driver_version &&
		!device->device_name[0] && !device->driver_name[0])
		return refuse_entry(entry, "names nothing to know a device by");
	return 0;
}

static int
read_devices(struct kr_settings *settings, const struct kr_json *object)
{
	const struct kr_json *section = kr_json_get(object, "device_configurations");
	int ret = open_section(settings, section, "device_configurations",
		sizeof(*settings->devices), (void **)&settings->devices);

	return ret ? ret : read_entries(settings, section, "device_configurations", read_device);
}

static void
drop_devices(struct kr_settings *settings)
{
	free(settings->devices);
	settings->devices = NULL;
	settings->device_count = 0;
}

int
kr_settings_sections_read(const struct kr_json *object, struct kr_settings *settings)
{
	static const struct {
		int (*read)(struct kr_settings *settings, const struct kr_json *object);
		void (*drop)(struct kr_settings *settings); /* NULL: nothing is kept of it */
	} lone[] = {{read_log, NULL}, {read_drivers, drop_drivers}, {read_devices, drop_devices}};
	int ret = read_layers(settings, object);

	for (size_t i = 0; i < KR_ARRAY_LEN(lone) && !ret; i++) {
		ret = lone[i].read(settings, object);
		if (ret != -EINVAL)
			continue;
		if (lone[i].drop)
			lone[i].drop(settings);
		ret = 0;
	}
	return ret;
}
