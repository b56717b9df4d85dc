/* SPDX-License-Identifier: Apache-2.0 */
/* Where a certain package has its metadata and its contents. For the package part alone. */
#ifndef KR_SERVICE_PACKAGE_PLACE_H
#define KR_SERVICE_PACKAGE_PLACE_H

#include "service/package/package.h"
#include "util/macros.h"

struct kr_package_place {
	int root;       /* the directory that both paths are relative to */
	char *metadata; /* of metadata.json */
	char *contents; /* of the directory of contents; "." is the root itself */
};

/*
 * Opens the package's directory, and finds which of the layouts it has (layout.h); fills
 * metadata_file and contents of the package. 0 or -errno with a sentence.
 */
int kr_package_place_find(struct kr_package *package, struct kr_package_place *place, char **reason)
	KR_MUST_CHECK;
void kr_package_place_finish(struct kr_package_place *place);

#endif
