/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers in parcels, which are sockets (krafla/parcel.h). W-11. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <krafla/parcel.h>

#include "failing_alloc.h"
#include "util/macros.h"

#define CPU (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

static const int types[] = {SOCK_SEQPACKET, SOCK_STREAM};

/* Each of another kind. */
static const AHardwareBuffer_Desc descs[] = {
	{64, 32, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, CPU, 64, 0, 0},
	{64, 32, 3, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, CPU, 64, 0, 0},
	{64, 64, 6, AHARDWAREBUFFER_FORMAT_R8_UNORM, CPU | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP, 64,
		0, 0},
	{64, 32, 1, AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, CPU, 64, 0, 0},
	{64, 32, 1, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, CPU, 64, 0, 0},
	{640, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU, 640, 0, 0},
};

struct ends {
	int sockets[2];
	AParcel *parcels[2];
};

static struct ends
begin(int type)
{
	struct ends ends;

	assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.sockets), 0);
	for (int i = 0; i < 2; i++) {
		ends.parcels[i] = krafla_parcel_from_socket(ends.sockets[i]);
		assert_non_null(ends.parcels[i]);
	}
	return ends;
}

static void
end(struct ends *ends)
{
	for (int i = 0; i < 2; i++) {
		krafla_parcel_free(ends->parcels[i]);
		/* It was borrowed. */
		assert_int_equal(close(ends->sockets[i]), 0);
	}
}

static unsigned char *
lock(AHardwareBuffer *buffer)
{
	uint64_t layer_bytes;
	void *data = NULL;

	(void)krafla_hardware_buffer_lock_layers(buffer, CPU, -1, NULL, &data, &layer_bytes);
	return data;
}

/* Whether the next one is this, with that in its first byte, which is written anew. */
static bool
is_next(const AParcel *parcel, const AHardwareBuffer_Desc *desc, unsigned char mark)
{
	AHardwareBuffer *buffer;
	AHardwareBuffer_Desc told;
	unsigned char *data;
	bool good;

	if (AHardwareBuffer_readFromParcel(parcel, &buffer))
		return false;
	AHardwareBuffer_describe(buffer, &told);
	data = lock(buffer);
	good = data && data[0] == mark && !memcmp(&told, desc, sizeof(told)) &&
		AHardwareBuffer_getDataSpace(buffer) == mark;
	if (data)
		data[0] = (unsigned char)~mark;
	good = !AHardwareBuffer_unlock(buffer, NULL) && good;
	AHardwareBuffer_release(buffer);
	return good;
}

/* Written by one process, read by another in that order. */
static void
buffers_are_read_in_order(void **state)
{
	for (size_t t = 0; t < KR_ARRAY_LEN(types); t++) {
		AHardwareBuffer *buffers[KR_ARRAY_LEN(descs)];
		struct ends ends = begin(types[t]);
		int status;
		pid_t child;

		for (size_t i = 0; i < KR_ARRAY_LEN(descs); i++) {
			assert_int_equal(AHardwareBuffer_allocate(&descs[i], &buffers[i]), 0);
			lock(buffers[i])[0] = (unsigned char)i;
			assert_int_equal(AHardwareBuffer_unlock(buffers[i], NULL), 0);
			(void)AHardwareBuffer_setDataSpace(buffers[i], (ADataSpace)i);
		}
		child = fork();
		if (!child) {
			for (size_t i = 0; i < KR_ARRAY_LEN(descs); i++) {
				if (!is_next(ends.parcels[1], &descs[i], (unsigned char)i))
					_exit((int)i + 1);
			}
			_exit(0);
		}
		for (size_t i = 0; i < KR_ARRAY_LEN(descs); i++)
			assert_int_equal(
				AHardwareBuffer_writeToParcel(buffers[i], ends.parcels[0]), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		for (size_t i = 0; i < KR_ARRAY_LEN(descs); i++) {
			assert_int_equal(lock(buffers[i])[0], (unsigned char)~i);
			assert_int_equal(AHardwareBuffer_unlock(buffers[i], NULL), 0);
			AHardwareBuffer_release(buffers[i]);
		}
		end(&ends);
	}
}

/* One way in, another one out: it is the same message. */
static void
parcels_and_sockets_are_one(void **state)
{
	struct ends ends = begin(SOCK_STREAM);
	AHardwareBuffer *buffer, *came;

	assert_int_equal(AHardwareBuffer_allocate(&descs[0], &buffer), 0);
	assert_int_equal(AHardwareBuffer_writeToParcel(buffer, ends.parcels[0]), 0);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(buffer, ends.sockets[0]), 0);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(ends.sockets[1], &came), 0);
	AHardwareBuffer_release(came);
	assert_int_equal(AHardwareBuffer_readFromParcel(ends.parcels[1], &came), 0);
	AHardwareBuffer_release(came);
	AHardwareBuffer_release(buffer);
	end(&ends);
}

static void
errors_are_told(void **state)
{
	struct ends ends = begin(SOCK_SEQPACKET);
	AHardwareBuffer *buffer, *none = NULL;
	int zero = 0;

	assert_int_equal(AHardwareBuffer_allocate(&descs[0], &buffer), 0);
	assert_int_equal(AHardwareBuffer_writeToParcel(NULL, ends.parcels[0]), -EINVAL);
	assert_int_equal(AHardwareBuffer_writeToParcel(buffer, NULL), -EINVAL);
	assert_int_equal(
		AHardwareBuffer_writeToParcel((AHardwareBuffer *)(void *)&zero, ends.parcels[0]),
		-EINVAL);
	assert_int_equal(AHardwareBuffer_readFromParcel(NULL, &none), -EINVAL);
	assert_int_equal(AHardwareBuffer_readFromParcel(ends.parcels[1], NULL), -EINVAL);
	/* Nothing of that is in the way. */
	assert_int_equal(fcntl(ends.sockets[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(AHardwareBuffer_readFromParcel(ends.parcels[1], &none), -EAGAIN);
	assert_int_equal(send(ends.sockets[0], "parcel", 6, 0), 6);
	assert_int_equal(AHardwareBuffer_readFromParcel(ends.parcels[1], &none), -EPROTO);
	assert_int_equal(shutdown(ends.sockets[0], SHUT_RDWR), 0);
	assert_int_equal(AHardwareBuffer_readFromParcel(ends.parcels[1], &none), -EPIPE);
	assert_int_equal(AHardwareBuffer_writeToParcel(buffer, ends.parcels[1]), -EPIPE);
	assert_null(none);
	AHardwareBuffer_release(buffer);
	end(&ends);
	krafla_parcel_free(NULL);
}

static void
only_sockets_are_parcels(void **state)
{
	int pipes[2], ends[2], internet = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	errno = 0;
	assert_null(krafla_parcel_from_socket(pipes[0]));
	assert_int_equal(errno, EINVAL);
	assert_null(krafla_parcel_from_socket(-1));
	assert_int_equal(errno, EBADF);
	if (internet >= 0) {
		assert_null(krafla_parcel_from_socket(internet));
		assert_int_equal(errno, EINVAL);
		close(internet);
	}
	failing_alloc_left = 0;
	errno = 0;
	assert_null(krafla_parcel_from_socket(ends[0]));
	assert_int_equal(errno, ENOMEM);
	for (int i = 0; i < 2; i++) {
		close(pipes[i]);
		close(ends[i]);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(buffers_are_read_in_order),
	KR_TEST(parcels_and_sockets_are_one),
	KR_TEST(errors_are_told),
	KR_TEST(only_sockets_are_parcels),
};

KR_TEST_MAIN(tests)
