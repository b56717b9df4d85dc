/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More of what a holder of a fence can try, beside test_attacks.c (docs/fences.md): everything that
 * a descriptor of a socket lets him do. Whatever it is, a fence that is active is never taken for
 * signalled, nobody who asks or waits hangs, and who has a description of his own (a self-merge)
 * notices nothing.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "sync/fence/packet.h"
#include "sync/fence/points.h"
#include "sync/fence/status.h"

/* An attack on a fence that is active, or done. */
typedef void (*attack_fn)(int fence);

static void
expect_not_signalled(int fence)
{
	int status = kr_fence_status(fence);

	if (status == 1)
		fail_msg("an active fence is taken for signalled");
	assert_true(status <= 0);
	if (status == 0)
		assert_int_equal(kr_fence_wait(fence, 0), -ETIME);
}

/* Asks all there is to ask, which ends. */
static void
ask_everything(int fence)
{
	struct kr_sync_points points;
	int copy;

	(void)kr_fence_status(fence);
	(void)kr_fence_signal_time(fence);
	if (kr_sync_points_read(fence, true, &points))
		points.count = 0;
	if (!kr_fence_rename("renamed", fence, &copy))
		close(copy);
}

/* Before the signal, after it, and before it fails. `spared`: the fence signals all the same. */
static void
try(attack_fn attack, bool spared)
{
	static const int ends[] = {1, -EIO};

	for (int i = 0; i < 2; i++) {
		struct pair pair = make_pair("victim");
		int own, result;

		assert_int_equal(kr_fence_merge("own", pair.fence, pair.fence, &own), 0);
		attack(own);
		expect_not_signalled(own);
		ask_everything(own);
		assert_int_equal(kr_fence_status(pair.fence), 0); /* the other description */
		signal_pair(&pair, ends[i]);
		result = kr_fence_wait(own, SOON);
		if (spared)
			assert_int_equal(result, ends[i] == 1 ? 0 : ends[i]);
		else
			assert_true(result < 0 && result != -ETIME);
		attack(own);
		/*
		 * The packet may be gone before its sender has closed: then an error
		 * follows at once.
		 */
		result = kr_fence_wait(own, SOON);
		assert_true(ends[i] == 1 || result < 0);
		assert_int_not_equal(result, -ETIME);
		assert_int_equal(kr_fence_status(pair.fence), ends[i]);
		ask_everything(own);
		close(own);
		close_pair(&pair);
	}
	settle();
}

/* --- options --- */

/* Each option there may be, set to what numbers there are, and to a time. */
static void
set_all_options(int fence)
{
	static const int values[] = {0, 1, -1, 2, 4096, INT32_MAX, INT32_MIN};
	static const struct timeval time = {0, 1};

	for (int option = 1; option < 128; option++) {
		if (option == SO_PEEK_OFF)
			continue; /* test_attacks.c: it hides the packet until it is put right */
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			setsockopt(fence, SOL_SOCKET, option, &values[i], sizeof(values[i]));
		setsockopt(fence, SOL_SOCKET, option, &time, sizeof(time));
	}
}

static void
socket_options(void **state)
{
	try(set_all_options, true);
}

static void
set_peek_offsets(int fence)
{
	static const int offsets[] = {0, 1, 55, 56, 57, 8192, INT32_MAX, -1, INT32_MIN};

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		setsockopt(fence, SOL_SOCKET, SO_PEEK_OFF, &offsets[i], sizeof(offsets[i]));
		ask_everything(fence);
		setsockopt(fence, SOL_SOCKET, SO_PEEK_OFF, &offsets[i], sizeof(offsets[i]));
	}
}

static void
peek_offsets(void **state)
{
	try(set_peek_offsets, true);
}

/* Other levels belong to other protocols. */
static void
set_other_levels(int fence)
{
	static const int levels[] = {
		IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IPV6, 270 /* netlink */};
	int one = 1;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		for (int option = 0; option < 64; option++)
			setsockopt(fence, levels[i], option, &one, sizeof(one));
	}
}

static void
options_of_other_levels(void **state)
{
	try(set_other_levels, true);
}

/* --- fcntl, ioctl --- */

/* The flags belong to the description: those who share it would block in a plain recv. */
static void
make_it_block(int fence)
{
	fcntl(fence, F_SETFL, O_RDWR);
}

static void
cleared_nonblock(void **state)
{
	try(make_it_block, true);
}

static volatile sig_atomic_t signals;

static void
count_signal(int number)
{
	signals++;
}

