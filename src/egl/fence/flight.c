/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that end fences. */
#include "egl/fence/flight.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sync/fence/fence.h"
#include "sync/fence/user_fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define MAX_THREADS 4
/* How long a thread is in the vendor at a time, and out of it in between. */
#define SLICE_NS       (8 * KR_NSEC_PER_MSEC)
#define SHORT_SLICE_NS KR_NSEC_PER_MSEC /* while another context has its turn next */
#define PAUSE_NS       (KR_NSEC_PER_MSEC / 20)
/* How long a thread without work stays. */
#define LINGER_NS (100 * KR_NSEC_PER_MSEC)
/* How long exit() waits for what flies. */
#define EXIT_LIMIT_NS (2 * KR_NSEC_PER_SEC)

static struct {
	struct kr_list turns;  /* kr_egl_maker.turn: has flights, and nobody waits for them */
	struct kr_cond work;   /* there is a turn, or `leaving` */
	struct kr_cond landed; /* a flight has, or a thread has ended */
	unsigned idle, running, flying;
	bool leaving;
	struct {
		pthread_t id;
		enum { NONE, RUNNING, ENDED } state;
	} threads[MAX_THREADS];
} pool KR_GUARDED_BY(kr_egl_fences_lock) = {.turns = KR_LIST_INITIALIZER(pool.turns)};

static void
pause_for(int64_t ns)
{
	const struct timespec pause = {.tv_nsec = ns};

	nanosleep(&pause, NULL);
}

int
kr_egl_flight_end_locked(struct kr_egl_sync *sync)
{
	int producer = sync->producer;

	if (producer < 0)
		return -1;
	sync->producer = -1;
	kr_list_remove(&sync->queue);
	if (kr_list_empty(&sync->maker->flights))
		kr_list_remove(&sync->maker->turn);
	pool.flying--;
	kr_cond_broadcast(&pool.landed);
	return producer;
}

/* One slice for the first flight of a context. The lock is given up. */
static void
wait_for_first_locked(struct kr_egl_maker *maker) KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_egl_sync *sync = kr_container_of(maker->flights.next, struct kr_egl_sync, queue);
	bool landed;
	int producer = -1;

	sync->refs++;
	if (!sync->status)
		kr_egl_sync_ask_locked(
			sync, 0, kr_list_empty(&pool.turns) ? SLICE_NS : SHORT_SLICE_NS);
	landed = sync->status != 0;
	if (landed)
		producer = kr_egl_flight_end_locked(sync);
	kr_mutex_unlock(&kr_egl_fences_lock);
	if (producer >= 0)
		kr_fence_signal(producer, sync->status);
	if (!landed) {
		kr_fence_watchdog_look(
			&sync->watchdog, sync->fence, "krafla-egl-sync", kr_clock_now());
		pause_for(PAUSE_NS);
	}
	kr_mutex_lock(&kr_egl_fences_lock);
	if (producer >= 0)
		kr_egl_sync_unref_locked(sync);
	kr_egl_sync_unref_locked(sync);
}

static void *
run(void *data)
{
	unsigned self = (unsigned)(uintptr_t)data;
	int err = 0;

	kr_mutex_lock(&kr_egl_fences_lock);
	while (!pool.leaving) {
		struct kr_egl_maker *maker;

		if (kr_list_empty(&pool.turns)) {
			if (err == -ETIMEDOUT)
				break;
			pool.idle++;
			err = kr_cond_wait_until(
				&pool.work, &kr_egl_fences_lock, kr_clock_now() + LINGER_NS);
			pool.idle--;
			continue;
		}
		err = 0;
		maker = kr_container_of(pool.turns.next, struct kr_egl_maker, turn);
		kr_list_remove(&maker->turn);
		maker->refs++;
		maker->served = true;
		wait_for_first_locked(maker);
		maker->served = false;
		if (!kr_list_empty(&maker->flights))
			kr_list_append(&pool.turns, &maker->turn);
		kr_egl_maker_unref_locked(maker);
	}
	pool.threads[self].state = ENDED;
	pool.running--;
	kr_cond_broadcast(&pool.landed);
	kr_mutex_unlock(&kr_egl_fences_lock);
	return NULL;
}

/* Joins those that have ended: they have given up the lock, and have but to return. */
static void
join_ended_locked(void) KR_REQUIRES(kr_egl_fences_lock)
{
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		if (pool.threads[i].state != ENDED)
			continue;
		pthread_join(pool.threads[i].id, NULL);
		pool.threads[i].state = NONE;
	}
}

/* Not for ever: a signal handler may have called exit() where the lock is held. */
static bool
lock_until(int64_t deadline) KR_NO_THREAD_SAFETY
{
	while (pthread_mutex_trylock(&kr_egl_fences_lock.m)) {
		if (kr_clock_now() >= deadline)
			return false;
		pause_for(KR_NSEC_PER_MSEC);
	}
	return true;
}

