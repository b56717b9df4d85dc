/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a fence: by its names, by the kernel, by the reactor; and as a sentence. */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sync/wait/describe.h"
#include "util/log.h"

static struct kr_fence_description
describe(int fence)
{
	struct kr_fence_description d;

	assert_int_equal(kr_fence_describe(fence, &d), 0);
	return d;
}

/* S-01, S-02 */
static void
user_fence_is_described(void **state)
{
	int64_t before = kr_clock_now();
	struct pair pair = make_pair("SurfaceView:0");
	struct kr_fence_description d = describe(pair.fence);

	need_names();
	assert_int_equal(d.kind, KR_FENCE_KIND_USER);
	assert_int_equal(d.status, KR_FENCE_ACTIVE);
	assert_string_equal(d.name, "SurfaceView:0");
	assert_string_equal(d.timeline, "test");
	assert_string_equal(d.driver, "krafla");
	assert_int_equal(d.point, 7);
	assert_int_equal(d.points, 1);
	assert_int_equal(d.owner, getpid());
	/* The label holds whole milliseconds. */
	assert_true(d.created_ns > before - 2 * KR_NSEC_PER_MSEC && d.created_ns <= kr_clock_now());
	signal_pair(&pair, -EIO);
	d = describe(pair.fence);
	assert_int_equal(d.status, -EIO);
	assert_string_equal(d.name, "SurfaceView:0");
	close_pair(&pair);
}

/* S-07: the newer name, the point as it was. */
static void
renamed_fence_has_its_newer_name(void **state)
{
	struct pair pair = make_pair("old");
	struct kr_fence_description d;
	int renamed;

	need_names();
	assert_int_equal(kr_fence_rename("cube:2", pair.fence, &renamed), 0);
	d = describe(renamed);
	assert_string_equal(d.name, "cube:2");
	assert_string_equal(d.timeline, "test");
	assert_int_equal(d.point, 7);
	close(renamed);
	close_pair(&pair);
}

/* A fence whose name was denied is one all the same, and the kernel knows its owner. */
static void
unnamed_fence_has_an_owner(void **state)
{
	struct kr_fence_description d;
	char sentence[KR_FENCE_SENTENCE], expected[KR_FENCE_SENTENCE];
	struct pair pair;

	deny(SYS_bind, EPERM);
	pair = make_pair("hidden");
	d = describe(pair.fence);
	assert_string_equal(d.name, "");
	assert_string_equal(d.timeline, "");
	assert_int_equal(d.owner, getpid());
	assert_int_equal(d.created_ns, 0);
	kr_fence_sentence(&d, sentence);
	snprintf(expected, sizeof(expected), "without a name (made by process %d)", (int)getpid());
	assert_string_equal(sentence, expected);
	close_pair(&pair);
}

/* The owner is who made it, whatever its name says: a child here. */
static void
owner_is_told_by_the_kernel(void **state)
{
	int ends[2], fence;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	child = fork();
	if (!child) {
		struct pair pair = make_pair("child's");

		send_fd(ends[1], pair.fence);
		_exit(0);
	}
	assert_int_equal(wait_for(child), 0);
	fence = receive_fd(ends[0]);
	assert_int_equal(describe(fence).owner, child);
	assert_int_equal(describe(fence).status, -EOWNERDEAD);
	close(fence);
	close(ends[0]);
	close(ends[1]);
}

/* A merge is described by the input that holds it up, also through a merge of merges. */
static void
merge_tells_what_it_waits_for(void **state)
{
	struct kr_fence_label label = {.timeline = "slow", .seqno = 42, .name = "s"};
	struct pair first = make_pair("first"), second = make_pair("second"), slow;
	int inner, outer;
	struct kr_fence_description d;

	need_names();
	assert_int_equal(kr_fence_create(&label, &slow.producer, &slow.fence), 0);
	assert_int_equal(kr_fence_merge("inner", first.fence, slow.fence, &inner), 0);
	assert_int_equal(kr_fence_merge("outer", second.fence, inner, &outer), 0);
	d = describe(outer);
	assert_string_equal(d.name, "outer");
	assert_string_equal(d.timeline, "test");
	assert_int_equal(d.points, 3);
	signal_pair(&second, 1);
	signal_pair(&first, 1);
	d = describe(outer);
	assert_string_equal(d.timeline, "slow");
	assert_int_equal(d.point, 42);
	assert_int_equal(d.owner, getpid());
	signal_pair(&slow, 1);
	assert_int_equal(kr_fence_wait(outer, SOON), 0);
	assert_int_equal(describe(outer).status, KR_FENCE_SIGNALLED);
	close(inner);
	close(outer);
	close_pair(&first);
	close_pair(&second);
	close_pair(&slow);
	settle();
}

