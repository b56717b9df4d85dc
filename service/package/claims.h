/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices a package serves, as its metadata says it (docs/packages.md; M-01). */
#ifndef KR_SERVICE_PACKAGE_CLAIMS_H
#define KR_SERVICE_PACKAGE_CLAIMS_H

#include <stdint.h>
#include "service/package/package.h"

#define KR_PACKAGE_CLAIMS_MAX 252

/* The array `devices`. 0, -EINVAL or -ENOMEM with a sentence. */
int kr_package_parse_claims(struct kr_package *package, const json_t *value, char **reason)
	KR_MUST_CHECK;
/* What the device map knows of the driver, for a package that is made of it. 0 or -ENOMEM. */
int kr_package_claim_by_map(struct kr_package *package) KR_MUST_CHECK;
/* The array; NULL: the package says nothing. */
json_t *kr_package_list_claims(const struct kr_package *package);

/*
 * The best claim that fits a device, by its place in the order; NULL: none does. `kernel_driver`
 * NULL: unknown; `vendor` 0: it is on no PCI bus. `path` is that of the node below /dev.
 */
const struct kr_package_claim *kr_package_claim_of(const struct kr_package *package,
	const char *path, const char *kernel_driver, uint32_t vendor, uint32_t device);

#endif
