/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts of package directories: see layout.h. */
#include "service/package/layout.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

const struct kr_package_layout kr_package_layouts[KR_PACKAGE_LAYOUTS] = {
	{"metadata/metadata.json", "contents"},
	{"meta/metadata/metadata.json", "."},
	{"metadata.json", "contents"},
};

bool
kr_package_layout_is_package(const char *directory)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/component.json", directory) < PATH_MAX &&
		!access(path, F_OK))
		return true;
	for (size_t i = 0; i < KR_PACKAGE_LAYOUTS; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", directory,
			    kr_package_layouts[i].metadata) < PATH_MAX &&
			!access(path, F_OK))
			return true;
	}
	return false;
}
