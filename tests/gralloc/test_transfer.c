/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffer_sendHandleToUnixSocket and _recvHandleFromUnixSocket, on every backend
 * (KRAFLA_BUFFERS, buffer_rig.h). Rule 8 of the design: nothing that arrives is trusted.
 */
#include "harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/transfer.h"
#include "buffer_rig.h"
#include "util/clock.h"
#include "wire/packet.h"

#define USAGE (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)
#define SIZE  (256 * 48) /* of `desc`, in bytes */
#define BYTES (KR_TRANSFER_WORDS * sizeof(int32_t))

static const int types[] = {SOCK_SEQPACKET, SOCK_STREAM};

static const AHardwareBuffer_Desc desc = {
	.width = 60,
	.height = 45,
	.layers = 1,
	.format = AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
	.usage = USAGE,
};

struct rig {
	AHardwareBuffer *buffer;
	int sockets[2];
};

static void
begin(struct rig *rig, int type)
{
	rig_begin();
	assert_int_equal(AHardwareBuffer_allocate(&desc, &rig->buffer), 0);
	assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, rig->sockets), 0);
}

static void
end(struct rig *rig)
{
	AHardwareBuffer_release(rig->buffer);
	close(rig->sockets[0]);
	close(rig->sockets[1]);
	rig_end();
}

static unsigned char *
lock(AHardwareBuffer *buffer)
{
	void *data;

	assert_int_equal(AHardwareBuffer_lock(buffer, USAGE, -1, NULL, &data), 0);
	return data;
}

/* The message of a good buffer, to be spoilt; *fd is borrowed. */
static void
compose(const struct rig *rig, int32_t words[KR_TRANSFER_WORDS], int *fd)
{
	const native_handle_t *handle = AHardwareBuffer_getNativeHandle(rig->buffer);

	words[0] = KR_TRANSFER_MAGIC;
	words[1] = BYTES;
	memcpy(words + 2, handle->data + 1, sizeof(int32_t) * KR_HANDLE_INTS);
	*fd = handle->data[0];
}

/* What the other end makes of what is in the socket. */
static int
receive(const struct rig *rig)
{
	AHardwareBuffer *buffer = NULL;
	int err = AHardwareBuffer_recvHandleFromUnixSocket(rig->sockets[1], &buffer);

	if (err)
		assert_null(buffer);
	else
		AHardwareBuffer_release(buffer);
	return err;
}

/* Fails the case from within a child, whose exit code is the line. */
#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition))                                                                  \
			_exit(__LINE__ % 255 + 1);                                                 \
	} while (0)

static void
child_receives(const struct rig *rig)
{
	AHardwareBuffer *buffer;
	AHardwareBuffer_Desc got;
	unsigned char *pixels;
	uint64_t id, original;
	void *data;

	EXPECT(!AHardwareBuffer_recvHandleFromUnixSocket(rig->sockets[1], &buffer));
	AHardwareBuffer_describe(buffer, &got);
	EXPECT(got.width == desc.width && got.height == desc.height && got.stride == 64);
	EXPECT(got.format == desc.format && got.usage == desc.usage);
	EXPECT(!AHardwareBuffer_getId(buffer, &id));
	EXPECT(!AHardwareBuffer_getId(rig->buffer, &original));
	EXPECT(id == original);
	EXPECT(!AHardwareBuffer_lock(buffer, USAGE, -1, NULL, &data));
	pixels = data;
	EXPECT(pixels[0] == 17 && pixels[SIZE - 1] == 18);
	pixels[1] = 99;
	EXPECT(!AHardwareBuffer_unlock(buffer, NULL));
	AHardwareBuffer_release(buffer);
	_exit(0);
}

/* W-11 */
static void
a_buffer_goes_to_another_process(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
		unsigned char *pixels;
		struct rig rig;
		pid_t child;
		int status;

		begin(&rig, types[i]);
		pixels = lock(rig.buffer);
		pixels[0] = 17;
		pixels[SIZE - 1] = 18;
		assert_int_equal(AHardwareBuffer_unlock(rig.buffer, NULL), 0);
		child = fork();
		if (!child)
			child_receives(&rig);
		assert_int_equal(
			AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, rig.sockets[0]), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_int_equal(lock(rig.buffer)[1], 99);
		assert_int_equal(AHardwareBuffer_unlock(rig.buffer, NULL), 0);
		end(&rig);
	}
}

