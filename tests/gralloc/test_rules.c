/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffer by the rules of the NDK, a row for each: which descriptions are malformed
 * (-EINVAL), which can't be had without a GPU (-ENOSYS), and what each format answers. W-11.
 */
#include "harness.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"

#define USAGE(bit) AHARDWAREBUFFER_USAGE_##bit
#define READ       USAGE(CPU_READ_OFTEN)
#define WRITE      USAGE(CPU_WRITE_OFTEN)
#define CPU        (READ | WRITE)
#define SAMPLED    USAGE(GPU_SAMPLED_IMAGE)
#define DRAWN      USAGE(GPU_FRAMEBUFFER)
#define CUBE       USAGE(GPU_CUBE_MAP)
#define MIPMAPS    USAGE(GPU_MIPMAP_COMPLETE)
#define PROTECTED  USAGE(PROTECTED_CONTENT)
#define SENSOR     USAGE(SENSOR_DIRECT_DATA)
#define ENCODED    USAGE(VIDEO_ENCODE)
#define DATA       USAGE(GPU_DATA_BUFFER)
#define OVERLAY    USAGE(COMPOSER_OVERLAY)

#define RGBA AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define BLOB AHARDWAREBUFFER_FORMAT_BLOB
#define NV12 AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420
#define P010 AHARDWAREBUFFER_FORMAT_YCbCr_P010
#define D16  AHARDWAREBUFFER_FORMAT_D16_UNORM

