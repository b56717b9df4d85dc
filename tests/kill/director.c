/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds. The director's process has no threads and no fences; it reaps what the roles leave
 * behind, which stays in the round's process group.
 */
#include "kill.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

/* Longer than any role's patience, so that the role itself says first what it waits for. */
#define ROUND_NS       (3 * KILL_PATIENCE_NS)
#define BLOWS          3    /* from outside, at most, a round */
#define BLOW_DELAY_US  3000 /* between them, at most */
#define REVIVE_MS      5    /* how often everybody gets SIGCONT */
#define STOPPED_MAX_MS 20

struct member {
	pid_t pid;
	int pidfd;
	bool ended;
};

struct round {
	const struct kill_scenario *scenario;
	struct kill_board *board;
	struct kill_stage *stage;
	struct kill_random random;
	struct member members[KILL_ROLES];
	int ends[KILL_LINKS][2];
	char why[1200]; /* empty: good */
};

static void
fail_round(struct round *round, const char *why)
{
	if (!round->why[0])
		snprintf(round->why, sizeof(round->why), "%s", why);
}

static void
make_links(struct round *round)
{
	for (unsigned i = 0; i < KILL_LINKS; i++) {
		round->ends[i][0] = round->ends[i][1] = -1;
		if (i < round->scenario->link_count)
			assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
						 round->ends[i]),
				0);
	}
}

static void
close_links(struct round *round)
{
	for (unsigned i = 0; i < round->scenario->link_count; i++) {
		close(round->ends[i][0]);
		close(round->ends[i][1]);
	}
}

/* In the child: its own ends are left open. */
static void
play(struct round *round, unsigned role, uint64_t seed)
{
	int own[KILL_LINKS] = {-1, -1, -1, -1};

	for (unsigned i = 0; i < round->scenario->link_count; i++) {
		for (unsigned side = 0; side < 2; side++) {
			if (round->scenario->links[i].roles[side] == role)
				own[i] = round->ends[i][side];
			else
				close(round->ends[i][side]);
		}
	}
	for (unsigned i = 0; i < role; i++)
		close(round->members[i].pidfd);
	kill_play(round->scenario, round->board, role, seed, own);
}

static void
start_member(struct round *round, unsigned role)
{
	struct member *member = &round->members[role];
	uint64_t seed = kill_next(&round->random);
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, role ? round->members[0].pid : 0);
		play(round, role, seed);
	}
	assert_true(pid > 0);
	setpgid(pid, role ? round->members[0].pid : pid);
	*member = (struct member){.pid = pid, .pidfd = (int)syscall(SYS_pidfd_open, pid, 0)};
	assert_true(member->pidfd >= 0);
}

/* From outside, at any point of what the role does, also inside the kernel. */
static void
strike(struct round *round, unsigned role)
{
	struct kill_board *board = round->board;
	bool deadly = kill_chance(&round->random, 60);

	atomic_fetch_add(&board->troubles, 1);
	if (!deadly) {
		kill_count(board, KILL_COUNT_STOPS);
		kill(round->members[role].pid, SIGSTOP);
		return;
	}
	kill_count(board, KILL_COUNT_KILLS);
	atomic_store(&board->dying[role], true);
	atomic_fetch_add(&board->deaths, 1);
	atomic_fetch_add(&board->deaths_of[role], 1);
	kill(round->members[role].pid, SIGKILL);
}

/* The same for a program beside the roles, if it is there. */
static void
strike_outside(struct round *round, unsigned which)
{
	struct kill_board *board = round->board;
	bool deadly = kill_chance(&round->random, 50);
	pid_t pid = round->stage->pids[which];

	if (!pid)
		return;
	atomic_fetch_add(&board->troubles, 1);
	kill_count(board, deadly ? KILL_COUNT_KILLS : KILL_COUNT_STOPS);
	if (deadly) {
		atomic_fetch_add(&board->deaths, 1);
		atomic_fetch_add(&board->outside_deaths[which], 1);
	}
	kill(pid, deadly ? SIGKILL : SIGSTOP);
}

