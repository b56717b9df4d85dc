/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a package in memory, and small things that its other files share: see package.h. */
#include "service/package/package.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/package/beneath.h"
#include "service/package/internal.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/text.h"

int
kr_package_refuse(char **reason, int code, const char *fmt, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	/* Names and values of files are in it, and it goes to terminals, logs and JSON. */
	if (len >= 0)
		kr_text_clean(text, (size_t)len, false);
	*reason = len < 0 ? NULL : text;
	return len < 0 ? -ENOMEM : code;
}

struct kr_package *
kr_package_new(const char *name, size_t name_len, const char *path)
{
	struct kr_package *package = calloc(1, sizeof(*package));

	if (!package)
		return NULL;
	package->name = strndup(name, name_len);
	package->path = strdup(path);
	package->files = calloc(KR_INDEX_MAX_FILES, sizeof(*package->files));
	if (package->name && package->path && package->files)
		return package;
	kr_package_destroy(package);
	return NULL;
}

static void
free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

static void
free_needs(struct kr_package *package)
{
	for (size_t i = 0; i < package->need_count; i++) {
		for (size_t k = 0; k < package->needs[i].version_count; k++)
			free(package->needs[i].versions[k]);
		free(package->needs[i].versions);
		free(package->needs[i].library);
	}
	free(package->needs);
}

static void
free_claims(struct kr_package *package)
{
	for (size_t i = 0; i < package->claim_count; i++) {
		free(package->claims[i].kernel_driver);
		free(package->claims[i].node);
	}
	free(package->claims);
}

void
kr_package_destroy(struct kr_package *package)
{
	if (!package)
		return;
	for (size_t i = 0; i < package->file_count; i++) {
		free(package->files[i].path);
		free(package->files[i].soname);
		kr_fd_close(&package->files[i].fd);
	}
	free_needs(package);
	free_list(package->nodes);
	free_claims(package);
	free_list(package->runtime_libraries);
	free_list(package->data_files);
	free_list(package->system_paths);
	free_list(package->environment);
	free_list(package->imports);
	free(package->files);
	free(package->name);
	free(package->path);
	free(package->metadata);
	free(package->metadata_file);
	free(package->contents);
	free(package->component);
	free(package->file_path);
	free(package->manifest_path);
	free(package->manifest);
	free(package->library_path);
	free(package->api_version);
	free(package->glibc);
	free(package->libstdcxx);
	free(package);
}

static uint64_t
total_size(const struct kr_package *package)
{
	uint64_t total = 0;

	for (size_t i = 0; i < package->file_count; i++)
		total += package->files[i].size;
	return total;
}

int
kr_package_add_file(struct kr_package *package, char *take_path, int take_fd,
	const struct stat *status, char **reason)
{
	uint64_t size = (uint64_t)status->st_size;
	int ret;

	if (package->file_count == KR_INDEX_MAX_FILES)
		ret = kr_package_refuse(reason, -EFBIG, "%s: it has more than %d files",
			package->path, KR_INDEX_MAX_FILES);
	else if (size > KR_PACKAGE_MAX_FILE || size + total_size(package) > KR_PACKAGE_MAX_TOTAL)
		ret = kr_package_refuse(reason, -EFBIG,
			"%s: %s is too large: a file may have 2 GiB, a package 4 GiB",
			package->path, take_path);
	else {
		package->files[package->file_count++] = (struct kr_package_file){
			.path = take_path,
			.fd = take_fd,
			.size = size,
			.device = status->st_dev,
			.inode = status->st_ino,
			.mtime_ns = (int64_t)status->st_mtim.tv_sec * KR_NSEC_PER_SEC +
				status->st_mtim.tv_nsec,
			.role = KR_INDEX_DATA,
		};
		return 0;
	}
	free(take_path);
	close(take_fd);
	return ret;
}

struct kr_package_file *
kr_package_find_file(const struct kr_package *package, const char *path)
{
	for (size_t i = 0; i < package->file_count; i++) {
		if (!strcmp(package->files[i].path, path))
			return &package->files[i];
	}
	return NULL;
}

bool
kr_package_is_printable(const char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return true;
}