/* W-11: libkrafla.so.0 is another copy of everything, as libvulkan.so.1 is. */
static void
a_buffer_goes_to_another_copy_of_the_library(void **state)
{
	int (*receive_there)(int, AHardwareBuffer **);
	int (*send_there)(const AHardwareBuffer *, int);
	void (*release_there)(AHardwareBuffer *);
	AHardwareBuffer *there, *back;
	uint64_t id, original;
	struct rig rig;
	void *library;

	/* It has no fakes, so it wouldn't take a fake dma-buf for one. */
	if (!rig_is_real() && rig_impl()->dma_buf)
		return;
	library = dlopen(LIBKRAFLA, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_msg("%s", dlerror());
	receive_there = dlsym(library, "AHardwareBuffer_recvHandleFromUnixSocket");
	send_there = dlsym(library, "AHardwareBuffer_sendHandleToUnixSocket");
	release_there = dlsym(library, "AHardwareBuffer_release");
	assert_true(receive_there && send_there && release_there);
	assert_true(receive_there != AHardwareBuffer_recvHandleFromUnixSocket);
	for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
		begin(&rig, types[i]);
		assert_int_equal(
			AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, rig.sockets[0]), 0);
		assert_int_equal(receive_there(rig.sockets[1], &there), 0);
		assert_int_equal(send_there(there, rig.sockets[1]), 0);
		release_there(there);
		assert_int_equal(
			AHardwareBuffer_recvHandleFromUnixSocket(rig.sockets[0], &back), 0);
		lock(rig.buffer)[100] = 5;
		assert_int_equal(lock(back)[100], 5);
		assert_int_equal(AHardwareBuffer_getId(back, &id), 0);
		assert_int_equal(AHardwareBuffer_getId(rig.buffer, &original), 0);
		assert_true(id == original);
		AHardwareBuffer_release(back);
		end(&rig);
	}
	dlclose(library);
}

static void
messages_keep_apart(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
		AHardwareBuffer *other, *got;
		uint64_t sent[2], id;
		struct rig rig;

		begin(&rig, types[i]);
		assert_int_equal(AHardwareBuffer_allocate(&desc, &other), 0);
		AHardwareBuffer_getId(rig.buffer, &sent[0]);
		AHardwareBuffer_getId(other, &sent[1]);
		for (int k = 0; k < 8; k++)
			assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(
						 k % 2 ? other : rig.buffer, rig.sockets[0]),
				0);
		for (int k = 0; k < 8; k++) {
			assert_int_equal(
				AHardwareBuffer_recvHandleFromUnixSocket(rig.sockets[1], &got), 0);
			AHardwareBuffer_getId(got, &id);
			assert_true(id == sent[k % 2]);
			AHardwareBuffer_release(got);
		}
		AHardwareBuffer_release(other);
		end(&rig);
	}
}

/* A stream may deliver byte by byte. */
static void
pieces_of_a_stream_are_put_together(void **state)
{
	int32_t words[KR_TRANSFER_WORDS];
	struct rig rig;
	int fd;

	begin(&rig, SOCK_STREAM);
	compose(&rig, words, &fd);
	for (size_t i = 0; i < BYTES; i++)
		assert_int_equal(
			kr_packet_send(rig.sockets[0], (char *)words + i, 1, &fd, i == BYTES / 2),
			0);
	assert_int_equal(receive(&rig), 0);
	end(&rig);
}

/* The message with one word changed. */
static int
send_with(const struct rig *rig, int word, int32_t value)
{
	int32_t words[KR_TRANSFER_WORDS];
	int fd;

	compose(rig, words, &fd);
	words[word] = value;
	assert_int_equal(kr_packet_send(rig->sockets[0], words, BYTES, &fd, 1), 0);
	return receive(rig);
}

static AHardwareBuffer *
receive_buffer(const struct rig *rig)
{
	AHardwareBuffer *buffer = NULL;

	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(rig->sockets[1], &buffer), 0);
	return buffer;
}

