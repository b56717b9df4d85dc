/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla features --write-permissions: a permission file for each of Android's features that the
 * devices hold, under the names that systems install them by. All are written beside their places
 * first, and then renamed: a place never has half a file, and what a link there leads to stays as
 * it is. Nothing is removed: what still declares more than is held is told.
 */
#include "tools/features/request.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "features/permission_file.h"
#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "util/fd.h"
#include "util/text.h"

#define NAME_ROOM 96
/* Files that were left there by writers which were killed are stepped over. */
#define MOST_TRIES 100

struct written {
	const struct kr_feature_declaration *declaration;
	char name[NAME_ROOM];
	char temporary[NAME_ROOM]; /* "": there is none (any more) */
};

struct writer {
	const char *directory;
	int fd;
	struct written files[KR_FEATURE_NAMES];
	unsigned count;
	struct kr_feature_system *system;
	json_t *written, *stale;
	const char *looked_at; /* a file of the directory */
	bool overstated;
};

static int
fail(const struct writer *writer, const char *name, const char *at, int error)
{
	kr_complain(
		"features", "%s/%s can't be %s: %s", writer->directory, name, at, strerror(error));
	return -error;
}

static int
write_text(int fd, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t done = write(fd, text, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		length -= (size_t)done;
	}
	return 0;
}

static int
open_temporary(const struct writer *writer, struct written *file)
{
	for (unsigned i = 0; i < MOST_TRIES; i++) {
		int fd;

		snprintf(file->temporary, NAME_ROOM, ".%s.xml.%d-%u", file->declaration->name,
			(int)getpid(), i);
		fd = openat(writer->fd, file->temporary,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			break;
	}
	file->temporary[0] = '\0';
	return -errno;
}

static int
write_temporary(const struct writer *writer, struct written *file)
{
	char text[512];
	int err, fd = open_temporary(writer, file);

	if (fd < 0)
		return fail(writer, file->name, "written", -fd);
	snprintf(text, sizeof(text),
		"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
		"<!-- By krafla features, of what the devices hold. -->\n"
		"<permissions>\n"
		"    <feature name=\"%s\" version=\"%u\" />\n"
		"</permissions>\n",
		file->declaration->name, file->declaration->held_version);
	err = write_text(fd, text);
	/* Whoever installs has its own umask; the files are for all to read. */
	if (!err && (fchmod(fd, 0644) || fsync(fd)))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err ? fail(writer, file->name, "written", -err) : 0;
}

/* A rename that can't be is known before the first one is made. */
static int
check_place(const struct writer *writer, const char *name)
{
	struct stat status;

	if (!fstatat(writer->fd, name, &status, AT_SYMLINK_NOFOLLOW) && S_ISDIR(status.st_mode))
		return fail(writer, name, "written", EISDIR);
	return 0;
}

static int
write_all(struct writer *writer)
{
	int err = 0;

	for (unsigned i = 0; i < writer->count && !err; i++) {
		err = check_place(writer, writer->files[i].name);
		if (!err)
			err = write_temporary(writer, &writer->files[i]);
	}
	for (unsigned i = 0; i < writer->count && !err; i++) {
		struct written *file = &writer->files[i];

		if (renameat(writer->fd, file->temporary, writer->fd, file->name)) {
			err = fail(writer, file->name, "put in its place", errno);
			break;
		}
		file->temporary[0] = '\0';
	}
	if (!err && fsync(writer->fd))
		err = fail(writer, "", "kept", errno);
	for (unsigned i = 0; i < writer->count; i++) {
		if (writer->files[i].temporary[0])
			unlinkat(writer->fd, writer->files[i].temporary, 0);
	}
	return err;
}

static void
choose_files(struct writer *writer)
{
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		const struct kr_feature_declaration *declaration = &writer->system->declarations[i];
		struct written *file = &writer->files[writer->count];

		if (!declaration->held || !kr_feature_is_permission(declaration->name))
			continue;
		file->declaration = declaration;
		snprintf(file->name, NAME_ROOM, "%s.xml", declaration->name);
		writer->count++;
	}
}

