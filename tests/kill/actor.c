/* SPDX-License-Identifier: Apache-2.0 */
/* A role's process: steps with their accidents, links, and the count of descriptors at the end. */
#include "kill.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"
#include "sanitizer.h"
#include "wire/packet.h"

#define STEPS            48    /* within which a role's own death and stop come */
#define LOITER_MS        60000 /* forked and spawned children: until the round is over */
#define OTHER_MS         60    /* a role that became another program, at most */
#define ACCIDENTS        200   /* one step in so many is each of the accidents */
#define EXHAUSTED_FOR    6     /* steps */
#define LOOK_AGAIN_MS    2
#define STATUS_COMPLAINT 70

extern char **environ;

static char own_path[] = "/proc/self/exe", loiter[] = "--loiter";

/* --- chance: splitmix64 --- */

uint64_t
kill_next(struct kill_random *random)
{
	uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

unsigned
kill_below(struct kill_random *random, unsigned n)
{
	return (unsigned)(kill_next(random) % n);
}

bool
kill_chance(struct kill_random *random, unsigned percent)
{
	return kill_below(random, 100) < percent;
}

void
kill_count(struct kill_board *board, unsigned what)
{
	atomic_fetch_add(&board->counts[what], 1);
}

void
kill_complain(struct kill_actor *actor, const char *fmt, ...)
{
	struct kill_board *board = actor->board;
	va_list args;
	int len;

	if (!atomic_flag_test_and_set(&board->complained)) {
		len = snprintf(board->complaint, sizeof(board->complaint),
			"%s (%s): ", actor->scenario->roles[actor->role].name,
			atomic_load(&board->doing[actor->role]));
		va_start(args, fmt);
		vsnprintf(
			board->complaint + len, sizeof(board->complaint) - (size_t)len, fmt, args);
		va_end(args);
	}
	_exit(STATUS_COMPLAINT);
}

/* --- accidents --- */

static void
close_links(struct kill_actor *actor)
{
	for (unsigned i = 0; i < KILL_LINKS; i++)
		kill_close_link(actor, i);
}

/* It outlives its parent: what it inherited must not keep alive what died with that one. */
static void
fork_loiterer(struct kill_actor *actor)
{
	pid_t pid;

	kill_count(actor->board, KILL_COUNT_FORKS);
	pid = fork();
	if (pid < 0)
		kill_complain(actor, "fork: %s", strerror(errno));
	if (pid)
		return;
	atomic_fetch_add(&actor->board->children, 1);
	close_links(actor);
	kill_calm(actor);
	if (actor->in_child)
		actor->in_child(actor, actor->data);
	atomic_fetch_sub(&actor->board->children, 1);
	poll(NULL, 0, LOITER_MS);
	_exit(0);
}

static void
spawn_loiterer(struct kill_actor *actor)
{
	char ms[16];
	char *argv[] = {own_path, loiter, ms, NULL};
	pid_t pid;

	kill_count(actor->board, KILL_COUNT_EXECS);
	snprintf(ms, sizeof(ms), "%d", LOITER_MS);
	(void)!posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
}

void
kill_owes_nothing(struct kill_actor *actor)
{
	atomic_fetch_add(&actor->board->deaths, 1);
	atomic_fetch_add(&actor->board->deaths_of[actor->role], 1);
}

/* The process goes on as another program: what it held is gone as if it had died. */
static void
become_another(struct kill_actor *actor)
{
	char ms[16];
	char *argv[] = {own_path, loiter, ms, NULL};

	kill_count(actor->board, KILL_COUNT_EXECS);
	kill_owes_nothing(actor);
	atomic_fetch_add(&actor->board->troubles, 1);
	snprintf(ms, sizeof(ms), "%u", kill_below(&actor->random, OTHER_MS));
	execv(argv[0], argv);
	_exit(0); /* no memory, no descriptor: as dead */
}

static int
highest_fd(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int highest = 2;

	while (dir && (entry = readdir(dir)))
		highest = KR_MAX(highest, atoi(entry->d_name));
	if (dir)
		closedir(dir);
	return highest;
}

static void
set_soft_limit(rlim_t soft)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = KR_MIN(soft, limit.rlim_max);
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void
exhaust(struct kill_actor *actor)
{
	kill_count(actor->board, KILL_COUNT_EXHAUSTIONS);
	atomic_fetch_add(&actor->board->troubles, 1);
	actor->was_exhausted = true;
	actor->exhausted_until = actor->step + 1 + kill_below(&actor->random, EXHAUSTED_FOR);
	set_soft_limit((rlim_t)highest_fd() + kill_below(&actor->random, 4));
}

static void
relieve(struct kill_actor *actor)
{
	actor->exhausted_until = 0;
	set_soft_limit(1024);
}

bool
kill_is_exhausted(const struct kill_actor *actor)
{
	return actor->exhausted_until != 0;
}

static void
die(struct kill_actor *actor)
{
	kill_count(actor->board, KILL_COUNT_KILLS);
	atomic_store(&actor->board->dying[actor->role], true);
	kill_owes_nothing(actor);
	atomic_fetch_add(&actor->board->troubles, 1);
	kill(getpid(), SIGKILL);
}

/* The director sends SIGCONT to everybody now and then. */
static void
stop(struct kill_actor *actor)
{
	kill_count(actor->board, KILL_COUNT_STOPS);
	atomic_fetch_add(&actor->board->troubles, 1);
	kill(getpid(), SIGSTOP);
}

void
kill_step(struct kill_actor *actor, const char *doing)
{
	static void (*const accidents[])(struct kill_actor *) = {
		fork_loiterer, fork_loiterer, spawn_loiterer, exhaust, exhaust};
	unsigned lot;

	atomic_store(&actor->board->doing[actor->role], doing);
	if (actor->quiet)
		return;
	actor->step++;
	if (actor->exhausted_until && actor->step >= actor->exhausted_until)
		relieve(actor);
	if (actor->step == actor->death_step)
		die(actor);
	if (actor->step == actor->stop_step)
		stop(actor);
	lot = kill_below(&actor->random, ACCIDENTS);
	if (lot < KR_ARRAY_LEN(accidents) && !actor->exhausted_until)
		accidents[lot](actor);
	else if (lot == ACCIDENTS - 1 && kill_chance(&actor->random, 30))
		become_another(actor);
}

void
kill_calm(struct kill_actor *actor)
{
	if (actor->exhausted_until)
		relieve(actor);
	actor->quiet = true;
}

/* --- links --- */

void
kill_close_link(struct kill_actor *actor, unsigned link)
{
	if (actor->links[link] >= 0)
		close(actor->links[link]);
	actor->links[link] = -1;
}

bool
kill_send(struct kill_actor *actor, unsigned link, const struct kill_parcel *parcel, int fd)
{
	int64_t deadline = kr_clock_now() + KILL_PATIENCE_NS;
	struct pollfd p = {.fd = actor->links[link], .events = POLLOUT};

	for (;;) {
		int err = kr_packet_send(p.fd, parcel, sizeof(*parcel), &fd, fd >= 0);

		if (!err || err == -ETOOMANYREFS)
			return true;
		if (err == -EPIPE)
			return false;
		if (err != -EAGAIN)
			kill_complain(actor, "link %u: send: %s", link, strerror(-err));
		if (kr_clock_now() > deadline)
			kill_complain(actor, "link %u: nobody reads it", link);
		(void)poll(&p, 1, kr_deadline_poll_ms(deadline));
	}
}

int
kill_receive(struct kill_actor *actor, unsigned link, struct kill_parcel *parcel, int *fd,
	int64_t wait_ns)
{
	int64_t deadline = kr_clock_now() + wait_ns;
	struct pollfd p = {.fd = actor->links[link], .events = POLLIN};
	size_t size, count;

	for (;;) {
		int err;

		*fd = -1;
		err = kr_packet_receive(p.fd, parcel, sizeof(*parcel), &size, fd, 1, &count);
		if (err == -EMFILE) {
			*parcel = (struct kill_parcel){0};
			*fd = -1;
			return 1;
		}
		if (!err && size != sizeof(*parcel))
			kill_complain(actor, "link %u: a parcel of %zu bytes", link, size);
		if (!err)
			return 1;
		if (err == -EPIPE)
			return -1;
		if (err != -EAGAIN)
			kill_complain(actor, "link %u: receive: %s", link, strerror(-err));
		if (kr_clock_now() >= deadline)
			return 0;
		(void)poll(&p, 1, kr_deadline_poll_ms(deadline));
	}
}

/* --- the whole of a role --- */

static void
complain_of_fds(struct kill_actor *actor, int before, int after)
{
	char list[700] = "", path[64], target[128];
	size_t used = 0;

	for (int fd = 0; fd < 1024 && used < sizeof(list) - 160; fd++) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		used += (size_t)snprintf(list + used, sizeof(list) - used, " %d=%s", fd, target);
	}
	kill_complain(actor, "%d descriptors before, %d after:%s", before, after, list);
}

