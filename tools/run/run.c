/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla run: starts a display and, with it, a program; waits for what happens first.
 *
 *   main thread      programs, signals, progress line, the control socket; everything below
 *   display thread   kr_display_run (session.c)
 *   writers          captures (capture/writers.h)
 *   errand           beginning and end, which touch what the user's paths lead to (errand.h)
 *
 * Signals that would end krafla are blocked before any thread or the program exists and are read
 * from a signalfd, so the directory with the socket is removed on every way out. The main thread
 * waits for nothing but the program and these: whatever a path leads to, it hears them.
 */
#include "tools/command/command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run/child.h"
#include "tools/run/errand.h"
#include "tools/run/program.h"
#include "tools/run/progress.h"
#include "tools/run/say.h"
#include "tools/run/session.h"
#include "tools/run/steering.h"
#include "tools/run/summary.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

/* Between SIGTERM and SIGKILL: when --frames were reached, and when krafla was told to end. */
#define FRAMES_GRACE_NS (2 * KR_NSEC_PER_SEC)
#define SIGNAL_GRACE_NS (5 * KR_NSEC_PER_SEC)
/* What the program has queued before it ended is shown within this. */
#define DRAIN_NS (10 * KR_NSEC_PER_SEC)
/*
 * What the beginning and the end still get when krafla is told to end: disks may be slow, a
 * silent one isn't waited for.
 */
#define BEGIN_GRACE_NS  (2 * KR_NSEC_PER_SEC)
#define FINISH_GRACE_NS (10 * KR_NSEC_PER_SEC)

struct run {
	struct kr_run_options options;
	struct kr_session session;
	struct kr_programs programs;
	struct kr_steering steering;
	struct kr_undumpable undumpable;
	sigset_t old_mask;
	int signal_fd;
	enum kr_run_end end;
	int64_t kill_at_ns; /* KR_FOREVER: not to be killed */
	int64_t started_ns;
	struct kr_progress progress;
	bool begun; /* the session and the program are there */
	int code;   /* of the errand that was run last */
};

static int
block_signals(struct run *run)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t told, blocked;

	sigemptyset(&told);
	for (size_t i = 0; i < KR_ARRAY_LEN(ends); i++)
		sigaddset(&told, ends[i]);
	/*
	 * Whoever reads what krafla says may be gone before it has said all; a picture may be
	 * larger than files may be.
	 */
	blocked = told;
	sigaddset(&blocked, SIGPIPE);
	sigaddset(&blocked, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &blocked, &run->old_mask);
	run->signal_fd = signalfd(-1, &told, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signal_fd >= 0)
		return 0;
	kr_complain("run", "can't make a signalfd: %s", strerror(errno));
	return KR_EXIT_FAILURE;
}

/* Ends the programs: politely, and for good after a while. Only the first reason counts. */
static void
end_programs(struct run *run, enum kr_run_end why, int signal, int64_t grace_ns)
{
	if (run->end != KR_RUN_END_PROGRAM)
		return;
	run->end = why;
	for (unsigned i = 0; i < run->programs.count && run->options.verbose; i++) {
		if (!run->programs.children[i].pid)
			continue;
		kr_say("%s: %s for process %d",
			why == KR_RUN_END_FRAMES           ? "--frames are reached"
				: why == KR_RUN_END_SIGNAL ? "krafla was told to end"
				: why == KR_RUN_END_CLOSED ? "an output was closed"
							   : "the display has stopped",
			signal == SIGTERM ? "SIGTERM" : strsignal(signal),
			run->programs.children[i].pid);
	}
	kr_programs_signal(&run->programs, signal);
	run->kill_at_ns = grace_ns == KR_FOREVER ? KR_FOREVER : kr_clock_now() + grace_ns;
}

/*
 * The terminal sends ^C to everyone in its foreground group, which the program is in as well unless
 * it has a group of its own; what came from elsewhere is passed on. A second signal kills.
 */
