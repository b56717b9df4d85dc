/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real kraflad over packages, device directory and sysfs that the test makes, and a client that blocks. All lies
 * in kr_test_dir().
 */
#ifndef KR_TESTS_REAL_RIG_H
#define KR_TESTS_REAL_RIG_H

#include <stddef.h>
#include <sys/types.h>
#include "daemon_rig.h"
#include "wire/loader_service.h"

struct real_service {
	struct daemon_run run;
	char path[108];
};

/* A package of the fake driver, "drivers/NAME": its manifest names `library` for it. */
void real_package(const char *name, const char *library);
/* A file of the device directory, folders made. */
void real_node(const char *path, const char *text);
/* Writes its configuration: packages of that directory here, and these keys (",..." or ""). */
void real_configure(const char *directory, const char *keys);
/* Starts it with packages of "drivers" and these keys of a configuration (",..." or ""), and waits until it listens. */
void real_start(struct real_service *service, const char *keys);
void real_stop(struct real_service *service);

/* A connection that was welcomed. */
int real_client(const struct real_service *service);
/* The answer, within 20 s, and its descriptors. */
void real_ask(int fd, const struct kr_ls_message *message, struct kr_ls_message *answer, int *fds,
	size_t *count);
void real_get(int fd, const char *name, uint32_t options, struct kr_ls_message *answer, int *fds,
	size_t *count);
/*
 * The text of a file of manifests or devices, a mount or a listing; NULL: there is none, else the caller's.
 */
char *real_file(int tree, uint32_t kind, const char *name);

#endif
