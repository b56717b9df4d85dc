/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process lacks of what a package needs, gathered into one sentence: whoever mends it wants
 * to know all of it at once. Thread-safety: no shared state.
 */
#ifndef KR_DELIVERY_FAULTS_H
#define KR_DELIVERY_FAULTS_H

#include <stddef.h>
#include "delivery/process.h"
#include "util/macros.h"

struct kr_faults {
	char *versions; /* NULL: none */
	char *missing;
	size_t missing_count;
	bool no_memory;
};

/* The newest version of those that a library lacks; zero at first. */
struct kr_lacking {
	const char *version; /* NULL: none, borrowed */
};
void kr_lacking_add(struct kr_lacking *lacking, const char *version);

void kr_faults_add_version(struct kr_faults *faults, const char *soname, const char *version,
	const struct kr_process_library *had);
void kr_faults_add_missing(struct kr_faults *faults, const char *soname);
/*
 * Frees what was gathered. 0: nothing; -ENOEXEC, -ENOENT (only missing ones), -ENOMEM with the
 * sentence.
 */
int kr_faults_finish(struct kr_faults *faults, const char *driver, char **reason) KR_MUST_CHECK;

#endif
