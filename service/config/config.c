/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration: its keys, its defaults, and what is shown of it. */
#include "service/config/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include "util/text.h"

#define MOST_CLIENTS 100000
#define MOST_WAITING 1024

static const char *const event_words[] = {"auto", "udev", "kernel", "inotify", NULL};
static const char *const resolver_words[] = {"full", "base", NULL};
static const char *const resolver_names[] = {[KR_RESOLVE_FULL] = "full",
	[KR_RESOLVE_BASE] = "base",
	[KR_RESOLVE_EPHEMERAL] = "ephemeral"};
static const char *const delivery_words[] = {[KR_DELIVER_AUTO] = "auto",
	[KR_DELIVER_MOUNT] = "mount",
	[KR_DELIVER_MEMORY] = "memory",
	NULL};

#define AT(member) offsetof(struct kr_config, member)
const struct kr_config_key kr_config_keys[] = {
	{"socket", KR_CONFIG_PATH, AT(socket), .fixed = true},
	{"socket_mode", KR_CONFIG_MODE, AT(socket_mode), .fixed = true},
	{"packages", KR_CONFIG_PATHS, AT(packages)},
	{"resolver", KR_CONFIG_WORD, AT(resolver), resolver_words},
	{"dev", KR_CONFIG_PATH, AT(dev), .fixed = true},
	{"sys", KR_CONFIG_PATH, AT(sys), .fixed = true},
	{"events", KR_CONFIG_WORD, AT(events), event_words, .fixed = true},
	{"classes", KR_CONFIG_CLASSES, AT(classes)},
	{"driver_services", KR_CONFIG_SERVICES, AT(services)},
	{"software", KR_CONFIG_NAME, AT(software)},
	{"compile_at_run_time", KR_CONFIG_BOOL, AT(compile_at_run_time)},
	{"probe", KR_CONFIG_BOOL, AT(probe)},
	{"delivery", KR_CONFIG_DELIVERY, AT(delivery), delivery_words, .fixed = true},
	{"max_clients", KR_CONFIG_NUMBER, AT(max_clients), NULL, MOST_CLIENTS},
	{"max_clients_of_a_user", KR_CONFIG_NUMBER, AT(max_clients_of_a_user), NULL, MOST_CLIENTS},
	{"max_clients_of_a_process", KR_CONFIG_NUMBER, AT(max_clients_of_a_process), NULL,
		MOST_CLIENTS},
	{"max_requests", KR_CONFIG_NUMBER, AT(max_requests), NULL, MOST_WAITING},
};
#undef AT
const size_t kr_config_key_count = KR_ARRAY_LEN(kr_config_keys);

int
kr_config_set_text(char **member, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*member);
	*member = copy;
	return 0;
}

void
kr_config_free_packages(struct kr_config *config)
{
	for (size_t i = 0; i < config->package_count; i++)
		free(config->packages[i]);
	free(config->packages);
	free(config->resolvers);
	config->packages = NULL;
	config->resolvers = NULL;
	config->package_count = 0;
}

void
kr_config_free_classes(struct kr_config *config)
{
	for (size_t i = 0; i < config->class_count; i++) {
		free(config->classes[i].pattern);
		free(config->classes[i].package);
	}
	free(config->classes);
	config->classes = NULL;
	config->class_count = 0;
}

void
kr_config_free_services(struct kr_config *config)
{
	for (size_t i = 0; i < config->service_count; i++) {
		free(config->services[i].name);
		free(config->services[i].socket);
	}
	free(config->services);
	config->services = NULL;
	config->service_count = 0;
}

int
kr_config_init(struct kr_config *config)
{
	static const char *const directories[] = {"/usr/lib/krafla/drivers", "/etc/krafla/drivers"};
	struct kr_config made = {
		.socket_mode = 0660,
		.compile_at_run_time = true,
		.probe = true,
		.max_clients = 4096,
		.max_clients_of_a_user = 1024,
		.max_clients_of_a_process = 64,
		.max_requests = 16,
	};
	int err = 0;

	made.packages = calloc(KR_ARRAY_LEN(directories) + 1, sizeof(*made.packages));
	made.resolvers = calloc(KR_ARRAY_LEN(directories) + 1, sizeof(*made.resolvers));
	if (!made.packages || !made.resolvers) {
		kr_config_finish(&made);
		return -ENOMEM;
	}
	made.resolvers[0] = KR_RESOLVE_BASE; /* what distributions install */
	made.package_count = KR_ARRAY_LEN(directories);
	for (size_t i = 0; i < KR_ARRAY_LEN(directories); i++)
		err = err ? err : kr_config_set_text(&made.packages[i], directories[i]);
	err = err ? err : kr_config_set_text(&made.dev, "/dev");
	err = err ? err : kr_config_set_text(&made.sys, "/sys");
	err = err ? err : kr_config_set_text(&made.events, event_words[0]);
	err = err ? err : kr_config_set_text(&made.resolver, resolver_words[0]);
	if (err)
		kr_config_finish(&made);
	else
		*config = made;
	return err;
}

