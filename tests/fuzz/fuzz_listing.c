/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzz target: a loader service's listing of its manifests, and what it promises of
 * each name and text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "client/manifests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct kr_manifests *manifests)
{
	if (manifests->count > KR_MANIFESTS_MAX)
		abort();
	for (size_t i = 0; i < manifests->count; i++) {
		const struct kr_manifests_file *file = &manifests->files[i];
		size_t length = strlen(file->name);

		if (file->name[0] == '.' || strchr(file->name, '/') || length < strlen(".json") ||
			strcmp(file->name + length - strlen(".json"), ".json") != 0 ||
			file->size > KR_MANIFESTS_MAX_SIZE ||
			strnlen(file->text, file->size) != file->size)
			abort();
		if (i && strtoull(file->name, NULL, 10) < strtoull(file[-1].name, NULL, 10))
			abort();
		if (!kr_manifests_have(manifests, file->name))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kr_manifests *manifests = NULL;
	char *reason;
	int ret = kr_manifests_parse_listing((const char *)data, size, &manifests, &reason);

	if (ret) {
		if (!reason || manifests)
			abort();
		free(reason);
		return 0;
	}
	if (reason)
		abort();
	check(manifests);
	kr_manifests_unref(manifests);
	return 0;
}
