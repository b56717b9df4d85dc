/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where package directories have their metadata and their contents. The first of these layouts
 * whose metadata.json is there counts:
 *
 *   metadata/metadata.json        contents/   a component's two directories as they are (I-01)
 *   meta/metadata/metadata.json   .           a package of Fuchsia's: all of it is the contents
 *   metadata.json                 contents/   what `krafla package` wrote before I-01's
 */
#ifndef KR_SERVICE_PACKAGE_LAYOUT_H
#define KR_SERVICE_PACKAGE_LAYOUT_H

#include <stdbool.h>

#define KR_PACKAGE_LAYOUTS 3

/* Both below the package's directory; "." is that itself. */
struct kr_package_layout {
	const char *metadata, *contents;
};
extern const struct kr_package_layout kr_package_layouts[KR_PACKAGE_LAYOUTS];

/*
 * Whether a directory looks like a package: it has a component.json (component.h), or a
 * metadata.json where a layout has it.
 */
bool kr_package_layout_is_package(const char *directory);

#endif
