/* SPDX-License-Identifier: Apache-2.0 */
/* The process's client: which socket, the right to talk, connecting, fork. See client.h. */
#include "client/internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manifest/profile.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/guard.h"
#include "util/log.h"
#include "util/text.h"
#include "wire/service.h"

#define VARIABLE "KRAFLA_SERVICE"

static const struct kr_driver_service_impl impl = {
	.for_each_manifest = kr_client_for_each_manifest,
	.open_library = kr_client_open_library,
};

static struct kr_client the_client = {
	.service = {&impl},
	.lock = KR_MUTEX_INITIALIZER,
	.drivers = KR_LIST_INITIALIZER(the_client.drivers),
	.directory = {.fd = -1},
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

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

/* The child begins anew, beside what is loaded. What a thread of the parent was at work on is left as it is. */
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
	kr_client_inherit_drivers(client);
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

/* What the variable says; NULL: nothing, or this process takes no code from variables. */
static const char *
variable(void)
{
	const char *value = kr_env_get_raw(VARIABLE);

	return value && kr_guard_trusts_environment() ? value : NULL;
}

struct kr_driver_service *
kr_client_service(void)
{
	const struct kr_profile *profile = kr_profile_get();
	const char *socket = variable();

	if (!(profile->drivers & KR_PROFILE_SERVICE))
		return NULL;
	if (socket ? !*socket || !strcmp(socket, "none") : !profile->service_by_default)
		return NULL;
	return &kr_client_get()->service;
}

int
kr_client_begin(struct kr_client *client, char **reason)
{
	int64_t deadline = kr_deadline_in((uint64_t)kr_client_limits.turn_ns);
	int err = 0;

	kr_mutex_lock(&client->lock);
	while (client->talking && err != -ETIMEDOUT)
		err = kr_cond_wait_until(&client->changed, &client->lock, deadline);
	err = client->talking ? -ETIMEDOUT : 0;
	if (!err)
		client->talking = true;
	kr_mutex_unlock(&client->lock);
	if (err)
		*reason = kr_asprintf("other threads of this process have been talking to the "
				      "loader service for %d s",
			(int)(kr_client_limits.turn_ns / KR_NSEC_PER_SEC));
	return err;
}

void
kr_client_done(struct kr_client *client)
{
	kr_mutex_lock(&client->lock);
	client->talking = false;
	kr_cond_broadcast(&client->changed);
	kr_mutex_unlock(&client->lock);
}

/* Connects to one socket; the last one's reason stays. */
static int
try_socket(struct kr_client *client, char *take_path, int64_t deadline_ns)
{
	int err;

	if (!take_path)
		return -ENOMEM;
	free(client->socket);
	free(client->reason);
	client->reason = NULL;
	client->socket = take_path;
	err = kr_connection_open(take_path, deadline_ns, &client->connection, &client->reason);
	client->state = err ? KR_CLIENT_UNREACHABLE : KR_CLIENT_CONNECTED;
	return err;
}

/*
 * Whoever serves at the usual place of users runs code in this process. XDG_RUNTIME_DIR survives some ways to become
 * another user, root above all: what nobody named by hand must be this user's own, or root's.
 */
static int
refuse_others(struct kr_client *client)
{
	uid_t user = kr_connection_user(client->connection);

	if (!user || user == geteuid())
		return 0;
	client->reason = kr_asprintf("the loader service at %s isn't used: it is that of user %u, "
				     "and this process is user %u's (KRAFLA_SERVICE names one of "
				     "another user)",
		client->socket, (unsigned)user, (unsigned)geteuid());
	kr_connection_close(client->connection);
	client->connection = NULL;
	client->state = KR_CLIENT_UNREACHABLE;
	return -EACCES;
}

static int
connect_client(struct kr_client *client)
{
	int64_t deadline = kr_deadline_in((uint64_t)kr_client_limits.answer_ns);
	const char *named = variable(), *runtime;
	int err;

	if (named)
		return try_socket(client, strdup(named), deadline);
	err = try_socket(client, strdup(KR_SERVICE_SYSTEM_SOCKET), deadline);
	runtime = err ? kr_env_get_directory("XDG_RUNTIME_DIR") : NULL;
	if (!err || err == -ENOMEM || !runtime)
		return err;
	err = try_socket(client, kr_asprintf("%s/" KR_SERVICE_USER_SOCKET, runtime), deadline);
	return err ? err : refuse_others(client);
}

int
kr_client_ask(struct kr_client *client, struct kr_ls_message *request, enum kr_ls_type expected,
	bool parked, struct kr_answer *answer, char **reason)
{
	int err;

	if (client->state == KR_CLIENT_IDLE && connect_client(client) == -ENOMEM) {
		client->state = KR_CLIENT_IDLE;
		return -ENOMEM;
	}
	if (!client->connection) {
		*reason = client->reason ? strdup(client->reason) : NULL;
		return -ENOTCONN;
	}
	err = kr_connection_ask(client->connection, request, expected, parked, answer, reason);
	if (err && kr_connection_has_ended(client->connection))
		client->state = KR_CLIENT_LOST;
	return err;
}

bool
kr_client_describe(struct kr_client_report *report)
{
	struct kr_client *client = kr_client_get();
	const char *lost;
	char *reason = NULL;

	if (!kr_client_service())
		return false;
	*report = (struct kr_client_report){.state = KR_CLIENT_CONNECTED};
	if (kr_client_begin(client, &reason)) {
		report->reason = reason;
		return true;
	}
	lost = client->state == KR_CLIENT_LOST ? kr_connection_lost(client->connection)
					       : client->reason;
	report->state = client->state;
	report->socket = client->socket ? strdup(client->socket) : NULL;
	report->reason = lost ? strdup(lost) : NULL;
	if (client->state == KR_CLIENT_CONNECTED)
		report->features = kr_connection_features(client->connection);
	kr_client_done(client);
	return true;
}

void
kr_client_report_finish(struct kr_client_report *report)
{
	free(report->socket);
	free(report->reason);
}

const char *
kr_client_state_name(enum kr_client_state state)
{
	static const char *const names[] = {
		[KR_CLIENT_IDLE] = "not used",
		[KR_CLIENT_CONNECTED] = "connected",
		[KR_CLIENT_UNREACHABLE] = "unreachable",
		[KR_CLIENT_LOST] = "lost",
	};

	return names[state];
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
	kr_client_forget_drivers(client);
}

/* At the end of a process other threads may still be at work: what they use stays. */
void
kr_client_end(void)
{
	struct kr_client *client = &the_client;

	kr_mutex_lock(&client->lock);
	if (!client->talking && !kr_client_is_loading(client))
		forget(client);
	kr_mutex_unlock(&client->lock);
}
