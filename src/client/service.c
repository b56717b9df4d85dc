/* SPDX-License-Identifier: Apache-2.0 */
/* The client as a source of drivers, and how it is: see client.h. */
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

static int
for_each_manifest(
	struct kr_driver_service *service, kr_service_manifest_fn each, void *data, char **reason)
{
	return kr_client_for_each_manifest(kr_client_get(), each, data, reason);
}

static int
open_library(struct kr_driver_service *service, const char *library, void **dso, char **reason)
{
	return kr_client_open_library(kr_client_get(), library, dso, reason);
}

struct kr_driver_service *
kr_client_service(void)
{
	static const struct kr_driver_service_impl impl = {
		.for_each_manifest = for_each_manifest,
		.open_library = open_library,
	};
	static struct kr_driver_service service = {&impl};

	if (!kr_client_is_configured())
		return NULL;
	/* Its handlers of fork are there from here on. */
	(void)kr_client_get();
	return &service;
}

bool
kr_client_describe(struct kr_client_report *report)
{
	struct kr_client *client = kr_client_get();
	const char *lost;
	char *reason = NULL;

	if (!kr_client_is_configured())
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
