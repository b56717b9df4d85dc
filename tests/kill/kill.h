/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Death at random points: a scenario is a table of roles, each a process of its own, joined by
 * sockets. A round starts them all; meanwhile they are killed and stopped, fork, exec and run out
 * of descriptors, as the round's seed says. A round is good when nobody hangs, nobody complains,
 * and who lives on has no descriptor more than before.
 *
 *   director.c  one process: starts the roles of a round, kills and stops them, waits, judges
 *   actor.c     what a role's process does between the steps that it announces
 *   main.c      the command line of a test program with scenarios
 *   app.c       a role that shows frames in a window of a display
 *   fences.c, display.c, composer.c, test_kill.c   scenarios, and such a program
 *
 * A scenario of another room stands in that room's tests, in a program that is linked
 * with dep_kill:
 *
 *   static void ask(struct kill_actor *actor) { ... kill_step(actor, "asking"); ... }
 *   static const struct kill_scenario service = {
 *           .name = "service",
 *           .roles = {{"service", serve}, {"client", ask}}, .role_count = 2,
 *           .links = {{{0, 1}}}, .link_count = 1,
 *           .counts = {"answers"},                   // kill_count(actor->board, KILL_COUNT_OWN)
 *           .shared_size = sizeof(struct answers)};  // actor->board->shared, what both know
 *   static void service_dies(void **state) { assert_true(kill_shortly(&service)); }
 *
 * and a main that calls kill_main with the table of its scenarios and that of its cases.
 *
 * Everything that is decided comes from the seed: round n of seed s is round 0 of seed s + n. The
 * kernel's scheduling doesn't, so a seed that failed may pass; a role's own death and stop come at
 * the same step each time.
 *
 * A role announces each thing it is about to do with kill_step, and waits for nothing longer than
 * KILL_PATIENCE_NS.
 */
#ifndef KR_TESTS_KILL_H
#define KR_TESTS_KILL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "util/clock.h"
#include "util/macros.h"

#define KILL_ROLES       4
#define KILL_OUTSIDERS   4
#define KILL_LINKS       4
#define KILL_OWN_COUNTS  8
#define KILL_SHARED      16384
#define KILL_PATIENCE_NS (10 * KR_NSEC_PER_SEC)

/* --- chance --- */

struct kill_random {
	uint64_t state;
};
uint64_t kill_next(struct kill_random *random);
/* 0 to n - 1. */
unsigned kill_below(struct kill_random *random, unsigned n);
bool kill_chance(struct kill_random *random, unsigned percent);

/* --- what all processes of a round share --- */

enum kill_counter {
	KILL_COUNT_KILLS,
	KILL_COUNT_STOPS,
	KILL_COUNT_FORKS,
	KILL_COUNT_EXECS,
	KILL_COUNT_EXHAUSTIONS,
	KILL_COUNT_OWN, /* the first of the scenario's own */
	KILL_COUNTS = KILL_COUNT_OWN + KILL_OWN_COUNTS,
};

struct kill_board {
	atomic_uint deaths; /* roles that have died, or are about to: what they owe may fail */
	atomic_uint deaths_of[KILL_ROLES];
	atomic_uint troubles; /* those, stops, and descriptors that ran out: connections may fail */
	atomic_uint outside_deaths[KILL_OUTSIDERS];
	atomic_uint children; /* forked ones that are not through with in_child */
	atomic_ulong counts[KILL_COUNTS];
	_Atomic(const char *) doing[KILL_ROLES];
	atomic_bool dying[KILL_ROLES]; /* its death is the round's doing */
	atomic_flag complained;
	char complaint[1024]; /* of whoever complained first */
	char dir[96];         /* for files of the round */
	/* The scenario's own, zero when a round begins. */
	_Alignas(64) unsigned char shared[KILL_SHARED];
};

/* `what`: an enum kill_counter, or KILL_COUNT_OWN and the index of one of the scenario's own. */
void kill_count(struct kill_board *board, unsigned what);

/* --- roles --- */

struct kill_actor {
	const struct kill_scenario *scenario;
	struct kill_board *board;
	unsigned role;
	struct kill_random random;
	int links[KILL_LINKS]; /* this role's end; -1: not its link, or closed */
	/* May be NULL: runs in a forked child, which has no links. */
	void (*in_child)(struct kill_actor *actor, void *data);
	void *data;
	bool was_exhausted; /* descriptors were short in this process once */
	/* Private to actor.c: */
	unsigned step, death_step, stop_step, exhausted_until;
	int fds_before;
	bool quiet; /* nothing happens at steps */
};