static void
handle_signal(struct run *run)
{
	struct signalfd_siginfo info;

	if (read(run->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (run->end == KR_RUN_END_SIGNAL) {
		kr_programs_signal(&run->programs, SIGKILL);
		return;
	}
	if (info.ssi_code == SI_KERNEL && !run->programs.children[0].own_group) {
		run->end = KR_RUN_END_SIGNAL;
		return;
	}
	end_programs(run, KR_RUN_END_SIGNAL, (int)info.ssi_signo, SIGNAL_GRACE_NS);
}

static void
handle_session(struct run *run)
{
	uint64_t value;

	if (read(run->session.event_fd, &value, sizeof(value)) < 0)
		return;
	if (atomic_load(&run->session.frames_reached))
		end_programs(run, KR_RUN_END_FRAMES, SIGTERM, FRAMES_GRACE_NS);
	if (atomic_load(&run->session.closed))
		end_programs(run, KR_RUN_END_CLOSED, SIGTERM, SIGNAL_GRACE_NS);
	if (atomic_load(&run->session.ended))
		end_programs(run, KR_RUN_END_ERROR, SIGTERM, FRAMES_GRACE_NS);
}

static void
handle_ended(void *data, unsigned program)
{
	struct run *run = data;

	if (run->session.display)
		kr_display_group_ended(run->session.display, (int)program);
}

/* Those that didn't end when they were told to. */
static void
kill_late(struct run *run, int64_t now)
{
	if (now < run->kill_at_ns)
		return;
	for (unsigned i = 0; i < run->programs.count; i++) {
		if (run->programs.children[i].pid)
			kr_complain("run", "%s was told to end and hasn't: it is killed",
				run->options.programs[i].argv[0]);
	}
	kr_programs_signal(&run->programs, SIGKILL);
	run->kill_at_ns = KR_FOREVER;
}

/* The first that still runs. */
static pid_t
first_running(const struct run *run)
{
	for (unsigned i = 0; i < run->programs.count; i++) {
		if (run->programs.children[i].pid)
			return run->programs.children[i].pid;
	}
	return 0;
}

enum {
	POLL_SIGNAL,
	POLL_SESSION,
	POLL_WITNESS,
	POLL_CONTROL,                                   /* and so on */
	POLL_PROGRAMS = POLL_CONTROL + KR_CONTROL_POLL, /* likewise */
};

/* Until all programs have ended. */
static void
watch_programs(struct run *run)
{
	struct pollfd fds[POLL_PROGRAMS + KR_DISPLAY_MAX_GROUPS] = {
		[POLL_SIGNAL] = {.fd = run->signal_fd, .events = POLLIN},
		[POLL_SESSION] = {.fd = run->session.event_fd, .events = POLLIN},
		[POLL_WITNESS] = {.fd = run->session.witness.fd, .events = POLLIN},
	};
	struct kr_witness *witness = &run->session.witness;
	int err;

	while (run->programs.running) {
		int64_t now = kr_clock_now();

		kill_late(run, now);
		kr_progress_update(&run->progress, now);
		kr_witness_look(
			witness, first_running(run), atomic_load(&run->session.connected), now);
		kr_programs_poll(&run->programs, fds + POLL_PROGRAMS);
		kr_control_poll(&run->steering.control, fds + POLL_CONTROL);
		err = kr_fd_poll(fds, POLL_PROGRAMS + run->programs.count,
			KR_MIN(run->kill_at_ns, KR_MIN(run->progress.next_ns, witness->next_ns)));
		if (err < 0) {
			/* Nothing would be heard any more, of signals least of all. */
			kr_complain("run", "can't wait for %s: poll: %s",
				run->options.programs[0].argv[0], strerror(-err));
			end_programs(run, KR_RUN_END_ERROR, SIGKILL, KR_FOREVER);
			kr_programs_kill(&run->programs);
			break;
		}
		if (fds[POLL_SIGNAL].revents)
			handle_signal(run);
		if (fds[POLL_SESSION].revents)
			handle_session(run);
		if (fds[POLL_WITNESS].revents)
			kr_witness_hear(witness);
		kr_control_dispatch(&run->steering.control, fds + POLL_CONTROL);
		kr_programs_reap(&run->programs, fds + POLL_PROGRAMS,
			run->end == KR_RUN_END_FRAMES || run->end == KR_RUN_END_CLOSED,
			handle_ended, run);
	}
}

/* Lets the display show what the program has left behind in its queues. */
static void
drain(struct run *run)
{
	struct pollfd fds[] = {
		{.fd = run->session.event_fd, .events = POLLIN},
		{.fd = run->signal_fd, .events = POLLIN},
	};
	int64_t deadline = kr_clock_now() + DRAIN_NS;
	uint64_t value;

	kr_display_drain(run->session.display);
	while (!atomic_load(&run->session.ended) && !fds[1].revents && kr_clock_now() < deadline) {
		int ready = kr_fd_poll(fds, KR_ARRAY_LEN(fds), deadline);

		if (ready < 0 || (fds[0].revents && read(fds[0].fd, &value, sizeof(value)) < 0))
			break;
	}
}

/* --- the end --- */

/* Pictures that were to be made in one way weren't. */
static bool
was_gpu_lost(const struct run *run)
{
	const struct kr_run_options *options = &run->options;

	return run->session.stats.gpu_lost &&
		(options->compose == KR_RUN_COMPOSE_GPU || options->clock == KR_CLOCK_VIRTUAL);
}

static int
exit_code(const struct run *run, int session_err)
{
	const struct kr_run_options *options = &run->options;
	uint64_t composed = run->session.stats.composed;
	uint64_t captured = run->session.outputs.shown[KR_RUN_OUTPUT_CAPTURE];
	int code = kr_programs_exit_code(&run->programs);

	if (run->session.outputs_failed)
		return KR_EXIT_CAPTURE;
	if (session_err < 0 || run->end == KR_RUN_END_ERROR)
		return KR_EXIT_FAILURE;
	if (run->end == KR_RUN_END_FRAMES || run->end == KR_RUN_END_CLOSED)
		return was_gpu_lost(run) ? KR_EXIT_GPU_LOST : KR_EXIT_OK;
	if (code)
		return code;
	if (was_gpu_lost(run))
		return KR_EXIT_GPU_LOST;
	if (composed < options->frames || (options->capture.count && !captured))
		return KR_EXIT_NO_FRAMES;
	return KR_EXIT_OK;
}

static void
finish_run(void *data)
{
	struct run *run = data;
	struct kr_summary summary = {.session = &run->session};
	int err = kr_session_stop(&run->session);

	kr_progress_clear(&run->progress);
	kr_witness_hear_last(&run->session.witness);
	kr_program_tell_ends(&run->session, run->end);
	summary.end = run->end;
	summary.exit_code = exit_code(run, err);
	summary.wall_ns = kr_clock_now() - run->started_ns;
	kr_summary_print(&summary, stderr);
	run->code = summary.exit_code;
	if (run->options.summary && kr_summary_write(&summary, run->options.summary) < 0 &&
		!summary.exit_code)
		run->code = KR_EXIT_FAILURE;
}

/*
 * What holds the errand up holds it still, and may be stderr itself, which is why
 * nobody waits for that here.
 */
static _Noreturn void
give_up(const struct run *run, int signal)
{
	static const char said[] =
		"krafla run: ended by a signal while files were still being opened or written; they aren't complete\n";
	struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&room, 1, 0) > 0)
		(void)!write(STDERR_FILENO, said, sizeof(said) - 1);
	if (run->begun)
		kr_session_remove(&run->session);
	else
		kr_programs_signal(&run->programs, SIGKILL);
	_exit(128 + signal);
}

