/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla fences` where rights are missing: what is seen all the same, and what it says
 * it could not see, and why.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const struct rig_look nobody = {.uid = RIG_NOBODY};
static const struct rig_look by_names = {.denied = RIG_PIDFD_GETFD};
static const struct rig_look by_text = {.denied = RIG_PIDFD_GETFD_NETLINK};

static void
need_root(void)
{
	if (getuid())
		kr_test_skip("no-root", "nobody else can be become");
}

static struct rig_child
start_as_nobody(const char *mode)
{
	struct rig_child child;

	need_root();
	child = rig_start(mode, 0, RIG_NOBODY);
	assert_true(child.pid > 0);
	return child;
}

static int
yama_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (file && fscanf(file, "%d", &scope) != 1)
		scope = 0;
	if (file)
		fclose(file);
	return scope;
}

/* The same user may look without any privilege, unless Yama is against it. */
static void
own_processes_are_seen(void **state)
{
	struct rig_child child = start_as_nobody("plain");
	json_t *all = rig_json(&nobody, "%d", child.pid, 0);
	const json_t *process = rig_item(all, "processes", 0);

	assert_int_equal(rig_count(all, "fences"), 1);
	if (yama_scope())
		assert_non_null(strstr(rig_text(process, "not_seen"), "Yama"));
	else
		assert_true(json_is_null(json_object_get(process, "not_seen")));
	json_decref(all);
	rig_end(&child);
}

static void
other_users_are_told(void **state)
{
	struct rig_child child;

	need_root();
	child = rig_start("plain", 0, 0);
	assert_int_equal(rig_fences(&nobody, "%d", child.pid), 125);
	/* The name in the kernel's table is for everybody to read. */
	rig_assert_said("SurfaceView:0  ring          1  user     active ");
	rig_assert_said("  elsewhere\n1 fence, 1 active; 0 processes looked at\n");
	rig_assert_said(
		" (fences_child): it belongs to user root: krafla would need CAP_SYS_PTRACE (root has it)\n");
	/* Not asked for, it is a line, and no failure (fences of others may be late). */
	assert_int_equal(rig_fences(&nobody, "--budget 86400000", 0), 0);
	rig_assert_said("it belongs to user root: krafla would need CAP_SYS_PTRACE");
	rig_end(&child);
}

/*
 * Y-06: nothing of it is looked at. What its fences are called stands in the kernel's
 * table for everybody.
 */
static void
undumpable_process_is_told(void **state)
{
	struct rig_child child = start_as_nobody("undumpable");
	json_t *all = rig_json(&nobody, "%d", child.pid, 125);

	assert_int_equal(rig_count(all, "fences"), 1);
	assert_int_equal(rig_count(rig_item(all, "fences", 0), "holders"), 0);
	assert_int_equal(rig_number(rig_item(all, "processes", 0), "fences"), 0);
	assert_non_null(strstr(rig_text(rig_item(all, "processes", 0), "not_seen"),
		"it isn't dumpable (prctl PR_SET_DUMPABLE"));
	json_decref(all);
	/* Root sees it. */
	all = rig_json(NULL, "%d", child.pid, 0);
	assert_int_equal(rig_count(all, "fences"), 1);
	json_decref(all);
	rig_end(&child);
}

static void
copy_setuid(char path[RIG_PATH])
{
	struct statvfs fs;

	rig_copy(CHILD, path);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(statvfs(path, &fs), 0);
	if (fs.f_flag & ST_NOSUID)
		kr_test_skip("no-root", "setuid programs don't count where temporary files are");
}

static void
setuid_program_is_told(void **state)
{
	const char *arguments[3] = {NULL, "plain", NULL};
	struct rig_child child;
	char path[RIG_PATH];

	need_root();
	copy_setuid(path);
	arguments[0] = path;
	child = rig_start_program(arguments, RIG_NOBODY);
	assert_true(child.pid > 0);
	assert_int_equal(rig_fences(&nobody, "%d", child.pid), 125);
	rig_assert_said(
		"(fences_child): it runs setuid, as user root: krafla would need CAP_SYS_PTRACE");
	rig_end(&child);
}

/*
 * In a network namespace of its own a process's sockets aren't in krafla's table: its fence is
 * found all the same, once, with both that have an end of it.
 */
static struct rig_child
find_in_other_network(const char *mode)
{
	struct rig_child child = rig_start(mode, 0, 0);
	json_t *all;

	if (!child.pid)
		kr_test_skip("no-namespaces", "unshare(CLONE_NEWUSER | CLONE_NEWNET) is denied");
	all = rig_json(NULL, "%d", child.pid, 0);
	assert_int_equal(rig_count(all, "fences"), 1);
	assert_string_equal(rig_text(rig_item(all, "fences", 0), "name"), "SurfaceView:0");
	assert_int_equal(rig_count(rig_item(all, "fences", 0), "holders"), 2);
	json_decref(all);
	return child;
}

static void
other_network_namespace_is_seen(void **state)
{
	struct rig_child child = find_in_other_network("netns");

	assert_int_equal(rig_fences(&by_names, "%d", child.pid), 0);
	rig_assert_said("2 possible fences");
	rig_assert_said("its network namespace is another");
	rig_end(&child);
}

/* Who else holds a fence is found there as well. */
static void
other_network_namespace_is_searched(void **state)
{
	struct rig_child child = find_in_other_network("netns-shared");

	rig_end(&child);
}

/*
 * The fence of "plain" among those of all, of which other tests may have some; NULL:
 * it isn't there.
 */
static const json_t *
find_plain(const json_t *all)
{
	const json_t *fence;
	size_t i;

	json_array_foreach(json_object_get(all, "fences"), i, fence)
	{
		if (!strcmp(rig_text(fence, "name"), "SurfaceView:0") &&
			!strcmp(rig_text(fence, "timeline"), "ring") &&
			rig_number(fence, "point") == 1)
			return fence;
	}
	return NULL;
}

/* From a container the table of sockets may show more than /proc: whose those are isn't known. */
static void
other_pid_namespace_is_not_guessed(void **state)
{
	static const struct rig_look apart = {.apart = true};
	const json_t *fence;
	struct rig_child child;
	json_t *all;
	int code;

	need_root();
	child = rig_start("plain", 0, 0);
	code = rig_fences(&apart, "--json --budget 86400000", 0);
	if (code == RIG_NO_NAMESPACE)
		kr_test_skip("no-namespaces", "unshare(CLONE_NEWPID | CLONE_NEWNS) is denied");
	assert_int_equal(code, 0);
	all = json_loads(rig_said, 0, NULL);
	fence = find_plain(all);
	assert_non_null(fence);
	assert_string_equal(rig_text(fence, "status"), "active");
	assert_true(json_is_true(json_object_get(fence, "elsewhere")));
	assert_int_equal(rig_number(json_object_get(fence, "owner"), "pid"), -1);
	assert_null(strstr(rig_said, "gone"));
	json_decref(all);
	rig_end(&child);
}

/* Where descriptors may not be looked at, the table of sockets knows fences by their names. */
static void
table_of_sockets_knows_names(void **state)
{
	struct rig_child child = rig_start("plain", 0, 0);
	json_t *all = rig_json(&by_names, "%d", child.pid, 0);
	const json_t *fence = rig_item(all, "fences", 0);

	assert_int_equal(rig_count(all, "fences"), 1);
	assert_string_equal(rig_text(fence, "name"), "SurfaceView:0");
	assert_string_equal(rig_text(fence, "timeline"), "ring");
	assert_string_equal(rig_text(fence, "status"), "active");
	assert_int_equal(rig_number(json_object_get(fence, "owner"), "pid"), child.pid);
	assert_int_equal(rig_count(fence, "holders"), 2);
	assert_non_null(strstr(rig_text(rig_item(all, "processes", 0), "not_seen"),
		"krafla itself may not use pidfd_getfd"));
	json_decref(all);
	rig_end(&child);
	child = rig_start("renamed-done", 0, 0);
	all = rig_json(&by_names, "%d", child.pid, 0);
	assert_string_equal(rig_text(rig_item(all, "fences", 0), "name"), "Newer:1");
	assert_string_equal(rig_text(rig_item(all, "fences", 0), "status"), "signalled");
	json_decref(all);
	rig_end(&child);
}

/* A fence without a name is then one of the sockets that may be fences. */
static void
unnamed_fences_are_counted(void **state)
{
	struct rig_child child = rig_start("unnamed", 0, 0);

	assert_int_equal(rig_fences(&by_names, "%d", child.pid), 0);
	rig_assert_said("no fences; 1 process looked at\n");
	rig_assert_said("not seen: process ");
	rig_assert_said("1 possible fence and ");
	rig_end(&child);
}

/*
 * Without sock_diag there is /proc/net/unix, which knows names but neither peers nor
 * what is queued.
 */
static void
text_table_knows_producers(void **state)
{
	struct rig_child child = rig_start("plain", 0, 0);
	json_t *all = rig_json(&by_text, "%d", child.pid, 0);
	const json_t *fence = rig_item(all, "fences", 0);

	assert_int_equal(rig_count(all, "fences"), 1);
	assert_string_equal(rig_text(fence, "name"), "SurfaceView:0");
	assert_int_equal(rig_count(fence, "holders"), 1);
	assert_string_equal(rig_text(rig_item(fence, "holders", 0), "role"), "producer");
	assert_non_null(
		strstr(rig_text(rig_item(all, "processes", 0), "not_seen"), "1 possible fence "));
	json_decref(all);
	rig_end(&child);
}

static const struct kr_test tests[] = {
	KR_TEST(own_processes_are_seen),
	KR_TEST(other_users_are_told),
	KR_TEST(undumpable_process_is_told),
	KR_TEST(setuid_program_is_told),
	KR_TEST(other_network_namespace_is_seen),
	KR_TEST(other_network_namespace_is_searched),
	KR_TEST(other_pid_namespace_is_not_guessed),
	KR_TEST(table_of_sockets_knows_names),
	KR_TEST(unnamed_fences_are_counted),
	KR_TEST(text_table_knows_producers),
};
KR_TEST_MAIN(tests)
