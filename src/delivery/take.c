/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking what was delivered: see delivery.h. Nothing of it is believed before it was looked at:
 * memory objects must be sealed, so that neither bytes nor size change, and all of them; of a
 * mount, the root and every file of the index must be on mounts that nobody writes to.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "delivery/delivery_impl.h"
#include "util/fd.h"
#include "util/file.h"
#include "util/json.h"
#include "util/text.h"

#define FIRST_FREE_FD 3 /* behind the standard ones, which programs like to replace */
#define SEALS         (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)

/*
 * Descriptors are ours from here on. One that took the place of a closed standard descriptor is
 * moved: the program or a library may open that again, under the name of a library that is loaded.
 */
static int
take_fds(struct kr_delivery *delivery, const int *fds, size_t count)
{
	int ret = 0;

	for (size_t i = 0; i < count && i < KR_ARRAY_LEN(delivery->fds); i++)
		delivery->fds[delivery->fd_count++] = fds[i];
	for (size_t i = KR_ARRAY_LEN(delivery->fds); i < count; i++)
		close(fds[i]);
	for (size_t i = 0; i < delivery->fd_count && !ret; i++) {
		int *fd = &delivery->fds[i], moved;

		if (*fd >= FIRST_FREE_FD && !fcntl(*fd, F_SETFD, FD_CLOEXEC))
			continue;
		moved = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
		if (moved < 0) {
			ret = -errno;
		} else {
			kr_fd_close(fd);
			*fd = moved;
		}
	}
	return ret;
}

/* `size` bytes of a file, from its beginning. */
static int
read_all(int fd, char *text, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t ret = pread(fd, text + done, size - done, (off_t)done);

		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return ret ? -errno : -EINVAL;
		done += (size_t)ret;
	}
	return 0;
}

static int
take_index(struct kr_delivery *delivery, int fd, off_t size, char **reason)
{
	char *why = NULL, *text;
	int ret;

	if (size <= 0 || size > KR_JSON_MAX_SIZE) {
		*reason = kr_asprintf("its index has %lld bytes; 1 to %d are possible",
			(long long)size, KR_JSON_MAX_SIZE);
		return -EINVAL;
	}
	text = malloc((size_t)size);
	if (!text)
		return -ENOMEM;
	ret = read_all(fd, text, (size_t)size);
	if (ret) {
		*reason = kr_asprintf("its index can't be read: %s", strerror(-ret));
	} else {
		ret = kr_index_parse(text, (size_t)size, &delivery->index, &why);
		if (why)
			*reason = kr_asprintf("its index is wrong: %s", why);
		free(why);
	}
	free(text);
	return ret;
}

/* --- memory objects --- */

static int
check_seals(int fd, const char *what, struct stat *status, char **reason)
{
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || (seals & SEALS) != SEALS) {
		*reason = kr_asprintf(
			"%s isn't sealed against writing, growing and shrinking: what a process loads must not change under it",
			what);
		return -EPERM;
	}
	if (fstat(fd, status) || !S_ISREG(status->st_mode)) {
		*reason = kr_asprintf("%s is no memory object", what);
		return -EINVAL;
	}
	return 0;
}

static int
check_objects(const struct kr_delivery *delivery, char **reason)
{
	const struct kr_index *index = &delivery->index;

	if (delivery->fd_count != index->file_count + 1) {
		*reason = kr_asprintf("%zu descriptors came for an index and %zu files",
			delivery->fd_count, index->file_count);
		return -EINVAL;
	}
	for (size_t i = 0; i < index->file_count; i++) {
		const struct kr_index_file *file = &index->files[i];
		struct stat status;
		int ret = check_seals(delivery->fds[i + 1], file->path, &status, reason);

		if (!ret && file->role != KR_INDEX_DATA && !status.st_size) {
			*reason = kr_asprintf("%s is empty", file->path);
			ret = -EINVAL;
		}
		if (ret)
			return ret;
	}
	return 0;
}

static int
take_memory(struct kr_delivery *delivery, char **reason)
{
	struct stat status;
	int ret = check_seals(delivery->fds[0], "the index", &status, reason);

	if (!ret)
		ret = take_index(delivery, delivery->fds[0], status.st_size, reason);
	return ret ? ret : check_objects(delivery, reason);
}

/* --- a mount --- */

static int
check_mount_flags(int fd, const char *what, unsigned long denied, char **reason)
{
	struct statvfs system;

	if (fstatvfs(fd, &system)) {
		*reason = kr_asprintf(
			"the mount of %s can't be asked for its flags: %s", what, strerror(errno));
		return -EPERM;
	}
	if (!(system.f_flag & ST_RDONLY) || !(system.f_flag & ST_NOSUID)) {
		*reason = kr_asprintf(
			"the mount of %s isn't read-only and nosuid: what a process loads must not change under it",
			what);
		return -EPERM;
	}
	if (system.f_flag & denied) {
		*reason =
			kr_asprintf("the mount of %s forbids to run what is in it (noexec)", what);
		return -EPERM;
	}
	return 0;
}

