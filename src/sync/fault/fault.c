/* SPDX-License-Identifier: Apache-2.0 */
/* Which fences a fault is meant for, and what becomes of them. */
#include "sync/fault/fault.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

#include "sync/fault/hold.h"
#include "sync/fault/text.h"
#include "sync/fence/fence.h"
#include "sync/fence/fork.h"
#include "sync/fence/packet.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/mutex.h"

/* A number above all that RLIMIT_NOFILE can be (sysctl_nr_open_max): never open. */
#define CLOSED_FD (INT_MAX - 1)

struct site {
	struct krafla_fault fault;
	uint64_t passed; /* fences, since the fault was set */
	uint64_t applied;
	uint64_t random;
};

KR_PRIVATE atomic_uint kr_fault_sites = KR_FAULT_UNREAD;

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct site sites[KRAFLA_FAULT_SITES] KR_GUARDED_BY(lock);

/* Of a fault that is right; `loud`: stderr hears of it, whatever it shows. */
static void
store(enum krafla_fault_site where, const struct krafla_fault *fault, bool loud)
{
	kr_mutex_lock(&lock);
	sites[where] = (struct site){
		.fault = *fault,
		.random = fault->seed ? fault->seed : 0x9e3779b97f4a7c15u,
	};
	if (fault->kind == KRAFLA_FAULT_NONE)
		atomic_fetch_and(&kr_fault_sites, ~(1u << where));
	else
		atomic_fetch_or(&kr_fault_sites, 1u << where);
	kr_mutex_unlock(&lock);
	if (fault->kind != KRAFLA_FAULT_NONE)
		kr_log(KR_LOG_WARN | (loud ? KR_LOG_LOUD : 0),
			"FAULT INJECTION is on: fences at '%s' get '%s' on purpose; what goes wrong from here on may be no defect",
			krafla_fault_site_name(where), krafla_fault_kind_name(fault->kind));
}

static void
read_environment(void)
{
	struct krafla_fault faults[KRAFLA_FAULT_SITES];
	struct kr_log_hold hold;

	kr_log_hold_begin(&hold);
	if (kr_fault_read_environment(faults)) {
		for (unsigned i = 0; i < KRAFLA_FAULT_SITES; i++) {
			if (faults[i].size)
				store((enum krafla_fault_site)i, &faults[i], true);
		}
	}
	atomic_fetch_and(&kr_fault_sites, ~KR_FAULT_UNREAD);
	kr_log_hold_end(&hold);
}

/* What is set by a call comes after the environment, and takes its place. */
static void
init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_environment);
}

/* xorshift64*, whose state may not be 0. */
static uint32_t
draw_locked(struct site *site, uint32_t below) KR_REQUIRES(lock)
{
	site->random ^= site->random >> 12;
	site->random ^= site->random << 25;
	site->random ^= site->random >> 27;
	return (uint32_t)((site->random * 0x2545f4914f6cdd1du) >> 32) % below;
}

static bool
meant_locked(struct site *site) KR_REQUIRES(lock)
{
	const struct krafla_fault *fault = &site->fault;
	uint64_t from = fault->from ? fault->from : 1, every = fault->every ? fault->every : 1;

	if (site->passed < from || (site->passed - from) % every)
		return false;
	if (fault->count && site->applied >= fault->count)
		return false;
	return !fault->permille || draw_locked(site, 1000) < fault->permille;
}

/*
 * Counts one that passes; the fault that it is meant to have in *fault. `spared`: it
 * has done its part.
 */
static bool
pick(enum krafla_fault_site where, bool spared, struct krafla_fault *fault)
{
	struct site *site = &sites[where];
	bool meant;

	kr_mutex_lock(&lock);
	site->passed++;
	meant = site->fault.kind != KRAFLA_FAULT_NONE && !spared && meant_locked(site);
	if (meant) {
		*fault = site->fault;
		site->applied++;
	}
	kr_mutex_unlock(&lock);
	return meant;
}

static int
make_error(const struct krafla_fault *fault, int *fence)
{
	const struct kr_fence_label label = {.timeline = "fault", .name = "error"};

	return kr_fence_create_done(&label, fault->error ? fault->error : -EIO, fence);
}

/*
 * 0 with what takes the fence's place in *fence, which is closed; or -errno, and it is as it was.
 */
