/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a package directory: made under another name beside it, then renamed, so that whoever
 * looks sees all of it or nothing. What was made is removed when something fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/package/claims.h"
#include "service/package/component.h"
#include "service/package/internal.h"
#include "util/fd.h"
#include "util/text.h"

#define PIECE ((size_t)1 << 20)

struct writer {
	const struct kr_package *package; /* NULL: a component */
	const struct kr_component *component;
	const char *directory;
	bool (*progress)(void *data, const char *what, size_t done, size_t total);
	void *data;
	size_t done, total;
	char **reason;
};

static int
refuse(const struct writer *writer, const char *what, int ret)
{
	return kr_package_refuse(writer->reason, ret, "%s/%s can't be written: %s",
		writer->directory, what, strerror(-ret));
}

/* The directories of a path below `root`. 0 or -errno. */
static int
make_parents(int root, const char *path)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *parent = strndup(path, (size_t)(slash - path));
		int ret = !parent                                        ? -ENOMEM
			: mkdirat(root, parent, 0755) && errno != EEXIST ? -errno
									 : 0;

		free(parent);
		if (ret)
			return ret;
	}
	return 0;
}

static int
create(int root, const char *path, int *fd)
{
	int ret = make_parents(root, path);

	if (ret)
		return ret;
	*fd = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	return *fd < 0 ? -errno : 0;
}

static int
write_text(const struct writer *writer, int root, const char *path, const char *text)
{
	size_t size = strlen(text), done = 0;
	int fd = -1, ret = create(root, path, &fd);

	while (!ret && done < size) {
		ssize_t put = write(fd, text + done, size - done);

		if (put < 0 && errno != EINTR)
			ret = -errno;
		else if (put > 0)
			done += (size_t)put;
	}
	kr_fd_close(&fd);
	return ret ? refuse(writer, path, ret) : 0;
}

/* Copies as much as the file had when it was pinned; less is there when somebody cut it. */
static int
copy_bytes(struct writer *writer, const struct kr_package_file *file, int to)
{
	uint64_t left = file->size;
	off_t at = 0;

	while (left) {
		ssize_t put = sendfile(to, file->fd, &at, left < PIECE ? (size_t)left : PIECE);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		if (!put)
			return -EAGAIN;
		left -= (uint64_t)put;
		writer->done += (size_t)put;
		if (writer->progress &&
			!writer->progress(writer->data, file->path, writer->done, writer->total))
			return -ECANCELED;
	}
	return 0;
}

static int
copy_file(struct writer *writer, int contents, const struct kr_package_file *file)
{
	int fd = -1, ret = create(contents, file->path, &fd);

	if (!ret)
		ret = copy_bytes(writer, file, fd);
	kr_fd_close(&fd);
	return ret ? refuse(writer, file->path, ret) : 0;
}

static json_t *
list(char *const *texts)
{
	json_t *array = json_array();

	for (; texts && *texts; texts++)
		json_array_append_new(array, json_string(*texts));
	return array;
}

static json_t *
map_environment(const struct kr_package *package)
{
	json_t *object = json_object();

	for (char *const *item = package->environment; item && *item; item++) {
		const char *equals = strchr(*item, '=');

		json_object_setn_new(
			object, *item, (size_t)(equals - *item), json_string(equals + 1));
	}
	return object;
}

static char *
make_metadata(const struct kr_package *package)
{
	json_t *root = json_pack(
		"{s:i, s:s, s:s, s:{s:o, s:o*, s:o, s:o, s:o, s:o, s:o, s:o*, s:s*, s:s*, s:b}}",
		"version", 1, "file_path", package->file_path, "manifest_path",
		package->manifest_path, "krafla", "nodes", list(package->nodes), "devices",
		kr_package_list_claims(package), "data_files", list(package->data_files),
		"runtime_libraries", list(package->runtime_libraries), "system_paths",
		list(package->system_paths), "environment", map_environment(package), "imports",
		list(package->imports), "platform",
		package->platform ? json_integer(package->platform) : NULL, "glibc", package->glibc,
		"libstdcxx", package->libstdcxx, "compiles_at_run_time",
		package->compiles_at_run_time);
	char *text = json_dumps(root, JSON_INDENT(2)),
	     *line = text ? kr_asprintf("%s\n", text) : NULL;

	json_decref(root);
	free(text);
	return line;
}

/* Of a driver that was installed the manifest is none of the files. */
static int
write_contents(struct writer *writer, int contents)
{
	const struct kr_package *package = writer->package;
	int ret = 0;

	for (size_t i = 0; i < package->file_count; i++)
		writer->total += package->files[i].size;
	for (size_t i = 0; !ret && i < package->file_count; i++)
		ret = copy_file(writer, contents, &package->files[i]);
	if (!ret && !kr_package_find_file(package, package->manifest_path))
		ret = write_text(writer, contents, package->manifest_path, package->manifest);
	return ret;
}

