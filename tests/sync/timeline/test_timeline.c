/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines: one body for all backends. KRAFLA_SYNC_TIMELINE says which one it runs on: user-space
 * fences here; the devices in the lab (tests/lab/list). Where they differ, `quirks` says how.
 */
#include "support.h"

#include <errno.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sync/fence/points.h"
#include "sync/timeline/impl.h"
#include "util/log.h"

#define WITHIN kr_deadline_in(5 * KR_NSEC_PER_SEC)

struct quirks {
	const char *word;
	int destroyed;    /* what open points of a destroyed timeline fail with */
	bool fails;       /* points can fail */
	bool named;       /* the timeline has the name that it was given */
	bool child_holds; /* a forked child that has the device keeps the timeline alive */
};

static const struct quirks backends[] = {
	{"user", -ENOENT, true, true, false},
	{"krafla_sync", -EOWNERDEAD, true, true, true},
	{"sw_sync", -ENOENT, false, false, true},
};

static const struct quirks *
quirks(void)
{
	const char *word = getenv("KRAFLA_SYNC_TIMELINE");

	for (size_t i = 0; i < KR_ARRAY_LEN(backends); i++) {
		if (!strcmp(word ? word : "user", backends[i].word))
			return &backends[i];
	}
	fail_msg("no backend %s", word);
	return NULL;
}

/* S-01: it counts what is submitted. */
static void
counts_jobs(void **state)
{
	struct krafla_timeline *timeline = make_timeline("jobs");
	uint64_t value = 0;
	int fences[3];

	assert_int_equal(krafla_timeline_value(timeline), 0);
	assert_int_equal(krafla_timeline_last(timeline), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(krafla_timeline_submit(timeline, "job", &value, &fences[i]), 0);
		assert_int_equal(value, i + 1);
		assert_int_equal(krafla_timeline_last(timeline), i + 1);
	}
	assert_int_equal(krafla_timeline_signal(timeline, 2), 0);
	assert_int_equal(krafla_timeline_value(timeline), 2);
	assert_int_equal(kr_fence_status(fences[0]), 1);
	assert_int_equal(kr_fence_status(fences[1]), 1);
	assert_int_equal(kr_fence_status(fences[2]), 0);
	assert_int_equal(kr_fence_wait(fences[2], kr_clock_now()), -ETIME);
	assert_int_equal(krafla_timeline_signal(timeline, 3), 0);
	assert_int_equal(kr_fence_wait(fences[2], WITHIN), 0);
	assert_int_equal(krafla_timeline_value(timeline), krafla_timeline_last(timeline));
	for (unsigned i = 0; i < 3; i++)
		close(fences[i]);
	krafla_timeline_destroy(timeline);
	krafla_timeline_destroy(NULL);
}

/* The next job comes after the highest value, whoever asked for that. */
static void
submits_after_what_was_asked_for(void **state)
{
	struct krafla_timeline *timeline = make_timeline("jobs");
	uint64_t value;
	int hundred = point_at(timeline, 100), fence;

	assert_int_equal(krafla_timeline_submit(timeline, NULL, &value, &fence), 0);
	assert_int_equal(value, 101);
	close(fence);
	close(point_at(timeline, 7));
	assert_int_equal(krafla_timeline_last(timeline), 101);
	assert_int_equal(krafla_timeline_signal(timeline, 500), 0);
	assert_int_equal(krafla_timeline_last(timeline), 500);
	assert_int_equal(krafla_timeline_submit(timeline, NULL, NULL, &fence), 0);
	assert_int_equal(krafla_timeline_last(timeline), 501);
	close(fence);
	close(hundred);
	krafla_timeline_destroy(timeline);
}

/* S-01: monotonic. */
static void
never_goes_back(void **state)
{
	struct krafla_timeline *timeline = make_timeline("time");
	int fence = point_at(timeline, 5);

	assert_int_equal(krafla_timeline_signal(timeline, 4), 0);
	assert_int_equal(krafla_timeline_signal(timeline, 4), 0);
	assert_int_equal(krafla_timeline_signal(timeline, 3), -EINVAL);
	assert_int_equal(krafla_timeline_signal(timeline, 0), -EINVAL);
	assert_int_equal(krafla_timeline_value(timeline), 4);
	assert_int_equal(kr_fence_status(fence), 0);
	close(fence);
	krafla_timeline_destroy(timeline);
}

