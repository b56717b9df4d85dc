/* SPDX-License-Identifier: Apache-2.0 */
/* `krafla fences`, one look: what is told of the fences of a process, and wrong command lines. */
#include "rig.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* S-07, S-12: a dump shows each live fence with its name, and all that is known of it. */
static void
fence_is_told(void **state)
{
	struct rig_child child = rig_start("plain", 0, 0);
	json_t *all = rig_json(NULL, "%d", child.pid, 0);
	const json_t *fence = rig_item(all, "fences", 0), *owner, *holder;

	assert_int_equal(rig_count(all, "fences"), 1);
	assert_string_equal(rig_text(fence, "name"), "SurfaceView:0");
	assert_string_equal(rig_text(fence, "timeline"), "ring");
	assert_int_equal(rig_number(fence, "point"), 1);
	assert_int_equal(rig_number(fence, "points"), 1);
	assert_string_equal(rig_text(fence, "backend"), "user");
	assert_string_equal(rig_text(fence, "driver"), "krafla");
	assert_string_equal(rig_text(fence, "status"), "active");
	assert_true(json_is_null(json_object_get(fence, "errno")));
	assert_true(rig_number(fence, "age_ns") >= 0);
	owner = json_object_get(fence, "owner");
	assert_int_equal(rig_number(owner, "pid"), child.pid);
	assert_string_equal(rig_text(owner, "command"), "fences_child");
	assert_true(strstr("running sleeping", rig_text(owner, "state")) != NULL);
	assert_int_equal(rig_count(fence, "holders"), 2);
	holder = rig_item(fence, "holders", 0);
	assert_string_equal(rig_text(holder, "role"), "fence");
	assert_int_equal(rig_number(holder, "pid"), child.pid);
	assert_string_equal(rig_text(rig_item(fence, "holders", 1), "role"), "producer");
	assert_int_equal(rig_number(rig_item(all, "processes", 0), "fences"), 1);
	assert_int_equal(rig_number(rig_item(all, "processes", 0), "producers"), 1);
	assert_true(json_is_null(json_object_get(rig_item(all, "processes", 0), "not_seen")));
	assert_int_equal(rig_count(all, "findings"), 0);
	json_decref(all);
	rig_end(&child);
}

static void
table_is_for_people(void **state)
{
	struct rig_child child = rig_start("plain", 0, 0);
	char expected[200];

	assert_int_equal(rig_fences(NULL, "%d", child.pid), 0);
	rig_assert_said("FENCE          TIMELINE  POINT  BACKEND  STATUS  AGE ");
	rig_assert_said("SurfaceView:0  ring          1  user     active  ");
	snprintf(expected, sizeof(expected), "%d fences_child  %d fences_child\n", child.pid,
		child.pid);
	rig_assert_said(expected);
	rig_assert_said("1 fence, 1 active; 1 process looked at\n");
	rig_end(&child);
}

/* Whoever is asked for nothing in particular is told of all. */
static void
all_processes_are_looked_at(void **state)
{
	struct rig_child one = rig_start("plain", 0, 0), two = rig_start("plain", 0, 0);
	char expected[64];

	assert_true(rig_fences(NULL, "--budget 86400000", 0) <= 1);
	snprintf(expected, sizeof(expected), "  %d fences_child\n", one.pid);
	rig_assert_said(expected);
	snprintf(expected, sizeof(expected), "  %d fences_child\n", two.pid);
	rig_assert_said(expected);
	rig_end(&one);
	rig_end(&two);
}

