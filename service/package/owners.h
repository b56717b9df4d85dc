/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who can write a package: Q-01, "executable code only from trusted places". What the service hands
 * out is run by all its clients, and by krafla-probe as the service's user, so only root and the
 * service's own user may have a say in it.
 */
#ifndef KR_SERVICE_PACKAGE_OWNERS_H
#define KR_SERVICE_PACKAGE_OWNERS_H

#include "service/package/package.h"
#include "util/macros.h"

/*
 * Looks at every file of a package directory, and at every directory and link on the way to it from
 * the root: each must belong to root or to this process's user, and give neither its group nor
 * others the right to write. In a sticky directory, as /tmp is, others can't replace what isn't
 * theirs, so one may be on the way. Access control lists show in the group's rights. In a user
 * namespace, users without a number in it can't be told apart, and root outside is one of them:
 * they count as root.
 * 0; -EPERM; -EAGAIN, it isn't there any more; -errno; with a sentence in *reason (free; NULL only
 * without memory).
 */
int kr_package_check_owners(const struct kr_package *package, char **reason) KR_MUST_CHECK;

#endif
