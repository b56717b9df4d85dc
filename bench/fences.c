/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences against eventfd: create, merge, status, info, wake of a waiting thread; and beside them
 * the kernel's own fences, where a driver makes some for user space (krafla_sync, in the lab).
 */
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <krafla/sync.h>
#include "kernel/uapi/krafla_sync.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "sync/merge/merge.h"
#include "util/clock.h"

#define DEVICE "/dev/krafla_sync"
#define WAKES  400

/* Something to wait for. */
struct event {
	int fd;
	int source;     /* by what it is signalled; a kernel fence's timeline */
	uint64_t value; /* there */
};

/* Which sort of it. */
struct sort {
	bool (*make)(struct event *event);
	void (*signal)(const struct event *event); /* gives up `source` */
};

static const struct kr_fence_label label = {.timeline = "bench", .seqno = 1, .name = "bench"};
static int timelines[2] = {-1, -1};
static uint64_t values[2];

static bool
make_eventfd(struct event *event)
{
	event->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return event->fd >= 0;
}

static void
signal_eventfd(const struct event *event)
{
	eventfd_write(event->fd, 1);
}

static bool
make_user(struct event *event)
{
	return !kr_fence_create(&label, &event->source, &event->fd);
}

static void
signal_user(const struct event *event)
{
	kr_fence_signal(event->source, KR_FENCE_SIGNALLED);
}

/* On two timelines in turns: a merge of two of one would be the later one alone. */
static bool
make_kernel(struct event *event)
{
	int turn = values[0] > values[1];
	struct krafla_sync_create create = {
		.value = ++values[turn], .timeout_ms = KRAFLA_SYNC_MAX_TIMEOUT_MS};

	if (ioctl(timelines[turn], KRAFLA_SYNC_IOC_CREATE, &create))
		return false;
	*event = (struct event){create.fence, timelines[turn], create.value};
	return true;
}

static void
signal_kernel(const struct event *event)
{
	struct krafla_sync_signal signal = {.value = event->value};

	ioctl(event->source, KRAFLA_SYNC_IOC_SIGNAL, &signal);
}

static const struct sort eventfds = {make_eventfd, signal_eventfd};
static const struct sort user_fences = {make_user, signal_user};
static const struct sort kernel_fences = {make_kernel, signal_kernel};

/* An eventfd isn't signalled: its whole life is to be there. */
static double
create(const struct sort *sort, unsigned count)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++) {
		struct event event;

		if (!sort->make(&event))
			return -1;
		if (sort != &eventfds)
			sort->signal(&event);
		close(event.fd);
	}
	return (double)(kr_bench_now() - start) / count;
}

