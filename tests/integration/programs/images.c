/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and comparing pictures. */
#include "images.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define MAX_PICTURES 256

void
image_load_png(struct image *image, const char *path)
{
	png_image png = {.version = PNG_IMAGE_VERSION};

	if (!png_image_begin_read_from_file(&png, path))
		fail_msg("%s: %s", path, png.message);
	png.format = PNG_FORMAT_RGB;
	*image = (struct image){png.width, png.height, malloc(PNG_IMAGE_SIZE(png))};
	assert_non_null(image->rgb);
	if (!png_image_finish_read(&png, NULL, image->rgb, 0, NULL))
		fail_msg("%s: %s", path, png.message);
}

void
image_load_ppm(struct image *image, const char *path)
{
	FILE *file = fopen(path, "rbe");
	size_t size;

	if (!file || fscanf(file, "P6 %u %u 255", &image->width, &image->height) != 2)
		fail_msg("%s is no PPM picture", path);
	assert_int_equal(fgetc(file), '\n');
	size = (size_t)image->width * image->height * 3;
	image->rgb = malloc(size);
	assert_non_null(image->rgb);
	assert_int_equal(fread(image->rgb, 1, size, file), size);
	fclose(file);
}

static uint32_t
bmp_number(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void
image_load_bmp(struct image *image, const char *path)
{
	FILE *file = fopen(path, "rbe");
	uint8_t head[54], pixel[4];

	if (!file || fread(head, 1, sizeof(head), file) != sizeof(head) || head[0] != 'B' ||
		head[1] != 'M' || head[28] != 32 || bmp_number(head + 10) != sizeof(head))
		fail_msg("%s is no BMP picture of 32 bits", path);
	image->width = bmp_number(head + 18);
	image->height = bmp_number(head + 22);
	image->rgb = malloc((size_t)image->width * image->height * 3);
	assert_non_null(image->rgb);
	for (uint32_t y = image->height; y-- > 0;) {
		uint8_t *to = image->rgb + (size_t)y * image->width * 3;

		for (uint32_t x = 0; x < image->width; x++, to += 3) {
			assert_int_equal(fread(pixel, 1, sizeof(pixel), file), sizeof(pixel));
			to[0] = pixel[2];
			to[1] = pixel[1];
			to[2] = pixel[0];
		}
	}
	fclose(file);
}

void
image_crop(struct image *image, const struct image *from, uint32_t at, uint32_t size)
{
	const uint8_t *corner = from->rgb + ((size_t)at * from->width + at) * 3;

	assert_true(from->width >= at + size && from->height >= at + size);
	*image = (struct image){size, size, malloc((size_t)size * size * 3)};
	assert_non_null(image->rgb);
	for (uint32_t y = 0; y < size; y++)
		memcpy(image->rgb + (size_t)y * size * 3, corner + (size_t)y * from->width * 3,
			(size_t)size * 3);
}

void
image_free(struct image *image)
{
	free(image->rgb);
	*image = (struct image){0};
}

uint32_t
image_difference(const struct image *a, const struct image *b)
{
	uint32_t largest = 0;

	if (a->width != b->width || a->height != b->height)
		return UINT32_MAX;
	for (size_t i = 0; i < (size_t)a->width * a->height * 3; i++) {
		uint32_t difference = (uint32_t)abs(a->rgb[i] - b->rgb[i]);

		if (difference > largest)
			largest = difference;
	}
	return largest;
}

uint32_t
image_drawn_pixels(const struct image *image)
{
	uint32_t drawn = 0;

	for (size_t i = 1; i < (size_t)image->width * image->height; i++)
		drawn += memcmp(image->rgb, image->rgb + i * 3, 3) != 0;
	return drawn;
}

/* FNV-1a. */
static uint64_t
hash_image(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325;
	struct image image;

	image_load_png(&image, path);
	for (size_t i = 0; i < (size_t)image.width * image.height * 3; i++)
		hash = (hash ^ image.rgb[i]) * 0x100000001b3;
	image_free(&image);
	return hash;
}

unsigned
image_count_different(const char *pattern, unsigned count)
{
	uint64_t hashes[MAX_PICTURES];
	unsigned different = 0;
	char path[1024];

	assert_true(count <= MAX_PICTURES);
	for (unsigned i = 0; i < count; i++) {
		bool known = false;

		snprintf(path, sizeof(path), pattern, i + 1);
		hashes[i] = hash_image(path);
		for (unsigned k = 0; k < i; k++)
			known |= hashes[k] == hashes[i];
		different += !known;
	}
	return different;
}

bool
files_equal(const char *a, const char *b)
{
	FILE *files[2] = {fopen(a, "rbe"), fopen(b, "rbe")};
	static char bytes[2][65536];
	bool equal = true;
	size_t got;

	if (!files[0] || !files[1])
		fail_msg("%s can't be read", files[0] ? b : a);
	do {
		got = fread(bytes[0], 1, sizeof(bytes[0]), files[0]);
		equal = fread(bytes[1], 1, sizeof(bytes[1]), files[1]) == got &&
			!memcmp(bytes[0], bytes[1], got);
	} while (equal && got);
	fclose(files[0]);
	fclose(files[1]);
	return equal;
}
