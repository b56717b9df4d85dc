/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of formats. */
#include <krafla/hardware_buffer.h>

#include "gpu/format.h"
#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "harness.h"
#include "util/macros.h"

static const uint32_t buffers[] = {
	AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM,
	AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM,
	AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM,
	AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
	AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
	AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420,
	AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
	AHARDWAREBUFFER_FORMAT_D16_UNORM,
	AHARDWAREBUFFER_FORMAT_D24_UNORM,
	AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT,
	AHARDWAREBUFFER_FORMAT_S8_UINT,
	AHARDWAREBUFFER_FORMAT_YCbCr_P010,
	AHARDWAREBUFFER_FORMAT_R8_UNORM,
	AHARDWAREBUFFER_FORMAT_R16_UINT,
	AHARDWAREBUFFER_FORMAT_R16G16_UINT,
	AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM,
};

/* W-11: both ways, for every format of the NDK; a BLOB is no image. */
static void
every_format_of_buffers_is_one_of_vulkan(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(buffers); i++) {
		VkFormat format = kr_gpu_format_of_buffer(buffers[i]);

		assert_int_not_equal(format, VK_FORMAT_UNDEFINED);
		assert_true(kr_gpu_format_matches(format, buffers[i]));
		/* Two buffers share one: that without an alpha is the one that isn't found. */
		assert_int_equal(kr_gpu_buffer_format(format),
			buffers[i] == AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM
				? AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
				: buffers[i]);
	}
	assert_int_equal(kr_gpu_format_of_buffer(AHARDWAREBUFFER_FORMAT_BLOB), VK_FORMAT_UNDEFINED);
	assert_int_equal(kr_gpu_buffer_format(VK_FORMAT_R32_SFLOAT), 0);
	assert_int_equal(kr_gpu_buffer_format(VK_FORMAT_UNDEFINED), 0);
}

/* What a table of planes says is what memory of CPUs has. */
static void
planes_are_those_of_the_memory(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(buffers); i++) {
		struct kr_buffer_info info = {.desc = {66, 38, 1, buffers[i], 0}};
		struct kr_buffer_planes planes;

		if (kr_format_layout(buffers[i], 66, 38, &info.row_bytes, &info.size))
			continue;
		assert_int_equal(kr_buffer_get_planes(&info, &planes), 0);
		assert_int_equal(
			kr_gpu_format_planes(kr_gpu_format_of_buffer(buffers[i])), planes.count);
	}
	assert_int_equal(kr_gpu_format_planes(VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM), 3);
}

/* The table by which gralloc checks what others say of a GPU's memory has the same rows. */
static void
checks_of_memory_know_the_same_formats(void **state)
{
	struct kr_gpu_memory memory = {0};
	uint32_t buffer_format;
	VkFormat format;

	for (size_t i = 0; kr_gpu_format_at(i, &format, &buffer_format); i++) {
		uint32_t planes = kr_gpu_format_planes((uint32_t)format);
		bool both = format == VK_FORMAT_D24_UNORM_S8_UINT ||
			format == VK_FORMAT_D32_SFLOAT_S8_UINT;

		memory.format = (uint32_t)format;
		assert_true(kr_buffer_gpu_knows_format(buffer_format));
		/* Where depth and stencil lie nobody says. */
		for (uint32_t plane = 0; plane < planes; plane++)
			assert_int_equal(
				!kr_buffer_gpu_pixel_bytes(&memory, buffer_format, plane), both);
		assert_int_equal(kr_buffer_gpu_pixel_bytes(&memory, buffer_format, planes), 0);
		assert_true(kr_gpu_format_matches(
			(VkFormat)kr_buffer_gpu_format(buffer_format, both ? 0 : planes),
			buffer_format));
	}
	for (uint32_t known = 0; known < 0x200; known++) {
		if (kr_buffer_gpu_knows_format(known) && known != AHARDWAREBUFFER_FORMAT_BLOB)
			assert_int_not_equal(kr_gpu_format_of_buffer(known), VK_FORMAT_UNDEFINED);
	}
}

static void
windows_have_the_formats_that_are_shown(void **state)
{
	assert_true(kr_gpu_format_is_shown(VK_FORMAT_R8G8B8A8_SRGB));
	assert_true(kr_gpu_format_is_shown(VK_FORMAT_A2B10G10R10_UNORM_PACK32));
	assert_true(kr_gpu_format_is_shown(VK_FORMAT_R8_UNORM));
	assert_false(kr_gpu_format_is_shown(VK_FORMAT_R16_UINT));
	assert_false(kr_gpu_format_is_shown(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM));
	assert_false(kr_gpu_format_is_shown(VK_FORMAT_D16_UNORM));
}

static const struct kr_test tests[] = {
	KR_TEST(every_format_of_buffers_is_one_of_vulkan),
	KR_TEST(planes_are_those_of_the_memory),
	KR_TEST(checks_of_memory_know_the_same_formats),
	KR_TEST(windows_have_the_formats_that_are_shown),
};
KR_TEST_MAIN(tests)
