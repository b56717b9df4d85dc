/* SPDX-License-Identifier: Apache-2.0 */
/* The list, under the original's names, and what the cases share. See parity.h. */
#include "parity.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sanitizer.h"
#include "util/macros.h"

bool
parity_over(const char *backend)
{
	const char *word = getenv("KRAFLA_SYNC_TIMELINE");

	return !strcmp(word ? word : "user", backend);
}

int
parity_closed_error(void)
{
	return parity_over("krafla_sync") ? -EOWNERDEAD : -ENOENT;
}

unsigned
parity_scaled(unsigned original)
{
	const char *word = getenv("KRAFLA_PARITY");
	unsigned divisor = word ? (unsigned)atoi(word) : 0;

	if (!divisor)
		divisor = SANITIZED ? 256 : 16;
	return KR_MIN(original, KR_MAX(original / divisor, 32u));
}

int
parity_timeline(void)
{
	int timeline = sw_sync_timeline_create();

	assert_true(timeline >= 0);
	assert_true(fcntl(timeline, F_GETFD) >= 0);
	return timeline;
}

int
parity_fence(int timeline, unsigned value)
{
	int fence = sw_sync_fence_create(timeline, "allocFence", value);

	assert_true(fence >= 0);
	return fence;
}

int
parity_merge_closing(int take_fence1, int take_fence2)
{
	int merged = sync_merge("mergeFence", take_fence1, take_fence2);

	assert_true(merged >= 0);
	close(take_fence1);
	close(take_fence2);
	return merged;
}

int
parity_count(int fence, int status)
{
	struct sync_file_info *info = sync_file_info(fence);
	int count = 0;

	if (!info)
		return -1;
	for (uint32_t i = 0; i < info->num_fences; i++)
		count += sync_get_fence_info(info)[i].status == status;
	sync_file_info_free(info);
	return count;
}

int
parity_size(int fence)
{
	struct sync_file_info *info = sync_file_info(fence);
	int size = info ? (int)info->num_fences : -1;

	sync_file_info_free(info);
	return size;
}

void
parity_expect_wait(int fence, int timeout_ms, int error)
{
	errno = 0;
	assert_int_equal(sync_wait(fence, timeout_ms), error ? -1 : 0);
	if (error)
		assert_int_equal(errno, error);
}

#define SECONDS 240
/* clang-format off */
#define CASE(name, fn) {name, fn, KR_TEST_KEEPS_MEMORY, SECONDS}
/* clang-format on */

static const struct kr_test tests[] = {
	/* tools/testing/selftests/sync of Linux 6.12 */
	CASE("alloc_timeline", parity_alloc_timeline),
	CASE("alloc_fence", parity_alloc_fence),
	CASE("alloc_fence_negative", parity_alloc_fence_negative),
	CASE("fence_one_timeline_wait", parity_one_timeline_wait),
	CASE("fence_one_timeline_merge", parity_one_timeline_merge),
	CASE("fence_merge_same_fence", parity_merge_same_fence),
	CASE("fence_multi_timeline_wait", parity_multi_timeline_wait),
	CASE("stress_two_threads_shared_timeline", parity_two_threads),
	CASE("consumer_stress_multi_producer_single_consumer", parity_five_producers),
	CASE("merge_stress_random_merge", parity_merge_32_32k),
	/* libsync/tests/sync_test.cpp of Android */
	CASE("AllocTest.Timeline", parity_alloc_timeline),
	CASE("AllocTest.Fence", parity_alloc_fence),
	CASE("AllocTest.FenceNegative", parity_alloc_fence_negative),
	CASE("FenceTest.OneTimelineWait", parity_one_timeline_wait),
	CASE("FenceTest.OneTimelinePoll", parity_one_timeline_poll),
	CASE("FenceTest.OneTimelineMerge", parity_one_timeline_merge),
	CASE("FenceTest.MergeSameFence", parity_merge_same_fence),
	CASE("FenceTest.PollOnDestroyedTimeline", parity_poll_on_destroyed_timeline),
	CASE("FenceTest.MultiTimelineWait", parity_multi_timeline_wait),
	CASE("StressTest.TwoThreadsSharedTimeline", parity_two_threads),
	CASE("ConsumerStressTest.MultiProducerSingleConsumer/2", parity_two_producers),
	CASE("ConsumerStressTest.MultiProducerSingleConsumer/4", parity_four_producers),
	CASE("ConsumerStressTest.MultiProducerSingleConsumer/16", parity_sixteen_producers),
	CASE("MergeStressTest.RandomMerge/16,32", parity_merge_16_32),
	CASE("MergeStressTest.RandomMerge/16,1024", parity_merge_16_1k),
	CASE("MergeStressTest.RandomMerge/16,32768", parity_merge_16_32k),
	CASE("MergeStressTest.RandomMerge/32,32", parity_merge_32_32),
	CASE("MergeStressTest.RandomMerge/32,1024", parity_merge_32_1k),
	CASE("MergeStressTest.RandomMerge/32,32768", parity_merge_32_32k),
	/* where the two differ */
	CASE("merge_with_an_error", parity_merge_with_an_error),
	CASE("merge_that_fails", parity_merge_that_fails),
	CASE("raw_merge", parity_raw_merge),
};

KR_TEST_MAIN(tests)
