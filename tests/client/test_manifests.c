/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a manifest file system, as a directory and as a listing. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/manifests.h"
#include "harness.h"

static struct kr_manifests *manifests;
static char *reason;

static int
read_directory(void)
{
	int fd = open(kr_test_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = kr_manifests_read_directory(fd, &manifests, &reason);

	close(fd);
	return err;
}

static int
read_listing(const char *text, size_t size)
{
	int fd = memfd_create("listing", MFD_CLOEXEC), err;

	assert_int_equal(write(fd, text, size), size);
	err = kr_manifests_read_listing(fd, &manifests, &reason);
	close(fd);
	return err;
}

static void
assert_names(const char *const *names)
{
	for (size_t i = 0; i < manifests->count; i++)
		assert_string_equal(manifests->files[i].name, names[i]);
	assert_null(names[manifests->count]);
}

static void
finish(void)
{
	kr_manifests_unref(manifests);
	manifests = NULL;
	free(reason);
	reason = NULL;
}

/* F-03: by number; what is hidden, has another ending, is a directory or a FIFO is no manifest. */
static void
directory_is_read_in_order(void **state)
{
	static const char *const names[] = {"2-b.so.json", "9-a.so.json", "10-c.so.json", NULL};
	char path[PATH_MAX];

	kr_test_file("10-c.so.json", "c");
	kr_test_file("2-b.so.json", "");
	kr_test_file("9-a.so.json", "aa");
	kr_test_file(".3-x.so.json", "x");
	kr_test_file("readme", "x");
	snprintf(path, sizeof(path), "%s/4-dir.json", kr_test_dir());
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/5-fifo.json", kr_test_dir());
	assert_int_equal(mkfifo(path, 0644), 0);
	snprintf(path, sizeof(path), "%s/6-link.json", kr_test_dir());
	assert_int_equal(symlink("/etc/hostname", path), 0);
	assert_int_equal(read_directory(), 0);
	assert_names(names);
	assert_int_equal(manifests->files[1].size, 2);
	assert_memory_equal(manifests->files[1].text, "aa", 2);
	assert_true(kr_manifests_have(manifests, "10-c.so.json"));
	assert_false(kr_manifests_have(manifests, "readme"));
	finish();
}

static void
directory_has_limits(void **state)
{
	char *large = malloc(KR_MANIFESTS_MAX_SIZE + 2), name[32], path[PATH_MAX];

	memset(large, 'x', KR_MANIFESTS_MAX_SIZE + 1);
	large[KR_MANIFESTS_MAX_SIZE + 1] = '\0';
	kr_test_file("0-large.json", large);
	kr_test_file("1-largest.json", large + 1);
	free(large);
	assert_int_equal(read_directory(), 0);
	assert_int_equal(manifests->count, 1);
	assert_string_equal(manifests->files[0].name, "1-largest.json");
	finish();
	for (int i = 0; i <= KR_MANIFESTS_MAX; i++) {
		snprintf(name, sizeof(name), "%d.json", i);
		snprintf(path, sizeof(path), "%s/%s", kr_test_dir(), name);
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	}
	assert_int_equal(read_directory(), -E2BIG);
	assert_non_null(strstr(reason, "more than 256"));
	finish();
}

static void
what_is_no_directory(void **state)
{
	int fd = open(kr_test_file("file", ""), O_RDONLY | O_CLOEXEC);

	assert_int_equal(kr_manifests_read_directory(fd, &manifests, &reason), -ENOTDIR);
	assert_non_null(strstr(reason, "can't be read"));
	close(fd);
	finish();
	assert_int_equal(kr_manifests_read_directory(987, &manifests, &reason), -ENOENT);
	assert_non_null(strstr(reason, "can't be read"));
	finish();
}

/* F-03 */
static void
listing_is_read_in_order(void **state)
{
	static const char text[] =
		"{\"files\":[{\"name\":\"11-b.json\",\"text\":\"bb\"},{\"name\":\"1-a.json\","
		"\"text\":\"\"},{\"name\":\".2-c.json\",\"text\":\"\"},{\"name\":\"../3.json\","
		"\"text\":\"\"},{\"name\":7,\"text\":\"\"},{\"name\":\"4.json\"},5],\"more\":1}";
	static const char *const names[] = {"1-a.json", "11-b.json", NULL};

	assert_int_equal(read_listing(text, strlen(text)), 0);
	assert_names(names);
	assert_memory_equal(manifests->files[1].text, "bb", 2);
	finish();
	assert_int_equal(read_listing("{\"files\":[]}", 12), 0);
	assert_int_equal(manifests->count, 0);
	finish();
}

/* */
static void
listings_that_are_wrong(void **state)
{
	static const char *const texts[] = {"", "{", "{}", "{\"files\":{}}", "[]", "\xff"};
	char *large = malloc(2 << 20);
	int pipes[2];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(read_listing(texts[i], strlen(texts[i])), -EINVAL);
		assert_non_null(reason);
		assert_null(manifests);
		finish();
	}
	memset(large, ' ', 2 << 20);
	assert_int_equal(read_listing(large, 2 << 20), -EINVAL);
	assert_non_null(strstr(reason, "too large"));
	finish();
	free(large);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(kr_manifests_read_listing(pipes[0], &manifests, &reason), -EINVAL);
	close(pipes[0]);
	close(pipes[1]);
	finish();
}

static const struct kr_test tests[] = {
	KR_TEST(directory_is_read_in_order),
	KR_TEST(directory_has_limits),
	KR_TEST(what_is_no_directory),
	KR_TEST(listing_is_read_in_order),
	KR_TEST(listings_that_are_wrong),
};
KR_TEST_MAIN(tests)
