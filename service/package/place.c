/* SPDX-License-Identifier: Apache-2.0 */
/* Finding out which layout a package has: see place.h. */
#include "service/package/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/beneath.h"
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
find(struct kr_package *package, struct kr_package_place *place, char **reason)
{
	for (size_t i = 0; i < KR_PACKAGE_LAYOUTS; i++) {
		if (has(place->root, kr_package_layouts[i].metadata))
			return take(package, place, package->path, kr_package_layouts[i].metadata,
				kr_package_layouts[i].contents);
	}
	return kr_package_refuse(reason, -ENOENT,
		"%s is no package: it has no metadata/metadata.json, and neither meta/metadata/metadata.json nor metadata.json",
		package->path);
}

int
kr_package_place_find(struct kr_package *package, struct kr_package_place *place, char **reason)
{
	int ret;

	*place = (struct kr_package_place){
		.root = open(package->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	if (place->root < 0)
		return kr_package_refuse(
			reason, -errno, "%s can't be opened: %s", package->path, strerror(errno));
	ret = find(package, place, reason);
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
