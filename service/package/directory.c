/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading and pinning a package directory, so that nobody gets a mixture of two versions of it:
 * everything is opened, then looked at once more; when what is there isn't what is held, the
 * package changed meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/package/beneath.h"
#include "service/package/internal.h"
#include "service/package/place.h"
#include "service/package/walk.h"
#include "util/clock.h"
#include "util/fd.h"

struct pinning {
	struct kr_package *package;
	size_t seen; /* files, when looking once more */
};

/* A package whose parts have been found. */
struct reading {
	struct kr_package *package;
	struct kr_package_place place;
	struct stat metadata; /* of metadata.json as it was read */
	char **reason;
};

static int
pin_file(void *data, const char *path, int path_fd, const struct stat *status, char **reason)
{
	struct pinning *pinning = data;
	struct kr_package *package = pinning->package;
	struct stat pinned;
	char *copy;
	int fd, ret = kr_package_pin(path_fd, status, &fd);

	if (ret == -ENODEV)
		return kr_package_refuse(reason, -EINVAL,
			"%s: %s is neither a file nor a directory", package->path, path);
	if (ret)
		return kr_package_refuse(reason, ret, "%s: %s can't be opened: %s", package->path,
			path, strerror(-ret));
	copy = strdup(path);
	if (!copy || fstat(fd, &pinned)) {
		close(fd);
		free(copy);
		return -ENOMEM;
	}
	return kr_package_add_file(package, copy, fd, &pinned, reason);
}

static int
changed(const struct kr_package *package, const char *path, char **reason)
{
	return kr_package_refuse(
		reason, -EAGAIN, "%s: %s changed while it was read", package->path, path);
}

static bool
is_still(const struct kr_package_file *file, const struct stat *status)
{
	return status->st_dev == file->device && status->st_ino == file->inode &&
		(uint64_t)status->st_size == file->size &&
		(int64_t)status->st_mtim.tv_sec * KR_NSEC_PER_SEC + status->st_mtim.tv_nsec ==
		file->mtime_ns;
}

/* The walk has the same order each time. */
static int
compare_file(void *data, const char *path, int path_fd, const struct stat *status, char **reason)
{
	struct pinning *pinning = data;
	const struct kr_package *package = pinning->package;
	const struct kr_package_file *file = &package->files[pinning->seen];

	if (pinning->seen == package->file_count || strcmp(file->path, path) ||
		!is_still(file, status))
		return changed(package, path, reason);
	pinning->seen++;
	return 0;
}

static int
read_metadata(struct reading *reading)
{
	struct kr_package *package = reading->package;
	size_t size;
	int ret = kr_package_read_beneath(reading->place.root, reading->place.metadata,
		package->metadata_file, &package->metadata, &size, &reading->metadata,
		reading->reason);

	return ret ? ret
		   : kr_package_parse_metadata(package, package->metadata, size, reading->reason);
}

static int
read_manifest(struct kr_package *package, char **reason)
{
	const struct kr_package_file *file = kr_package_find_file(package, package->manifest_path);
	char path[4096], *text;
	size_t size;
	int ret;

	if (!file)
		return kr_package_refuse(reason, -EINVAL,
			"%s: manifest_path names %s, which isn't in contents", package->path,
			package->manifest_path);
	snprintf(path, sizeof(path), "%s/%s", package->contents, file->path);
	ret = kr_package_read_text(file->fd, &text, &size);
	if (ret == -EFBIG)
		return kr_package_refuse(reason, ret, "%s: it is larger than 64 KiB", path);
	if (ret)
		return kr_package_refuse(reason, ret, "%s: %s", path, strerror(-ret));
	ret = kr_package_parse_manifest(package, path, text, size, reason);
	free(text);
	return ret;
}