/* Signals for whatever happens, to whoever may be signalled. */
static void
ask_for_signals(int fence)
{
	fcntl(fence, F_SETSIG, SIGUSR1);
	fcntl(fence, F_SETOWN, getpid());
	fcntl(fence, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC);
}

static void
signals_on_readiness(void **state)
{
	struct sigaction action = {.sa_handler = count_signal};

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	try(ask_for_signals, true);
	assert_true(signals > 0);
}

static void
set_flags_and_locks(int fence)
{
	int one = 1;

	fcntl(fence, F_SETFL, O_RDWR | O_NONBLOCK | O_APPEND | O_DIRECT | O_NOATIME);
	fcntl(fence, F_SETLEASE, F_RDLCK);
	fcntl(fence, F_NOTIFY, DN_MULTISHOT | DN_ACCESS);
	fcntl(fence, F_SETPIPE_SZ, 4096);
	fcntl(fence, F_ADD_SEALS, F_SEAL_WRITE);
	flock(fence, LOCK_EX | LOCK_NB);
	ioctl(fence, FIONBIO, &one);
	ioctl(fence, FIOASYNC, &one);
	fchmod(fence, 0);
	if (ftruncate(fence, 0) == 0)
		fail_msg("a fence can be truncated");
}

static void
flags_and_locks(void **state)
{
	try(set_flags_and_locks, true);
}

/* --- what sockets do --- */

static void
write_to_it(int fence)
{
	struct kr_sync_packet_head head = {.magic = KR_SYNC_MAGIC, .version = 1, .status = 1};
	struct iovec iov = {&head, sizeof(head)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	static const int flags[] = {0, MSG_OOB, MSG_CONFIRM, MSG_DONTROUTE, MSG_MORE, MSG_EOR,
		MSG_FASTOPEN, MSG_ZEROCOPY, MSG_DONTWAIT};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		assert_true(sendmsg(fence, &msg, flags[i] | MSG_NOSIGNAL) < 0);
	signal(SIGPIPE, SIG_IGN);
	assert_true(write(fence, &head, sizeof(head)) < 0);
	assert_true(writev(fence, &iov, 1) < 0);
	assert_true(pwrite(fence, &head, sizeof(head), 0) < 0);
}

static void
writing(void **state)
{
	try(write_to_it, true);
}

/* Urgent data don't exist here. */
static void
read_out_of_band(int fence)
{
	char buffer[64];

	assert_true(recv(fence, buffer, sizeof(buffer), MSG_OOB | MSG_DONTWAIT) < 0);
}

static void
out_of_band(void **state)
{
	try(read_out_of_band, true);
}

static void
splice_it(int fence)
{
	int pipe_fds[2], file = memfd_create("file", MFD_CLOEXEC);
	off_t offset = 0;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(
		write(file, "12345678901234567890123456789012345678901234567890123456", 56), 56);
	assert_int_equal(write(pipe_fds[1], "12345678", 8), 8);
	assert_true(sendfile(fence, file, &offset, 56) < 0);
	assert_true(splice(pipe_fds[0], NULL, fence, NULL, 8, SPLICE_F_NONBLOCK) < 0);
	(void)!splice(fence, NULL, pipe_fds[1], NULL, 56, SPLICE_F_NONBLOCK); /* drains */
	assert_true(tee(fence, pipe_fds[1], 56, SPLICE_F_NONBLOCK) < 0);
	assert_true(copy_file_range(fence, NULL, file, NULL, 56, 0) < 0);
	assert_true(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fence, 0) == MAP_FAILED);
	close(file);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void
splicing(void **state)
{
	try(splice_it, true);
}

/* To another address, to none, to itself: a pair stays a pair. */
static void
connect_it(int fence)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct sockaddr none = {.sa_family = AF_UNSPEC};
	socklen_t len = sizeof(address);
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	assert_true(connect(fence, (struct sockaddr *)&address, len) < 0);
	assert_true(connect(fence, &none, sizeof(none)) < 0);
	assert_true(listen(fence, 5) < 0);
	assert_true(accept4(fence, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) < 0);
	close(listener);
}

static void
connecting(void **state)
{
	try(connect_it, true);
}

/* A name of his choice, which is all he gets: a later renaming finds the place taken. */
static void
bind_it(int fence)
{
	static _Atomic int counter;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int len = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
		"syncn/1/1.0//0/\033[31m../../etc/%d", counter++);

	if (bind(fence, (struct sockaddr *)&address,
		    (socklen_t)(sizeof(sa_family_t) + 1 + (size_t)len)))
		assert_true(errno == EINVAL || errno == EADDRINUSE || errno == EACCES);
}

