/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command inherits of a driver (docs/deliver.md describes it): open descriptors with high
 * numbers, a manifest, variables. Thread-safety: one thread.
 */
#ifndef KR_TOOLS_DELIVER_INHERIT_H
#define KR_TOOLS_DELIVER_INHERIT_H

#include "tools/deliver/parcel.h"

/*
 * Where descriptors begin, if the limit of open ones allows it: above what programs count on, and
 * so that the largest package fits below 1024, which is FD_SETSIZE and the usual limit.
 */
#define KR_INHERIT_FIRST 700

struct kr_inheritance {
	struct kr_words variables; /* "NAME=value" */
	struct kr_words arguments; /* for bwrap, beside those for the variables */
};

/*
 * Variables that would keep a loader from the driver that was delivered, by the name of its
 * manifest: they have had their say when it was chosen. NULL-terminated.
 */
extern const char *const kr_inherit_removed[];

/*
 * Leaves the descriptors of a parcel that has been given, and a manifest, open for the command. 0,
 * or an exit code, the reason told on stderr. What is left open stays so until exec or exit.
 */
int kr_inherit(struct kr_parcel *parcel, const struct kr_deliver_options *options,
	struct kr_inheritance *inheritance) KR_MUST_CHECK;
void kr_inheritance_finish(struct kr_inheritance *inheritance);

#endif
