/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Talking to the service: which socket, the right to talk, connecting, asking. See client.h and
 * internal.h.
 */
#include "client/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manifest/profile.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/guard.h"
#include "util/text.h"
#include "wire/service.h"

#define VARIABLE "KRAFLA_SERVICE"

/* What the variable says; NULL: nothing, or this process takes no code from variables. */
static const char *
variable(void)
{
	const char *value = kr_env_get_raw(VARIABLE);

	return value && kr_guard_trusts_environment() ? value : NULL;
}

bool
kr_client_is_configured(void)
{
	const struct kr_profile *profile = kr_profile_get();
	const char *socket = variable();

	if (!(profile->drivers & KR_PROFILE_SERVICE))
		return false;
	return socket ? *socket && strcmp(socket, "none") : profile->service_by_default;
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
		*reason = kr_asprintf(
			"other threads of this process have been talking to the loader service for %d s",
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
 * Whoever serves at the usual place of users runs code in this process. XDG_RUNTIME_DIR survives
 * some ways to become another user, root above all: what nobody named by hand must be this user's
 * own, or root's.
 */
static int
refuse_others(struct kr_client *client)
{
	uid_t user = kr_connection_user(client->connection);

	if (!user || user == geteuid())
		return 0;
	client->reason = kr_asprintf(
		"the loader service at %s isn't used: it is that of user %u, and this process is user %u's (KRAFLA_SERVICE names one of another user)",
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

/* Connects first if nothing has yet. 0, -ENOMEM, -ENOTCONN with a sentence. */
static int
need_connection(struct kr_client *client, char **reason)
{
	if (client->state == KR_CLIENT_IDLE && connect_client(client) == -ENOMEM) {
		client->state = KR_CLIENT_IDLE;
		return -ENOMEM;
	}
	if (client->connection)
		return 0;
	*reason = client->reason ? strdup(client->reason) : NULL;
	return -ENOTCONN;
}

int
kr_client_features(struct kr_client *client, uint32_t *features, char **reason)
{
	const int err = need_connection(client, reason);

	if (!err)
		*features = kr_connection_features(client->connection);
	return err;
}

int
kr_client_ask(struct kr_client *client, struct kr_ls_message *request, enum kr_ls_type expected,
	bool parked, struct kr_answer *answer, char **reason)
{
	int err = need_connection(client, reason);

	if (err)
		return err;
	err = kr_connection_ask(client->connection, request, expected, parked, answer, reason);
	if (err && kr_connection_has_ended(client->connection))
		client->state = KR_CLIENT_LOST;
	return err;
}
