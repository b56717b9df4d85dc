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
/* Less isn't worth waking somebody for. */
#define BAND_BYTES ((uint64_t)1 << 19)

struct place {
	struct kr_list link; /* kr_writers.free, .waiting, or none while only writers have it */
	struct kr_capture_picture picture;
	uint64_t number; /* how many pictures came before */
	unsigned bands_begun;
	unsigned bands_done;
	bool fine;      /* what was taken so far */
	bool complete;  /* targets can have it */
	unsigned begun; /* targets that a writer has begun with */
	unsigned seen;  /* ... and needs the pixels no more for */
};

/* What a writer is to do: a band of a picture, or a target of it. */
struct job {
	struct place *place;
	bool band;
	unsigned index;
};

struct kr_writers {
	struct kr_capture_target *targets;
	unsigned target_count;
	struct kr_capture_taking taking;
	unsigned band_count;
	unsigned thread_limit;
	unsigned place_count;
	struct kr_mutex lock;
	struct kr_cond work;                        /* something waits, or the end has come */
	struct kr_cond room;                        /* a place is free */
	struct kr_list waiting KR_GUARDED_BY(lock); /* place.link, the oldest first */
	struct kr_list free KR_GUARDED_BY(lock);    /* place.link */
	unsigned idle KR_GUARDED_BY(lock);          /* threads that wait for work */
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
set_limits(struct kr_writers *writers, uint32_t width, uint32_t height, uint32_t pixel_bytes)
{
	uint64_t picture = (uint64_t)width * height * pixel_bytes;
	uint64_t pictures = memory_limit() / picture;

	writers->thread_limit = processors();
	while (writers->thread_limit > 1 && 2 * writers->thread_limit + WAITING > pictures)
		writers->thread_limit--;
	writers->place_count = writers->thread_limit + WAITING;
	while (writers->place_count > 1 && writers->thread_limit + writers->place_count > pictures)
		writers->place_count--;
	writers->band_count = (unsigned)KR_MIN(
		picture / BAND_BYTES + 1, (uint64_t)KR_MIN(writers->thread_limit, height));
}

/* --- work that is there --- */

/* The oldest picture's next band; false: all are begun. */
static bool
find_band(struct kr_writers *writers, struct job *job) KR_REQUIRES(writers->lock)
{
	struct place *place;

	kr_list_for_each (place, &writers->waiting, link) {
		if (place->bands_begun == writers->band_count)
			continue;
		*job = (struct job){place, true, place->bands_begun++};
		return true;
	}
	return false;
}

/* The oldest picture's next target; false: there is none yet. */
static bool
find_target(struct kr_writers *writers, struct job *job) KR_REQUIRES(writers->lock)
{
	struct place *place = kr_container_of(writers->waiting.next, struct place, link);

	if (kr_list_empty(&writers->waiting) || !place->complete)
		return false;
	*job = (struct job){place, false, place->begun++};
	if (place->begun == writers->target_count)
		kr_list_remove(&place->link);
	if (writers->ending && kr_list_empty(&writers->waiting))
		kr_cond_broadcast(&writers->work);
	return true;
}

/* Waits for something to do; false when nothing will come. */
static bool
next_job(struct kr_writers *writers, struct job *job)
{
	bool found;

	kr_mutex_lock(&writers->lock);
	writers->idle++;
	while (!(found = find_band(writers, job) || find_target(writers, job)) &&
		!(writers->ending && kr_list_empty(&writers->waiting)))
		kr_cond_wait_until(&writers->work, &writers->lock, KR_FOREVER);
	writers->idle--;
	kr_mutex_unlock(&writers->lock);
	return found;
}

/* For so many jobs more. */
static void
wake(struct kr_writers *writers, unsigned count) KR_REQUIRES(writers->lock)
{
	for (unsigned i = 0; i < count; i++)
		kr_cond_signal(&writers->work);
}

/* For the targets of pictures that are complete, and that none before them holds up. */
static void
wake_for_targets(struct kr_writers *writers) KR_REQUIRES(writers->lock)
{
	const struct place *place;

	kr_list_for_each (place, &writers->waiting, link) {
		if (!place->complete)
			break;
		wake(writers, writers->target_count - place->begun);
	}
}

/* --- a writer --- */

/* The last band is done: nobody else has the picture. */
static void
complete(struct kr_writers *writers, struct place *place)
{
	bool done = kr_capture_picture_complete(&place->picture, place->fine);

	kr_mutex_lock(&writers->lock);
	place->complete = done;
	if (!done) {
		place->bands_begun = place->bands_done = 0;
		place->fine = true;
		wake(writers, writers->band_count);
	}
	wake_for_targets(writers);
	kr_cond_signal(&writers->room);
	kr_mutex_unlock(&writers->lock);
}

static void
take_band(struct kr_writers *writers, struct place *place, unsigned index)
{
	uint64_t height = place->picture.height;
	uint32_t from = (uint32_t)(height * index / writers->band_count);
	uint32_t to = (uint32_t)(height * (index + 1) / writers->band_count);
	bool fine = kr_capture_picture_take(&place->picture, from, to), last;

	kr_mutex_lock(&writers->lock);
	place->fine &= fine;
	last = ++place->bands_done == writers->band_count;
	kr_mutex_unlock(&writers->lock);
	if (last)
		complete(writers, place);
}

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
write_target(struct kr_writers *writers, struct place *place, unsigned index,
	struct kr_capture_buffer *out)
{
	struct kr_capture_target *target = &writers->targets[index];
	struct kr_capture_job job = {
		.picture = &place->picture,
		.number = place->picture.number,
		.place = place->number,
	};
	bool seen = kr_capture_target_encode(target, &job, out);

