/* SPDX-License-Identifier: Apache-2.0 */
/* The process's client, its fork and its end. See client.h. */
#include "client/internal.h"

#include <pthread.h>
#include <stdlib.h>

#include "util/log.h"

static struct kr_client the_client = {
	.lock = KR_MUTEX_INITIALIZER,
	.drivers = KR_LIST_INITIALIZER(the_client.drivers),
	.directory = {.fd = -1},
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

void
kr_client_driver_destroy(struct kr_client_driver *driver)
{
	kr_list_remove(&driver->link);
	free(driver->name);
	free(driver->reason);
	free(driver);
}

/*
 * Names are unique for one service, and a child may talk to the next one. It asks again; the
 * dynamic linker knows the file when it is the same.
 */
static void
inherit_drivers(struct kr_client *client)
{
	struct kr_client_driver *driver, *next;

	kr_list_for_each_safe (driver, next, &client->drivers, link) {
		driver->inherited = true;
		if (!driver->dso)
			kr_client_driver_destroy(driver);
	}
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&the_client.lock);
}

static void
in_parent(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_unlock(&the_client.lock);
}

/*
 * The child begins anew, beside what is loaded. What a thread of the parent was at work on is left
 * as it is.
 */
static void
in_child(void) KR_NO_THREAD_SAFETY
{
	struct kr_client *client = &the_client;

	if (!client->talking) {
		kr_connection_close(client->connection);
		kr_kept_fd_close(&client->directory);
		kr_manifests_unref(client->manifests);
		free(client->reason);
	}
	if (client->talking)
		client->socket = NULL;
	client->talking = false;
	client->state = KR_CLIENT_IDLE;
	client->connection = NULL;
	client->directory = KR_KEPT_FD_NONE;
	client->manifests = NULL;
	client->reason = NULL;
	client->waited_for_idle = false;
	inherit_drivers(client);
	kr_cond_init(&client->changed);
	kr_mutex_unlock(&client->lock);
}

static void
init(void)
{
	kr_cond_init(&the_client.changed);
	if (pthread_atfork(before_fork, in_parent, in_child))
		kr_warn("out of memory: a child of this process must not use Vulkan");
}

struct kr_client *
kr_client_get(void)
{
	struct kr_log_hold hold;

	kr_log_hold_begin(&hold);
	pthread_once(&once, init);
	kr_log_hold_end(&hold);
	return &the_client;
}

static void
forget_drivers(struct kr_client *client)
{
	struct kr_client_driver *driver, *next;

	kr_list_for_each_safe (driver, next, &client->drivers, link)
		kr_client_driver_destroy(driver);
}

static void
forget(struct kr_client *client)
{
	kr_connection_close(client->connection);
	kr_kept_fd_close(&client->directory);
	kr_manifests_unref(client->manifests);
	free(client->socket);
	free(client->reason);
	client->connection = NULL;
	client->manifests = NULL;
	client->socket = client->reason = NULL;
	client->state = KR_CLIENT_IDLE;
	client->waited_for_idle = false;
	forget_drivers(client);
}

static bool
is_loading(const struct kr_client *client)
{
	const struct kr_client_driver *driver;

	kr_list_for_each (driver, &client->drivers, link) {
		if (driver->loading)
			return true;
	}
	return false;
}

/* At the end of a process other threads may still be at work: what they use stays. */
void
kr_client_end(void)
{
	struct kr_client *client = &the_client;

	kr_mutex_lock(&client->lock);
	if (!client->talking && !is_loading(client))
		forget(client);
	kr_mutex_unlock(&client->lock);
}
