/* SPDX-License-Identifier: Apache-2.0 */
/* Looking things up in the table of device_map.txt. */
#include "manifest/device_map.h"

#include <string.h>

const struct kr_device_rule *
kr_device_rules(size_t *count)
{
	*count = kr_device_rule_table_size;
	return kr_device_rule_table;
}

/* libx.so is also libx.so.1 and libx.so.1.2. */
static bool
is_library(const char *library, const char *file)
{
	size_t len = strlen(library);

	if (strncmp(library, file, len))
		return false;
	return !file[len] ||
		(file[len] == '.' && strspn(file + len, ".0123456789") == strlen(file + len));
}

const struct kr_device_rule *
kr_device_rule_get(const char *library_path)
{
	const char *slash = strrchr(library_path, '/');
	const char *file = slash ? slash + 1 : library_path;

	for (size_t i = 0; i < kr_device_rule_table_size; i++) {
		const char *const *library = kr_device_rule_table[i].libraries;

		for (; *library; library++) {
			if (is_library(*library, file))
				return &kr_device_rule_table[i];
		}
	}
	return NULL;
}

bool
kr_device_is_listed(const char *const *list, const char *name)
{
	for (; *list; list++) {
		if (!strcmp(*list, name))
			return true;
	}
	return false;
}

bool
kr_device_driver_known(const char *driver)
{
	if (kr_device_is_listed(kr_device_other_drivers, driver))
		return true;
	for (size_t i = 0; i < kr_device_rule_table_size; i++) {
		if (kr_device_is_listed(kr_device_rule_table[i].kernel_drivers, driver))
			return true;
	}
	return false;
}