	if (seen)
		give_back(writers, place);
	kr_capture_target_put(target, &job, out);
	if (!seen)
		give_back(writers, place);
}

static void *
writer_main(void *data)
{
	struct kr_writers *writers = data;
	struct kr_capture_buffer out = {0};
	struct job job;

	while (next_job(writers, &job)) {
		if (job.band)
			take_band(writers, job.place, job.index);
		else
			write_target(writers, job.place, job.index, &out);
	}
	kr_capture_buffer_finish(&out);
	return NULL;
}

/* --- who shows --- */

static void
count_wait(struct kr_writers *writers, int64_t since_ns) KR_REQUIRES(writers->lock)
{
	int64_t waited = kr_clock_now() - since_ns;

	writers->waits.count++;
	writers->waits.sum_ns += waited;
	writers->waits.max_ns = KR_MAX(writers->waits.max_ns, waited);
}

static struct place *
find_place(struct kr_writers *writers)
{
	struct place *place;
	int64_t since;

	kr_mutex_lock(&writers->lock);
	if (kr_list_empty(&writers->free)) {
		since = kr_clock_now();
		while (kr_list_empty(&writers->free))
			kr_cond_wait_until(&writers->room, &writers->lock, KR_FOREVER);
		count_wait(writers, since);
	}
	place = kr_container_of(writers->free.next, struct place, link);
	kr_list_remove(&place->link);
	kr_mutex_unlock(&writers->lock);
	return place;
}

/*
 * More threads while fewer wait than there are things to do. 0; -EAGAIN: there is none at all.
 */
static int
add_threads(struct kr_writers *writers, unsigned jobs)
{
	unsigned missing;

	kr_mutex_lock(&writers->lock);
	missing = jobs - KR_MIN(writers->idle, jobs);
	kr_mutex_unlock(&writers->lock);
	for (; missing && writers->thread_count < writers->thread_limit; missing--) {
		pthread_t *thread = &writers->threads[writers->thread_count];

		if (pthread_create(thread, NULL, writer_main, writers))
			break;
		writers->thread_count++;
	}
	return writers->thread_count ? 0 : -EAGAIN;
}

/* The display lends it no longer than this call. */
static void
wait_until_taken(struct kr_writers *writers, const struct place *place, uint64_t number)
{
	int64_t since = kr_clock_now();

	kr_mutex_lock(&writers->lock);
	while (place->number == number && !place->complete)
		kr_cond_wait_until(&writers->room, &writers->lock, KR_FOREVER);
	count_wait(writers, since);
	kr_mutex_unlock(&writers->lock);
}

int
kr_writers_show(struct kr_writers *writers, const struct kr_composed_frame *frame)
{
	struct place *place = find_place(writers);
	int err = kr_capture_picture_begin(&place->picture, frame, &writers->taking);
	unsigned jobs = KR_MAX(writers->band_count, writers->target_count);
	bool held = err == 0 && place->picture.hold;

	if (err == 0)
		err = add_threads(writers, jobs);
	if (err < 0)
		kr_capture_picture_drop(&place->picture);
	kr_mutex_lock(&writers->lock);
	if (err == 0) {
		place->number = writers->shown++;
		place->bands_begun = place->bands_done = place->begun = place->seen = 0;
		place->complete = false;
		place->fine = true;
		kr_list_append(&writers->waiting, &place->link);
		wake(writers, writers->band_count);
	} else {
		kr_list_append(&writers->free, &place->link);
	}
	kr_mutex_unlock(&writers->lock);
	if (err == 0 && !held)
		wait_until_taken(writers, place, writers->shown - 1);
	return err;
}

/* --- the beginning and the end --- */

int
kr_writers_create(struct kr_capture_target *targets, unsigned target_count, uint32_t width,
	uint32_t height, enum kr_capture_depth depth, struct kr_writers **writers)
{
	struct kr_writers *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->targets = targets;
	made->target_count = target_count;
	made->taking = (struct kr_capture_taking){.as_is = true, .depth = depth};
	for (unsigned i = 0; i < target_count; i++) {
		made->taking.as_is &= !targets[i].format->encode;
		made->taking.fixed |= targets[i].format->stream;
	}
	set_limits(made, width, height, kr_capture_bytes(depth));
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
