/* SPDX-License-Identifier: Apache-2.0 */
/* The table of hooks, which fork walks. Hooks whose file isn't part of a program aren't there. */
#include "sync/fence/fork.h"

#include <pthread.h>

static const struct kr_sync_fork_hook *hooks[KR_SYNC_FORK_RANKS];

void
kr_sync_fork_register(enum kr_sync_fork_rank rank, const struct kr_sync_fork_hook *hook)
{
	hooks[rank] = hook;
}

static void
before_fork(void)
{
	for (unsigned i = 0; i < KR_SYNC_FORK_RANKS; i++) {
		if (hooks[i] && hooks[i]->before)
			hooks[i]->before();
	}
}

static void
after_fork(bool child)
{
	for (unsigned i = KR_SYNC_FORK_RANKS; i-- > 0;) {
		if (hooks[i])
			hooks[i]->after(child);
	}
}

static void
in_parent(void)
{
	after_fork(false);
}

static void
in_child(void)
{
	after_fork(true);
}

static int registered;

static void
init(void)
{
	registered = -pthread_atfork(before_fork, in_parent, in_child);
}

int
kr_sync_fork_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init);
	return registered;
}
