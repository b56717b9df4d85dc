/* SPDX-License-Identifier: Apache-2.0 */
/* YCbCr in AHardwareBuffers: every conversion of the driver's against double precision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "reference.h"
#include "rig.h"
#include "util/macros.h"

/* VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_CHROMA_RECONSTRUCTION_EXPLICIT_BIT */
#define EXPLICIT UINT64_C(0x100000)
#define COUNTS   VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES

#define DRIVER (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const struct kind {
	const char *name;
	uint32_t format;
	VkFormat vulkan;
	unsigned bits;
	unsigned bytes; /* of a value */
} kinds[] = {
	{"Y8Cb8Cr8_420", AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, 8,
		1},
	{"YCbCr_P010", AHARDWAREBUFFER_FORMAT_YCbCr_P010,
		VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, 10, 2},
};

static const VkSamplerYcbcrModelConversion models[] = {
	VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY,
	VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_IDENTITY,
	VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709,
	VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601,
	VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020,
};

/* --- pictures --- */

static void
make_picture(
	const struct kind *kind, uint32_t width, uint32_t height, struct reference_picture *picture)
{
	uint32_t chroma = width / 2 * (height / 2), scale = 1u << (kind->bits - 8);

	*picture = (struct reference_picture){.width = width, .height = height, .bits = kind->bits};
	picture->y = malloc(sizeof(uint16_t) * width * height);
	picture->cb = malloc(sizeof(uint16_t) * chroma);
	picture->cr = malloc(sizeof(uint16_t) * chroma);
	assert_true(picture->y && picture->cb && picture->cr);
	/* Colours that no model and range takes out of 0 to 1. */
	for (uint32_t i = 0; i < width * height; i++)
		picture->y[i] = (uint16_t)((96 + i * 37 % 64) * scale + i % scale);
	for (uint32_t i = 0; i < chroma; i++) {
		picture->cb[i] = (uint16_t)((108 + i * 29 % 40) * scale + i % scale);
		picture->cr[i] = (uint16_t)((148 - i * 23 % 40) * scale + i % scale);
	}
}

static void
free_picture(struct reference_picture *picture)
{
	free(picture->y);
	free(picture->cb);
	free(picture->cr);
}

/* P010 has its ten bits at the top of sixteen. */
static void
put(const struct kind *kind, void *at, uint16_t value)
{
	uint16_t high = (uint16_t)(value << 6);

	if (kind->bytes == 2)
		memcpy(at, &high, sizeof(high));
	else
		*(uint8_t *)at = (uint8_t)value;
}

static bool
write_by_cpu(const struct kind *kind, const struct reference_picture *p, AHardwareBuffer *buffer)
{
	const uint16_t *values[] = {p->y, p->cb, p->cr};
	AHardwareBuffer_Planes planes;

	if (AHardwareBuffer_lockPlanes(
		    buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &planes))
		return false;
	assert_int_equal(planes.planeCount, 3);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t width = i ? p->width / 2 : p->width, rows = i ? p->height / 2 : p->height;
		const AHardwareBuffer_Plane *plane = &planes.planes[i];

		for (uint32_t n = 0; n < width * rows; n++)
			put(kind,
				(char *)plane->data + (size_t)(n / width) * plane->rowStride +
					(size_t)(n % width) * plane->pixelStride,
				values[i][n]);
	}
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	return true;
}

static void
write_by_gpu(struct rig *rig, const struct kind *kind, const struct reference_picture *p,
	AHardwareBuffer *buffer)
{
	uint32_t luma = p->width * p->height;
	char *bytes = malloc((size_t)luma * 2 * kind->bytes);

	assert_non_null(bytes);
	for (uint32_t i = 0; i < luma; i++)
		put(kind, bytes + (size_t)i * kind->bytes, p->y[i]);
	for (uint32_t i = 0; i < luma / 4; i++) {
		char *pair = bytes + ((size_t)luma + (size_t)i * 2) * kind->bytes;

		put(kind, pair, p->cb[i]);
		put(kind, pair + kind->bytes, p->cr[i]);
	}
	rig_write(rig, buffer, kind->vulkan, bytes, p->width, p->height, kind->bytes);
	free(bytes);
}

