/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: whole, with their descriptors, without a leak whatever goes wrong. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/macros.h"
#include "wire/connect.h"
#include "wire/packet.h"

static int pair[2];

static void
open_pair(void)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

static void
close_pair(void)
{
	close(pair[0]);
	close(pair[1]);
}

static void
a_packet_arrives_with_its_descriptors(void **state)
{
	int sent[2] = {eventfd(5, EFD_CLOEXEC), eventfd(6, EFD_CLOEXEC)}, got[4];
	size_t size, count;
	char data[16];
	eventfd_t value;

	open_pair();
	assert_int_equal(kr_packet_send(pair[0], "hello", 5, sent, 2), 0);
	assert_int_equal(kr_packet_receive(pair[1], data, sizeof(data), &size, got, 4, &count), 0);
	assert_int_equal(size, 5);
	assert_memory_equal(data, "hello", 5);
	assert_int_equal(count, 2);
	assert_int_equal(eventfd_read(got[1], &value), 0);
	assert_int_equal(value, 6);
	for (int i = 0; i < 2; i++) {
		assert_true(fcntl(got[i], F_GETFD) & FD_CLOEXEC);
		close(got[i]);
		close(sent[i]);
	}
	close_pair();
}

static void
nothing_there_is_eagain_and_the_end_is_epipe(void **state)
{
	size_t size, count;
	char data[16];
	int fd;

	open_pair();
	assert_int_equal(kr_packet_receive(pair[1], data, 16, &size, &fd, 1, &count), -EAGAIN);
	close(pair[0]);
	assert_int_equal(kr_packet_receive(pair[1], data, 16, &size, &fd, 1, &count), -EPIPE);
	/* No SIGPIPE: this process would be dead. */
	assert_int_equal(kr_packet_send(pair[1], "x", 1, NULL, 0), -EPIPE);
	close(pair[1]);
}

static void
a_peer_that_left_words_unread_is_gone_too(void **state)
{
	size_t size, count;
	char data[16];
	int fd;

	open_pair();
	assert_int_equal(kr_packet_send(pair[1], "x", 1, NULL, 0), 0);
	close(pair[0]); /* ECONNRESET for the other end */
	assert_int_equal(kr_packet_receive(pair[1], data, 16, &size, &fd, 1, &count), -EPIPE);
	assert_int_equal(kr_packet_receive(pair[1], data, 16, &size, &fd, 1, &count), -EPIPE);
	close(pair[1]);
}

static void
too_many_descriptors_are_all_closed(void **state)
{
	int fds[40], got[2], before;
	size_t size, count;
	char data[16];

	open_pair();
	for (size_t i = 0; i < KR_ARRAY_LEN(fds); i++)
		fds[i] = pair[0];
	before = kr_test_count_fds();
	assert_int_equal(kr_packet_send(pair[0], "x", 1, fds, 40), 0);
	assert_int_equal(kr_packet_receive(pair[1], data, 16, &size, got, 2, &count), -EPROTO);
	assert_int_equal(kr_test_count_fds(), before);
	/* The socket goes on. */
	assert_int_equal(kr_packet_send(pair[0], "y", 1, NULL, 0), 0);
	assert_int_equal(kr_packet_receive(pair[1], data, 16, &size, got, 2, &count), 0);
	close_pair();
}

static void
a_packet_that_is_too_long_is_refused_with_its_descriptors(void **state)
{
	char big[64] = {0}, data[16];
	size_t size, count;
	int got, before;

	open_pair();
	before = kr_test_count_fds();
	assert_int_equal(kr_packet_send(pair[0], big, sizeof(big), pair, 1), 0);
	assert_int_equal(kr_packet_receive(pair[1], data, 16, &size, &got, 1, &count), -EMSGSIZE);
	assert_int_equal(kr_test_count_fds(), before);
	close_pair();
}

static void
an_empty_packet_counts_as_the_end(void **state)
{
	size_t size, count;
	char data[16];
	int got;

	open_pair();
	assert_int_equal(kr_packet_send(pair[0], "", 0, NULL, 0), -EINVAL);
	assert_int_equal(send(pair[0], "", 0, 0), 0);
	assert_int_equal(kr_packet_receive(pair[1], data, 16, &size, &got, 1, &count), -EPIPE);
	close_pair();
}

static void
a_full_socket_is_eagain(void **state)
{
	char data[256] = {0};
	int sent = 0;
	int err;

	open_pair();
	while (!(err = kr_packet_send(pair[0], data, sizeof(data), NULL, 0)))
		assert_true(++sent < 100000);
	assert_int_equal(err, -EAGAIN);
	close_pair();
}

static void
a_full_descriptor_table_is_emfile_without_a_leak(void **state)
{
	int fds[3], got[3], before;
	size_t size, count;
	char data[16];

	open_pair();
	for (size_t i = 0; i < KR_ARRAY_LEN(fds); i++)
		fds[i] = pair[0];
	assert_int_equal(kr_packet_send(pair[0], "x", 1, fds, 3), 0);
	before = kr_test_count_fds();
	kr_test_limit_fds(1);
	assert_int_equal(kr_packet_receive(pair[1], data, 16, &size, got, 3, &count), -EMFILE);
	kr_test_end_fd_limit();
	assert_int_equal(kr_test_count_fds(), before);
	close_pair();
}

/* Where to connect: nobody there, a full backlog, a long path, another type; and somebody. */
static void
connecting_has_a_deadline(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int64_t deadline = kr_deadline_in(50 * KR_NSEC_PER_MSEC);
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), fds[3], other;
	char path[200];

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/s", kr_test_dir());
	assert_int_equal(kr_packet_connect(address.sun_path, deadline, &fds[0]), -ENOENT);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(kr_packet_connect(address.sun_path, deadline, &fds[0]), -ECONNREFUSED);
	assert_int_equal(listen(listener, 0), 0);
	assert_int_equal(kr_packet_connect(address.sun_path, KR_FOREVER, &fds[0]), 0);
	assert_int_equal(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
	/* The backlog of 0 holds one. */
	assert_int_equal(kr_packet_connect(address.sun_path, deadline, &fds[1]), -ETIMEDOUT);
	assert_true(kr_clock_now() >= deadline);
	other = accept(listener, NULL, NULL);
	assert_true(other >= 0);
	assert_int_equal(kr_packet_connect(address.sun_path, deadline, &fds[1]), 0);
	close(fds[0]);
	close(fds[1]);
	close(other);
	close(listener);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(kr_packet_connect(path, deadline, &fds[0]), -ENAMETOOLONG);
	assert_int_equal(kr_packet_connect("", deadline, &fds[0]), -ENOENT);
}

static const struct kr_test tests[] = {
	KR_TEST(connecting_has_a_deadline),
	KR_TEST(a_packet_arrives_with_its_descriptors),
	KR_TEST(nothing_there_is_eagain_and_the_end_is_epipe),
	KR_TEST(a_peer_that_left_words_unread_is_gone_too),
	KR_TEST(too_many_descriptors_are_all_closed),
	KR_TEST(a_packet_that_is_too_long_is_refused_with_its_descriptors),
	KR_TEST(an_empty_packet_counts_as_the_end),
	KR_TEST(a_full_socket_is_eagain),
	KR_TEST(a_full_descriptor_table_is_emfile_without_a_leak),
};

KR_TEST_MAIN(tests)
