/* SPDX-License-Identifier: Apache-2.0 */
/* Copies in memory: when they are asked for, and each reason for which there is no mount. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"
#include "service/store/internal.h"
#include "tests/harness/harness.h"
#include "util/macros.h"

#define LARGE ((size_t)2 << 20) /* x86-64's; elsewhere the case skips */

/* F-04: the strict way, chosen: no namespaces are made at all. */
static void
memory_is_chosen(void **state)
{
	struct kr_store *store = make_store(KR_DELIVER_MEMORY);
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_given given = give(generation, false);

	assert_memory_of_package(&given, generation);
	assert_reason(kr_store_inspect(store), "configuration");
	assert_reason(kr_generation_inspect(generation), "configuration");
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/* F-04: the strict way, of a store that gives mounts. */
static void
memory_is_asked_for(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_given given = give(generation, true);

	assert_memory_of_package(&given, generation);
	kr_given_finish(&given);
	given = give(generation, false);
	assert_int_equal(given.kind, KR_DELIVERY_MOUNT);
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/* All clients have the same pages. */
static void
copies_are_made_once(void **state)
{
	struct kr_store *store = make_store(KR_DELIVER_MEMORY);
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct kr_given first = give(generation, false), second = give(generation, false);
	struct stat a, b;

	for (size_t i = 0; i < first.count; i++) {
		assert_int_equal(fstat(first.fds[i], &a), 0);
		assert_int_equal(fstat(second.fds[i], &b), 0);
		assert_int_equal(a.st_ino, b.st_ino);
	}
	kr_given_finish(&first);
	kr_given_finish(&second);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

static void
make_large(const char *name, size_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/package/%s", kr_test_dir(), name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "last", 4, (off_t)size - 4), 4);
	close(fd);
}

/* What of a memory object lies in large pages, as a process that maps it sees it. */
static size_t
large_bytes(int fd, size_t size)
{
	char *room = mmap(NULL, size + LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = room + (LARGE - (uintptr_t)room % LARGE) % LARGE, line[256];
	FILE *file = fopen("/proc/self/smaps", "re");
	size_t kb = 0, all = 0;

	assert_true(room != MAP_FAILED);
	assert_non_null(file);
	assert_true(mmap(at, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == at);
	for (size_t i = 0; i < size; i += 4096)
		(void)*(volatile char *)(at + i);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "ShmemPmdMapped: %zu", &kb) == 1)
			all += kb * 1024;
	}
	fclose(file);
	munmap(room, size + LARGE);
	return all;
}

static void
skip_without_large_pages(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	char *bytes = calloc(1, LARGE);

	assert_int_equal(write(fd, bytes, LARGE), LARGE);
	free(bytes);
	kr_memory_enlarge_pages(fd, LARGE);
	if (large_bytes(fd, LARGE) != LARGE)
		kr_test_skip("no-large-pages", NULL);
	close(fd);
}

/* As many as fit: the last part, and small files, take no more memory than they did. */
static void
copies_are_in_large_pages(void **state)
{
	const size_t size = 2 * LARGE + 5000;
	struct kr_store *store = make_store(KR_DELIVER_MEMORY);
	struct kr_generation *generation;
	struct kr_package *package;
	struct kr_given given;
	struct stat status;

	skip_without_large_pages();
	package = make_package("package");
	make_large("libgood.so", size);
	close(package->files[0].fd);
	free(package->files[0].path);
	pin_file(package, 0, package->path, "libgood.so", KR_INDEX_DRIVER);
	generation = make_generation(store, package);
	given = give(generation, false);
	assert_int_equal(large_bytes(given.fds[1], size), 2 * LARGE);
	assert_int_equal(large_bytes(given.fds[2], 4), 0);
	assert_int_equal(fstat(given.fds[1], &status), 0);
	assert_int_equal(status.st_size, size);
	assert_int_equal(status.st_blocks, (size / 4096 + 1) * 8);
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/* Who mustn't wait is told when the copies are there; a mount is never waited for. */
static void
copies_can_be_waited_for(void **state)
{
	struct kr_store *store = make_mounting_store();
	struct kr_generation *generation = make_generation(store, make_package("package"));
	struct pollfd poller = {.events = POLLIN};
	struct kr_given given;

	assert_int_equal(kr_generation_prepare(generation, false, &poller.fd), 0);
	assert_int_equal(poller.fd, -1);
	assert_int_equal(kr_generation_prepare(generation, true, &poller.fd), 0);
	assert_true(poller.fd >= 0);
	assert_int_equal(poll(&poller, 1, 10000), 1);
	given = give(generation, true);
	assert_memory_of_package(&given, generation);
	assert_int_equal(kr_generation_prepare(generation, true, &poller.fd), 0);
	assert_int_equal(poller.fd, -1);
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/*
 * Whether a process, known by its pidfd, still has files open: a process that ends loses them all
 * at once.
 */
static bool
has_files(int pidfd)
{
	char path[64], line[128];
	int pid = -1, count = 0;
	FILE *file;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	file = fopen(path, "re");
	assert_non_null(file);
	while (pid < 0 && fgets(line, sizeof(line), file))
		(void)!sscanf(line, "Pid: %d", &pid);
	fclose(file);
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count > 2;
}

/*
 * Whether a connection that is closed here while a package is being copied has ended for the other
 * end by then.
 */
static bool
ends_before_copy(struct kr_store *store, struct kr_package *take_package)
{
	struct kr_generation *generation;
	struct pollfd poller = {.events = POLLIN};
	int pair[2], copier;
	bool before;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	generation = make_generation(store, take_package);
	assert_int_equal(kr_generation_prepare(generation, false, &copier), 0);
	assert_true(copier >= 0);
	close(pair[1]);
	poller.fd = pair[0];
	assert_int_equal(poll(&poller, 1, 10000), 1);
	assert_true(poller.revents & POLLHUP);
	before = has_files(copier);
	close(pair[0]);
	kr_generation_unref(generation);
	return before;
}

/*
 * The child that copies has no descriptor but those that it copies: a closed connection ends at
 * once.
 */
static void
copier_holds_nothing_else(void **state)
{
	struct kr_store *store = make_store(KR_DELIVER_MEMORY);
	bool before = false;
	char path[256];

	/* So large that the copy takes its time. */
	kr_package_destroy(make_package("package"));
	snprintf(path, sizeof(path), "%s/package", kr_test_dir());
	for (int i = 0; i < 10 && !before; i++) {
		struct kr_package *package = make_package("package");

		free(package->files[0].path);
		close(package->files[0].fd);
		make_large("libgood.so", 256 << 20);
		pin_file(package, 0, path, "libgood.so", KR_INDEX_DRIVER);
		before = ends_before_copy(store, package);
	}
	assert_true(before);
	kr_store_destroy(store);
}

static void
must_not_be_copied(struct kr_package *take_package)
{
	struct kr_store *store = make_store(KR_DELIVER_MEMORY);
	struct kr_generation *generation = make_generation(store, take_package);
	struct kr_given given = {0};

	for (int i = 0; i < 2; i++)
		assert_int_equal(kr_generation_give(generation, false, &given), -ESTALE);
	assert_int_equal(given.count, 0);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/* F-02: a file that has become shorter since the package was read. */
static void
shorter_file_is_not_copied(void **state)
{
	struct kr_package *package = make_package("package");
	char path[256];

	snprintf(path, sizeof(path), "%s/package/libgood.so", kr_test_dir());
	assert_int_equal(truncate(path, 2), 0);
	must_not_be_copied(package);
}

/* F-02: one that is as long as it was. */
static void
changed_file_is_not_copied(void **state)
{
	struct kr_package *package = make_package("package");
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/package/libgood.so", kr_test_dir());
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "food", 4, 0), 4);
	assert_int_equal(futimens(fd, (struct timespec[2]){{1, 0}, {1, 0}}), 0);
	close(fd);
	must_not_be_copied(package);
}

/* Files of more than one step of the copy, and empty ones. */
static void
large_and_empty_files_are_copied(void **state)
{
	static const struct rig_file files[] = {
		{"large.so", "", KR_INDEX_DRIVER},
		{"empty.bin", "", KR_INDEX_DATA},
	};
	const size_t size = 20 << 20;
	struct kr_store *store = make_store(KR_DELIVER_MEMORY);
	struct kr_package *package;
	struct kr_generation *generation;
	struct kr_given given;
	char path[256], end[4];
	struct stat st;

	snprintf(path, sizeof(path), "%s/package", kr_test_dir());
	package = make_package_of(path, files, KR_ARRAY_LEN(files));
	make_large("large.so", size);
	free(package->files[0].path);
	close(package->files[0].fd);
	snprintf(path, sizeof(path), "%s/package", kr_test_dir());
	pin_file(package, 0, path, "large.so", KR_INDEX_DRIVER);
	generation = make_generation(store, package);
	given = give(generation, false);
	assert_int_equal(fstat(given.fds[1], &st), 0);
	assert_int_equal(st.st_size, size);
	assert_int_equal(pread(given.fds[1], end, 4, (off_t)size - 4), 4);
	assert_memory_equal(end, "last", 4);
	assert_int_equal(fstat(given.fds[2], &st), 0);
	assert_int_equal(st.st_size, 0);
	kr_given_finish(&given);
	kr_generation_unref(generation);
	kr_store_destroy(store);
}

/* One message carries so many. */
static void
too_many_files_are_refused(void **state)
{
	struct kr_store *store = make_store(KR_DELIVER_MEMORY);
	struct kr_package *package = make_package("package");
	const size_t count = package->file_count;
	struct kr_generation *generation = NULL;
	char *reason = NULL;

	package->file_count = KR_INDEX_MAX_FILES + 1;
	package->files = realloc(package->files, package->file_count * sizeof(*package->files));
	for (size_t i = count; i < package->file_count; i++)
		package->files[i] = (struct kr_package_file){.path = strdup("more"), .fd = -1};
	assert_int_equal(kr_generation_create(store, package, "0-x", &generation, &reason), -EFBIG);
	assert_null(generation);
	assert_non_null(strstr(reason, "252"));
	free(reason);
	kr_package_destroy(package);
	kr_store_destroy(store);
}

static const struct kr_test tests[] = {
	KR_TEST(memory_is_chosen),
	KR_TEST(memory_is_asked_for),
	KR_TEST(copies_are_made_once),
	KR_TEST(copies_are_in_large_pages),
	KR_TEST(copies_can_be_waited_for),
	KR_TEST(copier_holds_nothing_else),
	KR_TEST(shorter_file_is_not_copied),
	KR_TEST(changed_file_is_not_copied),
	KR_TEST(large_and_empty_files_are_copied),
	KR_TEST(too_many_files_are_refused),
};

KR_TEST_MAIN(tests)