/* A buffer that the driver takes: of memory of CPUs, or its own. NULL: neither; *by_cpu. */
static AHardwareBuffer *
find_buffer(struct rig *rig, const struct kind *kind, uint32_t width, uint32_t height,
	VkAndroidHardwareBufferFormatProperties2ANDROID *format)
{
	static const uint64_t usages[] = {RIG_CPU_USAGE, AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE};

	for (size_t i = 0; i < KR_ARRAY_LEN(usages); i++) {
		AHardwareBuffer *buffer = rig_buffer(width, height, kind->format, usages[i]);

		if (buffer && rig_ask(rig, buffer, format) == VK_SUCCESS)
			return buffer;
		if (buffer)
			AHardwareBuffer_release(buffer);
	}
	return NULL;
}

/* --- conversions --- */

struct tally {
	unsigned run;
	unsigned missing; /* that the driver's features don't have */
	double worst[2];  /* nearest, linear */
};

/*
 * Filters have weights of eight bits or so, which a conversion makes more of; SwiftShader reads
 * eight bits as parts of 256, not of 255.
 */
static double
limit_of(const struct reference_conversion *c)
{
	return (c->linear ? 3.0 : 1.0) / 255;
}

/* How far off a pixel is, in the channel that is furthest. */
static double
distance(const double want[4], const float *got)
{
	double worst = 0;

	for (int i = 0; i < 4; i++) {
		double off = fabs(want[i] - (double)got[i]);

		worst = off <= worst ? worst : off;
	}
	return worst;
}

/* Beside each other chroma, the nearest one of a pixel between two is either. */
static double
compare_pixel(const struct reference_picture *picture, struct reference_conversion c,
	const struct rig_look *look, uint32_t i, const float *got, double want[4])
{
	double least = INFINITY;

	for (int n = 0; n < (c.linear ? 1 : 4); n++) {
		double off;

		c.located[0] = n & 1;
		c.located[1] = n & 2;
		reference_sample(picture, &c, look->width, look->height, i % look->width,
			i / look->width, want);
		off = distance(want, got);
		least = off < least ? off : least;
	}
	return least;
}

static void
compare(struct rig *rig, const struct kind *kind, const struct reference_picture *picture,
	const struct reference_conversion *c, const struct rig_look *look, struct tally *tally)
{
	for (uint32_t i = 0; i < look->width * look->height; i++) {
		const float *got = (const float *)rig->pixels + (size_t)i * 4;
		double want[4], off = compare_pixel(picture, *c, look, i, got, want);

		if (!(off <= limit_of(c)))
			fail_msg(
				"%s %ux%u, model %d, range %d, chroma %d %d, %s, swizzle %d: pixel %u,%u is %f %f %f %f, not %f %f %f %f",
				kind->name, picture->width, picture->height, c->model, c->range,
				c->x, c->y, c->linear ? "linear" : "nearest", c->components.r,
				i % look->width, i / look->width, (double)got[0], (double)got[1],
				(double)got[2], (double)got[3], want[0], want[1], want[2], want[3]);
		tally->worst[c->linear] = fmax(tally->worst[c->linear], off);
	}
}

static bool
has_location(VkFormatFeatureFlags2 features, VkChromaLocation location)
{
	return features &
		(location == VK_CHROMA_LOCATION_COSITED_EVEN
				? VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT
				: VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT);
}

static void
try(struct rig *rig, const struct kind *kind, const struct reference_picture *picture,
	const struct rig_image *image,
	const VkAndroidHardwareBufferFormatProperties2ANDROID *format,
	struct reference_conversion c, struct tally *tally)
{
	const VkExternalFormatANDROID external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_FORMAT_ANDROID,
		.externalFormat = image->format ? 0 : format->externalFormat,
	};
	const VkSamplerYcbcrConversionCreateInfo conversion = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
		.pNext = &external,
		.format = image->format,
		.ycbcrModel = c.model,
		.ycbcrRange = c.range,
		.components = c.components,
		.xChromaOffset = c.x,
		.yChromaOffset = c.y,
		.chromaFilter = c.linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
	};
	const VkFormatFeatureFlags2 linear =
		VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT |
		VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
	struct rig_look look = {
		.format = image->format,
		.filter = conversion.chromaFilter,
		.conversion = &conversion,
	};

	if (!has_location(format->formatFeatures, c.x) ||
		!has_location(format->formatFeatures, c.y) ||
		(c.linear && (format->formatFeatures & linear) != linear)) {
		tally->missing++;
		return;
	}
	c.explicit_first = format->formatFeatures & EXPLICIT;
	/* Each pixel as it is, or what filters make between them. */
	look.width = picture->width * (c.linear ? 2 : 1);
	look.height = picture->height * (c.linear ? 2 : 1);
	assert_int_equal(rig_sample(rig, image, &look), VK_SUCCESS);
	compare(rig, kind, picture, &c, &look, tally);
	tally->run++;
}