static void
signalled_at_birth(void **state)
{
	struct krafla_timeline *timeline = make_timeline("past");
	int fences[3];

	assert_int_equal(krafla_timeline_signal(timeline, 5), 0);
	fences[0] = point_at(timeline, 0);
	fences[1] = point_at(timeline, 5);
	fences[2] = point_at(timeline, 6);
	assert_int_equal(kr_fence_status(fences[0]), 1);
	assert_int_equal(kr_fence_status(fences[1]), 1);
	assert_int_equal(kr_fence_status(fences[2]), 0);
	assert_true(kr_fence_signal_time(fences[1]) > 0);
	for (unsigned i = 0; i < 3; i++)
		close(fences[i]);
	krafla_timeline_destroy(timeline);
}

/* S-02: in order, whatever order they were asked for; each with its time. */
static void
points_end_in_order(void **state)
{
	enum { COUNT = 200 };

	struct krafla_timeline *timeline = make_timeline("order");
	int fences[COUNT + 1];
	int64_t before = kr_clock_now(), last = before;

	for (unsigned i = 0; i < COUNT; i++) {
		unsigned value = i * 77 % COUNT + 1; /* each once */

		fences[value] = point_at(timeline, value);
	}
	assert_int_equal(krafla_timeline_signal(timeline, COUNT / 2), 0);
	assert_int_equal(krafla_timeline_signal(timeline, COUNT), 0);
	for (unsigned value = 1; value <= COUNT; value++) {
		int64_t time = kr_fence_signal_time(fences[value]);

		assert_int_equal(kr_fence_status(fences[value]), 1);
		assert_true(time >= last);
		last = time;
		close(fences[value]);
	}
	assert_true(last <= kr_clock_now());
	krafla_timeline_destroy(timeline);
}

/*
 * Arbitrary values, signalled in arbitrary steps: what is reached has signalled, nothing else has.
 */
static void
random_values(void **state)
{
	enum { COUNT = 300, RANGE = 1000 };

	struct krafla_timeline *timeline = make_timeline("random");
	uint64_t values[COUNT], now = 0;
	int fences[COUNT];
	unsigned seed = 4;

	for (unsigned i = 0; i < COUNT; i++) {
		values[i] = (unsigned)rand_r(&seed) % RANGE;
		fences[i] = point_at(timeline, values[i]);
	}
	while (now < RANGE) {
		now += (unsigned)rand_r(&seed) % 60;
		assert_int_equal(krafla_timeline_signal(timeline, now), 0);
		for (unsigned i = 0; i < COUNT; i++)
			assert_int_equal(kr_fence_status(fences[i]), values[i] <= now);
	}
	for (unsigned i = 0; i < COUNT; i++)
		close(fences[i]);
	krafla_timeline_destroy(timeline);
}

static void
several_fences_of_a_point(void **state)
{
	struct krafla_timeline *timeline = make_timeline("shared");
	int a = point_at(timeline, 3), b = point_at(timeline, 3);

	close(a);
	a = point_at(timeline, 3);
	assert_int_equal(krafla_timeline_signal(timeline, 3), 0);
	assert_int_equal(kr_fence_status(a), 1);
	assert_int_equal(kr_fence_status(b), 1);
	close(a);
	close(b);
	krafla_timeline_destroy(timeline);
}