/* One word more where it isn't UNKNOWN: the message before it is the old one. */
static void
data_spaces_go_along(void **state)
{
	static const ADataSpace spaces[] = {143261696, 0, -1, INT32_MIN, 0, 163971072};

	for (size_t t = 0; t < KR_ARRAY_LEN(types); t++) {
		int32_t words[KR_TRANSFER_WORDS], got[KR_TRANSFER_ROOM];
		size_t size, count;
		struct rig rig;
		int fd, fds[4];

		begin(&rig, types[t]);
		for (size_t i = 0; i < KR_ARRAY_LEN(spaces); i++) {
			assert_int_equal(AHardwareBuffer_setDataSpace(rig.buffer, spaces[i]), 0);
			assert_int_equal(
				AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, rig.sockets[0]),
				0);
		}
		for (size_t i = 0; i < KR_ARRAY_LEN(spaces); i++) {
			AHardwareBuffer *buffer = receive_buffer(&rig);

			assert_int_equal(AHardwareBuffer_getDataSpace(buffer), spaces[i]);
			AHardwareBuffer_release(buffer);
		}
		compose(&rig, words, &fd);
		for (int with = 0; with < 2; with++) {
			(void)AHardwareBuffer_setDataSpace(rig.buffer, with * 4711);
			assert_int_equal(
				AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, rig.sockets[0]),
				0);
			assert_int_equal(kr_packet_receive(rig.sockets[1], got, sizeof(got), &size,
						 fds, 4, &count),
				0);
			assert_int_equal(size, BYTES + 4 * with);
			words[1] = (int32_t)size;
			assert_memory_equal(got, words, BYTES);
			if (with)
				assert_int_equal(got[KR_TRANSFER_WORDS], 4711);
			close(fds[0]);
		}
		end(&rig);
	}
}

/* */
static void
data_spaces_that_lie_are_refused(void **state)
{
	int32_t words[KR_TRANSFER_WORDS + 2] = {0};
	struct rig rig;
	int fd;

	begin(&rig, SOCK_SEQPACKET);
	compose(&rig, words, &fd);
	for (int more = 0; more < 3; more++) {
		for (int said = 0; said < 3; said++) {
			int err = more == said && more < 2 ? 0 : -EPROTO;

			words[1] = (int32_t)(BYTES + 4 * said);
			words[KR_TRANSFER_WORDS] = 4711;
			assert_int_equal(
				kr_packet_send(rig.sockets[0], words, BYTES + 4 * more, &fd, 1), 0);
			assert_int_equal(receive(&rig), err);
		}
	}
	/* UNKNOWN isn't sent. */
	words[1] = BYTES + 4;
	words[KR_TRANSFER_WORDS] = 0;
	assert_int_equal(kr_packet_send(rig.sockets[0], words, BYTES + 4, &fd, 1), 0);
	assert_int_equal(receive(&rig), -EPROTO);
	words[1] = BYTES + 1;
	assert_int_equal(kr_packet_send(rig.sockets[0], words, BYTES + 1, &fd, 1), 0);
	assert_int_equal(receive(&rig), -EPROTO);
	end(&rig);
}

/* */
static void
words_that_lie_are_refused(void **state)
{
	static const struct {
		int word;
		int32_t value;
		int err;
	} lies[] = {
		{0, 0, -EPROTO},
		{0, KR_HANDLE_MAGIC, -EPROTO},
		{1, 0, -EPROTO},
		{1, BYTES + 8, -EPROTO},
		{1, -1, -EPROTO},
		{2 + KR_HANDLE_INT_MAGIC, 0, -EINVAL},
		{2 + KR_HANDLE_INT_VERSION, 7, -EINVAL},
		{2 + KR_HANDLE_INT_BACKEND, 0, -EINVAL},
		{2 + KR_HANDLE_INT_BACKEND, 99, -EINVAL},
		{2 + KR_HANDLE_INT_WIDTH, 65, -EINVAL},
		{2 + KR_HANDLE_INT_HEIGHT, 1 << 20, -EINVAL},
		{2 + KR_HANDLE_INT_STRIDE, 1 << 16, -EINVAL},
		{2 + KR_HANDLE_INT_FORMAT, 0x16, -EINVAL},
		{2 + KR_HANDLE_INT_SIZE, 1 << 20, -EINVAL},
		{2 + KR_HANDLE_INT_SIZE + 1, 1, -EINVAL},
		{2 + KR_HANDLE_INT_MODIFIER, 1, -EINVAL},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
		struct rig rig;

		begin(&rig, types[i]);
		for (size_t k = 0; k < KR_ARRAY_LEN(lies); k++) {
			int before = kr_test_count_fds();

			assert_int_equal(send_with(&rig, lies[k].word, lies[k].value), lies[k].err);
			assert_int_equal(kr_test_count_fds(), before);
		}
		/* After all that a good one is taken. */
		assert_int_equal(send_with(&rig, 0, KR_TRANSFER_MAGIC), 0);
		end(&rig);
	}
}

