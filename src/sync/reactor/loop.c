/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reactor: one thread and one epoll set for all that waits in the background of the process (of
 * this copy of the library). What that is, its clients know.
 *
 *   none --first client--> running --nobody busy--> idle --100 ms--> ended (joined)
 *    ^                        ^-----somebody busy-----'               |
 *    '----------------------------------next client, unload-----------'
 *
 * The epoll set exists exactly while a client is busy, and is closed before the last merge signals.
 * The idle thread holds no descriptor and no memory; it is there because a thread for each frame
 * would cost more than the merge.
 */
#include "sync/reactor/loop.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "sync/fence/fork.h"
#include "util/clock.h"
#include "util/fd.h"

#define BATCH       16
#define LINGER_NS   (100 * KR_NSEC_PER_MSEC)
#define MAX_CLIENTS 4

enum state {
	STATE_NONE,
	STATE_RUNNING, /* or idle */
	STATE_ENDED,   /* about to return: to be joined */
};

struct kr_mutex kr_sync_reactor_lock = KR_MUTEX_INITIALIZER;
/* Those that have opened it, in that order. */
static const struct kr_sync_loop_client *clients[MAX_CLIENTS] KR_GUARDED_BY(kr_sync_reactor_lock);
static size_t client_count KR_GUARDED_BY(kr_sync_reactor_lock);
static struct kr_cond wake; /* a client got busy, or `stopping` */
static enum state state KR_GUARDED_BY(kr_sync_reactor_lock);
static bool stopping KR_GUARDED_BY(kr_sync_reactor_lock);
static bool in_batch KR_GUARDED_BY(
	kr_sync_reactor_lock); /* from before epoll_wait to the end of it */
static int epoll_fd KR_GUARDED_BY(kr_sync_reactor_lock) = -1;
static pthread_t thread KR_GUARDED_BY(kr_sync_reactor_lock);
/* The thread exists in this process only. */
static pid_t thread_pid KR_GUARDED_BY(kr_sync_reactor_lock);

static bool
busy_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	for (size_t i = 0; i < client_count; i++) {
		if (clients[i]->busy_locked())
			return true;
	}
	return false;
}

static void
close_if_idle_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	if (!busy_locked())
		kr_fd_close(&epoll_fd);
}

static void
handle_batch_locked(struct epoll_event *events, int count) KR_REQUIRES(kr_sync_reactor_lock)
{
	for (int i = 0; i < count; i++) {
		struct kr_sync_source *source = events[i].data.ptr;

		source->handle_locked(source, epoll_fd);
	}
}

static void
finish_batch_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	close_if_idle_locked();
	for (size_t i = 0; i < client_count; i++)
		clients[i]->finish_locked();
	close_if_idle_locked(); /* meanwhile something may have come and gone */
}

/* Waits a while for somebody; false when nobody came. */
static bool
linger_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	int64_t deadline = kr_clock_now() + LINGER_NS;

	while (!busy_locked() && !stopping) {
		if (kr_cond_wait_until(&wake, &kr_sync_reactor_lock, deadline) && !busy_locked())
			return false;
	}
	return busy_locked();
}

/*
 * The program has closed our descriptors behind our back (closefrom). Their numbers may be
 * another's by now, so nothing is closed but what is certainly ours.
 */
static void
abandon_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	epoll_fd = -1;
	for (size_t i = 0; i < client_count; i++)
		clients[i]->abandon_locked();
}

static void *
run(void *data)
{
	struct epoll_event events[BATCH];

	(void)data;
	kr_mutex_lock(&kr_sync_reactor_lock);
	while (busy_locked() || linger_locked()) {
		int set = epoll_fd, count, err;

		in_batch = true;
		kr_mutex_unlock(&kr_sync_reactor_lock);
		count = epoll_wait(set, events, BATCH, -1);
		err = count < 0 ? errno : 0;
		kr_mutex_lock(&kr_sync_reactor_lock);
		if (err && err != EINTR)
			abandon_locked();
		else
			handle_batch_locked(events, count);
		finish_batch_locked();
		in_batch = false;
	}
	if (stopping)
		finish_batch_locked(); /* of stop(), when it came before the first wait */
	state = stopping ? STATE_NONE : STATE_ENDED; /* stop() joins by itself */
	kr_mutex_unlock(&kr_sync_reactor_lock);
	return NULL;
}