/* S-02: a point fails alone, once, and stays what it became, also for those who ask later. */
static void
points_fail(void **state)
{
	struct krafla_timeline *timeline = make_timeline("failing");
	int fences[6], late;

	for (unsigned i = 0; i < 6; i++)
		fences[i] = point_at(timeline, i);
	if (!quirks()->fails) {
		assert_int_equal(krafla_timeline_fail(timeline, 3, -EIO), -EOPNOTSUPP);
		assert_int_equal(kr_fence_status(fences[1]), 0);
		goto end;
	}
	assert_int_equal(krafla_timeline_fail(timeline, 3, -EIO), 0);
	assert_int_equal(krafla_timeline_value(timeline), 3);
	assert_int_equal(kr_fence_status(fences[1]), 1);
	assert_int_equal(kr_fence_status(fences[2]), 1);
	assert_int_equal(kr_fence_status(fences[3]), -EIO);
	assert_int_equal(kr_fence_wait(fences[3], WITHIN), -EIO);
	assert_int_equal(kr_fence_status(fences[4]), 0);
	late = point_at(timeline, 3);
	assert_int_equal(kr_fence_status(late), -EIO);
	close(late);
	assert_int_equal(krafla_timeline_fail(timeline, 3, -EBADMSG), -EINVAL);
	assert_int_equal(krafla_timeline_fail(timeline, 2, -EIO), -EINVAL);
	assert_int_equal(krafla_timeline_signal(timeline, 3), 0);
	assert_int_equal(kr_fence_status(fences[3]), -EIO);
	assert_int_equal(krafla_timeline_signal(timeline, 5), 0);
	assert_int_equal(kr_fence_status(fences[5]), 1);
	late = point_at(timeline, 3);
	assert_int_equal(kr_fence_status(late), -EIO);
	close(late);
	late = point_at(timeline, 4);
	assert_int_equal(kr_fence_status(late), 1);
	close(late);
end:
	assert_int_equal(krafla_timeline_fail(timeline, 9, 0), -EINVAL);
	assert_int_equal(krafla_timeline_fail(timeline, 9, 1), -EINVAL);
	assert_int_equal(krafla_timeline_fail(timeline, 9, -4096), -EINVAL);
	for (unsigned i = 0; i < 6; i++)
		close(fences[i]);
	krafla_timeline_destroy(timeline);
}

/* Many failures, of runs and alone, are all remembered. A device remembers its last run. */
static void
failures_are_remembered(void **state)
{
	struct krafla_timeline *timeline = make_timeline("failing");

	for (unsigned value = 1; quirks()->fails && value <= 200; value++)
		assert_int_equal(value % 7 < 3 ? krafla_timeline_fail(timeline, value,
							 value % 3 == 1 ? -EIO : -ENODEV)
					       : krafla_timeline_signal(timeline, value),
			0);
	for (unsigned value = 1; !strcmp(quirks()->word, "user") && value <= 200; value++) {
		int fence = point_at(timeline, value);

		assert_int_equal(kr_fence_status(fence),
			value % 7 >= 3           ? 1
				: value % 3 == 1 ? -EIO
						 : -ENODEV);
		close(fence);
	}
	krafla_timeline_destroy(timeline);
}

/* S-02: a fence is no more than the timeline's end of it; it outlives that. */
static void
destroying_fails_open_points(void **state)
{
	struct krafla_timeline *timeline = make_timeline("gone");
	int done = point_at(timeline, 1), open[3];

	assert_int_equal(krafla_timeline_signal(timeline, 1), 0);
	for (unsigned i = 0; i < 3; i++)
		open[i] = point_at(timeline, 9 - i);
	krafla_timeline_destroy(timeline);
	assert_int_equal(kr_fence_status(done), 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(kr_fence_wait(open[i], WITHIN), quirks()->destroyed);
		if (i)
			assert_true(
				kr_fence_signal_time(open[i]) <= kr_fence_signal_time(open[i - 1]));
	}
	for (unsigned i = 0; i < 3; i++)
		close(open[i]);
	close(done);
}

/* What sync_file_info tells of a point, while it is active and afterwards. */
static void
expect_info(int fence, int status, const char *timeline, const char *name)
{
	struct sync_file_info *info = sync_file_info(fence);
	struct sync_fence_info *point;

	assert_non_null(info);
	assert_int_equal(info->status, status);
	assert_int_equal(info->num_fences, 1);
	point = sync_get_fence_info(info);
	assert_int_equal(point->status, status);
	assert_int_equal(point->timestamp_ns > 0, status != 0);
	if (quirks()->named)
		assert_string_equal(point->obj_name, timeline);
	if (!strcmp(quirks()->word, "user"))
		assert_string_equal(point->driver_name, "krafla");
	if (name)
		assert_string_equal(info->name, name);
	sync_file_info_free(info);
}

