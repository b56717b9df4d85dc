/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See process.h. The child's environment is this process's without what would make it one of the
 * programs that are shown: layers, displays, what `krafla run` wants to hear.
 */
#include "painter/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/guard.h"
#include "util/text.h"

#define PROGRAM "krafla-painter"
#define END_NS  (UINT64_C(1) * KR_NSEC_PER_SEC)
/* For one that was killed, which has a driver's memory to give back on a machine that is busy. */
#define KILLED_NS (UINT64_C(5) * KR_NSEC_PER_SEC)
/* Between the end of its socket and that of the process itself. */
#define STATUS_NS (UINT64_C(200) * KR_NSEC_PER_MSEC)

/* --- where it is, and what it sees --- */

/*
 * The file of what is linked with this, a library or a program. Of a program the linker knows what
 * it was called by, which is no path where a shell has searched for it.
 */
static bool
find_self(char path[static PATH_MAX])
{
	struct link_map *map = NULL;
	Dl_info self;
	ssize_t length;

	if (!dladdr1((const void *)(uintptr_t)kr_painter_process_start, &self, (void **)&map,
		    RTLD_DL_LINKMAP))
		return false;
	if (map && map->l_name[0])
		return realpath(map->l_name, path);
	length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	if (length <= 0)
		return realpath((const char *)getauxval(AT_EXECFN), path);
	path[length] = '\0';
	return true;
}

/* Where it lies from who is linked with this: a library, a program, one of the build folder. */
static char *
find_program(void)
{
	static const char *const places[] = {"krafla", "../lib/krafla", "."};
	const char *named = kr_env_get_code("KRAFLA_PAINTER"), *slash;
	char self[PATH_MAX];

	if (named)
		return strdup(named);
	slash = find_self(self) ? strrchr(self, '/') : NULL;
	for (size_t i = 0; slash && i < KR_ARRAY_LEN(places); i++) {
		char *program =
			kr_asprintf("%.*s/%s/" PROGRAM, (int)(slash - self), self, places[i]);

		if (!program || !access(program, X_OK))
			return program;
		free(program);
	}
	return NULL;
}

/* Ended by '=', or the beginning of names. */
static bool
is_hidden(const char *variable)
{
	static const char *const hidden[] = {"DISPLAY=", "KRAFLA_DISPLAY=", "KRAFLA_FAULTS=",
		"KRAFLA_REPORT=", "KRAFLA_WSI=", "LD_PRELOAD=", "VK_ADD_IMPLICIT_LAYER_PATH=",
		"VK_ADD_LAYER_PATH=", "VK_IMPLICIT_LAYER_PATH=", "VK_INSTANCE_LAYERS=", "VK_LAYER_",
		"VK_LOADER_LAYERS_", "WAYLAND_DISPLAY=", "WAYLAND_SOCKET="};

	for (size_t i = 0; i < KR_ARRAY_LEN(hidden); i++) {
		if (!strncmp(variable, hidden[i], strlen(hidden[i])))
			return true;
	}
	return false;
}

/* Pointers into this process's own; NULL without memory. */
static char **
make_environment(void)
{
	size_t count = 0, kept = 0;
	char **variables;

	while (environ && environ[count])
		count++;
	variables = calloc(count + 1, sizeof(*variables));
	for (size_t i = 0; variables && i < count; i++) {
		if (!is_hidden(environ[i]))
			variables[kept++] = environ[i];
	}
	return variables;
}

/* --- start --- */

/* Nothing of this process is inherited but the socket and where errors are told. */
static int
add_descriptors(posix_spawn_file_actions_t *actions, int socket)
{
	int err = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);

	if (!err)
		err = posix_spawn_file_actions_adddup2(actions, STDIN_FILENO, STDOUT_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(actions, socket, KR_PAINTER_SOCKET);
	if (!err)
		err = posix_spawn_file_actions_addclosefrom_np(actions, KR_PAINTER_SOCKET + 1);
	return -err;
}

