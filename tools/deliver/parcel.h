/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of `krafla deliver` share: a driver on its way to a command. It is found (among
 * the installed ones, or by asking a service), turned into descriptors, and left to be inherited.
 */
#ifndef KR_TOOLS_DELIVER_PARCEL_H
#define KR_TOOLS_DELIVER_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include "delivery/delivery.h"
#include "tools/deliver/options.h"
#include "tools/deliver/words.h"
#include "util/macros.h"

struct kr_connection;
struct kr_package;

struct kr_parcel {
	char *name;            /* for messages: "lvp" or what was asked for */
	char *api_version;     /* of its manifest, "1.3.230" */
	struct kr_words nodes; /* that a service serves: below /dev, beside those of the index */
	/* one of this system, still to be given; or NULL: given already */
	struct kr_package *package;
	/* copies of the descriptors, with the index; NULL: not given yet */
	struct kr_delivery *delivery;
	enum kr_delivery_kind kind;
	int fds[KR_INDEX_MAX_FILES + 1];
	size_t count;
};

#define KR_PARCEL_MANIFEST "krafla-delivered.json"
#define KR_PARCEL_SHIM     "krafla-delivered.so"

/* What to do when there are too many descriptors. */
#define KR_DELIVER_RAISE_LIMIT "; raise the limit of open files (ulimit -n)"

/*
 * Each: 0, or an exit code, the reason told on stderr.
 *
 * Finds an installed driver and makes a checked package of it: for a sandbox with
 * what it opens itself.
 */
int kr_deliver_choose(const struct kr_deliver_options *options, struct kr_parcel *parcel)
	KR_MUST_CHECK;
/* Asks a service. */
int kr_deliver_ask(struct kr_connection *connection, const struct kr_deliver_options *options,
	struct kr_parcel *parcel) KR_MUST_CHECK;
/*
 * A connection to the service that options and environment name, or that listens where services do;
 * NULL when nobody named one and none is there.
 */
int kr_deliver_find_service(
	const struct kr_deliver_options *options, struct kr_connection **connection) KR_MUST_CHECK;
/*
 * Turns the package of this system into descriptors. In a process of its own, whose limits and
 * children the command shall not have.
 */
int kr_deliver_give(struct kr_parcel *parcel, bool strict) KR_MUST_CHECK;
/*
 * The same for a manifest: a mount with KR_PARCEL_MANIFEST in it; -1 where there are
 * no mounts to be had.
 */
int kr_deliver_give_manifest(const char *manifest);

/*
 * Whether a driver is meant by that name: of its library's file, or its manifest's, or
 * what they have in common.
 */
bool kr_deliver_is_named(const char *name, const char *library, const char *manifest);

#endif
