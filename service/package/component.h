/* SPDX-License-Identifier: Apache-2.0 */
/*
 * component.json: a component whose package is a plain directory elsewhere, which a runner shows as
 * its contents and metadata (I-02, docs/packages.md):
 *
 *   {"program": {"runner": "icd_runner", "directory": "/opt/driver", "subdir": "meta/metadata"}}
 */
#ifndef KR_SERVICE_PACKAGE_COMPONENT_H
#define KR_SERVICE_PACKAGE_COMPONENT_H

#include <stddef.h>
#include "util/macros.h"

#define KR_COMPONENT_FILE   "component.json"
#define KR_COMPONENT_RUNNER "icd_runner"
/* Where metadata.json is in the directory, unless it is said. */
#define KR_COMPONENT_SUBDIR "meta/metadata"

struct kr_component {
	char *directory; /* absolute: all of it is the contents */
	char *subdir;    /* below it, with metadata.json in it; "." is the directory itself */
};

/*
 * Other keys beside "program" are the maker's own; in it all must be known. 0, or -EINVAL, -ENOMEM
 * with a sentence in *why, which doesn't say in which file.
 */
int kr_component_parse(const char *text, size_t size, struct kr_component *component, char **why)
	KR_MUST_CHECK;
/* The file's text; NULL without memory. */
char *kr_component_text(const struct kr_component *component);
/* The directory that a package's component.json names, the caller's; NULL: there is none. */
char *kr_component_directory(const char *package);
void kr_component_finish(struct kr_component *component);

#endif
