/* SPDX-License-Identifier: Apache-2.0 */
/* What the service tells of itself (M-06): docs/service.md lists the members. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>

#include "service/server/server.h"
#include "service/server/state.h"
#include "util/clock.h"
#include "util/text.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* So many clients one by one; all are in the users' counts. */
#define MOST_CLIENTS_SHOWN 256

static void
add_text(json_t *list, char *take_text)
{
	if (take_text)
		json_array_append_new(list, json_string(take_text));
	free(take_text);
}

/* --- health --- */

static char *
why_no_offer(const struct kr_server *server)
{
	const bool packages = !kr_list_empty(kr_catalog_entries(server->catalog));

	if (packages && server->config->software)
		return kr_asprintf(
			"no device has a driver among the packages, and the software driver '%s' can't be offered instead: what is told of it among the devices says why",
			server->config->software);
	if (packages)
		return kr_asprintf(
			"no device has a driver among the packages, and no software driver is offered instead (\"software\" in the configuration)");
	return kr_asprintf(
		"there is no package in the configured directories, the first of which is %s: make one with 'krafla package'",
		server->config->package_count ? server->config->packages[0] : "none");
}

static json_t *
list_problems(const struct kr_server *server)
{
	const struct kr_catalog_entry *entry;
	json_t *problems = json_array();

	kr_list_for_each (entry, kr_catalog_entries(server->catalog), link) {
		if (entry->reason)
			add_text(problems,
				kr_asprintf("package %s: %s", entry->name, entry->reason));
	}
	if (server->was_idle && kr_list_empty(kr_offers_list(server->offers)))
		add_text(problems, why_no_offer(server));
	return problems;
}

static const char *
health_of(const struct kr_server *server)
{
	if (!kr_list_empty(kr_offers_list(server->offers)))
		return "ok";
	return server->was_idle ? "no driver" : "starting up";
}

static json_t *
show_health(const struct kr_server *server)
{
	return json_pack("{s:s, s:b, s:o}", "state", health_of(server), "idle",
		kr_server_is_idle(server), "problems", list_problems(server));
}

/*
 * What isn't as it should best be, but works. `store`: kr_store_inspect; `offered`:
 * kr_offers_inspect.
 */
static json_t *
list_fallbacks(const struct kr_server *server, const json_t *store, const json_t *offered)
{
	const char *lacks = json_string_value(json_object_get(offered, "unconfined"));
	const char *delivery = json_string_value(json_object_get(store, "delivery"));
	const char *reason = json_string_value(json_object_get(store, "reason"));
	json_t *fallbacks = json_array();
	const struct kr_offer *offer;

	if (server->config->delivery == KR_DELIVER_AUTO && delivery &&
		strcmp(delivery, "mount") != 0)
		add_text(fallbacks,
			kr_asprintf("packages are copied into memory: %s",
				reason ? reason : "mounts can't be had"));
	if (server->unconfined)
		add_text(fallbacks,
			kr_asprintf("the service isn't wholly confined: %s", server->unconfined));
	if (lacks)
		add_text(fallbacks,
			kr_asprintf(
				"drivers are tried without being wholly confined, as there isn't %s",
				lacks));
	kr_list_for_each (offer, kr_offers_list(server->offers), link) {
		if (offer->software)
			add_text(fallbacks,
				kr_asprintf(
					"%s, the software driver, is offered, because no device has a driver",
					kr_generation_name(offer->generation)));
	}
	return fallbacks;
}

/* --- what is served --- */

/* The files of both trees, as clients find them (Fuchsia's debug directory). */
static json_t *
show_trees(const struct kr_server *server)
{
	json_t *manifests = json_array(), *devices = json_array(), *unused;
	const struct kr_offer *offer;
	const char *path;

	kr_list_for_each (offer, kr_offers_list(server->offers), link)
		add_text(manifests, kr_asprintf("%s.json", kr_generation_name(offer->generation)));
	json_object_foreach(server->nodes, path, unused)
		json_array_append_new(devices, json_string(path));
	return json_pack("{s:o, s:o}", "manifest_fs", manifests, "device_fs", devices);
}

