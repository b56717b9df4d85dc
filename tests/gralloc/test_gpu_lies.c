/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in handles of version 2, and in descriptions of GPUs' memory. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "buffer_rig.h"
#include "gpu_samples.h"
#include "support.h"

/*
 * Whether another value of this integer may be as good: ids and usage; of a GPU's memory what its
 * driver alone can refuse.
 */
static bool
has_other_values(int word)
{
	static const struct {
		int first;
		int last;
	} good[] = {
		{KR_HANDLE_INT_USAGE, KR_HANDLE_INT_USAGE + 1},
		{KR_HANDLE_INT_ID, KR_HANDLE_INT_ID + 1},
		{KR_HANDLE_INTS + 1,
			KR_HANDLE_INTS + 13}, /* UUIDs, size, type, dedicated, format */
		{KR_HANDLE_INTS + 16, KR_HANDLE_INTS + 18}, /* flags, usage, tiling */
		{KR_HANDLE_INTS + 22, KR_HANDLE_INTS + 22}, /* layout */
		{KR_HANDLE_INTS + 24, KR_HANDLE_INTS + 25}, /* formats of views */
		{KR_HANDLE_INTS + 30, KR_HANDLE_INTS + 30}, /* count of planes */
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(good); i++) {
		if (word >= good[i].first && word <= good[i].last)
			return true;
	}
	return false;
}

/* Each bit of each integer of a handle, turned. */
static void
every_integer_is_checked(void **state)
{
	struct kr_buffer *made[2] = {gpu_alone(), both_faces()};

	for (int i = 0; i < 2; i++) {
		struct kr_handle good = copy_handle(made[i]);

		assert_int_equal(try_import(&good), 0);
		for (int word = 0; word < KR_HANDLE_MAX_INTS; word++) {
			for (int bit = 0; bit < 32; bit++) {
				struct kr_handle handle = good;
				int at = 3 + handle.native.numFds + word;

				handle.words[at] = (int)((unsigned)handle.words[at] ^ 1u << bit);
				if (try_import(&handle) != -EINVAL && !has_other_values(word))
					fail_msg("handle %d: bit %d of word %d was believed", i,
						bit, word);
			}
		}
		for (int word = 0; word < 3; word++) {
			struct kr_handle handle = good;

			handle.words[word]++;
			assert_int_equal(try_import(&handle), -EINVAL);
			handle.words[word] -= 2;
			assert_int_equal(try_import(&handle), -EINVAL);
			handle.words[word] = INT32_MAX;
			assert_int_equal(try_import(&handle), -EINVAL);
		}
		kr_buffer_unref(made[i]);
	}
}

/* Layers and depth in memory of CPUs have no second face: whoever has both would take either. */
static void
two_faces_are_of_a_picture(void **state)
{
	static const struct {
		uint32_t layers, format, vk_format;
	} cases[] = {{2, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 37},
		{1, AHARDWAREBUFFER_FORMAT_D16_UNORM, 124}};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		const struct kr_buffer_desc desc = {100, 60, cases[i].layers, cases[i].format, CPU};
		struct kr_gpu_memory memory = opaque;
		struct kr_buffer *buffer, *twin = NULL;
		struct kr_buffer_info both;
		struct kr_handle handle;

		memory.format = cases[i].vk_format;
		memory.array_layers = cases[i].layers;
		memory.view_format_count = 0;
		memset(memory.view_formats, 0, sizeof(memory.view_formats));
		assert_int_equal(kr_buffer_allocate_shared(&desc, &buffer), 0);
		assert_int_equal(kr_buffer_attach_gpu(buffer, &memory, some_memory()), -EINVAL);
		assert_null(kr_buffer_get_info(buffer)->gpu);
		/* As who says so all the same. */
		both = *kr_buffer_get_info(buffer);
		both.gpu = &memory;
		both.gpu_fd = some_memory();
		kr_handle_encode(&handle, &both);
		assert_int_equal(kr_buffer_import_shared(&handle.native, &twin), -EINVAL);
		assert_null(twin);
		close(both.gpu_fd);
		kr_buffer_unref(buffer);
	}
}

