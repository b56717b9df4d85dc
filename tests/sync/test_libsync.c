/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsync (S-08): exact errors and layouts, and the cases of the platform's own sync_test and of Linux'
 * sync selftests, under their names, on user-space fences. Their timelines count up; here a point is a
 * fence, so a timeline is an array of them that are signalled in order. What they have and this has not:
 * points of one timeline are not collapsed by a merge (merge.c).
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include <krafla/sync.h>

#define POINTS 8

struct timeline {
	char name[16];
	int value;
	struct pair points[POINTS]; /* value 1 .. */
};

static void
open_timeline(struct timeline *timeline, const char *name)
{
	memset(timeline, 0, sizeof(*timeline));
	strncpy(timeline->name, name, sizeof(timeline->name) - 1);
	for (int i = 0; i < POINTS; i++) {
		struct kr_fence_label label = {name, (uint64_t)i + 1, "point"};

		assert_int_equal(kr_fence_create(&label, &timeline->points[i].producer,
					 &timeline->points[i].fence),
			0);
	}
}

static int
fence_at(const struct timeline *timeline, int value)
{
	return timeline->points[value - 1].fence;
}

static void
increment(struct timeline *timeline, int by)
{
	while (by-- && timeline->value < POINTS)
		signal_pair(&timeline->points[timeline->value++], 1);
}

static void
close_timeline(struct timeline *timeline)
{
	for (int i = 0; i < POINTS; i++)
		close_pair(&timeline->points[i]);
}

static void
expect_wait(int fd, int timeout_ms, int error)
{
	errno = 0;
	assert_int_equal(sync_wait(fd, timeout_ms), error ? -1 : 0);
	if (error)
		assert_int_equal(errno, error);
}

static int
count_with(int fd, int status)
{
	struct sync_file_info *info = sync_file_info(fd);
	int count = 0;

	assert_non_null(info);
	for (uint32_t i = 0; i < info->num_fences; i++)
		count += sync_get_fence_info(info)[i].status == status;
	sync_file_info_free(info);
	return count;
}

static void
layouts(void **state)
{
	assert_int_equal(sizeof(struct sync_fence_info), 80);
	assert_int_equal(offsetof(struct sync_fence_info, obj_name), 0);
	assert_int_equal(offsetof(struct sync_fence_info, driver_name), 32);
	assert_int_equal(offsetof(struct sync_fence_info, status), 64);
	assert_int_equal(offsetof(struct sync_fence_info, flags), 68);
	assert_int_equal(offsetof(struct sync_fence_info, timestamp_ns), 72);
	assert_int_equal(sizeof(struct sync_file_info), 56);
	assert_int_equal(offsetof(struct sync_file_info, name), 0);
	assert_int_equal(offsetof(struct sync_file_info, status), 32);
	assert_int_equal(offsetof(struct sync_file_info, flags), 36);
	assert_int_equal(offsetof(struct sync_file_info, num_fences), 40);
	assert_int_equal(offsetof(struct sync_file_info, pad), 44);
	assert_int_equal(offsetof(struct sync_file_info, sync_fence_info), 48);
}

/* S-08: EINVAL for what is no fence, ETIME when the time is up. */
static void
errors(void **state)
{
	struct pair pair = make_pair("errors");
	int closed = fcntl(pair.fence, F_DUPFD_CLOEXEC, 500), pipes[2];

	close(closed);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	const int bad[] = {-1, -2, INT32_MIN, closed, pipes[0], pair.producer};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		expect_wait(bad[i], 0, EINVAL);
		expect_wait(bad[i], -1, EINVAL);
		errno = 0;
		assert_int_equal(sync_merge("m", bad[i], pair.fence), -1);
		assert_int_equal(errno, EINVAL);
		errno = 0;
		assert_int_equal(sync_merge("m", pair.fence, bad[i]), -1);
		assert_int_equal(errno, EINVAL);
		errno = 0;
		assert_null(sync_file_info(bad[i]));
		assert_int_equal(errno, EINVAL);
	}
	sync_file_info_free(NULL);
	expect_wait(pair.fence, 0, ETIME);
	expect_wait(pair.fence, 10, ETIME);
	close(pipes[0]);
	close(pipes[1]);
	close_pair(&pair);
}

/* As over a kernel fence, whose poll gives POLLIN on an error too: done is done, the status says how. */
static void
wait_for_a_failed_fence(void **state)
{
	struct pair pair = make_pair("failed");
	struct sync_file_info *info;

	signal_pair(&pair, -EIO);
	expect_wait(pair.fence, 0, 0);
	expect_wait(pair.fence, -1, 0);
	info = sync_file_info(pair.fence);
	assert_int_equal(info->status, -EIO);
	assert_int_equal(sync_get_fence_info(info)->status, -EIO);
	sync_file_info_free(info);
	close_pair(&pair);
}