/* Another file that declares what isn't held, or more of it. */
static void
look_at_permission(void *data, const struct kr_feature_permission *permission)
{
	struct writer *writer = data;
	const struct kr_feature_declaration *declaration =
		kr_feature_find(writer->system->declarations, permission->name);
	char version[KR_FEATURE_VERSION_TEXT];
	bool unchecked;

	if (!declaration || permission->unavailable ||
		!kr_feature_is_permission(declaration->name) ||
		(declaration->held && permission->version <= declaration->held_version))
		return;
	kr_feature_version_text(permission->name, permission->version, version);
	/* Without results of the tests nobody knows. */
	unchecked = !declaration->held && !strcmp(declaration->name, KR_FEATURE_NAME_DEQP);
	writer->overstated |= !unchecked;
	kr_complain("features",
		unchecked
			? "%s/%s declares %s %s, which wasn't looked at: no results of tests were given"
			: "%s/%s declares %s %s, which the devices don't hold: remove it",
		writer->directory, writer->looked_at, permission->name, version);
	json_array_append_new(writer->stale,
		json_pack("{s:o, s:o, s:I, s:b}", "file", kr_tool_json_text(writer->looked_at),
			"name", kr_tool_json_text(permission->name), "version",
			(json_int_t)permission->version, "checked", (int)!unchecked));
}

static bool
was_written(const struct writer *writer, const char *name)
{
	for (unsigned i = 0; i < writer->count; i++) {
		if (!strcmp(writer->files[i].name, name))
			return true;
	}
	return false;
}

static int
is_permission_file(const struct dirent *entry)
{
	return kr_has_suffix(entry->d_name, ".xml");
}

static void
look_at_others(struct writer *writer)
{
	struct dirent **entries = NULL;
	int count = scandir(writer->directory, &entries, is_permission_file, alphasort);

	for (int i = 0; i < count; i++) {
		char why[KR_FEATURE_FILE_WHY];
		char *path = kr_asprintf("%s/%s", writer->directory, entries[i]->d_name);

		writer->looked_at = entries[i]->d_name;
		if (path && !was_written(writer, entries[i]->d_name) &&
			kr_feature_read_permissions(path, look_at_permission, writer, why) < 0)
			kr_complain("features", "%s can't be looked at: %s", path, why);
		free(path);
		free(entries[i]);
	}
	free(entries);
}

static void
say_written(const struct writer *writer)
{
	for (unsigned i = 0; i < writer->count; i++) {
		const struct written *file = &writer->files[i];
		char version[KR_FEATURE_VERSION_TEXT];

		kr_feature_version_text(
			file->declaration->name, file->declaration->held_version, version);
		printf("%s/%s: version %s\n", writer->directory, file->name, version);
	}
	if (!writer->count)
		puts("the devices hold nothing that a permission file declares: none was written");
}

static void
say_json(struct writer *writer)
{
	json_t *written = json_array(), *answer;

	for (unsigned i = 0; i < writer->count; i++)
		json_array_append_new(written,
			json_pack("{s:s, s:s, s:I}", "file", writer->files[i].name, "name",
				writer->files[i].declaration->name, "version",
				(json_int_t)writer->files[i].declaration->held_version));
	answer = json_pack("{s:o, s:o, s:O}", "directory", kr_tool_json_text(writer->directory),
		"written", written, "declared_elsewhere", writer->stale);
	json_dumpf(answer, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(answer);
}

int
kr_flags_write_permissions(const struct kr_flags_request *request, struct kr_feature_system *system)
{
	struct writer writer = {
		.directory = request->write_dir,
		.system = system,
		.fd = open(request->write_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.stale = json_array(),
	};
	int code = KR_EXIT_FAILURE;

	if (writer.fd < 0) {
		kr_complain("features", "--write-permissions: %s: %s", request->write_dir,
			strerror(errno));
		json_decref(writer.stale);
		return KR_EXIT_FAILURE;
	}
	/* Where files mayn't be so large that is an error as others are, and leaves nothing. */
	signal(SIGXFSZ, SIG_IGN);
	choose_files(&writer);
	if (!write_all(&writer)) {
		look_at_others(&writer);
		if (request->json)
			say_json(&writer);
		else
			say_written(&writer);
		code = writer.overstated ? KR_FLAGS_EXIT_NO : KR_EXIT_OK;
	}
	json_decref(writer.stale);
	kr_fd_close(&writer.fd);
	return code;
}
