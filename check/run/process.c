/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case in a process of its own: it leads a session, so that nothing that the driver starts there
 * stays, and dies with the runner. It sees no display and no terminal.
 */
#include "check/run/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

#define OUTPUT_LIMIT (16 << 10)
#define TRACE_LIMIT  (32 << 10)
#define TRACE_FD     3
#define ASKED_NS     (500 * KR_NSEC_PER_MSEC) /* for threads to say where they are */
#define MOST_THREADS 16

/* What would bring a display, a service or faults of others into a case. */
static const char *const outside[] = {"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY",
	"KRAFLA_DISPLAY", "KRAFLA_REPORT", "KRAFLA_SERVICE", "KRAFLA_FAULTS", "KRAFLA_WSI",
	"NOTIFY_SOCKET"};

static int
open_pipe(struct check_heard *heard, size_t limit, int *other)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	if (fcntl(fds[0], F_SETFL, O_NONBLOCK)) {
		close(fds[0]);
		close(fds[1]);
		return -errno;
	}
	heard->fd = fds[0];
	heard->limit = limit;
	heard->size = heard->lost = 0;
	*other = fds[1];
	return 0;
}

/* Where a driver takes all memory that there is, it is the one to go. */
static void
offer_memory(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, "1000", 4);
	close(fd);
}

static _Noreturn void
run_child(const struct check_job *job, int output, int trace, const sigset_t *mask, pid_t parent)
{
	const struct rlimit no_core = {0, 0};
	struct check_job copy = *job;
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* No terminal, and a group of its own. What it leaves comes to the runner, when it ends. */
	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setrlimit(RLIMIT_CORE, &no_core);
	offer_memory();
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* None of the three is below 3: see hold_standard_descriptors. */
	dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	if (trace == TRACE_FD)
		fcntl(trace, F_SETFD, FD_CLOEXEC);
	else
		dup3(trace, TRACE_FD, O_CLOEXEC);
	close_range(TRACE_FD + 1, ~0u, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(outside); i++)
		unsetenv(outside[i]);
	copy.trace_fd = TRACE_FD;
	check_run(&copy);
}

static int
share_memory(struct check_process *process)
{
	void *memory;

	if (process->shared) {
		memset((void *)process->shared, 0, sizeof(*process->shared));
		return 0;
	}
	memory = mmap(NULL, sizeof(*process->shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -errno;
	process->shared = memory;
	return 0;
}

static int
start(struct check_process *process, const struct check_job *job, const sigset_t *mask, int output,
	int trace)
{
	struct check_job with = *job;
	pid_t parent = getpid();

	with.shared = process->shared;
	fflush(NULL);
	process->pid = fork();
	if (process->pid < 0)
		return -errno;
	if (!process->pid)
		run_child(&with, output, trace, mask, parent);
	return 0;
}

int
check_process_start(
	struct check_process *process, const struct check_job *job, const sigset_t *mask)
{
	int output = -1, trace = -1, ret;

	process->output.fd = process->trace.fd = -1;
	ret = share_memory(process);
	if (!ret)
		ret = open_pipe(&process->output, OUTPUT_LIMIT, &output);
	if (!ret)
		ret = open_pipe(&process->trace, TRACE_LIMIT, &trace);
	if (!ret)
		ret = start(process, job, mask, output, trace);
	kr_fd_close(&output);
	kr_fd_close(&trace);
	if (ret) {
		kr_fd_close(&process->output.fd);
		kr_fd_close(&process->trace.fd);
		return ret;
	}
	process->stage = CHECK_STAGE_RUNNING;
	process->hung = false;
	process->timeout_s = job->row->timeout_s ? job->row->timeout_s : CHECK_TIMEOUT_S;
	if (job->timeout_s)
		process->timeout_s = job->timeout_s;
	process->started_ns = kr_clock_now();
	process->until_ns = process->started_ns + process->timeout_s * KR_NSEC_PER_SEC;
	return 0;
}

static void
keep(struct check_heard *heard, const char *text, size_t size)
{
	size_t kept = KR_MIN(size, heard->limit - heard->size);

	if (!heard->text)
		heard->text = malloc(heard->limit);
	if (!heard->text)
		kept = 0;
	if (kept)
		memcpy(heard->text + heard->size, text, kept);
	heard->size += kept;
	heard->lost += size - kept;
}

/* At most so much at a time: a driver that prints without end is not to keep the runner. */
static void
hear(struct check_heard *heard)
{
	char text[4096];

	for (int i = 0; heard->fd >= 0 && i < 64; i++) {
		ssize_t size = read(heard->fd, text, sizeof(text));

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0 && errno == EAGAIN)
			return;
		if (size <= 0) {
			kr_fd_close(&heard->fd);
			return;
		}
		keep(heard, text, (size_t)size);
	}
}

/* All threads, the first of which runs the case. */
static void
ask_threads(struct check_process *process)
{
	int asked = 0;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process->pid);
	tasks = opendir(path);
	if (!tasks) {
		kill(process->pid, check_hang_signal());
		return;
	}
	for (struct dirent *entry = readdir(tasks); entry && asked < MOST_THREADS;
		entry = readdir(tasks)) {
		long thread = strtol(entry->d_name, NULL, 10);

		if (thread <= 0)
			continue;
		(void)syscall(SYS_tgkill, process->pid, thread, check_hang_signal());
		asked++;
	}
	closedir(tasks);
}

/* Its whole group, as long as the process keeps the group's number. */
static void
reap(struct check_process *process)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
		info.si_pid != process->pid)
		return;
	kill(-process->pid, SIGKILL);
	while (waitpid(process->pid, &process->status, 0) < 0 && errno == EINTR)
		continue;
	process->stage = CHECK_STAGE_ENDED;
}

void
check_process_look(struct check_process *process, int64_t now_ns)
{
	if (process->stage == CHECK_STAGE_IDLE || process->stage == CHECK_STAGE_ENDED)
		return;
	reap(process);
	hear(&process->output);
	hear(&process->trace);
	if (process->stage == CHECK_STAGE_ENDED) {
		kr_fd_close(&process->output.fd);
		kr_fd_close(&process->trace.fd);
		return;
	}
	if (now_ns < process->until_ns)
		return;
	if (process->stage == CHECK_STAGE_RUNNING) {
		process->hung = true;
		process->stage = CHECK_STAGE_ASKED;
		process->until_ns = now_ns + ASKED_NS;
		ask_threads(process);
	} else {
		process->stage = CHECK_STAGE_KILLED;
		process->until_ns = now_ns + KR_NSEC_PER_SEC;
		kill(-process->pid, SIGKILL);
		kill(process->pid, SIGKILL);
	}
}

void
check_process_kill(struct check_process *process)
{
	if (process->stage == CHECK_STAGE_IDLE || process->stage == CHECK_STAGE_ENDED)
		return;
	kill(-process->pid, SIGKILL);
	kill(process->pid, SIGKILL);
	while (waitpid(process->pid, &process->status, 0) < 0 && errno == EINTR)
		continue;
	process->stage = CHECK_STAGE_ENDED;
}

void
check_process_finish(struct check_process *process)
{
	check_process_kill(process);
	kr_fd_close(&process->output.fd);
	kr_fd_close(&process->trace.fd);
	free(process->output.text);
	free(process->trace.text);
	if (process->shared)
		munmap(process->shared, sizeof(*process->shared));
}
