/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: both kinds, whole packages and broken ones. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "rig.h"
#include "util/macros.h"

#define KEEPS (KR_TEST_KEEPS_FDS | KR_TEST_KEEPS_MEMORY)

static const struct rig_file whole[] = {
	{"libkrdbase.so.1", "library", "libkrdbase.so.1", "krd_base_v1.so"},
	{"libkrdmid.so.1", "library", "libkrdmid.so.1", "krd_mid.so"},
	{"driver.so", "driver", "driver.so", "krd_driver.so"},
	{"libkrdruntime.so.1", "runtime", "libkrdruntime.so.1", "krd_runtime.so"},
	{"data.txt", "data", NULL, "krd_mid.so"},
	{0},
};

static void
load_whole(enum kr_delivery_kind kind)
{
	struct kr_delivery *delivery = rig_deliver(kind, whole, NULL);
	int fds = kr_test_count_fds();
	void *dso = rig_load(delivery), *again = rig_load(delivery);

	assert_ptr_equal(dso, again);
	assert_int_equal(rig_call(dso, "krd_driver"), 1);
	assert_int_equal(rig_call(dso, "krd_driver_base"), 1);
	/* The driver's own dlopen finds what was loaded behind it. */
	assert_int_equal(rig_call(dso, "krd_open_runtime"), 7);
	kr_delivery_destroy(delivery);
	assert_int_equal(kr_test_count_fds(), fds);
	assert_int_equal(rig_call(dso, "krd_driver_base"), 1);
	/* RTLD_LOCAL: nobody else sees what it is made of. */
	assert_null(dlsym(RTLD_DEFAULT, "krd_base"));
}

/* F-04 */
static void
test_mount_loads(void **state)
{
	load_whole(KR_DELIVERY_MOUNT);
}

/* F-04 */
static void
test_memory_loads(void **state)
{
	load_whole(KR_DELIVERY_MEMORY);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(test_mount_loads, KEEPS),
	KR_TEST_FLAGS(test_memory_loads, KEEPS),
};

KR_TEST_MAIN(tests)