static void
info_of_a_fence(void **state)
{
	struct pair pair = make_pair("a name that is longer than thirty-one bytes");
	struct sync_file_info *info = sync_file_info(pair.fence);

	assert_string_equal(info->name, "a name that is longer than thir");
	assert_int_equal(info->status, 0);
	assert_int_equal(info->flags, 0);
	assert_int_equal(info->num_fences, 1);
	assert_string_equal(sync_get_fence_info(info)->obj_name, "test");
	assert_string_equal(sync_get_fence_info(info)->driver_name, "krafla");
	assert_int_equal(sync_get_fence_info(info)->timestamp_ns, 0);
	sync_file_info_free(info);
	signal_pair(&pair, 1);
	info = sync_file_info(pair.fence);
	assert_int_equal(info->status, 1);
	assert_string_equal(sync_get_fence_info(info)->obj_name, "test");
	assert_true(sync_get_fence_info(info)->timestamp_ns ==
		(uint64_t)kr_fence_signal_time(pair.fence));
	sync_file_info_free(info);
	close_pair(&pair);
}

static void
info_of_a_kernel_fence(void **state)
{
	struct sync_file_info *info;
	int point1, point2, a, b, merged;

	fake_kernel_install();
	a = fake_fence("k1", &point1);
	b = fake_fence("k2", &point2);
	assert_int_equal(kr_fence_merge_kernel("both", a, b, &merged), 0);
	info = sync_file_info(merged);
	assert_string_equal(info->name, "both");
	assert_int_equal(info->num_fences, 2);
	sync_file_info_free(info);
	fake_signal(point2, -EIO);
	info = sync_file_info(merged);
	assert_int_equal(
		info->status, -EIO); /* the kernel's own answer would be 0: the first is active */
	sync_file_info_free(info);
	expect_wait(merged, 0, 0);
	close(a);
	close(b);
	close(merged);
	fake_kernel_remove();
}

/* AllocTest.Fence, alloc_fence */
static void
AllocTest_Fence(void **state)
{
	struct timeline timeline;

	open_timeline(&timeline, "t");
	assert_true(fence_at(&timeline, 1) >= 0);
	assert_true(fcntl(fence_at(&timeline, 1), F_GETFD) & FD_CLOEXEC);
	close_timeline(&timeline);
}

/* AllocTest.FenceNegative, alloc_fence_negative: what is no timeline makes no fence. */
static void
AllocTest_FenceNegative(void **state)
{
	expect_wait(-1, 0, EINVAL);
	assert_null(sync_file_info(-1));
	assert_int_equal(sync_merge("m", -1, -1), -1);
	assert_int_equal(errno, EINVAL);
}

/* FenceTest.OneTimelineWait, fence_one_timeline_wait */
static void
FenceTest_OneTimelineWait(void **state)
{
	struct timeline timeline;

	open_timeline(&timeline, "t");
	expect_wait(fence_at(&timeline, 5), 0, ETIME);
	increment(&timeline, 1);
	expect_wait(fence_at(&timeline, 5), 0, ETIME);
	increment(&timeline, 4);
	expect_wait(fence_at(&timeline, 5), 0, 0);
	increment(&timeline, 3);
	expect_wait(fence_at(&timeline, 5), 0, 0);
	close_timeline(&timeline);
}

/* FenceTest.OneTimelinePoll */
static void
FenceTest_OneTimelinePoll(void **state)
{
	struct timeval now = {0};
	struct timeline timeline;
	fd_set set;
	int fd;

	open_timeline(&timeline, "t");
	fd = fence_at(&timeline, 1);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	assert_int_equal(select(fd + 1, &set, NULL, NULL, &now), 0);
	increment(&timeline, 1);
	FD_SET(fd, &set);
	assert_int_equal(select(fd + 1, &set, NULL, NULL, &now), 1);
	close_timeline(&timeline);
}