static void
strike_some(struct round *round)
{
	const struct kill_outside *outside = round->scenario->outside;
	unsigned blows = kill_below(&round->random, BLOWS + 1);

	for (unsigned i = 0; i < blows; i++) {
		struct timespec delay = {0, kill_below(&round->random, BLOW_DELAY_US) * 1000};

		nanosleep(&delay, NULL);
		strike(round, kill_below(&round->random, round->scenario->role_count));
		if (outside && kill_chance(&round->random, outside->percent))
			strike_outside(round, kill_below(&round->random, outside->count));
	}
	if (blows)
		poll(NULL, 0, (int)kill_below(&round->random, STOPPED_MAX_MS));
}

static void
name_the_hanging(struct round *round)
{
	size_t used = 0;
	char text[1024] = "";

	for (unsigned i = 0; i < round->scenario->role_count; i++) {
		const struct member *member = &round->members[i];

		if (!member->ended)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
				"%s%s hangs (%s)", used ? ", " : "", round->scenario->roles[i].name,
				atomic_load(&round->board->doing[i]));
	}
	fail_round(round, used ? text : "a forked child hangs");
}

/* Whether all have ended, but for a while. */
static bool
all_ended(struct round *round)
{
	struct pollfd fds[KILL_ROLES];
	unsigned count = round->scenario->role_count, open = 0;

	for (unsigned i = 0; i < count; i++)
		fds[i] = (struct pollfd){
			.fd = round->members[i].ended ? -1 : round->members[i].pidfd,
			.events = POLLIN};
	(void)poll(fds, count, REVIVE_MS);
	for (unsigned i = 0; i < count; i++) {
		round->members[i].ended |= fds[i].revents != 0;
		open += !round->members[i].ended;
	}
	return open == 0 && atomic_load(&round->board->children) == 0;
}

static void
revive_all(struct round *round)
{
	for (unsigned i = 0; i < round->scenario->role_count; i++) {
		if (!round->members[i].ended)
			kill(round->members[i].pid, SIGCONT);
	}
	for (unsigned i = 0; i < KILL_OUTSIDERS; i++) {
		if (round->stage->pids[i])
			kill(round->stage->pids[i], SIGCONT);
	}
}

static void
judge(struct round *round, unsigned role, int status)
{
	char text[160];
	const char *name = round->scenario->roles[role].name;
	bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	if (killed && atomic_load(&round->board->dying[role]))
		return;
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "%s (%s) was killed by signal %d", name,
			atomic_load(&round->board->doing[role]), WTERMSIG(status));
	else
		snprintf(text, sizeof(text), "%s (%s) ended with %d", name,
			atomic_load(&round->board->doing[role]), WEXITSTATUS(status));
	fail_round(round, text);
}

/* The roles, and what they have forked: all in the group of the first, which is kept until now. */
static void
reap_all(struct round *round)
{
	pid_t group = round->members[0].pid, pid;
	int status;

	kill(-group, SIGKILL);
	while ((pid = waitpid(-group, &status, 0)) > 0 || (pid < 0 && errno == EINTR)) {
		for (unsigned i = 0; i < round->scenario->role_count; i++) {
			if (round->members[i].pid == pid && round->members[i].ended)
				judge(round, i, status);
		}
	}
	for (unsigned i = 0; i < round->scenario->role_count; i++)
		close(round->members[i].pidfd);
}

static void
reset_board(struct kill_board *board, const struct kill_scenario *scenario)
{
	atomic_store(&board->deaths, 0);
	atomic_store(&board->troubles, 0);
	memset(board->shared, 0, scenario->shared_size);
	atomic_store(&board->children, 0);
	for (unsigned i = 0; i < KILL_ROLES; i++) {
		atomic_store(&board->dying[i], false);
		atomic_store(&board->deaths_of[i], 0);
		atomic_store(&board->outside_deaths[i], 0);
		atomic_store(&board->doing[i], "nothing yet");
	}
	atomic_flag_clear(&board->complained);
	board->complaint[0] = '\0';
}

