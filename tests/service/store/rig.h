/* SPDX-License-Identifier: Apache-2.0 */
/* Packages made by hand, and clients in processes of their own, for the tests of the store. */
#ifndef KR_TESTS_SERVICE_STORE_RIG_H
#define KR_TESTS_SERVICE_STORE_RIG_H

#include <stdbool.h>
#include <sys/types.h>
#include "service/store/store.h"

/* In a client's process: says what isn't so, and ends the function. */
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			say_line(__FILE__, __LINE__, #condition);                                  \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)
/* A call that returns -1 is refused. */
#define REFUSED(call) MUST((call) == -1)

void say_line(const char *file, int line, const char *what);

/* A file of a package to be made: folders of its path are made too. */
struct rig_file {
	const char *path;
	const char *text;
	enum kr_index_role role;
};

/*
 * "libgood.so" (the driver) and "share/data.bin" below kr_test_dir()/name, readable by everybody.
 */
struct kr_package *make_package(const char *name);
struct kr_package *make_package_of(
	const char *directory, const struct rig_file *files, size_t count);
/* Pins what is there; `path` below the package's directory. */
void pin_file(struct kr_package *package, size_t i, const char *directory, const char *path,
	enum kr_index_role role);

struct kr_store *make_store(enum kr_config_delivery choice);
/* One that gives mounts, or the case skips. */
struct kr_store *make_mounting_store(void);
/* One that may give either, and would give mounts; or the case skips. */
struct kr_store *make_auto_store(void);
struct kr_generation *make_generation(struct kr_store *store, struct kr_package *take_package);
struct kr_given give(struct kr_generation *generation, bool strict);
/* Its file, opened as a client does: `i` counts the package's files. -errno when that fails. */
int open_given(const struct kr_given *given, size_t i, const char *path, int flags);
/* What a descriptor's file holds; a new string. */
char *read_all(int fd);
void assert_given_holds(const struct kr_given *given, size_t i, const char *path, const char *text);

/* The files of make_package. */
void assert_holds_all(const struct kr_given *given);
/* The process that makes the store's mounts. */
pid_t helper_of(const struct kr_store *store);
/* The package of make_package: index and files, as sealed objects for reading. */
void assert_memory_of_package(const struct kr_given *given, const struct kr_generation *generation);
/* What a store or generation tells of itself: memory, and a reason with these words. */
void assert_reason(json_t *take_state, const char *reason);

enum client_kind {
	CLIENT_SAME_USER, /* as the service */
	/* The same, in user and mount namespaces of its own, all capabilities there */
	CLIENT_OWN_NAMESPACES,
	CLIENT_OTHER_USER, /* uid 65533, when the tests run as root */
	CLIENT_OTHER_OWN_NAMESPACES,
	CLIENT_KINDS,
};

/*
 * Runs fn(data) in a process of that kind, which has the descriptors that are open here; it fails
 * the case unless it returns 0. False: this kind can't be made here, or fn has skipped.
 */
bool as_client(enum client_kind kind, int (*fn)(void *data), void *data);
const char *client_name(enum client_kind kind);
/* Until there is something to read. */
void poll_for_input(int fd);
/* Waits for a child to end: its exit code, 128 and the signal that ended it. */
int wait_for_child(pid_t pid);
/* User and mount namespaces of one's own, with maps. 0 or -errno. */
int enter_namespaces(void);

#endif
