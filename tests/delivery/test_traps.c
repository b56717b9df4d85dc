/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps of loading by descriptor: numbers that are used again, copies of one SONAME, what can't be
 * unloaded, names that people read.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "harness.h"
#include "util/text.h"

#define KEEPS (KR_TEST_KEEPS_FDS | KR_TEST_KEEPS_MEMORY)

static const struct rig_file broken[] = {
	RIG_BASE("krd_base_v1.so"), RIG_MID("krd_mid.so"), RIG_DRIVER("krd_driver_broken.so"), {0}};
static const struct rig_file sticky[] = {
	{"libkrdsticky.so.1", "library", "libkrdsticky.so.1", "krd_sticky.so"},
	RIG_BASE("krd_base_v1.so"), RIG_MID("krd_mid.so"), RIG_DRIVER("krd_driver_broken.so"), {0}};

/* Fails in the dynamic linker, with its words. */
static void
fail_to_load(enum kr_delivery_kind kind, const struct rig_file *files)
{
	struct kr_delivery *delivery = rig_deliver(kind, files, NULL);
	void *dso = NULL;
	char *reason;

	assert_int_equal(kr_delivery_load(delivery, &dso, &reason), -ELIBACC);
	if (!strstr(reason, "the driver driver.so can't be loaded: driver.so: ") ||
		!strstr(reason, "krd_nowhere"))
		fail_msg("%s", reason);
	assert_null(dso);
	assert_null(dlerror());
	free(reason);
	kr_delivery_destroy(delivery);
}

/* Nothing half loaded stays. */
static void
test_failure_leaves_nothing(void **state)
{
	for (size_t i = 0; i < rig_kind_count(); i++) {
		fail_to_load(rig_kinds[i], broken);
		assert_int_equal(rig_mapped("krd"), 0);
		assert_int_equal(rig_mapped("driver.so"), 0);
		assert_int_equal(rig_mapped("memfd:"), 0);
		assert_int_equal(rig_mapped("/package"), 0);
	}
}

/*
 * The dynamic linker takes a name that it has for the library that it has, whatever is there now.
 */
static void
used_again(enum kr_delivery_kind kind)
{
	struct kr_delivery *delivery = rig_deliver(kind, rig_first, NULL);
	int before = kr_test_count_fds();
	void *dso, *other;

	dso = rig_load(delivery);
	kr_delivery_destroy(delivery);
	assert_int_equal(kr_test_count_fds(), before);
	/* The program closes all that it doesn't know. */
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	delivery = rig_deliver(kind, rig_second, NULL);
	other = rig_load(delivery);
	kr_delivery_destroy(delivery);
	assert_int_equal(rig_call(dso, "krd_driver"), 1);
	assert_int_equal(rig_call(other, "krd_driver"), 2);
}

static void
test_numbers_of_memory_used_again(void **state)
{
	used_again(KR_DELIVERY_MEMORY);
}

static void
test_numbers_of_mounts_used_again(void **state)
{
	used_again(KR_DELIVERY_MOUNT);
}

/* A delivery that came to nothing gives its numbers back: the next one gets them. */
static void
test_numbers_after_failure(void **state)
{
	for (size_t i = 0; i < rig_kind_count(); i++) {
		struct kr_delivery *delivery;
		char *reason;

		fail_to_load(rig_kinds[i], broken);
		delivery = rig_deliver(rig_kinds[i], rig_first, NULL);
		assert_int_equal(kr_delivery_check(delivery, &reason), 0);
		kr_delivery_destroy(delivery);
		delivery = rig_deliver(rig_kinds[i], i ? rig_first : rig_second, NULL);
		assert_int_equal(rig_call(rig_load(delivery), "krd_driver"), i ? 1 : 2);
		kr_delivery_destroy(delivery);
	}
}

/*
 * What refuses to be unloaded keeps its descriptor, or its name would come to mean another library.
 */
static void
test_what_stays(void **state)
{
	int before = kr_test_count_fds();
	struct kr_delivery *delivery = rig_deliver(KR_DELIVERY_MEMORY, sticky, NULL);
	char *reason;
	void *dso;

	assert_int_equal(kr_delivery_load(delivery, &dso, &reason), -ELIBACC);
	free(reason);
	assert_int_equal(kr_delivery_load(delivery, &dso, &reason), -EBUSY);
	free(reason);
	kr_delivery_destroy(delivery);
	assert_true(kr_test_count_fds() > before);
	/* The next one uses what is there, and has nothing to keep. */
	before = kr_test_count_fds();
	fail_to_load(KR_DELIVERY_MEMORY, sticky);
	assert_true(rig_mapped("memfd:libkrdsticky.so.1") > 0);
	assert_int_equal(rig_mapped("memfd:libkrdmid.so.1"), 0);
	assert_int_equal(kr_test_count_fds(), before);
	delivery = rig_deliver(KR_DELIVERY_MEMORY, rig_second, NULL);
	assert_int_equal(rig_call(rig_load(delivery), "krd_driver"), 2);
	kr_delivery_destroy(delivery);
}