static int
write_all(struct writer *writer, int root)
{
	int contents, ret;
	char *metadata;

	if (mkdirat(root, KR_PACKAGE_CONTENTS, 0755))
		return refuse(writer, KR_PACKAGE_CONTENTS, -errno);
	contents = openat(root, KR_PACKAGE_CONTENTS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (contents < 0)
		return refuse(writer, KR_PACKAGE_CONTENTS, -errno);
	ret = write_contents(writer, contents);
	close(contents);
	if (ret)
		return ret;
	metadata = make_metadata(writer->package);
	ret = metadata ? write_text(writer, root, KR_PACKAGE_METADATA, metadata) : -ENOMEM;
	free(metadata);
	return ret;
}

static int
write_component(const struct writer *writer, int root)
{
	char *text = kr_component_text(writer->component);
	int ret = text ? write_text(writer, root, KR_COMPONENT_FILE, text) : -ENOMEM;

	free(text);
	return ret;
}

static int
remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)!remove(path);
	return 0;
}

/* `above`: the length of the path of the directory where it is to be; 0: the current one. */
static int
refuse_above(const struct writer *writer, size_t above, int err)
{
	while (above > 1 && writer->directory[above - 1] == '/')
		above--;
	return kr_package_refuse(writer->reason, -err, "%s can't be made: the directory %.*s: %s",
		writer->directory, above ? (int)above : 1, above ? writer->directory : ".",
		strerror(err));
}

static int
write_at(struct writer *writer, const char *path)
{
	int root, ret;

	root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	ret = root < 0              ? refuse(writer, "", -errno)
		: writer->component ? write_component(writer, root)
				    : write_all(writer, root);
	kr_fd_close(&root);
	if (!ret && renameat2(AT_FDCWD, path, AT_FDCWD, writer->directory, RENAME_NOREPLACE))
		ret = errno == EEXIST
			? kr_package_refuse(
				  writer->reason, -EEXIST, "%s is there already", writer->directory)
			: kr_package_refuse(writer->reason, -errno, "%s can't be renamed to %s: %s",
				  path, writer->directory, strerror(errno));
	if (ret)
		nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return ret;
}

/*
 * "DIR/lvp" becomes "DIR/.lvp.new-PID", or "-PID.2": in a container a killed process's id may be
 * this one's, too.
 */
static char *
hidden_name(const char *directory, int number)
{
	size_t end = strlen(directory), begin;

	while (end > 1 && directory[end - 1] == '/')
		end--;
	for (begin = end; begin && directory[begin - 1] != '/'; begin--)
		continue;
	if (number > 1)
		return kr_asprintf("%.*s.%.*s.new-%d.%d", (int)begin, directory, (int)(end - begin),
			directory + begin, (int)getpid(), number);
	return kr_asprintf("%.*s.%.*s.new-%d", (int)begin, directory, (int)(end - begin),
		directory + begin, (int)getpid());
}

/*
 * A directory of ours, new, whatever others have left or put there: *path. 0 or -errno, -ENOMEM
 * without a reason.
 */
static int
make_hidden(const struct writer *writer, char **path)
{
	for (int number = 1;; number++) {
		char *name = hidden_name(writer->directory, number);
		int err;

		if (!name)
			return -ENOMEM;
		if (!mkdir(name, 0755)) {
			*path = name;
			return 0;
		}
		err = errno;
		if (err == EEXIST && number < 100) {
			free(name);
			continue;
		}
		err = refuse_above(writer, (size_t)(kr_package_base_name(name) - name), err);
		free(name);
		return err;
	}
}

static int
write_directory(struct writer *writer)
{
	struct stat status;
	char *path = NULL;
	int ret;

	*writer->reason = NULL;
	if (!lstat(writer->directory, &status))
		return kr_package_refuse(
			writer->reason, -EEXIST, "%s is there already", writer->directory);
	/* Hidden, so that a service that watches the directory above leaves it alone. */
	ret = make_hidden(writer, &path);
	if (ret)
		return ret;
	ret = write_at(writer, path);
	free(path);
	return ret;
}

int
kr_package_write(const struct kr_package *package, const char *directory,
	bool (*progress)(void *data, const char *what, size_t done, size_t total), void *data,
	char **reason)
{
	struct writer writer = {.package = package,
		.directory = directory,
		.progress = progress,
		.data = data,
		.reason = reason};

	return write_directory(&writer);
}

int
kr_package_write_component(
	const struct kr_component *component, const char *directory, char **reason)
{
	struct writer writer = {.component = component, .directory = directory, .reason = reason};

	return write_directory(&writer);
}