static void
info_shows_the_point(void **state)
{
	struct krafla_timeline *timeline = make_timeline("cube");
	bool user = !strcmp(quirks()->word, "user");
	int named, unnamed;

	need_names();
	assert_string_equal(krafla_timeline_name(timeline), "cube");
	assert_int_equal(krafla_timeline_fence(timeline, "SurfaceView:0", 7, &named), 0);
	assert_int_equal(krafla_timeline_fence(timeline, NULL, 8, &unnamed), 0);
	expect_info(named, 0, "cube", "SurfaceView:0");
	expect_info(unnamed, 0, "cube", "cube-8");
	assert_int_equal(krafla_timeline_signal(timeline, 8), 0);
	expect_info(named, 1, "cube", "SurfaceView:0");
	expect_info(unnamed, 1, "cube", "cube-8");
	close(unnamed);
	assert_int_equal(krafla_timeline_fence(timeline, NULL, 8, &unnamed), 0);
	expect_info(unnamed, 1, "cube", user ? "cube-8" : NULL);
	close(named);
	close(unnamed);
	krafla_timeline_destroy(timeline);
}

/* Names that don't fit keep the value; what a terminal would obey is taken out. */
static void
long_names(void **state)
{
	struct krafla_timeline *timeline =
		make_timeline("0123456789abcdefghij\n0123456789abcdefghij");
	const char *name = krafla_timeline_name(timeline);
	int fence;

	need_names();
	assert_string_equal(name, "0123456789abcdefghij_0123456789");
	assert_int_equal(krafla_timeline_fence(timeline, NULL, 1234567890123, &fence),
		strcmp(quirks()->word, "sw_sync") ? 0 : -EOVERFLOW);
	if (strcmp(quirks()->word, "sw_sync")) {
		expect_info(fence, 0, name, "0123456789abcdefg-1234567890123");
		close(fence);
	}
	krafla_timeline_destroy(timeline);
}

static void
say_frame(void *data, uint64_t value, char *out, size_t room)
{
	snprintf(out, room, "%s %llu", (const char *)data, (unsigned long long)value);
}

static int
give_data(void *data, uint64_t value, void *out, size_t room)
{
	if (value == 13)
		return -ENODATA;
	if (value == 14)
		return (int)room + 1;
	memset(out, (int)value, room);
	return (int)room - 1;
}

/* S-01: values as text, driver data. */
static void
driver_functions(void **state)
{
	struct krafla_timeline_ops ops = {
		.size = sizeof(ops), .value_text = say_frame, .fill_driver_data = give_data};
	struct krafla_timeline *timeline;
	char word[] = "frame", text[16], data[4] = {0};

	assert_int_equal(krafla_timeline_create("t", &ops, word, &timeline), 0);
	memset(&ops, 0xff, sizeof(ops)); /* it has a copy */
	assert_int_equal(krafla_timeline_signal(timeline, 3), 0);
	krafla_timeline_value_text(timeline, text, sizeof(text));
	assert_string_equal(text, "frame 3");
	krafla_timeline_point_text(timeline, 12, text, sizeof(text));
	assert_string_equal(text, "frame 12");
	krafla_timeline_point_text(timeline, 12, text, 4);
	assert_string_equal(text, "fra");
	assert_int_equal(krafla_timeline_driver_data(timeline, 9, data, 4), 3);
	assert_memory_equal(data, "\t\t\t\t", 4);
	assert_int_equal(krafla_timeline_driver_data(timeline, 13, data, 4), -ENODATA);
	assert_int_equal(krafla_timeline_driver_data(timeline, 14, data, 4), -EOVERFLOW);
	krafla_timeline_destroy(timeline);
}

/* One that doesn't end its text: it is ended for it. */
static void
say_without_end(void *data, uint64_t value, char *out, size_t room)
{
	memset(out, 'x', room);
}

static void
without_driver_functions(void **state)
{
	struct krafla_timeline_ops ops = {
		.size = offsetof(struct krafla_timeline_ops, fill_driver_data),
		.value_text = say_without_end,
		.fill_driver_data = give_data};
	struct krafla_timeline *timeline = make_timeline("plain");
	char text[8], data[4];

	krafla_timeline_point_text(timeline, UINT64_MAX, text, sizeof(text));
	assert_string_equal(text, "1844674");
	krafla_timeline_value_text(timeline, text, sizeof(text));
	assert_string_equal(text, "0");
	assert_int_equal(krafla_timeline_driver_data(timeline, 9, data, 4), 0);
	krafla_timeline_destroy(timeline);
	/* A program that knows the first function alone. */
	assert_int_equal(krafla_timeline_create("t", &ops, NULL, &timeline), 0);
	krafla_timeline_point_text(timeline, 1, text, sizeof(text));
	assert_string_equal(text, "xxxxxxx");
	assert_int_equal(krafla_timeline_driver_data(timeline, 9, data, 4), 0);
	krafla_timeline_destroy(timeline);
}

