/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A package of an installed driver while it is put together: its files, and the libraries that
 * those need.
 */
#include "service/package/builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/elf.h"
#include "service/package/internal.h"
#include "service/package/sets.h"
#include "util/fd.h"

int
kr_package_builder_refuse_open(const struct kr_package_builder *builder, const char *path, int ret)
{
	if (ret == -ENODEV || ret == -EISDIR)
		return kr_package_refuse(builder->reason, -EINVAL, "%s is no file", path);
	return kr_package_refuse(
		builder->reason, ret, "%s can't be opened: %s", path, strerror(-ret));
}

int
kr_package_builder_add(struct kr_package_builder *builder, char *take_source, const char *name)
{
	struct kr_package *package = builder->package;
	const struct kr_package_file *there = kr_package_find_file(package, name);
	struct stat status;
	int fd = -1, ret;

	if (!kr_package_path_is_good(name) || strchr(name, '/') || !strcmp(name, KR_INDEX_FILE)) {
		ret = kr_package_refuse(builder->reason, -EINVAL,
			"%s can't be a file of a package: " KR_PACKAGE_PATH_RULE, take_source);
		free(take_source);
		return ret;
	}
	ret = kr_package_pin_path(take_source, &fd, &status);
	if (ret)
		ret = kr_package_builder_refuse_open(builder, take_source, ret);
	else if (there && (there->inode != status.st_ino || there->device != status.st_dev))
		ret = kr_package_refuse(builder->reason, -EINVAL,
			"%s and another file of the driver are both called %s", take_source, name);
	if (ret || there) {
		kr_fd_close(&fd);
		free(take_source);
		return ret;
	}
	ret = kr_package_add_file(package, strdup(name), fd, &status, builder->reason);
	if (ret)
		free(take_source);
	else
		builder->sources[package->file_count - 1] = take_source;
	return ret;
}

static char *
directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
}

int
kr_package_builder_find(const struct kr_package_builder *builder, const char *run_path,
	const char *by_path, const char *name, char **found)
{
	char *origin = directory_of(by_path);
	int ret = origin ? kr_package_search_find(&builder->search, run_path, origin, name, found)
			 : -ENOMEM;

	free(origin);
	return ret;
}

static int
add_library(struct kr_package_builder *builder, const struct kr_package_elf *by,
	const char *by_path, const char *name)
{
	char *found;
	int ret;

	if (kr_package_find_file(builder->package, name))
		return 0;
	ret = kr_package_builder_find(builder, by->run_path, by_path, name, &found);
	/* A process that needs it then has to have one. */
	if (ret == -ENOENT && kr_package_is_applications(name))
		return 0;
	if (ret == -ENOENT)
		return kr_package_refuse(builder->reason, ret,
			"%s needs %s, which isn't installed in any directory of the dynamic linker",
			by_path, name);
	return ret ? ret : kr_package_builder_add(builder, found, name);
}

static int
add_needed(struct kr_package_builder *builder, size_t index)
{
	const struct kr_package_file *file = &builder->package->files[index];
	const char *path = builder->sources[index];
	struct kr_package_elf *elf;
	int ret;

	if (builder->options->progress)
		builder->options->progress(
			builder->options->data, path, builder->read, builder->package->file_count);
	ret = kr_package_elf_open(file->fd, path, &elf, builder->reason);
	if (ret)
		return ret;
	for (size_t i = 0; !ret && i < elf->needed_count; i++) {
		const char *name = elf->needed[i];

		if (strchr(name, '/'))
			ret = kr_package_refuse(builder->reason, -EINVAL,
				"%s needs %s, a path, which means nothing in a package", path,
				name);
		else if (!kr_package_is_platform(name))
			ret = add_library(builder, elf, path, name);
	}
	kr_package_elf_close(elf);
	return ret;
}

/* Files only grow at the end. */
int
kr_package_builder_close(struct kr_package_builder *builder)
{
	int ret = 0;

	for (; !ret && builder->read < builder->package->file_count; builder->read++)
		ret = add_needed(builder, builder->read);
	return ret;
}
