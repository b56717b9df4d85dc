/* SPDX-License-Identifier: Apache-2.0 */
/*
 * producer -> merger -> consumer, in three processes. The producer makes fences and ends them,
 * signalled, failed, or by dropping them, one by one or on a timeline (KRAFLA_SYNC_TIMELINE says of
 * what); the merger receives, merges, renames and passes on; the consumer waits with short and long
 * deadlines. Whatever happens to any of them:
 *
 *   each fence that the consumer holds ends, within its patience;
 *   one that ends signalled was signalled, and so was every fence that was merged into it;
 *   one that ends in error has a reason: somebody failed it, dropped it or died.
 */
#include "scenarios.h"

#include <errno.h>
#include <krafla/sync.h>
#include <krafla/timeline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "sync/wait/wait.h"

enum { PRODUCER, MERGER, CONSUMER };
enum { UPSTREAM, DOWNSTREAM };

#define OPEN_MAX   8
#define WANTED_MAX 32 /* fences of a producer */
#define HELD_MAX   48
#define SHORT_NS   (2 * KR_NSEC_PER_MSEC)

#define FENCES 1024

enum fate {
	OPEN,
	SIGNALLED, /* written before it is signalled */
	FAILED,    /* likewise */
};

/* What all roles know. */
struct known {
	atomic_uint fences;        /* how many ids were given out */
	atomic_uint fates[FENCES]; /* enum fate, by id */
};

static struct known *
known(const struct kill_actor *actor)
{
	return (struct known *)actor->board->shared;
}

enum {
	COUNT_FENCES = KILL_COUNT_OWN,
	COUNT_MERGES,
	COUNT_SUCCESSES,
	COUNT_ERRORS,
	COUNT_TIMEOUTS,
};
#define COUNTS                                                                                     \
	{                                                                                          \
		"fences", "merges", "seen signalled", "seen failed", "deadlines passed"            \
	}

/* --- producer --- */

struct open_fence {
	int producer;
	unsigned id;
};

struct producer {
	struct kill_actor *actor;
	struct open_fence open[OPEN_MAX];
	unsigned count;
};

/* Without descriptors a call may fail, but only so. */
static void
excuse(struct kill_actor *actor, const char *what, int err)
{
	if (err != -EMFILE || !kill_is_exhausted(actor))
		kill_complain(actor, "%s: %s", what, strerror(-err));
}

static void
end_fence(struct producer *p, unsigned i)
{
	struct kill_actor *actor = p->actor;
	struct open_fence fence = p->open[i];
	unsigned lot = kill_below(&actor->random, 12);

	p->open[i] = p->open[--p->count];
	kill_step(actor, "ending a fence");
	atomic_store(&known(actor)->fates[fence.id], lot < 2 ? FAILED : SIGNALLED);
	if (lot == 0)
		close(fence.producer);
	else
		kr_fence_signal(fence.producer, lot == 1 ? -EIO : 1);
}

static bool
make_fence(struct producer *p)
{
	struct kill_actor *actor = p->actor;
	struct kill_parcel parcel = {.count = 1};
	unsigned id = atomic_fetch_add(&known(actor)->fences, 1);
	struct kr_fence_label label = {"kill", id, "kill:0"};
	int producer, fence, err;
	bool there;

	if (id >= FENCES)
		return false;
	err = kr_fence_create(&label, &producer, &fence);
	if (err) {
		excuse(actor, "create", err);
		return true;
	}
	kill_count(actor->board, COUNT_FENCES);
	p->open[p->count++] = (struct open_fence){producer, id};
	parcel.ids[0] = id;
	kill_step(actor, "sending a fence");
	there = kill_send(actor, UPSTREAM, &parcel, fence);
	close(fence);
	return there;
}

static void
produce(struct kill_actor *actor)
{
	struct producer p = {.actor = actor};
	unsigned wanted = 4 + kill_below(&actor->random, WANTED_MAX - 4);

	for (unsigned i = 0; i < wanted; i++) {
		kill_step(actor, "making a fence");
		if (p.count == OPEN_MAX || (p.count && kill_chance(&actor->random, 50)))
			end_fence(&p, kill_below(&actor->random, p.count));
		if (!make_fence(&p))
			break;
	}
	while (p.count)
		end_fence(&p, kill_below(&actor->random, p.count));
}

/* --- producer with a timeline --- */

struct job_list {
	struct kill_actor *actor;
	struct krafla_timeline *timeline;
	unsigned ids[WANTED_MAX + 1]; /* by value; there is no 0 */
	uint64_t submitted, reached;
};

