/* SPDX-License-Identifier: Apache-2.0 */
/* Places of pictures, and the threads that write them: see writers.h. */
#include "tools/run/capture/writers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "composer/composer.h"
#include "util/clock.h"
#include "util/list.h"
#include "util/mutex.h"

#define THREADS_MAX 64
/* Pictures that wait while all threads have one. */
#define WAITING 2
/* Memory of all: this, or that part of the machine's. */
#define BYTES_MAX  ((uint64_t)1 << 30)
#define BYTES_PART 4
/* Of each pixel, in a place and in a writer's bytes. */
#define PIXEL_BYTES 4

struct place {
	struct kr_list link; /* kr_writers.free, .waiting, or none while only writers have it */
	struct kr_capture_picture picture;
	uint64_t number; /* how many pictures came before */
	unsigned taken;  /* targets that a writer has begun with */
	unsigned seen;   /* ... and needs the pixels no more for */
};

struct kr_writers {
	struct kr_capture_target *targets;
	unsigned target_count;
	uint32_t width;
	unsigned thread_limit;
	unsigned place_count;
	struct kr_mutex lock;
	struct kr_cond work;                        /* something waits, or the end has come */
	struct kr_cond room;                        /* a place is free */
	struct kr_list waiting KR_GUARDED_BY(lock); /* place.link, the oldest first */
	struct kr_list free KR_GUARDED_BY(lock);    /* place.link */
	unsigned idle KR_GUARDED_BY(lock);          /* threads that wait for work */
	unsigned jobs KR_GUARDED_BY(lock);          /* that wait for a thread */
	bool ending KR_GUARDED_BY(lock);
	struct kr_writers_waits waits KR_GUARDED_BY(lock);
	uint64_t shown; /* of who shows */
	unsigned thread_count;
	pthread_t threads[THREADS_MAX];
	struct place places[THREADS_MAX + WAITING];
};

static unsigned
processors(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return (unsigned)KR_MIN(KR_MAX(count, 1), THREADS_MAX);
}

static uint64_t
memory_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || page <= 0)
		return BYTES_MAX;
	return KR_MIN(BYTES_MAX, (uint64_t)pages * (uint64_t)page / BYTES_PART);
}

/* As many threads as there are processors, and places for all and some more, if there is room. */
static void
set_limits(struct kr_writers *writers, uint32_t height)
{
	uint64_t picture = (uint64_t)writers->width * height * PIXEL_BYTES;
	uint64_t pictures = memory_limit() / picture;

	writers->thread_limit = processors();
	while (writers->thread_limit > 1 && 2 * writers->thread_limit + WAITING > pictures)
		writers->thread_limit--;
	writers->place_count = writers->thread_limit + WAITING;
	while (writers->place_count > 1 && writers->thread_limit + writers->place_count > pictures)
		writers->place_count--;
}

/* --- a writer --- */

/* The pixels were needed by one target; the last one gives the place back. */
static void
give_back(struct kr_writers *writers, struct place *place)
{
	bool last;

	kr_mutex_lock(&writers->lock);
	last = ++place->seen == writers->target_count;
	kr_mutex_unlock(&writers->lock);
	if (!last)
		return;
	kr_capture_picture_drop(&place->picture);
	kr_mutex_lock(&writers->lock);
	kr_list_append(&writers->free, &place->link);
	kr_cond_signal(&writers->room);
	kr_mutex_unlock(&writers->lock);
}

static void
do_job(struct kr_writers *writers, struct place *place, unsigned index,
	struct kr_capture_work *work)
{
	struct kr_capture_target *target = &writers->targets[index];
	struct kr_capture_job job = {
		.picture = &place->picture,
		.number = place->picture.number,
		.place = place->number,
	};
	bool seen = kr_capture_target_encode(target, &job, work);

	if (seen)
		give_back(writers, place);
	kr_capture_target_put(target, &job, work);
	if (!seen)
		give_back(writers, place);
}

/* The oldest picture's next target; NULL when none will come. */
static struct place *
next_job(struct kr_writers *writers, unsigned *index)
{
	struct place *place = NULL;

	kr_mutex_lock(&writers->lock);
	writers->idle++;
	while (kr_list_empty(&writers->waiting) && !writers->ending)
		kr_cond_wait_until(&writers->work, &writers->lock, KR_FOREVER);
	writers->idle--;
	if (!kr_list_empty(&writers->waiting)) {
		place = kr_container_of(writers->waiting.next, struct place, link);
		*index = place->taken++;
		writers->jobs--;
		if (place->taken == writers->target_count)
			kr_list_remove(&place->link);
	}
	kr_mutex_unlock(&writers->lock);
	return place;
}

