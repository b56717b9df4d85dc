/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the process would find libraries: glibc's cache and directories, without loading anything.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "delivery/ld_cache.h"
#include "delivery/process.h"
#include "harness.h"
#include "rig.h"
#include "util/text.h"

struct entry {
	int32_t flags;
	uint32_t name, path, os_version;
	uint64_t hwcap;
};

/* A cache with these names and paths; hwcap of the first is 1. */
static size_t
make_cache(char *bytes, const char *const (*pairs)[2], size_t count)
{
	struct {
		char magic[20];
		uint32_t count, strings_size, unused[5];
	} header = {.count = (uint32_t)count};
	size_t end = sizeof(header) + count * sizeof(struct entry);

	memcpy(header.magic, "glibc-ld.so.cache1.1", 20);
	memcpy(bytes, &header, sizeof(header));
	for (size_t i = 0; i < count; i++) {
		struct entry entry = {.hwcap = i == 0};

		entry.name = (uint32_t)end;
		end += strlen(strcpy(bytes + end, pairs[i][0])) + 1;
		entry.path = (uint32_t)end;
		end += strlen(strcpy(bytes + end, pairs[i][1])) + 1;
		memcpy(bytes + sizeof(header) + i * sizeof(entry), &entry, sizeof(entry));
	}
	return end;
}

static const char *const pairs[][2] = {
	{"liba.so.1", "/opt/fast/liba.so.1"},
	{"liba.so.1", "/opt/other-machine/liba.so.1"},
	{"libb.so.1", "/opt/libb.so.1"},
	{"liba.so.1", "/opt/liba.so.1"},
};

static int
add(void *data, const char *path)
{
	strcat(data, path);
	strcat(data, " ");
	return 0;
}

static void
test_cache(void **state)
{
	char bytes[1024] = "an older table", found[256] = "";
	size_t size = 14 + make_cache(bytes + 14, pairs, 4);

	kr_ld_cache_for_each(bytes, size, "liba.so.1", add, found);
	assert_string_equal(found, "/opt/other-machine/liba.so.1 /opt/liba.so.1 ");
	found[0] = '\0';
	kr_ld_cache_for_each(bytes, size, "libc.so.1", add, found);
	assert_string_equal(found, "");
	/* The last string isn't terminated; then the entries aren't all there. */
	kr_ld_cache_for_each(bytes, size - 1, "liba.so.1", add, found);
	assert_string_equal(found, "/opt/other-machine/liba.so.1 ");
	found[0] = '\0';
	kr_ld_cache_for_each(bytes, 14 + 48 + 4 * 24 - 1, "liba.so.1", add, found);
	kr_ld_cache_for_each(bytes, 14 + 40, "liba.so.1", add, found);
	kr_ld_cache_for_each(bytes, 0, "liba.so.1", add, found);
	assert_string_equal(found, "");
}

/* Another file in the place of /etc/ld.so.cache, for this process. */
static void
replace_cache(const char *path)
{
	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		kr_test_skip("no-mounts", strerror(errno));
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount(path, KR_LD_CACHE, NULL, MS_BIND, NULL))
		kr_test_skip("no-mounts", strerror(errno));
}

static void
test_library_of_the_cache(void **state)
{
	char bytes[4096], *path = strdup(rig_source("krd_base_v1.so"));
	/*
	 * Before the system's directories, and no path that means one thing here and another there.
	 */
	const char *const own[][2] = {{"x", "x"}, {"libresolv.so.2", "krd_mid.so"},
		{"libresolv.so.2", "/nowhere/libresolv.so.2"}, {"libresolv.so.2", path}};
	const char *cache = kr_test_file("cache", "");
	struct kr_process_library library;
	size_t size;
	FILE *file;

	assert_int_equal(chdir(rig_source("")), 0);
	size = make_cache(bytes, own, 4);
	file = fopen(cache, "we");
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	replace_cache(cache);
	assert_int_equal(rig_find("libresolv.so.2", &library), 0);
	assert_string_equal(library.path, path);
	assert_true(library.readable);
	assert_null(library.handle);
	kr_process_library_close(&library);
	assert_int_equal(rig_mapped("krd_base"), 0);
	free(path);
}

/* The dynamic linker's own directories, without a cache. */
static void
test_library_of_the_system(void **state)
{
	struct kr_process_library library;

	replace_cache(kr_test_file("cache", ""));
	assert_int_equal(rig_find("libresolv.so.2", &library), 0);
	assert_true(library.path[0] == '/');
	assert_string_equal(kr_image_soname(&library.image), "libresolv.so.2");
	assert_false(kr_process_library_loaded("libresolv.so.2", &(struct kr_process_library){0}));
	kr_process_library_close(&library);
	assert_int_equal(rig_find("libnowhere.so.1", &library), -ENOENT);
}

/* Who isn't found by searching is asked for: the dynamic linker has the last word. */
static void
test_asking_the_dynamic_linker(void **state)
{
	struct kr_process_library library;

	assert_false(kr_process_library_try("libnowhere.so.1", &library));
	assert_true(kr_process_library_try("libresolv.so.2", &library));
	assert_true(library.readable);
	assert_true(rig_mapped("libresolv.so.2") > 0);
	kr_process_library_close(&library);
	assert_int_equal(rig_mapped("libresolv.so.2"), 0);
}

static const struct kr_test tests[] = {
	KR_TEST(test_cache),
	KR_TEST_FLAGS(test_library_of_the_cache, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_library_of_the_system, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_asking_the_dynamic_linker, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
