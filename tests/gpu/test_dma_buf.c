/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dma-bufs that somebody else made, as images of a driver that imports them: lavapipe of Debian's
 * backports does, LINEAR. Run in the lab, on its devices; elsewhere with fakes, where such a
 * lavapipe is installed.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "buffer_rig.h"
#include "gralloc/buffer.h"

#define DRIVER (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)
#define WIDTH  200
#define HEIGHT 120

static const char *const makers[] = {"udmabuf", "dma-heap"};

struct taken {
	struct rig rig;
	struct kr_buffer *buffer;
	const struct kr_buffer_info *info;
	struct kr_gpu_memory memory; /* of the buffer */
};

static void
begin(struct taken *taken, const char *maker)
{
	const struct kr_buffer_desc desc = {WIDTH, HEIGHT, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};

	rig_open(&taken->rig);
	if (!taken->rig.gpu.dma_buf)
		kr_test_skip("no-dma-buf-driver", NULL);
	rig_begin_with(maker);
	assert_int_equal(kr_buffer_allocate(&desc, &taken->buffer), 0);
	taken->info = kr_buffer_get_info(taken->buffer);
	taken->memory = rig_wanted(WIDTH, HEIGHT);
	taken->memory.kind = KR_GPU_DMA_BUF;
	taken->memory.layout = VK_IMAGE_LAYOUT_GENERAL;
	taken->memory.allocation_size = taken->info->size;
	taken->memory.plane_count = 1;
	taken->memory.planes[0].row_bytes = taken->info->row_bytes;
}

static void
end(struct taken *taken)
{
	kr_buffer_unref(taken->buffer);
	rig_end();
	rig_close(&taken->rig);
}

/* By a mapping of the CPU. */
static bool
buffer_shows(struct taken *taken, uint64_t offset, uint32_t seed)
{
	bool same = true;
	void *data;

	assert_int_equal(kr_buffer_map(taken->buffer, &data), 0);
	for (uint32_t y = 0; y < taken->memory.height; y++) {
		const uint32_t *row = (const void *)((const char *)data + offset +
			(size_t)y * taken->memory.planes[0].row_bytes);

		for (uint32_t x = 0; x < taken->memory.width; x++)
			same = same && row[x] == rig_pixel(seed, x, y);
	}
	return same;
}

static void
refused(struct taken *taken, int fd, int err)
{
	const char *reason = NULL;
	struct kr_gpu_image image;

	assert_int_equal(kr_gpu_memory_check(&taken->rig.gpu, &taken->memory, fd, &reason), err);
	assert_non_null(reason);
	assert_int_equal(kr_gpu_image_import(&taken->rig.gpu, &taken->memory, fd, &image, NULL),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
}

/* W-11: what the driver draws stands in the dma-buf, and the other way round, without a copy. */
static void
dma_buf_is_an_image(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(makers); i++) {
		struct kr_gpu_image image, again;
		struct taken taken;
		const char *reason;

		begin(&taken, makers[i]);
		assert_int_equal(kr_gpu_image_import(&taken.rig.gpu, &taken.memory, taken.info->fd,
					 &image, &reason),
			VK_SUCCESS);
		assert_int_equal(kr_gpu_image_import(&taken.rig.gpu, &taken.memory, taken.info->fd,
					 &again, NULL),
			VK_SUCCESS);
		rig_fill(&taken.rig, &image, 5);
		assert_true(buffer_shows(&taken, 0, 5));
		assert_true(rig_shows(&taken.rig, &again, 5));
		kr_gpu_image_destroy(&taken.rig.gpu, &again);
		kr_gpu_image_destroy(&taken.rig.gpu, &image);
		assert_true(buffer_shows(&taken, 0, 5));
		end(&taken);
	}
}

/* An image that begins behind the beginning, as planes of one dma-buf do. */
static void
image_begins_anywhere_in_its_dma_buf(void **state)
{
	struct kr_gpu_image image;
	struct taken taken;
	uint64_t offset;

	begin(&taken, "udmabuf");
	offset = (uint64_t)taken.info->row_bytes * 64;
	taken.memory.height = 40;
	taken.memory.planes[0].offset = offset;
	assert_int_equal(
		kr_gpu_image_import(&taken.rig.gpu, &taken.memory, taken.info->fd, &image, NULL),
		VK_SUCCESS);
	rig_fill(&taken.rig, &image, 9);
	assert_true(buffer_shows(&taken, offset, 9));
	assert_false(buffer_shows(&taken, 0, 9));
	kr_gpu_image_destroy(&taken.rig.gpu, &image);
	taken.memory.planes[0].offset = offset + 4; /* lavapipe would end the process */
	refused(&taken, taken.info->fd, -EINVAL);
	taken.memory.planes[0].offset = taken.info->size - 4096; /* beyond the end */
	refused(&taken, taken.info->fd, -EINVAL);
	taken.memory.planes[0].offset = UINT64_MAX & ~UINT64_C(4095);
	refused(&taken, taken.info->fd, -EINVAL);
	end(&taken);
}

/*
 * W-11: rows that aren't the driver's own are an error where it can't be told of others, and where
 * it can they are what is drawn.
 */
static void
other_rows_are_taken_or_are_an_error(void **state)
{
	struct kr_gpu_image image;
	struct taken taken;
	uint32_t own;

	begin(&taken, "udmabuf");
	own = taken.info->row_bytes;
	taken.memory.height = HEIGHT / 2;
	taken.memory.planes[0].row_bytes = own * 2;
	if (taken.rig.gpu.modifiers) {
		assert_int_equal(kr_gpu_image_import(&taken.rig.gpu, &taken.memory, taken.info->fd,
					 &image, NULL),
			VK_SUCCESS);
		rig_fill(&taken.rig, &image, 11);
		kr_gpu_image_destroy(&taken.rig.gpu, &image);
		assert_true(buffer_shows(&taken, 0, 11));
		taken.rig.gpu.modifiers = false;
	}
	refused(&taken, taken.info->fd, -EOPNOTSUPP);
	end(&taken);
}

