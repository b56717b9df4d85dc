/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a holder of the consumer end can try (docs/fences.md, "What an attacker can do"), and what a
 * lying producer can. Each case ends in an error or in nothing, never in a false success or in a
 * hang.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sync/fence/packet.h"
#include "sync/fence/points.h"
#include "sync/fence/user_fence.h"

/* A consumer takes the packet out: the others see an error. */
static void
drain(void **state)
{
	struct pair pair = make_pair("drain");
	char buffer[512];

	signal_pair(&pair, 1);
	assert_true(recv(pair.fence, buffer, sizeof(buffer), 0) > 0);
	assert_int_equal(kr_fence_status(pair.fence), -EOWNERDEAD);
	assert_int_equal(kr_fence_wait(pair.fence, KR_FOREVER), -EOWNERDEAD);
	close_pair(&pair);
}

static void
filter(void **state)
{
	struct sock_filter code = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog drop = {1, &code};
	struct pair pair = make_pair("filter");
	int none = 0;

	assert_int_equal(
		setsockopt(pair.fence, SOL_SOCKET, SO_ATTACH_FILTER, &drop, sizeof(drop)), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(
		setsockopt(pair.fence, SOL_SOCKET, SO_LOCK_FILTER, &none, sizeof(none)), -1);
	signal_pair(&pair, 1);
	assert_int_equal(kr_fence_status(pair.fence), 1);
	close_pair(&pair);
}

static void
set_peek_offset(int fd, int offset)
{
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof(offset)), 0);
}

/* A peek offset hides the packet or cuts its beginning off: it is put back, the truth is read. */
static void
peek_offset(void **state)
{
	static const int offsets[] = {0, 16, 24, 55, 56, 1 << 20, -1};

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		struct pair pair = make_pair("peek");

		set_peek_offset(pair.fence, offsets[i]);
		assert_int_equal(kr_fence_status(pair.fence), 0);
		set_peek_offset(pair.fence, offsets[i]);
		signal_pair(&pair, 1);
		assert_int_equal(kr_fence_status(pair.fence), 1);
		set_peek_offset(pair.fence, offsets[i]);
		assert_int_equal(kr_fence_wait(pair.fence, KR_FOREVER), 0);
		set_peek_offset(pair.fence, offsets[i]);
		assert_true(kr_fence_signal_time(pair.fence) > 0);
		close_pair(&pair);
	}
}

