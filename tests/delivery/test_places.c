/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where drivers are loaded: many threads, threads that share nothing, children, processes under
 * guard, no /proc.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "harness.h"
#include "util/text.h"

#define KEEPS (KR_TEST_KEEPS_FDS | KR_TEST_KEEPS_MEMORY)

static void *
load_in_thread(void *data)
{
	struct kr_delivery *delivery = data;

	return rig_load(delivery);
}

/*
 * Each thread has a delivery of its own; whose copies are taken is a matter of luck, that they do
 * isn't.
 */
static void
test_threads(void **state)
{
	struct kr_delivery *deliveries[8];
	size_t kinds = rig_kind_count();
	pthread_t threads[8];

	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		deliveries[i] =
			rig_deliver(rig_kinds[i % kinds], i % 3 ? rig_first : rig_second, NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, load_in_thread, deliveries[i]), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++) {
		void *dso;

		assert_int_equal(pthread_join(threads[i], &dso), 0);
		assert_int_equal(rig_call(dso, "krd_driver"), i % 3 ? 1 : 2);
		assert_true(rig_call(dso, "krd_driver_base") > 0);
		kr_delivery_destroy(deliveries[i]);
	}
}

/* Descriptors of the thread alone: its process has other files under these numbers, or none. */
static void *
load_unshared(void *data)
{
	struct kr_delivery *delivery;
	void *dso;

	if (unshare(CLONE_FILES))
		return NULL;
	delivery = rig_deliver(KR_DELIVERY_MEMORY, rig_first, NULL);
	dso = rig_load(delivery);
	kr_delivery_destroy(delivery);
	return dso;
}

static void
test_thread_with_its_own_descriptors(void **state)
{
	pthread_t thread;
	void *dso;

	assert_int_equal(pthread_create(&thread, NULL, load_unshared, NULL), 0);
	assert_int_equal(pthread_join(thread, &dso), 0);
	assert_non_null(dso);
	assert_int_equal(rig_call(dso, "krd_driver"), 1);
}

/* The child has its own names; what the parent loaded works on. */
static void
load_in_child(void *inherited)
{
	struct kr_delivery *delivery = rig_deliver(KR_DELIVERY_MEMORY, rig_second, NULL);
	char *start = kr_asprintf("/proc/%d/fd/", getpid());
	void *dso = rig_load(delivery);
	Dl_info info;

	assert_int_equal(rig_call(inherited, "krd_driver"), 1);
	assert_int_equal(rig_call(inherited, "krd_driver_base"), 1);
	assert_int_equal(rig_call(dso, "krd_driver"), 2);
	assert_int_not_equal(dladdr(dlsym(dso, "krd_driver"), &info), 0);
	assert_int_equal(strncmp(info.dli_fname, start, strlen(start)), 0);
	_exit(0);
}

static void
test_fork(void **state)
{
	struct kr_delivery *delivery = rig_deliver(KR_DELIVERY_MEMORY, rig_first, NULL);
	void *dso = rig_load(delivery);
	pid_t child;
	int status;

	kr_delivery_destroy(delivery);
	child = fork();
	if (!child)
		load_in_child(dso);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void
load_as_nobody(struct kr_delivery *memory, struct kr_delivery *other)
{
	if (!geteuid() && (setgid(65534) || setuid(65534)))
		_exit(2);
	if (prctl(PR_SET_DUMPABLE, 0))
		_exit(3);
	assert_int_equal(rig_call(rig_load(memory), "krd_driver"), 1);
	assert_int_equal(rig_call(rig_load(other), "krd_driver"), 2);
	_exit(0);
}

/*
 * A process that nobody may look into, as those with more rights are, may open its own descriptors.
 */
static void
test_process_that_cannot_be_traced(void **state)
{
	struct kr_delivery *memory = rig_deliver(KR_DELIVERY_MEMORY, rig_first, NULL);
	struct kr_delivery *other = rig_deliver(rig_kinds[rig_kind_count() - 1], rig_second, NULL);
	pid_t child = fork();
	int status;

	if (!child)
		load_as_nobody(memory, other);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	kr_delivery_destroy(memory);
	kr_delivery_destroy(other);
}

/* A file system without processes over /proc, in a mount namespace of this process. */
static void
hide_proc(void)
{
	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		kr_test_skip("no-mounts", strerror(errno));
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("tmpfs", "/proc", "tmpfs", 0, NULL))
		kr_test_skip("no-mounts", strerror(errno));
}

static void
run_without_proc(void *data)
{
	struct kr_delivery *delivery = rig_deliver(KR_DELIVERY_MEMORY, rig_first, NULL);
	struct rig_package package;
	char *reason;
	void *dso;

	rig_pack(&package, KR_DELIVERY_MOUNT, rig_first, NULL);
	hide_proc();
	assert_int_equal(kr_delivery_load(delivery, &dso, &reason), -ENOENT);
	assert_non_null(strstr(reason, "/proc isn't mounted"));
	assert_non_null(strstr(reason, "--proc /proc"));
	free(reason);
	assert_int_equal(kr_delivery_check(delivery, &reason), -ENOENT);
	free(reason);
	kr_delivery_destroy(delivery);
	assert_int_equal(
		kr_delivery_take(package.kind, package.fds, package.count, &delivery, &reason),
		-ENOENT);
	assert_non_null(strstr(reason, "/proc isn't mounted"));
	free(reason);
}

/* The harness counts descriptors in /proc, so this is a process of its own. */
static void
test_without_proc(void **state)
{
	pid_t child = fork();
	int status;

	if (!child) {
		run_without_proc(NULL);
		fflush(stdout);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		kr_test_skip("no-mounts", "the child said so");
	assert_int_equal(status, 0);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(test_threads, KEEPS),
	KR_TEST_FLAGS(test_thread_with_its_own_descriptors, KEEPS),
	KR_TEST_FLAGS(test_fork, KEEPS),
	KR_TEST_FLAGS(test_process_that_cannot_be_traced, KR_TEST_KEEPS_MEMORY),
	KR_TEST(test_without_proc),
};

KR_TEST_MAIN(tests)