static void
memory_that_lies_is_refused(void **state)
{
	enum {
		ZERO_UUID,
		OTHER_KIND,
		NO_SIZE,
		HUGE_SIZE,
		TYPE,
		OTHER_FORMAT,
		NO_FORMAT,
		WIDER,
		LOWER,
		NO_USAGE,
		TILING,
		LEVELS,
		NO_LEVELS,
		LAYERS,
		SAMPLES,
		UNDEFINED,
		MANY_VIEWS,
		OPAQUE_MODIFIER,
		PROTECTED,
		LIES
	};

	for (int lie = 0; lie < LIES; lie++) {
		struct kr_gpu_memory m = opaque;
		struct kr_buffer *buffer = NULL;

		if (lie == ZERO_UUID)
			memset(m.driver_uuid, 0, sizeof(m.driver_uuid));
		m.kind = lie == OTHER_KIND ? (enum kr_gpu_memory_kind)3 : m.kind;
		m.allocation_size = lie == NO_SIZE ? 0 : lie == HUGE_SIZE ? 1ull << 60 : SIZE;
		m.memory_type = lie == TYPE ? 32 : 3;
		m.format = lie == OTHER_FORMAT ? 44 : lie == NO_FORMAT ? 0 : 37;
		m.width = lie == WIDER ? 101 : 100;
		m.height = lie == LOWER ? 59 : 60;
		m.usage = lie == NO_USAGE ? 0 : 0x17;
		m.tiling = lie == TILING ? 1000158000 : 0;
		m.mip_levels = lie == LEVELS ? 2 : lie == NO_LEVELS ? 0 : 1;
		m.array_layers = lie == LAYERS ? 2 : 1;
		m.samples = lie == SAMPLES ? 4 : 1;
		m.layout = lie == UNDEFINED ? 0 : 1;
		m.view_format_count = lie == MANY_VIEWS ? 5 : 2;
		m.modifier = lie == OPAQUE_MODIFIER ? 1 : 0;
		m.flags = lie == PROTECTED ? 0x800 : 8;
		if (kr_buffer_from_gpu(&plain, &m, some_memory(), &buffer) != -EINVAL)
			fail_msg("lie %d was believed", lie);
		assert_null(buffer);
	}
}

static int
from_gpu(const struct kr_buffer_desc *desc, const struct kr_gpu_memory *memory)
{
	struct kr_buffer *buffer;
	int err = kr_buffer_from_gpu(desc, memory, some_memory(), &buffer);

	if (!err)
		kr_buffer_unref(buffer);
	return err;
}

/* What the usage says and what the image is go together. */
static void
usage_and_image_agree(void **state)
{
	struct kr_buffer_desc cube = {
		64, 64, 6, plain.format, plain.usage | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP};
	struct kr_buffer_desc levels = plain, protected = plain, planar = plain, flat = plain;
	struct kr_gpu_memory memory = opaque;

	memory.width = memory.height = 64;
	memory.array_layers = 6;
	assert_int_equal(from_gpu(&cube, &memory), -EINVAL);
	memory.flags = 0x10;
	assert_int_equal(from_gpu(&cube, &memory), 0);
	memory.array_layers = 5;
	assert_int_equal(from_gpu(&cube, &memory), -EINVAL);
	levels.usage |= AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE;
	memory = opaque;
	memory.mip_levels = 7;
	assert_int_equal(from_gpu(&levels, &memory), 0);
	memory.mip_levels = 8; /* of 100 pixels */
	assert_int_equal(from_gpu(&levels, &memory), -EINVAL);
	protected.usage |= AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
	memory = opaque;
	assert_int_equal(from_gpu(&protected, &memory), -EINVAL);
	memory.flags = 0x800;
	assert_int_equal(from_gpu(&protected, &memory), 0);
	planar.format = AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420;
	memory = opaque;
	assert_int_equal(from_gpu(&planar, &memory), -EINVAL);
	memory.format = 1000156002;
	assert_int_equal(from_gpu(&planar, &memory), 0);
	memory.format = 1000156003;
	assert_int_equal(from_gpu(&planar, &memory), 0);
	planar.layers = memory.array_layers = 2;
	assert_int_equal(from_gpu(&planar, &memory), -EINVAL);
	/* Pitches are numbers of 31 bits, however large the memory is said to be. */
	flat.height = 1;
	memory = opaque;
	memory.height = 1;
	memory.tiling = 1;
	memory.allocation_size = UINT64_C(1) << 33;
	memory.plane_count = 1;
	memory.planes[0].row_bytes = 512;
	assert_int_equal(from_gpu(&flat, &memory), 0);
	memory.planes[0].row_bytes += UINT64_C(1) << 32;
	assert_int_equal(from_gpu(&flat, &memory), -EINVAL);
}

