/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a configuration file by the table of its keys. The file is read whole before anything of it
 * counts;
 * what it doesn't say keeps its default.
 */
#include "service/config/keys.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/text.h"
#include "wire/named_socket.h"

#define LONGEST_FILE (1 << 20)
#define MOST_ENTRIES 64

/* What is being read, and the sentence if it is wrong. */
struct reading {
	const char *path;
	char *reason;
};

static int refuse(struct reading *r, const char *fmt, ...) KR_PRINTF(2, 3);

static int
refuse(struct reading *r, const char *fmt, ...)
{
	va_list args;
	char *what;

	va_start(args, fmt);
	if (vasprintf(&what, fmt, args) < 0)
		what = NULL;
	va_end(args);
	if (!what)
		return -ENOMEM;
	r->reason = kr_asprintf("%s: %s", r->path, what);
	free(what);
	return r->reason ? -EINVAL : -ENOMEM;
}

static bool
is_package_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* Below the device directory: "dri/renderD*". */
static bool
is_pattern(const char *pattern)
{
	return *pattern && *pattern != '/' && !strstr(pattern, "..") && !strstr(pattern, "//");
}

static const char *
string_of(struct reading *r, const char *key, const json_t *value, int *err)
{
	const char *text = json_string_value(value);

	*err = text ? 0 : refuse(r, "\"%s\" must be a string", key);
	return text;
}

static int
read_path(struct reading *r, const char *key, const json_t *value, char **member)
{
	int err;
	const char *text = string_of(r, key, value, &err);

	if (err)
		return err;
	if (*text != '/')
		return refuse(
			r, "\"%s\" must be an absolute path, and \"%s\" isn't one", key, text);
	return kr_config_set_text(member, text);
}

static int
read_name(struct reading *r, const char *key, const json_t *value, char **member)
{
	int err;
	const char *text = string_of(r, key, value, &err);

	if (err)
		return err;
	if (!is_package_name(text))
		return refuse(r,
			"\"%s\" must be the name of a package, a directory's name without a slash, and \"%s\" isn't one",
			key, text);
	return kr_config_set_text(member, text);
}

static int
find_word(struct reading *r, const struct kr_config_key *key, const json_t *value, size_t *index)
{
	int err;
	const char *text = string_of(r, key->name, value, &err);
	char *list;

	if (err)
		return err;
	for (*index = 0; key->words[*index]; (*index)++) {
		if (!strcmp(text, key->words[*index]))
			return 0;
	}
	list = strdup(key->words[0]);
	for (size_t i = 1; list && key->words[i]; i++) {
		char *longer = kr_asprintf("%s, %s", list, key->words[i]);

		free(list);
		list = longer;
	}
	err = list ? refuse(r, "\"%s\" must be one of %s, and \"%s\" isn't", key->name, list, text)
		   : -ENOMEM;
	free(list);
	return err;
}

static int
read_number(
	struct reading *r, const struct kr_config_key *key, const json_t *value, uint32_t *member)
{
	const json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < 1 || number > key->most)
		return refuse(
			r, "\"%s\" must be a whole number from 1 to %u", key->name, key->most);
	*member = (uint32_t)number;
	return 0;
}

static int
read_mode(struct reading *r, const char *key, const json_t *value, uint32_t *member)
{
	int err;
	const char *text = string_of(r, key, value, &err);

	if (err)
		return err;
	if (strlen(text) != 4 || text[0] != '0' || strspn(text, "01234567") != 4)
		return refuse(r,
			"\"%s\" must be the mode of a file, as \"0660\", and \"%s\" isn't one", key,
			text);
	*member = (uint32_t)strtoul(text, NULL, 8);
	return 0;
}

static int
check_list(struct reading *r, const char *key, const json_t *value)
{
	if (!json_is_array(value) || json_array_size(value) > MOST_ENTRIES)
		return refuse(r, "\"%s\" must be a list of at most %d", key, MOST_ENTRIES);
	return 0;
}