static void
refused(void **state)
{
	struct krafla_timeline_ops ops = {.size = 4};
	struct krafla_timeline *timeline = (void *)1;

	assert_int_equal(krafla_timeline_create(NULL, NULL, NULL, &timeline), -EINVAL);
	assert_int_equal(krafla_timeline_create("", NULL, NULL, &timeline), -EINVAL);
	assert_int_equal(krafla_timeline_create("t", &ops, NULL, &timeline), -EINVAL);
	assert_ptr_equal(timeline, (void *)1);
}

static void
values_end(void **state)
{
	struct krafla_timeline *timeline = make_timeline("end");
	uint64_t value = 77;
	int fence = 1234;

	if (!strcmp(quirks()->word, "sw_sync")) {
		/* 32 bits: as far ahead as they can tell from the past. */
		close(point_at(timeline, INT32_MAX));
		assert_int_equal(
			krafla_timeline_fence(timeline, NULL, 1u << 31, &fence), -EOVERFLOW);
		assert_int_equal(krafla_timeline_signal(timeline, 3000000000), 0);
		close(point_at(timeline, 5000000000));
		assert_int_equal(krafla_timeline_signal(timeline, 5000000000), 0);
		fence = point_at(timeline, 1);
		assert_int_equal(kr_fence_status(fence), 1);
		close(fence);
	} else {
		close(point_at(timeline, UINT64_MAX));
		assert_int_equal(
			krafla_timeline_submit(timeline, NULL, &value, &fence), -EOVERFLOW);
		assert_int_equal(value, 77);
		assert_int_equal(fence, 1234);
		assert_int_equal(krafla_timeline_signal(timeline, UINT64_MAX), 0);
		assert_int_equal(krafla_timeline_signal(timeline, UINT64_MAX), 0);
	}
	krafla_timeline_destroy(timeline);
}

/* S-05: only the owner. The child can do nothing, and by its end nothing happens. */
static void
only_the_owner_signals(void **state)
{
	struct krafla_timeline *timeline = make_timeline("owned");
	int fence = point_at(timeline, 1);
	pid_t child = fork();

	if (child == 0) {
		uint64_t value;
		int made;
		bool ok = krafla_timeline_signal(timeline, 1) == -EPERM &&
			krafla_timeline_fail(timeline, 1, -EIO) == -EPERM &&
			krafla_timeline_submit(timeline, NULL, &value, &made) == -EPERM &&
			krafla_timeline_fence(timeline, NULL, 1, &made) == -EPERM &&
			krafla_timeline_value(timeline) == 0 &&
			krafla_timeline_last(timeline) == 1 && kr_fence_status(fence) == 0;

		krafla_timeline_destroy(timeline);
		ok = ok && !krafla_timeline_create("own", NULL, NULL, &timeline) &&
			!krafla_timeline_submit(timeline, NULL, &value, &made) &&
			!krafla_timeline_signal(timeline, value) && kr_fence_status(made) == 1;
		_exit(ok ? 0 : 1);
	}
	assert_int_equal(wait_for(child), 0);
	assert_int_equal(kr_fence_status(fence), 0);
	assert_int_equal(krafla_timeline_signal(timeline, 1), 0);
	assert_int_equal(kr_fence_status(fence), 1);
	close(fence);
	krafla_timeline_destroy(timeline);
}

/*
 * The owner's death is its points' failure; a child that it leaves delays that with a device alone.
 */
static void
death_of_the_owner(void **state)
{
	int channel[2], fence, held[2];
	char byte;
	pid_t owner;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
	assert_int_equal(pipe(held), 0);
	owner = fork();
	if (owner == 0) {
		struct krafla_timeline *timeline = make_timeline("dying");

		alarm(20);
		send_fd(channel[1], point_at(timeline, 1));
		if (fork() == 0) {
			close(held[1]);
			_exit((int)read(held[0], &byte, 1));
		}
		close(receive_fd(channel[1]));
		raise(SIGKILL);
	}
	fence = receive_fd(channel[0]);
	assert_int_equal(kr_fence_status(fence), 0);
	send_fd(channel[0], 0);
	assert_int_equal(wait_for(owner), 128 + SIGKILL);
	if (quirks()->child_holds)
		assert_int_equal(kr_fence_wait(fence, kr_clock_now()), -ETIME);
	else
		assert_int_equal(kr_fence_wait(fence, WITHIN), -EOWNERDEAD);
	close(held[1]);
	close(held[0]);
	assert_int_equal(kr_fence_wait(fence, WITHIN),
		quirks()->child_holds ? quirks()->destroyed : -EOWNERDEAD);
	close(fence);
	close(channel[0]);
	close(channel[1]);
}