static int
from_dma_buf(const struct kr_gpu_memory *memory)
{
	struct kr_buffer *buffer;
	int fd = fake_dma_buf(), err;

	assert_int_equal(ftruncate(fd, SIZE), 0);
	err = kr_buffer_from_gpu(&plain, memory, fd, &buffer);
	if (!err)
		kr_buffer_unref(buffer);
	return err;
}

static void
planes_of_dma_bufs_lie_inside(void **state)
{
	static const struct kr_gpu_plane bad[] = {{256, 399}, {SIZE, 512},
		{SIZE - 59 * 512 - 399, 512}, {0, SIZE}, {0, UINT64_MAX}, {UINT64_MAX, 512},
		{UINT64_MAX - 511, 512}, {0, UINT64_C(1) << 31}};
	struct kr_gpu_memory memory = linear();

	rig_begin();
	assert_int_equal(from_dma_buf(&memory), 0);
	memory.planes[0] = (struct kr_gpu_plane){SIZE - 59 * 512 - 400, 512};
	assert_int_equal(from_dma_buf(&memory), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		memory.planes[0] = bad[i];
		if (from_dma_buf(&memory) != -EINVAL)
			fail_msg("plane %zu was believed", i);
	}
	memory = linear();
	memory.plane_count = 2;
	memory.planes[1] = (struct kr_gpu_plane){40000, 64};
	assert_int_equal(from_dma_buf(&memory), -EINVAL);
	/* Other orders of rows are the driver's affair; planes have bounds all the same. */
	memory.modifier = 0x0100000000000001;
	assert_int_equal(from_dma_buf(&memory), 0);
	memory.planes[1].offset = SIZE;
	assert_int_equal(from_dma_buf(&memory), -EINVAL);
	memory.plane_count = 0;
	assert_int_equal(from_dma_buf(&memory), -EINVAL);
	memory = linear();
	memory.allocation_size = SIZE + 1;
	assert_int_equal(from_dma_buf(&memory), -EINVAL);
	rig_end();
}

static void
descriptors_of_other_kinds_are_refused(void **state)
{
	struct kr_buffer *buffer = both_faces();
	struct kr_handle good = copy_handle(buffer), handle = good;
	int ends[2], sockets[2], memory = some_memory();

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
	for (int at = 3; at < 5; at++) {
		const int bad[] = {ends[0], sockets[0], -1, 900, at == 3 ? memory : ends[1]};

		for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
			handle = good;
			handle.words[at] = bad[i];
			assert_true(try_import(&handle) < 0);
		}
	}
	/* Swapped: what isn't sealed is no memory for CPUs. */
	handle = good;
	handle.words[3] = good.words[4];
	handle.words[4] = good.words[3];
	assert_true(try_import(&handle) < 0);
	close(ends[0]);
	close(ends[1]);
	close(sockets[0]);
	close(sockets[1]);
	close(memory);
	kr_buffer_unref(buffer);
}

static void
a_dma_buf_is_one(void **state)
{
	struct kr_gpu_memory memory = linear();
	struct kr_buffer *buffer;

	assert_int_equal(kr_buffer_from_gpu(&plain, &memory, some_memory(), &buffer), -EINVAL);
}

static const struct kr_test tests[] = {
	KR_TEST(every_integer_is_checked),
	KR_TEST(two_faces_are_of_a_picture),
	KR_TEST(memory_that_lies_is_refused),
	KR_TEST(usage_and_image_agree),
	KR_TEST(planes_of_dma_bufs_lie_inside),
	KR_TEST(descriptors_of_other_kinds_are_refused),
	KR_TEST(a_dma_buf_is_one),
};

KR_TEST_MAIN(tests)
