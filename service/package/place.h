/* SPDX-License-Identifier: Apache-2.0 */
/* Where a certain package has its metadata and its contents. For the package part alone. */
#ifndef KR_SERVICE_PACKAGE_PLACE_H
#define KR_SERVICE_PACKAGE_PLACE_H

#include "service/package/component.h"
#include "service/package/package.h"
#include "util/macros.h"

struct kr_package_place {
	int root;       /* the directory that both paths are relative to */
	char *metadata; /* of metadata.json */
	char *contents; /* of the directory of contents; "." is the root itself */
};

/*
 * Opens the package's directory, or the one that its component.json names, and finds which of the
 * layouts it has (layout.h); fills metadata_file, contents and component of the package. 0 or
 * -errno with a sentence.
 */
int kr_package_place_find(struct kr_package *package, struct kr_package_place *place, char **reason)
	KR_MUST_CHECK;
/* The same for a component that is no file yet. */
int kr_package_place_run(struct kr_package *package, struct kr_package_place *place,
	const struct kr_component *component, char **reason) KR_MUST_CHECK;
void kr_package_place_finish(struct kr_package_place *place);

#endif
