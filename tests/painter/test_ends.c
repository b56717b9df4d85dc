/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A painter that dies, hangs, or was taken over: the composer's end hears of it once, names those
 * whose buffers were in its hands and nobody else, and leaves nothing behind.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"

#define SIZE 16

static struct kr_buffer *
make_buffer(void)
{
	const struct kr_buffer_desc desc = {SIZE, SIZE, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN};
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	return buffer;
}

/* A picture of one buffer. */
static int
draw(struct kr_painter *painter, uint64_t number, uint64_t id)
{
	const struct kr_render_layer layer = {.frame = {0, 0, SIZE, SIZE}, .blend = 1, .alpha = 1};
	const struct kr_painter_request request = {
		.number = number,
		.width = SIZE,
		.height = SIZE,
		.readback = true,
		.layers = &layer,
		.ids = &id,
		.count = 1,
	};

	return kr_painter_draw(painter, &request);
}

/* This process's child, which is one. */
static pid_t
find_child(void)
{
	char path[64];
	FILE *file;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "r");
	assert_non_null(file);
	if (fscanf(file, "%d", &pid) != 1)
		pid = 0;
	fclose(file);
	return pid;
}

static void
expect_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void
expect_death(struct kr_painter *painter, const uint64_t *suspects, unsigned count)
{
	const char *why = NULL;
	uint64_t ids[4] = {0};

	assert_int_equal(rig_dispatch(painter, 15000, &why), -EPIPE);
	assert_non_null(why);
	assert_int_equal(kr_painter_suspects(painter, ids, 4), count);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(ids[i], suspects[i]);
	assert_int_equal(kr_painter_dispatch(painter, &why), -EPIPE);
	assert_int_equal(draw(painter, 1000, 1), -EPIPE);
	kr_painter_stop(painter);
	expect_no_child();
}

static void
killed_at_each_step(void **state)
{
	const uint64_t id = 7;
	struct kr_buffer *buffer = make_buffer();
	struct kr_painter *painter;

	rig_use(RIG_LAVAPIPE);
	/* Before it has said anything: whatever waits there isn't to blame. */
	assert_int_equal(kr_painter_start(&(struct kr_painter_config){0}, &painter), 0);
	assert_int_equal(kr_painter_add_buffer(painter, id, buffer), 0);
	kill(find_child(), SIGKILL);
	expect_death(painter, NULL, 0);
	/* With nothing to do. */
	painter = rig_start(NULL);
	kill(find_child(), SIGKILL);
	expect_death(painter, NULL, 0);
	/* With a buffer to look at. */
	painter = rig_start(NULL);
	kill(find_child(), SIGSTOP);
	assert_int_equal(kr_painter_add_buffer(painter, id, buffer), 0);
	kill(find_child(), SIGKILL);
	expect_death(painter, &id, 1);
	/* With a picture of memory that nobody's GPU has. */
	painter = rig_start(NULL);
	assert_int_equal(rig_add(painter, id, buffer), KR_PAINTER_GOOD);
	kill(find_child(), SIGSTOP);
	assert_int_equal(draw(painter, 1, id), 0);
	assert_int_equal(kr_painter_add_buffer(painter, 8, buffer), 0);
	kill(find_child(), SIGKILL);
	expect_death(painter, NULL, 0);
	kr_buffer_unref(buffer);
}

/* A hundred of them, ended at any moment. */
static void
a_hundred_rounds(void **state)
{
	const int fds = kr_test_count_fds();

	rig_use(RIG_LAVAPIPE);
	for (unsigned i = 0; i < 100; i++) {
		struct kr_painter *painter;

		assert_int_equal(kr_painter_start(&(struct kr_painter_config){0}, &painter), 0);
		(void)rig_dispatch(painter, i * 3 % 200, NULL);
		if (i % 2)
			kill(find_child(), SIGKILL);
		kr_painter_stop(painter);
		assert_int_equal(kr_test_count_fds(), fds);
		expect_no_child();
	}
}

/* One that is stopped doesn't end by itself. */
static void
stopping_has_a_limit(void **state)
{
	struct kr_painter *painter;
	int64_t start;

	rig_use(RIG_LAVAPIPE);
	painter = rig_start(NULL);
	kill(find_child(), SIGSTOP);
	start = kr_clock_now();
	kr_painter_stop(painter);
	assert_true(kr_clock_now() - start < 3 * KR_NSEC_PER_SEC);
	expect_no_child();
}