/* Signals are for the application's threads. */
static int
start_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	sigset_t all, before;
	int err;

	if (state != STATE_NONE)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return -err;
	pthread_setname_np(thread, "krafla-fences");
	state = STATE_RUNNING;
	thread_pid = getpid();
	return 0;
}

/* Takes a thread that has ended, for pthread_join once the lock is free: it returns at once. */
static bool
take_ended_locked(pthread_t *old) KR_REQUIRES(kr_sync_reactor_lock)
{
	*old = thread;
	if (state != STATE_ENDED)
		return false;
	state = STATE_NONE;
	return true;
}

void
kr_sync_loop_enter(struct kr_sync_loop_visit *visit)
{
	kr_mutex_lock(&kr_sync_reactor_lock);
	visit->join = take_ended_locked(&visit->old);
	visit->idle = !busy_locked();
}

void
kr_sync_loop_leave(struct kr_sync_loop_visit *visit)
{
	kr_sync_loop_settle_locked();
	kr_mutex_unlock(&kr_sync_reactor_lock);
	if (visit->idle)
		kr_cond_broadcast(&wake); /* unlocked: it would wake only to wait for us */
	if (visit->join)
		pthread_join(visit->old, NULL);
}

static void
know_locked(const struct kr_sync_loop_client *client) KR_REQUIRES(kr_sync_reactor_lock)
{
	for (size_t i = 0; i < client_count; i++) {
		if (clients[i] == client)
			return;
	}
	assert(client_count < MAX_CLIENTS);
	clients[client_count++] = client;
}

int
kr_sync_loop_open_locked(const struct kr_sync_loop_client *client, int *epoll)
{
	int err;

	if (stopping)
		return -ESHUTDOWN;
	know_locked(client);
	if (epoll_fd < 0)
		epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		return -errno;
	err = start_locked();
	if (!err)
		*epoll = epoll_fd;
	return err;
}

int
kr_sync_loop_epoll_locked(void)
{
	return epoll_fd;
}

bool
kr_sync_loop_in_batch_locked(void)
{
	return in_batch;
}

/* The thread may be waiting for the set: then it closes it itself. */
void
kr_sync_loop_settle_locked(void)
{
	if (!in_batch)
		close_if_idle_locked();
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&kr_sync_reactor_lock);
}

/* The epoll set is shared with the parent: the child may close it but take nothing out. */
static void
forget_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	for (size_t i = 0; i < client_count; i++)
		clients[i]->forget_locked();
	kr_fd_close(&epoll_fd);
	state = STATE_NONE;
	stopping = in_batch = false;
	kr_cond_init(&wake);
}

static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	if (child)
		forget_locked();
	kr_mutex_unlock(&kr_sync_reactor_lock);
}

__attribute__((constructor)) static void
start(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_cond_init(&wake);
	kr_sync_fork_register(KR_SYNC_FORK_REACTOR, &hook);
}

/*
 * When the library is unloaded or the process exits: what is pending ends, then the
 * thread is joined.
 */
__attribute__((destructor)) static void
stop(void)
{
	pthread_t old;
	bool join;

	kr_mutex_lock(&kr_sync_reactor_lock);
	join = take_ended_locked(&old);
	if (state == STATE_RUNNING && thread_pid == getpid()) {
		for (size_t i = 0; i < client_count; i++)
			clients[i]->stop_locked(epoll_fd);
		kr_cond_broadcast(&wake);
		old = thread;
		join = true;
	}
	stopping = true;
	kr_mutex_unlock(&kr_sync_reactor_lock);
	if (join)
		pthread_join(old, NULL);
}
