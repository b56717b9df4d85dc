/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that others made, as AHardwareBuffers: pictures of a camera (vivid), and buffers of a
 * graphics driver (vgem). What the CPU reads, and what lavapipe takes in as a dma-buf, is what
 * the maker put there, by his own mapping.
 */
#include "tests/lab/camera.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <krafla/hardware_buffer.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "gralloc/buffer.h"
#include "harness.h"
#include "tests/gpu/rig.h"
#include "tests/lab/card.h"
#include "tests/lab/dumb.h"

#define READS  AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN
#define WRITES AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN
#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep */
#define SEED   5

static uint32_t
seeded(uint32_t x, uint32_t y)
{
	return rig_pixel(SEED, x, y);
}

static struct krafla_dma_buf
describe_camera(const struct camera *camera, uint32_t format)
{
	return (struct krafla_dma_buf){
		.size = sizeof(struct krafla_dma_buf),
		.width = camera->width,
		.height = camera->height,
		.format = format,
		.usage = READS | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
		.plane_count = 1,
		.planes = {{camera->dma_buf, 0, camera->pitch}},
	};
}

static AHardwareBuffer *
take_in(const struct krafla_dma_buf *from)
{
	AHardwareBuffer *buffer;

	assert_int_equal(krafla_hardware_buffer_from_dma_buf(from, &buffer), 0);
	return buffer;
}

/* Whether a lock for reading shows these rows. */
static bool
shows(AHardwareBuffer *buffer, const void *rows, uint32_t pitch)
{
	AHardwareBuffer_Desc desc;
	int32_t bytes, stride;
	bool same = true;
	uint8_t *data;

	AHardwareBuffer_describe(buffer, &desc);
	assert_int_equal(AHardwareBuffer_lockAndGetInfo(
				 buffer, READS, -1, NULL, (void **)&data, &bytes, &stride),
		0);
	assert_int_equal(stride, pitch);
	assert_int_equal(bytes, 4);
	for (uint32_t y = 0; y < desc.height; y++)
		same = same &&
			!memcmp(data + (size_t)y * pitch, (const uint8_t *)rows + (size_t)y * pitch,
				(size_t)desc.width * 4);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	return same;
}

/* W-11: both ways, and at sizes whose rows vgem makes as it likes. */
static void
buffers_of_a_driver_are_read_and_written(void **state)
{
	static const uint32_t sizes[][2] = {{64, 64}, {100, 50}, {33, 17}, {1, 1}, {1920, 1080}};

	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++) {
		struct krafla_dma_buf from;
		AHardwareBuffer *buffer;
		struct dumb dumb;
		uint32_t *data;

		dumb_open(&dumb, seeded, sizes[i][0], sizes[i][1], DRM_RDWR);
		from = dumb_describe(&dumb, READS | WRITES);
		buffer = take_in(&from);
		assert_true(shows(buffer, dumb.pixels, dumb.made.pitch));
		assert_int_equal(AHardwareBuffer_lock(buffer, WRITES, -1, NULL, (void **)&data), 0);
		data[0] = 0x12345678;
		assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
		assert_int_equal(dumb.pixels[0], 0x12345678);
		dumb_close(&dumb);
		/* The buffer has the memory still. */
		assert_int_equal(AHardwareBuffer_lock(buffer, READS, -1, NULL, (void **)&data), 0);
		assert_int_equal(data[0], 0x12345678);
		assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
		AHardwareBuffer_release(buffer);
	}
}

/* W-11: rows of a part of it, which begin somewhere inside. */
static void
parts_of_a_buffer_are_read(void **state)
{
	struct krafla_dma_buf from;
	AHardwareBuffer *buffer;
	struct dumb dumb;
	uint32_t pitch;

	dumb_open(&dumb, seeded, 64, 64, DRM_RDWR);
	pitch = dumb.made.pitch;
	from = dumb_describe(&dumb, READS);
	from.width = 16;
	from.height = 32;
	from.planes[0].offset = 8 * pitch + 4 * 4;
	buffer = take_in(&from);
	assert_true(shows(buffer, dumb.pixels + 8 * pitch / 4 + 4, pitch));
	assert_false(shows(buffer, dumb.pixels, pitch));
	AHardwareBuffer_release(buffer);
	dumb_close(&dumb);
}

