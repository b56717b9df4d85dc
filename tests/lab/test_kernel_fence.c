/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Krafla's fences on real sync_files: what the kernel by itself does (rig_*: bare ioctls), and
 * beside it what Krafla answers. Where the two differ the case says which rule Krafla follows. The
 * fences are of krafla_sync; sw_sync is the peer.
 */
#include "rig.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <krafla/kernel_sync.h>
#include <krafla/sync.h>
#include "sync/wait/wait.h"
#include "sync/merge/merge.h"
#include "tests/sync/support.h"

#define SW_SYNC "/sys/kernel/debug/sync/sw_sync"

/* Two timelines with a fence each. */
struct two {
	int timeline[2];
	int fence[2];
};

static struct two
open_two(void)
{
	struct two two;

	for (int i = 0; i < 2; i++) {
		two.timeline[i] = rig_timeline();
		two.fence[i] = rig_fence(two.timeline[i], 1);
	}
	return two;
}

static void
close_two(struct two *two)
{
	for (int i = 0; i < 2; i++) {
		close(two->timeline[i]);
		close(two->fence[i]);
	}
}

/* The point ends with this status. */
static void
end(const struct two *two, int i, int status)
{
	assert_int_equal(rig_move(two->timeline[i], 1, status < 0 ? status : 0), 0);
}

static bool
is_kernel(int fd)
{
	int err = krafla_fence_check_kernel(fd);

	return err != -EOPNOTSUPP && err != -EINVAL;
}

static short
polled(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) > 0 ? p.revents : 0;
}

/* S-08: status, points, names and times of one fence, by libsync. */
static void
libsync_reads_a_kernel_fence(void **state)
{
	struct two two = open_two();
	struct sync_file_info *info = sync_file_info(two.fence[0]);
	int64_t before = kr_clock_now();

	assert_non_null(info);
	assert_int_equal(info->status, 0);
	assert_int_equal(info->num_fences, 1);
	assert_int_equal(sync_get_fence_info(info)->timestamp_ns, 0);
	assert_string_equal(sync_get_fence_info(info)->driver_name, "krafla_sync");
	sync_file_info_free(info);
	assert_int_equal(sync_wait(two.fence[0], 10), -1);
	assert_int_equal(errno, ETIME);
	assert_int_equal(polled(two.fence[0]), 0);
	end(&two, 0, 1);
	assert_int_equal(sync_wait(two.fence[0], 5000), 0);
	info = sync_file_info(two.fence[0]);
	assert_int_equal(info->status, 1);
	assert_true(sync_get_fence_info(info)->timestamp_ns >= (uint64_t)before);
	assert_true(sync_get_fence_info(info)->timestamp_ns <= (uint64_t)kr_clock_now());
	assert_true(kr_fence_signal_time(two.fence[0]) ==
		(int64_t)sync_get_fence_info(info)->timestamp_ns);
	sync_file_info_free(info);
	close_two(&two);
}

/* The kernel's poll says POLLIN for a failure too: a wait is over, the status says how. */
static void
failure_of_a_kernel_fence(void **state)
{
	struct two two = open_two();

	end(&two, 0, -EIO);
	assert_int_equal(polled(two.fence[0]), POLLIN);
	assert_int_equal(sync_wait(two.fence[0], 5000), 0);
	assert_int_equal(kr_fence_wait(two.fence[0], SOON), -EIO);
	assert_int_equal(krafla_fence_check_kernel(two.fence[0]), -EIO);
	close_two(&two);
}

/*
 * S-03. The kernel: a merge drops a member that has failed. Krafla: the merge has failed, and
 * is a kernel fence still.
 */
static void
merge_with_a_failed_fence(void **state)
{
	static const int others[] = {0, 1, -ENODEV};

	for (int i = 0; i < 6; i++) {
		struct two two = open_two();
		int failed = i & 1, raw, ours;

		end(&two, failed, -EIO);
		if (others[i / 2])
			end(&two, !failed, others[i / 2]);
		raw = rig_merge(two.fence[0], two.fence[1]);
		assert_int_equal(rig_status(raw), others[i / 2] != 0);
		ours = sync_merge("merged", two.fence[0], two.fence[1]);
		assert_true(ours >= 0 && is_kernel(ours));
		assert_int_equal(kr_fence_status(ours), failed && i / 2 == 2 ? -ENODEV : -EIO);
		assert_int_equal(polled(ours), POLLIN);
		if (!others[i / 2]) {
			end(&two, !failed, 1);
			assert_int_equal(rig_ended(raw), 1); /* the failure is gone for good */
		}
		close(raw);
		close(ours);
		close_two(&two);
	}
}

/*
 * S-03: a new name is the kernel's self-merge, which makes a success of a failure. Krafla: it stays
 * one.
 */
static void
rename_of_a_failed_fence(void **state)
{
	struct two two = open_two();
	int raw, ours;

	end(&two, 0, -EIO);
	raw = rig_merge(two.fence[0], two.fence[0]);
	assert_int_equal(rig_status(raw), 1);
	assert_int_equal(kr_fence_rename("new", two.fence[0], &ours), 0);
	assert_int_equal(kr_fence_status(ours), -EIO);
	close(ours);
	ours = sync_merge("new", two.fence[0], two.fence[0]);
	assert_int_equal(kr_fence_status(ours), -EIO);
	close(ours);
	close(raw);
	close_two(&two);
}

