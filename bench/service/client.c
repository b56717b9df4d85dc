/* SPDX-License-Identifier: Apache-2.0 */
/* A client of the loader service that loads nothing: what the service itself costs. */
#include "bench/service/client.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "delivery/delivery.h"
#include "util/clock.h"
#include "wire/service.h"

#define START_NS   (20 * KR_NSEC_PER_SEC)
#define GIVE_UP_NS (10 * KR_NSEC_PER_SEC)

static int
fail(struct service_rig *rig, const char *what, char *take_reason)
{
	int ret = service_rig_fail(rig, what, take_reason ? take_reason : "out of memory");

	free(take_reason);
	return ret;
}

int
service_client_open(struct service_rig *rig, struct service_client *client)
{
	struct kr_ls_message request = {
		.type = KR_LS_MANIFEST_FS, .manifest_fs = {.options = KR_SERVICE_WAIT_FOR_IDLE}};
	char *reason = NULL;

	memset(client, 0, sizeof(*client));
	if (kr_connection_open(
		    rig->socket, kr_deadline_in(GIVE_UP_NS), &client->connection, &reason))
		return fail(rig, "a client", reason);
	if (!kr_connection_ask(client->connection, &request, KR_LS_MANIFESTS, true,
		    &client->manifests, &reason))
		return 0;
	service_client_close(client);
	return fail(rig, "manifests", reason);
}

int
service_client_wait(struct service_rig *rig)
{
	int64_t give_up = kr_bench_now() + START_NS;
	struct service_client client;

	while (kr_bench_now() < give_up) {
		if (waitpid(rig->pid, NULL, WNOHANG)) {
			rig->pid = 0;
			return service_rig_fail_logged(rig, "kraflad ended");
		}
		if (!access(rig->socket, F_OK) && !service_client_open(rig, &client)) {
			service_client_close(&client);
			return 0;
		}
		usleep(2000);
	}
	return service_rig_fail_logged(rig, "kraflad doesn't answer");
}

/* By its name, because the descriptor stands for the mount alone and can't be read. */
static int
find_in_directory(struct service_client *client)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", client->manifests.fds[0]);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (entry->d_name[0] != '.' && len > 5 && !strcmp(entry->d_name + len - 5, ".json"))
			snprintf(client->name, sizeof(client->name), "%.*s", (int)len - 5,
				entry->d_name);
	}
	if (dir)
		closedir(dir);
	return client->name[0] ? 0 : 1;
}

static int
find_in_listing(struct service_client *client)
{
	json_t *listing = json_loadfd(client->manifests.fds[0], 0, NULL);
	const char *name = NULL;

	if (listing && !json_unpack(listing, "{s:[{s:s}]}", "files", "name", &name))
		snprintf(client->name, sizeof(client->name), "%.*s", (int)strlen(name) - 5, name);
	json_decref(listing);
	return client->name[0] ? 0 : 1;
}

static int
find_driver(struct service_rig *rig, struct service_client *client)
{
	int ret = client->manifests.message.manifests.kind == KR_DELIVERY_MOUNT
		? find_in_directory(client)
		: find_in_listing(client);

	return ret ? service_rig_fail(rig, "manifests", "the service offers no driver") : 0;
}

int
service_client_get(struct service_rig *rig, struct service_client *client)
{
	struct kr_ls_message request = {.type = KR_LS_GET};
	char *reason = NULL;

	snprintf(request.get.name, sizeof(request.get.name), "%s", client->name);
	if (kr_connection_ask(
		    client->connection, &request, KR_LS_PACKAGE, true, &client->package, &reason))
		return fail(rig, "the package", reason);
	return client->package.fd_count ? 0
					: service_rig_fail(rig, "the package", "it isn't given");
}

int
service_client_first(struct service_rig *rig, struct service_client *client)
{
	int ret = service_client_open(rig, client);

	if (ret)
		return ret;
	ret = find_driver(rig, client);
	if (!ret)
		ret = service_client_get(rig, client);
	if (ret)
		service_client_close(client);
	return ret;
}

void
service_client_close(struct service_client *client)
{
	kr_answer_finish(&client->package);
	kr_answer_finish(&client->manifests);
	kr_connection_close(client->connection);
	client->connection = NULL;
}