/*
 * Programs beside the roles, which live on from round to round: rounds kill and stop them, too, but
 * more rarely. All of it runs in the director.
 */
struct kill_stage {
	struct kill_board *board;
	struct kill_random *random; /* the round's */
	pid_t pids[KILL_OUTSIDERS]; /* children of the director; 0: not there */
	char why[1000];             /* filled in: the round has failed */
};

struct kill_outside {
	unsigned count;
	unsigned percent; /* of the blows: another one strikes one of them */
	/* Before a round: starts those that aren't there; what roles need comes on the board. */
	void (*prepare)(struct kill_stage *stage);
	/*
	 * After it, when all roles are gone and nobody is stopped: reaps those that the round has
	 * killed (board->outside_deaths), and looks at the others.
	 */
	void (*inspect)(struct kill_stage *stage);
	/* After the last round: ends them. */
	void (*end)(struct kill_stage *stage);
};

struct kill_role {
	const char *name;
	/* Ends by returning, everything closed that it opened; the library's threads may linger. */
	void (*run)(struct kill_actor *actor);
};

struct kill_scenario {
	const char *name;
	struct kill_role roles[KILL_ROLES];
	unsigned role_count;
	struct {
		unsigned roles[2];
	} links[KILL_LINKS]; /* SEQPACKET socket pairs */
	unsigned link_count;
	const struct kill_outside *outside;  /* NULL: nothing but the roles */
	const char *counts[KILL_OWN_COUNTS]; /* their names */
	size_t shared_size;                  /* of board->shared, at most KILL_SHARED */
};

/* Says what the role is about to do. The round may end the process here, stop it, and so on. */
void kill_step(struct kill_actor *actor, const char *doing);
/* The round has failed: ends this process. */
void kill_complain(struct kill_actor *actor, const char *fmt, ...) KR_PRINTF(2, 3)
	__attribute__((noreturn));
/* Whether descriptors may be short in this process just now. */
bool kill_is_exhausted(const struct kill_actor *actor);
/* What this role owes others may fail from here on, as if it had died. */
void kill_owes_nothing(struct kill_actor *actor);
/* From here on nothing happens at steps: for cleaning up, with the usual number of descriptors. */
void kill_calm(struct kill_actor *actor);

/* Some fences and what they are, through a link. */
struct kill_parcel {
	unsigned count;
	unsigned ids[14];
};
/* False: the other end is gone. The fd (-1 none) stays the caller's; it may get lost on the way. */
bool kill_send(struct kill_actor *actor, unsigned link, const struct kill_parcel *parcel, int fd);
/*
 * 1 something came, with its fd (-1: none, or lost for want of descriptors); 0 nothing within
 * `wait_ns`; -1 the other end is gone.
 */
int kill_receive(struct kill_actor *actor, unsigned link, struct kill_parcel *parcel, int *fd,
	int64_t wait_ns);
void kill_close_link(struct kill_actor *actor, unsigned link);

/* --- the director --- */

/* Runs a role in this process and ends it. */
void kill_play(const struct kill_scenario *scenario, struct kill_board *board, unsigned role,
	uint64_t seed, const int *links) __attribute__((noreturn));

struct kill_options {
	uint64_t seed;
	uint64_t rounds;
	unsigned seconds; /* ends with whatever comes first */
};
/* False: a round failed; what and how to repeat it has been printed. */
bool kill_run(const struct kill_scenario *scenario, const struct kill_options *options);

/* For a test case: some seconds, with another seed each time. */
bool kill_shortly(const struct kill_scenario *scenario);

/*
 * What an executed copy of this program does: lives on for a moment. Doesn't return if it is one.
 */
void kill_main_of_executed(int argc, char **argv);

struct kr_test;
/*
 * The main of a test program: runs its cases, or `--scenario NAME [--seed N] [--rounds N]
 * [--seconds N]` one of the scenarios at length, without numbers for 10,000 rounds or five minutes.
 */
int kill_main(int argc, char **argv, const struct kill_scenario *const *scenarios,
	size_t scenario_count, const struct kr_test *tests, size_t test_count);

#endif
