/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of discovery share: a made-up system of properties, variables and files. */
#ifndef KR_TESTS_DISCOVER_SUPPORT_H
#define KR_TESTS_DISCOVER_SUPPORT_H

#include "harness.h"

#include "discover/discover.h"

/* Read by `options`: sets a property, or a variable. Both stay for the case (a process). */
void set_property(const char *name, const char *value);
void set_variable(const char *name, const char *value);
/* Everything comes from the two above, and HAL modules from hal_dirs. */
extern struct kr_discover_options options;

/* The path of a file of the test's folder in the build, e.g. "icd_v5.so"; freed with the case. */
const char *built(const char *name);
/* kr_test_dir()/<dir>/<name>, a link to `target`. The directory is made. */
void put_link(const char *dir, const char *name, const char *target);
void put_text(const char *dir, const char *name, const char *text);
/* A manifest of a library; returns its path. */
const char *put_manifest(const char *name, const char *library_path, const char *api_version);

/* Discovers; fails the test unless that gives 0. */
void discover(struct kr_driver_list *list);
/* Ends the list and everything that discovery keeps. */
void end_discovery(struct kr_driver_list *list);
size_t count_drivers(const struct kr_driver_list *list);
struct kr_driver *driver_at(const struct kr_driver_list *list, size_t index);
struct kr_driver_candidate *candidate_at(const struct kr_driver_list *list, size_t index);

/* The messages of discover(), one a line. */
extern char heard[16384];
void free_support(void);

#endif