static int
send_bytes(const struct rig *rig, const void *data, size_t size, const int *fds, size_t count)
{
	int before = kr_test_count_fds();
	int err;

	assert_int_equal(kr_packet_send(rig->sockets[0], data, size, fds, count), 0);
	err = receive(rig);
	assert_int_equal(kr_test_count_fds(), before);
	return err;
}

static void
packets_of_another_shape_are_refused(void **state)
{
	int32_t words[KR_TRANSFER_WORDS + 1];
	struct rig rig;
	int fds[3];

	begin(&rig, SOCK_SEQPACKET);
	compose(&rig, words, &fds[0]);
	fds[2] = fds[1] = fds[0];
	words[KR_TRANSFER_WORDS] = 0;
	assert_int_equal(send_bytes(&rig, words, BYTES - 1, fds, 1), -EPROTO);
	assert_int_equal(send_bytes(&rig, words, 1, fds, 1), -EPROTO);
	assert_int_equal(send_bytes(&rig, words, BYTES + 1, fds, 1), -EPROTO);
	assert_int_equal(send_bytes(&rig, words, BYTES, fds, 0), -EPROTO);
	assert_int_equal(send_bytes(&rig, words, BYTES, fds, 2), -EPROTO);
	assert_int_equal(send_bytes(&rig, words, BYTES, fds, 3), -EPROTO);
	assert_int_equal(send_bytes(&rig, words, BYTES, fds, 1), 0);
	end(&rig);
}

/* A descriptor too many may come with any byte. */
static void
streams_of_another_shape_are_refused(void **state)
{
	int32_t words[KR_TRANSFER_WORDS];
	struct rig rig;
	int fds[2], before;

	begin(&rig, SOCK_STREAM);
	compose(&rig, words, &fds[0]);
	fds[1] = fds[0];
	before = kr_test_count_fds();
	assert_int_equal(kr_packet_send(rig.sockets[0], words, 40, fds, 1), 0);
	assert_int_equal(kr_packet_send(rig.sockets[0], words, BYTES - 40, fds, 1), 0);
	assert_int_equal(receive(&rig), -EPROTO);
	assert_int_equal(kr_test_count_fds(), before);
	end(&rig);
	begin(&rig, SOCK_STREAM);
	compose(&rig, words, &fds[0]);
	fds[1] = fds[0];
	assert_int_equal(send_bytes(&rig, words, BYTES, fds, 2), -EPROTO);
	end(&rig);
	begin(&rig, SOCK_STREAM);
	compose(&rig, words, &fds[0]);
	assert_int_equal(send_bytes(&rig, words, BYTES, fds, 0), -EPROTO);
	end(&rig);
}

static int
send_descriptor(const struct rig *rig, int fd)
{
	int32_t words[KR_TRANSFER_WORDS];
	int own;

	compose(rig, words, &own);
	return send_bytes(rig, words, BYTES, &fd, 1);
}

/* */
static void
descriptors_that_lie_are_refused(void **state)
{
	const bool dma_buf = rig_impl()->dma_buf;
	struct rig rig;
	int fd, fds[2];

	begin(&rig, SOCK_SEQPACKET);
	/* Not sealed: it could be cut off under its reader. */
	fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, SIZE), 0);
	assert_int_equal(send_descriptor(&rig, fd), dma_buf ? -EINVAL : -EPERM);
	close(fd);
	/* Sealed, and of another size than it says. */
	fd = memfd_create("short", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, SIZE - 4096), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	assert_int_equal(send_descriptor(&rig, fd), -EINVAL);
	close(fd);
	fd = rig_read_only_memory(SIZE);
	assert_int_equal(send_descriptor(&rig, fd), -EINVAL);
	close(fd);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(send_descriptor(&rig, fds[0]), -EINVAL);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(send_descriptor(&rig, rig.sockets[0]), -EINVAL);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_int_equal(send_descriptor(&rig, fd), -EINVAL);
	close(fd);
	end(&rig);
}

static void
a_peer_that_is_gone_is_epipe(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
		int32_t words[KR_TRANSFER_WORDS];
		struct rig rig;
		int fd;

		begin(&rig, types[i]);
		compose(&rig, words, &fd);
		if (types[i] == SOCK_STREAM)
			assert_int_equal(kr_packet_send(rig.sockets[0], words, 40, &fd, 1), 0);
		close(rig.sockets[0]);
		assert_int_equal(receive(&rig), -EPIPE);
		/* And no SIGPIPE. */
		assert_int_equal(
			AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, rig.sockets[1]), -EPIPE);
		rig.sockets[0] = dup(rig.sockets[1]);
		end(&rig);
	}
}

