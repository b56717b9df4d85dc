/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences that a fault holds back. Each is a user-space fence whose producer end is here, in the
 * place of one that was taken in (its input, -1 where that was "signalled already"):
 *
 *   late      INPUT --it is done--> DELAY --time--> PASSES --enough have passed--> signals
 *   swapped   INPUT --it is done--> NEXT --the next one is done, or time--> signals
 *   never     PARKED; a release sends it to INPUT
 *
 * A fence that nobody has any more ends in any state: its producer end hangs up. So does each when
 * the library is unloaded; those fail.
 *
 * Lifetime: a held fence is in the list until it ends. Then its watchers are removed; one whose
 * call can't be stopped any more has a reference, and drops it in that call.
 */
#include "sync/fault/hold.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "sync/fence/fence.h"
#include "sync/fence/fork.h"
#include "sync/fence/producers.h"
#include "sync/fence/status.h"
#include "sync/reactor/watchers.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/list.h"
#include "util/mutex.h"

#define SWAP_LIMIT_NS KR_NSEC_PER_SEC

enum phase {
	PHASE_PARKED,
	PHASE_INPUT,
	PHASE_DELAY,
	PHASE_PASSES,
	PHASE_NEXT,
};

/* A watcher and whether the reactor has it. */
struct watch {
	struct kr_sync_watcher watcher;
	bool on;
};

struct held {
	struct kr_list link; /* in `held_fences`, then in a list of those that have ended */
	enum krafla_fault_site site;
	bool swapped;
	bool over; /* has ended */
	enum phase phase;
	unsigned refs; /* the list, and each watcher that is on */
	int input;     /* -1: none, or it was signalled at once */
	int next;      /* swapped: the fence that passed next; -1 none */
	bool has_next; /* there was one; without `next` it had signalled */
	int producer;
	int32_t status; /* the input's; then what is told; 0: nothing, the producer end is closed */
	uint64_t delay_ns;
	uint64_t later;     /* so many have to pass yet */
	struct watch front; /* what the phase waits for */
	struct watch back;  /* whether anybody has the fence */
};

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct kr_list held_fences KR_GUARDED_BY(lock) = KR_LIST_INITIALIZER(held_fences);

static void
unref_locked(struct held *held) KR_REQUIRES(lock)
{
	if (--held->refs == 0)
		free(held);
}

static int
watch_locked(struct held *held, struct watch *watch, int fd, uint32_t events, int64_t deadline_ns)
	KR_REQUIRES(lock)
{
	int err;

	watch->watcher.fd = fd;
	watch->watcher.events = events;
	watch->watcher.deadline_ns = deadline_ns;
	err = kr_sync_watcher_add(&watch->watcher);
	if (!err) {
		watch->on = true;
		held->refs++;
	}
	return err;
}

/* False: its call is under way, and will find that the fence has ended. */
static bool
unwatch_locked(struct held *held, struct watch *watch) KR_REQUIRES(lock)
{
	if (!watch->on)
		return true;
	if (!kr_sync_watcher_remove(&watch->watcher))
		return false;
	watch->on = false;
	unref_locked(held); /* never the last: the list has one */
	return true;
}

/* status: as kr_fence_signal, 0 to tell nothing. What is left is for finish(). */
static void
end_locked(struct held *held, int32_t status, struct kr_list *ended) KR_REQUIRES(lock)
{
	held->over = true;
	held->status = status;
	(void)unwatch_locked(held, &held->front);
	(void)unwatch_locked(held, &held->back);
	kr_list_remove(&held->link);
	kr_list_append(ended, &held->link);
}

/* Without the lock: signals wake who may come here at once. */
static void
finish(struct kr_list *ended)
{
	struct held *held, *tmp;

	kr_list_for_each_safe (held, tmp, ended, link) {
		if (held->status)
			kr_fence_signal(held->producer, held->status);
		else
			kr_fd_close(&held->producer);
		kr_fd_close(&held->input);
		kr_fd_close(&held->next);
		kr_mutex_lock(&lock);
		unref_locked(held);
		kr_mutex_unlock(&lock);
	}
}

/* What can't be waited for isn't: the fence fails, as one whose maker has died. */
static void
must_locked(struct held *held, int err, struct kr_list *ended) KR_REQUIRES(lock)
{
	if (err)
		end_locked(held, 0, ended);
}