void
kr_config_finish(struct kr_config *config)
{
	kr_config_free_packages(config);
	kr_config_free_classes(config);
	kr_config_free_services(config);
	free(config->file);
	free(config->socket);
	free(config->dev);
	free(config->sys);
	free(config->events);
	free(config->resolver);
	free(config->software);
	*config = (struct kr_config){0};
}

static json_t *
show_classes(const struct kr_config *config)
{
	json_t *list = json_array();

	for (size_t i = 0; i < config->class_count; i++)
		json_array_append_new(list,
			json_pack("{s:s, s:s}", "pattern", config->classes[i].pattern, "package",
				config->classes[i].package));
	return list;
}

enum kr_config_resolver
kr_config_resolver_of(const struct kr_config *config, size_t package)
{
	return config->resolvers ? config->resolvers[package] : KR_RESOLVE_FULL;
}

const char *
kr_config_resolver_name(enum kr_config_resolver resolver)
{
	return resolver_names[resolver];
}

/* As it is written: the path alone is of the full resolver. */
static json_t *
show_directory(const struct kr_config *config, size_t i)
{
	const enum kr_config_resolver resolver = kr_config_resolver_of(config, i);

	if (resolver == KR_RESOLVE_FULL)
		return json_string(config->packages[i]);
	return json_pack("{s:s, s:s}", "path", config->packages[i], "resolver",
		kr_config_resolver_name(resolver));
}

static json_t *
show_services(const struct kr_config *config)
{
	json_t *list = json_array();

	for (size_t i = 0; i < config->service_count; i++)
		json_array_append_new(list,
			json_pack("{s:s, s:s, s:b}", "name", config->services[i].name, "socket",
				config->services[i].socket, "safe", config->services[i].safe));
	return list;
}

static json_t *
show_key(const struct kr_config *config, const struct kr_config_key *key)
{
	const void *member = (const char *)config + key->offset;
	char mode[16];
	json_t *list;

	switch (key->type) {
	case KR_CONFIG_BOOL:
		return json_boolean(*(const bool *)member);
	case KR_CONFIG_NUMBER:
		return json_integer(*(const uint32_t *)member);
	case KR_CONFIG_MODE:
		snprintf(mode, sizeof(mode), "%04o", *(const uint32_t *)member);
		return json_string(mode);
	case KR_CONFIG_DELIVERY:
		return json_string(delivery_words[config->delivery]);
	case KR_CONFIG_CLASSES:
		return show_classes(config);
	case KR_CONFIG_SERVICES:
		return show_services(config);
	case KR_CONFIG_PATHS:
		list = json_array();
		for (size_t i = 0; i < config->package_count; i++)
			json_array_append_new(list, show_directory(config, i));
		return list;
	case KR_CONFIG_PATH:
	case KR_CONFIG_NAME:
	case KR_CONFIG_WORD:
		break;
	}
	return *(char *const *)member ? json_string(*(char *const *)member) : json_null();
}

json_t *
kr_config_inspect(const struct kr_config *config)
{
	json_t *shown = json_object();

	json_object_set_new(shown, "file", config->file ? json_string(config->file) : json_null());
	for (size_t i = 0; i < kr_config_key_count; i++)
		json_object_set_new(
			shown, kr_config_keys[i].name, show_key(config, &kr_config_keys[i]));
	return shown;
}

/* --- another one, while a service runs --- */

char *
kr_config_changes(const struct kr_config *from, const struct kr_config *to, bool fixed)
{
	char *list = strdup("");

	for (size_t i = 0; list && i < kr_config_key_count; i++) {
		const struct kr_config_key *key = &kr_config_keys[i];
		json_t *before = show_key(from, key), *after = show_key(to, key);

		if (key->fixed == fixed && !json_equal(before, after)) {
			char *longer = kr_asprintf("%s%s%s", list, *list ? ", " : "", key->name);

			free(list);
			list = longer;
		}
		json_decref(before);
		json_decref(after);
	}
	return list;
}

static size_t
size_of(const struct kr_config_key *key)
{
	return key->type == KR_CONFIG_MODE        ? sizeof(uint32_t)
		: key->type == KR_CONFIG_DELIVERY ? sizeof(enum kr_config_delivery)
						  : sizeof(char *);
}

void
kr_config_swap_fixed(struct kr_config *a, struct kr_config *b)
{
	char kept[sizeof(char *)];

	for (size_t i = 0; i < kr_config_key_count; i++) {
		const struct kr_config_key *key = &kr_config_keys[i];
		char *in_a = (char *)a + key->offset, *in_b = (char *)b + key->offset;

		if (!key->fixed)
			continue;
		memcpy(kept, in_a, size_of(key));
		memcpy(in_a, in_b, size_of(key));
		memcpy(in_b, kept, size_of(key));
	}
}
