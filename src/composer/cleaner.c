/* SPDX-License-Identifier: Apache-2.0 */
/* See cleaner.h. */
#include "composer/cleaner.h"

#include <signal.h>

#include "gralloc/buffer.h"
#include "util/clock.h"

void
kr_cleaner_init(struct kr_cleaner *cleaner)
{
	kr_mutex_init(&cleaner->lock);
	kr_cond_init(&cleaner->changed);
}

/* The next one; NULL when none will come. */
static struct kr_buffer *
next_buffer(struct kr_cleaner *cleaner)
{
	struct kr_buffer *buffer = NULL;

	kr_mutex_lock(&cleaner->lock);
	while (!cleaner->count && !cleaner->ending)
		kr_cond_wait_until(&cleaner->changed, &cleaner->lock, KR_FOREVER);
	if (cleaner->count) {
		buffer = cleaner->waiting[cleaner->first];
		cleaner->first = (cleaner->first + 1) % KR_CLEANER_ROOM;
		cleaner->count--;
	}
	kr_mutex_unlock(&cleaner->lock);
	return buffer;
}

static void *
cleaner_main(void *data)
{
	struct kr_buffer *buffer;

	while ((buffer = next_buffer(data)))
		kr_buffer_unref(buffer);
	return NULL;
}

/* Whose signals are the process's other threads' affair. */
static bool
start(struct kr_cleaner *cleaner)
{
	sigset_t all, before;

	if (cleaner->running)
		return true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	cleaner->running = !pthread_create(&cleaner->thread, NULL, cleaner_main, cleaner);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return cleaner->running;
}

void
kr_cleaner_drop(struct kr_cleaner *cleaner, struct kr_buffer *take_buffer)
{
	bool taken = false;

	if (kr_buffer_get_info(take_buffer)->size >= KR_CLEANER_LEAST && start(cleaner)) {
		kr_mutex_lock(&cleaner->lock);
		taken = cleaner->count < KR_CLEANER_ROOM;
		if (taken) {
			cleaner->waiting[(cleaner->first + cleaner->count++) % KR_CLEANER_ROOM] =
				take_buffer;
			kr_cond_broadcast(&cleaner->changed);
		}
		kr_mutex_unlock(&cleaner->lock);
	}
	cleaner->taken += taken;
	if (!taken)
		kr_buffer_unref(take_buffer);
}

void
kr_cleaner_finish(struct kr_cleaner *cleaner)
{
	kr_mutex_lock(&cleaner->lock);
	cleaner->ending = true;
	kr_cond_broadcast(&cleaner->changed);
	kr_mutex_unlock(&cleaner->lock);
	if (cleaner->running)
		pthread_join(cleaner->thread, NULL);
	cleaner->running = false;
	kr_cond_finish(&cleaner->changed);
	kr_mutex_finish(&cleaner->lock);
}
