/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the client share. For this room alone.
 *
 * Requests of several threads go over one connection, one after the other. Whoever talks may wait
 * for seconds, so it isn't a lock that keeps the others out: one thread at a time has the right to
 * talk, with no lock held, and the others wait for it on a condition, within a limit of their own.
 */
#ifndef KR_CLIENT_INTERNAL_H
#define KR_CLIENT_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "client/client.h"
#include "client/connection.h"
#include "client/manifests.h"
#include "util/kept_fd.h"
#include "util/list.h"
#include "util/mutex.h"
#include "util/vulkan.h"

/* A library by its unique name, for the life of the process. */
struct kr_client_driver {
	struct kr_list link;
	char *name;
	bool loading; /* by a thread; the others wait for it */
	/* From the parent of this process, whose service may have been another one: no name here */
	bool inherited;
	void *dso; /* NULL: it was refused */
	int error;
	char *reason;
};

struct kr_client {
	struct kr_mutex lock;
	struct kr_cond changed; /* the right to talk is free, or a driver isn't loading any more */
	bool talking KR_GUARDED_BY(lock);
	struct kr_list drivers KR_GUARDED_BY(lock); /* kr_client_driver.link */
	atomic_uint vanished; /* libraries that the service had no more when they were asked for */

	/* Of whoever has the right to talk: */
	enum kr_client_state state;
	struct kr_connection *connection; /* NULL unless connected or lost */
	char *socket, *reason;            /* of the last that was tried */
	bool waited_for_idle;
	/* Of the manifests; none: they come as a listing, or nothing came yet */
	struct kr_kept_fd directory;
	struct timespec directory_changed;
	bool directory_settled;         /* a change after it was read would show in its time */
	struct kr_manifests *manifests; /* as read last; NULL: never */
};

/* The process's, whether configured or not, for functions that get no argument of ours. */
struct kr_client *kr_client_get(void);
/* Under the lock, unless it was never added. */
void kr_client_driver_destroy(struct kr_client_driver *driver);

/* --- talk.c --- */

/* Whether this process uses a service at all: its profile and KRAFLA_SERVICE say. */
bool kr_client_is_configured(void);
/* The right to talk. 0, or -ETIMEDOUT with a sentence in *reason. */
int kr_client_begin(struct kr_client *client, char **reason) KR_MUST_CHECK;
void kr_client_done(struct kr_client *client);
/* kr_service_feature_bits, with the right to talk. 0, -ENOMEM or -ENOTCONN. */
int kr_client_features(struct kr_client *client, uint32_t *features, char **reason) KR_MUST_CHECK;
/* As kr_connection_ask, with the right to talk. Connects first if nothing has yet. */
int kr_client_ask(struct kr_client *client, struct kr_ls_message *request, enum kr_ls_type expected,
	bool parked, struct kr_answer *answer, char **reason) KR_MUST_CHECK;

/* --- what is asked for: as kr_driver_service_impl --- */

int kr_client_for_each_manifest(
	struct kr_client *client, kr_service_manifest_fn each, void *data, char **reason);
int kr_client_open_library(
	struct kr_client *client, const char *library, void **dso, char **reason);
/* What drivers get (krafla/open_in_namespace.h). */
VKAPI_ATTR VkResult VKAPI_CALL kr_client_open_in_namespace(const char *path, int take_socket);

#endif
