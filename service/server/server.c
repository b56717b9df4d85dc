/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service as a whole: makes its parts, and passes on what one tells to the others. See server.h.
 */
#include "service/server/server.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/server/state.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/text.h"

static void
tell_peers(struct kr_server *server)
{
	struct kr_peer *peer, *next;

	kr_list_for_each_safe (peer, next, &server->peers, link)
		kr_peer_look_again(peer);
}

static void
check_idle(struct kr_server *server)
{
	if (!kr_server_is_idle(server))
		return;
	server->was_idle = true;
	server->has_news = true;
	tell_peers(server);
	/*
	 * What reading packages took is most of what this process has, and it is long till the next
	 * one comes.
	 */
	malloc_trim(0);
}

/* --- what the parts tell --- */

static void
handle_package_changed(void *data, struct kr_catalog_entry *entry)
{
	struct kr_server *server = data;

	kr_offers_package_changed(server->offers, entry);
}

static void
handle_packages_idle(void *data)
{
	struct kr_server *server = data;

	kr_offers_packages_idle(server->offers);
	check_idle(server);
}

static void
handle_node_added(void *data, const char *path)
{
	struct kr_server *server = data;
	int err = kr_tree_put(server->devices, path, "", 0);

	if (!err && json_object_set_new(server->nodes, path, json_true()))
		err = -ENOMEM;
	if (err)
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD, "device %s can't be shown to clients: %s", path,
			strerror(-err));
}

static void
handle_node_removed(void *data, const char *path)
{
	struct kr_server *server = data;

	kr_tree_remove(server->devices, path);
	json_object_del(server->nodes, path);
}

static int
publish(struct kr_server *server, const struct kr_generation *generation)
{
	const char *name = kr_generation_name(generation);
	char *text = kr_package_served_manifest(kr_generation_package(generation), name);
	char *file = kr_asprintf("%s.json", name);
	int err = text && file ? kr_tree_put(server->manifests, file, text, strlen(text)) : -ENOMEM;

	free(text);
	free(file);
	server->has_news = true;
	return err;
}

static void
handle_offer_added(void *data, struct kr_offer *offer)
{
	struct kr_server *server = data;
	const char *name = kr_generation_name(offer->generation);
	int err = publish(server, offer->generation);

	if (err)
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD, "driver %s can't be shown to clients: %s", name,
			strerror(-err));
	else
		kr_log(KR_LOG_INFO | KR_LOG_LOUD, "offers %s (package %s)%s", name,
			kr_generation_package(offer->generation)->name,
			offer->software ? ", because no device has a driver" : "");
	tell_peers(server);
}

static void
handle_offer_removed(void *data, struct kr_offer *offer)
{
	struct kr_server *server = data;
	const char *name = kr_generation_name(offer->generation);
	char *file = kr_asprintf("%s.json", name);

	if (file)
		kr_tree_remove(server->manifests, file);
	free(file);
	server->has_news = true;
	kr_log(KR_LOG_INFO | KR_LOG_LOUD, "no longer offers %s", name);
	if (server->peer_count)
		kr_retired_add(&server->retired, offer->generation, server->next_number);
}

static void
handle_offers_idle(void *data)
{
	check_idle(data);
}

static const struct kr_catalog_events catalog_events = {
	.changed = handle_package_changed,
	.idle = handle_packages_idle,
};
static const struct kr_offers_events offers_events = {
	.node_added = handle_node_added,
	.node_removed = handle_node_removed,
	.offer_added = handle_offer_added,
	.offer_removed = handle_offer_removed,
	.idle = handle_offers_idle,
};

/* --- beginning and end --- */

static int
make_store(struct kr_server *server, char **reason)
{
	int err = kr_store_create(server->config->delivery, &server->store, reason);

	if (err)
		return err;
	/* The store has raised the limit of descriptors. */
	kr_users_measure(&server->users);
	err = kr_tree_create(server->store, "manifests", &server->manifests);
	return err ? err : kr_tree_create(server->store, "devices", &server->devices);
}

static int
make_offers(struct kr_server *server, const struct kr_offers_sources *sources)
{
	int err = kr_catalog_create(server->loop, server->store, server->config, &catalog_events,
		server, &server->catalog);

	return err ? err
		   : kr_offers_create(server->loop, server->catalog, server->config, sources,
			     &offers_events, server, &server->offers);
}

static int
start(struct kr_server *server)
{
	int err = kr_server_accept(server);

	if (!err)
		err = kr_offers_start(server->offers);
	if (!err)
		err = kr_catalog_start(server->catalog);
	if (err)
		return err;
	server->started = true;
	check_idle(server);
	return 0;
}

int
kr_server_create(struct kr_loop *loop, const struct kr_config *config, int take_socket,
	const struct kr_offers_sources *sources, struct kr_server **out, char **reason)
{
	struct kr_server *server = calloc(1, sizeof(*server));
	int err;

	*reason = NULL;
	if (!server) {
		close(take_socket);
		return -ENOMEM;
	}
	server->loop = loop;
	server->config = config;
	server->socket = take_socket;
	server->own_uid = geteuid();
	server->since = kr_clock_now();
	kr_list_init(&server->peers);
	kr_users_init(&server->users);
	kr_retired_init(&server->retired);
	server->nodes = json_object();
	err = server->nodes ? make_store(server, reason) : -ENOMEM;
	if (!err)
		err = make_offers(server, sources);
	if (!err)
		err = start(server);
	if (err) {
		if (!*reason)
			*reason = kr_asprintf("the service can't start: %s", strerror(-err));
		kr_server_destroy(server);
		return err;
	}
	*out = server;
	return 0;
}

int
kr_server_configure(struct kr_server *server, const struct kr_config *config)
{
	int err = kr_catalog_configure(server->catalog, config);

	if (err)
		return err;
	kr_offers_configure(server->offers, config);
	server->config = config;
	server->has_news = true;
	return 0;
}

void
kr_server_destroy(struct kr_server *server)
{
	struct kr_peer *peer, *next;

	if (!server)
		return;
	kr_watch_remove(server->accepting);
	kr_list_for_each_safe (peer, next, &server->peers, link)
		kr_peer_destroy(peer);
	kr_offers_destroy(server->offers);
	kr_catalog_destroy(server->catalog);
	kr_retired_finish(&server->retired);
	kr_tree_destroy(server->devices);
	kr_tree_destroy(server->manifests);
	kr_store_destroy(server->store);
	json_decref(server->nodes);
	kr_fd_close(&server->socket);
	free(server->unconfined);
	free(server);
}
