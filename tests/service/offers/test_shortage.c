/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices and drivers while memory, descriptors or processes are short: nothing is lost, and
 * nothing stays behind.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "rig.h"
#include "util/clock.h"
#include "util/macros.h"

/* A trial that couldn't be made says nothing of the driver. */
static void
trial_is_repeated(void **state)
{
	static const int errors[] = {-EMFILE, -ENOMEM, -EAGAIN};

	rig_init();
	rig.hold = true;
	rig_add_node("dri/renderD128", "i915");
	rig_add_package("intel", "libvulkan_intel.so");
	rig_add_package("hasvk", "libvulkan_intel_hasvk.so");
	rig_start();
	for (size_t i = 0; i < KR_ARRAY_LEN(errors); i++) {
		rig_run_until_probing("libvulkan_intel.so");
		rig_answer("libvulkan_intel.so", errors[i]);
		rig_run_a_while();
		assert_false(kr_offers_is_idle(rig.offers));
		assert_false(rig_is_probing("libvulkan_intel_hasvk.so"));
		assert_string_not_equal(rig_candidate_state("dri/renderD128", "anv"), "failed");
	}
	rig_run_until_probing("libvulkan_intel.so");
	rig_answer("libvulkan_intel.so", 0);
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_intel.so ");
	rig_finish();
}

/* Not for ever: others wait for what comes of it. */
static void
shortage_that_lasts_is_a_failure(void **state)
{
	rig_init();
	rig.hold = true;
	rig_add_node("dri/renderD128", "amdgpu");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	for (int i = 0; i < 5; i++) {
		rig_run_until_probing("libvulkan_radeon.so");
		rig_answer("libvulkan_radeon.so", -EMFILE);
	}
	rig_run_until_idle();
	assert_string_equal(rig_candidate_state("dri/renderD128", "radv"), "failed");
	rig_assert_log("");
	rig_finish();
}

/*
 * The directory can't be listed: no device goes, and the new one is seen later without another
 * event.
 */
static void
devices_stay_without_descriptors(void **state)
{
	rig_init();
	rig_add_node("dri/renderD128", "amdgpu");
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	rig_assert_log("node+ dri/renderD128 offer+ 0-libvulkan_radeon.so ");
	rig_add_node("dri/renderD129", "amdgpu");
	kr_test_limit_fds(0);
	rig_run_a_while();
	kr_test_end_fd_limit();
	rig_assert_log("");
	rig_run_until("renderD129");
	rig_assert_log("node+ dri/renderD129 ");
	rig_finish();
}

/* Whichever allocation fails while a device comes, it is offered soon after. */
static void
fail_each_allocation(bool probe)
{
	char path[32];
	int failed = 0;

	rig_init();
	rig.config.probe = probe;
	rig_add_package("radv", "libvulkan_radeon.so");
	rig_start();
	rig_run_until_idle();
	for (int i = 0; i < 64 && failed == i; i++) {
		snprintf(path, sizeof(path), "dri/renderD%d", 128 + i);
		rig_add_node(path, "amdgpu");
		failing_alloc_left = i;
		rig_run_a_while();
		failed += failing_alloc_left < 0;
		failing_alloc_left = -1;
		rig_run_until(path);
		rig_run_until("offer+");
		rig_run_until_idle();
		assert_string_equal(rig_device_text(path, "state"), "works");
		rig_remove_node(path);
		rig_run_until("offer-");
		rig_run_until_idle();
		rig.log[0] = '\0';
	}
	/* The last round was without a failure. */
	assert_in_range(failed, 4, 63);
	rig_finish();
}

static void
each_allocation_fails_once(void **state)
{
	fail_each_allocation(true);
}

/* Here no result of a trial has things settled once more. */
static void
each_allocation_fails_once_without_trials(void **state)
{
	fail_each_allocation(false);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(trial_is_repeated, 0, 60),
	KR_TEST_SLOW(shortage_that_lasts_is_a_failure, 0, 60),
	KR_TEST_SLOW(devices_stay_without_descriptors, 0, 60),
	KR_TEST_SLOW(each_allocation_fails_once, 0, 120),
	KR_TEST_SLOW(each_allocation_fails_once_without_trials, 0, 120),
};

KR_TEST_MAIN(tests)
