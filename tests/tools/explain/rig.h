/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of `krafla explain` (K-42) share: each case has a made-up system with manifests in
 * @/data and devices in @/root, where @ is kr_test_dir(), in files that are written and in
 * sentences that are expected.
 */
#ifndef KR_TESTS_EXPLAIN_RIG_H
#define KR_TESTS_EXPLAIN_RIG_H

#include "harness.h"

#include <jansson.h>

/* The last answer, as it came and as JSON. */
extern char output[65536];
extern json_t *all;

void put(const char *name, const char *text);
void copy(const char *from, const char *name);
void make_system(void);
void put_driver(const char *name, const char *library);
void put_layer(const char *folder, const char *name, const char *library, const char *rest);

/*
 * Runs it with these variables ("A=b C=d") and options of the shell's, behind
 * `before`; the exit code.
 */
int run(const char *before, const char *variables, const char *options);
/* Runs it and reads its JSON. */
void explain(const char *variables);
/* The same without root's rights. */
void explain_without_rights(void);

/* The entry of a manifest with this file name in the list "drivers" or "layers". */
const json_t *find(const char *list, const char *file);
/* A text of it; NULL: null. */
void expect_text(const json_t *entry, const char *key, const char *text);
/* Verdict, reason and advice of a manifest; ends the use of the answer. */
void expect_driver(const char *file, const char *verdict, const char *reason, const char *advice);
void expect_layer(const char *file, const char *verdict, const char *reason, const char *advice);

#endif
