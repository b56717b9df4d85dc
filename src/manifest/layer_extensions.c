/* SPDX-License-Identifier: Apache-2.0 */
/* Extensions of layers: [{"name", "spec_version", "entrypoints": [...]}, ...]. */
#include "manifest/layer_extensions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/document.h"
#include "util/log.h"

void
kr_manifest_extensions_finish(struct kr_manifest_extensions *extensions)
{
	for (size_t i = 0; i < extensions->count; i++) {
		struct kr_manifest_extension *extension = &extensions->items[i];

		for (size_t j = 0; j < extension->entrypoint_count; j++)
			free(extension->entrypoints[j]);
		free(extension->entrypoints);
	}
	free(extensions->items);
	*extensions = (struct kr_manifest_extensions){0};
}

static int
read_entrypoints(const struct kr_json *array, struct kr_manifest_extension *extension)
{
	size_t count = kr_json_count(array);

	if (!count)
		return 0;
	extension->entrypoints = calloc(count, sizeof(*extension->entrypoints));
	if (!extension->entrypoints)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const char *name = kr_json_string(kr_json_at(array, i));
		char *copy = name ? strdup(name) : NULL;

		if (name && !copy)
			return -ENOMEM;
		if (copy)
			extension->entrypoints[extension->entrypoint_count++] = copy;
	}
	return 0;
}

int
kr_manifest_extensions_read(
	const char *path, const struct kr_json *array, struct kr_manifest_extensions *out)
{
	size_t count = kr_json_count(array);

	if (!count)
		return 0;
	out->items = calloc(count, sizeof(*out->items));
	if (!out->items)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct kr_json *object = kr_json_at(array, i);
		struct kr_manifest_extension *extension = &out->items[out->count];
		const char *name = kr_member_string(object, "name");

		if (!name || !name[0] || strlen(name) >= sizeof(extension->name)) {
			kr_log(KR_LOG_WARN | KR_LOG_LAYER,
				"%s: an extension without a name; skipped", path);
			continue;
		}
		snprintf(extension->name, sizeof(extension->name), "%s", name);
		extension->spec_version = kr_member_number(object, "spec_version");
		out->count++;
		if (read_entrypoints(kr_json_get(object, "entrypoints"), extension))
			return -ENOMEM;
	}
	return 0;
}

bool
kr_manifest_extensions_have(const struct kr_manifest_extensions *extensions, const char *name)
{
	for (size_t i = 0; i < extensions->count; i++) {
		if (!strcmp(extensions->items[i].name, name))
			return true;
	}
	return false;
}

int
kr_manifest_extensions_merge(
	struct kr_manifest_extensions *to, const struct kr_manifest_extensions *from)
{
	struct kr_manifest_extension *items;

	if (!from->count)
		return 0;
	items = realloc(to->items, (to->count + from->count) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	to->items = items;
	for (size_t i = 0; i < from->count; i++) {
		const struct kr_manifest_extension *extension = &from->items[i];

		if (kr_manifest_extensions_have(to, extension->name))
			continue;
		to->items[to->count] = *extension;
		to->items[to->count].entrypoints = NULL;
		to->items[to->count++].entrypoint_count = 0;
	}
	return 0;
}