static void *
writer_main(void *data)
{
	struct kr_writers *writers = data;
	struct kr_capture_work work = {.row = malloc(sizeof(*work.row) * writers->width)};
	struct place *place;
	unsigned index;

	while ((place = next_job(writers, &index)))
		do_job(writers, place, index, &work);
	kr_capture_buffer_finish(&work.out);
	free(work.row);
	return NULL;
}

/* --- who shows --- */

static struct place *
take_place(struct kr_writers *writers)
{
	struct place *place;
	int64_t since, waited;

	kr_mutex_lock(&writers->lock);
	if (kr_list_empty(&writers->free)) {
		since = kr_clock_now();
		while (kr_list_empty(&writers->free))
			kr_cond_wait_until(&writers->room, &writers->lock, KR_FOREVER);
		waited = kr_clock_now() - since;
		writers->waits.count++;
		writers->waits.sum_ns += waited;
		writers->waits.max_ns = KR_MAX(writers->waits.max_ns, waited);
	}
	place = kr_container_of(writers->free.next, struct place, link);
	kr_list_remove(&place->link);
	kr_mutex_unlock(&writers->lock);
	return place;
}

/* One more thread when all have something to do. 0; -EAGAIN: there is none at all. */
static int
add_threads(struct kr_writers *writers)
{
	unsigned missing;

	kr_mutex_lock(&writers->lock);
	missing = writers->jobs - KR_MIN(writers->idle, writers->jobs);
	kr_mutex_unlock(&writers->lock);
	for (; missing && writers->thread_count < writers->thread_limit; missing--) {
		pthread_t *thread = &writers->threads[writers->thread_count];

		if (pthread_create(thread, NULL, writer_main, writers))
			break;
		writers->thread_count++;
	}
	return writers->thread_count ? 0 : -EAGAIN;
}

int
kr_writers_show(struct kr_writers *writers, const struct kr_composed_frame *frame)
{
	struct place *place = take_place(writers);
	int err = kr_capture_picture_take(&place->picture, frame);

	kr_mutex_lock(&writers->lock);
	if (err == 0) {
		place->number = writers->shown++;
		place->taken = place->seen = 0;
		kr_list_append(&writers->waiting, &place->link);
		writers->jobs += writers->target_count;
		for (unsigned i = 0; i < writers->target_count; i++)
			kr_cond_signal(&writers->work);
	} else {
		kr_list_append(&writers->free, &place->link);
	}
	kr_mutex_unlock(&writers->lock);
	return err < 0 ? err : add_threads(writers);
}

/* --- the beginning and the end --- */

int
kr_writers_create(struct kr_capture_target *targets, unsigned target_count, uint32_t width,
	uint32_t height, struct kr_writers **writers)
{
	struct kr_writers *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->targets = targets;
	made->target_count = target_count;
	made->width = width;
	set_limits(made, height);
	kr_mutex_init(&made->lock);
	kr_cond_init(&made->work);
	kr_cond_init(&made->room);
	kr_list_init(&made->waiting);
	kr_list_init(&made->free);
	for (unsigned i = 0; i < made->place_count; i++)
		kr_list_append(&made->free, &made->places[i].link);
	*writers = made;
	return 0;
}

void
kr_writers_end(struct kr_writers *writers)
{
	kr_mutex_lock(&writers->lock);
	writers->ending = true;
	kr_cond_broadcast(&writers->work);
	kr_mutex_unlock(&writers->lock);
	for (unsigned i = 0; i < writers->thread_count; i++)
		pthread_join(writers->threads[i], NULL);
	writers->thread_count = 0;
}

void
kr_writers_get_waits(struct kr_writers *writers, struct kr_writers_waits *waits)
{
	kr_mutex_lock(&writers->lock);
	*waits = writers->waits;
	kr_mutex_unlock(&writers->lock);
}

void
kr_writers_destroy(struct kr_writers *writers)
{
	if (!writers)
		return;
	kr_writers_end(writers);
	for (unsigned i = 0; i < writers->place_count; i++)
		kr_capture_picture_finish(&writers->places[i].picture);
	kr_cond_finish(&writers->work);
	kr_cond_finish(&writers->room);
	kr_mutex_finish(&writers->lock);
	free(writers);
}
