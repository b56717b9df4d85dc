/* SPDX-License-Identifier: Apache-2.0 */
/* A generation as a mount: its pinned files, bound over empty files of the same names. */
#include "service/store/generation.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/text.h"

static bool
same_file(const struct kr_package_file *file)
{
	struct stat st;

	return !fstat(file->fd, &st) && st.st_dev == file->device && st.st_ino == file->inode &&
		(uint64_t)st.st_size == file->size &&
		st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec == file->mtime_ns;
}

bool
kr_generation_is_unchanged(const struct kr_generation *generation)
{
	for (size_t i = 0; i < generation->package->file_count; i++) {
		if (!same_file(&generation->package->files[i]))
			return false;
	}
	return true;
}

/*
 * Whether clients could use it where it lies. They open it themselves, as whoever they are, and map
 * it to execute; a file system of FUSE asks or refuses each of them.
 */
static int
check_file(const struct kr_package_file *file, char **why)
{
	struct statvfs vfs;
	struct statfs fs;
	struct stat st;

	if (fstat(file->fd, &st) || fstatvfs(file->fd, &vfs) || fstatfs(file->fd, &fs)) {
		const int err = -errno;

		*why = kr_asprintf("%s can't be looked at: %s", file->path, strerror(-err));
		return err;
	}
	if (vfs.f_flag & ST_NOEXEC && file->role != KR_INDEX_DATA) {
		*why = kr_asprintf("%s is in a file system that is mounted noexec", file->path);
		return -EACCES;
	}
	if ((st.st_mode & 0444) != 0444) {
		*why = kr_asprintf("not everybody may read %s", file->path);
		return -EACCES;
	}
	if (fs.f_type == FUSE_SUPER_MAGIC) {
		*why = kr_asprintf("%s is in a file system of FUSE", file->path);
		return -EXDEV;
	}
	return 0;
}

/* Where the file is now, from its descriptor: it may have been renamed. */
static int
bind_file(struct kr_generation *generation, const struct kr_package_file *file)
{
	char link[48], source[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	len = readlink(link, source, sizeof(source) - 1);
	if (len < 0)
		return -errno;
	source[len] = '\0';
	return kr_mounts_bind(generation->store->mounts, generation->id, file->path, source,
		file->device, file->inode);
}

static int
add_file(struct kr_generation *generation, int directory, const struct kr_package_file *file,
	char **why)
{
	int ret = check_file(file, why);

	if (ret)
		return ret;
	ret = kr_tree_write(directory, file->path, "", 0);
	if (!ret)
		ret = bind_file(generation, file);
	if (ret == -ESTALE || ret == -ENOENT)
		*why = kr_asprintf(
			"%s can't be found where the mounts are made: it was replaced, or its file system mounted since this service started",
			file->path);
	else if (ret)
		*why = kr_asprintf("%s can't be bound: %s", file->path, strerror(-ret));
	return ret;
}

static bool
has_file(const struct kr_package *package, const char *path)
{
	for (size_t i = 0; i < package->file_count; i++) {
		if (!strcmp(package->files[i].path, path))
			return true;
	}
	return false;
}

/* The index, and the manifest for loaders that take one, if it isn't among the files. */
static int
add_texts(struct kr_generation *generation, int directory)
{
	const struct kr_package *package = generation->package;
	int ret = kr_tree_write(
		directory, KR_INDEX_FILE, generation->index, strlen(generation->index));

	if (ret || !package->manifest || !package->manifest_path ||
		has_file(package, package->manifest_path))
		return ret;
	return kr_tree_write(
		directory, package->manifest_path, package->manifest, strlen(package->manifest));
}

static int
fill(struct kr_generation *generation, int directory, char **why)
{
	const struct kr_package *package = generation->package;
	int ret;

	for (size_t i = 0; i < package->file_count; i++) {
		ret = add_file(generation, directory, &package->files[i], why);
		if (ret)
			return ret;
	}
	ret = add_texts(generation, directory);
	if (!ret)
		ret = kr_mounts_publish(generation->store->mounts, generation->id, false);
	if (ret)
		*why = kr_asprintf("its directory can't be made: %s", strerror(-ret));
	return ret;
}

int
kr_generation_mount(struct kr_generation *generation, char **why)
{
	struct kr_mounts *mounts = generation->store->mounts;
	int directory;
	int ret = kr_mounts_make(mounts, &generation->id, &directory);

	if (ret) {
		*why = kr_asprintf("its directory can't be made: %s", strerror(-ret));
		return ret;
	}
	ret = fill(generation, directory, why);
	close(directory);
	if (ret) {
		kr_mounts_drop(mounts, generation->id);
		generation->id = 0;
	}
	return ret;
}
