/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the reader of permission files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "features/permission_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
look(void *data, const struct kr_feature_permission *permission)
{
	size_t *seen = data;

	if (!permission->name[0] || !memchr(permission->name, '\0', sizeof(permission->name)))
		abort();
	if (permission->version > INT32_MAX)
		abort();
	*seen += strlen(permission->name);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[KR_FEATURE_FILE_WHY] = "";
	size_t seen = 0;
	int err = kr_feature_parse_permissions((const char *)data, size, look, &seen, why);

	if (!memchr(why, '\0', sizeof(why)) || (err && (err != -EINVAL || !*why)) || (!err && *why))
		abort();
	/* Each name stands there in full. */
	if (seen > size)
		abort();
	return 0;
}
