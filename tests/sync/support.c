/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the fence tests. */
#include "support.h"

#include "deny.h"

#include <dirent.h>
#include <errno.h>
#include <krafla/timeline.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct pair
make_pair(const char *name)
{
	struct kr_fence_label label = {.timeline = "test", .seqno = 7, .name = name};
	struct pair pair;

	assert_int_equal(kr_fence_create(&label, &pair.producer, &pair.fence), 0);
	return pair;
}

void
signal_pair(struct pair *pair, int status)
{
	kr_fence_signal(pair->producer, status);
	pair->producer = -1;
}

void
close_pair(struct pair *pair)
{
	if (pair->producer >= 0)
		close(pair->producer);
	if (pair->fence >= 0)
		close(pair->fence);
	pair->producer = pair->fence = -1;
}

struct krafla_timeline *
make_timeline(const char *name)
{
	struct krafla_timeline *timeline;

	assert_int_equal(krafla_timeline_create(name, NULL, NULL, &timeline), 0);
	return timeline;
}

int
point_at(struct krafla_timeline *timeline, uint64_t value)
{
	int fence = -1;

	assert_int_equal(krafla_timeline_fence(timeline, "point", value, &fence), 0);
	assert_true(fence >= 0);
	return fence;
}

short
poll_events(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) > 0 ? p.revents : 0;
}

static bool
settles(int (*counter)(void), int count)
{
	for (int i = 0; i < 400; i++) {
		if (counter() == count)
			return true;
		poll(NULL, 0, 5);
	}
	return false;
}

bool
fds_settle(int count)
{
	return settles(kr_test_count_fds, count);
}

int
count_reactors(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir))) {
		char path[300], name[32] = "";
		FILE *comm;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		comm = fopen(path, "re");
		if (comm && fgets(name, sizeof(name), comm))
			count += !strcmp(name, "krafla-fences\n");
		if (comm)
			fclose(comm);
	}
	closedir(dir);
	return count;
}

void
settle(void)
{
	assert_true(settles(count_reactors, 0));
}

void
send_fd(int socket, int fd)
{
	char byte = 'f';
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
			     .cmsg_level = SOL_SOCKET,
			     .cmsg_type = SCM_RIGHTS}};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	assert_int_equal(sendmsg(socket, &msg, 0), 1);
}

int
receive_fd(int socket)
{
	char byte;
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	int fd;

	if (recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) != 1 ||
		msg.msg_controllen < sizeof(control.head))
		return -1;
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	return fd;
}

void
bound_name(int fd, bool peer, char out[128])
{
	struct sockaddr_un addr = {0};
	socklen_t len = sizeof(addr);
	int err = peer ? getpeername(fd, (struct sockaddr *)&addr, &len)
		       : getsockname(fd, (struct sockaddr *)&addr, &len);
	size_t head = offsetof(struct sockaddr_un, sun_path) + 1;

	assert_int_equal(err, 0);
	memset(out, 0, 128);
	if (len > head)
		memcpy(out, addr.sun_path + 1, len - head);
}

void
need_names(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), err;

	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "krafla-test/names/%d",
		(int)getpid());
	err = bind(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + 40);
	close(fd);
	if (err)
		kr_test_skip("no-abstract-sockets", NULL);
}

static void
install(struct sock_filter *code, size_t size)
{
	struct sock_fprog program = {(unsigned short)(size / sizeof(code[0])), code};

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

void
deny(long number, int error)
{
	kr_test_deny(number, error);
}

/* The lower half of the argument: little-endian machines only. */
void
deny_with(long number, unsigned argument, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	install(code, sizeof(code));
}

int
wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
