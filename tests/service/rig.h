/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kraflad as a process of its own: started, listened to, ended; and the packages, devices and sysfs
 * that a test makes for it, all below kr_test_dir(); and a client that blocks.
 */
#ifndef KR_TESTS_SERVICE_RIG_H
#define KR_TESTS_SERVICE_RIG_H

#include <stddef.h>
#include <sys/types.h>
#include "wire/loader_service.h"

/* --- a program, with what it says --- */

struct daemon_run {
	pid_t pid;
	int output; /* stdout and stderr together */
	char said[65536];
	size_t length;
};

/*
 * Starts a program; argv[0] is its path. `handed_over`: becomes its descriptor 3, with LISTEN_FDS;
 * -1: none.
 */
void daemon_start(struct daemon_run *run, const char *const argv[], int handed_over);
/* Waits until it has said `text`, 20 s at most. */
void daemon_expect(struct daemon_run *run, const char *text);
/* Its exit code, once it has ended by itself within 20 s. */
int daemon_wait(struct daemon_run *run);
/* Ends it with SIGTERM: exit code 0. */
void daemon_stop(struct daemon_run *run);
/* A program that runs to its end: the exit code, what it said in run->said. */
int daemon_run_once(struct daemon_run *run, const char *const argv[]);

/* --- kraflad, its packages and its devices --- */

struct service_run {
	struct daemon_run run;
	char path[108];
};

/* A package of the fake driver, "drivers/NAME": its manifest names `library` for it. */
void service_package(const char *name, const char *library);
/* A file of the device directory, folders made. */
void service_node(const char *path, const char *text);
/* Writes its configuration: packages of that directory here, and these keys (",..." or ""). */
void service_configure(const char *directory, const char *keys);
/*
 * Starts it with packages of "drivers" and these keys of a configuration (",..." or ""), and waits
 * until it listens.
 */
void service_start(struct service_run *service, const char *keys);
void service_stop(struct service_run *service);

/* --- a client of it --- */

/* A connection to the service at `path`, blocking. */
int daemon_connect(const char *path);
/* A connection that was welcomed. */
int service_client(const struct service_run *service);
/* The answer, within 20 s, and its descriptors. */
void service_ask(int fd, const struct kr_ls_message *message, struct kr_ls_message *answer,
	int *fds, size_t *count);
void service_get(int fd, const char *name, uint32_t options, struct kr_ls_message *answer, int *fds,
	size_t *count);
/*
 * The text of a file of manifests or devices, a mount or a listing; NULL: there is none, else the
 * caller's.
 */
char *service_file(int tree, uint32_t kind, const char *name);

#endif