static const struct rule {
	const char *what;
	AHardwareBuffer_Desc desc;
	int err;
} rules[] = {
	{"nothing is wrong", {8, 8, 1, RGBA, CPU, 0, 0, 0}, 0},
	{"a stride is ignored", {8, 8, 1, RGBA, CPU, UINT32_MAX, 0, 0}, 0},
	{"no usage", {8, 8, 1, RGBA, 0, 0, 0, 0}, 0},
	{"no width", {0, 8, 1, RGBA, CPU, 0, 0, 0}, -EINVAL},
	{"no height", {8, 0, 1, RGBA, CPU, 0, 0, 0}, -EINVAL},
	{"no layer", {8, 8, 0, RGBA, CPU, 0, 0, 0}, -EINVAL},
	{"rfu0", {8, 8, 1, RGBA, CPU, 0, 1, 0}, -EINVAL},
	{"rfu1", {8, 8, 1, RGBA, CPU, 0, 0, UINT64_C(1) << 63}, -EINVAL},
	{"a format that is none", {8, 8, 1, 0, CPU, 0, 0, 0}, -ENOSYS},
	{"a format that allocators choose", {8, 8, 1, 0x22, CPU, 0, 0, 0}, -ENOSYS},
	{"too wide", {32769, 8, 1, RGBA, CPU, 0, 0, 0}, -ENOSYS},
	{"too high", {8, 32769, 1, RGBA, CPU, 0, 0, 0}, -ENOSYS},
	{"too much in all", {32768, 32768, 5, RGBA, CPU, 0, 0, 0}, -ENOSYS},

	{"BLOB", {8, 1, 1, BLOB, CPU, 0, 0, 0}, 0},
	{"BLOB: of GPUs' data", {8, 1, 1, BLOB, CPU | DATA, 0, 0, 0}, 0},
	{"BLOB: rows", {8, 2, 1, BLOB, CPU, 0, 0, 0}, -EINVAL},
	{"BLOB: layers", {8, 1, 2, BLOB, CPU, 0, 0, 0}, -EINVAL},
	{"BLOB: sampled", {8, 1, 1, BLOB, CPU | SAMPLED, 0, 0, 0}, -EINVAL},
	{"BLOB: drawn to", {8, 1, 1, BLOB, CPU | DRAWN, 0, 0, 0}, -EINVAL},
	{"BLOB: levels", {8, 1, 1, BLOB, CPU | MIPMAPS, 0, 0, 0}, -EINVAL},
	{"BLOB: cube map", {1, 1, 1, BLOB, CPU | CUBE, 0, 0, 0}, -EINVAL},
	{"BLOB: encoded", {8, 1, 1, BLOB, CPU | ENCODED, 0, 0, 0}, -EINVAL},
	{"BLOB: of sensors, of which there are none", {8, 1, 1, BLOB, CPU | SENSOR, 0, 0, 0},
		-ENOSYS},
	{"BLOB: too many bytes", {UINT32_MAX, 1, 1, BLOB, CPU, 0, 0, 0}, -ENOSYS},

	{"YUV", {8, 8, 1, NV12, CPU | SAMPLED, 0, 0, 0}, 0},
	{"YUV: odd sizes", {7, 5, 1, P010, CPU, 0, 0, 0}, 0},
	{"YUV: layers", {8, 8, 2, NV12, CPU, 0, 0, 0}, -EINVAL},
	{"YUV: levels", {8, 8, 1, NV12, CPU | MIPMAPS, 0, 0, 0}, -EINVAL},
	{"YUV: cube map", {8, 8, 1, NV12, CPU | CUBE, 0, 0, 0}, -EINVAL},
	{"P010: layers", {8, 8, 6, P010, CPU, 0, 0, 0}, -EINVAL},
	{"P010: levels", {8, 8, 1, P010, CPU | MIPMAPS, 0, 0, 0}, -EINVAL},
	{"P010: cube map", {8, 8, 6, P010, CPU | CUBE, 0, 0, 0}, -EINVAL},

	{"protected: nobody protects", {8, 8, 1, RGBA, PROTECTED | SAMPLED, 0, 0, 0}, -ENOSYS},
	{"protected: read by CPUs", {8, 8, 1, RGBA, PROTECTED | READ, 0, 0, 0}, -EINVAL},
	{"protected: written by CPUs", {8, 8, 1, RGBA, PROTECTED | WRITE, 0, 0, 0}, -EINVAL},
	{"protected: BLOB for CPUs", {8, 1, 1, BLOB, PROTECTED | READ, 0, 0, 0}, -EINVAL},

	{"cube map", {8, 8, 6, RGBA, CPU | CUBE | SAMPLED, 0, 0, 0}, 0},
	{"cube map: two", {8, 8, 12, RGBA, CPU | CUBE, 0, 0, 0}, 0},
	{"cube map: of depth", {8, 8, 6, D16, CPU | CUBE, 0, 0, 0}, 0},
	{"cube map: not for CPUs", {8, 8, 6, RGBA, CUBE | SAMPLED, 0, 0, 0}, -ENOSYS},
	{"cube map: not square", {8, 9, 6, RGBA, CPU | CUBE, 0, 0, 0}, -EINVAL},
	{"cube map: one layer", {8, 8, 1, RGBA, CPU | CUBE, 0, 0, 0}, -EINVAL},
	{"cube map: five", {8, 8, 5, RGBA, CPU | CUBE, 0, 0, 0}, -EINVAL},
	{"cube map: seven", {8, 8, 7, RGBA, CUBE, 0, 0, 0}, -EINVAL},
	{"cube map: levels", {8, 8, 6, RGBA, CPU | CUBE | MIPMAPS, 0, 0, 0}, -ENOSYS},

	{"layers", {8, 9, 5, RGBA, CPU, 0, 0, 0}, 0},
	{"layers: not for CPUs", {8, 9, 5, RGBA, SAMPLED, 0, 0, 0}, -ENOSYS},
	{"layers: composed", {8, 9, 5, RGBA, CPU | OVERLAY, 0, 0, 0}, -ENOSYS},
	{"layers: too many", {8, 9, 2049, RGBA, CPU, 0, 0, 0}, -ENOSYS},
	{"depth: not for CPUs", {8, 8, 1, D16, DRAWN, 0, 0, 0}, -ENOSYS},
	{"depth: composed", {8, 8, 1, D16, CPU | OVERLAY, 0, 0, 0}, -ENOSYS},
	{"levels", {8, 8, 1, RGBA, CPU | MIPMAPS, 0, 0, 0}, -ENOSYS},

	{"sensors: pixels", {8, 8, 1, RGBA, CPU | SENSOR, 0, 0, 0}, -EINVAL},
	{"sensors: YUV", {8, 8, 1, NV12, SENSOR, 0, 0, 0}, -EINVAL},
	{"sensors: depth", {8, 8, 1, D16, CPU | SENSOR, 0, 0, 0}, -EINVAL},

	{"encoded", {8, 8, 1, NV12, CPU | ENCODED, 0, 0, 0}, -ENOSYS},
	{"pixels as data", {8, 8, 1, RGBA, CPU | DATA, 0, 0, 0}, -ENOSYS},
	{"composed", {8, 8, 1, RGBA, CPU | OVERLAY, 0, 0, 0}, 0},
	{"composed: not shown", {8, 8, 1, NV12, CPU | OVERLAY, 0, 0, 0}, -ENOSYS},
	{"of cameras", {8, 8, 1, NV12, CPU | USAGE(CAMERA_WRITE) | USAGE(CAMERA_READ), 0, 0, 0}, 0},
	{"front buffer", {8, 8, 1, RGBA, CPU | USAGE(FRONT_BUFFER), 0, 0, 0}, 0},
	{"vendors' own", {8, 8, 1, RGBA, CPU | USAGE(VENDOR_0) | USAGE(VENDOR_19), 0, 0, 0}, 0},
};