/* The same before the producer has closed: poll says ready, recv EAGAIN. */
static void
peek_offset_with_open_producer(void **state)
{
	struct kr_sync_packet_head head = {.magic = KR_SYNC_MAGIC, .version = 1, .status = 1};
	struct pair pair = make_pair("peek");

	set_peek_offset(pair.fence, 4096);
	assert_int_equal(send(pair.producer, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(kr_fence_wait(pair.fence, SOON), 0);
	close_pair(&pair);
}

static void
shutdown_before_the_signal(void **state)
{
	static const int how[] = {SHUT_RD, SHUT_RDWR};

	for (int i = 0; i < 2; i++) {
		struct pair pair = make_pair("shutdown");

		assert_int_equal(shutdown(pair.fence, how[i]), 0);
		assert_int_equal(kr_fence_wait(pair.fence, SOON), -EOWNERDEAD);
		signal_pair(&pair, 1); /* no SIGPIPE, and too late */
		assert_int_equal(kr_fence_status(pair.fence), -EOWNERDEAD);
		close_pair(&pair);
	}
}

static void
shutdown_after_the_signal(void **state)
{
	struct pair pair = make_pair("shutdown");

	signal_pair(&pair, 1);
	shutdown(pair.fence, SHUT_RDWR);
	assert_int_equal(kr_fence_status(pair.fence), 1);
	close_pair(&pair);
}

/* S-05: a consumer can never signal. */
static void
forged_write(void **state)
{
	struct kr_sync_packet_head head = {.magic = KR_SYNC_MAGIC, .version = 1, .status = 1};
	struct pair pair = make_pair("forged");

	assert_int_equal(send(pair.fence, &head, sizeof(head), MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(kr_fence_status(pair.fence), 0);
	signal_pair(&pair, -EIO);
	assert_int_equal(kr_fence_status(pair.fence), -EIO);
	close_pair(&pair);
}

static void
reopen(void **state)
{
	struct pair pair = make_pair("reopen");
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", pair.fence);
	assert_int_equal(open(path, O_RDWR | O_CLOEXEC), -1);
	assert_int_equal(errno, ENXIO);
	close_pair(&pair);
}

static void
small_buffers(void **state)
{
	struct pair pair = make_pair("small");
	int one = 1;

	setsockopt(pair.fence, SOL_SOCKET, SO_RCVBUF, &one, sizeof(one));
	setsockopt(pair.fence, SOL_SOCKET, SO_SNDBUF, &one, sizeof(one));
	signal_pair(&pair, 1);
	assert_int_equal(kr_fence_status(pair.fence), 1);
	close_pair(&pair);
}

/* Nobody connects to a renamed fence and speaks in its producer's place. */
static void
connect_to_a_name(void **state)
{
	struct pair pair = make_pair("target");
	struct sockaddr_storage addr;
	int renamed, fd;

	need_names();
	assert_int_equal(kr_fence_rename("renamed", pair.fence, &renamed), 0);
	for (int peer = 0; peer < 2; peer++) {
		socklen_t len = sizeof(addr);

		fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		if (peer)
			getpeername(pair.fence, (struct sockaddr *)&addr, &len);
		else
			getsockname(pair.fence, (struct sockaddr *)&addr, &len);
		assert_true(len > 8);
		assert_int_equal(connect(fd, (struct sockaddr *)&addr, len), -1);
		assert_int_equal(errno, ECONNREFUSED);
		close(fd);
	}
	close(renamed);
	close_pair(&pair);
}

/* The producer end is no fence, and stealing it isn't possible from the other. */
static void
producer_end_is_no_fence(void **state)
{
	struct pair pair = make_pair("producer");

	assert_int_equal(kr_fence_status(pair.producer), -EINVAL);
	close_pair(&pair);
}

static int
status_after(const void *packet, size_t size)
{
	struct pair pair = make_pair("liar");
	int status;

	assert_int_equal(send(pair.producer, packet, size, 0), size);
	status = kr_fence_status(pair.fence);
	assert_int_equal(kr_fence_wait(pair.fence, KR_FOREVER), status == 1 ? 0 : status);
	close_pair(&pair);
	return status;
}

/* The length tells the status: any other than those that a producer of ours sends is an error. */
static void
malformed_lengths(void **state)
{
	static char packet[KR_SYNC_FAILED_LEN + 4100];
	size_t most = 56 + KR_SYNC_MAX_POINTS * 80;

	for (size_t size = 0; size <= most + 80; size++) {
		bool good = size >= 56 && size <= most && (size - 56) % 80 == 0;

		assert_int_equal(status_after(packet, size), good ? 1 : -EOWNERDEAD);
	}
	assert_int_equal(status_after(packet, KR_SYNC_FAILED_LEN), -EOWNERDEAD);
	assert_int_equal(status_after(packet, KR_SYNC_FAILED_LEN + 1), -1);
	assert_int_equal(status_after(packet, KR_SYNC_FAILED_LEN + 4095), -4095);
	assert_int_equal(status_after(packet, KR_SYNC_FAILED_LEN + 4096), -EOWNERDEAD);
}

/* What is told beside the status by a packet that contradicts itself is not believed. */
static void
expect_nothing_told(const struct kr_sync_packet *packet, size_t size)
{
	struct kr_sync_points points;
	struct pair pair = make_pair("liar");

	assert_int_equal(send(pair.producer, packet, size, 0), size);
	assert_int_equal(kr_sync_user_read(pair.fence, false, &points), 0);
	assert_int_equal(points.status, 1);
	assert_int_equal(points.count, 1);
	assert_int_equal(points.timestamp, 0);
	assert_string_equal(points.name, "liar");
	assert_string_equal(points.point[0].obj_name, "test");
	close_pair(&pair);
}

static void
malformed_heads(void **state)
{
	struct kr_sync_packet packet, good;

	need_names();
	memset(&good, 0, sizeof(good));
	good.head = (struct kr_sync_packet_head){
		.magic = KR_SYNC_MAGIC, .version = 1, .status = 1, .timestamp = 5, .name = "told"};
	packet = good;
	packet.head.magic++;
	expect_nothing_told(&packet, sizeof(packet.head));
	packet = good;
	packet.head.version = 2;
	expect_nothing_told(&packet, sizeof(packet.head));
	packet = good;
	packet.head.n_points = 1;
	expect_nothing_told(&packet, sizeof(packet.head));
	packet.head.n_points = UINT32_MAX;
	expect_nothing_told(&packet, sizeof(packet));
	packet.head.n_points = KR_SYNC_MAX_POINTS + 1;
	expect_nothing_told(&packet, sizeof(packet));
	packet = good;
	packet.head.status = -EIO;
	expect_nothing_told(&packet, sizeof(packet.head));
	packet.head.status = 0;
	expect_nothing_told(&packet, sizeof(packet.head));
}

static void
two_packets(void **state)
{
	struct pair pair = make_pair("liar");
	char packet[56] = {0};

	assert_int_equal(send(pair.producer, packet, 56, 0), 56);
	assert_int_equal(send(pair.producer, packet, 56, 0), 56);
	assert_int_equal(kr_fence_status(pair.fence), -EOWNERDEAD);
	close_pair(&pair);
}

struct stall {
	int fence;
	int fault_fd; /* readable once the attacker's receive is stuck */
	char *page;
	pthread_t thread;
};

static void *
receive_for_ever(void *data)
{
	struct stall *stall = data;

	poll_events(stall->fence, 10000);
	recv(stall->fence, stall->page, 56, MSG_PEEK);
	return NULL;
}

/* Receives into a page whose fault nobody serves, and so keeps the socket's lock. */
static void
begin_stall(struct stall *stall)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	stall->fault_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (stall->fault_fd < 0)
		kr_test_skip("no-userfaultfd", NULL);
	stall->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range = (struct uffdio_range){(uintptr_t)stall->page, 4096};
	assert_int_equal(ioctl(stall->fault_fd, UFFDIO_API, &api), 0);
	assert_int_equal(ioctl(stall->fault_fd, UFFDIO_REGISTER, &range), 0);
	assert_int_equal(pthread_create(&stall->thread, NULL, receive_for_ever, stall), 0);
}

static void
end_stall(struct stall *stall)
{
	struct uffdio_zeropage zero = {.range = {(uintptr_t)stall->page, 4096}};

	assert_int_equal(ioctl(stall->fault_fd, UFFDIO_ZEROPAGE, &zero), 0);
	pthread_join(stall->thread, NULL);
	munmap(stall->page, 4096);
	close(stall->fault_fd);
}

/*
 * A client's fence whose description he keeps locked: whoever asks, waits or merges is not held up.
 */
static void
stalled_receive(void **state)
{
	struct pair own = make_pair("own");
	struct stall stall;
	int channel[2], merged, renamed;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel), 0);
	child = fork();
	if (child == 0) {
		struct pair pair = make_pair("hostile");

		send_fd(channel[1], pair.fence);
		close(receive_fd(channel[1]));
		signal_pair(&pair, 1);
		_exit(0);
	}
	stall.fence = receive_fd(channel[0]);
	begin_stall(&stall);
	assert_int_equal(kr_fence_merge("m", stall.fence, own.fence, &merged), 0);
	send_fd(channel[0], stall.fence);
	assert_int_equal(poll_events(stall.fault_fd, 5000), POLLIN);
	assert_int_equal(kr_fence_status(stall.fence), 1);
	assert_int_equal(kr_fence_wait(stall.fence, KR_FOREVER), 0);
	assert_int_equal(kr_fence_signal_time(stall.fence), 0);
	assert_int_equal(kr_fence_rename("renamed", stall.fence, &renamed), 0);
	close(renamed);
	signal_pair(&own, -EIO);
	assert_int_equal(kr_fence_wait(merged, SOON), -EIO);
	assert_true(kr_fence_signal_time(merged) > 0);
	close(merged);
	assert_int_equal(kr_fence_merge("m", stall.fence, own.fence, &merged), 0);
	assert_int_equal(kr_fence_status(merged), -EIO);
	close(merged);
	end_stall(&stall);
	assert_int_equal(wait_for(child), 0);
	close(stall.fence);
	close(channel[0]);
	close(channel[1]);
	close_pair(&own);
	settle();
}

/* Strings without end, times to come, statuses that are none: what is shown is harmless. */
static void
lying_points(void **state)
{
	struct kr_sync_packet packet;
	struct kr_sync_points points;
	struct pair pair = make_pair("liar");
	int64_t now;

	memset(&packet, 'x', sizeof(packet));
	packet.head.magic = KR_SYNC_MAGIC;
	packet.head.version = 1;
	packet.head.status = 1;
	packet.head.n_points = 2;
	packet.head.timestamp = INT64_MAX;
	packet.point[0].status = 5;
	packet.point[1].status = 0;
	packet.point[0].timestamp_ns = UINT64_MAX;
	assert_true(send(pair.producer, &packet, 56 + 2 * 80, 0) > 0);
	assert_int_equal(kr_sync_user_read(pair.fence, false, &points), 0);
	now = kr_clock_now();
	assert_int_equal(points.count, 2);
	assert_int_equal(strlen(points.name), 31);
	assert_int_equal(strlen(points.point[0].obj_name), 31);
	assert_int_equal(strlen(points.point[1].driver_name), 31);
	assert_int_equal(points.point[0].status, -EOWNERDEAD);
	assert_true(points.point[0].timestamp_ns <= (uint64_t)now);
	assert_true(points.timestamp <= now);
	assert_int_equal(points.point[1].timestamp_ns, 0);
	assert_int_equal(points.point[0].flags, 0);
	close_pair(&pair);
}

static const struct kr_test tests[] = {
	KR_TEST(drain),
	KR_TEST(filter),
	KR_TEST(peek_offset),
	KR_TEST(peek_offset_with_open_producer),
	KR_TEST(shutdown_before_the_signal),
	KR_TEST(shutdown_after_the_signal),
	KR_TEST(forged_write),
	KR_TEST(reopen),
	KR_TEST(small_buffers),
	KR_TEST(connect_to_a_name),
	KR_TEST(producer_end_is_no_fence),
	KR_TEST(malformed_lengths),
	KR_TEST(malformed_heads),
	KR_TEST(two_packets),
	KR_TEST_FLAGS(stalled_receive, KR_TEST_KEEPS_MEMORY),
	KR_TEST(lying_points),
};

KR_TEST_MAIN(tests)
