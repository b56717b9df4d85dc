/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process with fences of the test's choice: `fences_child MODE [NUMBER]`. Prints its pid when
 * it has made them, goes on leaking if that is its mode (for NUMBER frames, if there is one),
 * and ends with its stdin.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "wire/packet.h"

#define FRAME_MS 16

static unsigned frames;

static void
make(const char *name, int *producer, int *fence)
{
	struct kr_fence_label label = {.timeline = "ring", .seqno = ++frames, .name = name};

	if (kr_fence_create(&label, producer, fence))
		_exit(3);
}

/* One frame of a program that forgets to close its fence. */
static void
leak_fence(void)
{
	char name[32];
	int producer, fence;

	snprintf(name, sizeof(name), "Leaky:%u", frames % 3);
	make(name, &producer, &fence);
	kr_fence_signal(producer, 1);
}

static void
leak_end(void)
{
	int producer, fence;

	make("Endless:0", &producer, &fence);
	close(fence);
}

static void
leak_eventfd(void)
{
	if (eventfd(0, EFD_CLOEXEC) < 0)
		_exit(3);
}

/* What a program does that is well. */
static void
no_leak(void)
{
	static int kept[3] = {-1, -1, -1};
	int producer, fence;

	make("Fine:0", &producer, &fence);
	kr_fence_signal(producer, 1);
	if (kept[frames % 3] >= 0)
		close(kept[frames % 3]);
	kept[frames % 3] = fence;
}

static void
pause_with_input(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};

	(void)poll(&input, 1, -1);
	_exit(0);
}

static void
deny_names(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bind, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(3);
}

static void
make_many(unsigned count)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (unsigned i = 0; i < count; i++) {
		int producer, fence;

		make("Many:0", &producer, &fence);
	}
}

/* A process that only a raw clone keeps alive what the dead one should have signalled. */
static void
leave_orphan(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		_exit(3);
	if (pid > 0)
		_exit(0);
}

/* The fence is in a message that nobody receives. */
static void
send_off(int take_fence)
{
	int link[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link) ||
		kr_packet_send(link[0], "", 1, &take_fence, 1))
		_exit(3);
	close(take_fence);
}

/*
 * Names of whoever wants to draw on the terminal of who reads them; and letters of several widths.
 */
static void
make_strange(void)
{
	static const char *const names[] = {"a\033[2J\302\23331mb\233c", "cut\343\201",
		"\343\201\202\343\201\204:1", "\303\234ber:22"};
	int producer, fence;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make(names[i], &producer, &fence);
}

/* Another process has it. Both end with their stdin. */
static void
share(int take_fence)
{
	pid_t pid = fork();

	if (pid < 0)
		_exit(3);
	if (pid)
		close(take_fence);
	else
		pause_with_input();
}

/* The first fence is shown to whoever looks in some state. */
static void
change(const char *mode, int *producer, int fence)
{
	int renamed;

	if (!strcmp(mode, "dup") && (dup(fence) < 0 || dup(fence) < 0))
		_exit(3);
	if (!strcmp(mode, "failed"))
		kr_fence_signal(*producer, -EIO);
	if (!strcmp(mode, "done"))
		kr_fence_signal(*producer, 1);
	if (!strcmp(mode, "renamed-done")) {
		if (kr_fence_rename("Newer:1", fence, &renamed))
			_exit(3);
		close(renamed);
		kr_fence_signal(*producer, 1);
	}
	if (!strcmp(mode, "sent"))
		send_off(fence);
	if (!strcmp(mode, "sent-done")) {
		if (kr_fence_rename("Sent:1", fence, &renamed))
			_exit(3);
		send_off(renamed);
		close(fence);
		kr_fence_signal(*producer, 1);
	}
	if (!strcmp(mode, "closed"))
		close(fence);
	if (!strcmp(mode, "shared") || !strcmp(mode, "netns-shared"))
		share(fence);
	if (!strcmp(mode, "strange"))
		make_strange();
	if (!strcmp(mode, "orphan"))
		leave_orphan();
}

static const struct {
	const char *name;
	void (*frame)(void);
} leaks[] = {
	{"leak", leak_fence},
	{"leak-ends", leak_end},
	{"leak-eventfds", leak_eventfd},
	{"fine", no_leak},
};

int
main(int argc, char **argv)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	const char *mode = argc > 1 ? argv[1] : "";
	unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	void (*frame)(void) = NULL;
	int producer, fence;

	if (!strcmp(mode, "unnamed"))
		deny_names();
	if (!strncmp(mode, "netns", 5) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return 4;
	if (!strcmp(mode, "undumpable"))
		prctl(PR_SET_DUMPABLE, 0);
	make("SurfaceView:0", &producer, &fence);
	change(mode, &producer, fence);
	if (!strcmp(mode, "many"))
		make_many(count);
	for (size_t i = 0; i < sizeof(leaks) / sizeof(leaks[0]); i++) {
		if (!strcmp(leaks[i].name, mode))
			frame = leaks[i].frame;
	}
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (unsigned i = 0; poll(&input, 1, frame ? FRAME_MS : -1) == 0; i++) {
		if (!count || i < count)
			frame();
	}
	return 0;
}
