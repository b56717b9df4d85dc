/* SPDX-License-Identifier: Apache-2.0 */
/* Files of properties. What is in them is asked of the file each time. */
#ifndef KR_UTIL_PROPERTY_FILE_H
#define KR_UTIL_PROPERTY_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define KR_PROPERTY_VALUE_MAX 1024

/*
 * Copies the value (cut to size, always terminated); false when the file hasn't the property.
 * `asked_for`: that the file isn't there is told, too.
 */
bool kr_property_file_get(
	const char *path, bool asked_for, const char *name, char *value, size_t size);
/* The same from the system's own file: what the system says, whatever the environment does. */
bool kr_property_get_system(const char *name, char *value, size_t size);

#endif