static int
read_resolver(struct reading *r, const json_t *value, enum kr_config_resolver *resolver)
{
	const char *text = json_string_value(value);

	for (*resolver = KR_RESOLVE_FULL; text && *resolver <= KR_RESOLVE_EPHEMERAL;
		(*resolver)++) {
		if (!strcmp(text, kr_config_resolver_name(*resolver)))
			return 0;
	}
	return refuse(r,
		"the \"resolver\" of a directory of packages must be \"full\", \"base\" or \"ephemeral\"");
}

/* A path, or an object that says whose packages lie there as well. */
static int
read_directory(struct reading *r, const char *key, const json_t *value, char **path,
	enum kr_config_resolver *resolver)
{
	int err;

	if (!json_is_object(value))
		return read_path(r, key, value, path);
	if (json_object_size(value) != 2 || !json_object_get(value, "path") ||
		!json_object_get(value, "resolver"))
		return refuse(r,
			"each of \"%s\" must be a path, or an object with \"path\" and \"resolver\"",
			key);
	err = read_resolver(r, json_object_get(value, "resolver"), resolver);
	return err ? err : read_path(r, "path", json_object_get(value, "path"), path);
}

static int
read_packages(struct reading *r, const char *key, const json_t *value, struct kr_config *config)
{
	const size_t count = json_array_size(value);
	int err = check_list(r, key, value);

	if (err)
		return err;
	kr_config_free_packages(config);
	config->packages = calloc(count + 1, sizeof(*config->packages));
	config->resolvers = calloc(count + 1, sizeof(*config->resolvers));
	if (!config->packages || !config->resolvers)
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++) {
		err = read_directory(r, key, json_array_get(value, i), &config->packages[i],
			&config->resolvers[i]);
		config->package_count = err ? i : i + 1;
	}
	return err;
}

static int
read_class(struct reading *r, const json_t *value, struct kr_config_class *class)
{
	const char *pattern = json_string_value(json_object_get(value, "pattern"));
	int err;

	if (!json_is_object(value) || json_object_size(value) != 2 || !pattern ||
		!json_object_get(value, "package"))
		return refuse(r,
			"each of \"classes\" must be an object with \"pattern\" and \"package\"");
	if (!is_pattern(pattern))
		return refuse(r,
			"\"pattern\" must name nodes below the device directory, as \"dri/renderD*\", and \"%s\" doesn't",
			pattern);
	err = kr_config_set_text(&class->pattern, pattern);
	return err ? err
		   : read_name(r, "package", json_object_get(value, "package"), &class->package);
}

static int
read_classes(struct reading *r, const char *key, const json_t *value, struct kr_config *config)
{
	const size_t count = json_array_size(value);
	int err = check_list(r, key, value);

	if (err)
		return err;
	kr_config_free_classes(config);
	config->classes = calloc(count + 1, sizeof(*config->classes));
	if (!config->classes)
		return -ENOMEM;
	config->class_count = count;
	for (size_t i = 0; i < count && !err; i++)
		err = read_class(r, json_array_get(value, i), &config->classes[i]);
	return err;
}

static int
read_service(struct reading *r, const json_t *value, struct kr_config_service *service)
{
	const char *name = json_string_value(json_object_get(value, "name"));
	const json_t *safe = json_object_get(value, "safe");
	int err;

	if (!json_is_object(value) || json_object_size(value) != 3 || !name ||
		!json_object_get(value, "socket") || !json_is_boolean(safe))
		return refuse(r,
			"each of \"driver_services\" must be an object with \"name\", \"socket\" and \"safe\" (true or false)");
	if (!kr_named_socket_is_name(name))
		return refuse(r,
			"\"name\" must have 1 to 63 of a to z, 0 to 9, '.', '_' and '-', and \"%s\" hasn't",
			name);
	service->safe = json_is_true(safe);
	err = kr_config_set_text(&service->name, name);
	if (!err)
		err = read_path(r, "socket", json_object_get(value, "socket"), &service->socket);
	if (!err && strlen(service->socket) >= KR_NAMED_SOCKET_PATH_SIZE)
		return refuse(r, "\"socket\" must have at most 107 bytes");
	return err;
}