static void
sockets_that_dont_block_dont(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
		struct rig rig;
		int err, sent = -1;

		begin(&rig, types[i] | SOCK_NONBLOCK);
		assert_int_equal(receive(&rig), -EAGAIN);
		do
			err = AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, rig.sockets[0]);
		while (++sent < 100000 && !err);
		/* Full; or so many descriptors under way as one user may have. */
		assert_true(err == -EAGAIN || err == -ETOOMANYREFS);
		for (int k = 0; k < sent; k++)
			assert_int_equal(receive(&rig), 0);
		assert_int_equal(receive(&rig), -EAGAIN);
		end(&rig);
	}
}

static void
a_sockets_own_limit_of_time_counts(void **state)
{
	const struct timeval short_time = {.tv_usec = 20000};

	for (size_t i = 0; i < KR_ARRAY_LEN(types); i++) {
		struct rig rig;

		begin(&rig, types[i]);
		assert_int_equal(setsockopt(rig.sockets[1], SOL_SOCKET, SO_RCVTIMEO, &short_time,
					 sizeof(short_time)),
			0);
		assert_int_equal(receive(&rig), -EAGAIN);
		end(&rig);
	}
}

/* Half a message and then nothing: the receiver doesn't wait without end. */
static void
a_message_that_stops_is_given_up(void **state)
{
	int32_t words[KR_TRANSFER_WORDS];
	struct rig rig;
	int64_t start;
	int fd, before;

	begin(&rig, SOCK_STREAM);
	compose(&rig, words, &fd);
	assert_int_equal(kr_packet_send(rig.sockets[0], words, 40, &fd, 1), 0);
	before = kr_test_count_fds();
	start = kr_clock_now();
	assert_int_equal(receive(&rig), -ETIME);
	assert_true(kr_clock_now() - start >= 4 * KR_NSEC_PER_SEC);
	assert_int_equal(kr_test_count_fds(), before);
	end(&rig);
}

/* A reader that doesn't read: the sender doesn't either. */
static void
a_full_socket_is_given_up(void **state)
{
	const int small = 1;
	struct rig rig;
	int err, sent = 0;

	begin(&rig, SOCK_STREAM);
	assert_int_equal(
		setsockopt(rig.sockets[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
	do
		err = AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, rig.sockets[0]);
	while (!err && ++sent < 1000);
	assert_int_equal(err, -ETIME);
	assert_true(sent > 0);
	end(&rig);
}

static void
wrong_arguments_are_einval(void **state)
{
	AHardwareBuffer *got = NULL;
	struct rig rig;
	int fds[2], tcp;

	begin(&rig, SOCK_SEQPACKET);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(NULL, rig.sockets[0]), -EINVAL);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(rig.sockets[0], NULL), -EINVAL);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, -1), -EBADF);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(-1, &got), -EBADF);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, fds[1]), -EINVAL);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(fds[0], &got), -EINVAL);
	close(fds[0]);
	close(fds[1]);
	tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(rig.buffer, tcp), -EINVAL);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(tcp, &got), -EINVAL);
	close(tcp);
	assert_null(got);
	end(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(a_buffer_goes_to_another_process),
	KR_TEST_FLAGS(a_buffer_goes_to_another_copy_of_the_library, KR_TEST_KEEPS_MEMORY),
	KR_TEST(messages_keep_apart),
	KR_TEST(pieces_of_a_stream_are_put_together),
	KR_TEST(data_spaces_go_along),
	KR_TEST(data_spaces_that_lie_are_refused),
	KR_TEST(words_that_lie_are_refused),
	KR_TEST(packets_of_another_shape_are_refused),
	KR_TEST(streams_of_another_shape_are_refused),
	KR_TEST(descriptors_that_lie_are_refused),
	KR_TEST(a_peer_that_is_gone_is_epipe),
	KR_TEST(sockets_that_dont_block_dont),
	KR_TEST(a_sockets_own_limit_of_time_counts),
	KR_TEST(a_message_that_stops_is_given_up),
	KR_TEST(a_full_socket_is_given_up),
	KR_TEST(wrong_arguments_are_einval),
};

KR_TEST_MAIN(tests)