/* FenceTest.OneTimelineMerge, fence_one_timeline_merge */
static void
FenceTest_OneTimelineMerge(void **state)
{
	struct timeline timeline;
	int ab, abc;

	open_timeline(&timeline, "t");
	ab = sync_merge("ab", fence_at(&timeline, 1), fence_at(&timeline, 2));
	abc = sync_merge("abc", ab, fence_at(&timeline, 3));
	assert_true(ab >= 0 && abc >= 0);
	assert_int_equal(count_with(abc, 0), 3);
	increment(&timeline, 1);
	expect_wait(fence_at(&timeline, 1), 0, 0);
	expect_wait(abc, 0, ETIME);
	increment(&timeline, 1);
	expect_wait(ab, 1000, 0);
	expect_wait(abc, 0, ETIME);
	increment(&timeline, 1);
	expect_wait(abc, 1000, 0);
	assert_int_equal(count_with(abc, 1), 3);
	close(ab);
	close(abc);
	close_timeline(&timeline);
	settle();
}

/* FenceTest.MergeSameFence, fence_merge_same_fence */
static void
FenceTest_MergeSameFence(void **state)
{
	struct timeline timeline;
	int merged;

	open_timeline(&timeline, "t");
	merged = sync_merge("self", fence_at(&timeline, 5), fence_at(&timeline, 5));
	assert_true(merged >= 0);
	assert_int_equal(count_with(merged, 1), 0);
	increment(&timeline, 5);
	expect_wait(merged, 1000, 0);
	assert_int_equal(count_with(merged, 1), 1);
	close(merged);
	close_timeline(&timeline);
	settle();
}

/*
 * FenceTest.PollOnDestroyedTimeline expects POLLERR, as old Android kernels gave. A kernel sync_file of
 * today gives POLLIN on an error, and so do we, with POLLHUP beside it, so that code which waits for
 * POLLIN alone wakes on both. That it failed is told by the status: -EOWNERDEAD when the producer went
 * without a word, -ENOENT when it says that its timeline is destroyed (as sw_sync does).
 */
static void
FenceTest_PollOnDestroyedTimeline(void **state)
{
	struct timeline timeline;

	open_timeline(&timeline, "t");
	assert_int_equal(poll_events(fence_at(&timeline, 1), 0), 0);
	close(timeline.points[0].producer);
	timeline.points[0].producer = -1;
	assert_int_equal(poll_events(fence_at(&timeline, 1), 1000), POLLIN | POLLHUP);
	assert_int_equal(count_with(fence_at(&timeline, 1), -EOWNERDEAD), 1);
	signal_pair(&timeline.points[1], -ENOENT);
	assert_int_equal(poll_events(fence_at(&timeline, 2), 1000), POLLIN | POLLHUP);
	assert_int_equal(count_with(fence_at(&timeline, 2), -ENOENT), 1);
	close_timeline(&timeline);
}

/* FenceTest.MultiTimelineWait, fence_multi_timeline_wait */
static void
FenceTest_MultiTimelineWait(void **state)
{
	struct timeline a, b, c;
	int ab, abc;

	open_timeline(&a, "a");
	open_timeline(&b, "b");
	open_timeline(&c, "c");
	ab = sync_merge("ab", fence_at(&a, 5), fence_at(&b, 5));
	abc = sync_merge("abc", ab, fence_at(&c, 5));
	assert_int_equal(count_with(abc, 0), 3);
	expect_wait(abc, 0, ETIME);
	increment(&a, 5);
	expect_wait(abc, 0, ETIME);
	assert_int_equal(count_with(abc, 0), 2);
	assert_int_equal(count_with(abc, 1), 1);
	increment(&b, 5);
	expect_wait(abc, 0, ETIME);
	assert_int_equal(count_with(abc, 1), 2);
	increment(&c, 5);
	expect_wait(abc, 1000, 0);
	assert_int_equal(count_with(abc, 0), 0);
	assert_int_equal(count_with(abc, 1), 3);
	close(ab);
	close(abc);
	close_timeline(&a);
	close_timeline(&b);
	close_timeline(&c);
	settle();
}

#define PING_PONG 500

struct ping_pong {
	struct pair turns[2 * PING_PONG];
	int counter; /* handed from thread to thread by the fences alone */
	int wrong;
};

static void *
pong(void *data)
{
	struct ping_pong *game = data;

	for (int i = 0; i < PING_PONG; i++) {
		game->wrong += sync_wait(game->turns[2 * i].fence, 5000) != 0;
		game->wrong += game->counter++ != 2 * i + 1;
		signal_pair(&game->turns[2 * i + 1], 1);
	}
	return NULL;
}