static int
read_services(struct reading *r, const char *key, const json_t *value, struct kr_config *config)
{
	const size_t count = json_array_size(value);
	int err = check_list(r, key, value);

	if (err)
		return err;
	kr_config_free_services(config);
	config->services = calloc(count + 1, sizeof(*config->services));
	if (!config->services)
		return -ENOMEM;
	config->service_count = count;
	for (size_t i = 0; i < count && !err; i++)
		err = read_service(r, json_array_get(value, i), &config->services[i]);
	return err;
}

static int
read_key(struct reading *r, const struct kr_config_key *key, const json_t *value,
	struct kr_config *config)
{
	void *member = (char *)config + key->offset;
	size_t word;
	int err;

	switch (key->type) {
	case KR_CONFIG_PATH:
		return read_path(r, key->name, value, member);
	case KR_CONFIG_NAME:
		return read_name(r, key->name, value, member);
	case KR_CONFIG_WORD:
		err = find_word(r, key, value, &word);
		return err ? err : kr_config_set_text(member, key->words[word]);
	case KR_CONFIG_DELIVERY:
		err = find_word(r, key, value, &word);
		if (!err)
			config->delivery = (enum kr_config_delivery)word;
		return err;
	case KR_CONFIG_BOOL:
		if (!json_is_boolean(value))
			return refuse(r, "\"%s\" must be true or false", key->name);
		*(bool *)member = json_is_true(value);
		return 0;
	case KR_CONFIG_NUMBER:
		return read_number(r, key, value, member);
	case KR_CONFIG_MODE:
		return read_mode(r, key->name, value, member);
	case KR_CONFIG_PATHS:
		return read_packages(r, key->name, value, config);
	case KR_CONFIG_CLASSES:
		return read_classes(r, key->name, value, config);
	case KR_CONFIG_SERVICES:
		return read_services(r, key->name, value, config);
	}
	return -EINVAL;
}

static const struct kr_config_key *
find_key(const char *name)
{
	for (size_t i = 0; i < kr_config_key_count; i++) {
		if (!strcmp(kr_config_keys[i].name, name))
			return &kr_config_keys[i];
	}
	return NULL;
}

static int
read_object(struct reading *r, json_t *object, struct kr_config *config)
{
	const char *name;
	json_t *value;

	if (!json_is_object(object))
		return refuse(r, "it must hold one JSON object");
	json_object_foreach(object, name, value)
	{
		const struct kr_config_key *key = find_key(name);
		int err = key ? read_key(r, key, value, config)
			      : refuse(r, "there is no key \"%s\"; the keys are in docs/service.md",
					name);

		if (err)
			return err;
	}
	return 0;
}

/* --- the file --- */

static int
load_object(struct reading *r, json_t **object)
{
	char *text = malloc(LONGEST_FILE + 1);
	json_error_t error;
	size_t size;
	FILE *file;
	int err;

	if (!text)
		return -ENOMEM;
	err = kr_file_open(r->path, &file);
	if (err) {
		r->reason = kr_asprintf("%s can't be opened: %s", r->path, strerror(-err));
		goto out;
	}
	size = fread(text, 1, LONGEST_FILE + 1, file);
	err = ferror(file) ? -EIO : 0;
	fclose(file);
	if (err)
		r->reason = kr_asprintf("%s can't be read", r->path);
	else if (size > LONGEST_FILE)
		err = refuse(r, "it is longer than %d bytes", LONGEST_FILE);
	if (err)
		goto out;
	*object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!*object)
		err = refuse(r, "line %d: %s", error.line, error.text);
out:
	free(text);
	return err;
}

int
kr_config_read(const char *path, struct kr_config *config, char **reason)
{
	struct reading reading = {.path = path};
	struct kr_config fresh;
	json_t *object = NULL;
	int err = kr_config_init(&fresh);

	*reason = NULL;
	if (err)
		return err;
	err = load_object(&reading, &object);
	if (!err)
		err = read_object(&reading, object, &fresh);
	json_decref(object);
	if (!err)
		err = kr_config_set_text(&fresh.file, path);
	if (err) {
		kr_config_finish(&fresh);
		*reason = reading.reason
			? reading.reason
			: kr_asprintf("%s can't be read: %s", path, strerror(-err));
		return err;
	}
	fresh.serves_users = config->serves_users;
	kr_config_finish(config);
	*config = fresh;
	return 0;
}