static void
enter_passes_locked(struct held *held, struct kr_list *ended) KR_REQUIRES(lock)
{
	held->phase = PHASE_PASSES;
	if (!held->later)
		end_locked(held, held->status, ended);
}

static void
enter_next_locked(struct held *held, struct kr_list *ended) KR_REQUIRES(lock)
{
	int64_t limit = kr_deadline_in(held->delay_ns ? held->delay_ns : SWAP_LIMIT_NS);

	held->phase = PHASE_NEXT;
	if (held->has_next && held->next < 0)
		end_locked(held, held->status, ended);
	else
		must_locked(
			held, watch_locked(held, &held->front, held->next, EPOLLIN, limit), ended);
}

static void
input_done_locked(struct held *held, struct kr_list *ended) KR_REQUIRES(lock)
{
	if (held->swapped) {
		enter_next_locked(held, ended);
	} else if (held->delay_ns) {
		held->phase = PHASE_DELAY;
		must_locked(held,
			watch_locked(held, &held->front, -1, 0, kr_deadline_in(held->delay_ns)),
			ended);
	} else {
		enter_passes_locked(held, ended);
	}
}

static void
enter_input_locked(struct held *held, struct kr_list *ended) KR_REQUIRES(lock)
{
	held->phase = PHASE_INPUT;
	held->status = kr_fence_status(held->input);
	if (held->status != KR_FENCE_ACTIVE)
		input_done_locked(held, ended);
	else
		must_locked(held,
			watch_locked(held, &held->front, held->input, EPOLLIN, KR_FOREVER), ended);
}

/* A watcher's fd was closed behind our back, or all were. */
static void
lost_locked(struct held *held, struct kr_list *ended) KR_REQUIRES(lock)
{
	held->input = held->next = -1;
	if (!kr_sync_producers_has(held->producer))
		held->producer = -1;
	end_locked(held, 0, ended);
}

static void
advance_locked(struct held *held, enum kr_sync_watcher_reason reason, struct kr_list *ended)
	KR_REQUIRES(lock)
{
	if (reason == KR_SYNC_WATCHER_LOST) {
		lost_locked(held, ended);
	} else if (reason == KR_SYNC_WATCHER_STOPPED) {
		end_locked(held, 0, ended);
	} else if (held->phase == PHASE_INPUT) {
		if (kr_sync_status_ready(held->input, &held->status))
			held->status = -EINVAL;
		if (held->status == KR_FENCE_ACTIVE)
			enter_input_locked(held, ended);
		else
			input_done_locked(held, ended);
	} else if (held->phase == PHASE_DELAY) {
		enter_passes_locked(held, ended);
	} else {
		end_locked(held, held->status, ended);
	}
}

static void
handle_front(struct kr_sync_watcher *watcher, enum kr_sync_watcher_reason reason)
{
	struct held *held = kr_container_of(watcher, struct held, front.watcher);
	struct kr_list ended = KR_LIST_INITIALIZER(ended);

	kr_mutex_lock(&lock);
	held->front.on = false;
	if (!held->over)
		advance_locked(held, reason, &ended);
	unref_locked(held);
	kr_mutex_unlock(&lock);
	finish(&ended);
}

static void
handle_back(struct kr_sync_watcher *watcher, enum kr_sync_watcher_reason reason)
{
	struct held *held = kr_container_of(watcher, struct held, back.watcher);
	struct kr_list ended = KR_LIST_INITIALIZER(ended);

	kr_mutex_lock(&lock);
	held->back.on = false;
	if (!held->over && reason == KR_SYNC_WATCHER_LOST)
		lost_locked(held, &ended);
	else if (!held->over)
		end_locked(held, 0, &ended);
	unref_locked(held);
	kr_mutex_unlock(&lock);
	finish(&ended);
}

static struct held *
create(enum krafla_fault_site site, const struct krafla_fault *fault, int input, int producer)
{
	struct held *held = calloc(1, sizeof(*held));

	if (!held)
		return NULL;
	held->site = site;
	held->swapped = fault->kind == KRAFLA_FAULT_SWAPPED;
	held->refs = 1;
	held->input = input;
	held->next = -1;
	held->producer = producer;
	held->delay_ns = fault->delay_ns;
	held->later = fault->later;
	held->front.watcher.handle = handle_front;
	held->back.watcher.handle = handle_back;
	return held;
}