static int
apply(enum krafla_fault_site where, const struct krafla_fault *fault, int *fence)
{
	int made = -1, err = 0;

	switch (fault->kind) {
	case KRAFLA_FAULT_ERROR:
		err = make_error(fault, &made);
		break;
	case KRAFLA_FAULT_ABSENT:
		break;
	case KRAFLA_FAULT_CLOSED:
		made = CLOSED_FD;
		break;
	case KRAFLA_FAULT_FOREIGN:
		made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		err = made < 0 ? -errno : 0;
		break;
	default:
		return kr_fault_hold(where, fault, fence);
	}
	if (err)
		return err;
	kr_fd_close(fence);
	*fence = made;
	return 0;
}

static void
take_back(enum krafla_fault_site where)
{
	kr_mutex_lock(&lock);
	if (sites[where].applied)
		sites[where].applied--;
	kr_mutex_unlock(&lock);
}

KR_PRIVATE int
kr_fault_pass(enum krafla_fault_site where, int take_fence)
{
	struct krafla_fault fault;
	int saved = errno, err;
	bool spared;

	init();
	if (!(atomic_load(&kr_fault_sites) & (1u << where)))
		return take_fence;
	spared = kr_fault_hold_passed(where, take_fence);
	if (pick(where, spared, &fault)) {
		err = apply(where, &fault, &take_fence);
		if (err) {
			take_back(where);
			kr_warn("fault: a fence at '%s' passes without its fault '%s': %s",
				krafla_fault_site_name(where), krafla_fault_kind_name(fault.kind),
				strerror(-err));
		} else {
			kr_info("fault: '%s' at '%s'", krafla_fault_kind_name(fault.kind),
				krafla_fault_site_name(where));
		}
	}
	errno = saved;
	return take_fence;
}

static bool
right(const struct krafla_fault *fault)
{
	return fault->size == sizeof(*fault) && fault->kind >= KRAFLA_FAULT_NONE &&
		fault->kind < KRAFLA_FAULT_KINDS && fault->error <= 0 &&
		fault->error >= -KR_SYNC_MAX_ERRNO && fault->permille <= 1000;
}

KR_EXPORT int
krafla_fault_set(enum krafla_fault_site site, const struct krafla_fault *fault)
{
	int err;

	if ((unsigned)site >= KRAFLA_FAULT_SITES || !fault || !right(fault))
		return -EINVAL;
	err = kr_sync_fork_init();
	if (err)
		return err;
	init();
	kr_fault_hold_release(site);
	store(site, fault, false);
	return 0;
}

KR_EXPORT int
krafla_fault_set_text(const char *text)
{
	struct krafla_fault faults[KRAFLA_FAULT_SITES];
	int err = text ? kr_fault_parse(text, faults) : -EINVAL;

	for (unsigned i = 0; !err && i < KRAFLA_FAULT_SITES; i++) {
		if (faults[i].size)
			err = krafla_fault_set((enum krafla_fault_site)i, &faults[i]);
	}
	return err;
}

KR_EXPORT void
krafla_fault_clear(enum krafla_fault_site site)
{
	unsigned first = site == KRAFLA_FAULT_SITES ? 0 : site;
	unsigned end = KR_MIN(first == (unsigned)site ? first + 1 : (unsigned)KRAFLA_FAULT_SITES,
		(unsigned)KRAFLA_FAULT_SITES);

	init();
	for (unsigned i = first; i < end; i++) {
		kr_mutex_lock(&lock);
		sites[i].fault.kind = KRAFLA_FAULT_NONE;
		atomic_fetch_and(&kr_fault_sites, ~(1u << i));
		kr_mutex_unlock(&lock);
		kr_fault_hold_release((enum krafla_fault_site)i);
	}
}

KR_EXPORT uint64_t
krafla_fault_count(enum krafla_fault_site site)
{
	uint64_t applied;

	if ((unsigned)site >= KRAFLA_FAULT_SITES)
		return 0;
	kr_mutex_lock(&lock);
	applied = sites[site].applied;
	kr_mutex_unlock(&lock);
	return applied;
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&lock);
}

/* What the child's copy of a site was meant for is its parent's. */
static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	if (child) {
		memset(sites, 0, sizeof(sites));
		atomic_fetch_and(&kr_fault_sites, KR_FAULT_UNREAD);
	}
	kr_mutex_unlock(&lock);
}

__attribute__((constructor)) static void
register_hook(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_FAULTS, &hook);
}