static void
states_are_told(void **state)
{
	static const struct {
		const char *mode, *status, *name;
		int error;
	} cases[] = {
		{"failed", "failed", "SurfaceView:0", 5},
		{"done", "signalled", "SurfaceView:0", -1},
		{"renamed-done", "signalled", "Newer:1", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig_child child = rig_start(cases[i].mode, 0, 0);
		json_t *all = rig_json(NULL, "%d", child.pid, 0);
		const json_t *fence = rig_item(all, "fences", 0);

		assert_string_equal(rig_text(fence, "status"), cases[i].status);
		assert_string_equal(rig_text(fence, "name"), cases[i].name);
		assert_int_equal(rig_number(fence, "errno"), cases[i].error);
		assert_int_equal(rig_count(fence, "holders"), 1);
		json_decref(all);
		rig_end(&child);
	}
}

static void
descriptors_of_one_fence_are_one_row(void **state)
{
	struct rig_child child = rig_start("dup", 0, 0);
	json_t *all = rig_json(NULL, "%d", child.pid, 0);

	assert_int_equal(rig_count(all, "fences"), 1);
	assert_int_equal(
		rig_number(rig_item(rig_item(all, "fences", 0), "holders", 0), "descriptors"), 3);
	json_decref(all);
	assert_int_equal(rig_fences(NULL, "%d", child.pid), 0);
	rig_assert_said(" fences_child (3)\n");
	rig_end(&child);
}

static const json_t *
find_named(const json_t *all, const char *name)
{
	for (size_t i = 0; i < rig_count(all, "fences"); i++) {
		if (!strcmp(rig_text(rig_item(all, "fences", i), "name"), name))
			return rig_item(all, "fences", i);
	}
	return NULL;
}

/*
 * H-02, H-03: pictures that are on their way are told by their present fences, a buffer that one
 * of them keeps by its release fence, and so is the fence that they wait for.
 */
static void
pictures_on_their_way_are_told(void **state)
{
	const char *const arguments[] = {COMPOSING, NULL};
	struct rig_child child = rig_start_program(arguments, 0);
	const json_t *present;
	json_t *all;

	assert_true(child.pid > 0);
	all = rig_json(NULL, "%d", child.pid, 0);
	present = find_named(all, "present");
	assert_non_null(present);
	assert_string_equal(rig_text(present, "timeline"), "composer");
	assert_string_equal(rig_text(present, "status"), "active");
	assert_int_equal(rig_number(json_object_get(present, "owner"), "pid"), child.pid);
	assert_non_null(find_named(all, "release"));
	assert_non_null(find_named(all, "SurfaceView:0"));
	assert_int_equal(rig_count(all, "fences"), 5);
	json_decref(all);
	rig_end(&child);
}

/* A fence without a name is one by what it is, and the kernel knows who made it. */
static void
unnamed_fence_is_found(void **state)
{
	struct rig_child child = rig_start("unnamed", 0, 0);
	json_t *all = rig_json(NULL, "%d", child.pid, 0);
	const json_t *fence = rig_item(all, "fences", 0);

	assert_int_equal(rig_count(all, "fences"), 1);
	assert_true(json_is_null(json_object_get(fence, "name")));
	assert_true(json_is_null(json_object_get(fence, "age_ns")));
	assert_string_equal(rig_text(fence, "status"), "active");
	assert_int_equal(rig_number(json_object_get(fence, "owner"), "pid"), child.pid);
	json_decref(all);
	rig_end(&child);
}

/* A fence that is late is named, with what its owner does. */
static void
late_fence_is_flagged(void **state)
{
	struct rig_child child = rig_start("plain", 0, 0);
	char expected[160];
	json_t *all;

	assert_int_equal(kill(child.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(child.pid, NULL, WUNTRACED), child.pid);
	usleep(20000);
	all = rig_json(NULL, "--budget 10 %d", child.pid, 1);
	assert_true(json_is_true(json_object_get(rig_item(all, "fences", 0), "late")));
	assert_string_equal(rig_text(rig_item(all, "findings", 0), "kind"), "late");
	assert_int_equal(rig_number(rig_item(all, "findings", 0), "pid"), child.pid);
	assert_int_equal(rig_number(rig_item(all, "findings", 0), "fences"), 1);
	json_decref(all);
	assert_int_equal(rig_fences(NULL, "--budget 10 %d", child.pid), 1);
	rig_assert_said("late: 'SurfaceView:0' (point 1 of ring, made by process ");
	snprintf(expected, sizeof(expected), "; process %d (fences_child) is stopped\n", child.pid);
	rig_assert_said(expected);
	assert_int_equal(rig_fences(NULL, "--budget 86400000 %d", child.pid), 0);
	assert_int_equal(kill(child.pid, SIGCONT), 0);
	rig_end(&child);
}

/* Who waits need not be who was asked for. */
static void
other_holders_are_told(void **state)
{
	struct rig_child child = rig_start("shared", 0, 0);
	json_t *all = rig_json(NULL, "%d", child.pid, 0);
	const json_t *fence = rig_item(all, "fences", 0), *holder = rig_item(fence, "holders", 0);

	assert_int_equal(rig_count(all, "fences"), 1);
	assert_int_equal(rig_count(fence, "holders"), 2);
	assert_string_equal(rig_text(holder, "role"), "producer");
	assert_int_equal(rig_number(holder, "pid"), child.pid);
	holder = rig_item(fence, "holders", 1);
	assert_string_equal(rig_text(holder, "role"), "fence");
	assert_true(rig_number(holder, "pid") > 0 && rig_number(holder, "pid") != child.pid);
	assert_true(json_is_false(json_object_get(fence, "elsewhere")));
	/* He is no part of what was asked for. */
	assert_int_equal(rig_count(all, "processes"), 1);
	json_decref(all);
	rig_end(&child);
}

/* In a message that nobody has received a fence is in nobody's hands, but not lost. */
static void
fence_on_its_way_is_told(void **state)
{
	static const struct {
		const char *mode, *said;
		bool elsewhere;
	} cases[] = {{"sent", "  elsewhere\n", true}, {"closed", "  nobody\n", false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig_child child = rig_start(cases[i].mode, 0, 0);
		json_t *all = rig_json(NULL, "%d", child.pid, 0);
		const json_t *fence = rig_item(all, "fences", 0);

		assert_int_equal(
			json_is_true(json_object_get(fence, "elsewhere")), cases[i].elsewhere);
		assert_int_equal(rig_count(fence, "holders"), 1);
		json_decref(all);
		assert_int_equal(rig_fences(NULL, "%d", child.pid), 0);
		rig_assert_said(cases[i].said);
		rig_end(&child);
	}
}

/* Nothing but its name in the kernel's table is left of one that has signalled there. */
static void
signalled_fence_on_its_way_is_told(void **state)
{
	struct rig_child child = rig_start("sent-done", 0, 0);

	assert_true(rig_fences(NULL, "--budget 86400000", 0) <= 1);
	rig_assert_said("Sent:1 ");
	rig_assert_said("  signalled  ");
	rig_assert_said("  elsewhere\n");
	rig_end(&child);
}

/* Columns stand under each other, and no name does anything to the terminal. */
static void
strange_names_are_harmless(void **state)
{
	struct rig_child child = rig_start("strange", 0, 0);
	json_t *all = rig_json(NULL, "%d", child.pid, 0);

	assert_int_equal(rig_count(all, "fences"), 5);
	json_decref(all);
	assert_int_equal(rig_fences(NULL, "%d", child.pid), 0);
	for (const char *c = rig_said; *c; c++)
		assert_true((unsigned char)*c >= ' ' || *c == '\n');
	assert_null(strstr(rig_said, "\302\233"));
	assert_null(strchr(rig_said, '\233'));
	rig_assert_said("a_[2J__31mb_c  ring ");
	rig_assert_said("cut__          ring ");
	/* Two columns a character, one a character */
	rig_assert_said("\343\201\202\343\201\204:1         ring ");
	rig_assert_said("\303\234ber:22        ring ");
	rig_end(&child);
}

/* A raw clone keeps the end that its dead parent should have signalled. */
static void
dead_owner_is_told(void **state)
{
	struct rig_child child = rig_start("orphan", 0, 0);

	usleep(20000);
	assert_int_equal(waitpid(child.waited, NULL, 0), child.waited);
	assert_int_equal(rig_fences(NULL, "--budget 10 %d", child.pid), 1);
	rig_assert_said(" is gone, but something holds the end that signals\n");
	rig_end(&child);
}

/* Thousands: all in the JSON, a handful in the table. */
static void
many_fences_are_bearable(void **state)
{
	struct rig_child child = rig_start("many", 2000, 0);
	json_t *all;
	size_t lines = 0, count;

	if (!child.pid)
		kr_test_skip("few-fds", "2000 fences take 4000 descriptors");
	all = rig_json(NULL, "--budget 86400000 %d", child.pid, 1);
	count = rig_count(all, "fences");
	assert_int_equal(count, 2001);
	assert_int_equal(rig_count(all, "findings"), 2); /* fences, and ends */
	json_decref(all);
	assert_int_equal(rig_fences(NULL, "--budget 86400000 %d", child.pid), 1);
	for (const char *c = rig_said; *c; c++)
		lines += *c == '\n';
	assert_true(lines < 20);
	rig_assert_said("... and 1993 more (all of them: --json)\n2001 fences, 2001 active");
	rig_end(&child);
}

static void
wrong_command_lines(void **state)
{
	static const char *const wrong[] = {"0", "-1", "12x", "x", "99999999999", "1 2 x",
		"--bogus", "--budget", "--budget x", "--budget -1", "--watch=1", "--interval 100",
		"--samples 2", "--watch --interval 9", "--watch --samples 0"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (rig_fences(NULL, wrong[i], 0) != 2)
			fail_msg("'%s' was taken:\n%s", wrong[i], rig_said);
		rig_assert_said("'krafla help fences' explains how to call it.");
	}
	assert_int_equal(rig_fences(NULL, "--help", 0), 0);
	rig_assert_said("usage: krafla fences [OPTION]... [PID]...");
}

static void
nothing_to_show(void **state)
{
	struct rig_child child = rig_start("plain", 0, 0);
	pid_t gone = child.pid;
	json_t *all;

	assert_int_equal(rig_fences(NULL, "%d", getpid()), 0);
	rig_assert_said("no fences; 1 process looked at\n");
	rig_end(&child);
	assert_int_equal(rig_fences(NULL, "%d", gone), 125);
	rig_assert_said("krafla fences: there is no process ");
	/* One that is there is told of all the same; named twice it is one. */
	child = rig_start("plain", 0, 0);
	all = rig_json(NULL, "%1$d %1$d", child.pid, 0);
	assert_int_equal(rig_count(all, "fences"), 1);
	assert_int_equal(rig_count(all, "processes"), 1);
	json_decref(all);
	assert_int_equal(rig_fences(NULL, "2147483647 %d", child.pid), 125);
	rig_assert_said("SurfaceView:0");
	rig_assert_said("there is no process 2147483647\n");
	/* Also of a watch, which goes on with the others. */
	assert_int_equal(
		rig_fences(NULL, "--watch --interval 10 --samples 2 2147483647 %d", child.pid),
		125);
	rig_assert_said("there is no process 2147483647\n");
	rig_end(&child);
}

static const struct kr_test tests[] = {
	KR_TEST(fence_is_told),
	KR_TEST(table_is_for_people),
	KR_TEST(all_processes_are_looked_at),
	KR_TEST(states_are_told),
	KR_TEST(descriptors_of_one_fence_are_one_row),
	KR_TEST(pictures_on_their_way_are_told),
	KR_TEST(unnamed_fence_is_found),
	KR_TEST(late_fence_is_flagged),
	KR_TEST(other_holders_are_told),
	KR_TEST(fence_on_its_way_is_told),
	KR_TEST(signalled_fence_on_its_way_is_told),
	KR_TEST(strange_names_are_harmless),
	KR_TEST(dead_owner_is_told),
	KR_TEST(many_fences_are_bearable),
	KR_TEST(wrong_command_lines),
	KR_TEST(nothing_to_show),
};
KR_TEST_MAIN(tests)