/* A file of a mount may be a mount of its own, so each is looked at. */
static int
check_mounted_file(
	const struct kr_delivery *delivery, const char *root, size_t number, char **reason)
{
	const struct kr_index_file *entry = &delivery->index.files[number];
	char path[KR_DELIVERY_PATH_SIZE];
	struct stat status;
	FILE *file;
	int ret;

	kr_delivery_path(delivery, root, number, path);
	ret = kr_file_open(path, &file);
	if (ret) {
		*reason = kr_asprintf("%s can't be opened: %s", entry->path, strerror(-ret));
		return -EINVAL;
	}
	if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode)) {
		*reason = kr_asprintf("%s is no regular file", entry->path);
		ret = -EINVAL;
	} else {
		ret = check_mount_flags(fileno(file), entry->path,
			entry->role == KR_INDEX_DATA ? 0 : ST_NOEXEC, reason);
	}
	fclose(file);
	return ret;
}

static int
read_mounted_index(struct kr_delivery *delivery, const char *root, char **reason)
{
	char path[KR_DELIVERY_FD_NAME_SIZE + sizeof("/" KR_INDEX_FILE)];
	struct stat status;
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "%s/%s", root, KR_INDEX_FILE);
	ret = kr_file_open(path, &file);
	if (ret) {
		*reason = kr_asprintf(
			"its index %s can't be opened: %s", KR_INDEX_FILE, strerror(-ret));
		return ret == -EMFILE || ret == -ENFILE ? ret : -EINVAL;
	}
	if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode)) {
		*reason = kr_asprintf("its index %s is no regular file", KR_INDEX_FILE);
		ret = -EINVAL;
	} else {
		ret = take_index(delivery, fileno(file), status.st_size, reason);
	}
	fclose(file);
	return ret;
}

static int
take_mount(struct kr_delivery *delivery, char **reason)
{
	char root[KR_DELIVERY_FD_NAME_SIZE];
	struct stat status;
	int ret;

	if (delivery->fd_count != 1 || fstat(delivery->fds[0], &status) ||
		!S_ISDIR(status.st_mode)) {
		*reason = kr_asprintf("what came isn't one directory");
		return -EINVAL;
	}
	ret = check_mount_flags(delivery->fds[0], "the package", 0, reason);
	if (!ret)
		ret = kr_delivery_root(delivery, root, reason);
	if (!ret)
		ret = read_mounted_index(delivery, root, reason);
	for (size_t i = 0; i < delivery->index.file_count && !ret; i++)
		ret = check_mounted_file(delivery, root, i, reason);
	return ret;
}

/* --- either --- */

static int
take(struct kr_delivery *delivery, char **reason)
{
	if (delivery->fd_count && delivery->kind == KR_DELIVERY_MOUNT)
		return take_mount(delivery, reason);
	if (delivery->fd_count && delivery->kind == KR_DELIVERY_MEMORY)
		return take_memory(delivery, reason);
	*reason = kr_asprintf("%zu descriptors of kind %d are no delivery", delivery->fd_count,
		(int)delivery->kind);
	return -EINVAL;
}

static int
refuse_count(size_t count, char **reason)
{
	*reason = kr_asprintf("%zu descriptors came, of at most %d", count, KR_INDEX_MAX_FILES + 1);
	return -EINVAL;
}

/* The whole sentence, in place of the half that begins with what is wrong. */
static void
say_of(const struct kr_delivery *delivery, char **reason)
{
	char *why = *reason;

	if (!why)
		return;
	*reason = delivery->index.name
		? kr_asprintf(
			  "the delivered package %s can't be used: %s", delivery->index.name, why)
		: kr_asprintf("the delivered package can't be used: %s", why);
	free(why);
}

int
kr_delivery_take(enum kr_delivery_kind kind, const int *take_these, size_t count,
	struct kr_delivery **delivery, char **reason)
{
	struct kr_delivery *taken = calloc(1, sizeof(*taken));
	int ret;

	*reason = NULL;
	if (!taken) {
		for (size_t i = 0; i < count; i++)
			close(take_these[i]);
		return -ENOMEM;
	}
	taken->kind = kind;
	ret = take_fds(taken, take_these, count);
	if (ret)
		*reason = kr_asprintf("its descriptors can't be kept: %s", strerror(-ret));
	else if (count > KR_ARRAY_LEN(taken->fds))
		ret = refuse_count(count, reason);
	else
		ret = take(taken, reason);
	if (!ret) {
		*delivery = taken;
		return 0;
	}
	say_of(taken, reason);
	kr_delivery_destroy(taken);
	return ret;
}
