/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of system calls, and the answers of who watches it: see confine.h. It asks about what
 * a driver has no business with while it is tried:
 *
 *   sockets but those of a virtual machine's host (vsock, which some GPUs are), and pairs of
 *     datagram sockets, which can be sent elsewhere; without a socket there is nothing to connect
 *   opening for writing: Landlock or the mounts decide, and it is told if they will refuse it
 *   changing names, modes, owners, times; programs; io_uring, which does the same past a filter
 *   making processes, which would outlive the trial, and forgetting to die with the watcher
 *   signals, priorities and limits of other processes: those of this user are in reach of them
 *   namespaces, mounts, keys, programs for the kernel
 */
#include "tools/probe/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/probe/confine.h"
#include "util/macros.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

/* Newer than headers that this is built with; the same on both machines. */
#define NR_FCHMODAT2     452
#define NR_SETXATTRAT    463
#define NR_REMOVEXATTRAT 466
#define NR_FILE_SETATTR  469

#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
#define KIND    0xf /* of a socket's type */

#define LOAD(member)   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IF(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), (yes), (no))
#define RETURN(what)   BPF_STMT(BPF_RET | BPF_K, (what))
#define ASK(call)      IF(__NR_##call, 0, 1), RETURN(SECCOMP_RET_USER_NOTIF)
#define ASK_IF_WRITING(call, argument)                                                             \
	IF(__NR_##call, 0, 4), LOAD(args[argument]),                                               \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, WRITING, 0, 1),                               \
		RETURN(SECCOMP_RET_USER_NOTIF), RETURN(SECCOMP_RET_ALLOW)
/* Zero means the caller himself. */
#define ASK_IF_OTHER(call)                                                                         \
	IF(__NR_##call, 0, 4), LOAD(args[0]), IF(0, 0, 1), RETURN(SECCOMP_RET_ALLOW),              \
		RETURN(SECCOMP_RET_USER_NOTIF)
#define ASK_IF(call, argument, value)                                                              \
	IF(__NR_##call, 0, 4), LOAD(args[argument]), IF((value), 0, 1),                            \
		RETURN(SECCOMP_RET_USER_NOTIF), RETURN(SECCOMP_RET_ALLOW)

#ifdef ARCH
static const struct sock_filter program[] = {
	LOAD(arch),
	IF(ARCH, 1, 0),
	RETURN(SECCOMP_RET_ERRNO | EPERM),
	LOAD(nr),
	/* x86-64 has a second set of numbers (x32), from 1 << 30. */
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 1u << 30, 0, 1),
	RETURN(SECCOMP_RET_ERRNO | ENOSYS),
	IF(__NR_socket, 0, 4),
	LOAD(args[0]),
	IF(AF_VSOCK, 0, 1),
	RETURN(SECCOMP_RET_ALLOW),
	RETURN(SECCOMP_RET_USER_NOTIF),
	IF(__NR_socketpair, 0, 6),
	LOAD(args[1]),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, KIND),
	IF(SOCK_STREAM, 1, 0),
	IF(SOCK_SEQPACKET, 0, 1),
	RETURN(SECCOMP_RET_ALLOW),
	RETURN(SECCOMP_RET_USER_NOTIF),
	ASK_IF_WRITING(openat, 2),
#ifdef __NR_open
	ASK_IF_WRITING(open, 1),
	ASK(creat),
	ASK(mkdir),
	ASK(mknod),
	ASK(unlink),
	ASK(rmdir),
	ASK(rename),
	ASK(link),
	ASK(symlink),
	ASK(chmod),
	ASK(chown),
	ASK(lchown),
	ASK(utimes),
	ASK(utime),
	ASK(futimesat),
	ASK(fork),
	ASK(vfork),
#endif
	ASK(mkdirat),
	ASK(mknodat),
	ASK(unlinkat),
	ASK(renameat2),
#ifdef __NR_renameat
	ASK(renameat),
#endif
	ASK(linkat),
	ASK(symlinkat),
	ASK(truncate),
	ASK(fchmod),
	ASK(fchmodat),
	ASK(fchown),
	ASK(fchownat),
	ASK(utimensat),
	ASK(setxattr),
	ASK(lsetxattr),
	ASK(fsetxattr),
	ASK(removexattr),
	ASK(lremovexattr),
	ASK(fremovexattr),
	IF(NR_FCHMODAT2, 3, 0),
	IF(NR_SETXATTRAT, 2, 0),
	IF(NR_REMOVEXATTRAT, 1, 0),
	IF(NR_FILE_SETATTR, 0, 1),
	RETURN(SECCOMP_RET_USER_NOTIF),
	ASK(execve),
	ASK(execveat),
	ASK(ptrace),
	ASK(process_vm_writev),
	ASK(mount),
	ASK(umount2),
	ASK(move_mount),
	ASK(mount_setattr),
	ASK(fsopen),
	ASK(open_tree),
	ASK(unshare),
	ASK(setns),
	ASK(bpf),
	ASK(add_key),
	ASK(request_key),
	ASK(keyctl),
	ASK(kill),
	ASK(tkill),
	ASK(tgkill),
	ASK(rt_sigqueueinfo),
	ASK(rt_tgsigqueueinfo),
	ASK(pidfd_send_signal),
	ASK(pidfd_getfd),
	ASK(setpriority),
	ASK(ioprio_set),
	ASK(setpgid),
	ASK_IF_OTHER(prlimit64),
	ASK_IF_OTHER(sched_setaffinity),
	ASK_IF_OTHER(sched_setscheduler),
	ASK_IF_OTHER(sched_setparam),
	ASK_IF_OTHER(sched_setattr),
	ASK_IF(prctl, 0, PR_SET_PDEATHSIG),
	/* Threads are no processes. */
	IF(__NR_clone, 0, 4),
	LOAD(args[0]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
	RETURN(SECCOMP_RET_USER_NOTIF),
	RETURN(SECCOMP_RET_ALLOW),
	/* Signals when something is to be read, for whomever. */
	IF(__NR_fcntl, 0, 5),
	LOAD(args[1]),
	IF(F_SETOWN, 1, 0),
	IF(F_SETOWN_EX, 0, 1),
	RETURN(SECCOMP_RET_USER_NOTIF),
	RETURN(SECCOMP_RET_ALLOW),
	ASK(io_uring_setup),
	/* Flags behind a pointer can't be seen here: callers have openat and clone as well. */
	IF(__NR_openat2, 1, 0),
	IF(__NR_clone3, 0, 1),
	RETURN(SECCOMP_RET_ERRNO | ENOSYS),
	RETURN(SECCOMP_RET_ALLOW),
};

int
probe_filter_install(int *filter)
{
	const struct sock_fprog prog = {KR_ARRAY_LEN(program), (struct sock_filter *)program};
	const long fd = syscall(
		SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);

	if (fd < 0)
		return -errno;
	*filter = (int)fd;
	return 0;
}
#else
int
probe_filter_install(int *filter)
{
	return -ENOTSUP;
}
#endif

/* --- who watches --- */

static void
note(struct probe_attempts *attempts, const char *text)
{
	for (size_t i = 0; i < attempts->count; i++) {
		if (!strcmp(attempts->texts[i], text))
			return;
	}
	if (attempts->count < PROBE_ATTEMPTS)
		snprintf(attempts->texts[attempts->count++], PROBE_ATTEMPT_SIZE, "%s", text);
}

/* The path at that address of the process, printable; "?" when it can't be read. */
static void
read_path(pid_t pid, uint64_t address, char path[PATH_MAX])
{
	char memory[32];
	ssize_t got = -1;
	int fd;

	snprintf(memory, sizeof(memory), "/proc/%d/mem", (int)pid);
	fd = open(memory, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		/* Up to the end of its page: the next one may be none. */
		got = pread(fd, path, KR_MIN((size_t)PATH_MAX - 1, 4096 - (address & 4095)),
			(off_t)address);
		close(fd);
	}
	if (got <= 0)
		got = snprintf(path, PATH_MAX, "?");
	path[got] = '\0';
	for (char *at = path; *at; at++) {
		if (*at < ' ' || *at > '~')
			*at = '?';
	}
}

/* The devices, which Landlock knows better; what is below /dev/shm is no device. */
static bool
is_device(const char *path)
{
	return (!strncmp(path, "/dev/", 5) && !strchr(path + 5, '/')) ||
		!strncmp(path, "/dev/dri/", 9);
}

/* The walls decide, as the path may be another by the time the kernel reads it. */
static int
judge_open(const struct seccomp_notif *asked, uint64_t address, const struct probe_walls *walls,
	struct probe_attempts *attempts)
{
	char path[PATH_MAX], text[PROBE_ATTEMPT_SIZE];

	read_path((pid_t)asked->pid, address, path);
	if (is_device(path))
		return 0;
	snprintf(text, sizeof(text), "to open %.120s for writing", path);
	note(attempts, text);
	return walls->errors[PROBE_WALL_FILES] ? -EACCES : 0;
}

static const char *
name_family(uint64_t family)
{
	return family == AF_UNIX                          ? "a local socket"
		: family == AF_INET || family == AF_INET6 ? "a socket of the network"
		: family == AF_NETLINK                    ? "a socket to the kernel"
							  : "a socket";
}

/* Whether it is a thread of the process that asks. */
static bool
is_own(const struct seccomp_notif *asked, pid_t thread)
{
	char path[64];

	if (thread == (pid_t)asked->pid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)asked->pid, (int)thread);
	return thread > 0 && !access(path, F_OK);
}

/* What is for processes that a number names: the driver's own is allowed. */
static bool
is_for_itself(const struct seccomp_notif *asked)
{
	const __u64 *args = asked->data.args;

	switch (asked->data.nr) {
	case __NR_kill:
	case __NR_tkill:
	case __NR_tgkill:
	case __NR_rt_sigqueueinfo:
	case __NR_rt_tgsigqueueinfo:
	case __NR_prlimit64:
	case __NR_sched_setaffinity:
	case __NR_sched_setscheduler:
	case __NR_sched_setparam:
	case __NR_sched_setattr:
		return is_own(asked, (pid_t)args[0]);
	case __NR_setpriority:
		return (int)args[0] == PRIO_PROCESS && (!args[1] || is_own(asked, (pid_t)args[1]));
	case __NR_ioprio_set:
		return args[0] == 1 && (!args[1] || is_own(asked, (pid_t)args[1]));
	default:
		return false;
	}
}

static bool
is_about_processes(int number)
{
	switch (number) {
	case __NR_kill:
	case __NR_tkill:
	case __NR_tgkill:
	case __NR_rt_sigqueueinfo:
	case __NR_rt_tgsigqueueinfo:
	case __NR_pidfd_send_signal:
	case __NR_prlimit64:
	case __NR_sched_setaffinity:
	case __NR_sched_setscheduler:
	case __NR_sched_setparam:
	case __NR_sched_setattr:
	case __NR_setpriority:
	case __NR_ioprio_set:
	case __NR_setpgid:
	case __NR_fcntl:
		return true;
	default:
		return false;
	}
}

static const char *
name_right(int number)
{
	switch (number) {
	case __NR_mount:
	case __NR_umount2:
	case __NR_move_mount:
	case __NR_mount_setattr:
	case __NR_fsopen:
	case __NR_open_tree:
		return "to mount";
	case __NR_unshare:
	case __NR_setns:
		return "to change namespaces";
	case __NR_add_key:
	case __NR_request_key:
	case __NR_keyctl:
		return "to use keys of the kernel";
	case __NR_bpf:
		return "to load a program into the kernel";
	case __NR_clone:
#ifdef __NR_fork
	case __NR_fork:
	case __NR_vfork:
#endif
		return "to start a process";
	case __NR_prctl:
		return "to outlive the trial";
	default:
		return "to change names, modes or owners of files";
	}
}

static const char *
name_call(int number)
{
	return number == __NR_execve || number == __NR_execveat ? "to start a program"
		: number == __NR_io_uring_setup                 ? "to use io_uring"
		: number == __NR_ptrace || number == __NR_process_vm_writev ||
			number == __NR_pidfd_getfd
		? "to reach into a process"
		: is_about_processes(number) ? "to signal or steer other processes"
					     : name_right(number);
}

static int
judge(const struct seccomp_notif *asked, const struct probe_walls *walls,
	struct probe_attempts *attempts)
{
	char text[PROBE_ATTEMPT_SIZE];

	switch (asked->data.nr) {
	case __NR_openat:
		return judge_open(asked, asked->data.args[1], walls, attempts);
#ifdef __NR_open
	case __NR_open:
	case __NR_creat:
		return judge_open(asked, asked->data.args[0], walls, attempts);
#endif
	case __NR_socket:
	case __NR_socketpair:
		snprintf(text, sizeof(text), "to make %s", name_family(asked->data.args[0]));
		note(attempts, text);
		return -EACCES;
	default:
		if (is_for_itself(asked))
			return 0;
		note(attempts, name_call(asked->data.nr));
		return asked->data.nr == __NR_io_uring_setup ? -ENOSYS : -EACCES;
	}
}

void
probe_answer_call(int filter, const struct probe_walls *walls, struct probe_attempts *attempts)
{
	struct seccomp_notif asked = {0};
	struct seccomp_notif_resp answer = {0};

	/* Gone meanwhile: nobody waits for an answer. */
	if (ioctl(filter, SECCOMP_IOCTL_NOTIF_RECV, &asked))
		return;
	answer.id = asked.id;
	answer.error = judge(&asked, walls, attempts);
	if (!answer.error)
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	(void)!ioctl(filter, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
