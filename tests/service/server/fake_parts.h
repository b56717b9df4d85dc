/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Store, catalog and offers that do what a test says, behind their real headers: linked before the
 * service's own, they take their place. One server a process.
 */
#ifndef KR_TESTS_SERVICE_SERVER_FAKE_PARTS_H
#define KR_TESTS_SERVICE_SERVER_FAKE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

struct kr_generation;

struct fake_parts {
	int give_error;       /* -errno of giving a package, this many times: */
	unsigned give_fails;  /* */
	size_t files;         /* of a package that is given as memory; 1 without */
	int copied;           /* a package can't be given until this is readable; 0: it can */
	unsigned given;       /* packages so far */
	unsigned generations; /* that exist */
	const char *delivery; /* what the store says; NULL: "mount" */
	void (*begin)(void);  /* called when all have started */
	char node_path[256];  /* what every node is when it is opened */
};
extern struct fake_parts fake;

/*
 * Offers a new generation; its text is its name. It stays until it is retired, or the server ends.
 */
void fake_offer(const char *name, const char *package);
void fake_offer_software(const char *name, const char *package);
void fake_retire(const char *name);
/* Announces a node. */
void fake_node(const char *path);
void fake_node_gone(const char *path);
/* At the start nothing is idle. True: tells that it is. */
void fake_set_idle(bool idle);
/* A package of the catalog, with what is wrong with it or NULL. */
void fake_package(const char *name, const char *reason);

#endif
