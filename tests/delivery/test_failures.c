/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation fails once: nothing crashes, and nothing stays loaded or open. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "harness.h"
#include "rig.h"

#define KEEPS     (KR_TEST_KEEPS_FDS | KR_TEST_KEEPS_MEMORY)
#define MAX_ALLOC 5000

static const struct rig_file whole[] = {
	{"libkrdbase.so.1", "library", "libkrdbase.so.1", "krd_base_v1.so"},
	{"libkrdmid.so.1", "library", "libkrdmid.so.1", "krd_mid.so"},
	{"driver.so", "driver", "driver.so", "krd_driver.so"},
	{"libkrdruntime.so.1", "runtime", "libkrdruntime.so.1", "krd_runtime.so"},
	{0},
};
/* Among other things, a libstdc++ that is compared with the process's own. */
static const struct rig_file newest[] = {
	{"libstdc++.so.6", "library", "libstdc++.so.6", "krd_cxx_old.so"},
	{"driver_cxx.so", "driver", "driver_cxx.so", "krd_driver_cxx.so"},
	{0},
};
/* What this process doesn't have. */
static const char lacks[] = "[{\"library\":\"libc.so.6\",\"versions\":[\"GLIBC_9.99\"]},"
			    "{\"library\":\"libnowhere.so.1\"}]";

static int
take_and_load(const struct rig_package *package, struct kr_delivery **delivery)
{
	int fds[KR_INDEX_MAX_FILES + 1], ret;
	char *reason = NULL;
	void *dso;

	for (size_t i = 0; i < package->count; i++)
		fds[i] = fcntl(package->fds[i], F_DUPFD_CLOEXEC, 3);
	ret = kr_delivery_take(package->kind, fds, package->count, delivery, &reason);
	if (!ret) {
		ret = kr_delivery_load(*delivery, &dso, &reason);
		if (ret)
			kr_delivery_destroy(*delivery);
	}
	free(ret ? reason : NULL);
	return ret;
}

enum outcome {
	LOADED,
	REFUSED,
	OTHER,
	DONE = 4, /* added: no allocation failed any more */
};

/* In a child: what is loaded stays. */
static void
fail_one(const struct rig_package *package, long number)
{
	struct kr_delivery *delivery;
	int fds = kr_test_count_fds(), ret, outcome;

	failing_alloc_left = number;
	ret = take_and_load(package, &delivery);
	outcome = failing_alloc_left < 0 ? 0 : DONE;
	failing_alloc_left = -1;
	if (ret && (kr_test_count_fds() != fds || rig_mapped("libkrd")))
		_exit(OTHER);
	if (ret)
		outcome += ret == -ENOMEM || ret == -ENOEXEC ? REFUSED : OTHER;
	_exit(outcome);
}

/* Until no allocation fails any more: what comes of it then is `expected`. */
static void
fail_each(enum kr_delivery_kind kind, const struct rig_file *files, const char *needs,
	enum outcome expected)
{
	struct rig_package package;
	int status = 0;

	rig_pack(&package, kind, files, needs);
	for (long i = 0; WEXITSTATUS(status) < DONE; i++) {
		pid_t child = fork();

		assert_true(i < MAX_ALLOC);
		if (!child)
			fail_one(&package, i);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		if ((WEXITSTATUS(status) & ~DONE) >= OTHER)
			fail_msg("allocation %ld", i);
	}
	assert_int_equal(WEXITSTATUS(status), DONE + expected);
}

static void
test_loading(void **state)
{
	for (size_t i = 0; i < rig_kind_count(); i++)
		fail_each(rig_kinds[i], whole, NULL, LOADED);
}

static void
test_comparing(void **state)
{
	void *own = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);

	/* A sanitizer has brought the real one, which lacks what the package's defines. */
	fail_each(KR_DELIVERY_MEMORY, newest, NULL, own ? REFUSED : LOADED);
	if (own)
		dlclose(own);
}

static void
test_refusing(void **state)
{
	fail_each(KR_DELIVERY_MEMORY, whole, lacks, REFUSED);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(test_loading, KEEPS),
	KR_TEST_FLAGS(test_comparing, KEEPS),
	KR_TEST_FLAGS(test_refusing, KEEPS),
};
KR_TEST_MAIN(tests)
