/* SPDX-License-Identifier: Apache-2.0 */
/* Packages made of the libraries of this folder, delivered as a service delivers them. */
#ifndef KR_TESTS_DELIVERY_RIG_H
#define KR_TESTS_DELIVERY_RIG_H

#include <stdbool.h>
#include "delivery/delivery.h"
#include "delivery/process.h"

struct rig_file {
	const char *path; /* in the package; NULL ends a list */
	const char *role;
	const char *soname; /* NULL: none */
	const char *source; /* a library of this folder, "krd_mid.so", or an absolute path */
	bool own;           /* the application's own, if it has one */
};

#define RIG_MAX 64

/* clang-format off */
#define RIG_BASE(source)   {"libkrdbase.so.1", "library", "libkrdbase.so.1", source}
#define RIG_MID(source)    {"libkrdmid.so.1", "library", "libkrdmid.so.1", source}
#define RIG_DRIVER(source) {"driver.so", "driver", NULL, source}
/* clang-format on */

/* Two packages of the same names: another libkrdbase.so.1, and another driver. */
extern const struct rig_file rig_first[], rig_second[];

/* The kinds that can be made here: memory, and mounts where they are allowed. */
extern const enum kr_delivery_kind rig_kinds[2];
size_t rig_kind_count(void);

/* What would be sent: descriptors, the caller's. */
struct rig_package {
	enum kr_delivery_kind kind;
	int fds[KR_INDEX_MAX_FILES + 1];
	size_t count;
};

/* The path of a file of the build folder, valid until the next call. */
const char *rig_source(const char *source);
/*
 * The index as JSON text (free); `needs` is the list's text, or NULL for what every library needs.
 */
char *rig_index(const struct rig_file *files, const char *needs);
/* A memfd with these bytes and seals. */
int rig_object(const char *name, const void *bytes, size_t size, int seals);
/* Fails the case, or skips it where mounts are denied. Mounts need a process of their own. */
void rig_pack(struct rig_package *package, enum kr_delivery_kind kind, const struct rig_file *files,
	const char *needs);
/* A mount of a directory with these attributes (MOUNT_ATTR_*). */
int rig_mount(const char *directory, uint64_t attributes);
/* Writes the package into a directory below kr_test_dir, which it returns (free). */
char *rig_write(const struct rig_file *files, const char *needs);
/* Packs and takes; fails the case when that fails. */
struct kr_delivery *rig_deliver(
	enum kr_delivery_kind kind, const struct rig_file *files, const char *needs);
/* Loads, or fails the case with the reason. */
void *rig_load(struct kr_delivery *delivery);
/* Calls an int(void) of a library. */
int rig_call(void *dso, const char *function);
/* kr_process_library_find, in a search of its own. */
int rig_find(const char *soname, struct kr_process_library *library);
/* How many lines of /proc/self/maps contain a text. */
int rig_mapped(const char *text);

#endif