/*
 * Models x ranges x places of chroma x filters, and what can be swapped; of all but one picture one
 * model of the narrow range is enough.
 */
static void
try_all(struct rig *rig, const struct kind *kind, const struct reference_picture *picture,
	const struct rig_image *image,
	const VkAndroidHardwareBufferFormatProperties2ANDROID *format, bool few,
	struct tally *tally)
{
	struct reference_conversion c = {0};

	for (unsigned n = 0; n < KR_ARRAY_LEN(models) * 16; n++) {
		if (few && (n / 16 != 3 || !(n & 8)))
			continue;
		c.model = models[n / 16];
		c.range =
			n & 8 ? VK_SAMPLER_YCBCR_RANGE_ITU_NARROW : VK_SAMPLER_YCBCR_RANGE_ITU_FULL;
		c.x = n & 4 ? VK_CHROMA_LOCATION_MIDPOINT : VK_CHROMA_LOCATION_COSITED_EVEN;
		c.y = n & 2 ? VK_CHROMA_LOCATION_MIDPOINT : VK_CHROMA_LOCATION_COSITED_EVEN;
		c.linear = n & 1;
		try(rig, kind, picture, image, format, c, tally);
	}
	if (few)
		return;
	c = (struct reference_conversion){
		.model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601,
		.x = format->suggestedXChromaOffset,
		.y = format->suggestedYChromaOffset,
		.components = {.r = VK_COMPONENT_SWIZZLE_B, .b = VK_COMPONENT_SWIZZLE_R},
	};
	try(rig, kind, picture, image, format, c, tally);
}

/* By the number, or by the format; false: the buffer's rows aren't the driver's. */
static bool
try_picture(struct rig *rig, const struct kind *kind, const uint32_t size[2], bool by_number,
	bool few, struct tally *tally)
{
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	AHardwareBuffer *buffer = find_buffer(rig, kind, size[0], size[1], &format);
	struct reference_picture picture;
	struct rig_image image;

	if (!buffer)
		return false;
	make_picture(kind, size[0], size[1], &picture);
	if (!write_by_cpu(kind, &picture, buffer))
		write_by_gpu(rig, kind, &picture, buffer);
	assert_int_equal(
		rig_import(rig, buffer, by_number ? 0 : format.format,
			by_number ? format.externalFormat : 0, VK_IMAGE_USAGE_SAMPLED_BIT, &image),
		VK_SUCCESS);
	try_all(rig, kind, &picture, &image, &format, few, tally);
	rig_image_destroy(rig, &image);
	AHardwareBuffer_release(buffer);
	free_picture(&picture);
	return true;
}

static void
try_kind(const struct kind *kind)
{
	static const uint32_t sizes[][2] = {{64, 64}, {128, 20}, {66, 38}, {100, 62}};
	struct tally tally = {0};
	unsigned pictures = 0;
	struct rig rig;

	rig_open(&rig, true);
	if (!rig.conversions)
		kr_test_skip("no-conversions", rig.properties.deviceName);
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++) {
		pictures += try_picture(&rig, kind, sizes[i], true, i > 0, &tally);
		pictures += try_picture(&rig, kind, sizes[i], false, true, &tally);
	}
	printf("# %s, %s: %u pictures, %u conversions right, %u that the driver hasn't; "
	       "furthest off: nearest %.5f, linear %.5f\n",
		rig.properties.deviceName, kind->name, pictures, tally.run, tally.missing,
		tally.worst[0], tally.worst[1]);
	assert_true(pictures >= 4 && tally.run >= KR_ARRAY_LEN(models) * 2 + pictures * 2);
	rig_close(&rig);
}

/* W-11: by number and format, with every conversion that the driver has. */
static void
conversions_are_those_of_double_precision(void **state)
{
	try_kind(&kinds[0]);
}

static void
conversions_of_ten_bits_are_too(void **state)
{
	try_kind(&kinds[1]);
}