static void
binding(void **state)
{
	struct pair pair = make_pair("victim");
	struct kr_sync_points points;
	int renamed;

	need_names();
	try(bind_it, true);
	bind_it(pair.fence);
	assert_int_equal(kr_fence_rename("honest", pair.fence, &renamed), 0);
	assert_int_equal(kr_sync_points_read(renamed, false, &points), 0);
	assert_null(strchr(points.name, '\033'));
	assert_int_equal(points.status, 0);
	close(renamed);
	close_pair(&pair);
}

static void
shut_it(int fence)
{
	shutdown(fence, SHUT_RDWR);
}

/* The worst there is: an early error, for those who share the description alone. */
static void
shutting(void **state)
{
	try(shut_it, false);
}

static void
drain_it(int fence)
{
	char buffer[16384];

	(void)!recv(fence, buffer, sizeof(buffer), MSG_DONTWAIT);
	(void)!recv(fence, buffer, 1, MSG_DONTWAIT | MSG_TRUNC);
	(void)!recv(fence, buffer, 1, MSG_DONTWAIT | MSG_ERRQUEUE); /* which there is none of */
	(void)!read(fence, buffer, 1);
}

static void
draining(void **state)
{
	try(drain_it, true);
}

/* --- who waits beside us --- */

#define RIVALS 4

static void *
wait_exclusively(void *data)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE | EPOLLET};
	int set = epoll_create1(EPOLL_CLOEXEC);

	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, *(int *)data, &event), 0);
	while (epoll_wait(set, &event, 1, 5000) < 0 && errno == EINTR)
		;
	close(set);
	return NULL;
}

/* Those who ask to be woken alone don't keep the wakeup to themselves. */
static void
exclusive_waiters(void **state)
{
	struct pair pair = make_pair("shared"), other = make_pair("other");
	pthread_t threads[RIVALS];
	int merged;

	for (int i = 0; i < RIVALS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, wait_exclusively, &pair.fence), 0);
	assert_int_equal(kr_fence_merge("m", pair.fence, other.fence, &merged), 0);
	signal_pair(&other, 1);
	poll(NULL, 0, 50);
	signal_pair(&pair, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	for (int i = 0; i < RIVALS; i++)
		pthread_join(threads[i], NULL);
	close(merged);
	close_pair(&pair);
	close_pair(&other);
	settle();
}

/*
 * A fence in an epoll set, which is in another, which is in the first: the kernel
 * says no to the ring.
 */
static void
epoll_ring(void **state)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct pair pair = make_pair("ring");
	int a = epoll_create1(EPOLL_CLOEXEC), b = epoll_create1(EPOLL_CLOEXEC), merged;

	assert_int_equal(epoll_ctl(a, EPOLL_CTL_ADD, pair.fence, &event), 0);
	assert_int_equal(epoll_ctl(b, EPOLL_CTL_ADD, a, &event), 0);
	assert_int_equal(epoll_ctl(a, EPOLL_CTL_ADD, b, &event), -1);
	assert_int_equal(errno, ELOOP);
	assert_int_equal(kr_fence_status(b), -EINVAL);
	assert_int_equal(kr_fence_merge("m", pair.fence, pair.fence, &merged), 0);
	signal_pair(&pair, 1);
	assert_int_equal(kr_fence_wait(merged, SOON), 0);
	close(a);
	close(b);
	close(merged);
	close_pair(&pair);
	settle();
}

/* --- io_uring --- */

struct ring {
	int fd;
	struct io_uring_params params;
	char *rings;
	size_t rings_size;
	struct io_uring_sqe *entries;
	size_t entries_size;
};

