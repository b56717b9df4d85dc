/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of the loader service's first version (T-02): what it sends and what it understands,
 * byte for byte, written here by hand and never changed again. Later services may answer more than
 * it knows only where it passes that over: other bits of features, other numbers of requests.
 * Nothing here uses the generated codec.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "server/rig.h"
#include "util/clock.h"

static struct rig rig;

static int
start(void)
{
	rig_init(&rig);
	rig_start(&rig);
	return rig_connect(&rig);
}

static void
finish(int fd)
{
	close(fd);
	rig_finish(&rig);
}

static void
send_bytes(int fd, const unsigned char *bytes, size_t size)
{
	assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
}

/* The packet that comes next, and how many descriptors came with it; they are closed. */
static size_t
receive_bytes(int fd, unsigned char *bytes, size_t capacity, size_t *fd_count)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(16 * sizeof(int))];
	} control;
	struct iovec iov = {bytes, capacity};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *cmsg;
	ssize_t got = -1;

	for (int i = 0; i < 1000 && got < 0; i++) {
		assert_int_equal(kr_loop_step(rig.loop, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), 0);
		got = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	}
	assert_true(got > 0);
	*fd_count = 0;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg) {
		*fd_count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < *fd_count; i++) {
			int came;

			memcpy(&came, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(came));
			close(came);
		}
	}
	return (size_t)got;
}

static void
expect_bytes(int fd, const unsigned char *wanted, size_t size, size_t fd_count)
{
	unsigned char got[512];
	size_t fds;

	assert_int_equal(receive_bytes(fd, got, sizeof(got), &fds), size);
	assert_memory_equal(got, wanted, size);
	assert_int_equal(fds, fd_count);
}

static const unsigned char hello[] = {1, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0};

/* welcome: version 1, at least Fuchsia's features, 16 requests. */
static void
greet(int fd)
{
	unsigned char got[512];
	size_t fds;

	send_bytes(fd, hello, sizeof(hello));
	assert_int_equal(receive_bytes(fd, got, sizeof(got), &fds), 20);
	assert_memory_equal(got, "\x40\0\0\0\x14\0\0\0\x01\0\0\0", 12);
	assert_int_equal(got[12] & 7, 7);
	assert_memory_equal(got + 16, "\x10\0\0\0", 4);
	assert_int_equal(fds, 0);
}

static void
hello_and_features(void **state)
{
	static const unsigned char ask[] = {2, 0, 0, 0, 12, 0, 0, 0, 0x44, 0x33, 0x22, 0x11};
	unsigned char got[512];
	size_t fds;
	int fd = start();

	greet(fd);
	send_bytes(fd, ask, sizeof(ask));
	assert_int_equal(receive_bytes(fd, got, sizeof(got), &fds), 16);
	assert_memory_equal(got, "\x41\0\0\0\x10\0\0\0\x44\x33\x22\x11", 12);
	assert_int_equal(got[12] & 7, 7);
	finish(fd);
}

static void
get(void **state)
{
	static const unsigned char ask[] = {3, 0, 0, 0, 24, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 6, 0,
		'0', '-', 'a', '.', 's', 'o'};
	static const unsigned char strict[] = {3, 0, 0, 0, 24, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 6,
		0, '0', '-', 'a', '.', 's', 'o'};
	static const unsigned char unknown[] = {
		3, 0, 0, 0, 19, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 'x'};
	static const unsigned char mount[] = {66, 0, 0, 0, 16, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0};
	static const unsigned char memory[] = {66, 0, 0, 0, 16, 0, 0, 0, 8, 0, 0, 0, 2, 0, 0, 0};
	static const unsigned char none[] = {66, 0, 0, 0, 16, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0};
	int fd = start();

	greet(fd);
	send_bytes(fd, ask, sizeof(ask));
	rig_expect_silence(&rig, fd);
	fake_offer("0-a.so", "a");
	expect_bytes(fd, mount, sizeof(mount), 1);
	fake.files = 3;
	send_bytes(fd, strict, sizeof(strict));
	expect_bytes(fd, memory, sizeof(memory), 4);
	send_bytes(fd, unknown, sizeof(unknown));
	rig_expect_silence(&rig, fd);
	fake_set_idle(true);
	expect_bytes(fd, none, sizeof(none), 0);
	finish(fd);
}