/* False with `why` in the round. */
static bool
run_round(struct round *round)
{
	int64_t deadline = kr_clock_now() + ROUND_NS;

	reset_board(round->board, round->scenario);
	round->stage->random = &round->random;
	if (round->scenario->outside)
		round->scenario->outside->prepare(round->stage);
	if (round->stage->why[0]) {
		fail_round(round, round->stage->why);
		return false;
	}
	make_links(round);
	for (unsigned i = 0; i < round->scenario->role_count; i++)
		start_member(round, i);
	close_links(round);
	strike_some(round);
	revive_all(round);
	while (!all_ended(round)) {
		revive_all(round);
		if (kr_clock_now() < deadline)
			continue;
		name_the_hanging(round);
		break;
	}
	reap_all(round);
	if (round->scenario->outside)
		round->scenario->outside->inspect(round->stage);
	if (round->stage->why[0])
		fail_round(round, round->stage->why);
	if (round->board->complaint[0])
		snprintf(round->why, sizeof(round->why), "%s", round->board->complaint);
	return !round->why[0];
}

static void
print_counts(const struct kill_board *board, const struct kill_scenario *scenario)
{
	static const char *const names[KILL_COUNT_OWN] = {
		[KILL_COUNT_KILLS] = "kills",
		[KILL_COUNT_STOPS] = "stops",
		[KILL_COUNT_FORKS] = "forks",
		[KILL_COUNT_EXECS] = "execs",
		[KILL_COUNT_EXHAUSTIONS] = "exhaustions",
	};

	for (unsigned i = 0; i < KILL_COUNT_OWN; i++)
		printf("%s %lu %s", i ? "," : ":", atomic_load(&board->counts[i]), names[i]);
	for (unsigned i = 0; i < KILL_OWN_COUNTS && scenario->counts[i]; i++)
		printf(", %lu %s", atomic_load(&board->counts[KILL_COUNT_OWN + i]),
			scenario->counts[i]);
	putchar('\n');
}

/* What has failed before is known already. */
static bool
end_outside(const struct kill_scenario *scenario, struct kill_stage *stage, uint64_t seed)
{
	struct kill_random random = {seed};
	bool failed = stage->why[0];

	if (!scenario->outside)
		return true;
	stage->random = &random;
	stage->why[0] = '\0';
	scenario->outside->end(stage);
	if (stage->why[0] && !failed)
		printf("# kill: %s, at the end: %s\n", scenario->name, stage->why);
	return !stage->why[0] && !failed;
}

bool
kill_run(const struct kill_scenario *scenario, const struct kill_options *options)
{
	int64_t end = kr_clock_now() + options->seconds * KR_NSEC_PER_SEC;
	struct kill_board *board = mmap(
		NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kill_stage stage = {.board = board};
	uint64_t number = 0;
	bool good = true;

	assert_true(board != MAP_FAILED);
	assert_true(scenario->shared_size <= KILL_SHARED);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	snprintf(board->dir, sizeof(board->dir), "%s", kr_test_dir());
	printf("# kill: %s, seed %" PRIu64 "\n", scenario->name, options->seed);
	fflush(stdout);
	for (; good && number < options->rounds && kr_clock_now() < end; number++) {
		struct round round = {
			.scenario = scenario,
			.board = board,
			.stage = &stage,
			.random = {options->seed + number},
		};

		good = run_round(&round);
		if (!good)
			printf("# kill: %s, round %" PRIu64 ": %s\n"
			       "# again: --scenario %s --seed %" PRIu64 " --rounds 1\n",
				scenario->name, number, round.why, scenario->name,
				options->seed + number);
	}
	good = end_outside(scenario, &stage, options->seed + number) && good;
	printf("# kill: %s, %" PRIu64 " rounds", scenario->name, number);
	print_counts(board, scenario);
	munmap(board, sizeof(*board));
	return good;
}