/* What was flushed before exit() is drawn, and its fences say so, as a kernel's would. */
static void
at_exit(void) KR_NO_THREAD_SAFETY
{
	int64_t deadline = kr_clock_now() + EXIT_LIMIT_NS;

	if (!lock_until(deadline))
		return;
	while (pool.running && pool.flying && kr_clock_now() < deadline)
		kr_cond_wait_until(&pool.landed, &kr_egl_fences_lock, deadline);
	pool.leaving = true;
	kr_cond_broadcast(&pool.work);
	deadline = kr_clock_now() + 10 * SLICE_NS;
	while (pool.running && kr_clock_now() < deadline)
		kr_cond_wait_until(&pool.landed, &kr_egl_fences_lock, deadline);
	join_ended_locked();
	kr_mutex_unlock(&kr_egl_fences_lock);
}

static void
init(void)
{
	kr_cond_init(&pool.work);
	kr_cond_init(&pool.landed);
	/* Without it exit() doesn't wait for fences in flight: they fail, as by death. */
	(void)atexit(at_exit);
}

/* Signals are for the application's threads. */
static int
start_thread_locked(void) KR_REQUIRES(kr_egl_fences_lock)
{
	sigset_t all, before;
	unsigned at = 0;
	int err;

	join_ended_locked();
	while (at < MAX_THREADS && pool.threads[at].state != NONE)
		at++;
	if (at == MAX_THREADS || pool.leaving)
		return -EAGAIN;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&pool.threads[at].id, NULL, run, (void *)(uintptr_t)at);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return -EAGAIN;
	pthread_setname_np(pool.threads[at].id, "krafla-egl-sync");
	pool.threads[at].state = RUNNING;
	pool.running++;
	return 0;
}

/* How many turns there are that idle threads have been told of. */
static unsigned
count_turns_locked(void) KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_egl_maker *maker;
	unsigned count = 0;

	kr_list_for_each (maker, &pool.turns, turn)
		count++;
	return count;
}

/* Somebody will come: an idle thread, a new one, or one that has other contexts, too. */
static int
take_turn_locked(struct kr_egl_maker *maker) KR_REQUIRES(kr_egl_fences_lock)
{
	int err;

	if (maker->served || !kr_list_empty(&maker->turn))
		return 0;
	if (pool.idle <= count_turns_locked()) {
		err = start_thread_locked();
		if (err && !pool.running)
			return err;
	}
	kr_list_append(&pool.turns, &maker->turn);
	return 0;
}

void
kr_egl_flights_wake(void)
{
	kr_cond_signal(&pool.work);
}

static int
create(struct kr_egl_sync *sync, int *producer) KR_REQUIRES(kr_egl_fences_lock)
{
	char timeline[KR_SYNC_TEXT], name[KR_SYNC_TEXT];
	const struct kr_fence_label label = {
		.timeline = timeline,
		.seqno = ++sync->fences->made,
		.name = name,
	};

	snprintf(timeline, sizeof(timeline), "egl display %u", sync->fences->number);
	snprintf(name, sizeof(name), "context %u", sync->maker->number);
	if (sync->status)
		return kr_fence_create_done(&label, sync->status, &sync->fence);
	return kr_fence_create(&label, producer, &sync->fence);
}

int
kr_egl_flight_start_locked(struct kr_egl_sync *sync)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct kr_egl_maker *maker = sync->maker;
	int producer = -1, err;

	pthread_once(&once, init);
	if (!sync->status && (pool.flying == KR_EGL_MAX_FLIGHTS || pool.leaving))
		return -EAGAIN;
	err = create(sync, &producer);
	if (err || producer < 0)
		return err;
	pool.flying++;
	/* Short work has ended while the fence was made: that is quicker than to wake a thread. */
	kr_egl_sync_ask_locked(sync, 0, 0);
	if (sync->status) {
		pool.flying--;
		kr_fence_signal(producer, sync->status);
		return 0;
	}
	sync->cookie = kr_sync_user_cookie(sync->fence);
	sync->producer = producer;
	sync->refs++;
	kr_fence_watchdog_start(&sync->watchdog, kr_clock_now());
	kr_list_append(&maker->flights, &sync->queue);
	err = take_turn_locked(maker);
	if (!err)
		return 0;
	kr_fence_signal(kr_egl_flight_end_locked(sync), err);
	kr_fd_close(&sync->fence);
	sync->refs--;
	return err;
}

struct kr_egl_sync *
kr_egl_flight_find_locked(struct kr_egl_fences *fences, uint64_t cookie)
{
	struct kr_egl_maker *maker;
	struct kr_egl_sync *sync;

	kr_list_for_each (maker, &fences->makers, link) {
		kr_list_for_each (sync, &maker->flights, queue) {
			if (sync->cookie == cookie) {
				sync->refs++;
				return sync;
			}
		}
	}
	return NULL;
}

void
kr_egl_flights_forget_locked(void)
{
	kr_list_init(&pool.turns);
	kr_cond_init(&pool.work);
	kr_cond_init(&pool.landed);
	pool.idle = pool.running = pool.flying = 0;
	for (unsigned i = 0; i < MAX_THREADS; i++)
		pool.threads[i].state = NONE;
}