static void
kernel_fence_is_described(void **state)
{
	int point1, point2, fence1, fence2, merged;
	struct kr_fence_description d;

	fake_kernel_install();
	fence1 = fake_fence("vsync", &point1);
	fence2 = fake_fence("render", &point2);
	d = describe(fence1);
	assert_int_equal(d.kind, KR_FENCE_KIND_KERNEL);
	assert_string_equal(d.timeline, "vsync");
	assert_int_equal(d.owner, 0);
	assert_int_equal(d.points, 1);
	assert_int_equal(kr_fence_merge_kernel("both", fence1, fence2, &merged), 0);
	d = describe(merged);
	assert_string_equal(d.name, "both");
	assert_string_equal(d.timeline, "vsync");
	assert_int_equal(d.points, 2);
	fake_signal(point1, 1);
	assert_string_equal(describe(merged).timeline, "render");
	fake_signal(point2, 1);
	close(merged);
	close(fence1);
	close(fence2);
	fake_kernel_remove();
}

/* In a mixed merge the kernel's point is blamed, with its driver and without an owner. */
static void
mixed_merge_blames_the_kernel(void **state)
{
	struct pair pair = make_pair("user");
	int point, fence, merged;
	struct kr_fence_description d;

	need_names();
	fake_kernel_install();
	fence = fake_fence("vsync", &point);
	assert_int_equal(kr_fence_merge("mixed", pair.fence, fence, &merged), 0);
	signal_pair(&pair, 1);
	d = describe(merged);
	assert_string_equal(d.name, "mixed");
	assert_string_equal(d.timeline, "vsync");
	assert_string_not_equal(d.driver, "krafla");
	assert_int_equal(d.owner, 0);
	fake_signal(point, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	close(fence);
	close_pair(&pair);
	settle();
	fake_kernel_remove();
}

/* S-07: a kernel fence gets its name with a new sync_file, in place of the old one. */
static void
held_kernel_fence_is_renamed(void **state)
{
	int point, failing, fence, before;

	fake_kernel_install();
	fence = fake_fence("render", &point);
	before = kr_test_count_fds();
	kr_fence_rename_held("cube:0", &fence);
	assert_string_equal(describe(fence).name, "cube:0");
	assert_int_equal(kr_test_count_fds(), before + 1); /* the fake's own end of the new one */
	fake_signal(point, 1);
	assert_int_equal(kr_fence_status(fence), 1);
	kr_fence_rename_held("cube:1", &fence);
	assert_string_equal(describe(fence).name, "cube:0");
	close(fence);
	/* S-03: the kernel's merge would lose the error. */
	fence = fake_fence("render", &failing);
	fake_signal(failing, -EIO);
	kr_fence_rename_held("cube:2", &fence);
	assert_int_equal(kr_fence_status(fence), -EIO);
	close(fence);
	fake_kernel_remove();
}

/* B-84 */
static void
no_fence_is_no_fence(void **state)
{
	struct kr_fence_description d = {.point = 99};
	int event = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(kr_fence_describe(-1, &d), -EINVAL);
	assert_int_equal(kr_fence_describe(event, &d), -EINVAL);
	assert_int_equal(d.point, 99);
	close(event);
}

static void
sentences(void **state)
{
	struct kr_fence_description d = {.kind = KR_FENCE_KIND_USER,
		.name = "SurfaceView:0",
		.timeline = "cube",
		.point = 7,
		.points = 1,
		.owner = 4711,
		.created_ns = kr_clock_now() - 3250 * KR_NSEC_PER_MSEC};
	char text[KR_FENCE_SENTENCE];

	kr_fence_sentence(&d, text);
	assert_string_equal(
		text, "'SurfaceView:0' (point 7 of cube, made by process 4711 3.2 s ago)");
	d = (struct kr_fence_description){.kind = KR_FENCE_KIND_KERNEL,
		.name = "vgem-unbound9-1",
		.timeline = "unbound",
		.driver = "vgem",
		.points = 3};
	kr_fence_sentence(&d, text);
	assert_string_equal(
		text, "'vgem-unbound9-1' (on unbound, one of 3 points, of the kernel driver vgem)");
	d = (struct kr_fence_description){.points = 1};
	kr_fence_sentence(&d, text);
	assert_string_equal(text, "without a name");
	memset(d.name, 'n', 31);
	memset(d.timeline, 't', 31);
	memset(d.driver, 'd', 31);
	d.kind = KR_FENCE_KIND_KERNEL;
	d.point = UINT64_MAX;
	d.points = UINT32_MAX;
	d.owner = INT32_MAX;
	d.created_ns = 1;
	kr_fence_sentence(&d, text);
	assert_true(strlen(text) < KR_FENCE_SENTENCE);
	assert_int_equal(text[strlen(text) - 1], ')');
}

static char logged[1024];

static void
remember(void *data, uint32_t bits, const char *message)
{
	(void)data;
	assert_true(bits & KR_LOG_WARN);
	snprintf(logged, sizeof(logged), "%s", message);
}

static void
late_fence_is_named(void **state)
{
	struct pair pair = make_pair("cube:1");
	char command[40];

	need_names();
	kr_log_set_sink(remember, NULL);
	kr_fence_log_late(pair.fence, "a frame of 'vkcube'", 3 * KR_NSEC_PER_SEC);
	snprintf(command, sizeof(command), "'krafla fences %d'", (int)getpid());
	assert_non_null(strstr(logged, "a frame of 'vkcube' has waited 3.0 s"));
	assert_non_null(strstr(logged, "'cube:1' (point 7 of test"));
	assert_non_null(strstr(logged, command));
	/* Nothing to say of a fence that is done, nor of what is none. */
	logged[0] = '\0';
	signal_pair(&pair, 1);
	kr_fence_log_late(pair.fence, "a frame", 3 * KR_NSEC_PER_SEC);
	kr_fence_log_late(-1, "a frame", 3 * KR_NSEC_PER_SEC);
	assert_string_equal(logged, "");
	close_pair(&pair);
	kr_log_set_sink(NULL, NULL);
}

/* What the kernel's table of sockets says, or what others make of such names. */
static void
names_are_parsed(void **state)
{
	static const char *const bad[] = {
		"", "syncf/", "syncf/1/2.3/t", "syncf/1/2.3/t/5", "other", "syncn/1/2.3//0/n"};
	const char *good = "syncf/4711/1f.3e8~ab/cube/7/SurfaceView:0/left";
	struct kr_sync_name name = {0};

	assert_true(kr_sync_name_parse(good, strlen(good), KR_SYNC_NAME_FENCE, &name));
	assert_int_equal(name.pid, 4711);
	assert_int_equal(name.counter, 0x1f);
	assert_int_equal(name.created_ns, 1000 * KR_NSEC_PER_MSEC);
	assert_string_equal(name.timeline, "cube");
	assert_int_equal(name.seqno, 7);
	assert_string_equal(name.name, "SurfaceView:0/left");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(kr_sync_name_parse(bad[i], strlen(bad[i]), KR_SYNC_NAME_FENCE, &name));
	good = "syncf/99999999999/1.ffffffffffffffff/t/1/n";
	assert_true(kr_sync_name_parse(good, strlen(good), KR_SYNC_NAME_FENCE, &name));
	assert_int_equal(name.pid, 0);
	assert_int_equal(name.created_ns, 0);
}

static const struct kr_test tests[] = {
	KR_TEST(user_fence_is_described),
	KR_TEST(renamed_fence_has_its_newer_name),
	KR_TEST(unnamed_fence_has_an_owner),
	KR_TEST(owner_is_told_by_the_kernel),
	/* The thread that a merge starts leaves libc's record of it behind. */
	KR_TEST_FLAGS(merge_tells_what_it_waits_for, KR_TEST_KEEPS_MEMORY),
	KR_TEST(kernel_fence_is_described),
	KR_TEST_FLAGS(mixed_merge_blames_the_kernel, KR_TEST_KEEPS_MEMORY),
	KR_TEST(held_kernel_fence_is_renamed),
	KR_TEST(no_fence_is_no_fence),
	KR_TEST(sentences),
	KR_TEST(late_fence_is_named),
	KR_TEST(names_are_parsed),
};
KR_TEST_MAIN(tests)