static void
rows_that_lie_are_refused(void **state)
{
	const uint64_t rows[] = {0, 4, 64, WIDTH * 4 - 64, 832 + 4, 832 + 32, UINT64_MAX,
		UINT64_MAX - 63, UINT64_C(1) << 40};
	struct taken taken;

	begin(&taken, "udmabuf");
	for (int i = 0; i < 2; i++) {
		for (size_t n = 0; n < KR_ARRAY_LEN(rows); n++) {
			taken.memory.planes[0].row_bytes = rows[n];
			refused(&taken, taken.info->fd, -EINVAL);
		}
		taken.memory.planes[0].row_bytes = taken.info->row_bytes;
		taken.memory.plane_count = 2;
		refused(&taken, taken.info->fd, -EINVAL);
		taken.memory.plane_count = 1;
		taken.memory.modifier = UINT64_C(0x0100000000000001); /* tiled, of Intel */
		refused(&taken, taken.info->fd, -EOPNOTSUPP);
		taken.memory.modifier = 0;
		taken.rig.gpu.modifiers = false;
	}
	end(&taken);
}

/* A picture with two planes, as buffers of the platform have them. */
static void
planes_lie_where_the_driver_has_them(void **state)
{
	struct kr_gpu_image image;
	struct taken taken;

	begin(&taken, "udmabuf");
	taken.memory.format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
	taken.memory.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
	taken.memory.width = 192;
	taken.memory.height = 64;
	taken.memory.plane_count = 2;
	taken.memory.planes[0].row_bytes = 192;
	taken.memory.planes[1] = (struct kr_gpu_plane){192 * 64, 192};
	assert_int_equal(
		kr_gpu_image_import(&taken.rig.gpu, &taken.memory, taken.info->fd, &image, NULL),
		VK_SUCCESS);
	kr_gpu_image_destroy(&taken.rig.gpu, &image);
	taken.rig.gpu.modifiers = false;
	taken.memory.planes[1].offset += 64;
	refused(&taken, taken.info->fd, -EOPNOTSUPP);
	taken.memory.planes[1] = (struct kr_gpu_plane){192 * 64, 256};
	refused(&taken, taken.info->fd, -EOPNOTSUPP);
	taken.memory.plane_count = 1;
	refused(&taken, taken.info->fd, -EINVAL);
	end(&taken);
}

static void
what_is_no_such_dma_buf_is_refused(void **state)
{
	struct taken taken;
	char path[40];
	int fd;

	begin(&taken, "udmabuf");
	taken.memory.allocation_size = taken.info->size + 1;
	refused(&taken, taken.info->fd, -EINVAL);
	taken.memory.allocation_size = taken.info->size;
	taken.memory.height = HEIGHT + 8;
	refused(&taken, taken.info->fd, -EINVAL);
	taken.memory.height = HEIGHT;
	fd = memfd_create("none", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, (off_t)taken.info->size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	refused(&taken, fd, -EINVAL);
	close(fd);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	refused(&taken, fd, -EINVAL);
	close(fd);
	refused(&taken, -1, -EINVAL);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", taken.info->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		refused(&taken, fd, -EINVAL);
		close(fd);
	}
	end(&taken);
}

/*
 * W-11: a dma-buf of the driver's own, where it makes such (lavapipe of memory of udmabuf): it has
 * a modifier and planes, and whoever imports it sees the picture.
 */
static void
exported_dma_buf_is_imported(void **state)
{
	struct kr_gpu_image ours, theirs;
	struct taken taken;
	int fd;

	begin(&taken, "udmabuf");
	if (!kr_gpu_image_possible(&taken.rig.gpu, &taken.memory)) {
		assert_int_equal(kr_gpu_image_create(&taken.rig.gpu, &taken.memory, &ours),
			VK_ERROR_FORMAT_NOT_SUPPORTED);
		end(&taken);
		return;
	}
	rig_export(&taken.rig, &taken.memory, &ours, &fd);
	assert_true(ours.description.plane_count == 1);
	assert_true(ours.description.planes[0].row_bytes >= WIDTH * 4);
	rig_fill(&taken.rig, &ours, 12);
	assert_int_equal(kr_gpu_image_import(&taken.rig.gpu, &ours.description, fd, &theirs, NULL),
		VK_SUCCESS);
	assert_true(rig_shows(&taken.rig, &theirs, 12));
	kr_gpu_image_destroy(&taken.rig.gpu, &theirs);
	kr_gpu_image_destroy(&taken.rig.gpu, &ours);
	close(fd);
	end(&taken);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(dma_buf_is_an_image, DRIVER),
	KR_TEST_FLAGS(image_begins_anywhere_in_its_dma_buf, DRIVER),
	KR_TEST_FLAGS(other_rows_are_taken_or_are_an_error, DRIVER),
	KR_TEST_FLAGS(rows_that_lie_are_refused, DRIVER),
	KR_TEST_FLAGS(planes_lie_where_the_driver_has_them, DRIVER),
	KR_TEST_FLAGS(what_is_no_such_dma_buf_is_refused, DRIVER),
	KR_TEST_FLAGS(exported_dma_buf_is_imported, DRIVER),
};
KR_TEST_MAIN(tests)
