/* SPDX-License-Identifier: Apache-2.0 */
/* Taking: what isn't what was promised is refused, and no descriptor stays. */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "rig.h"
#include "util/text.h"

#define READ_ONLY (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID)
#define SIZES     (F_SEAL_SHRINK | F_SEAL_GROW)

static const struct rig_file whole[] = {
	{"libkrdbase.so.1", "library", "libkrdbase.so.1", "krd_base_v1.so"},
	{"driver.so", "driver", "driver.so", "krd_driver.so"},
	{"data.txt", "data", NULL, "krd_mid.so"},
	{0},
};

/* Refused with this error and a sentence that holds `says`. */
static void
refused(enum kr_delivery_kind kind, const int *fds, size_t count, int error, const char *says)
{
	struct kr_delivery *delivery = NULL;
	char *reason = NULL;
	int ret = kr_delivery_take(kind, fds, count, &delivery, &reason);

	if (ret != error)
		fail_msg("%d, not %d: %s", ret, error, reason ? reason : "taken");
	assert_null(delivery);
	assert_non_null(reason);
	if (!strstr(reason, says))
		fail_msg("\"%s\" doesn't say \"%s\"", reason, says);
	free(reason);
}

static void
test_both_kinds(void **state)
{
	struct kr_delivery *delivery = rig_deliver(KR_DELIVERY_MEMORY, whole, NULL);

	assert_string_equal(kr_delivery_index(delivery)->driver, "driver.so");
	kr_delivery_destroy(delivery);
	delivery = rig_deliver(KR_DELIVERY_MOUNT, whole, NULL);
	assert_int_equal(kr_delivery_index(delivery)->file_count, 3);
	kr_delivery_destroy(delivery);
	kr_delivery_destroy(NULL);
}

static void
test_kinds_and_counts(void **state)
{
	struct rig_package package;
	int fds[KR_INDEX_MAX_FILES + 2];

	refused(KR_DELIVERY_MEMORY, NULL, 0, -EINVAL, "no delivery");
	refused(KR_DELIVERY_MOUNT, NULL, 0, -EINVAL, "no delivery");
	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	refused(KR_DELIVERY_NONE, package.fds, package.count, -EINVAL, "no delivery");
	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	refused((enum kr_delivery_kind)7, package.fds, package.count, -EINVAL, "no delivery");
	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	close(package.fds[--package.count]);
	refused(KR_DELIVERY_MEMORY, package.fds, package.count, -EINVAL,
		"3 descriptors came for an index and 3 files");
	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	package.fds[package.count++] = rig_object("more", "x", 1, 0);
	refused(KR_DELIVERY_MEMORY, package.fds, package.count, -EINVAL, "5 descriptors came");
	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	refused(KR_DELIVERY_MOUNT, package.fds, package.count, -EINVAL, "one directory");
	for (size_t i = 0; i < KR_INDEX_MAX_FILES + 2; i++)
		fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	refused(KR_DELIVERY_MEMORY, fds, KR_INDEX_MAX_FILES + 2, -EINVAL, "of at most 253");
}

/* whatever could change under the one who runs it. */
static void
test_seals(void **state)
{
	static const int some[] = {0, SIZES, SIZES | F_SEAL_FUTURE_WRITE,
		F_SEAL_WRITE | F_SEAL_GROW, F_SEAL_WRITE | F_SEAL_SHRINK};

	for (size_t i = 0; i < KR_ARRAY_LEN(some); i++) {
		struct rig_package package;

		for (size_t at = 0; at < 4; at++) {
			rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
			close(package.fds[at]);
			package.fds[at] = rig_object("unsealed", "x", 1, some[i]);
			refused(KR_DELIVERY_MEMORY, package.fds, package.count, -EPERM,
				at ? whole[at - 1].path : "the index isn't sealed");
		}
	}
}

static void
test_no_memory_objects(void **state)
{
	struct rig_package package;

	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	close(package.fds[2]);
	package.fds[2] = open(rig_source("krd_driver.so"), O_RDONLY | O_CLOEXEC);
	refused(KR_DELIVERY_MEMORY, package.fds, package.count, -EPERM, "driver.so isn't sealed");
	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	close(package.fds[2]);
	package.fds[2] = rig_object("empty", "", 0, SIZES | F_SEAL_WRITE);
	refused(KR_DELIVERY_MEMORY, package.fds, package.count, -EINVAL, "driver.so is empty");
	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	close(package.fds[0]);
	package.fds[0] = rig_object("empty", "", 0, SIZES | F_SEAL_WRITE);
	refused(KR_DELIVERY_MEMORY, package.fds, package.count, -EINVAL, "its index has 0 bytes");
	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	close(package.fds[0]);
	package.fds[0] = rig_object("wrong", "{}", 2, SIZES | F_SEAL_WRITE);
	refused(KR_DELIVERY_MEMORY, package.fds, package.count, -EINVAL, "its index is wrong");
}

