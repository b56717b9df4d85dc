/* SPDX-License-Identifier: Apache-2.0 */
/* Permission files of the system: see installed.h. */
#include "features/installed.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/permission_file.h"
#include "util/log.h"
#include "util/properties.h"
#include "util/text.h"

#define PROPERTY "ro.krafla.permissions"

static const char usual_places[] =
	"/system/etc/permissions:/system_ext/etc/permissions:/product/etc/permissions:"
	"/vendor/etc/permissions:/odm/etc/permissions";

struct installed {
	struct kr_feature_declaration *declarations;
	bool unavailable[KR_FEATURE_NAMES];
	bool any;
};

static void
take(void *data, const struct kr_feature_permission *permission)
{
	struct installed *installed = data;
	struct kr_feature_declaration *declaration =
		kr_feature_find(installed->declarations, permission->name);

	/* Other names than Android's are none that files decide upon. */
	if (!declaration || !kr_feature_is_permission(declaration->name))
		return;
	if (permission->unavailable) {
		installed->unavailable[declaration - installed->declarations] = true;
		return;
	}
	if (!declaration->in_files || permission->version > declaration->file_version)
		declaration->file_version = permission->version;
	declaration->in_files = true;
}

static int
is_permission_file(const struct dirent *entry)
{
	return kr_has_suffix(entry->d_name, ".xml") && entry->d_name[0] != '.';
}

static void
read_directory(const char *directory, struct installed *installed)
{
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, is_permission_file, alphasort);

	for (int i = 0; i < count; i++) {
		char why[KR_FEATURE_FILE_WHY];
		char *path = kr_asprintf("%s/%s", directory, entries[i]->d_name);

		installed->any = true;
		if (path && kr_feature_read_permissions(path, take, installed, why) < 0)
			kr_warn("permission file %s: %s", path, why);
		free(path);
		free(entries[i]);
	}
	free(entries);
}

bool
kr_feature_read_installed(struct kr_feature_declaration declarations[KR_FEATURE_NAMES])
{
	struct installed installed = {.declarations = declarations};
	char property[KR_PROPERTY_VALUE_MAX];
	const char *places = usual_places;
	const char *place;
	size_t length;

	if (kr_property_get(PROPERTY, property, sizeof(property)))
		places = property;
	while (kr_list_next(&places, ':', &place, &length)) {
		char directory[PATH_MAX];

		if (*place != '/' || length >= sizeof(directory))
			continue;
		memcpy(directory, place, length);
		directory[length] = '\0';
		read_directory(directory, &installed);
	}
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++)
		declarations[i].in_files &= !installed.unavailable[i];
	return installed.any;
}
