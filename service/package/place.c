/* SPDX-License-Identifier: Apache-2.0 */
/* Finding out which layout a package has: see place.h. */
#include "service/package/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/beneath.h"
#include "service/package/component.h"
#include "service/package/internal.h"
#include "service/package/layout.h"
#include "util/fd.h"
#include "util/text.h"

static bool
is_absent(int ret)
{
	return ret == -ENOENT || ret == -ENOTDIR;
}

/* What is there and can't be opened is no other layout: reading it tells why it can't be. */
static bool
has(int root, const char *path)
{
	int fd = kr_package_open_beneath(root, path, O_PATH);
	const bool absent = is_absent(fd);

	kr_fd_close(&fd);
	return !absent;
}

static char *
join(const char *directory, const char *path)
{
	return strcmp(path, ".") ? kr_asprintf("%s/%s", directory, path) : strdup(directory);
}

/* Fills both sides. 0 or -ENOMEM. */
static int
take(struct kr_package *package, struct kr_package_place *place, const char *directory,
	const char *metadata, const char *contents)
{
	place->metadata = strdup(metadata);
	place->contents = strdup(contents);
	package->metadata_file = join(directory, metadata);
	package->contents = join(directory, contents);
	return place->metadata && place->contents && package->metadata_file && package->contents
		? 0
		: -ENOMEM;
}

static int
open_root(const char *directory, struct kr_package_place *place, char **reason)
{
	place->root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->root >= 0)
		return 0;
	return kr_package_refuse(
		reason, -errno, "%s can't be opened: %s", directory, strerror(errno));
}

/* The runner shows all of its directory as the contents, and the subdirectory as the metadata. */
static int
run(struct kr_package *package, struct kr_package_place *place,
	const struct kr_component *component, char **reason)
{
	const bool is_root = !strcmp(component->subdir, ".");
	char *metadata;
	int ret;

	if (!is_root && !kr_package_path_is_good(component->subdir))
		return kr_package_refuse(reason, -EINVAL,
			"%s: the subdir '%s': " KR_PACKAGE_PATH_RULE, package->path,
			component->subdir);
	ret = open_root(component->directory, place, reason);
	if (ret)
		return ret;
	metadata = kr_asprintf(
		"%s%smetadata.json", is_root ? "" : component->subdir, is_root ? "" : "/");
	ret = metadata ? take(package, place, component->directory, metadata, ".") : -ENOMEM;
	free(metadata);
	return ret;
}

static int
find_component(struct kr_package *package, struct kr_package_place *place, char **reason)
{
	char *file = join(package->path, KR_COMPONENT_FILE), *why = NULL;
	struct kr_component component = {0};
	struct stat status;
	size_t size;
	int ret = file ? kr_package_read_beneath(place->root, KR_COMPONENT_FILE, file,
				 &package->component, &size, &status, reason)
		       : -ENOMEM;

	if (!ret) {
		ret = kr_component_parse(package->component, size, &component, &why);
		if (ret && why)
			ret = kr_package_refuse(reason, ret, "%s: %s", file, why);
	}
	if (!ret) {
		kr_fd_close(&place->root);
		ret = run(package, place, &component, reason);
	}
	kr_component_finish(&component);
	free(why);
	free(file);
	return ret;
}

static int
find(struct kr_package *package, struct kr_package_place *place, char **reason)
{
	if (has(place->root, KR_COMPONENT_FILE))
		return find_component(package, place, reason);
	for (size_t i = 0; i < KR_PACKAGE_LAYOUTS; i++) {
		if (has(place->root, kr_package_layouts[i].metadata))
			return take(package, place, package->path, kr_package_layouts[i].metadata,
				kr_package_layouts[i].contents);
	}
	return kr_package_refuse(reason, -ENOENT,
		"%s is no package: it has no metadata/metadata.json, and neither meta/metadata/metadata.json nor metadata.json nor component.json",
		package->path);
}

int
kr_package_place_find(struct kr_package *package, struct kr_package_place *place, char **reason)
{
	int ret;

	*place = (struct kr_package_place){.root = -1};
	ret = open_root(package->path, place, reason);
	if (!ret)
		ret = find(package, place, reason);
	if (ret)
		kr_package_place_finish(place);
	return ret;
}

int
kr_package_place_run(struct kr_package *package, struct kr_package_place *place,
	const struct kr_component *component, char **reason)
{
	int ret;

	*place = (struct kr_package_place){.root = -1};
	ret = run(package, place, component, reason);
	if (ret)
		kr_package_place_finish(place);
	return ret;
}

void
kr_package_place_finish(struct kr_package_place *place)
{
	kr_fd_close(&place->root);
	free(place->metadata);
	free(place->contents);
}