/* The image of a driver, in the very memory; NULL reason: it was taken. */
static const char *
import(struct rig *rig, AHardwareBuffer *buffer, struct kr_gpu_image *image)
{
	const struct kr_buffer_info *info =
		kr_buffer_get_info((const struct kr_buffer *)(const void *)buffer);
	const char *reason = NULL;

	assert_non_null(info->gpu);
	if (kr_gpu_image_import(&rig->gpu, info->gpu, info->gpu_fd, image, &reason) == VK_SUCCESS)
		return NULL;
	return reason ? reason : "the driver refused it";
}

/* W-11: as a dma-buf, by Vulkan. */
static void
buffers_of_a_driver_are_images(void **state)
{
	struct krafla_dma_buf from;
	struct kr_gpu_image image;
	AHardwareBuffer *buffer;
	struct dumb dumb;
	struct rig rig;
	const char *reason;

	rig_open(&rig);
	dumb_open(&dumb, seeded, 64, 48, DRM_RDWR);
	from = dumb_describe(&dumb, AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE);
	buffer = take_in(&from);
	reason = import(&rig, buffer, &image);
	if (reason)
		fail_msg("%s", reason);
	assert_true(rig_shows(&rig, &image, SEED));
	dumb.pixels[0] ^= 1;
	assert_false(rig_shows(&rig, &image, SEED));
	kr_gpu_image_destroy(&rig.gpu, &image);
	AHardwareBuffer_release(buffer);
	dumb_close(&dumb);
	rig_close(&rig);
}

static unsigned
count_colours(const struct camera *camera)
{
	const uint32_t *row = camera->pixels;
	unsigned count = 1;

	for (uint32_t x = 1; x < camera->width; x++)
		count += row[x] != row[x - 1];
	return count;
}

