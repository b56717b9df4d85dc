/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration of a service: one JSON file, described in docs/service.md. Unknown keys and
 * wrong types are errors that name the key. All members have defaults, so no file is needed.
 */
#ifndef KR_SERVICE_CONFIG_CONFIG_H
#define KR_SERVICE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>
#include "util/macros.h"

enum kr_config_delivery {
	KR_DELIVER_AUTO, /* a mount where that can be had safely, else memory */
	KR_DELIVER_MOUNT,
	KR_DELIVER_MEMORY, /* strict: sealed copies, and nothing else */
};

/* Where packages of a directory come from (I-06). */
enum kr_config_resolver {
	KR_RESOLVE_FULL,      /* whatever was installed later */
	KR_RESOLVE_BASE,      /* the base set: what came with the system */
	KR_RESOLVE_EPHEMERAL, /* for development, and never for users */
};

/* What is offered for a whole class of devices, whatever their kernel driver. */
struct kr_config_class {
	char *pattern; /* a node below the device directory, with `*`: "dri/renderD*" */
	char *package;
};

/* A socket that drivers may reach through the service, by name (F-09). */
struct kr_config_service {
	char *name, *socket;
	bool safe; /* for every client of the service: others aren't given */
};

struct kr_config {
	char *file; /* where it was read from; NULL: the defaults */
	/* Path of the socket; NULL: made by whoever starts the service, or the default */
	char *socket;
	/*
	 * Directories whose subdirectories are packages; default /usr/lib/krafla/drivers (base),
	 * /etc/krafla/drivers. Of two packages of one name the later directory's counts
	 */
	char **packages;
	size_t package_count;
	enum kr_config_resolver *resolvers; /* of each; NULL: full, all of them */
	/* "full", or NULL: packages of all directories; "base": of the base set alone */
	char *resolver;
	/*
	 * Whether it is the system's, and so for others than who runs it: not in the file, but by
	 * how it was started
	 */
	bool serves_users;
	char *dev; /* "/dev" */
	char *sys; /* "/sys" */
	/* "auto", "udev", "kernel" (uevents of that group of the netlink socket), "inotify" */
	char *events;
	struct kr_config_class *classes;
	size_t class_count;
	struct kr_config_service *services;
	size_t service_count;
	char *software; /* the package of the software driver; NULL: no fallback */
	/* May drivers be offered that need writable executable memory (M-04); default true */
	bool compile_at_run_time;
	/* A candidate is used when krafla-probe has seen a device in it; default true */
	bool probe;
	enum kr_config_delivery delivery;
	uint32_t socket_mode; /* of a socket that the service makes itself; default 0660 */
	uint32_t max_clients; /* default 4096 */
	uint32_t max_clients_of_a_user; /* default 1024; root and the service's own user have all */
	uint32_t max_clients_of_a_process; /* default 64; whoever's it is */
	uint32_t max_requests;             /* unanswered ones of a client, default 16 */
};

/* The defaults. 0 or -ENOMEM. */
int kr_config_init(struct kr_config *config) KR_MUST_CHECK;
/*
 * Reads a file over the defaults. 0, -errno of opening it, -EINVAL, -ENOMEM; *reason (free) is a
 * sentence.
 */
int kr_config_read(const char *path, struct kr_config *config, char **reason) KR_MUST_CHECK;
void kr_config_finish(struct kr_config *config);
/*
 * The keys whose values differ, "packages, software" in the order of the table: those that a
 * running service can't change (socket, dev...), or those that it can. A new string, NULL without
 * memory.
 */
char *kr_config_changes(const struct kr_config *from, const struct kr_config *to, bool fixed);
/* Exchanges what a running service can't change. */
void kr_config_swap_fixed(struct kr_config *a, struct kr_config *b);
enum kr_config_resolver kr_config_resolver_of(const struct kr_config *config, size_t package);
/* "full", "base", "ephemeral" */
const char *kr_config_resolver_name(enum kr_config_resolver resolver);
/* A new reference; NULL without memory. */
json_t *kr_config_inspect(const struct kr_config *config);

#endif