bool
kr_package_path_is_good(const char *path)
{
	const char *at = path;

	if (!kr_package_is_printable(path))
		return false;
	for (;;) {
		size_t len = strcspn(at, "/");

		if (!len || len > 255 || (len == 1 && at[0] == '.') ||
			(len == 2 && !strncmp(at, "..", 2)))
			return false;
		if (!at[len])
			return true;
		at += len + 1;
	}
}

const char *
kr_package_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int
kr_package_read_text(int fd, char **text, size_t *size)
{
	char *buffer = malloc(KR_PACKAGE_MAX_TEXT + 1);
	size_t done = 0;

	if (!buffer)
		return -ENOMEM;
	while (done <= KR_PACKAGE_MAX_TEXT) {
		ssize_t got = pread(fd, buffer + done, KR_PACKAGE_MAX_TEXT + 1 - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int ret = -errno;

			free(buffer);
			return ret;
		}
		if (!got)
			break;
		done += (size_t)got;
	}
	if (done > KR_PACKAGE_MAX_TEXT) {
		free(buffer);
		return -EFBIG;
	}
	buffer[done] = '\0';
	*text = buffer;
	*size = done;
	return 0;
}

int
kr_package_pin(int path_fd, const struct stat *status, int *fd)
{
	char link[40];
	int opened;

	if (S_ISDIR(status->st_mode))
		return -EISDIR;
	if (!S_ISREG(status->st_mode))
		return -ENODEV;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	opened = open(link, O_RDONLY | O_CLOEXEC);
	if (opened < 0)
		return -errno;
	*fd = opened;
	return 0;
}

int
kr_package_pin_path(const char *path, int *fd, struct stat *status)
{
	int path_fd = open(path, O_PATH | O_CLOEXEC), ret;

	if (path_fd < 0)
		return -errno;
	ret = fstat(path_fd, status) ? -errno : kr_package_pin(path_fd, status, fd);
	kr_fd_close(&path_fd);
	return ret;
}

static int
open_beneath(int root, const char *path, int *fd, struct stat *status)
{
	int path_fd = kr_package_open_beneath(root, path, O_PATH), ret;

	if (path_fd < 0)
		return path_fd;
	ret = fstat(path_fd, status) ? -errno : kr_package_pin(path_fd, status, fd);
	kr_fd_close(&path_fd);
	return ret;
}

int
kr_package_read_beneath(int root, const char *path, const char *name, char **text, size_t *size,
	struct stat *status, char **reason)
{
	int fd = -1, ret = open_beneath(root, path, &fd, status);

	if (!ret)
		ret = kr_package_read_text(fd, text, size);
	kr_fd_close(&fd);
	if (ret)
		return kr_package_refuse(reason, ret, "%s: %s", name,
			ret == -ENODEV          ? "it is no file"
				: ret == -EXDEV ? "it is a link that leads out of the package"
				: ret == -EFBIG ? "it is larger than 64 KiB"
						: strerror(-ret));
	return 0;
}

size_t
kr_package_list_count(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

int
kr_package_list_add(char ***list, const char *text)
{
	size_t count = kr_package_list_count(*list);
	char **grown;

	for (size_t i = 0; i < count; i++) {
		if (!strcmp((*list)[i], text))
			return 0;
	}
	grown = realloc(*list, (count + 2) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[count] = strdup(text);
	grown[count + 1] = NULL;
	return grown[count] ? 0 : -ENOMEM;
}

static bool
same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool
same_list(char *const *a, char *const *b)
{
	size_t count = kr_package_list_count(a);

	if (count != kr_package_list_count(b))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(a[i], b[i]))
			return false;
	}
	return true;
}

bool
kr_package_is_same(const struct kr_package *a, const struct kr_package *b)
{
	if (a->file_count != b->file_count || !same_text(a->metadata, b->metadata) ||
		!same_text(a->component, b->component) || !same_text(a->file_path, b->file_path) ||
		!same_text(a->manifest, b->manifest) ||
		!same_list(a->runtime_libraries, b->runtime_libraries) ||
		!same_list(a->data_files, b->data_files) || !same_list(a->nodes, b->nodes) ||
		!same_list(a->environment, b->environment))
		return false;
	for (size_t i = 0; i < a->file_count; i++) {
		const struct kr_package_file *file = &a->files[i],
					     *other = kr_package_find_file(b, file->path);

		if (!other || other->device != file->device || other->inode != file->inode ||
			other->size != file->size || other->mtime_ns != file->mtime_ns)
			return false;
	}
	return true;
}
