/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a colour in each format that windows have (W-08). */
#include "check/native/native.h"

#include <string.h>

#include "gralloc/buffer.h"
#include "util/clock.h"

#define WIDTH  37
#define HEIGHT 11

/* One whose parts differ, and none of which is at an end; sRGB is what is stored of it. */
static const float colour[4] = {0.8f, 0.4f, 0.2f, 1.0f};
static const int unorm[4] = {204, 102, 51, 255};
static const int srgb[4] = {231, 170, 124, 255};
static const uint16_t halves[4] = {0x3A66, 0x3666, 0x3266, 0x3C00};

static bool
is_near(int is, int due)
{
	return is >= due - 1 && is <= due + 1;
}

static bool
bytes_are(const uint8_t *pixel, const int due[4], bool swapped)
{
	return is_near(pixel[swapped ? 2 : 0], due[0]) && is_near(pixel[1], due[1]) &&
		is_near(pixel[swapped ? 0 : 2], due[2]) && is_near(pixel[3], due[3]);
}

static bool
is_565(const uint8_t *pixel)
{
	uint16_t word;

	memcpy(&word, pixel, sizeof(word));
	return is_near(word >> 11, 25) && is_near(word >> 5 & 63, 25) && is_near(word & 31, 6);
}

static bool
is_2101010(const uint8_t *pixel)
{
	uint32_t word;

	memcpy(&word, pixel, sizeof(word));
	return is_near((int)(word & 1023), 818) && is_near((int)(word >> 10 & 1023), 409) &&
		is_near((int)(word >> 20 & 1023), 205) && word >> 30 == 3;
}

static bool
are_halves(const uint8_t *pixel)
{
	uint16_t words[4];

	memcpy(words, pixel, sizeof(words));
	for (int i = 0; i < 4; i++) {
		if (!is_near(words[i], halves[i]))
			return false;
	}
	return true;
}

static bool
is_colour(VkFormat format, const uint8_t *pixel)
{
	switch (format) {
	case VK_FORMAT_R8G8B8A8_UNORM:
		return bytes_are(pixel, unorm, false);
	case VK_FORMAT_R8G8B8A8_SRGB:
		return bytes_are(pixel, srgb, false);
	case VK_FORMAT_B8G8R8A8_UNORM:
		return bytes_are(pixel, unorm, true);
	case VK_FORMAT_B8G8R8A8_SRGB:
		return bytes_are(pixel, srgb, true);
	case VK_FORMAT_R5G6B5_UNORM_PACK16:
		return is_565(pixel);
	case VK_FORMAT_A2B10G10R10_UNORM_PACK32:
		return is_2101010(pixel);
	default:
		return are_halves(pixel);
	}
}

static void
look(struct check *c, const struct check_image *image)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(image->buffer);
	uint32_t size = kr_format_bytes(info->desc.format);
	void *data;

	if (kr_buffer_lock(image->buffer, KR_DMA_BUF_READ,
		    kr_deadline_in(5 * (uint64_t)KR_NSEC_PER_SEC), &data))
		check_skip(c, "the buffer can't be mapped");
	for (uint32_t y = 0; y < image->height; y++) {
		for (uint32_t x = 0; x < image->width; x++) {
			const uint8_t *pixel =
				(uint8_t *)data + (size_t)y * info->row_bytes + (size_t)x * size;
			uint32_t first = 0;

			memcpy(&first, pixel, KR_MIN((size_t)size, sizeof(first)));
			CHECK(c, is_colour(image->format, pixel),
				"of %s pixel %u,%u begins with the bytes 0x%08x (lowest first), which isn't (0.8, 0.4, 0.2, 1)",
				native_format_name(image->format), x, y, first);
		}
	}
	(void)!kr_buffer_unlock(image->buffer);
}

static void
draw_format(struct check *c, VkFormat format)
{
	const struct check_image_request request = {
		.format = format, .width = WIDTH, .height = HEIGHT};
	const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
		VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	struct check_device device;
	struct check_image image;
	uint64_t gralloc;

	check_make_device(c, NULL, &device);
	if (!check_format_is_usable(c, &device, format, usage) ||
		check_gralloc_usage(c, &device, format, usage, 0, &gralloc) != VK_SUCCESS)
		check_not_applicable(
			c, "windows of this driver don't have %s", native_format_name(format));
	check_make_image(c, &device, &request, &image);
	CHECK_SUCCESS(c, vkAcquireImageANDROID, device.device, image.image, -1, VK_NULL_HANDLE,
		VK_NULL_HANDLE);
	check_clear(c, &device, &image, 0, colour, VK_NULL_HANDLE, VK_NULL_HANDLE);
	native_give_back(c, &device, &image);
	look(c, &image);
}

static void
rgba(struct check *c)
{
	draw_format(c, VK_FORMAT_R8G8B8A8_UNORM);
}

static void
rgba_srgb(struct check *c)
{
	draw_format(c, VK_FORMAT_R8G8B8A8_SRGB);
}

static void
bgra(struct check *c)
{
	draw_format(c, VK_FORMAT_B8G8R8A8_UNORM);
}

static void
bgra_srgb(struct check *c)
{
	draw_format(c, VK_FORMAT_B8G8R8A8_SRGB);
}

static void
rgb565(struct check *c)
{
	draw_format(c, VK_FORMAT_R5G6B5_UNORM_PACK16);
}

static void
abgr2101010(struct check *c)
{
	draw_format(c, VK_FORMAT_A2B10G10R10_UNORM_PACK32);
}

static void
half_floats(struct check *c)
{
	draw_format(c, VK_FORMAT_R16G16B16A16_SFLOAT);
}

#define CONSEQUENCE "colours of windows are wrong"

static const struct check_case rows[] = {
	{
		.name = "layout.of_rgba",
		.requirement = "W-08",
		.expected = "R8G8B8A8_UNORM lies in the buffer as red, green, blue, alpha",
		.consequence = CONSEQUENCE,
		.run = rgba,
	},
	{
		.name = "layout.of_rgba_srgb",
		.requirement = "W-08",
		.expected = "R8G8B8A8_SRGB is encoded before it lies in the buffer",
		.consequence = "windows are too dark",
		.run = rgba_srgb,
	},
	{
		.name = "layout.of_bgra",
		.requirement = "W-08",
		.expected = "B8G8R8A8_UNORM lies in the buffer as blue, green, red, alpha",
		.consequence = "red and blue are changed",
		.run = bgra,
	},
	{
		.name = "layout.of_bgra_srgb",
		.requirement = "W-08",
		.expected = "B8G8R8A8_SRGB is encoded, and lies as blue, green, red, alpha",
		.consequence = CONSEQUENCE,
		.run = bgra_srgb,
	},
	{
		.name = "layout.of_rgb565",
		.requirement = "W-08",
		.expected = "R5G6B5_UNORM_PACK16 lies in the buffer with red in the highest bits",
		.consequence = CONSEQUENCE,
		.run = rgb565,
	},
	{
		.name = "layout.of_abgr2101010",
		.requirement = "W-08",
		.expected =
			"A2B10G10R10_UNORM_PACK32 lies in the buffer with red in the lowest bits",
		.consequence = CONSEQUENCE,
		.run = abgr2101010,
	},
	{
		.name = "layout.of_half_floats",
		.requirement = "W-08",
		.expected = "R16G16B16A16_SFLOAT lies in the buffer as four half floats",
		.consequence = CONSEQUENCE,
		.run = half_floats,
	},
};

const struct check_rows check_native_layout_formats = CHECK_ROWS(rows);
