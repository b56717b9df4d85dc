/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers with memory of GPUs through sockets (W-11). */
#include "harness.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gpu_samples.h"
#include "gralloc/transfer.h"
#include "wire/packet.h"

static const int types[] = {SOCK_SEQPACKET, SOCK_STREAM};

/* The message of a handle of version 2, to be spoilt. */
static size_t
compose(const struct kr_buffer *buffer, int32_t words[KR_TRANSFER_MAX_WORDS])
{
	const native_handle_t *handle = kr_buffer_handle(buffer);
	size_t ints = (size_t)handle->numInts;

	words[0] = KR_TRANSFER_MAGIC;
	words[1] = (int32_t)(sizeof(*words) * (2 + ints));
	memcpy(words + 2, handle->data + handle->numFds, sizeof(int) * ints);
	return (size_t)words[1];
}

static int
receive(int socket)
{
	struct kr_buffer *buffer;
	int before = kr_test_count_fds(), err = kr_transfer_receive(socket, &buffer);

	if (err)
		assert_int_equal(kr_test_count_fds(), before);
	else
		kr_buffer_unref(buffer);
	return err;
}

/* W-11 */
static void
they_go_through_sockets(void **state)
{
	struct kr_buffer *made[2] = {gpu_alone(), both_faces()}, *got;

	for (size_t t = 0; t < KR_ARRAY_LEN(types); t++) {
		int ends[2];

		assert_int_equal(socketpair(AF_UNIX, types[t] | SOCK_CLOEXEC, 0, ends), 0);
		/* Several behind each other: none reads into the next. */
		for (int i = 0; i < 4; i++)
			assert_int_equal(
				kr_transfer_send(ends[0], kr_buffer_handle(made[i % 2]), i / 2), 0);
		for (int i = 0; i < 4; i++) {
			const struct kr_buffer_info *of = kr_buffer_get_info(made[i % 2]);

			assert_int_equal(kr_transfer_receive(ends[1], &got), 0);
			assert_same_memory(kr_buffer_get_info(got)->gpu, of->gpu);
			assert_true(kr_buffer_get_info(got)->id == of->id);
			assert_int_equal(kr_buffer_data_space(got), i / 2);
			assert_int_equal(kr_buffer_get_info(got)->fd >= 0, of->fd >= 0);
			kr_buffer_unref(got);
		}
		close(ends[0]);
		close(ends[1]);
	}
	kr_buffer_unref(made[0]);
	kr_buffer_unref(made[1]);
}

/* Buffers of CPUs keep the message that libraries before know, byte for byte. */
static void
buffers_of_cpus_keep_their_message(void **state)
{
	struct kr_buffer_desc desc = plain;
	int32_t words[KR_TRANSFER_MAX_WORDS], got[KR_TRANSFER_MAX_WORDS];
	struct kr_buffer *buffer;
	size_t size, count;
	int ends[2], fds[4];

	desc.usage |= CPU;
	assert_int_equal(kr_buffer_allocate(&desc, &buffer), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(compose(buffer, words), 72);
	assert_int_equal(kr_transfer_send(ends[0], kr_buffer_handle(buffer), 0), 0);
	assert_int_equal(kr_packet_receive(ends[1], got, sizeof(got), &size, fds, 4, &count), 0);
	assert_int_equal(size, 72);
	assert_int_equal(count, 1);
	assert_memory_equal(got, words, size);
	assert_int_equal(got[2 + KR_HANDLE_INT_VERSION], 1);
	close(fds[0]);
	close(ends[0]);
	close(ends[1]);
	kr_buffer_unref(buffer);
}

/* */
static void
messages_that_lie_are_refused(void **state)
{
	struct kr_buffer *buffer = both_faces();
	const native_handle_t *handle = kr_buffer_handle(buffer);
	int32_t words[KR_TRANSFER_MAX_WORDS];
	const size_t size = compose(buffer, words);
	int fds[3] = {handle->data[0], handle->data[1], handle->data[1]}, ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	for (size_t count = 0; count <= 3; count++) {
		assert_int_equal(kr_packet_send(ends[0], words, size, fds, count), 0);
		assert_int_equal(receive(ends[1]), count == 2 ? 0 : count == 1 ? -EINVAL : -EPROTO);
	}
	for (size_t less = 4; less < size; less += 4) {
		assert_int_equal(kr_packet_send(ends[0], words, size - less, fds, 2), 0);
		assert_int_equal(receive(ends[1]), -EPROTO);
	}
	/* A version 2 in the length of version 1, whose end is the first descriptor's. */
	words[1] = 72;
	assert_int_equal(kr_packet_send(ends[0], words, 72, fds, 1), 0);
	assert_int_equal(receive(ends[1]), -EINVAL);
	close(ends[0]);
	close(ends[1]);
	kr_buffer_unref(buffer);
}

/* Descriptors that come in pieces are counted. */
static void
streams_with_more_descriptors_are_refused(void **state)
{
	struct kr_buffer *buffer = both_faces();
	const native_handle_t *handle = kr_buffer_handle(buffer);
	int32_t words[KR_TRANSFER_MAX_WORDS];
	const size_t size = compose(buffer, words);

	for (size_t first = 4; first < size; first += 84) {
		const char *rest = (const char *)words + first;
		int ends[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
		assert_int_equal(kr_packet_send(ends[0], words, first, handle->data, 2), 0);
		assert_int_equal(kr_packet_send(ends[0], rest, size - first, handle->data, 1), 0);
		assert_int_equal(receive(ends[1]), -EPROTO);
		close(ends[0]);
		close(ends[1]);
	}
	kr_buffer_unref(buffer);
}

static const struct kr_test tests[] = {
	KR_TEST(they_go_through_sockets),
	KR_TEST(buffers_of_cpus_keep_their_message),
	KR_TEST(messages_that_lie_are_refused),
	KR_TEST(streams_with_more_descriptors_are_refused),
};

KR_TEST_MAIN(tests)
