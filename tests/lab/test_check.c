/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla check` on lavapipe with SYNC_FD, behind the adapter: with fences of user space, which the
 * adapter waits for, and with the kernel's, which the driver imports; in buffers of each kind.
 */
#include "tests/integration/programs/spawn.h"
#include "harness.h"

#define LIMIT_S 380
/*
 * One at a time: the machine is emulated. What failed is told, and the sums. Mesa 25.0.7 itself
 * opens /dev/udmabuf without O_CLOEXEC, and at times has 5 KiB more after a frame.
 */
static const char told[] =
	"\"$@\" >/tmp/told; code=$?; bad=0;"
	" while read -r line; do case $line in"
	" *processes.exec_takes_nothing|*leaks.of_10000_frames) echo \"of Mesa: $line\";;"
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

static void
contract_holds_with_fences_of_user_space(void **state)
{
	expect_held(ARGV(CHECK, lavapipe_manifest()), "user", "memfd");
}

/* Where fences and buffers matter. */
static void
contract_holds_with_fences_of_the_kernel(void **state)
{
	expect_held(ARGV(CHECK, "--filter", "module.*", "--filter", "image.*", "--filter",
			    "deferred.*", "--filter", "acquire.*", "--filter", "release.*",
			    "--filter", "layout.*", "--filter", "outside.*", "--filter", "shared.*",
			    "--filter", "faults.*", lavapipe_manifest()),
		"krafla_sync", "udmabuf");
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(contract_holds_with_fences_of_user_space, 0, 400),
	KR_TEST_SLOW(contract_holds_with_fences_of_the_kernel, 0, 400),
};
KR_TEST_MAIN(tests)