/* Both answers to a description, which have to be one; what is had is given back. */
static int
ask(const AHardwareBuffer_Desc *desc)
{
	AHardwareBuffer *buffer = NULL, *other = NULL;
	int err = AHardwareBuffer_allocate(desc, &buffer);

	assert_int_equal(AHardwareBuffer_isSupported(desc), err == 0);
	assert_int_equal(AHardwareBuffer_allocateWithOptions(desc, NULL, 0, &other), err);
	if (err) {
		assert_null(buffer);
		assert_null(other);
		return err;
	}
	AHardwareBuffer_release(other);
	AHardwareBuffer_release(buffer);
	return 0;
}

/* B-13 */
static void
each_rule_has_its_error(void **state)
{
	AHardwareBuffer *buffer = NULL;

	for (size_t i = 0; i < KR_ARRAY_LEN(rules); i++) {
		int err = ask(&rules[i].desc);

		if (err != rules[i].err)
			fail_msg("%s: %d", rules[i].what, err);
	}
	assert_int_equal(AHardwareBuffer_allocate(NULL, &buffer), -EINVAL);
	assert_int_equal(AHardwareBuffer_allocate(&rules[0].desc, NULL), -EINVAL);
	assert_int_equal(AHardwareBuffer_isSupported(NULL), 0);
	assert_null(buffer);
}

/* B-12: never, rarely and often; others are no values. */
static void
cpu_usage_is_one_of_three(void **state)
{
	for (uint64_t read = 0; read < 16; read++) {
		for (uint64_t write = 0; write < 16; write++) {
			bool good = (!read || read == 2 || read == 3) &&
				(!write || write == 2 || write == 3);
			const AHardwareBuffer_Desc desc = {
				1, 1, 1, RGBA, read | write << 4, 0, 0, 0};

			assert_int_equal(ask(&desc), good ? 0 : -EINVAL);
		}
	}
}

