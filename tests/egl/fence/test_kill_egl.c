/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that draws by EGL, and another one that is given its native fences. The first makes
 * syncs in several contexts, flushes, sends their fences, ends the commands, destroys syncs and
 * terminates its display; the second wraps the fences in syncs of its own, waits in all ways and
 * looks at them. The vendor is a fake one, so that what has ended is known. Whatever happens:
 *
 *   each fence ends within the receiver's patience, as do all waits of EGL for it;
 *   one that has signalled is of commands that have ended;
 *   one in error has a reason: its display was terminated, or its maker died;
 *   a child of the maker isn't held up by what its parent makes, and holds nothing up.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "fence/rig.h"
#include "harness.h"
#include "sync/fence/fence.h"
#include "kill.h"

enum { MAKER, USER };
enum { LINK };

#define CONTEXTS   3
#define WANTED_MAX 32
#define HELD_MAX   24
#define FENCES     1024

enum fate {
	OPEN,
	ENDED,      /* written before they end */
	TERMINATED, /* likewise */
};

struct known {
	atomic_uint fates[FENCES]; /* enum fate, by id */
};

enum { COUNT_FENCES = KILL_COUNT_OWN, COUNT_SUCCESSES, COUNT_ERRORS };

static struct known *
known(const struct kill_actor *actor)
{
	return (struct known *)actor->board->shared;
}

/* --- maker --- */

struct made {
	EGLSync sync;
	unsigned id;
	int context;
};

struct maker {
	struct kill_actor *actor;
	struct made made[WANTED_MAX];
	unsigned count; /* also the next id */
};

/* Without descriptors, and without threads after a fork, a call may fail, but only so. */
static void
excuse(struct kill_actor *actor, const char *what)
{
	EGLint error = fake_error();

	if (error != EGL_BAD_ALLOC || !kill_is_exhausted(actor))
		kill_complain(actor, "%s: 0x%x", what, error);
}

static void
end_context(struct maker *m, int context)
{
	kill_step(m->actor, "ending a context's commands");
	for (unsigned i = 0; i < m->count; i++) {
		atomic_uint *fate = &known(m->actor)->fates[m->made[i].id];

		if (m->made[i].context == context && atomic_load(fate) == OPEN)
			atomic_store(fate, ENDED);
	}
	fake_end_context(context);
}

static void
destroy(struct maker *m, struct made *made)
{
	if (made->sync && !kr_egl_sync_destroy(&fake_display, made->sync))
		kill_complain(m->actor, "destroy: 0x%x", fake_error());
	made->sync = EGL_NO_SYNC;
}

/* Whether there is somebody still to send it to. */
static bool
make_fence(struct maker *m)
{
	struct kill_actor *actor = m->actor;
	struct made *made = &m->made[m->count];
	struct kill_parcel parcel = {.count = 1};
	bool there;
	int fd;

	made->id = parcel.ids[0] = m->count;
	made->context = 1 + (int)kill_below(&actor->random, CONTEXTS);
	fake_make_current(made->context);
	made->sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_CORE, NATIVE, NULL);
	m->count++;
	if (!made->sync) {
		excuse(actor, "create");
		return true;
	}
	fake_flush();
	kill_step(actor, "duplicating");
	fd = kr_egl_sync_dup(&fake_display, made->sync);
	if (fd < 0) {
		excuse(actor, "dup");
		return true;
	}
	kill_count(actor->board, COUNT_FENCES);
	kill_step(actor, "sending");
	there = kill_send(actor, LINK, &parcel, fd);
	close(fd);
	return there;
}

static void
terminate(struct maker *m)
{
	kill_step(m->actor, "terminating its display");
	for (unsigned i = 0; i < m->count; i++) {
		atomic_uint *fate = &known(m->actor)->fates[m->made[i].id];

		m->made[i].sync = EGL_NO_SYNC;
		if (atomic_load(fate) == OPEN)
			atomic_store(fate, TERMINATED);
	}
	fake_make_current(0);
	kr_egl_fences_stop(&fake_display);
}

/* Commands of the parent's have failed here; nobody waits for them. */
static void
look_in_child(struct kill_actor *actor, void *data)
{
	struct maker *m = data;

	for (unsigned i = 0; i < m->count; i++) {
		if (m->made[i].sync &&
			kr_egl_sync_client_wait(&fake_display, m->made[i].sync, 0, EGL_FOREVER) !=
				EGL_CONDITION_SATISFIED)
			kill_complain(actor, "a child's wait: 0x%x", fake_error());
	}
	kr_egl_fences_stop(&fake_display);
}

static void
make(struct kill_actor *actor)
{
	struct maker m = {.actor = actor};
	unsigned wanted = 4 + kill_below(&actor->random, WANTED_MAX - 4);

	kill_step(actor, "initialising its display");
	fake_vendor_start(NULL);
	actor->in_child = look_in_child;
	actor->data = &m;
	while (m.count < wanted) {
		if (!make_fence(&m))
			break;
		if (kill_chance(&actor->random, 40))
			end_context(&m, 1 + (int)kill_below(&actor->random, CONTEXTS));
		if (kill_chance(&actor->random, 30))
			destroy(&m, &m.made[kill_below(&actor->random, m.count)]);
		if (kill_chance(&actor->random, 3)) {
			terminate(&m);
			assert_true(kr_egl_fences_start(&fake_display));
		}
	}
	if (kill_chance(&actor->random, 70)) {
		for (int i = 1; i <= CONTEXTS; i++)
			end_context(&m, i);
	}
	if (kill_chance(&actor->random, 50)) {
		for (unsigned i = 0; i < m.count; i++)
			destroy(&m, &m.made[i]);
	}
	terminate(&m);
	actor->in_child = NULL;
	fake_vendor_stop();
}