static void
limit_fds(rlim_t count)
{
	struct rlimit limit = {count, 20000};

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Without descriptors nothing happens, and no value is used up. */
static void
without_descriptors(void **state)
{
	struct krafla_timeline *timeline = make_timeline("full");
	int fences[100], spare[4], count = 0, spares = 0, err;
	uint64_t value = 0;

	limit_fds(64);
	while (!(err = krafla_timeline_submit(timeline, NULL, &value, &fences[count])))
		count++;
	assert_int_equal(err, -EMFILE);
	assert_true(count >= 20);
	assert_int_equal(value, count);
	assert_int_equal(krafla_timeline_last(timeline), count);
	/* One that is given up makes room for another: its own descriptor, and the timeline's. */
	while (spares < 4 && (spare[spares] = dup(0)) >= 0)
		spares++;
	close(fences[--count]);
	err = krafla_timeline_submit(timeline, NULL, &value, &fences[count]);
	while (spares)
		close(spare[--spares]);
	assert_int_equal(err, 0);
	assert_int_equal(value, ++count + 1);
	assert_int_equal(krafla_timeline_signal(timeline, value), 0);
	while (count--) {
		assert_int_equal(kr_fence_status(fences[count]), 1);
		close(fences[count]);
	}
	krafla_timeline_destroy(timeline);
}

/* Fences that are dropped while their timeline stands still cost nothing for long. */
static void
dropped_fences(void **state)
{
	struct krafla_timeline *timeline = make_timeline("dropped");
	int fds = kr_test_count_fds(), kept = point_at(timeline, 5000);

	for (unsigned i = 1; i <= 10000; i++)
		close(point_at(timeline, i));
	assert_true(kr_test_count_fds() - fds < 100);
	assert_int_equal(krafla_timeline_signal(timeline, 4999), 0);
	assert_int_equal(kr_fence_status(kept), 0);
	assert_int_equal(krafla_timeline_signal(timeline, 5000), 0);
	assert_int_equal(kr_fence_status(kept), 1);
	close(kept);
	krafla_timeline_destroy(timeline);
}

/* As many as the limit allows, up to 100,000: each costs the same. */
static void
many_open_points(void **state)
{
	struct rlimit limit;
	unsigned count, failed = 0;
	int *fences;
	struct krafla_timeline *timeline = make_timeline("many");

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	count = (unsigned)KR_MIN((limit.rlim_cur - 100) / 2, (rlim_t)100000);
	fences = calloc(count, sizeof(*fences));
	for (unsigned i = 0; i < count; i++)
		fences[i] = point_at(timeline, count - i);
	assert_int_equal(krafla_timeline_last(timeline), count);
	for (unsigned value = 0; value <= count; value += count / 16)
		assert_int_equal(krafla_timeline_signal(timeline, value), 0);
	assert_int_equal(krafla_timeline_signal(timeline, count), 0);
	for (unsigned i = 0; i < count; i++) {
		failed += kr_fence_status(fences[i]) != 1;
		close(fences[i]);
	}
	assert_int_equal(failed, 0);
	free(fences);
	krafla_timeline_destroy(timeline);
}

enum { WORKERS = 4, JOBS = 400 };

struct shared {
	struct krafla_timeline *timeline;
	atomic_uint wrong;
};

/* Jobs from several threads, each of which also moves the timeline on. */
static void *
work(void *data)
{
	struct shared *shared = data;

	for (unsigned i = 0; i < JOBS; i++) {
		uint64_t value;
		int fence, err;

		if (krafla_timeline_submit(shared->timeline, NULL, &value, &fence)) {
			atomic_fetch_add(&shared->wrong, 1);
			continue;
		}
		err = krafla_timeline_signal(shared->timeline, value);
		if ((err && err != -EINVAL) || kr_fence_status(fence) != 1 ||
			krafla_timeline_value(shared->timeline) < value)
			atomic_fetch_add(&shared->wrong, 1);
		close(fence);
	}
	return NULL;
}

static void
threads_share_it(void **state)
{
	struct shared shared = {make_timeline("shared"), 0};
	pthread_t threads[WORKERS];

	for (unsigned i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, &shared), 0);
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(shared.wrong, 0);
	assert_int_equal(krafla_timeline_last(shared.timeline), WORKERS * JOBS);
	assert_int_equal(krafla_timeline_value(shared.timeline), WORKERS * JOBS);
	krafla_timeline_destroy(shared.timeline);
}

