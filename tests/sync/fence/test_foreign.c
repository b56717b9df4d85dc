/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors that are no fences, handed over as such by who wants to crash us, to be believed, or
 * to make us wait: what answers is asked of the kernel alone, never of who sent the descriptor.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync/wait/describe.h"
#include "sync/kernel/dma_buf.h"
#include "sync/fence/packet.h"
#include "sync/fence/points.h"
#include "sync/fence/status.h"
#include "util/fd.h"

/* Nobody else takes it for a fence, and asking doesn't wait. */
static void
expect_refused(int fd)
{
	struct kr_fence_description description;
	struct kr_sync_points points;
	int copy = -1;

	assert_int_equal(kr_fence_wait(fd, KR_FOREVER), -EINVAL);
	assert_int_equal(kr_fence_signal_time(fd), 0);
	assert_int_equal(kr_fence_merge("m", fd, -1, &copy), -EINVAL);
	assert_int_equal(kr_fence_merge("m", fd, fd, &copy), -EINVAL);
	assert_int_equal(kr_fence_merge_kernel("m", fd, fd, &copy), -EINVAL);
	assert_int_equal(kr_fence_rename("r", fd, &copy), -EINVAL);
	assert_int_equal(kr_fence_describe(fd, &description), -EINVAL);
	assert_int_equal(kr_sync_points_read(fd, true, &points), -EINVAL);
	assert_int_equal(kr_dma_buf_check(fd), -EINVAL);
	kr_fence_log_late(fd, "nobody", 1);
	assert_int_equal(copy, -1);
}

static void
expect_no_fence(int fd, const char *what)
{
	if (kr_fence_status(fd) != -EINVAL)
		fail_msg("%s is a fence of status %d", what, kr_fence_status(fd));
	expect_refused(fd);
}

static void
take(int fd, const char *what)
{
	if (fd < 0)
		fail_msg("%s: %s", what, strerror(errno));
	expect_no_fence(fd, what);
	close(fd);
}

static void
files_of_all_kinds(void **state)
{
	sigset_t none;
	int pipe_fds[2];

	sigemptyset(&none);
	expect_no_fence(-1000, "a negative number");
	expect_no_fence(1 << 30, "a number that is no descriptor");
	take(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
	take(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "a directory");
	take(open("/", O_PATH | O_CLOEXEC), "a path");
	take(open("/proc/self/status", O_RDONLY | O_CLOEXEC), "a file of /proc");
	take(open(kr_test_file("plain", "text"), O_RDWR | O_CLOEXEC), "a plain file");
	take(memfd_create("memory", MFD_CLOEXEC), "a memfd");
	take(eventfd(1, EFD_CLOEXEC), "an eventfd");
	take(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), "a timerfd");
	take(epoll_create1(EPOLL_CLOEXEC), "an epoll set");
	take(inotify_init1(IN_CLOEXEC), "an inotify");
	take(signalfd(-1, &none, SFD_CLOEXEC), "a signalfd");
	take((int)syscall(SYS_pidfd_open, getpid(), 0), "a pidfd");
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	take(pipe_fds[0], "a pipe's end to read from");
	take(pipe_fds[1], "a pipe's end to write to");
}

static void
sockets_of_all_kinds(void **state)
{
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
	int pair[2];

	for (int i = 0; i < 3; i++) {
		assert_int_equal(socketpair(AF_UNIX, types[i] | SOCK_CLOEXEC, 0, pair), 0);
		assert_int_equal(send(pair[0], "12345678", 8, 0), 8);
		take(pair[1], "a local socket");
		close(pair[0]);
		take(socket(AF_UNIX, types[i] | SOCK_CLOEXEC, 0), "a local socket without a peer");
	}
	take(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "a TCP socket");
	take(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "a UDP socket");
	take(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0), "a netlink socket");
}

/*
 * The mark of our sockets on one of another family makes no fence of it. Only kr_fence_status,
 * which asks the least, may say that it is active; never that it is done.
 */
static void
marked_sockets(void **state)
{
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM};
	int mark = KR_SYNC_PEEK_MARK;

	for (int i = 0; i < 2; i++) {
		int fd = socket(AF_INET, types[i] | SOCK_CLOEXEC, 0);

		assert_true(fd >= 0);
		setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &mark, sizeof(mark));
		assert_true(kr_fence_status(fd) <= 0);
		expect_refused(fd);
		close(fd);
	}
}

/* --- who makes us wait --- */

struct stall {
	int socket;
	char *page;
	pthread_t thread;
};

static void *
receive_for_ever(void *data)
{
	struct stall *stall = data;

	recv(stall->socket, stall->page, 64, MSG_PEEK);
	return NULL;
}

static void
connect_tcp(int ends[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(ends[0], (struct sockaddr *)&address, len), 0);
	ends[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(ends[1] >= 0);
	close(listener);
}

/*
 * A TCP socket with our mark, whose lock its sender keeps by receiving into a page that nobody
 * fills in: asking it for its queue's length or for its peer's name would never return.
 */
static void
stalled_tcp(void **state)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_zeropage zero = {0};
	int mark = KR_SYNC_PEEK_MARK, ends[2];
	struct stall stall;
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (faults < 0)
		kr_test_skip("no-userfaultfd", NULL);
	stall.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	zero.range = range.range = (struct uffdio_range){(uintptr_t)stall.page, 4096};
	assert_int_equal(ioctl(faults, UFFDIO_API, &api), 0);
	assert_int_equal(ioctl(faults, UFFDIO_REGISTER, &range), 0);
	connect_tcp(ends);
	stall.socket = ends[0];
	setsockopt(ends[0], SOL_SOCKET, SO_PEEK_OFF, &mark, sizeof(mark));
	assert_int_equal(send(ends[1], "0123456789", 10, 0), 10);
	assert_int_equal(pthread_create(&stall.thread, NULL, receive_for_ever, &stall), 0);
	assert_int_equal(poll_events(faults, 5000), POLLIN);
	expect_no_fence(ends[0], "a stalled TCP socket");
	assert_int_equal(ioctl(faults, UFFDIO_ZEROPAGE, &zero), 0);
	pthread_join(stall.thread, NULL);
	munmap(stall.page, 4096);
	close(ends[0]);
	close(ends[1]);
	close(faults);
}