/* All that the NDK lists, at 66 x 38 (a BLOB: of 66 bytes). */
static const struct format {
	uint32_t format;
	uint32_t bytes;  /* of a pixel in its first plane */
	uint32_t stride; /* in pixels */
	uint32_t chroma; /* bytes from one Cb to the next; 0: one plane */
	uint64_t size;
	bool for_gpus; /* without CPU bits a GPU's */
} formats[] = {
	{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 4, 80, 0, 16384, false},
	{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 4, 80, 0, 16384, false},
	{AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 3, 128, 0, 16384, false},
	{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 2, 96, 0, 8192, false},
	{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, 4, 80, 0, 16384, false},
	{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 8, 72, 0, 24576, false},
	{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 4, 80, 0, 16384, false},
	{AHARDWAREBUFFER_FORMAT_BLOB, 1, 66, 0, 4096, false},
	{AHARDWAREBUFFER_FORMAT_D16_UNORM, 2, 96, 0, 8192, true},
	{AHARDWAREBUFFER_FORMAT_D24_UNORM, 4, 80, 0, 16384, true},
	{AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT, 4, 80, 0, 16384, true},
	{AHARDWAREBUFFER_FORMAT_D32_FLOAT, 4, 80, 0, 16384, true},
	{AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, 8, 72, 0, 24576, true},
	{AHARDWAREBUFFER_FORMAT_S8_UINT, 1, 128, 0, 8192, true},
	{AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 1, 128, 2, 8192, false},
	{AHARDWAREBUFFER_FORMAT_YCbCr_P010, 2, 96, 4, 12288, false},
	{AHARDWAREBUFFER_FORMAT_R8_UNORM, 1, 128, 0, 8192, false},
	{AHARDWAREBUFFER_FORMAT_R16_UINT, 2, 96, 0, 8192, false},
	{AHARDWAREBUFFER_FORMAT_R16G16_UINT, 4, 80, 0, 16384, false},
	{AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM, 8, 72, 0, 24576, false},
};

static AHardwareBuffer_Desc
describe(const struct format *format, uint32_t layers, uint64_t usage)
{
	return (AHardwareBuffer_Desc){
		.width = 66,
		.height = format->format == BLOB ? 1 : 38,
		.layers = layers,
		.format = format->format,
		.usage = usage,
	};
}

static AHardwareBuffer *
allocate(const struct format *format, uint32_t layers)
{
	const AHardwareBuffer_Desc desc = describe(format, layers, CPU);
	AHardwareBuffer *buffer = NULL;

	if (AHardwareBuffer_allocate(&desc, &buffer))
		fail_msg("format %u", format->format);
	return buffer;
}

/* B-11, B-12 */
static void
each_format_is_described(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		const struct format *format = &formats[i];
		const AHardwareBuffer_Desc desc = describe(format, 1, 0);
		AHardwareBuffer *buffer = allocate(format, 1);
		AHardwareBuffer_Desc told;

		assert_int_equal(ask(&desc), format->for_gpus ? -ENOSYS : 0);
		memset(&told, 0xff, sizeof(told));
		AHardwareBuffer_describe(buffer, &told);
		assert_int_equal(told.width, 66);
		assert_int_equal(told.height, desc.height);
		assert_int_equal(told.layers, 1);
		assert_int_equal(told.format, format->format);
		assert_true(told.usage == CPU);
		assert_int_equal(told.stride, format->stride);
		assert_true(told.rfu0 == 0 && told.rfu1 == 0);
		assert_true(kr_buffer_get_info((struct kr_buffer *)buffer)->size == format->size);
		AHardwareBuffer_release(buffer);
	}
}

/* B-11 */
static void
each_format_is_locked(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		const struct format *format = &formats[i];
		const uint32_t row = format->stride * format->bytes;
		AHardwareBuffer *buffer = allocate(format, 1);
		AHardwareBuffer_Planes planes = {0};
		int32_t pixel = 0, stride = 0;
		void *data, *again;

		assert_int_equal(AHardwareBuffer_lock(buffer, CPU, -1, NULL, &data), 0);
		assert_int_equal(AHardwareBuffer_lockAndGetInfo(
					 buffer, CPU, -1, NULL, &again, &pixel, &stride),
			0);
		assert_ptr_equal(data, again);
		assert_int_equal(pixel, format->chroma ? -1 : (int32_t)format->bytes);
		assert_int_equal(stride, format->chroma ? -1 : (int32_t)row);
		assert_int_equal(AHardwareBuffer_lockPlanes(buffer, CPU, -1, NULL, &planes), 0);
		assert_int_equal(planes.planeCount, format->chroma ? 3 : 1);
		assert_ptr_equal(planes.planes[0].data, data);
		for (uint32_t k = 0; k < planes.planeCount; k++) {
			assert_int_equal(planes.planes[k].rowStride, row);
			assert_int_equal(
				planes.planes[k].pixelStride, k ? format->chroma : format->bytes);
		}
		if (format->chroma) {
			assert_ptr_equal(planes.planes[1].data, (char *)data + row * 40);
			assert_ptr_equal(planes.planes[2].data,
				(char *)planes.planes[1].data + format->chroma / 2);
		}
		memset(data, 0x5a, format->size);
		for (int k = 0; k < 3; k++)
			assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
		AHardwareBuffer_release(buffer);
	}
}