/*
 * The same files again are the same libraries; another driver is another, with the libraries that
 * are there.
 */
static void
test_two_deliveries(void **state)
{
	struct rig_package package;
	int again[KR_INDEX_MAX_FILES];
	struct kr_delivery *delivery;
	void *dso[3];
	char *reason;
	int fds;

	rig_pack(&package, KR_DELIVERY_MEMORY, rig_first, NULL);
	for (size_t i = 0; i < package.count; i++)
		again[i] = dup(package.fds[i]);
	fds = kr_test_count_fds() - (int)package.count;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kr_delivery_take(KR_DELIVERY_MEMORY, i ? again : package.fds,
					 package.count, &delivery, &reason),
			0);
		dso[i] = rig_load(delivery);
		kr_delivery_destroy(delivery);
	}
	assert_ptr_equal(dso[0], dso[1]);
	/*
	 * What is loaded has the first names: the descriptors of the second delivery were closed.
	 */
	assert_int_equal(kr_test_count_fds(), fds);
	delivery = rig_deliver(KR_DELIVERY_MOUNT, rig_second, NULL);
	dso[2] = rig_load(delivery);
	kr_delivery_destroy(delivery);
	assert_int_equal(rig_call(dso[0], "krd_driver"), 1);
	assert_int_equal(rig_call(dso[2], "krd_driver"), 2);
	/* The package brought base 2: the first one stays, it has all that is wanted. */
	assert_int_equal(rig_call(dso[2], "krd_driver_base"), 1);
	assert_true(rig_mapped("memfd:libkrdbase") > 0);
	assert_int_equal(rig_mapped("/libkrdbase.so.1"), 0);
}

/* A copy of the process's own is used when it does. */
static void
test_copy_of_the_process(void **state)
{
	void *own = dlopen(rig_source("krd_base_v2_too.so"), RTLD_NOW | RTLD_LOCAL);
	struct kr_delivery *delivery = rig_deliver(KR_DELIVERY_MOUNT, rig_first, NULL);

	assert_non_null(own);
	assert_int_equal(rig_call(rig_load(delivery), "krd_driver_base"), 3);
	assert_int_equal(rig_mapped("/libkrdbase.so.1"), 0);
	kr_delivery_destroy(delivery);
}

/* Tools show where code is from. */
static void
test_readable_names(void **state)
{
	struct kr_delivery *delivery = rig_deliver(KR_DELIVERY_MOUNT, rig_first, NULL);
	void *dso = rig_load(delivery);
	char *start = kr_asprintf("/proc/%d/fd/", getpid());
	Dl_info info;

	assert_int_not_equal(dladdr(dlsym(dso, "krd_driver"), &info), 0);
	assert_int_equal(strncmp(info.dli_fname, start, strlen(start)), 0);
	assert_string_equal(strrchr(info.dli_fname, '/'), "/driver.so");
	assert_int_equal(access(info.dli_fname, R_OK), 0);
	free(start);
	kr_delivery_destroy(delivery);
}

/*
 * The dynamic linker keeps a name for a library that is loaded under another one: it was asked for
 * the same file by both. What has that name now is another file, and must be loaded all the same.
 */
static void
test_second_name_of_a_library(void **state)
{
	struct kr_delivery *delivery;
	struct rig_package package;
	char name[64], *reason;
	int base, other, first;
	void *dso;

	rig_pack(&package, KR_DELIVERY_MEMORY, rig_second, NULL);
	base = package.fds[1];
	other = open(rig_source("krd_sticky.so"), O_RDONLY | O_CLOEXEC);
	snprintf(name, sizeof(name), "/proc/%d/fd/%d", getpid(), other);
	assert_non_null(dlopen(name, RTLD_NOW | RTLD_LOCAL));
	first = dup(base);
	assert_int_equal(dup2(other, base), base);
	snprintf(name, sizeof(name), "/proc/%d/fd/%d", getpid(), base);
	assert_non_null(dlopen(name, RTLD_NOW | RTLD_LOCAL));
	assert_int_equal(dup2(first, base), base);
	close(first);
	if (kr_delivery_take(KR_DELIVERY_MEMORY, package.fds, package.count, &delivery, &reason))
		fail_msg("%s", reason);
	dso = rig_load(delivery);
	assert_int_equal(rig_call(dso, "krd_driver_base"), 2);
	kr_delivery_destroy(delivery);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(test_failure_leaves_nothing, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(test_numbers_of_memory_used_again, KEEPS),
	KR_TEST_FLAGS(test_numbers_of_mounts_used_again, KEEPS),
	KR_TEST_FLAGS(test_numbers_after_failure, KEEPS),
	KR_TEST_FLAGS(test_what_stays, KEEPS),
	KR_TEST_FLAGS(test_two_deliveries, KEEPS),
	KR_TEST_FLAGS(test_copy_of_the_process, KEEPS),
	KR_TEST_FLAGS(test_readable_names, KEEPS),
	KR_TEST_FLAGS(test_second_name_of_a_library, KEEPS),
};

KR_TEST_MAIN(tests)