/* Each fate is known before its point ends. */
static void
reach(struct job_list *jobs, uint64_t value)
{
	struct kill_actor *actor = jobs->actor;
	bool fails = kill_chance(&actor->random, 10);
	int err;

	kill_step(actor, "ending jobs");
	for (uint64_t v = jobs->reached + 1; v <= value; v++)
		atomic_store(&known(actor)->fates[jobs->ids[v]],
			fails && v == value ? FAILED : SIGNALLED);
	err = fails ? krafla_timeline_fail(jobs->timeline, value, -EIO) : 0;
	/* sw_sync can't: nothing has ended. */
	if (err == -EOPNOTSUPP)
		atomic_store(&known(actor)->fates[jobs->ids[value]], SIGNALLED);
	if (!fails || err == -EOPNOTSUPP)
		err = krafla_timeline_signal(jobs->timeline, value);
	if (err)
		kill_complain(actor, "timeline: %s", strerror(-err));
	jobs->reached = value;
}

static bool
submit(struct job_list *jobs)
{
	struct kill_actor *actor = jobs->actor;
	struct kill_parcel parcel = {.count = 1};
	uint64_t value;
	bool there;
	int fence, err;

	err = krafla_timeline_submit(jobs->timeline, "kill:0", &value, &fence);
	if (err) {
		excuse(actor, "submit", err);
		return true;
	}
	if (value != jobs->submitted + 1)
		kill_complain(actor, "job %u has value %u", (unsigned)jobs->submitted + 1,
			(unsigned)value);
	kill_count(actor->board, COUNT_FENCES);
	parcel.ids[0] = atomic_fetch_add(&known(actor)->fences, 1);
	jobs->submitted = value;
	jobs->ids[value] = parcel.ids[0];
	kill_step(actor, "sending a fence");
	there = kill_send(actor, UPSTREAM, &parcel, fence);
	close(fence);
	return there;
}

/* A forked child lets go of its parent's timeline; of a kernel device it would keep it alive. */
static void
forget_in_child(struct kill_actor *actor, void *data)
{
	krafla_timeline_destroy(((struct job_list *)data)->timeline);
}

static void
produce_on_timeline(struct kill_actor *actor)
{
	struct job_list jobs = {.actor = actor};
	unsigned wanted = 4 + kill_below(&actor->random, WANTED_MAX - 4);
	int err = krafla_timeline_create("kill", NULL, NULL, &jobs.timeline);

	if (err) {
		excuse(actor, "timeline", err);
		return;
	}
	actor->in_child = forget_in_child;
	actor->data = &jobs;
	for (unsigned i = 0; i < wanted; i++) {
		uint64_t open = jobs.submitted - jobs.reached;

		kill_step(actor, "submitting a job");
		if (open && kill_chance(&actor->random, 30))
			reach(&jobs, jobs.reached + 1 + kill_below(&actor->random, (unsigned)open));
		if (!submit(&jobs))
			break;
	}
	/* What is open when the timeline goes has failed. */
	if (jobs.reached < jobs.submitted && kill_chance(&actor->random, 70))
		reach(&jobs, jobs.submitted);
	for (uint64_t v = jobs.reached + 1; v <= jobs.submitted; v++)
		atomic_store(&known(actor)->fates[jobs.ids[v]], FAILED);
	kill_step(actor, "destroying its timeline");
	actor->in_child = NULL;
	krafla_timeline_destroy(jobs.timeline);
}

/* --- what merger and consumer hold --- */

struct held {
	int fd;
	struct kill_parcel parcel;
};

struct store {
	struct held held[HELD_MAX];
	unsigned count;
};

static void
drop(struct store *store, unsigned i)
{
	close(store->held[i].fd);
	store->held[i] = store->held[--store->count];
}

/*
 * Of points of one timeline the kernel's merge keeps the last alone: whether an earlier one
 * has failed isn't known of the merged fence, only that it has ended. (Ids grow with
 * values: there is one timeline.)
 */
static bool
is_collapsed_success(const struct kill_actor *actor, const struct kill_parcel *parcel)
{
	const char *of = getenv("KRAFLA_SYNC_TIMELINE");
	unsigned last = 0;

	for (unsigned i = 0; i < parcel->count; i++) {
		last = KR_MAX(last, parcel->ids[i]);
		if (atomic_load(&known(actor)->fates[parcel->ids[i]]) == OPEN)
			return false;
	}
	return actor->scenario == &kill_timelines && of && strcmp(of, "user") &&
		atomic_load(&known(actor)->fates[last]) == SIGNALLED;
}