/* Threads of the library may close their last ones a moment later. */
static void
check_fds(struct kill_actor *actor)
{
	int64_t deadline = kr_clock_now() + KILL_PATIENCE_NS;
	int now;

	kill_step(actor, "counting descriptors");
	while ((now = kr_test_count_fds()) != actor->fds_before) {
		if (kr_clock_now() > deadline)
			complain_of_fds(actor, actor->fds_before, now);
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
}

static unsigned
draw_step(struct kill_actor *actor, unsigned percent)
{
	unsigned step = 1 + kill_below(&actor->random, STEPS);

	return kill_chance(&actor->random, percent) ? step : 0;
}

void
kill_play(const struct kill_scenario *scenario, struct kill_board *board, unsigned role,
	uint64_t seed, const int *links)
{
	struct kill_actor actor = {
		.scenario = scenario,
		.board = board,
		.role = role,
		.random = {seed},
	};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	set_soft_limit(1024);
	for (unsigned i = 0; i < KILL_LINKS; i++)
		actor.links[i] = links[i];
	actor.fds_before = kr_test_count_fds();
	for (unsigned i = 0; i < KILL_LINKS; i++)
		actor.fds_before -= links[i] >= 0;
	actor.death_step = draw_step(&actor, 20);
	actor.stop_step = draw_step(&actor, 20);
	kill_step(&actor, "starting");
	scenario->roles[role].run(&actor);
	kill_calm(&actor);
	close_links(&actor);
	check_fds(&actor);
	/*
	 * LeakSanitizer looks at exit, stopping all threads with ptrace, which the director's
	 * SIGCONT upsets.
	 */
	if (ADDRESS_SANITIZER)
		_exit(0);
	exit(0); /* the library ends its threads */
}

void
kill_main_of_executed(int argc, char **argv)
{
	if (argc != 3 || strcmp(argv[1], loiter))
		return;
	poll(NULL, 0, atoi(argv[2]));
	_exit(0);
}
