/* SPDX-License-Identifier: Apache-2.0 */
/* Lock order here is that of docs/threading.md: sw_sync, faults, reactor, producers. */
#include "sync/fence/fork.h"

#include <pthread.h>

#include "sync/fault/fault.h"
#include "sync/fence/producers.h"
#include "sync/reactor/reactor.h"
#include "sync/timeline/sw_sync.h"

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_sw_sync_before_fork();
	kr_fault_before_fork();
	kr_sync_reactor_before_fork();
	kr_mutex_lock(&kr_sync_producers_lock);
}

static void
in_parent(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_unlock(&kr_sync_producers_lock);
	kr_sync_reactor_after_fork(false);
	kr_fault_after_fork(false);
	kr_sw_sync_after_fork();
}

static void
in_child(void) KR_NO_THREAD_SAFETY
{
	kr_sync_producers_drop_locked();
	kr_mutex_unlock(&kr_sync_producers_lock);
	kr_sync_reactor_after_fork(true);
	kr_fault_after_fork(true);
	kr_sw_sync_after_fork();
}

static int registered;

static void
init(void)
{
	kr_sync_reactor_init();
	registered = -pthread_atfork(before_fork, in_parent, in_child);
}

int
kr_sync_fork_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init);
	return registered;
}