enum { STEPS = 400, SPREAD = 4 };

struct watched {
	struct krafla_timeline *timeline;
	int fences[STEPS];
	atomic_bool stop;
};

/*
 * No point is seen done before one that comes first, also among those that are asked for meanwhile.
 */
static void *
watch_order(void *data)
{
	struct watched *watched = data;
	uintptr_t wrong = 0;

	while (!atomic_load(&watched->stop)) {
		int later = STEPS - 1, asked;
		uint64_t value;

		while (later >= 0 && kr_fence_status(watched->fences[later]) == 0)
			later--;
		for (int i = 0; i < later; i++)
			wrong += kr_fence_status(watched->fences[i]) != 1;
		value = krafla_timeline_value(watched->timeline);
		if (krafla_timeline_fence(watched->timeline, NULL, value, &asked))
			return (void *)1;
		wrong += kr_fence_status(asked) != 1;
		for (uint64_t i = 0; i < value; i++)
			wrong += kr_fence_status(watched->fences[i]) != 1;
		close(asked);
	}
	return (void *)wrong;
}

/* S-11: everything that was queued before a signalled point is done. */
static void
order_is_seen_by_others(void **state)
{
	for (unsigned round = 0; round < 5; round++) {
		struct watched watched = {make_timeline("seen"), .stop = false};
		pthread_t watcher;
		void *wrong;

		for (unsigned i = 0; i < STEPS; i++)
			watched.fences[i] = point_at(watched.timeline, i + 1);
		assert_int_equal(pthread_create(&watcher, NULL, watch_order, &watched), 0);
		for (unsigned value = 1; value <= STEPS; value += STEPS / SPREAD)
			assert_int_equal(krafla_timeline_signal(
						 watched.timeline, value + STEPS / SPREAD - 1),
				0);
		atomic_store(&watched.stop, true);
		assert_int_equal(pthread_join(watcher, &wrong), 0);
		assert_null(wrong);
		for (unsigned i = 0; i < STEPS; i++)
			close(watched.fences[i]);
		krafla_timeline_destroy(watched.timeline);
	}
}

enum { CROWD = 1000, TRIES = 300 };

struct crowd {
	struct krafla_timeline *timeline;
	int fences[CROWD];
	atomic_bool ready;
	bool early;
};

/* Woken by the first of many: has it got the timeline before the last has signalled? */
static void *
use_when_woken(void *data)
{
	struct crowd *crowd = data;
	int fence;

	atomic_store(&crowd->ready, true);
	if (kr_fence_wait(crowd->fences[0], WITHIN) ||
		krafla_timeline_fence(crowd->timeline, NULL, CROWD + 1, &fence))
		return (void *)1;
	crowd->early = kr_fence_status(crowd->fences[CROWD - 1]) == 0;
	close(fence);
	return NULL;
}

/*
 * Signals are sent without the lock that those who are woken by them need. It takes a
 * second processor to see it, so it is tried until it is seen. A device wakes all
 * before it answers anybody.
 */
static void
woken_ones_get_the_timeline(void **state)
{
	bool early = false;

	for (unsigned i = 0; i < (strcmp(quirks()->word, "user") ? 3 : TRIES) && !early; i++) {
		struct crowd crowd = {.timeline = make_timeline("crowd")};
		pthread_t waiter;
		void *wrong;

		for (unsigned j = 0; j < CROWD; j++)
			crowd.fences[j] = point_at(crowd.timeline, j + 1);
		assert_int_equal(pthread_create(&waiter, NULL, use_when_woken, &crowd), 0);
		while (!atomic_load(&crowd.ready))
			poll(NULL, 0, 1);
		assert_int_equal(krafla_timeline_signal(crowd.timeline, CROWD), 0);
		assert_int_equal(pthread_join(waiter, &wrong), 0);
		assert_null(wrong);
		early = crowd.early;
		for (unsigned j = 0; j < CROWD; j++)
			close(crowd.fences[j]);
		krafla_timeline_destroy(crowd.timeline);
	}
	assert_int_equal(early, !strcmp(quirks()->word, "user"));
}