static json_t *
show_clients(const struct kr_server *server)
{
	const struct kr_peer *peer;
	json_t *list = json_array();

	kr_list_for_each (peer, &server->peers, link) {
		if (json_array_size(list) == MOST_CLIENTS_SHOWN)
			break;
		json_array_append_new(list, kr_peer_inspect(peer));
	}
	return json_pack("{s:i, s:I, s:I, s:I, s:o, s:o}", "connected", (int)server->peer_count,
		"connections", (json_int_t)server->counts.connections, "turned_away",
		(json_int_t)server->counts.turned_away, "thrown_out",
		(json_int_t)server->counts.thrown_out, "users", kr_users_inspect(&server->users),
		"list", list);
}

static json_t *
show_deliveries(const struct kr_peer_counts *counts)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "requests",
		(json_int_t)counts->requests, "mount", (json_int_t)counts->mounts, "memory",
		(json_int_t)counts->memory, "unknown", (json_int_t)counts->unknown, "manifests",
		(json_int_t)counts->manifests, "device_lists", (json_int_t)counts->devices, "nodes",
		(json_int_t)counts->nodes, "refused", (json_int_t)counts->refused);
}

json_t *
kr_server_inspect(const struct kr_server *server)
{
	const int64_t age = kr_clock_now() - server->since;
	json_t *store = kr_store_inspect(server->store);
	json_t *offered = kr_offers_inspect(server->offers);
	json_t *fallbacks = list_fallbacks(server, store, offered);
	json_t *state = json_pack("{s:s, s:i, s:i, s:I}", "krafla", KRAFLA_VERSION, "pid",
		(int)getpid(), "uid", (int)server->own_uid, "uptime_ms",
		(json_int_t)(age / KR_NSEC_PER_MSEC));

	json_object_set_new(state, "health", show_health(server));
	json_object_set_new(state, "config", kr_config_inspect(server->config));
	json_object_set_new(state, "store", store);
	json_object_set_new(state, "packages", kr_catalog_inspect(server->catalog));
	json_object_set_new(state, "offers", offered);
	json_object_set_new(state, "retired", kr_retired_inspect(&server->retired));
	json_object_set_new(state, "debug", show_trees(server));
	json_object_set_new(state, "clients", show_clients(server));
	json_object_set_new(state, "deliveries", show_deliveries(&server->counts.given));
	json_object_set_new(state, "fallbacks", fallbacks);
	return state;
}

/* --- handing it out --- */

static int
write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t done = write(fd, text, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		text += done;
		size -= (size_t)done;
	}
	return 0;
}

static int
new_memfd(void)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create("krafla-service-state", flags | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("krafla-service-state", flags);
	return fd < 0 ? -errno : fd;
}

int
kr_server_state(const struct kr_server *server, int *out)
{
	json_t *state = kr_server_inspect(server);
	char *text = state ? json_dumps(state, JSON_INDENT(2)) : NULL;
	int fd, err;

	json_decref(state);
	if (!text)
		return -ENOMEM;
	err = fd = new_memfd();
	if (fd >= 0) {
		err = write_all(fd, text, strlen(text));
		if (!err &&
			fcntl(fd, F_ADD_SEALS,
				F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
			err = -errno;
		if (err)
			close(fd);
	}
	free(text);
	if (!err)
		*out = fd;
	return err;
}

char *
kr_server_summary(const struct kr_server *server)
{
	json_t *store = kr_store_inspect(server->store);
	const char *delivery = json_string_value(json_object_get(store, "delivery"));
	size_t offers = 0, packages = 0;
	const struct kr_list *link;
	char *text;

	for (link = kr_offers_list(server->offers)->next; link != kr_offers_list(server->offers);
		link = link->next)
		offers++;
	for (link = kr_catalog_entries(server->catalog)->next;
		link != kr_catalog_entries(server->catalog); link = link->next)
		packages++;
	text = kr_asprintf(
		"%zu driver%s offered, of %zu package%s, for %zu device node%s; delivery: %s",
		offers, offers == 1 ? "" : "s", packages, packages == 1 ? "" : "s",
		json_object_size(server->nodes), json_object_size(server->nodes) == 1 ? "" : "s",
		delivery ? delivery : "unknown");
	json_decref(store);
	return text;
}