/* Nothing depends on the consumer. */
static bool
maker_has_died(const struct kill_actor *actor)
{
	return atomic_load(&actor->board->deaths_of[PRODUCER]) ||
		atomic_load(&actor->board->deaths_of[MERGER]);
}

/* What a wait answered, against what has become of the fences in it. */
static void
check(struct kill_actor *actor, const struct held *held, int status)
{
	unsigned good = 0, bad = 0;

	for (unsigned i = 0; i < held->parcel.count; i++) {
		unsigned fate = atomic_load(&known(actor)->fates[held->parcel.ids[i]]);

		good += fate == SIGNALLED;
		bad += fate == FAILED;
	}
	if (status == 0 && good != held->parcel.count &&
		!is_collapsed_success(actor, &held->parcel))
		kill_complain(actor, "fence %u of %u fences is signalled, and %u of them are",
			held->parcel.ids[0], held->parcel.count, good);
	if (status && status != -EIO && status != -EOWNERDEAD && status != -ENOENT)
		kill_complain(
			actor, "fence %u failed with %s", held->parcel.ids[0], strerror(-status));
	if (status && !bad && !maker_has_died(actor))
		kill_complain(actor, "fence %u of %u fences failed for no reason (%s)",
			held->parcel.ids[0], held->parcel.count, strerror(-status));
	kill_count(actor->board, status ? COUNT_ERRORS : COUNT_SUCCESSES);
}

static void
wait_to_the_end(struct kill_actor *actor, const struct held *held)
{
	char sentence[KR_FENCE_SENTENCE];
	int status = kr_fence_wait(held->fd, kr_clock_now() + KILL_PATIENCE_NS);

	if (status == -ETIME) {
		kr_fence_sentence_of(held->fd, sentence);
		kill_complain(actor, "fence %u of %u fences doesn't end: %s", held->parcel.ids[0],
			held->parcel.count, sentence);
	}
	check(actor, held, status);
}

/* A forked child can wait for what its parent held. */
static void
wait_in_child(struct kill_actor *actor, void *data)
{
	const struct store *store = data;

	if (store->count)
		wait_to_the_end(actor, &store->held[0]);
}

static void
keep(struct store *store, const struct kill_parcel *parcel, int fd)
{
	store->held[store->count++] = (struct held){fd, *parcel};
}

/* --- merger --- */

struct merger {
	struct kill_actor *actor;
	struct store in;
	struct store own; /* its merges, which it must outlive */
	bool deaf;        /* the consumer is gone */
};

static void
remember(struct merger *m, const struct held *merged)
{
	struct held own = *merged;

	own.fd = dup(merged->fd);
	if (own.fd < 0) {
		/* It may end with this process, and so in error. */
		kill_owes_nothing(m->actor);
		return;
	}
	if (m->own.count == HELD_MAX) {
		wait_to_the_end(m->actor, &m->own.held[0]);
		drop(&m->own, 0);
	}
	keep(&m->own, &own.parcel, own.fd);
}

static void
merge_two(struct merger *m)
{
	struct kill_actor *actor = m->actor;
	unsigned a = kill_below(&actor->random, m->in.count);
	unsigned b = kill_below(&actor->random, m->in.count);
	struct held merged = m->in.held[a];
	const struct kill_parcel *other = &m->in.held[b].parcel;
	int err;

	if (merged.parcel.count + other->count > KR_ARRAY_LEN(merged.parcel.ids))
		return;
	memcpy(merged.parcel.ids + merged.parcel.count, other->ids,
		other->count * sizeof(other->ids[0]));
	merged.parcel.count += other->count;
	kill_step(actor, "merging");
	merged.fd = sync_merge("merged", m->in.held[a].fd, m->in.held[b].fd);
	if (merged.fd < 0) {
		err = -errno;
		excuse(actor, "merge", err);
		return;
	}
	kill_count(actor->board, COUNT_MERGES);
	remember(m, &merged);
	if (m->in.count < HELD_MAX)
		keep(&m->in, &merged.parcel, merged.fd);
	else
		close(merged.fd);
}