static double
merge_two(const struct sort *sort, unsigned count)
{
	int64_t spent = 0;

	for (unsigned i = 0; i < count; i++) {
		struct event events[2];
		int64_t start;
		int merged;

		if (!sort->make(&events[0]) || !sort->make(&events[1]))
			return -1;
		start = kr_bench_now();
		if (kr_fence_merge("merged", events[0].fd, events[1].fd, &merged))
			return -1;
		spent += kr_bench_now() - start;
		sort->signal(&events[0]);
		sort->signal(&events[1]);
		kr_fence_wait(merged, kr_deadline_in(KR_NSEC_PER_SEC));
		close(events[0].fd);
		close(events[1].fd);
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
read_info(int fence, unsigned count)
{
	int64_t start = kr_bench_now();

	for (unsigned i = 0; i < count; i++)
		sync_file_info_free(sync_file_info(fence));
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
one_wake(const struct sort *sort)
{
	struct event event;
	struct waiter waiter = {.fd = -1};
	int64_t start;

	if (!sort->make(&event))
		return -1;
	waiter.fd = event.fd;
	pthread_create(&waiter.thread, NULL, wait_for_it, &waiter);
	while (!atomic_load(&waiter.ready))
		usleep(20);
	usleep(200); /* until it sleeps in poll */
	start = kr_bench_now();
	sort->signal(&event);
	pthread_join(waiter.thread, NULL);
	close(event.fd);
	return (double)(waiter.woke - start) / 1000;
}

/* What was measured of a sort of fence, beside eventfd in the same moments. */
struct numbers {
	double create, merge, status, info, wake;
	double eventfd, poll, eventfd_wake;
};

/* Interleaved, so that a noisy machine disturbs both alike. */
static void
wakes(const struct sort *sort, unsigned count, struct numbers *numbers)
{
	double f[WAKES], e[WAKES];

	for (unsigned i = 0; i < count; i++) {
		f[i] = one_wake(sort);
		e[i] = one_wake(&eventfds);
	}
	numbers->wake = kr_bench_median(f, count);
	numbers->eventfd_wake = kr_bench_median(e, count);
}

static bool
measure(const struct kr_bench *bench, const struct sort *sort, struct numbers *numbers)
{
	unsigned count = bench->quick ? 2000 : 20000, repeat = bench->repeat;
	double lives[KR_BENCH_MAX_REPEAT], events[KR_BENCH_MAX_REPEAT], merges[KR_BENCH_MAX_REPEAT];
	double status[KR_BENCH_MAX_REPEAT], infos[KR_BENCH_MAX_REPEAT], polls[KR_BENCH_MAX_REPEAT];
	struct event event;

	if (!sort->make(&event))
		return false;
	for (unsigned run = 0; run < repeat; run++) {
		status[run] = read_status(event.fd, count * 10);
		polls[run] = poll_zero(event.fd, count * 10);
		infos[run] = read_info(event.fd, count);
	}
	sort->signal(&event);
	close(event.fd);
	for (unsigned run = 0; run < repeat; run++) {
		lives[run] = create(sort, count);
		events[run] = create(&eventfds, count);
		merges[run] = merge_two(sort, count / 10);
	}
	numbers->create = kr_bench_median(lives, repeat);
	numbers->eventfd = kr_bench_median(events, repeat);
	numbers->merge = kr_bench_median(merges, repeat);
	numbers->status = kr_bench_median(status, repeat);
	numbers->poll = kr_bench_median(polls, repeat);
	numbers->info = kr_bench_median(infos, repeat);
	wakes(sort, bench->quick ? 50 : WAKES, numbers);
	return true;
}

/* The goals of DESIGN 7 are for user-space fences. */
static void
report_user(struct kr_bench *bench, const struct numbers *n)
{
	kr_bench_row(
		bench, "fence create, signal, close", "ns", n->create, "eventfd", n->eventfd, 10);
	kr_bench_row(bench, "fence merge of two", "ns", n->merge, "fence create", n->create, 1);
	kr_bench_row(bench, "fence status", "ns", n->status, "poll", n->poll, 1.5);
	kr_bench_row(bench, "fence info", "ns", n->info, "poll", n->poll, 0);
	kr_bench_row(
		bench, "fence wake of a thread", "us", n->wake, "eventfd", n->eventfd_wake, 1.15);
}

static void
report_kernel(struct kr_bench *bench, const struct numbers *n)
{
	kr_bench_row(bench, "kernel fence create, signal, close", "ns", n->create, "eventfd",
		n->eventfd, 0);
	kr_bench_row(bench, "kernel fence merge of two", "ns", n->merge, "kernel fence create",
		n->create, 0);
	kr_bench_row(bench, "kernel fence status", "ns", n->status, "poll", n->poll, 0);
	kr_bench_row(bench, "kernel fence info", "ns", n->info, "poll", n->poll, 0);
	kr_bench_row(bench, "kernel fence wake of a thread", "us", n->wake, "eventfd",
		n->eventfd_wake, 0);
}

static bool
open_timelines(struct kr_bench *bench)
{
	char reason[160];

	for (int i = 0; i < 2; i++) {
		values[i] = 0;
		timelines[i] = open(DEVICE, O_RDWR | O_CLOEXEC);
	}
	if (timelines[0] >= 0 && timelines[1] >= 0)
		return true;
	snprintf(reason, sizeof(reason),
		DEVICE ": %s (the kernel module krafla_sync; scripts/lab bench has it)",
		strerror(errno));
	kr_bench_skip(bench, "kernel fences", reason);
	return false;
}

bool
kr_bench_fence_costs(struct kr_bench *bench, double *create_us, double *wake_us)
{
	struct numbers numbers;
	double lives[KR_BENCH_MAX_REPEAT];

	for (unsigned run = 0; run < bench->repeat; run++)
		lives[run] = create(&user_fences, 1000);
	wakes(&user_fences, 50, &numbers);
	*create_us = kr_bench_median(lives, bench->repeat) / 1000;
	*wake_us = numbers.wake;
	return *create_us > 0 && *wake_us > 0;
}

void
kr_bench_fences(struct kr_bench *bench)
{
	struct numbers numbers;

	if (measure(bench, &user_fences, &numbers))
		report_user(bench, &numbers);
	else
		kr_bench_skip(bench, "fences", "no fence can be created");
	if (open_timelines(bench)) {
		if (measure(bench, &kernel_fences, &numbers))
			report_kernel(bench, &numbers);
		else
			kr_bench_skip(bench, "kernel fences", DEVICE " makes none");
	}
	for (int i = 0; i < 2; i++) {
		if (timelines[i] >= 0)
			close(timelines[i]);
	}
}