/* StressTest.TwoThreadsSharedTimeline, stress_two_threads_shared_timeline */
static void
StressTest_TwoThreadsSharedTimeline(void **state)
{
	struct ping_pong *game = calloc(1, sizeof(*game));
	pthread_t thread;

	for (int i = 0; i < 2 * PING_PONG; i++)
		game->turns[i] = make_pair("turn");
	assert_int_equal(pthread_create(&thread, NULL, pong, game), 0);
	for (int i = 0; i < PING_PONG; i++) {
		game->counter++;
		signal_pair(&game->turns[2 * i], 1);
		assert_int_equal(sync_wait(game->turns[2 * i + 1].fence, 5000), 0);
		assert_int_equal(game->counter, 2 * i + 2);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(game->wrong, 0);
	for (int i = 0; i < 2 * PING_PONG; i++)
		close_pair(&game->turns[i]);
	free(game);
	settle();
}

#define PRODUCERS 5
#define FRAMES    100

static void *
produce(void *data)
{
	struct pair *frames = data;

	for (int i = 0; i < FRAMES; i++)
		signal_pair(&frames[i], 1);
	return NULL;
}

/* ConsumerStressTest.MultiProducerSingleConsumer, consumer_stress_multi_producer_single_consumer */
static void
ConsumerStressTest_MultiProducerSingleConsumer(void **state)
{
	struct pair(*frames)[FRAMES] = calloc(PRODUCERS, sizeof(*frames));
	int merged[FRAMES];
	pthread_t threads[PRODUCERS];

	for (int f = 0; f < FRAMES; f++) {
		for (int p = 0; p < PRODUCERS; p++) {
			int next;

			frames[p][f] = make_pair("frame");
			next = p ? sync_merge("all", merged[f], frames[p][f].fence)
				 : sync_merge("all", frames[p][f].fence, frames[p][f].fence);
			assert_true(next >= 0);
			if (p)
				close(merged[f]);
			merged[f] = next;
		}
	}
	for (int p = 0; p < PRODUCERS; p++)
		assert_int_equal(pthread_create(&threads[p], NULL, produce, frames[p]), 0);
	for (int f = 0; f < FRAMES; f++) {
		expect_wait(merged[f], 5000, 0);
		for (int p = 0; p < PRODUCERS; p++)
			expect_wait(frames[p][f].fence, 0, 0);
		close(merged[f]);
	}
	for (int p = 0; p < PRODUCERS; p++) {
		assert_int_equal(pthread_join(threads[p], NULL), 0);
		for (int f = 0; f < FRAMES; f++)
			close_pair(&frames[p][f]);
	}
	free(frames);
	settle();
}

#define TIMELINES 32
#define MERGES    256

/* MergeStressTest.RandomMerge, merge_stress_random_merge: signals only after the last. */
static void
MergeStressTest_RandomMerge(void **state)
{
	struct pair fences[TIMELINES];
	bool touched[TIMELINES] = {false};
	unsigned seed = 1;
	int merged, last;

	for (int i = 0; i < TIMELINES; i++)
		fences[i] = make_pair("random");
	merged = sync_merge("start", fences[0].fence, fences[0].fence);
	touched[0] = true;
	for (int i = 0; i < MERGES; i++) {
		int pick = rand_r(&seed) % TIMELINES, next;

		next = sync_merge("random", merged, fences[pick].fence);
		assert_true(next >= 0);
		close(merged);
		merged = next;
		touched[pick] = true;
	}
	for (last = TIMELINES - 1; !touched[last]; last--)
		;
	for (int i = 0; i < TIMELINES; i++) {
		if (i == last)
			expect_wait(merged, 0, ETIME);
		signal_pair(&fences[i], 1);
	}
	expect_wait(merged, 5000, 0);
	close(merged);
	for (int i = 0; i < TIMELINES; i++)
		close_pair(&fences[i]);
	settle();
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	KR_TEST(layouts),
	KR_TEST(errors),
	KR_TEST(wait_for_a_failed_fence),
	KR_TEST(info_of_a_fence),
	KR_TEST(info_of_a_kernel_fence),
	KR_TEST(AllocTest_Fence),
	KR_TEST(AllocTest_FenceNegative),
	KR_TEST(FenceTest_OneTimelineWait),
	KR_TEST(FenceTest_OneTimelinePoll),
	THREAD_TEST(FenceTest_OneTimelineMerge),
	THREAD_TEST(FenceTest_MergeSameFence),
	KR_TEST(FenceTest_PollOnDestroyedTimeline),
	THREAD_TEST(FenceTest_MultiTimelineWait),
	THREAD_TEST(StressTest_TwoThreadsSharedTimeline),
	THREAD_TEST(ConsumerStressTest_MultiProducerSingleConsumer),
	THREAD_TEST(MergeStressTest_RandomMerge),
};

KR_TEST_MAIN(tests)