/* W-11: a picture of the camera's test pattern, as its driver maps it. */
static void
pictures_of_a_camera_are_read(void **state)
{
	static const struct {
		uint32_t fourcc;
		uint32_t format;
	} formats[] = {
		{V4L2_PIX_FMT_RGBA32, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
		{V4L2_PIX_FMT_RGBX32, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM},
		{V4L2_PIX_FMT_ABGR32, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		struct krafla_dma_buf from;
		AHardwareBuffer *buffer;
		struct camera camera;

		camera_open(&camera, formats[i].fourcc, 640, 360);
		from = describe_camera(&camera, formats[i].format);
		buffer = take_in(&from);
		assert_true(count_colours(&camera) >= 8); /* bars */
		assert_true(shows(buffer, camera.pixels, camera.pitch));
		AHardwareBuffer_release(buffer);
		camera_close(&camera);
	}
}

/* W-11: and by Vulkan. */
static void
pictures_of_a_camera_are_images(void **state)
{
	struct krafla_dma_buf from;
	struct kr_gpu_image image;
	AHardwareBuffer *buffer;
	struct camera camera;
	struct rig rig;
	uint32_t *pixels;
	const char *reason;

	rig_open(&rig);
	camera_open(&camera, V4L2_PIX_FMT_RGBA32, 640, 360);
	from = describe_camera(&camera, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	buffer = take_in(&from);
	reason = import(&rig, buffer, &image);
	if (reason)
		fail_msg("%s", reason);
	pixels = rig_read(&rig, &image);
	for (uint32_t y = 0; y < camera.height; y++)
		assert_memory_equal(pixels + (size_t)y * camera.width,
			(const uint8_t *)camera.pixels + (size_t)y * camera.pitch,
			(size_t)camera.width * 4);
	free(pixels);
	kr_gpu_image_destroy(&rig.gpu, &image);
	AHardwareBuffer_release(buffer);
	camera_close(&camera);
	rig_close(&rig);
}

static void
expect_refused(const struct krafla_dma_buf *from, int error)
{
	AHardwareBuffer *buffer = NULL;
	int err = krafla_hardware_buffer_from_dma_buf(from, &buffer);

	if (err != error)
		fail_msg("%d where %d was expected", err, error);
	assert_null(buffer);
}

/* What is said of a real dma-buf, and isn't so. */
static void
lies_about_a_buffer_are_refused(void **state)
{
	struct krafla_dma_buf good, from;
	struct dumb dumb;

	dumb_open(&dumb, seeded, 64, 64, DRM_RDWR);
	good = dumb_describe(&dumb, READS | WRITES);
	assert_true(dumb.made.size <= 64 * 64 * 4);
#define LIE(member, value, error)                                                                  \
	do {                                                                                       \
		from = good;                                                                       \
		from.member = (value);                                                             \
		expect_refused(&from, (error));                                                    \
	} while (0)
	LIE(planes[0].row_bytes, 64 * 4 - 4, -EINVAL); /* shorter than a row */
	LIE(planes[0].row_bytes, 64 * 4 + 4, -EINVAL); /* the last row lies behind the end */
	LIE(planes[0].row_bytes, UINT64_MAX, -EINVAL);
	LIE(planes[0].row_bytes, 0, -EINVAL);
	LIE(planes[0].offset, 4, -EINVAL);
	LIE(planes[0].offset, UINT64_MAX - 3, -EINVAL);
	LIE(planes[0].offset, dumb.made.size, -EINVAL);
	LIE(width, 65, -EINVAL);
	LIE(height, 65, -EINVAL);
	LIE(width, 0, -EINVAL);
	LIE(height, UINT32_MAX, -EINVAL);
	LIE(plane_count, 2, -EINVAL);
	LIE(plane_count, 0, -EINVAL);
	LIE(plane_count, 5, -EINVAL);
	LIE(size, sizeof(from) - 1, -EINVAL);
	LIE(reserved, 1, -EINVAL);
	LIE(format, 0x7777, -ENOSYS);
	/* In an order that isn't rows it can't be mapped. */
	LIE(modifier, I915_FORMAT_MOD_X_TILED, -ENOSYS);
#undef LIE
	expect_refused(NULL, -EINVAL);
	dumb_close(&dumb);
}

/* Descriptors that are something else. */
static void
other_descriptors_are_refused(void **state)
{
	int others[] = {-1, 12345, memfd_create("x", MFD_CLOEXEC),
		open("/dev/null", O_RDWR | O_CLOEXEC), open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
		card_open("vgem")};
	struct krafla_dma_buf from;
	struct dumb dumb;

	assert_int_equal(ftruncate(others[2], 64 * 64 * 4), 0);
	dumb_open(&dumb, seeded, 64, 64, DRM_RDWR);
	from = dumb_describe(&dumb, READS);
	for (size_t i = 0; i < KR_ARRAY_LEN(others); i++) {
		from.planes[0].fd = others[i];
		expect_refused(&from, -EINVAL);
		if (i >= 2)
			close(others[i]);
	}
	dumb_close(&dumb);
	/* Who may only read can't write. */
	dumb_open(&dumb, seeded, 64, 64, 0);
	from = dumb_describe(&dumb, READS | WRITES);
	expect_refused(&from, -EPERM);
	from = dumb_describe(&dumb, READS);
	AHardwareBuffer_release(take_in(&from));
	dumb_close(&dumb);
}

static const struct kr_test tests[] = {
	KR_TEST(buffers_of_a_driver_are_read_and_written),
	KR_TEST(parts_of_a_buffer_are_read),
	KR_TEST(pictures_of_a_camera_are_read),
	KR_TEST(lies_about_a_buffer_are_refused),
	KR_TEST(other_descriptors_are_refused),
	KR_TEST_SLOW(buffers_of_a_driver_are_images, LEAVES, 60),
	KR_TEST_SLOW(pictures_of_a_camera_are_images, LEAVES, 60),
};

KR_TEST_MAIN(tests)
