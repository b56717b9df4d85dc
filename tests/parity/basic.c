/* SPDX-License-Identifier: Apache-2.0 */
/* S-08: the cases with few fences, and those where the kernel and Android differ. */
#include "parity.h"

#include <errno.h>
#include <fcntl.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "support.h"

void
parity_alloc_timeline(void **state)
{
	close(parity_timeline());
	settle();
}

void
parity_alloc_fence(void **state)
{
	int timeline = parity_timeline();

	close(parity_fence(timeline, 1));
	close(timeline);
	settle();
}

void
parity_alloc_fence_negative(void **state)
{
	int timeline = parity_timeline();

	assert_true(sw_sync_fence_create(-1, "fence", 1) < 0);
	assert_int_equal(errno, EBADF);
	/* Android's crashes without a name. Here it is a fence without one of its own. */
	close(sw_sync_fence_create(timeline, NULL, 1));
	close(timeline);
	settle();
}

void
parity_one_timeline_wait(void **state)
{
	int timeline = parity_timeline(), fence = parity_fence(timeline, 5);

	parity_expect_wait(fence, 0, ETIME);
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	parity_expect_wait(fence, 0, ETIME);
	assert_int_equal(sw_sync_timeline_inc(timeline, 4), 0);
	parity_expect_wait(fence, 0, 0);
	assert_int_equal(sw_sync_timeline_inc(timeline, 10), 0);
	parity_expect_wait(fence, 0, 0);
	close(fence);
	close(timeline);
	settle();
}

static int
is_readable(int fd)
{
	struct timeval now = {0, 0};
	fd_set set;
	int ready;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	ready = select(fd + 1, &set, NULL, NULL, &now);
	return ready == 1 && FD_ISSET(fd, &set) ? 1 : ready;
}

void
parity_one_timeline_poll(void **state)
{
	int timeline = parity_timeline(), fence = parity_fence(timeline, 100);

	assert_int_equal(is_readable(fence), 0);
	assert_int_equal(sw_sync_timeline_inc(timeline, 100), 0);
	assert_int_equal(sw_sync_timeline_inc(timeline, 100), 0);
	assert_int_equal(is_readable(fence), 1);
	close(fence);
	close(timeline);
	settle();
}

/* Points of one timeline count as one: the latest. */
void
parity_one_timeline_merge(void **state)
{
	int timeline = parity_timeline();
	int a = parity_fence(timeline, 1), b = parity_fence(timeline, 2);
	int c = parity_fence(timeline, 3), ab = sync_merge("mergeFence", b, a);
	int d = sync_merge("mergeFence", c, ab);

	assert_true(ab >= 0 && d >= 0);
	assert_int_equal(parity_count(a, 0), 1);
	assert_int_equal(parity_count(b, 0), 1);
	assert_int_equal(parity_count(c, 0), 1);
	assert_int_equal(parity_count(d, 0), 1);
	assert_int_equal(parity_size(d), 1);
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	assert_int_equal(parity_count(a, 1), 1);
	assert_int_equal(parity_count(d, 0), 1);
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	assert_int_equal(parity_count(b, 1), 1);
	assert_int_equal(parity_count(d, 0), 1);
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	assert_int_equal(parity_count(c, 1), 1);
	assert_int_equal(parity_count(d, 0), 0);
	assert_int_equal(parity_count(d, 1), 1);
	parity_expect_wait(d, PARITY_LIMIT_MS, 0);
	assert_int_equal(parity_count(d, 1), 1);
	close(a);
	close(b);
	close(c);
	close(ab);
	close(d);
	close(timeline);
	settle();
}

void
parity_merge_same_fence(void **state)
{
	int timeline = parity_timeline(), fence = parity_fence(timeline, 5);
	int merged = sync_merge("mergeFence", fence, fence);

	assert_true(merged >= 0);
	assert_int_equal(parity_count(merged, 1), 0);
	assert_int_equal(parity_size(merged), 1);
	assert_int_equal(sw_sync_timeline_inc(timeline, 5), 0);
	assert_int_equal(parity_count(merged, 1), 1);
	close(merged);
	close(fence);
	close(timeline);
	settle();
}

struct killed {
	int timeline;
	int fence;
	int events;
};

static void *
wait_for_the_end(void *data)
{
	struct killed *killed = data;
	struct pollfd p = {.fd = killed->fence, .events = POLLIN | POLLERR};

	if (sw_sync_timeline_inc(killed->timeline, 100))
		return (void *)1;
	if (poll(&p, 1, PARITY_LIMIT_MS) != 1)
		return (void *)2;
	killed->events = p.revents;
	return NULL;
}

/*
 * Android's case wants POLLERR, which its old kernel driver gave. The kernel's fences give POLLIN
 * on every end since 4.9, and so do Krafla's: whoever polls learns that it is over, the status says
 * how (S-08: a wait for a failed fence ends well, the failure is in its info).
 */