static void
suggestions_are_androids_habit(void **state)
{
	static const struct {
		uint32_t width, height;
		VkSamplerYcbcrModelConversion model;
	} sizes[] = {
		{640, 480, VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601},
		{1280, 720, VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709},
	};
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	struct rig rig;

	rig_open(&rig, true);
	if (!rig.conversions)
		kr_test_skip("no-conversions", rig.properties.deviceName);
	for (size_t n = 0; n < KR_ARRAY_LEN(kinds) * KR_ARRAY_LEN(sizes); n++) {
		const struct kind *kind = &kinds[n / 2];
		AHardwareBuffer *buffer =
			find_buffer(&rig, kind, sizes[n % 2].width, sizes[n % 2].height, &format);
		bool has = false;

		assert_non_null(buffer);
		assert_int_equal(format.format, kind->vulkan);
		assert_int_not_equal(format.externalFormat, 0);
		assert_true(format.formatFeatures & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT);
		assert_int_equal(format.suggestedYcbcrModel,
			kind->bits == 10 ? VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020
					 : sizes[n % 2].model);
		assert_int_equal(format.suggestedYcbcrRange, VK_SAMPLER_YCBCR_RANGE_ITU_NARROW);
		has = has_location(format.formatFeatures, format.suggestedXChromaOffset) &&
			has_location(format.formatFeatures, format.suggestedYChromaOffset);
		assert_true(has);
		AHardwareBuffer_release(buffer);
	}
	rig_close(&rig);
}

/* How many descriptors a conversion of the format takes, asked for buffers and for any image. */
static void
descriptors_are_counted(void **state)
{
	struct rig rig;

	rig_open(&rig, true);
	if (!rig.conversions)
		kr_test_skip("no-conversions", rig.properties.deviceName);
	for (size_t i = 0; i < KR_ARRAY_LEN(kinds); i++) {
		const VkPhysicalDeviceExternalImageFormatInfo external = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
			.handleType =
				VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID,
		};
		VkPhysicalDeviceImageFormatInfo2 info = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
			.format = kinds[i].vulkan,
			.type = VK_IMAGE_TYPE_2D,
			.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
		};
		VkSamplerYcbcrConversionImageFormatProperties counts[2];
		VkImageFormatProperties2 properties = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
		};

		for (int n = 0; n < 2; n++) {
			counts[n] = (VkSamplerYcbcrConversionImageFormatProperties){
				.sType = COUNTS,
			};
			info.pNext = n ? &external : NULL;
			properties.pNext = &counts[n];
			assert_int_equal(vkGetPhysicalDeviceImageFormatProperties2(
						 rig.gpu, &info, &properties),
				VK_SUCCESS);
		}
		assert_true(counts[0].combinedImageSamplerDescriptorCount);
		assert_int_equal(counts[1].combinedImageSamplerDescriptorCount,
			counts[0].combinedImageSamplerDescriptorCount);
	}
	rig_close(&rig);
}

/* --- refusals --- */

static void
odd_sizes_are_refused(void **state)
{
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	struct rig rig;

	rig_open(&rig, true);
	if (!rig.conversions)
		kr_test_skip("no-conversions", rig.properties.deviceName);
	for (size_t i = 0; i < KR_ARRAY_LEN(kinds); i++) {
		AHardwareBuffer *buffer = rig_buffer(65, 37, kinds[i].format, RIG_CPU_USAGE);

		assert_non_null(buffer);
		assert_int_equal(rig_ask(&rig, buffer, &format), VK_ERROR_INVALID_EXTERNAL_HANDLE);
		AHardwareBuffer_release(buffer);
	}
	rig_close(&rig);
}

/* Of a device without samplerYcbcrConversion: no properties, no image. */
static void
without_conversions_there_is_no_ycbcr(void **state)
{
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	struct rig_image image;
	struct rig rig;

	rig_open(&rig, false);
	for (size_t i = 0; i < KR_ARRAY_LEN(kinds); i++) {
		AHardwareBuffer *buffer = rig_buffer(64, 64, kinds[i].format, RIG_CPU_USAGE);

		assert_non_null(buffer);
		assert_int_equal(rig_ask(&rig, buffer, &format), VK_ERROR_INVALID_EXTERNAL_HANDLE);
		assert_int_not_equal(rig_import(&rig, buffer, kinds[i].vulkan, 0,
					     VK_IMAGE_USAGE_SAMPLED_BIT, &image),
			VK_SUCCESS);
		AHardwareBuffer_release(buffer);
	}
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(conversions_are_those_of_double_precision, DRIVER, 60),
	KR_TEST_SLOW(conversions_of_ten_bits_are_too, DRIVER, 60),
	KR_TEST_FLAGS(suggestions_are_androids_habit, DRIVER),
	KR_TEST_FLAGS(descriptors_are_counted, DRIVER),
	KR_TEST_FLAGS(odd_sizes_are_refused, DRIVER),
	KR_TEST_FLAGS(without_conversions_there_is_no_ycbcr, DRIVER),
};
KR_TEST_MAIN(tests)