static int
spawn(const char *program, char **variables, int socket, pid_t *pid)
{
	char parent[24];
	char *argv[] = {(char *)program, parent, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t all, none;
	int err;

	snprintf(parent, sizeof(parent), "%ld", (long)getpid());
	sigfillset(&all);
	sigemptyset(&none);
	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	if (posix_spawnattr_init(&attributes)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(
		&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
	err = add_descriptors(&actions, socket);
	if (!err)
		err = -posix_spawn(pid, program, &actions, &attributes, argv, variables);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

/* A descriptor that dup2 to KR_PAINTER_SOCKET changes: the same number would keep its CLOEXEC. */
static int
make_sockets(int sockets[2])
{
	int moved;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	if (sockets[1] > KR_PAINTER_SOCKET)
		return 0;
	moved = fcntl(sockets[1], F_DUPFD_CLOEXEC, KR_PAINTER_SOCKET + 1);
	if (moved < 0) {
		int err = -errno;

		kr_fd_close(&sockets[0]);
		kr_fd_close(&sockets[1]);
		return err;
	}
	close(sockets[1]);
	sockets[1] = moved;
	return 0;
}

int
kr_painter_process_start(struct kr_painter_process *process, int *socket)
{
	char *program = find_program();
	char **variables = make_environment();
	int sockets[2] = {-1, -1};
	pid_t pid;
	int err = program ? variables ? 0 : -ENOMEM : -ENOENT;

	if (!err)
		err = make_sockets(sockets);
	if (!err)
		err = spawn(program, variables, sockets[1], &pid);
	kr_fd_close(&sockets[1]);
	free(variables);
	free(program);
	if (err) {
		kr_fd_close(&sockets[0]);
		return err;
	}
	*process = (struct kr_painter_process){pid, (int)syscall(SYS_pidfd_open, pid, 0)};
	*socket = sockets[0];
	return 0;
}

/* --- end --- */

/* By its descriptor, since the number may be somebody else's where the program reaps all. */
void
kr_painter_process_kill(const struct kr_painter_process *process)
{
	bool sent = process->pidfd >= 0 &&
		(!syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0) ||
			errno == ESRCH);

	/* A filter may deny that call. */
	if (!sent && process->pid)
		kill(process->pid, SIGKILL);
}

bool
kr_painter_process_was_killed(const struct kr_painter_process *process)
{
	const int64_t deadline = kr_deadline_in(STATUS_NS);
	const struct timespec moment = {0, KR_NSEC_PER_MSEC};
	siginfo_t info;

	do {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT))
			return false;
		if (info.si_pid)
			return info.si_code == CLD_KILLED && info.si_status == SIGKILL;
		nanosleep(&moment, NULL);
	} while (kr_clock_now() < deadline);
	return false;
}

bool
kr_painter_process_is_stopped(const struct kr_painter_process *process)
{
	siginfo_t info = {0};

	return process->pid &&
		!waitid(P_PID, (id_t)process->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) &&
		info.si_pid && info.si_code == CLD_STOPPED;
}

static bool
has_ended(pid_t pid)
{
	pid_t ended;

	do
		ended = waitpid(pid, NULL, WNOHANG);
	while (ended < 0 && errno == EINTR);
	return ended != 0;
}

/* Until the limit; whether it was reaped, or isn't there any more. */
static bool
wait_for_end(const struct kr_painter_process *process, uint64_t limit_ns)
{
	const int64_t deadline = kr_deadline_in(limit_ns);
	const struct timespec moment = {0, KR_NSEC_PER_MSEC};
	struct pollfd poll_fd = {.fd = process->pidfd, .events = POLLIN};

	if (process->pidfd >= 0)
		(void)!kr_fd_poll(&poll_fd, 1, deadline);
	while (!has_ended(process->pid)) {
		if (kr_clock_now() >= deadline)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

void
kr_painter_process_end(struct kr_painter_process *process)
{
	if (!process->pid)
		return;
	if (!wait_for_end(process, END_NS)) {
		kr_painter_process_kill(process);
		/* Dies at once, unless its driver holds it in the kernel: it stays behind then. */
		(void)wait_for_end(process, KILLED_NS);
	}
	kr_fd_close(&process->pidfd);
	process->pid = 0;
}