void
parity_poll_on_destroyed_timeline(void **state)
{
	int timeline = parity_timeline(), reached = parity_fence(timeline, 100);
	struct killed killed = {timeline, parity_fence(timeline, 200), 0};
	pthread_t thread;
	void *wrong;

	assert_int_equal(pthread_create(&thread, NULL, wait_for_the_end, &killed), 0);
	parity_expect_wait(reached, PARITY_LIMIT_MS, 0);
	close(timeline);
	assert_int_equal(pthread_join(thread, &wrong), 0);
	assert_null(wrong);
	assert_int_equal(killed.events & (POLLIN | POLLERR), POLLIN);
	assert_int_equal(parity_count(killed.fence, parity_closed_error()), 1);
	parity_expect_wait(killed.fence, 0, 0);
	close(killed.fence);
	close(reached);
	settle();
}

void
parity_multi_timeline_wait(void **state)
{
	int timelines[3], fences[3], ab, merged;

	for (unsigned i = 0; i < 3; i++) {
		timelines[i] = parity_timeline();
		fences[i] = parity_fence(timelines[i], 5);
	}
	ab = sync_merge("mergeFence", fences[1], fences[0]);
	merged = sync_merge("mergeFence", fences[2], ab);
	assert_true(ab >= 0 && merged >= 0);
	assert_int_equal(parity_count(merged, 0), 3);
	parity_expect_wait(merged, 0, ETIME);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(sw_sync_timeline_inc(timelines[i], 5), 0);
		assert_int_equal(parity_count(merged, 0), 2 - i);
		assert_int_equal(parity_count(merged, 1), i + 1);
	}
	parity_expect_wait(merged, PARITY_LIMIT_MS, 0);
	assert_int_equal(parity_count(merged, 1), 3);
	close(ab);
	close(merged);
	for (unsigned i = 0; i < 3; i++) {
		close(fences[i]);
		close(timelines[i]);
	}
	settle();
}

int
parity_status(int fence)
{
	struct sync_file_info *info = sync_file_info(fence);
	int status;

	assert_non_null(info);
	status = info->status;
	sync_file_info_free(info);
	return status;
}

/* A fence that has failed. */
int
parity_failed_fence(void)
{
	int timeline = parity_timeline(), fence = parity_fence(timeline, 1);

	close(timeline);
	parity_expect_wait(fence, PARITY_LIMIT_MS, 0);
	assert_int_equal(parity_status(fence), parity_closed_error());
	return fence;
}

/*
 * The kernel's merge drops a member that has failed already; Android's first one failed at
 * once. Krafla follows Android's, which is S-03: a merge is in error when one of its
 * members is, on every backend.
 */
void
parity_merge_with_an_error(void **state)
{
	int timeline = parity_timeline(), active = parity_fence(timeline, 1);
	int failed = parity_failed_fence(), merged;

	for (unsigned i = 0; i < 2; i++) {
		merged = sync_merge("m", i ? active : failed, i ? failed : active);
		assert_true(merged >= 0);
		assert_int_equal(parity_status(merged), parity_closed_error());
		parity_expect_wait(merged, 0, 0);
		close(merged);
	}
	merged = sync_merge("m", failed, failed);
	assert_int_equal(parity_status(merged), parity_closed_error());
	close(merged);
	close(failed);
	close(active);
	close(timeline);
	settle();
}

/*
 * A member that fails later makes the merge an error at once (S-03), to who asks and who begins to
 * wait. Whoever polls a merge that is a kernel fence already is woken only when its other members
 * are done as well: that is the kernel's, and stays.
 */
void
parity_merge_that_fails(void **state)
{
	int doomed = parity_timeline(), timeline = parity_timeline();
	int fences[2] = {parity_fence(doomed, 1), parity_fence(timeline, 1)};
	int merged[2] = {
		sync_merge("m", fences[0], fences[1]), sync_merge("m", fences[1], fences[0])};

	close(doomed);
	parity_expect_wait(fences[0], PARITY_LIMIT_MS, 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(
			POLLIN & poll_events(merged[i], parity_over("user") ? PARITY_LIMIT_MS : 0),
			parity_over("user") ? POLLIN : 0);
		parity_expect_wait(merged[i], 0, 0);
		assert_int_equal(parity_status(merged[i]), parity_closed_error());
	}
	assert_int_equal(sw_sync_timeline_inc(timeline, 1), 0);
	for (unsigned i = 0; i < 2; i++) {
		parity_expect_wait(merged[i], PARITY_LIMIT_MS, 0);
		assert_int_equal(parity_status(merged[i]), parity_closed_error());
		close(merged[i]);
		close(fences[i]);
	}
	close(timeline);
	settle();
}
