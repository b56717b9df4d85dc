/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of system calls, and the answers of who watches it: see confine.h. It asks about what
 * a driver has no business with while it is tried:
 *
 *   sockets but those of a virtual machine's host (vsock, which some GPUs are), and pairs of
 *     datagram sockets, which can be sent elsewhere; without a socket there is nothing to connect
 *   opening for writing: Landlock or the mounts decide, and it is told if they will refuse it
 *   changing names, modes, owners, times; programs; io_uring, which does the same past a filter
 */
#include "tools/probe/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
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
	ASK(execve),
	ASK(execveat),
	ASK(ptrace),
	ASK(process_vm_writev),
	ASK(mount),
	ASK(io_uring_setup),
	/* Flags behind a pointer can't be seen here: callers have openat as well. */
	IF(__NR_openat2, 0, 1),
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

static const char *
name_call(int number)
{
	return number == __NR_execve || number == __NR_execveat ? "to start a program"
		: number == __NR_io_uring_setup                 ? "to use io_uring"
		: number == __NR_ptrace || number == __NR_process_vm_writev
		? "to reach into a process"
		: number == __NR_mount ? "to mount"
				       : "to change names, modes or owners of files";
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
