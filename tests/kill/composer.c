/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla run` as people use it, with the servers in whose windows it shows its pictures, and three
 * programs that come and go in each round. krafla and servers live on from round to round, until
 * one of them is killed or a round ends krafla. Whatever happens to any of them:
 *
 *   a program shows all its frames, whatever happens to the others or to a server, unless
 *   krafla itself was killed;
 *   a krafla whose servers are gone goes on, and ends with its own program's exit code;
 *   after a round it has as many descriptors, threads and mappings of memory objects as before;
 *   once it has ended there is nothing left of it: no process, no socket, no directory.
 */
#include "scenarios.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "harness.h"
#include "holdings.h"
#include "weston.h"
#include "xvfb.h"

enum { KRAFLA_RUN, X_SERVER, WAYLAND_SERVER, OUTSIDERS };
enum { COUNT_FRAMES = KILL_COUNT_OWN, COUNT_FENCES, COUNT_RUNS, COUNT_SERVERS, COUNT_JOINED };

#define START_NS       (20 * KR_NSEC_PER_SEC)
#define LOOK_AGAIN_MS  2
#define ENDS_PERCENT   4  /* of the rounds end a krafla that is alive */
#define OUTPUT_OBJECTS 4  /* pictures of a window */
#define SCREEN_OBJECTS 1  /* of a display that has a size: what its device waits for */
#define JOIN_PERCENT   20 /* of the third programs come with a krafla of their own */
#define STRIKE_PERCENT 4  /* of the blows */

/* On the board, for the roles. */
struct told {
	char socket[128];
};

static struct {
	pid_t program;  /* krafla's own, which ends with its input */
	int input;      /* of that; -1 none */
	char place[96]; /* for directories of displays */
	char said[128]; /* what krafla says */
	char socket[128];
	struct kill_holdings before; /* when measured: after the first round that krafla outlived */
	bool measured;
	bool has_x11;
	bool has_wayland;
	bool asked;    /* what this krafla can do */
	bool outlived; /* a server is gone that krafla had */
	struct kr_xvfb xvfb;
	struct kr_weston weston;
} stage_state = {.input = -1};

/* --- starting --- */

static void
give_up(struct kill_stage *stage, const char *what)
{
	char said[600] = "";
	FILE *file = fopen(stage_state.said, "re");

	/* Its last words. */
	if (file && fseek(file, -(long)sizeof(said) + 1, SEEK_END))
		rewind(file);
	if (file) {
		said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
		fclose(file);
	}
	if (!stage->why[0])
		snprintf(stage->why, sizeof(stage->why), "%s; krafla said: %s", what, said);
}

static bool
can_execute(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/usr/bin/%s", name);
	return !access(path, X_OK);
}

/* Outputs in windows come with the modules that krafla has. */
static void
ask_for_outputs(void)
{
	char help[16384];

	kr_test_shell(KRAFLA " run --help", help, sizeof(help));
	stage_state.has_x11 = strstr(help, "x11") && can_execute("Xvfb");
	stage_state.has_wayland = strstr(help, "wayland") && can_execute("weston");
	stage_state.asked = true;
}

static void
start_servers(struct kill_stage *stage)
{
	if (stage_state.has_x11 && !stage->pids[X_SERVER]) {
		kr_xvfb_start(&stage_state.xvfb, "320x240x24", NULL, NULL);
		stage->pids[X_SERVER] = stage_state.xvfb.pid;
		kill_count(stage->board, COUNT_SERVERS);
	}
	if (stage_state.has_wayland && !stage->pids[WAYLAND_SERVER]) {
		kr_weston_start(&stage_state.weston);
		stage->pids[WAYLAND_SERVER] = stage_state.weston.pid;
		kill_count(stage->board, COUNT_SERVERS);
	}
}

/* The program tells who and where it is, and ends with its input. */
static void
become_krafla(const int input[2], bool virtual_clock)
{
	static const char script[] =
		"echo $$ $KRAFLA_DISPLAY >\"$0.new\"; mv \"$0.new\" \"$0\"; exec cat";
	char told[160];
	const char *words[24] = {KRAFLA, "run", "--display", "48x32@500", "--idle", "20", "--clock",
		virtual_clock ? "virtual" : "real"};
	unsigned n = 8;
	int said = open(stage_state.said, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("XDG_RUNTIME_DIR", stage_state.place, 1);
	setenv("KRAFLA_OUTPUT_PATH", OUTPUTS, 1);
	unsetenv("DISPLAY");
	unsetenv("WAYLAND_DISPLAY");
	if (stage_state.has_x11) {
		setenv("DISPLAY", stage_state.xvfb.display, 1);
		words[n++] = "--output";
		words[n++] = "x11";
	}
	if (stage_state.has_wayland) {
		setenv("WAYLAND_DISPLAY", strchr(stage_state.weston.display, '=') + 1, 1);
		words[n++] = "--output";
		words[n++] = "wayland";
	}
	snprintf(told, sizeof(told), "%s/told", stage_state.place);
	words[n++] = "--";
	words[n++] = "sh";
	words[n++] = "-c";
	words[n++] = script;
	words[n++] = told;
	dup2(input[0], STDIN_FILENO);
	dup2(said, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	execv(words[0], (char *const *)words);
	_exit(127);
}

static bool
read_told(void)
{
	char path[160];
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "%s/told", stage_state.place);
	file = fopen(path, "re");
	if (!file)
		return false;
	read = fscanf(file, "%d %127s", &stage_state.program, stage_state.socket) == 2;
	fclose(file);
	unlink(path);
	return read;
}

static void
start_krafla(struct kill_stage *stage)
{
	bool virtual_clock = kill_chance(stage->random, 50);
	int64_t deadline = kr_clock_now() + START_NS;
	int input[2];
	pid_t pid;

	assert_int_equal(pipe2(input, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		become_krafla(input, virtual_clock);
	close(input[0]);
	stage_state.input = input[1];
	stage_state.outlived = false;
	stage->pids[KRAFLA_RUN] = pid;
	kill_count(stage->board, COUNT_RUNS);
	while (!read_told()) {
		if (kr_clock_now() > deadline) {
			give_up(stage, "krafla doesn't start its program");
			return;
		}
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
	stage_state.measured = false;
}

/* --- ending --- */

/* Whether a child has ended within patience; its status. */
static bool
reap(pid_t pid, int *status)
{
	int64_t deadline = kr_clock_now() + KILL_PATIENCE_NS;
	pid_t got;

	while ((got = waitpid(pid, status, WNOHANG)) == 0 && kr_clock_now() < deadline)
		poll(NULL, 0, LOOK_AGAIN_MS);
	return got != 0;
}

/* What was krafla's child is the director's once krafla is dead. */
static void
end_program(struct kill_stage *stage)
{
	int status;

	if (stage_state.input >= 0)
		close(stage_state.input);
	stage_state.input = -1;
	if (stage->pids[KRAFLA_RUN] || stage_state.program <= 0)
		return;
	if (!reap(stage_state.program, &status))
		give_up(stage, "the program of a krafla that was killed is left");
	stage_state.program = 0;
}

static unsigned
count_left(void)
{
	DIR *dir = opendir(stage_state.place);
	struct dirent *entry;
	unsigned count = 0;

	while (dir && (entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

/* As its program's end makes it: that one's exit code, and nothing left of it. */
static void
end_krafla(struct kill_stage *stage)
{
	pid_t pid = stage->pids[KRAFLA_RUN];
	char text[96];
	int status;

	if (!pid)
		return;
	close(stage_state.input);
	stage_state.input = -1;
	if (!reap(pid, &status)) {
		give_up(stage, "krafla doesn't end with its program");
		return;
	}
	stage->pids[KRAFLA_RUN] = 0;
	stage_state.program = 0;
	if (status) {
		snprintf(text, sizeof(text), "krafla ended with status %#x", status);
		give_up(stage, text);
	}
	if (count_left())
		give_up(stage, "krafla leaves files");
}

static void
end_server(struct kill_stage *stage, unsigned which)
{
	int status;

	if (!stage->pids[which])
		return;
	kill(stage->pids[which], SIGKILL);
	if (!reap(stage->pids[which], &status))
		give_up(stage, "a server that was killed doesn't end");
	stage->pids[which] = 0;
	stage_state.outlived = true;
	if (which == X_SERVER)
		stage_state.xvfb.pid = 0;
	else
		stage_state.weston.pid = 0;
}

/* --- a round --- */

static void
prepare(struct kill_stage *stage)
{
	struct told *told = (struct told *)stage->board->shared;

	if (!stage_state.asked) {
		snprintf(stage_state.place, sizeof(stage_state.place), "%s/run", kr_test_dir());
		snprintf(stage_state.said, sizeof(stage_state.said), "%s/said", kr_test_dir());
		assert_int_equal(mkdir(stage_state.place, 0700), 0);
		ask_for_outputs();
	}
	if (stage_state.outlived || kill_chance(stage->random, ENDS_PERCENT))
		end_krafla(stage);
	start_servers(stage);
	if (!stage->pids[KRAFLA_RUN])
		start_krafla(stage);
	snprintf(told->socket, sizeof(told->socket), "%s", stage_state.socket);
}

/* Whoever is killed here has no other reason to be gone. */
static void
bury(struct kill_stage *stage)
{
	int status;

	for (unsigned i = X_SERVER; i < OUTSIDERS; i++) {
		if (atomic_load(&stage->board->outside_deaths[i]))
			end_server(stage, i);
	}
	if (!atomic_load(&stage->board->outside_deaths[KRAFLA_RUN]))
		return;
	if (!reap(stage->pids[KRAFLA_RUN], &status))
		give_up(stage, "a krafla that was killed doesn't end");
	stage->pids[KRAFLA_RUN] = 0;
	end_program(stage);
}

/*
 * What begins with a display's first picture, which may come after the first round: its screen, and
 * the memory of the windows of servers.
 */
static unsigned
spare_objects(void)
{
	return SCREEN_OBJECTS + stage_state.has_x11 * OUTPUT_OBJECTS +
		stage_state.has_wayland * OUTPUT_OBJECTS;
}

/*
 * Programs of a krafla that was killed end by themselves, as children of this process. What the
 * stage knows is left to whoever waits for it.
 */
static void
reap_strays(const struct kill_stage *stage)
{
	siginfo_t info = {0};

	while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid) {
		bool known = info.si_pid == stage_state.program;

		for (unsigned i = 0; i < OUTSIDERS; i++)
			known |= info.si_pid == stage->pids[i];
		if (known || waitpid(info.si_pid, NULL, 0) < 0)
			return;
		info.si_pid = 0;
	}
}

static void
inspect(struct kill_stage *stage)
{
	int64_t deadline = kr_clock_now() + KILL_PATIENCE_NS;
	struct kill_holdings now;
	char text[160];
	int status;

	bury(stage);
	reap_strays(stage);
	if (!stage->pids[KRAFLA_RUN])
		return;
	if (waitpid(stage->pids[KRAFLA_RUN], &status, WNOHANG)) {
		stage->pids[KRAFLA_RUN] = 0;
		snprintf(text, sizeof(text), "krafla ended by itself, with status %#x", status);
		give_up(stage, text);
		end_program(stage);
		return;
	}
	if (!stage_state.measured)
		stage_state.before = kill_holdings_settle(stage->pids[KRAFLA_RUN]);
	stage_state.measured = true;
	while ((now = kill_holdings_look(stage->pids[KRAFLA_RUN]),
		kill_holdings_grew(&now, &stage_state.before, spare_objects()) &&
			kr_clock_now() < deadline))
		poll(NULL, 0, LOOK_AGAIN_MS);
	if (!kill_holdings_grew(&now, &stage_state.before, spare_objects()))
		return;
	snprintf(text, sizeof(text),
		"krafla has %u descriptors, %u threads, %u mappings; it had %u, %u, %u",
		now.descriptors, now.threads, now.mappings, stage_state.before.descriptors,
		stage_state.before.threads, stage_state.before.mappings);
	kill_holdings_list(stage->pids[KRAFLA_RUN], stderr);
	give_up(stage, text);
}

static void
end(struct kill_stage *stage)
{
	int status;

	end_krafla(stage);
	for (unsigned i = X_SERVER; i < OUTSIDERS; i++)
		end_server(stage, i);
	/* Weston's helpers, which end with it. */
	if (!reap(-1, &status))
		give_up(stage, "a process is left");
	while (waitpid(-1, &status, WNOHANG) > 0)
		;
}

/* --- programs --- */

/* Nothing but its own shortage, or krafla's death, costs a program a frame. */
static bool
may_fail(const struct kill_actor *actor)
{
	return actor->was_exhausted || atomic_load(&actor->board->outside_deaths[KRAFLA_RUN]) != 0;
}

static void
show(struct kill_actor *actor)
{
	const struct told *told = (const struct told *)actor->board->shared;
	const struct kill_app app = {
		.socket = told->socket,
		.width = 1 + kill_below(&actor->random, 64),
		.height = 24,
		.may_fail = may_fail,
		.frames = COUNT_FRAMES,
		.fences = COUNT_FENCES,
	};

	kill_app_play(actor, &app);
}

static void
become_joined(const char *socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execl(KRAFLA, KRAFLA, "run", "--join", socket, "--", PROGRAM, "-", "8", (char *)NULL);
	_exit(127);
}

/* A program of another krafla run on the same display. */
static void
join(struct kill_actor *actor, const char *socket)
{
	int status;
	pid_t pid;

	kill_step(actor, "joining");
	kill_count(actor->board, COUNT_JOINED);
	pid = fork();
	if (pid == 0)
		become_joined(socket);
	if (pid < 0 || !reap(pid, &status))
		kill_complain(actor, "a krafla that joins doesn't end");
	if (status && !may_fail(actor))
		kill_complain(actor, "a krafla that joins ends with status %#x", status);
}

static void
show_or_join(struct kill_actor *actor)
{
	const struct told *told = (const struct told *)actor->board->shared;

	if (kill_chance(&actor->random, JOIN_PERCENT))
		join(actor, told->socket);
	else
		show(actor);
}

static const struct kill_outside outside = {
	.count = OUTSIDERS,
	.percent = STRIKE_PERCENT,
	.prepare = prepare,
	.inspect = inspect,
	.end = end,
};

const struct kill_scenario kill_composer = {
	.name = "composer",
	.roles = {{"first program", show}, {"second program", show},
		{"third program", show_or_join}},
	.role_count = 3,
	.outside = &outside,
	.counts = {"frames", "fences", "runs of krafla", "servers", "joined"},
	.shared_size = sizeof(struct told),
};