/* S-03 across timelines and with what a merge makes of it. */
static void
merges_of_points(void **state)
{
	struct krafla_timeline *a = make_timeline("a"), *b = make_timeline("b");
	int fences[2] = {point_at(a, 1), point_at(b, 1)}, merged;

	assert_int_equal(kr_fence_merge("both", fences[0], fences[1], &merged), 0);
	assert_int_equal(krafla_timeline_signal(a, 1), 0);
	assert_int_equal(kr_fence_wait(merged, kr_clock_now()), -ETIME);
	krafla_timeline_destroy(b);
	assert_int_equal(kr_fence_wait(merged, WITHIN), quirks()->destroyed);
	close(merged);
	close(fences[0]);
	close(fences[1]);
	krafla_timeline_destroy(a);
	settle();
}

static char said[1024];
static unsigned said_times;

static void
hear(void *data, uint32_t bits, const char *message)
{
	if (bits & KR_LOG_ERROR) {
		snprintf(said, sizeof(said), "%s%s", bits & KR_LOG_LOUD ? "LOUD " : "", message);
		said_times++;
	}
}

/* No silent replacement of what was asked for. */
static void
unknown_backend(void **state)
{
	struct krafla_timeline *timeline = (void *)1;

	setenv("KRAFLA_SYNC_TIMELINE", "swsync", 1);
	kr_log_set_sink(hear, NULL);
	assert_int_equal(krafla_timeline_create("t", NULL, NULL, &timeline), -EINVAL);
	assert_non_null(strstr(said, "LOUD KRAFLA_SYNC_TIMELINE is 'swsync'"));
	assert_int_equal(sw_sync_timeline_create(), -1);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(timeline, (void *)1);
	assert_int_equal(said_times, 1);
}

/*
 * Told aloud and once, with what to do; not where all descriptors are taken, which is
 * another fault.
 */
static void
device_that_cant_be_opened(void **state)
{
	const struct kr_timeline_impl missing = {.word = "stone", .device = "/nonexistent/stone"};
	int fd = -1, full;

	kr_log_set_sink(hear, NULL);
	limit_fds(0);
	full = kr_timeline_open_device(&missing, &fd);
	limit_fds(64);
	assert_int_equal(full, -EMFILE);
	assert_int_equal(said_times, 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kr_timeline_open_device(&missing, &fd), -ENOENT);
		assert_int_equal(fd, -1);
		assert_int_equal(said_times, 1);
	}
	assert_string_equal(said,
		"LOUD KRAFLA_SYNC_TIMELINE is 'stone', but /nonexistent/stone can't be opened: No such file or directory. Load the kernel module, let this user open it, or unset the variable");
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	KR_TEST(counts_jobs),
	KR_TEST(submits_after_what_was_asked_for),
	KR_TEST(never_goes_back),
	KR_TEST(signalled_at_birth),
	KR_TEST(points_end_in_order),
	KR_TEST(random_values),
	KR_TEST(several_fences_of_a_point),
	KR_TEST(points_fail),
	KR_TEST(failures_are_remembered),
	KR_TEST(destroying_fails_open_points),
	KR_TEST(info_shows_the_point),
	KR_TEST(long_names),
	KR_TEST(driver_functions),
	KR_TEST(without_driver_functions),
	KR_TEST(refused),
	KR_TEST(values_end),
	KR_TEST(only_the_owner_signals),
	KR_TEST(death_of_the_owner),
	KR_TEST(without_descriptors),
	KR_TEST_SLOW(dropped_fences, 0, 60),
	KR_TEST_SLOW(many_open_points, 0, 120),
	THREAD_TEST(threads_share_it),
	KR_TEST_SLOW(order_is_seen_by_others, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(woken_ones_get_the_timeline, KR_TEST_KEEPS_MEMORY, 120),
	THREAD_TEST(merges_of_points),
	THREAD_TEST(unknown_backend),
	KR_TEST(device_that_cant_be_opened),
};

KR_TEST_MAIN(tests)