/* Puts it into the list and begins. On failure the input is the caller's still. */
static int
start_locked(struct held *held, bool never, struct kr_list *ended) KR_REQUIRES(lock)
{
	int err;

	kr_list_append(&held_fences, &held->link);
	err = watch_locked(held, &held->back, held->producer, 0, KR_FOREVER);
	if (err) {
		held->input = -1;
		end_locked(held, 0, ended);
	} else if (!never) {
		enter_input_locked(held, ended);
	}
	return err;
}

int
kr_fault_hold(enum krafla_fault_site site, const struct krafla_fault *fault, int *fence)
{
	const struct kr_fence_label label = {
		.timeline = "fault", .name = krafla_fault_kind_name(fault->kind)};
	struct kr_list ended = KR_LIST_INITIALIZER(ended);
	struct held *held;
	int producer, made, err;

	if (kr_fence_status(*fence) == -EINVAL)
		return -EINVAL;
	err = kr_fence_create(&label, &producer, &made);
	if (err)
		return err;
	held = create(site, fault, *fence, producer);
	if (!held) {
		kr_fence_signal(producer, -ENOMEM);
		kr_fd_close(&made);
		return -ENOMEM;
	}
	kr_mutex_lock(&lock);
	err = start_locked(held, fault->kind == KRAFLA_FAULT_NEVER, &ended);
	kr_mutex_unlock(&lock);
	finish(&ended);
	if (err)
		kr_fd_close(&made);
	else
		*fence = made;
	return err;
}

/* What a swapped fence waits for. What can't be kept counts as done. */
static void
take_next_locked(struct held *held, int fence, struct kr_list *ended) KR_REQUIRES(lock)
{
	held->has_next = true;
	if (kr_fence_status(fence) != KR_FENCE_ACTIVE || kr_fd_dup(fence, &held->next))
		held->next = -1;
	/* If its time is up just now, it ends by that. */
	if (held->phase == PHASE_NEXT && unwatch_locked(held, &held->front))
		enter_next_locked(held, ended);
}

static void
count_pass_locked(struct held *held, struct kr_list *ended) KR_REQUIRES(lock)
{
	if (held->later && --held->later == 0 && held->phase == PHASE_PASSES)
		end_locked(held, held->status, ended);
}

bool
kr_fault_hold_passed(enum krafla_fault_site site, int fence)
{
	struct kr_list ended = KR_LIST_INITIALIZER(ended);
	struct held *held, *tmp;
	bool taken = false;

	kr_mutex_lock(&lock);
	kr_list_for_each_safe (held, tmp, &held_fences, link) {
		if (held->site != site)
			continue;
		if (held->swapped && !held->has_next && !taken) {
			take_next_locked(held, fence, &ended);
			taken = true;
		} else {
			count_pass_locked(held, &ended);
		}
	}
	kr_mutex_unlock(&lock);
	finish(&ended);
	return taken;
}

/* Nothing but its input is waited for from here on. */
static void
release_locked(struct held *held, struct kr_list *ended) KR_REQUIRES(lock)
{
	held->swapped = false;
	held->delay_ns = 0;
	held->later = 0;
	if (!unwatch_locked(held, &held->front))
		return; /* its call does the rest, with what was just set */
	if (held->phase == PHASE_PARKED || held->phase == PHASE_INPUT)
		enter_input_locked(held, ended);
	else
		end_locked(held, held->status, ended);
}

void
kr_fault_hold_release(enum krafla_fault_site site)
{
	struct kr_list ended = KR_LIST_INITIALIZER(ended);
	struct held *held, *tmp;

	kr_mutex_lock(&lock);
	kr_list_for_each_safe (held, tmp, &held_fences, link) {
		if (held->site == site)
			release_locked(held, &ended);
	}
	kr_mutex_unlock(&lock);
	finish(&ended);
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&lock);
}

/* The producer ends are closed with all others, and nothing is watched in a child. */
static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	struct held *held, *tmp;

	kr_list_for_each_safe (held, tmp, &held_fences, link) {
		if (!child)
			break;
		kr_list_remove(&held->link);
		kr_fd_close(&held->input);
		kr_fd_close(&held->next);
		free(held);
	}
	kr_mutex_unlock(&lock);
}

__attribute__((constructor)) static void
register_hook(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_HELD_FENCES, &hook);
}