/* With layers, where it can have some. */
static void
each_format_goes_over_a_socket(void **state)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		const bool alone = formats[i].chroma || formats[i].format == BLOB;

		for (uint32_t layers = 1; layers <= (alone ? 1 : 3); layers++) {
			AHardwareBuffer *buffer = allocate(&formats[i], layers), *came = NULL;
			AHardwareBuffer_Desc sent, told;
			uint64_t bytes, same, id, its;
			void *data, *seen;

			assert_int_equal(krafla_hardware_buffer_lock_layers(
						 buffer, CPU, -1, NULL, &data, &bytes),
				0);
			assert_int_equal(
				AHardwareBuffer_sendHandleToUnixSocket(buffer, ends[0]), 0);
			assert_int_equal(
				AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &came), 0);
			AHardwareBuffer_describe(buffer, &sent);
			AHardwareBuffer_describe(came, &told);
			assert_memory_equal(&sent, &told, sizeof(sent));
			assert_int_equal(AHardwareBuffer_getId(buffer, &id), 0);
			assert_int_equal(AHardwareBuffer_getId(came, &its), 0);
			assert_true(id == its);
			assert_int_equal(krafla_hardware_buffer_lock_layers(
						 came, CPU, -1, NULL, &seen, &same),
				0);
			assert_true(bytes == same);
			memset((char *)data + (layers - 1) * bytes, (int)i + 1, bytes);
			assert_memory_equal(data, seen, layers * bytes);
			assert_int_equal(AHardwareBuffer_unlock(came, NULL), 0);
			assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
			AHardwareBuffer_release(came);
			AHardwareBuffer_release(buffer);
		}
	}
	close(ends[0]);
	close(ends[1]);
}

enum { MANY = 256 };

static void
ids_are_unique(void **state)
{
	AHardwareBuffer *buffers[MANY];
	uint64_t ids[MANY] = {0};

	for (int i = 0; i < MANY; i++) {
		buffers[i] = allocate(&formats[i % KR_ARRAY_LEN(formats)], 1);
		assert_int_equal(AHardwareBuffer_getId(buffers[i], &ids[i]), 0);
		assert_true(ids[i] != 0);
		for (int k = 0; k < i; k++)
			assert_true(ids[i] != ids[k]);
		/* Nor are they used again. */
		if (i % 2)
			AHardwareBuffer_release(buffers[i]);
	}
	assert_int_equal(AHardwareBuffer_getId(buffers[0], NULL), -EINVAL);
	assert_int_equal(AHardwareBuffer_getId(NULL, &ids[0]), -EINVAL);
	for (int i = 0; i < MANY; i += 2)
		AHardwareBuffer_release(buffers[i]);
}

static void
the_last_release_ends_it(void **state)
{
	AHardwareBuffer *buffer = allocate(&formats[0], 1);
	int before = kr_test_count_fds();
	void *data;

	for (int i = 0; i < 3; i++)
		AHardwareBuffer_acquire(buffer);
	for (int i = 0; i < 3; i++)
		AHardwareBuffer_release(buffer);
	assert_int_equal(kr_test_count_fds(), before);
	assert_int_equal(AHardwareBuffer_lock(buffer, CPU, -1, NULL, &data), 0);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	AHardwareBuffer_release(buffer);
	assert_int_equal(kr_test_count_fds(), before - 1);
	AHardwareBuffer_acquire(NULL);
	AHardwareBuffer_release(NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(each_rule_has_its_error),
	KR_TEST(cpu_usage_is_one_of_three),
	KR_TEST(each_format_is_described),
	KR_TEST(each_format_is_locked),
	KR_TEST(each_format_goes_over_a_socket),
	KR_TEST(ids_are_unique),
	KR_TEST(the_last_release_ends_it),
};

KR_TEST_MAIN(tests)