#define SERVER_S                                                                                   \
	10 /* by then a case that waits for the server has failed, and must be able to end */

static void
answer(int device, uint64_t unique, const void *data, size_t size)
{
	char reply[512];
	struct fuse_out_header head = {.len = (uint32_t)(sizeof(head) + size), .unique = unique};

	memcpy(reply, &head, sizeof(head));
	memcpy(reply + sizeof(head), data, size);
	if (write(device, reply, head.len) < 0)
		printf("# fuse: %s\n", strerror(errno));
}

/*
 * A file system of one file, whose server lets it be opened and answers nothing else. A process of
 * its own: when it ends nobody waits for it any more.
 */
static void
serve(int device)
{
	static _Alignas(8) char buffer[1 << 17];
	const struct fuse_in_header *head = (void *)buffer;
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096, .max_background = 1};
	struct fuse_attr_out attr = {.attr = {.ino = 1, .mode = S_IFREG | 0644, .nlink = 1}};
	struct fuse_open_out open = {.fh = 1};

	alarm(SERVER_S);
	while (read(device, buffer, sizeof(buffer)) > 0) {
		if (head->opcode == FUSE_INIT)
			answer(device, head->unique, &init, sizeof(init));
		else if (head->opcode == FUSE_GETATTR)
			answer(device, head->unique, &attr, sizeof(attr));
		else if (head->opcode == FUSE_OPEN)
			answer(device, head->unique, &open, sizeof(open));
	}
	_exit(0);
}

static pid_t
mount_server(const char *path)
{
	int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[128];
	pid_t server;

	if (device < 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		kr_test_skip("no-fuse", strerror(errno));
	snprintf(options, sizeof(options), "fd=%d,rootmode=100644,user_id=%d,group_id=%d", device,
		(int)getuid(), (int)getgid());
	if (mount("krafla-test", path, "fuse", MS_NODEV | MS_NOSUID, options))
		kr_test_skip("no-fuse", strerror(errno));
	server = fork();
	if (server == 0)
		serve(device);
	close(device);
	return server;
}

/* Asked by ioctl, fstat, fstatfs or poll, it would not answer; it isn't asked. */
static void
file_whose_server_is_silent(void **state)
{
	const char *path = kr_test_file("mount", "");
	pid_t server = mount_server(path);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	expect_no_fence(fd, "a file whose server is silent");
	assert_int_equal(waitpid(server, NULL, WNOHANG), 0);
	/* Closing does ask: not before the server has ended. */
	kill(server, SIGKILL);
	assert_int_equal(wait_for(server), 128 + SIGKILL);
	assert_int_equal(umount2(path, MNT_DETACH), 0);
	close(fd);
}

/* Nor where the call that says "ask nobody" is denied. */
static void
silent_server_without_statx(void **state)
{
	deny(SYS_statx, EPERM);
	file_whose_server_is_silent(state);
}

static void
silent_server_on_an_old_kernel(void **state)
{
	deny(SYS_statx, ENOSYS);
	file_whose_server_is_silent(state);
}

/* --- what changes under us --- */

/* Another description in a fence's number: what it is now counts, nothing is remembered. */
static void
another_in_its_place(void **state)
{
	struct pair first = make_pair("first"), second = make_pair("second");
	int event = eventfd(0, EFD_CLOEXEC), kept;

	assert_int_equal(kr_fd_dup(first.fence, &kept), 0);
	assert_int_equal(kr_fence_status(first.fence), 0);
	assert_int_equal(dup3(event, first.fence, O_CLOEXEC), first.fence);
	expect_no_fence(first.fence, "what took a fence's place");
	signal_pair(&second, -EIO);
	assert_int_equal(dup3(second.fence, first.fence, O_CLOEXEC), first.fence);
	assert_int_equal(kr_fence_status(first.fence), -EIO);
	assert_int_equal(kr_fence_status(kept), 0);
	close(kept);
	close(event);
	close_pair(&first);
	close_pair(&second);
}

/* The same under a merge that waits: it has descriptors of its own. */
static void
another_in_an_inputs_place(void **state)
{
	struct pair first = make_pair("first"), second = make_pair("second");
	int event = eventfd(1, EFD_CLOEXEC), merged;

	assert_int_equal(kr_fence_merge("m", first.fence, second.fence, &merged), 0);
	assert_int_equal(dup3(event, first.fence, O_CLOEXEC), first.fence);
	assert_int_equal(dup3(event, second.fence, O_CLOEXEC), second.fence);
	assert_int_equal(poll_events(merged, 50), 0);
	signal_pair(&first, 1);
	signal_pair(&second, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(merged);
	close(event);
	close_pair(&first);
	close_pair(&second);
	settle();
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(files_of_all_kinds, KR_TEST_KEEPS_MEMORY),
	KR_TEST(sockets_of_all_kinds),
	KR_TEST(marked_sockets),
	KR_TEST_FLAGS(stalled_tcp, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(file_whose_server_is_silent, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(silent_server_without_statx, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(silent_server_on_an_old_kernel, KR_TEST_KEEPS_MEMORY),
	KR_TEST(another_in_its_place),
	KR_TEST_FLAGS(another_in_an_inputs_place, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
