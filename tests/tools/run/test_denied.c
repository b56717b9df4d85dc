/* SPDX-License-Identifier: Apache-2.0 */
/* `krafla run` where system calls are denied. */
#include "rig.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "deny.h"

#define NO_MOUNTS 94 /* instead of a code of krafla's */

static const int denials[] = {EPERM, ENOSYS};
static int denial;

static void
deny_poll(void)
{
	kr_test_deny(SYS_poll, denial);
}

static void
deny_ppoll(void)
{
	kr_test_deny(SYS_ppoll, denial);
}

static void
deny_all_polls(void)
{
	deny_poll();
	deny_ppoll();
}

static void
show_frames(struct outcome *out)
{
	krafla(out, "run", "--display", "64x48", "--clock", "virtual", "--frames", "3", "--",
		PRODUCER, "-", "9");
}

/* Either of the two calls will do. */
static void
one_poll_is_enough(void **state)
{
	struct outcome out;

	for (size_t i = 0; i < sizeof(denials) / sizeof(denials[0]); i++) {
		denial = denials[i];
		before_exec = deny_poll;
		show_frames(&out);
		assert_int_equal(out.code, 0);
		before_exec = deny_ppoll;
		show_frames(&out);
		assert_int_equal(out.code, 0);
	}
	assert_nothing_left();
}

/* It ends by itself, and says why: a signal couldn't be heard. */
static void
without_any_poll_it_ends(void **state)
{
	struct outcome out;

	for (size_t i = 0; i < sizeof(denials) / sizeof(denials[0]); i++) {
		denial = denials[i];
		before_exec = deny_all_polls;
		krafla(&out, "run", "--display", "64x48", "--", "sleep", "100");
		assert_int_equal(out.code, 125);
		assert_said(&out, "can't wait for sleep: poll: ");
	}
	assert_nothing_left();
}

/* --- memory --- */

static void
deny_memfd(void)
{
	kr_test_deny(SYS_memfd_create, denial);
}

static void
deny_statx(void)
{
	kr_test_deny(SYS_statx, denial);
}

/* A surface that is lost without a word would be looked for everywhere else. */
static void
memory_that_is_denied_is_told(void **state)
{
	struct outcome out;

	for (size_t i = 0; i < sizeof(denials) / sizeof(denials[0]); i++) {
		denial = denials[i];
		before_exec = deny_memfd;
		show_frames(&out);
		assert_int_equal(out.code, 98);
		assert_said(&out, "can be made: memfd_create: ");
	}
}

/* Sandboxes that are older than the call deny it: the buffers are looked at in another way. */
static void
statx_is_not_needed(void **state)
{
	struct outcome out;

	for (size_t i = 0; i < sizeof(denials) / sizeof(denials[0]); i++) {
		denial = denials[i];
		before_exec = deny_statx;
		show_frames(&out);
		assert_int_equal(out.code, 0);
	}
}

static void
limit_files(void)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, RLIM_INFINITY});
}

/* The kernel would end the program by a signal, which isn't ours to handle. */
static void
a_limit_of_files_kills_no_program(void **state)
{
	struct outcome out;

	before_exec = limit_files;
	show_frames(&out);
	assert_int_equal(out.code, 98);
	assert_said(&out, "RLIMIT_FSIZE");
}

/* Nor krafla, whose pictures are the files here. The program may have larger ones. */
static void
a_limit_of_files_ends_captures(void **state)
{
	struct outcome out;

	before_exec = limit_files;
	krafla(&out, "run", "--display", "256x256", "--capture", kr_test_path("%d.png"),
		"--summary", kr_test_path("s.json"), "--", "sh", "-c",
		"ulimit -S -f unlimited; exec \"$0\" - 1000", PRODUCER);
	assert_int_equal(out.code, 4);
	/* Of whichever writer said so first. */
	assert_said(&out, ".png: File too large");
	assert_int_equal(access(kr_test_path("1.png"), F_OK), -1);
	assert_nothing_left();
}

/* --- without /proc --- */

#ifndef SANITIZED /* what they put into programs reads /proc */
static void
hide_proc(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("none", "/proc", "tmpfs", 0, NULL))
		_exit(NO_MOUNTS);
}

/* Its libraries are found all the same. */
static void
frames_come_without_proc(void **state)
{
	struct outcome out;

	before_exec = hide_proc;
	show_frames(&out);
	if (out.code == NO_MOUNTS)
		kr_test_skip("no-namespaces", "mounts are denied");
	assert_int_equal(out.code, 0);
	krafla(&out, "run", "--", "sh", "-c", "test -e ${LD_LIBRARY_PATH%%:*}/libvulkan.so.1");
	assert_int_equal(out.code, 0);
}

/* Nothing was seen, which isn't the same as that there is nothing. */
static void
fences_need_proc(void **state)
{
	struct outcome out;

	before_exec = hide_proc;
	krafla(&out, "fences");
	if (out.code == NO_MOUNTS)
		kr_test_skip("no-namespaces", "mounts are denied");
	assert_int_equal(out.code, 125);
	assert_said(&out, "/proc isn't mounted here");
	krafla(&out, "fences", "--json");
	assert_int_equal(out.code, 125);
	krafla(&out, "fences", "1");
	assert_int_equal(out.code, 125);
}

#endif

static const struct kr_test tests[] = {
	KR_TEST(one_poll_is_enough),
	KR_TEST(without_any_poll_it_ends),
	KR_TEST(memory_that_is_denied_is_told),
	KR_TEST(statx_is_not_needed),
	KR_TEST(a_limit_of_files_kills_no_program),
	KR_TEST(a_limit_of_files_ends_captures),
#ifndef SANITIZED
	KR_TEST(frames_come_without_proc),
	KR_TEST(fences_need_proc),
#endif
};
KR_TEST_MAIN(tests)
