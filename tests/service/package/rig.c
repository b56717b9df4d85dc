/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness.h"
#include "util/macros.h"

static void
put(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static const char *chosen;

void
rig_choose_layout(const char *name)
{
	chosen = name;
}

const struct rig_layout *
rig_layout(void)
{
	static const struct rig_layout layouts[] = {
		{"component", "metadata/metadata.json", "/contents"},
		{"fuchsia", "meta/metadata/metadata.json", ""},
		{"flat", "metadata.json", "/contents"},
	};
	const char *name = chosen ? chosen : getenv("KRAFLA_TEST_LAYOUT");

	for (size_t i = 0; name && i < KR_ARRAY_LEN(layouts); i++) {
		if (!strcmp(layouts[i].name, name))
			return &layouts[i];
	}
	return &layouts[0];
}

static char *
format_path(const char *directory, const char *between, const char *name)
{
	static char paths[4][1024];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/p%s%s%s", kr_test_dir(), directory, between, name);
	return path;
}

const char *
rig_path(const char *name)
{
	return name ? format_path(rig_layout()->contents, "/", name) : format_path("", "", "");
}

bool
rig_is_all_contents(void)
{
	return !*rig_layout()->contents;
}

const char *
rig_metadata_path(void)
{
	return format_path("", "/", rig_layout()->metadata);
}

const char *
rig_part(const char *part)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", PART_DIR, part);
	return path;
}

/* Those of the package that aren't there yet. */
static void
make_parents(const char *path)
{
	char parent[1024];

	for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		snprintf(parent, sizeof(parent), "%.*s", (int)(at - path), path);
		mkdir(parent, 0755);
	}
}

const char *
rig_package(const char *metadata, const char *manifest)
{
	assert_int_equal(mkdir(rig_path(NULL), 0755), 0);
	assert_true(!mkdir(rig_path(""), 0755) || errno == EEXIST);
	rig_metadata(metadata);
	if (manifest)
		rig_write("t.json", manifest);
	return rig_path(NULL);
}

void
rig_metadata(const char *metadata)
{
	rig_metadata_bytes(metadata, strlen(metadata));
}

void
rig_metadata_bytes(const void *data, size_t size)
{
	make_parents(rig_metadata_path());
	put(rig_metadata_path(), data, size);
}

void
rig_write(const char *name, const char *text)
{
	make_parents(rig_path(name));
	put(rig_path(name), text, strlen(text));
}

void
rig_write_bytes(const char *name, const void *data, size_t size)
{
	put(rig_path(name), data, size);
}

void
rig_add(const char *name, const char *part)
{
	static char data[1 << 20];
	FILE *file = fopen(rig_part(part), "rb");
	size_t size;

	if (!file)
		fail_msg("%s isn't built", rig_part(part));
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	assert_true(size && size < sizeof(data));
	rig_write(name, "");
	put(rig_path(name), data, size);
}

void
rig_same_times(const char *path, const char *like)
{
	struct stat status;

	assert_int_equal(stat(like, &status), 0);
	assert_int_equal(
		utimensat(AT_FDCWD, path, (struct timespec[]){status.st_atim, status.st_mtim}, 0),
		0);
}

struct kr_package *
rig_open(void)
{
	struct kr_package *package;
	char *reason;

	if (kr_package_open(rig_path(NULL), &package, &reason))
		fail_msg("refused: %s", reason);
	assert_null(reason);
	return package;
}

static void
failed(int ret, int code, char *reason, const char *words)
{
	if (!ret)
		fail_msg("it isn't refused, though it should be for: %s", words);
	assert_non_null(reason);
	if (!strstr(reason, words) || ret != code)
		fail_msg("refused with %d: %s\nand not with %d for: %s", ret, reason, code, words);
	free(reason);
}

void
rig_open_fails(int code, const char *words)
{
	struct kr_package *package;
	char *reason;
	int ret = kr_package_open(rig_path(NULL), &package, &reason);

	failed(ret, code, reason, words);
}

struct kr_package *
rig_check(json_t *warnings)
{
	struct kr_package *package = rig_open();
	char *reason;

	if (kr_package_check(package, warnings, &reason))
		fail_msg("refused: %s", reason);
	assert_null(reason);
	assert_true(package->checked);
	return package;
}

void
rig_check_fails(const char *words)
{
	struct kr_package *package = rig_open();
	char *reason;
	int ret = kr_package_check(package, NULL, &reason);

	assert_false(package->checked);
	kr_package_destroy(package);
	failed(ret, -EINVAL, reason, words);
}

void
rig_driver_fails(const char *part, const char *words)
{
	rig_package(RIG_METADATA, RIG_MANIFEST);
	rig_add("libvulkan_t.so", part);
	rig_check_fails(words);
}

bool
rig_warned(const json_t *warnings, const char *words)
{
	const json_t *warning;
	size_t i;

	json_array_foreach(warnings, i, warning)
	{
		if (strstr(json_string_value(warning), words))
			return true;
	}
	return false;
}