/* Everything that the metadata names is there. */
static int
check_names(const struct kr_package *package, char **reason)
{
	char *const *lists[] = {package->runtime_libraries, package->data_files};
	static const char *const keys[] = {"krafla.runtime_libraries", "krafla.data_files"};

	if (!kr_package_find_file(package, package->file_path))
		return kr_package_refuse(reason, -EINVAL,
			"%s: file_path names %s, which isn't in contents", package->path,
			package->file_path);
	for (size_t i = 0; i < KR_ARRAY_LEN(lists); i++) {
		for (char *const *name = lists[i]; name && *name; name++) {
			if (!kr_package_find_file(package, *name))
				return kr_package_refuse(reason, -EINVAL,
					"%s: %s names %s, which is no file in contents",
					package->path, keys[i], *name);
		}
	}
	for (char *const *item = package->environment; item && *item; item++) {
		const char *equals = strchr(*item, '=');

		if (!kr_package_find_file(package, equals + 1))
			return kr_package_refuse(reason, -EINVAL,
				"%s: krafla.environment sets %.*s to %s, which is no file in contents",
				package->path, (int)(equals - *item), *item, equals + 1);
	}
	return 0;
}

static bool
is_same_metadata(const struct reading *reading)
{
	const struct stat *then = &reading->metadata;
	struct stat now;

	return !fstatat(reading->place.root, reading->place.metadata, &now, 0) &&
		now.st_dev == then->st_dev && now.st_ino == then->st_ino &&
		now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == then->st_mtim.tv_nsec;
}

static int
open_contents(const struct reading *reading)
{
	int fd = kr_package_open_beneath(
		reading->place.root, reading->place.contents, O_RDONLY | O_DIRECTORY);

	if (fd >= 0)
		return fd;
	return kr_package_refuse(reading->reason, fd, "%s: %s", reading->package->contents,
		fd == -EXDEV ? "it is a link that leads out of the package" : strerror(-fd));
}

/* The metadata and every file once more: still what is held? */
static int
look_again(struct reading *reading)
{
	struct kr_package *package = reading->package;
	struct pinning pinning = {package, 0};
	int contents = open_contents(reading), ret;

	if (contents < 0)
		return contents;
	ret = kr_package_walk(contents, package->path, compare_file, &pinning, reading->reason);
	close(contents);
	if (ret)
		return ret;
	if (pinning.seen != package->file_count)
		return changed(package, package->files[pinning.seen].path, reading->reason);
	return is_same_metadata(reading)
		? 0
		: changed(package, reading->place.metadata, reading->reason);
}

static int
pin_all(struct reading *reading)
{
	struct kr_package *package = reading->package;
	struct pinning pinning = {package, 0};
	int contents, ret = read_metadata(reading);

	if (ret)
		return ret;
	contents = open_contents(reading);
	if (contents < 0)
		return contents;
	ret = kr_package_walk(contents, package->path, pin_file, &pinning, reading->reason);
	close(contents);
	if (!ret)
		ret = look_again(reading);
	if (!ret)
		ret = read_manifest(package, reading->reason);
	return ret ? ret : check_names(package, reading->reason);
}

/* The directory's own name: of a path that may end in slashes. */
static struct kr_package *
new_package(const char *directory)
{
	size_t end = strlen(directory), begin;

	while (end > 1 && directory[end - 1] == '/')
		end--;
	for (begin = end; begin && directory[begin - 1] != '/'; begin--)
		continue;
	return kr_package_new(directory + begin, end - begin, directory);
}

/* `ret`: of finding its place. */
static int
finish(struct reading *reading, int ret, struct kr_package **package)
{
	if (!ret) {
		ret = pin_all(reading);
		kr_package_place_finish(&reading->place);
	}
	if (ret)
		kr_package_destroy(reading->package);
	else
		*package = reading->package;
	return ret;
}

int
kr_package_open(const char *directory, struct kr_package **package, char **reason)
{
	struct reading reading = {.package = new_package(directory), .reason = reason};
	int ret;

	*reason = NULL;
	if (!reading.package)
		return -ENOMEM;
	ret = kr_package_place_find(reading.package, &reading.place, reason);
	return finish(&reading, ret, package);
}

int
kr_package_open_component(const char *path, const struct kr_component *component,
	struct kr_package **package, char **reason)
{
	struct reading reading = {.package = new_package(path), .reason = reason};
	int ret;

	*reason = NULL;
	if (!reading.package)
		return -ENOMEM;
	ret = kr_package_place_run(reading.package, &reading.place, component, reason);
	return finish(&reading, ret, package);
}