/* */
static void
test_writable_mounts(void **state)
{
	static const struct {
		uint64_t attributes;
		const char *says;
	} mounts[] = {
		{0, "the mount of the package isn't read-only and nosuid"},
		{MOUNT_ATTR_RDONLY, "isn't read-only and nosuid"},
		{MOUNT_ATTR_NOSUID, "isn't read-only and nosuid"},
		{READ_ONLY | MOUNT_ATTR_NOEXEC, "forbids to run"},
	};
	char *directory = rig_write(whole, NULL);
	int fd;

	for (size_t i = 0; i < KR_ARRAY_LEN(mounts); i++) {
		fd = rig_mount(directory, mounts[i].attributes);
		refused(KR_DELIVERY_MOUNT, &fd, 1, -EPERM, mounts[i].says);
	}
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	refused(KR_DELIVERY_MOUNT, &fd, 1, -EPERM, "isn't read-only");
	free(directory);
}

static void
replace(const char *directory, const char *name, const char *link)
{
	char *path = kr_asprintf("%s/%s", directory, name);

	assert_int_equal(unlink(path), 0);
	if (link)
		assert_int_equal(symlink(link, path), 0);
	free(path);
}

/*
 * A link in a mount leads through the process's own root: to something else than was checked and
 * sent.
 */
static void
test_links_out_of_a_mount(void **state)
{
	char *directory = rig_write(whole, NULL);
	char *other = rig_write(whole, NULL), *target;
	int fd;

	target = kr_asprintf("%s/driver.so", other);
	replace(directory, "driver.so", target);
	fd = rig_mount(directory, READ_ONLY);
	refused(KR_DELIVERY_MOUNT, &fd, 1, -EPERM, "the mount of driver.so isn't read-only");
	free(target);
	free(other);
	free(directory);
}

static void
test_files_of_a_mount(void **state)
{
	char *directory = rig_write(whole, NULL);
	char *path = kr_asprintf("%s/data.txt", directory);
	int fd;

	replace(directory, "data.txt", NULL);
	fd = rig_mount(directory, READ_ONLY);
	refused(KR_DELIVERY_MOUNT, &fd, 1, -EINVAL, "data.txt can't be opened: No such file");
	assert_int_equal(mkdir(path, 0755), 0);
	fd = rig_mount(directory, READ_ONLY);
	refused(KR_DELIVERY_MOUNT, &fd, 1, -EINVAL, "data.txt is no regular file");
	replace(directory, KR_INDEX_FILE, NULL);
	fd = rig_mount(directory, READ_ONLY);
	refused(KR_DELIVERY_MOUNT, &fd, 1, -EINVAL, "index " KR_INDEX_FILE " can't be opened");
	free(path);
	free(directory);
}

/* Standard descriptors that a program closed are replaced by it sooner or later. */
static void
test_standard_descriptors(void **state)
{
	struct kr_delivery *delivery;
	struct rig_package package;
	char *reason;
	int kept;

	rig_pack(&package, KR_DELIVERY_MEMORY, whole, NULL);
	kept = fcntl(0, F_DUPFD_CLOEXEC, 100);
	assert_int_equal(dup2(package.fds[0], 0), 0);
	close(package.fds[0]);
	package.fds[0] = 0;
	assert_int_equal(
		kr_delivery_take(package.kind, package.fds, package.count, &delivery, &reason), 0);
	assert_int_equal(fcntl(0, F_GETFD), -1);
	kr_delivery_destroy(delivery);
	assert_int_equal(dup2(kept, 0), 0);
	close(kept);
}

static const struct kr_test tests[] = {
	KR_TEST(test_both_kinds),
	KR_TEST(test_kinds_and_counts),
	KR_TEST(test_seals),
	KR_TEST(test_no_memory_objects),
	KR_TEST(test_writable_mounts),
	KR_TEST(test_links_out_of_a_mount),
	KR_TEST(test_files_of_a_mount),
	KR_TEST(test_standard_descriptors),
};

KR_TEST_MAIN(tests)