/*
 * What the kernel says of an array that has a failed and an active member, when asked
 * with its points.
 */
static int
kernel_status_with_points(int fd)
{
	struct {
		struct sync_file_info info;
		struct sync_fence_info points[4];
	} data = {.info = {.num_fences = 4}};

	data.info.sync_fence_info = (uintptr_t)data.points;
	assert_int_equal(rig_ioctl(fd, 0xC0383E04u, &data.info), 0);
	return data.info.status;
}

/*
 * S-03. The kernel: a member that fails after the merge makes a status of 0 or of its
 * failure, by the order of the members, and the other has to end before poll wakes. Krafla: a
 * failure at once for who asks; who polls or waits already hears of it when the kernel wakes
 * him, and it is a failure then.
 */
static void
member_that_fails_after_the_merge(void **state)
{
	int first_says = 0, seen_zero = 0;

	for (int failing = 0; failing < 2; failing++) {
		struct two two = open_two();
		int merged = sync_merge("merged", two.fence[0], two.fence[1]);

		assert_true(merged >= 0 && is_kernel(merged));
		assert_int_equal(kr_fence_status(merged), 0);
		end(&two, failing, -EIO);
		assert_int_equal(rig_status(merged), 0);
		first_says += kernel_status_with_points(merged) == -EIO;
		seen_zero += kernel_status_with_points(merged) == 0;
		assert_int_equal(polled(merged), 0);
		assert_int_equal(kr_fence_status(merged), -EIO);
		assert_int_equal(kr_fence_wait(merged, SOON), -EIO);
		assert_int_equal(krafla_fence_check_kernel(merged), -EIO);
		end(&two, !failing, 1);
		assert_int_equal(rig_ended(merged), -EIO);
		assert_int_equal(kr_fence_wait(merged, SOON), -EIO);
		close(merged);
		close_two(&two);
	}
	assert_int_equal(first_says, 1);
	assert_int_equal(seen_zero, 1);
}

/* A merge of merges: the kernel drops the failed member of an array as well; Krafla doesn't. */
static void
merge_of_a_merge_with_a_failure(void **state)
{
	struct two two = open_two();
	int merged = sync_merge("one", two.fence[0], two.fence[1]), raw, ours;

	end(&two, 0, -EIO);
	raw = rig_merge(merged, two.fence[1]);
	ours = sync_merge("two", merged, two.fence[1]);
	assert_int_equal(kr_fence_status(ours), -EIO);
	end(&two, 1, 1);
	assert_int_equal(rig_ended(raw), 1);
	assert_int_equal(rig_ended(ours), -EIO);
	close(raw);
	close(ours);
	close(merged);
	close_two(&two);
}

static uint32_t
count_points(int fd)
{
	struct sync_file_info *info = sync_file_info(fd);
	uint32_t count = info->num_fences;

	sync_file_info_free(info);
	return count;
}

/* Points of one kernel timeline are the kernel's to collapse: the later one is left. */
static void
points_of_a_timeline_collapse(void **state)
{
	struct two two = open_two();
	int later = rig_fence(two.timeline[0], 7), both, more, merged;

	merged = sync_merge("later", two.fence[0], later);
	assert_int_equal(count_points(merged), 1);
	both = sync_merge("both", merged, two.fence[1]);
	assert_int_equal(count_points(both), 2);
	more = sync_merge("more", both, later);
	assert_int_equal(count_points(more), 2);
	end(&two, 0, 1);
	assert_int_equal(kr_fence_status(merged), 0);
	assert_int_equal(rig_move(two.timeline[0], 7, 0), 0);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	assert_int_equal(kr_fence_status(more), 0);
	end(&two, 1, 1);
	assert_int_equal(kr_fence_wait(more, SOON), 0);
	assert_int_equal(count_points(more), 2);
	close(merged);
	close(both);
	close(more);
	close(later);
	close_two(&two);
}

/* What has signalled is a stub of the kernel's with the latest time, under the new name. */
static void
merge_of_signalled_fences(void **state)
{
	struct two two = open_two();
	struct sync_file_info *info;
	int merged;

	end(&two, 1, 1);
	end(&two, 0, 1);
	assert_int_equal(kr_fence_merge("m", two.fence[0], two.fence[1], &merged), 0);
	assert_int_equal(merged, -1);
	merged = sync_merge("stubbed", two.fence[0], two.fence[1]);
	info = sync_file_info(merged);
	assert_int_equal(info->status, 1);
	assert_string_equal(info->name, "stubbed");
	assert_true(sync_get_fence_info(info)->timestamp_ns ==
		(uint64_t)kr_fence_signal_time(two.fence[0]));
	sync_file_info_free(info);
	close(merged);
	close_two(&two);
}