static void
open_ring(struct ring *ring)
{
	const struct io_sqring_offsets *sq = &ring->params.sq_off;
	const struct io_cqring_offsets *cq = &ring->params.cq_off;
	size_t sq_size, cq_size;

	memset(ring, 0, sizeof(*ring));
	ring->fd = (int)syscall(SYS_io_uring_setup, 4, &ring->params);
	if (ring->fd < 0)
		kr_test_skip("no-io-uring", strerror(errno));
	sq_size = sq->array + ring->params.sq_entries * sizeof(unsigned);
	cq_size = cq->cqes + ring->params.cq_entries * sizeof(struct io_uring_cqe);
	ring->rings_size = sq_size > cq_size ? sq_size : cq_size;
	ring->entries_size = ring->params.sq_entries * sizeof(struct io_uring_sqe);
	ring->rings = mmap(NULL, ring->rings_size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQ_RING);
	ring->entries = mmap(NULL, ring->entries_size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	assert_true(ring->rings != MAP_FAILED && ring->entries != MAP_FAILED);
}

static void
close_ring(struct ring *ring)
{
	munmap(ring->entries, ring->entries_size);
	munmap(ring->rings, ring->rings_size);
	close(ring->fd);
}

/* Submits one and waits for what becomes of it. */
static int
submit_one(struct ring *ring, const struct io_uring_sqe *entry)
{
	const struct io_uring_params *p = &ring->params;
	unsigned *tail = (unsigned *)(void *)(ring->rings + p->sq_off.tail);
	unsigned *array = (unsigned *)(void *)(ring->rings + p->sq_off.array);
	unsigned *head = (unsigned *)(void *)(ring->rings + p->cq_off.head);
	struct io_uring_cqe *done = (struct io_uring_cqe *)(void *)(ring->rings + p->cq_off.cqes);
	unsigned at = *tail & (p->sq_entries - 1);
	int result;

	ring->entries[at] = *entry;
	array[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	assert_int_equal(
		syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0), 1);
	result = done[*head & (p->cq_entries - 1)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

/* What a ring does with a fence is what its system calls do. */
static void
by_ring(void **state)
{
	char packet[56] = {0};
	struct io_uring_sqe entry = {.addr = (uintptr_t)packet, .len = sizeof(packet)};
	struct pair pair = make_pair("ring");
	struct ring ring;

	open_ring(&ring);
	entry.fd = pair.fence;
	entry.opcode = IORING_OP_SEND;
	entry.msg_flags = MSG_NOSIGNAL;
	assert_true(submit_one(&ring, &entry) < 0);
	entry.opcode = IORING_OP_RECV;
	entry.msg_flags = MSG_DONTWAIT;
	assert_true(submit_one(&ring, &entry) < 0);
	expect_not_signalled(pair.fence);
	signal_pair(&pair, 1);
	entry.msg_flags = MSG_PEEK;
	assert_int_equal(submit_one(&ring, &entry), 56);
	assert_int_equal(kr_fence_status(pair.fence), 1);
	entry.msg_flags = 0;
	assert_int_equal(submit_one(&ring, &entry), 56);
	assert_int_equal(kr_fence_status(pair.fence), -EOWNERDEAD);
	assert_int_equal(kr_fence_status(ring.fd), -EINVAL);
	close_ring(&ring);
	close_pair(&pair);
}

/* --- many at a time --- */

/* All of it from several threads, while others ask, wait and merge. */
static const attack_fn attacks[] = {set_all_options, set_peek_offsets, make_it_block,
	set_flags_and_locks, write_to_it, read_out_of_band, connect_it, bind_it, drain_it};

struct siege {
	int fence;
	_Atomic bool over;
};

static void *
besiege(void *data)
{
	struct siege *siege = data;

	for (unsigned i = 0; !siege->over; i++)
		attacks[i % (sizeof(attacks) / sizeof(attacks[0]))](siege->fence);
	return NULL;
}

static void
all_at_once(void **state)
{
	for (int round = 0; round < 10; round++) {
		struct pair pair = make_pair("besieged");
		struct siege siege = {pair.fence, false};
		pthread_t threads[RIVALS];
		int merged;

		for (int i = 0; i < RIVALS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, besiege, &siege), 0);
		for (int i = 0; i < 200; i++)
			expect_not_signalled(pair.fence);
		assert_int_equal(kr_fence_merge("m", pair.fence, pair.fence, &merged), 0);
		signal_pair(&pair, 1);
		/* Signalled, or an error because the packet was taken out; nobody waits on. */
		assert_int_not_equal(kr_fence_wait(merged, SOON), -ETIME);
		siege.over = true;
		for (int i = 0; i < RIVALS; i++)
			pthread_join(threads[i], NULL);
		close(merged);
		close_pair(&pair);
	}
	settle();
}

#define THREAD_TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	THREAD_TEST(socket_options),
	THREAD_TEST(peek_offsets),
	THREAD_TEST(options_of_other_levels),
	THREAD_TEST(cleared_nonblock),
	THREAD_TEST(signals_on_readiness),
	THREAD_TEST(flags_and_locks),
	THREAD_TEST(writing),
	THREAD_TEST(out_of_band),
	THREAD_TEST(splicing),
	THREAD_TEST(connecting),
	THREAD_TEST(binding),
	THREAD_TEST(shutting),
	THREAD_TEST(draining),
	THREAD_TEST(exclusive_waiters),
	THREAD_TEST(epoll_ring),
	KR_TEST(by_ring),
	KR_TEST_SLOW(all_at_once, KR_TEST_KEEPS_MEMORY, 60),
};

KR_TEST_MAIN(tests)