static int
run_errand(struct run *run, void (*work)(void *), int64_t grace_ns)
{
	const struct kr_errand errand = {
		work, run, run->signal_fd, grace_ns, run->end == KR_RUN_END_SIGNAL};
	int signal;

	if (!kr_errand_run(&errand, &signal))
		give_up(run, signal ? signal : SIGTERM);
	return signal;
}

static int
begin_undumpable(struct run *run)
{
	int err = kr_undumpable_begin(&run->undumpable);

	if (!err)
		return 0;
	kr_complain("run", "--not-debuggable: %s",
		err == -ENOTSUP ? "this machine's registers aren't known" : strerror(-err));
	return KR_EXIT_FAILURE;
}

static void
begin_run(void *data)
{
	struct kr_undumpable *undumpable = NULL;
	struct run *run = data;

	kr_steering_init(&run->steering, &run->session);
	run->code = kr_session_init(&run->session, &run->options, &run->programs);
	if (run->code == 0 && run->session.display)
		kr_steering_listen(&run->steering);
	if (run->code == 0 && run->options.not_debuggable) {
		run->code = begin_undumpable(run);
		undumpable = &run->undumpable;
	}
	for (unsigned i = 0; i < run->options.program_count && run->code == 0; i++) {
		run->programs.count = i + 1; /* before it runs, which may hold this up */
		run->code = kr_program_start(&run->session, run->options.programs[i].argv,
			&run->old_mask, undumpable, &run->programs.children[i]);
		run->programs.pids[i] = run->programs.children[i].pid;
		run->programs.running += run->code == 0;
	}
	if (run->code)
		kr_programs_kill(&run->programs);
}

static int
run_session(struct run *run)
{
	int signal, code;

	run->started_ns = kr_clock_now();
	signal = run_errand(run, begin_run, BEGIN_GRACE_NS);
	if (run->code)
		return run->code;
	run->begun = true;
	kr_progress_init(
		&run->progress, run->session.display, run->options.frames, run->started_ns);
	code = kr_session_start(&run->session);
	if (code) {
		kr_programs_kill(&run->programs);
		return code;
	}
	if (signal)
		end_programs(run, KR_RUN_END_SIGNAL, signal, SIGNAL_GRACE_NS);
	watch_programs(run);
	if (run->session.running && run->end == KR_RUN_END_PROGRAM)
		drain(run);
	run_errand(run, finish_run, FINISH_GRACE_NS);
	return run->code;
}

static int
run_command(int argc, char **argv)
{
	struct run run = {
		.undumpable = KR_UNDUMPABLE_NONE, .signal_fd = -1, .kill_at_ns = KR_FOREVER};
	int code = kr_run_options_parse(argc, argv, &run.options);

	if (code == 0) {
		kr_log_set_mask(run.options.verbose ? KR_LOG_ALL : KR_LOG_ERROR | KR_LOG_WARN);
		code = block_signals(&run);
		if (code == 0)
			code = run_session(&run);
		kr_undumpable_end(&run.undumpable);
		kr_steering_finish(&run.steering);
		kr_session_finish(&run.session);
		kr_fd_close(&run.signal_fd);
	} else if (code == 1) {
		code = KR_EXIT_OK;
	}
	kr_run_options_finish(&run.options);
	return code;
}

const struct kr_subcommand kr_subcommand_run = {
	.name = "run",
	.summary = "run a Vulkan program on a display of its own; capture its frames",
	.help = kr_run_help,
	.run = run_command,
};
