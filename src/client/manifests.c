/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a manifest file system: see manifests.h. */
#include "client/manifests.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/array.h"
#include "util/file.h"
#include "util/json.h"
#include "util/text.h"

static struct kr_manifests *
create(void)
{
	struct kr_manifests *manifests = calloc(1, sizeof(*manifests));

	if (manifests)
		atomic_init(&manifests->refs, 1);
	return manifests;
}

struct kr_manifests *
kr_manifests_ref(struct kr_manifests *manifests)
{
	atomic_fetch_add_explicit(&manifests->refs, 1, memory_order_relaxed);
	return manifests;
}

void
kr_manifests_unref(struct kr_manifests *manifests)
{
	/* Each thread's use comes before the end. */
	if (!manifests || atomic_fetch_sub_explicit(&manifests->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < manifests->count; i++) {
		free(manifests->files[i].name);
		free(manifests->files[i].text);
	}
	free(manifests->files);
	free(manifests);
}

bool
kr_manifests_have(const struct kr_manifests *manifests, const char *name)
{
	for (size_t i = 0; i < manifests->count; i++) {
		if (!strcmp(manifests->files[i].name, name))
			return true;
	}
	return false;
}

/* Names that begin with a dot are files that are being written. */
static bool
is_manifest(const char *name)
{
	return name[0] != '.' && !strchr(name, '/') && kr_has_suffix(name, ".json");
}

/* Copies; 0, -ENOMEM or -E2BIG. */
static int
add(struct kr_manifests *manifests, const char *name, const char *text, size_t size)
{
	struct kr_manifests_file *file;

	if (manifests->count == KR_MANIFESTS_MAX)
		return -E2BIG;
	file = kr_array_add(&manifests->files, &manifests->count, &manifests->room, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->name = strdup(name);
	file->text = malloc(size ? size : 1);
	file->size = size;
	if (!file->name || !file->text)
		return -ENOMEM;
	memcpy(file->text, text, size);
	return 0;
}

/* "10-b.json" comes behind "9-a.json". */
static int
compare(const void *a, const void *b)
{
	const char *left = ((const struct kr_manifests_file *)a)->name;
	const char *right = ((const struct kr_manifests_file *)b)->name;
	unsigned long long l = strtoull(left, NULL, 10), r = strtoull(right, NULL, 10);

	if (l != r)
		return l < r ? -1 : 1;
	return strcmp(left, right);
}

static int
finish(struct kr_manifests *take_manifests, int err, struct kr_manifests **out, char **reason)
{
	if (!err) {
		if (take_manifests->count)
			qsort(take_manifests->files, take_manifests->count,
				sizeof(*take_manifests->files), compare);
		*out = take_manifests;
		return 0;
	}
	kr_manifests_unref(take_manifests);
	if (err == -E2BIG)
		*reason = kr_asprintf(
			"the loader service has more than %d manifests", KR_MANIFESTS_MAX);
	return err;
}

/* One that went meanwhile, or is too large, is no manifest of this picture. 0 or as add. */
static int
add_file(struct kr_manifests *manifests, const char *directory, const char *name)
{
	char *path = kr_asprintf("%s/%s", directory, name);
	char *text = malloc(KR_MANIFESTS_MAX_SIZE + 1);
	FILE *file = NULL;
	size_t size;
	int err = -ENOMEM;

	if (path && text) {
		err = kr_file_open(path, &file) ? -ENODEV : 0;
		size = err ? 0 : fread(text, 1, KR_MANIFESTS_MAX_SIZE + 1, file);
		if (!err && !ferror(file) && size <= KR_MANIFESTS_MAX_SIZE)
			err = add(manifests, name, text, size);
		else
			err = 0;
	}
	if (file)
		fclose(file);
	free(path);
	free(text);
	return err;
}

static int
explain_directory(int error, const char *path, char **reason)
{
	if (error == -ENOENT && access("/proc/self/fd", F_OK))
		*reason = kr_asprintf(
			"/proc isn't mounted here, and without it drivers of the loader service can't be loaded: mount proc in this sandbox");
	else
		*reason = kr_asprintf("the loader service's manifests can't be read (%s): %s", path,
			strerror(-error));
	return error;
}

int
kr_manifests_read_directory(int directory, struct kr_manifests **out, char **reason)
{
	struct kr_manifests *manifests;
	const struct dirent *entry;
	char path[32];
	DIR *dir;
	int err = 0;

	*reason = NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", directory);
	dir = opendir(path);
	if (!dir)
		return explain_directory(-errno, path, reason);
	manifests = create();
	if (!manifests)
		err = -ENOMEM;
	/* What is no regular file, such as a FIFO, isn't opened. */
	while (!err && (entry = readdir(dir))) {
		if (entry->d_type == DT_REG && is_manifest(entry->d_name))
			err = add_file(manifests, path, entry->d_name);
	}
	closedir(dir);
	return finish(manifests, err, out, reason);
}

/* All of a memory object: a new block. */
static int
read_memory(int memory, char **text, size_t *size)
{
	struct stat status;
	ssize_t got;

	if (fstat(memory, &status) || !S_ISREG(status.st_mode) || status.st_size < 0 ||
		status.st_size > KR_JSON_MAX_SIZE)
		return -EINVAL;
	*text = malloc((size_t)status.st_size + 1);
	if (!*text)
		return -ENOMEM;
	for (*size = 0; *size < (size_t)status.st_size; *size += (size_t)got) {
		do
			got = pread(memory, *text + *size, (size_t)status.st_size - *size,
				(off_t)*size);
		while (got < 0 && errno == EINTR);
		if (got <= 0) {
			free(*text);
			return -EINVAL;
		}
	}
	return 0;
}

#define CANT_BE_READ "the loader service's list of manifests can't be read: "

static int
add_listed(struct kr_manifests *manifests, const struct kr_json *files)
{
	for (size_t i = 0; i < kr_json_count(files); i++) {
		const struct kr_json *file = kr_json_at(files, i);
		const char *name = kr_json_string(kr_json_get(file, "name"));
		const char *text = kr_json_string(kr_json_get(file, "text"));
		int err;

		if (!name || !text || !is_manifest(name) || strlen(text) > KR_MANIFESTS_MAX_SIZE)
			continue;
		err = add(manifests, name, text, strlen(text));
		if (err)
			return err;
	}
	return 0;
}

int
kr_manifests_parse_listing(const char *text, size_t size, struct kr_manifests **out, char **reason)
{
	struct kr_manifests *manifests = NULL;
	struct kr_json_error error;
	struct kr_json *root = NULL;
	int err = kr_json_parse(text, size, &root, &error);

	*reason = NULL;
	if (!err && kr_json_type_of(kr_json_get(root, "files")) != KR_JSON_ARRAY) {
		snprintf(error.text, sizeof(error.text), "it has no \"files\"");
		err = -EINVAL;
	}
	if (!err)
		manifests = create();
	if (!err && !manifests)
		err = -ENOMEM;
	if (!err)
		err = add_listed(manifests, kr_json_get(root, "files"));
	else if (err != -ENOMEM)
		*reason = kr_asprintf(CANT_BE_READ "%s", error.text);
	kr_json_free(root);
	return finish(manifests, err, out, reason);
}

int
kr_manifests_read_listing(int memory, struct kr_manifests **out, char **reason)
{
	char *text;
	size_t size;
	int err = read_memory(memory, &text, &size);

	*reason = NULL;
	if (err == -EINVAL)
		*reason = kr_asprintf(CANT_BE_READ "it is no memory object, or too large");
	if (err)
		return err;
	err = kr_manifests_parse_listing(text, size, out, reason);
	free(text);
	return err;
}