/* S-03 with one of each kind, in each pair of states and both orders. */
static void
check_mixed(int kernel_state, int user_state, bool kernel_first)
{
	struct kr_fence_label label = {.timeline = "user", .seqno = 1, .name = "user"};
	int expect = kernel_state < 0 || user_state < 0 ? -EIO : kernel_state && user_state;
	struct two two = open_two();
	int producer, user, merged;

	assert_int_equal(kr_fence_create(&label, &producer, &user), 0);
	if (kernel_state)
		end(&two, 0, kernel_state);
	if (user_state)
		kr_fence_signal(producer, user_state);
	merged = kernel_first ? sync_merge("mixed", two.fence[0], user)
			      : sync_merge("mixed", user, two.fence[0]);
	assert_true(merged >= 0);
	assert_int_equal(is_kernel(merged), user_state == 1 && kernel_state != 1);
	assert_int_equal(kr_fence_status(merged), expect);
	if (expect == 0 && !kernel_state) {
		assert_int_equal(kr_fence_wait(merged, kr_clock_now()), -ETIME);
		end(&two, 0, 1);
	}
	if (expect == 0 && !user_state)
		kr_fence_signal(producer, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), expect < 0 ? expect : 0);
	if (!user_state && expect)
		close(producer);
	close(merged);
	close(user);
	close_two(&two);
}

static void
mixed_merges(void **state)
{
	static const int states[] = {0, 1, -EIO};

	for (int i = 0; i < 18; i++)
		check_mixed(states[i % 3], states[i / 3 % 3], i >= 9);
	settle();
}

/* A mixed merge is Krafla's: a failure wakes who waits while the other is still active. */
static void
mixed_merge_fails_at_once(void **state)
{
	struct kr_fence_label label = {.timeline = "user", .seqno = 1, .name = "user"};

	for (int i = 0; i < 2; i++) {
		struct two two = open_two();
		int producer, user, merged;

		assert_int_equal(kr_fence_create(&label, &producer, &user), 0);
		assert_int_equal(kr_fence_merge("mixed", two.fence[0], user, &merged), 0);
		assert_int_equal(count_points(merged), 2);
		if (i)
			close(producer);
		else
			end(&two, 0, -EIO);
		assert_int_equal(kr_fence_wait(merged, SOON), i ? -EOWNERDEAD : -EIO);
		if (!i)
			close(producer);
		close(merged);
		close(user);
		close_two(&two);
	}
	settle();
}

struct sw_sync_create {
	uint32_t value;
	char name[32];
	int32_t fence;
};

struct sw_sync_deadline {
	uint64_t deadline_ns;
	uint32_t pad;
	int32_t fence;
};

static int
sw_sync_fence(int timeline, uint32_t value)
{
	struct sw_sync_create create = {.value = value};

	assert_int_equal(rig_ioctl(timeline, 0xC0285700u, &create), 0);
	return create.fence;
}

/*
 * S-04: a fence of another driver in one merge with ours; its timeline's end is a failure of both.
 */
static void
fences_of_two_drivers(void **state)
{
	int timeline = rig_open(SW_SYNC), fence = sw_sync_fence(timeline, 3), merged;
	struct two two = open_two();
	struct sync_file_info *info;

	merged = sync_merge("drivers", fence, two.fence[0]);
	assert_true(is_kernel(merged));
	info = sync_file_info(merged);
	assert_int_equal(info->num_fences, 2);
	sync_file_info_free(info);
	close(timeline);
	assert_int_equal(kr_fence_wait(fence, SOON), -ENOENT);
	assert_int_equal(kr_fence_status(merged), -ENOENT);
	end(&two, 0, 1);
	assert_int_equal(rig_ended(merged), -ENOENT);
	close(merged);
	close(fence);
	close_two(&two);
}

/* sw_sync keeps the deadline that it is told, and says so. */
static void
deadlines_reach_the_driver(void **state)
{
	int timeline = rig_open(SW_SYNC), fence = sw_sync_fence(timeline, 1);
	struct sw_sync_deadline deadline = {.fence = fence};
	int64_t wanted = kr_deadline_in(KR_NSEC_PER_SEC);

	assert_int_equal(rig_ioctl(timeline, 0xC0105702u, &deadline), -ENOENT);
	assert_int_equal(krafla_fence_set_deadline(fence, wanted), 0);
	deadline = (struct sw_sync_deadline){.fence = fence};
	assert_int_equal(rig_ioctl(timeline, 0xC0105702u, &deadline), 0);
	assert_true(deadline.deadline_ns == (uint64_t)wanted);
	close(fence);
	close(timeline);
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	KR_TEST(libsync_reads_a_kernel_fence),
	KR_TEST(failure_of_a_kernel_fence),
	KR_TEST(merge_with_a_failed_fence),
	KR_TEST(rename_of_a_failed_fence),
	KR_TEST(member_that_fails_after_the_merge),
	KR_TEST(merge_of_a_merge_with_a_failure),
	KR_TEST(points_of_a_timeline_collapse),
	KR_TEST(merge_of_signalled_fences),
	THREAD_TEST(mixed_merges),
	THREAD_TEST(mixed_merge_fails_at_once),
	KR_TEST(fences_of_two_drivers),
	KR_TEST(deadlines_reach_the_driver),
};

KR_TEST_MAIN(tests)