/* --- user --- */

struct held {
	EGLSync sync;
	unsigned id;
};

struct user {
	struct kill_actor *actor;
	struct held held[HELD_MAX];
	unsigned count;
};

/* What became of a fence that has ended, against what became of the commands. */
static void
check(struct kill_actor *actor, const struct held *held)
{
	unsigned fate = atomic_load(&known(actor)->fates[held->id]);
	int fd = kr_egl_sync_dup(&fake_display, held->sync), status;

	if (fd < 0) {
		excuse(actor, "dup of a given one");
		return;
	}
	status = kr_fence_status(fd);
	close(fd);
	if (status == KR_FENCE_SIGNALLED && fate != ENDED)
		kill_complain(actor, "fence %u has signalled, its commands haven't", held->id);
	if (status < 0 && status != -ENOENT && status != -EOWNERDEAD)
		kill_complain(actor, "fence %u failed with %s", held->id, strerror(-status));
	if (status < 0 && fate != TERMINATED && !atomic_load(&actor->board->deaths_of[MAKER]))
		kill_complain(
			actor, "fence %u failed for no reason (%s)", held->id, strerror(-status));
	if (status == KR_FENCE_ACTIVE)
		kill_complain(actor, "fence %u has ended and is active", held->id);
	kill_count(actor->board, status < 0 ? COUNT_ERRORS : COUNT_SUCCESSES);
}

static void
wait_for(struct user *u, unsigned i)
{
	struct kill_actor *actor = u->actor;
	struct held *held = &u->held[i];

	kill_step(actor, "waiting to the end");
	if (kr_egl_sync_client_wait(&fake_display, held->sync, 0, KILL_PATIENCE_NS) !=
		EGL_CONDITION_SATISFIED)
		kill_complain(actor, "fence %u doesn't end", held->id);
	if (!kr_egl_sync_wait(&fake_display, held->sync, 0))
		kill_complain(actor, "fence %u has ended, and is waited for", held->id);
	check(actor, held);
	kr_egl_sync_destroy(&fake_display, held->sync);
	*held = u->held[--u->count];
}

static void
look(struct user *u)
{
	struct kill_actor *actor = u->actor;
	struct held *held = &u->held[kill_below(&actor->random, u->count)];
	EGLAttrib status = 0;

	kill_step(actor, "looking");
	if (!kr_egl_sync_get(&fake_display, KR_EGL_SYNC_CORE, held->sync, EGL_SYNC_STATUS, &status))
		kill_complain(actor, "status: 0x%x", fake_error());
	if (kr_egl_sync_client_wait(&fake_display, held->sync, EGL_SYNC_FLUSH_COMMANDS_BIT,
		    KR_NSEC_PER_MSEC) == EGL_FALSE)
		kill_complain(actor, "a short wait: 0x%x", fake_error());
}

static void
take(struct user *u, unsigned id, int take_fd)
{
	const EGLAttrib list[] = {FD, take_fd, EGL_NONE};
	EGLSync sync = kr_egl_sync_create(&fake_display, KR_EGL_SYNC_CORE, NATIVE, list);

	if (!sync) {
		close(take_fd);
		excuse(u->actor, "create of a given one");
		return;
	}
	u->held[u->count++] = (struct held){sync, id};
}

static void
use(struct kill_actor *actor)
{
	struct user u = {.actor = actor};
	struct kill_parcel parcel;
	int fd, came;

	kill_step(actor, "initialising its display");
	fake_vendor_start(NULL);
	fake_make_current(1);
	for (;;) {
		kill_step(actor, "receiving");
		came = kill_receive(actor, LINK, &parcel, &fd, KILL_PATIENCE_NS);
		if (came == 0)
			kill_complain(actor, "nothing comes");
		if (came < 0)
			break;
		if (fd >= 0)
			take(&u, parcel.ids[0], fd);
		if (u.count && kill_chance(&actor->random, 30))
			look(&u);
		if (u.count == HELD_MAX)
			wait_for(&u, kill_below(&actor->random, u.count));
	}
	kill_close_link(actor, LINK);
	while (u.count)
		wait_for(&u, u.count - 1);
	fake_make_current(0);
	fake_vendor_stop();
}

static const struct kill_scenario egl = {
	.name = "egl",
	.roles = {{"maker", make}, {"user", use}},
	.role_count = 2,
	.links = {{{MAKER, USER}}},
	.link_count = 1,
	.counts = {"fences", "seen signalled", "seen failed"},
	.shared_size = sizeof(struct known),
};

/* E-02, S-05: native fences and those who hold them outlive one another. */
static void
egl_programs(void **state)
{
	assert_true(kill_shortly(&egl));
}

int
main(int argc, char **argv)
{
	static const struct kill_scenario *const scenarios[] = {&egl};
	static const struct kr_test tests[] = {KR_TEST_SLOW(egl_programs, 0, 60)};

	return kill_main(
		argc, argv, scenarios, KR_ARRAY_LEN(scenarios), tests, KR_ARRAY_LEN(tests));
}
