/* SPDX-License-Identifier: Apache-2.0 */
/* Fences against eventfd: create, merge, status, wake of a waiting thread. */
#include "bench.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sync/fence.h"
#include "util/clock.h"

#define WAKES 400

static const struct kr_fence_label label = {.timeline = "bench", .seqno = 1, .name = "bench"};

static double
create_eventfd(unsigned count)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++)
		close(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	return (double)(kr_bench_now() - start) / count;
}

/* Created, signalled and closed: the whole life of a fence. */
static double
create_fence(unsigned count)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++) {
		int producer, fence;

		if (kr_fence_create(&label, &producer, &fence))
			return -1;
		kr_fence_signal(producer, KR_FENCE_SIGNALLED);
		close(fence);
	}
	return (double)(kr_bench_now() - start) / count;
}

static double
merge_two(unsigned count)
{
	int64_t spent = 0;

	for (unsigned i = 0; i < count; i++) {
		int producer[2], fence[2], merged;
		int64_t start;

		if (kr_fence_create(&label, &producer[0], &fence[0]) ||
			kr_fence_create(&label, &producer[1], &fence[1]))
			return -1;
		start = kr_bench_now();
		if (kr_fence_merge("merged", fence[0], fence[1], &merged))
			return -1;
		spent += kr_bench_now() - start;
		kr_fence_signal(producer[0], KR_FENCE_SIGNALLED);
		kr_fence_signal(producer[1], KR_FENCE_SIGNALLED);
		kr_fence_wait(merged, kr_deadline_in(KR_NSEC_PER_SEC));
		close(fence[0]);
		close(fence[1]);
		close(merged);
	}
	return (double)spent / count;
}

static double
read_status(int fence, unsigned count)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++)
		kr_fence_status(fence);
	return (double)(kr_bench_now() - start) / count;
}

static double
poll_zero(int fd, unsigned count)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		poll(&p, 1, 0);
	}
	return (double)(kr_bench_now() - start) / count;
}

struct waiter {
	pthread_t thread;
	int fd;
	atomic_bool ready;
	int64_t woke;
};

static void *
wait_for_it(void *data)
{
	struct waiter *waiter = data;
	struct pollfd p = {.fd = waiter->fd, .events = POLLIN};

	atomic_store(&waiter->ready, true);
	poll(&p, 1, 2000);
	waiter->woke = kr_bench_now();
	return NULL;
}

/* From the call that signals to the return of another thread's poll, in microseconds. */
static double
one_wake(bool fence)
{
	struct waiter waiter = {.fd = -1};
	int producer = -1;
	uint64_t one = 1;
	int64_t start;

	if (!fence)
		waiter.fd = eventfd(0, EFD_CLOEXEC);
	else if (kr_fence_create(&label, &producer, &waiter.fd))
		return -1;
	pthread_create(&waiter.thread, NULL, wait_for_it, &waiter);
	while (!atomic_load(&waiter.ready))
		usleep(20);
	usleep(200); /* until it sleeps in poll */
	start = kr_bench_now();
	if (fence)
		kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	else if (write(waiter.fd, &one, sizeof(one)) != sizeof(one))
		return -1;
	pthread_join(waiter.thread, NULL);
	close(waiter.fd);
	return (double)(waiter.woke - start) / 1000;
}

/* Interleaved, so that a noisy machine disturbs both alike. */
static void
wakes(unsigned count, double *fence, double *event)
{
	double f[WAKES], e[WAKES];

	for (unsigned i = 0; i < count; i++) {
		f[i] = one_wake(true);
		e[i] = one_wake(false);
	}
	*fence = kr_bench_median(f, count);
	*event = kr_bench_median(e, count);
}

void
kr_bench_fences(struct kr_bench *bench)
{
	unsigned count = bench->quick ? 2000 : 20000;
	double create[100], event[100], merge[100], status[100], polls[100], wake, wake_event;
	int producer, fence;

	if (kr_fence_create(&label, &producer, &fence)) {
		kr_bench_skip(bench, "fences", "no fence can be created");
		return;
	}
	for (unsigned run = 0; run < bench->repeat; run++) {
		create[run] = create_fence(count);
		event[run] = create_eventfd(count);
		merge[run] = merge_two(count / 10);
		status[run] = read_status(fence, count * 10);
		polls[run] = poll_zero(fence, count * 10);
	}
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	close(fence);
	wakes(bench->quick ? 50 : WAKES, &wake, &wake_event);
	kr_bench_row(bench, "fence create, signal, close", "ns",
		kr_bench_median(create, bench->repeat), "eventfd",
		kr_bench_median(event, bench->repeat), 10);
	kr_bench_row(bench, "fence merge of two", "ns", kr_bench_median(merge, bench->repeat),
		"fence create", kr_bench_median(create, bench->repeat), 1);
	kr_bench_row(bench, "fence status", "ns", kr_bench_median(status, bench->repeat), "poll",
		kr_bench_median(polls, bench->repeat), 1.5);
	kr_bench_row(bench, "fence wake of a thread", "us", wake, "eventfd", wake_event, 1.15);
}
