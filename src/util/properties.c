/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of properties, in their order. */
#include "util/properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/guard.h"
#include "util/property_file.h"

static bool
from_environment(const char *name, char *value, size_t size)
{
	char variable[256];
	const char *found;
	int len = snprintf(variable, sizeof(variable), "KRAFLA_PROP_%s", name);

	if (len < 0 || (size_t)len >= sizeof(variable))
		return false;
	for (char *p = variable; *p; p++)
		*p = *p == '.' || *p == '-' ? '_' : *p;
	found = kr_env_get_code(variable);
	if (found)
		snprintf(value, size, "%s", found);
	return found != NULL;
}

static bool
from_file_list(const char *list, const char *name, char *value, size_t size)
{
	while (list && *list) {
		size_t len = strcspn(list, ":");
		char *path = strndup(list, len);
		bool found = path && len && kr_property_file_get(path, true, name, value, size);

		free(path);
		if (found)
			return true;
		list += len;
		list += *list == ':';
	}
	return false;
}

bool
kr_property_get(const char *name, char *value, size_t size)
{
	return from_environment(name, value, size) ||
		from_file_list(kr_env_get_code("KRAFLA_PROPERTIES"), name, value, size) ||
		kr_property_get_system(name, value, size);
}