/* Whoever stops it keeps nobody waiting for long, and what it was asked for isn't to blame. */
static void
one_that_is_stopped(void **state)
{
	struct kr_buffer *buffer = make_buffer();
	struct kr_painter *painter;
	const char *why = "";
	int64_t start;

	rig_use(RIG_LAVAPIPE);
	painter = rig_start(NULL);
	kill(find_child(), SIGSTOP);
	assert_int_equal(rig_dispatch(painter, 3 * KR_PAINTER_STOPPED_MS, &why), 0);
	assert_int_equal(kr_painter_add_buffer(painter, 1, buffer), 0);
	assert_int_equal(rig_dispatch(painter, KR_PAINTER_STOPPED_MS / 2, &why), 0);
	kill(find_child(), SIGCONT);
	assert_int_equal(rig_dispatch(painter, 3 * KR_PAINTER_STOPPED_MS, &why), 0);
	assert_int_equal(kr_painter_buffer(painter, 1, NULL), KR_PAINTER_GOOD);
	start = kr_clock_now();
	kill(find_child(), SIGSTOP);
	assert_int_equal(draw(painter, 1, 1), 0);
	assert_int_equal(rig_dispatch(painter, KR_PAINTER_ANSWER_MS, &why), -EPIPE);
	assert_true(kr_clock_now() - start < 2 * KR_NSEC_PER_SEC);
	assert_string_equal(why, "krafla-painter was stopped");
	assert_true(kr_painter_was_killed(painter));
	kr_painter_stop(painter);
	expect_no_child();
	kr_buffer_unref(buffer);
}

static void
no_such_device(void **state)
{
	const struct kr_painter_config config = {.device_uuid = {1}, .driver_uuid = {2}};
	struct kr_painter *painter;
	const char *why = "";

	rig_use(RIG_LAVAPIPE);
	assert_int_equal(kr_painter_start(&config, &painter), 0);
	assert_int_equal(rig_dispatch(painter, 15000, &why), -ENODEV);
	assert_string_equal(why, "there is no such device");
	kr_painter_stop(painter);
	expect_no_child();
}

static void
no_program(void **state)
{
	static char variable[] = "KRAFLA_PAINTER=/nowhere/krafla-painter";
	struct kr_painter *painter;

	assert_int_equal(putenv(variable), 0);
	assert_int_equal(kr_painter_start(&(struct kr_painter_config){0}, &painter), -ENOENT);
}

/* --- taken over --- */

static struct kr_painter *
start_fake(const char *steps)
{
	static char program[] = "KRAFLA_PAINTER=" TEST_FAKE_PAINTER, variable[64];
	struct kr_painter *painter;

	snprintf(variable, sizeof(variable), "FAKE_PAINTER=%s", steps);
	assert_int_equal(putenv(program), 0);
	assert_int_equal(putenv(variable), 0);
	assert_int_equal(kr_painter_start(&(struct kr_painter_config){0}, &painter), 0);
	return painter;
}

/* Asked to look and to draw, as far as it plays along. */
static int
use_fake(struct kr_painter *painter, struct kr_buffer *buffer)
{
	struct kr_painter_result result;
	bool added = false, drawn = false;
	int err = 0;

	for (unsigned i = 0; i < 200 && !err; i++) {
		err = rig_dispatch(painter, 20, NULL);
		if (err || !kr_painter_ready(painter, NULL))
			continue;
		if (!added)
			added = kr_painter_add_buffer(painter, 1, buffer) == 0;
		if (!drawn && kr_painter_buffer(painter, 1, NULL) == KR_PAINTER_GOOD)
			drawn = draw(painter, 1, 1) == 0;
		while (kr_painter_take(painter, &result))
			assert_true(result.error == -EIO && !result.pixels);
	}
	return err;
}

static void
what_it_may_not_say(void **state)
{
	static const char *const steps[] = {
		"x",
		"k",
		"hb",
		"hB",
		"hv",
		"hz",
		"hrr",
		"hg",
		"hd",
		"hp",
		"hrb",
		"hrhG",
		"hrhd",
		"hrhgg",
		"hrhghhD",
		"hrhghhdd",
		"hrhf",
		"hrn",
		"hrhp",
		"hrw",
		"hw",
		"hrhgx",
		"hrhghhk",
	};
	struct kr_buffer *buffer = make_buffer();

	for (size_t i = 0; i < KR_ARRAY_LEN(steps); i++) {
		struct kr_painter *painter = start_fake(steps[i]);

		if (use_fake(painter, buffer) != -EPIPE)
			fail_msg("%s", steps[i]);
		kr_painter_stop(painter);
		expect_no_child();
	}
	kr_buffer_unref(buffer);
}

static void
one_that_says_no(void **state)
{
	struct kr_painter *painter = start_fake("hnh");
	const char *why = "";

	assert_int_equal(rig_dispatch(painter, 5000, &why), -ENODEV);
	assert_string_equal(why, "no");
	kr_painter_stop(painter);
}