static void
pass_on(struct merger *m, unsigned i)
{
	struct held *held = &m->in.held[i];
	int renamed;

	kill_step(m->actor, "passing on");
	if (!m->deaf && kill_chance(&m->actor->random, 30) &&
		!kr_fence_rename("passed:1", held->fd, &renamed)) {
		close(held->fd);
		held->fd = renamed;
	}
	/* A fence that has signalled was renamed to nothing. */
	if (!m->deaf && held->fd >= 0)
		m->deaf = !kill_send(m->actor, DOWNSTREAM, &held->parcel, held->fd);
	drop(&m->in, i);
}

static void
look(struct merger *m, int fd)
{
	struct sync_file_info *info;

	kill_step(m->actor, "looking at a fence");
	info = sync_file_info(fd);
	if (info)
		sync_file_info_free(info);
	else if (!kill_is_exhausted(m->actor))
		kill_complain(m->actor, "sync_file_info: %s", strerror(errno));
}

static void
work(struct merger *m)
{
	struct kill_random *random = &m->actor->random;

	if (m->in.count >= 2 && kill_chance(random, 60))
		merge_two(m);
	if (m->in.count && kill_chance(random, 10))
		look(m, m->in.held[kill_below(random, m->in.count)].fd);
	while (m->in.count > HELD_MAX - 2 || (m->in.count && kill_chance(random, 40)))
		pass_on(m, kill_below(random, m->in.count));
}

static void
merge(struct kill_actor *actor)
{
	struct merger m = {.actor = actor};
	struct kill_parcel parcel;
	int fd, came;

	actor->in_child = wait_in_child;
	actor->data = &m.in;
	for (;;) {
		kill_step(actor, "receiving from the producer");
		came = kill_receive(actor, UPSTREAM, &parcel, &fd, KILL_PATIENCE_NS);
		if (came == 0)
			kill_complain(actor, "nothing comes");
		if (came < 0)
			break;
		if (fd >= 0)
			keep(&m.in, &parcel, fd);
		work(&m);
	}
	kill_close_link(actor, UPSTREAM);
	while (m.in.count)
		pass_on(&m, m.in.count - 1);
	kill_step(actor, "waiting for its own merges");
	for (; m.own.count; drop(&m.own, 0))
		wait_to_the_end(actor, &m.own.held[0]);
}

/* --- consumer --- */

static void
wait_shortly(struct kill_actor *actor, struct store *store, unsigned i)
{
	int64_t limit = kill_below(&actor->random, SHORT_NS);
	int status;

	kill_step(actor, "waiting shortly");
	status = kr_fence_wait(store->held[i].fd, kr_clock_now() + limit);
	if (status == -ETIME) {
		kill_count(actor->board, COUNT_TIMEOUTS);
		return;
	}
	check(actor, &store->held[i], status);
	drop(store, i);
}

static void
consume(struct kill_actor *actor)
{
	struct store store = {.count = 0};
	struct kill_parcel parcel;
	int fd, came;

	actor->in_child = wait_in_child;
	actor->data = &store;
	for (;;) {
		kill_step(actor, "receiving from the merger");
		came = kill_receive(actor, DOWNSTREAM, &parcel, &fd, KILL_PATIENCE_NS);
		if (came == 0)
			kill_complain(actor, "nothing comes");
		if (came < 0)
			break;
		if (fd >= 0)
			keep(&store, &parcel, fd);
		while (store.count == HELD_MAX ||
			(store.count && kill_chance(&actor->random, 30))) {
			unsigned i = kill_below(&actor->random, store.count);

			if (store.count == HELD_MAX) {
				wait_to_the_end(actor, &store.held[i]);
				drop(&store, i);
			} else {
				wait_shortly(actor, &store, i);
			}
		}
	}
	kill_close_link(actor, DOWNSTREAM);
	for (; store.count; drop(&store, 0)) {
		kill_step(actor, "waiting to the end");
		wait_to_the_end(actor, &store.held[0]);
	}
}

const struct kill_scenario kill_fences = {
	.name = "fences",
	.roles = {{"producer", produce}, {"merger", merge}, {"consumer", consume}},
	.role_count = 3,
	.links = {{{PRODUCER, MERGER}}, {{MERGER, CONSUMER}}},
	.link_count = 2,
	.counts = COUNTS,
	.shared_size = sizeof(struct known),
};

const struct kill_scenario kill_timelines = {
	.name = "timelines",
	.roles = {{"producer", produce_on_timeline}, {"merger", merge}, {"consumer", consume}},
	.role_count = 3,
	.links = {{{PRODUCER, MERGER}}, {{MERGER, CONSUMER}}},
	.link_count = 2,
	.counts = COUNTS,
	.shared_size = sizeof(struct known),
};