static void
directories(void **state)
{
	static const unsigned char wait[] = {4, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
	static const unsigned char now[] = {4, 0, 0, 0, 16, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
	static const unsigned char devices[] = {5, 0, 0, 0, 12, 0, 0, 0, 3, 0, 0, 0};
	static const unsigned char waited[] = {67, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
	static const unsigned char at_once[] = {67, 0, 0, 0, 16, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0};
	static const unsigned char nodes[] = {68, 0, 0, 0, 16, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0};
	int fd = start();

	greet(fd);
	send_bytes(fd, wait, sizeof(wait));
	send_bytes(fd, now, sizeof(now));
	expect_bytes(fd, at_once, sizeof(at_once), 1);
	send_bytes(fd, devices, sizeof(devices));
	expect_bytes(fd, nodes, sizeof(nodes), 1);
	fake_set_idle(true);
	expect_bytes(fd, waited, sizeof(waited), 1);
	finish(fd);
}

static void
open_device(void **state)
{
	static const unsigned char good[] = {
		6, 0, 0, 0, 17, 0, 0, 0, 4, 0, 0, 0, 3, 0, 'd', '/', 'n'};
	static const unsigned char bad[] = {
		6, 0, 0, 0, 17, 0, 0, 0, 5, 0, 0, 0, 3, 0, 'd', '/', 'x'};
	static const unsigned char opened[] = {69, 0, 0, 0, 16, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0};
	/* ENOENT */
	static const unsigned char absent[] = {69, 0, 0, 0, 16, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0};
	int fd = start();

	strcpy(fake.node_path, kr_test_file("node", ""));
	fake_node("d/n");
	greet(fd);
	send_bytes(fd, good, sizeof(good));
	expect_bytes(fd, opened, sizeof(opened), 1);
	send_bytes(fd, bad, sizeof(bad));
	expect_bytes(fd, absent, sizeof(absent), 0);
	finish(fd);
}

/* Their text may become another; what stands in front of it may not. */
static void
expect_refused(int fd, unsigned char serial, unsigned char error)
{
	unsigned char got[512];
	size_t fds, size = receive_bytes(fd, got, sizeof(got), &fds);

	assert_true(size > 18);
	assert_memory_equal(got, "\x47\0\0\0", 4);
	assert_int_equal(got[4], size);
	assert_int_equal(got[8], serial);
	assert_int_equal(got[12], error);
	assert_int_equal(got[16], size - 18);
	assert_int_equal(fds, 0);
}

static void
inspect_and_refused(void **state)
{
	static const unsigned char ask[] = {7, 0, 0, 0, 12, 0, 0, 0, 6, 0, 0, 0};
	static const unsigned char state_of[] = {70, 0, 0, 0, 12, 0, 0, 0, 6, 0, 0, 0};
	static const unsigned char later[] = {63, 0, 0, 0, 12, 0, 0, 0, 5, 0, 0, 0};
	static const unsigned char park[] = {
		3, 0, 0, 0, 19, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 'x'};
	int fd = start();

	greet(fd);
	send_bytes(fd, ask, sizeof(ask));
	expect_bytes(fd, state_of, sizeof(state_of), 1);
	/* ENOSYS: how a client of a later version finds that this service is of the first. */
	send_bytes(fd, later, sizeof(later));
	expect_refused(fd, 5, 38);
	for (int i = 0; i < 17; i++)
		send_bytes(fd, park, sizeof(park));
	/* EBUSY */
	expect_refused(fd, 7, 16);
	finish(fd);
}

static const struct kr_test tests[] = {
	KR_TEST(hello_and_features),
	KR_TEST(get),
	KR_TEST(directories),
	KR_TEST(open_device),
	KR_TEST(inspect_and_refused),
};

KR_TEST_MAIN(tests)