/* What doesn't read is given up, and what it was asked stays bounded until then. */
static void
one_that_never_answers(void **state)
{
	struct kr_painter *painter = start_fake("hrs");
	struct kr_buffer *buffer = make_buffer();
	int64_t start;
	int err = 0;

	while (!kr_painter_ready(painter, NULL))
		assert_int_equal(rig_dispatch(painter, 20, NULL), 0);
	start = kr_clock_now();
	for (uint64_t id = 1; id < 5000 && !err; id++)
		err = kr_painter_add_buffer(painter, id, buffer);
	assert_int_equal(err, -ENOBUFS);
	assert_int_equal(rig_dispatch(painter, KR_PAINTER_ANSWER_MS + 3000, NULL), -EPIPE);
	assert_true(kr_clock_now() - start >= KR_PAINTER_ANSWER_MS * KR_NSEC_PER_MSEC);
	kr_painter_stop(painter);
	kr_buffer_unref(buffer);
	expect_no_child();
}

static void
one_that_never_starts(void **state)
{
	struct kr_painter *painter = start_fake("s");
	const char *why = "";

	assert_int_equal(rig_dispatch(painter, KR_PAINTER_START_MS + 3000, &why), -EPIPE);
	assert_string_equal(why, "krafla-painter didn't start in time");
	kr_painter_stop(painter);
	expect_no_child();
}

/* --- what it shares with its parent --- */

/* Neither layers nor displays, no descriptors, another session. */
static void
it_is_alone(void **state)
{
	static char variables[][48] = {"DISPLAY=:7", "WAYLAND_DISPLAY=w", "KRAFLA_DISPLAY=/d",
		"KRAFLA_REPORT=/r", "VK_INSTANCE_LAYERS=l", "VK_LOADER_LAYERS_ENABLE=*",
		"VK_LAYER_PATH=/l", "LD_PRELOAD="};
	struct kr_painter *painter;
	int fd = open("/dev/null", O_RDONLY); /* which exec keeps */

	for (size_t i = 0; i < KR_ARRAY_LEN(variables); i++)
		assert_int_equal(putenv(variables[i]), 0);
	painter = start_fake("herh");
	for (int i = 0; i < 100 && !kr_painter_ready(painter, NULL); i++)
		assert_int_equal(rig_dispatch(painter, 20, NULL), 0);
	assert_true(kr_painter_ready(painter, NULL));
	kr_painter_stop(painter);
	close(fd);
}

static void *
start_in_thread(void *painter)
{
	*(struct kr_painter **)painter = rig_start(NULL);
	return NULL;
}

/* Who started it may end, as long as the process lives. */
static void
it_outlives_a_thread(void **state)
{
	struct kr_painter *painter;
	struct kr_buffer *buffer = make_buffer();
	pthread_t thread;

	rig_use(RIG_LAVAPIPE);
	assert_int_equal(pthread_create(&thread, NULL, start_in_thread, &painter), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(rig_dispatch(painter, 300, NULL), 0);
	assert_int_equal(rig_add(painter, 1, buffer), KR_PAINTER_GOOD);
	kr_painter_stop(painter);
	kr_buffer_unref(buffer);
}

static void
die_with_parent(bool stopped)
{
	int pipe_fds[2], status;
	pid_t parent, painter;

	rig_use(RIG_LAVAPIPE);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	parent = fork();
	if (!parent) {
		(void)rig_start(NULL);
		painter = find_child();
		(void)!write(pipe_fds[1], &painter, sizeof(painter));
		pause();
	}
	assert_int_equal(read(pipe_fds[0], &painter, sizeof(painter)), sizeof(painter));
	if (stopped)
		kill(painter, SIGSTOP);
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	alarm(5);
	assert_int_equal(waitpid(painter, &status, 0), painter);
	alarm(0);
	assert_true(WIFEXITED(status));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void
it_dies_with_its_parent(void **state)
{
	die_with_parent(false);
	die_with_parent(true);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(killed_at_each_step, 0, 60),
	KR_TEST_SLOW(a_hundred_rounds, 0, 120),
	KR_TEST_SLOW(stopping_has_a_limit, 0, 60),
	KR_TEST_SLOW(one_that_is_stopped, 0, 60),
	KR_TEST(no_such_device),
	KR_TEST(no_program),
	KR_TEST_SLOW(what_it_may_not_say, 0, 60),
	KR_TEST(one_that_says_no),
	KR_TEST_SLOW(one_that_never_answers, 0, 60),
	KR_TEST_SLOW(one_that_never_starts, 0, 60),
	KR_TEST_FLAGS(it_is_alone, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(it_outlives_a_thread, KR_TEST_KEEPS_MEMORY),
	KR_TEST(it_dies_with_its_parent),
};
KR_TEST_MAIN(tests)
