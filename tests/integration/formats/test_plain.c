/* SPDX-License-Identifier: Apache-2.0 */
/* Formats without planes: what the CPU writes is what a sampler gives; numbers for them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rig.h"
#include "util/macros.h"

#define DRIVER (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

enum { WIDTH = 64, HEIGHT = 20 }; /* whose rows every driver has without gaps */

/* Where a channel's bits are in a pixel; 0 bits: there is none. */
struct channel {
	unsigned shift, bits;
};

enum reading { UNORM, UINT, FLOAT16 };

static const struct plain {
	const char *name;
	uint32_t format;
	VkFormat vulkan;
	unsigned bytes;
	enum reading reading;
	struct channel rgba[4];
	bool rare; /* few drivers have it */
} plains[] = {
	{"RGBA8", AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, 4, UNORM,
		{{0, 8}, {8, 8}, {16, 8}, {24, 8}}},
	{"RGBX8", AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, 4, UNORM,
		{{0, 8}, {8, 8}, {16, 8}, {24, 8}}},
	{"BGRA8", AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, 4, UNORM,
		{{16, 8}, {8, 8}, {0, 8}, {24, 8}}},
	{"RGB8", AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, VK_FORMAT_R8G8B8_UNORM, 3, UNORM,
		{{0, 8}, {8, 8}, {16, 8}}, true},
	{"565", AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16, 2, UNORM,
		{{11, 5}, {5, 6}, {0, 5}}},
	{"1010102", AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4,
		UNORM, {{0, 10}, {10, 10}, {20, 10}, {30, 2}}},
	{"FP16", AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, VK_FORMAT_R16G16B16A16_SFLOAT, 8,
		FLOAT16, {{0, 16}, {16, 16}, {32, 16}, {48, 16}}},
	{"R8", AHARDWAREBUFFER_FORMAT_R8_UNORM, VK_FORMAT_R8_UNORM, 1, UNORM, {{0, 8}}},
	{"R16", AHARDWAREBUFFER_FORMAT_R16_UINT, VK_FORMAT_R16_UINT, 2, UINT, {{0, 16}}},
	{"R16G16", AHARDWAREBUFFER_FORMAT_R16G16_UINT, VK_FORMAT_R16G16_UINT, 4, UINT,
		{{0, 16}, {16, 16}}},
};

/* Any bits, but none that aren't a number. */
static uint64_t
pixel(const struct plain *plain, uint32_t i)
{
	uint64_t bits = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);

	return plain->reading == FLOAT16 ? bits & UINT64_C(0x3FFF3FFF3FFF3FFF) : bits;
}

static double
half(uint32_t bits)
{
	unsigned exponent = bits >> 10 & 31;
	double mantissa = bits & 1023;

	return exponent ? ldexp(1024 + mantissa, (int)exponent - 25) : ldexp(mantissa, -24);
}

/* Of channel c; what isn't there is 0, or 1 for alpha. */
static double
expected(const struct plain *plain, uint64_t bits, int c)
{
	const struct channel *channel = &plain->rgba[c];
	uint64_t most = (UINT64_C(1) << channel->bits) - 1, value = bits >> channel->shift & most;

	if (!channel->bits)
		return c == 3;
	if (plain->reading == FLOAT16)
		return half((uint32_t)value);
	return plain->reading == UINT ? (double)value : (double)value / (double)most;
}

static void
write_buffer(const struct plain *plain, AHardwareBuffer *buffer)
{
	AHardwareBuffer_Planes planes;

	assert_int_equal(AHardwareBuffer_lockPlanes(
				 buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, &planes),
		0);
	assert_int_equal(planes.planeCount, 1);
	assert_int_equal(planes.planes[0].pixelStride, plain->bytes);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
		uint64_t bits = pixel(plain, i);

		memcpy((char *)planes.planes[0].data +
				(size_t)(i / WIDTH) * planes.planes[0].rowStride +
				(size_t)(i % WIDTH) * plain->bytes,
			&bits, plain->bytes);
	}
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
}

/*
 * Exactly: what a float can't say of an UNORM value is less. Lavapipe has eight bits of what has
 * fewer.
 */
static double
limit_of(const struct plain *plain)
{
	return plain->format == AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM ? 1.0 / 255 : 1e-6;
}

static void
compare(const struct rig *rig, const struct plain *plain, bool opaque)
{
	for (uint32_t i = 0; i < WIDTH * HEIGHT * 4; i++) {
		double want =
			opaque && i % 4 == 3 ? 1 : expected(plain, pixel(plain, i / 4), i % 4);
		double got = plain->reading == UINT ? ((const uint32_t *)rig->pixels)[i]
						    : (double)((const float *)rig->pixels)[i];

		if (!(fabs(got - want) <= limit_of(plain)))
			fail_msg("%s: channel %u of pixel %u is %f, not %f", plain->name, i % 4,
				i / 4, got, want);
	}
}

static bool
is_lavapipe(const struct rig *rig)
{
	return strstr(rig->properties.deviceName, "llvmpipe");
}

/* The buffer, or NULL where the driver has no such images in rows. */
static AHardwareBuffer *
find_buffer(struct rig *rig, const struct plain *plain,
	VkAndroidHardwareBufferFormatProperties2ANDROID *format)
{
	AHardwareBuffer *buffer = rig_buffer(WIDTH, HEIGHT, plain->format, RIG_CPU_USAGE);

	assert_non_null(buffer);
	if (rig_ask(rig, buffer, format) == VK_SUCCESS)
		return buffer;
	/* Lavapipe and SwiftShader have all that isn't rare. */
	if (!plain->rare && rig->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
		fail_msg("%s is refused", plain->name);
	AHardwareBuffer_release(buffer);
	return NULL;
}

/* W-11: every format that memory of CPUs has. */
static void
what_the_cpu_writes_is_sampled(void **state)
{
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	struct rig_image image;
	unsigned seen = 0;
	struct rig rig;

	rig_open(&rig, false);
	for (size_t i = 0; i < KR_ARRAY_LEN(plains); i++) {
		const struct plain *plain = &plains[i];
		const struct rig_look look = {
			.format = plain->vulkan,
			.whole_numbers = plain->reading == UINT,
			.width = WIDTH,
			.height = HEIGHT,
		};
		AHardwareBuffer *buffer = find_buffer(&rig, plain, &format);

		if (!buffer)
			continue;
		seen++;
		assert_int_equal(format.format, plain->vulkan);
		assert_int_not_equal(format.externalFormat, 0);
		assert_int_equal(
			format.suggestedYcbcrModel, VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY);
		write_buffer(plain, buffer);
		assert_int_equal(rig_import(&rig, buffer, plain->vulkan, 0,
					 VK_IMAGE_USAGE_SAMPLED_BIT, &image),
			VK_SUCCESS);
		assert_int_equal(rig_sample(&rig, &image, &look), VK_SUCCESS);
		compare(&rig, plain, false);
		rig_image_destroy(&rig, &image);
		AHardwareBuffer_release(buffer);
	}
	if (!seen)
		kr_test_skip("no-rows", rig.properties.deviceName);
	rig_close(&rig);
}

static VkSamplerYcbcrConversionCreateInfo
conversion_of(const VkAndroidHardwareBufferFormatProperties2ANDROID *format,
	VkExternalFormatANDROID *external)
{
	*external = (VkExternalFormatANDROID){
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_FORMAT_ANDROID,
		.externalFormat = format->externalFormat,
	};
	return (VkSamplerYcbcrConversionCreateInfo){
		.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
		.pNext = external,
		.ycbcrModel = format->suggestedYcbcrModel,
		.ycbcrRange = format->suggestedYcbcrRange,
		.components = format->samplerYcbcrConversionComponents,
		.xChromaOffset = format->suggestedXChromaOffset,
		.yChromaOffset = format->suggestedYChromaOffset,
	};
}

/* As who takes whatever comes does it: with the conversion that is suggested. */
static void
numbers_stand_for_formats(void **state)
{
	const VkFormatFeatureFlags2 places = VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT |
		VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT;
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	VkExternalFormatANDROID external;
	struct rig_image image;
	unsigned seen = 0;
	struct rig rig;

	rig_open(&rig, true);
	if (!rig.conversions)
		kr_test_skip("no-conversions", rig.properties.deviceName);
	for (size_t i = 0; i < KR_ARRAY_LEN(plains); i++) {
		const struct plain *plain = &plains[i];
		AHardwareBuffer *buffer = find_buffer(&rig, plain, &format);
		const VkSamplerYcbcrConversionCreateInfo conversion =
			conversion_of(&format, &external);
		const struct rig_look look = {
			.whole_numbers = plain->reading == UINT,
			.conversion = &conversion,
			.width = WIDTH,
			.height = HEIGHT,
		};

		if (!buffer)
			continue;
		seen++;
		assert_int_equal(rig_import(&rig, buffer, VK_FORMAT_UNDEFINED,
					 format.externalFormat, VK_IMAGE_USAGE_SAMPLED_BIT, &image),
			VK_SUCCESS);
		assert_true(format.formatFeatures & places);
		write_buffer(plain, buffer);
		assert_int_equal(rig_sample(&rig, &image, &look), VK_SUCCESS);
		compare(&rig, plain, plain->format == AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM);
		rig_image_destroy(&rig, &image);
		AHardwareBuffer_release(buffer);
	}
	if (!seen)
		kr_test_skip("no-rows", rig.properties.deviceName);
	rig_close(&rig);
}

/* Without samplerYcbcrConversion nobody may use a number: nothing is claimed for conversions. */
static void
nothing_is_claimed_without_conversions(void **state)
{
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	VkFormatProperties has;
	AHardwareBuffer *buffer;
	struct rig rig;

	rig_open(&rig, false);
	buffer = find_buffer(&rig, &plains[0], &format);
	if (!buffer)
		kr_test_skip("no-rows", rig.properties.deviceName);
	vkGetPhysicalDeviceFormatProperties(rig.gpu, VK_FORMAT_R8G8B8A8_UNORM, &has);
	assert_int_equal(format.formatFeatures & INT32_MAX & ~has.linearTilingFeatures, 0);
	AHardwareBuffer_release(buffer);
	rig_close(&rig);
}

static void
other_numbers_are_errors(void **state)
{
	static const uint64_t numbers[] = {1, 37, UINT64_MAX, UINT64_C(0x4B72466D00000000),
		UINT64_C(0x4B72466D0000FFFF), UINT64_C(0x4B72466DC0000025)};
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	VkSamplerYcbcrConversion conversion;
	VkSamplerYcbcrConversionCreateInfo info;
	VkExternalFormatANDROID external;
	struct rig_image image;
	AHardwareBuffer *buffer;
	struct rig rig;

	rig_open(&rig, true);
	buffer = find_buffer(&rig, &plains[0], &format);
	if (!buffer)
		kr_test_skip("no-rows", rig.properties.deviceName);
	for (size_t i = 0; i < KR_ARRAY_LEN(numbers); i++) {
		assert_int_not_equal(rig_import(&rig, buffer, VK_FORMAT_UNDEFINED, numbers[i],
					     VK_IMAGE_USAGE_SAMPLED_BIT, &image),
			VK_SUCCESS);
		info = conversion_of(&format, &external);
		external.externalFormat = numbers[i];
		if (rig.conversions)
			assert_int_not_equal(vkCreateSamplerYcbcrConversion(
						     rig.device, &info, NULL, &conversion),
				VK_SUCCESS);
	}
	/* 0 is as without the structure. */
	if (is_lavapipe(&rig)) {
		assert_int_equal(rig_import(&rig, buffer, VK_FORMAT_R8G8B8A8_UNORM, 0,
					 VK_IMAGE_USAGE_SAMPLED_BIT, &image),
			VK_SUCCESS);
		rig_image_destroy(&rig, &image);
	}
	AHardwareBuffer_release(buffer);
	rig_close(&rig);
}

/* What has no YCbCr is converted by no model, and seen by no other format's conversion. */
static void
wrong_conversions_are_errors(void **state)
{
	VkAndroidHardwareBufferFormatProperties2ANDROID formats[2];
	VkSamplerYcbcrConversionCreateInfo info;
	VkExternalFormatANDROID external;
	struct rig_look look = {.conversion = &info, .width = WIDTH, .height = HEIGHT};
	AHardwareBuffer *buffers[2];
	struct rig_image image;
	struct rig rig;

	rig_open(&rig, true);
	if (!rig.conversions)
		kr_test_skip("no-conversions", rig.properties.deviceName);
	for (int i = 0; i < 2; i++) {
		buffers[i] = find_buffer(&rig, &plains[i * 4], &formats[i]);
		if (!buffers[i])
			kr_test_skip("no-rows", rig.properties.deviceName);
	}
	if (rig_import(&rig, buffers[0], VK_FORMAT_UNDEFINED, formats[0].externalFormat,
		    VK_IMAGE_USAGE_SAMPLED_BIT, &image) != VK_SUCCESS)
		kr_test_skip("no-rows", rig.properties.deviceName);
	info = conversion_of(&formats[1], &external);
	assert_int_not_equal(rig_sample(&rig, &image, &look), VK_SUCCESS);
	info = conversion_of(&formats[0], &external);
	assert_int_equal(rig_sample(&rig, &image, &look), VK_SUCCESS);
	if (rig.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
		info.ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601;
		assert_int_not_equal(rig_sample(&rig, &image, &look), VK_SUCCESS);
	}
	rig_image_destroy(&rig, &image);
	for (int i = 0; i < 2; i++)
		AHardwareBuffer_release(buffers[i]);
	rig_close(&rig);
}

/* Depth and stencil: of the GPU's memory alone, and nobody converts them. */
static void
depth_is_described(void **state)
{
	static const struct {
		uint32_t format;
		VkFormat vulkan;
	} depths[] = {
		{AHARDWAREBUFFER_FORMAT_D16_UNORM, VK_FORMAT_D16_UNORM},
		{AHARDWAREBUFFER_FORMAT_D24_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32},
		{AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT},
		{AHARDWAREBUFFER_FORMAT_D32_FLOAT, VK_FORMAT_D32_SFLOAT},
		{AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT},
		{AHARDWAREBUFFER_FORMAT_S8_UINT, VK_FORMAT_S8_UINT},
	};
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	VkSamplerYcbcrConversionCreateInfo info;
	VkSamplerYcbcrConversion conversion;
	VkExternalFormatANDROID external;
	unsigned seen = 0;
	struct rig rig;

	rig_open(&rig, true);
	for (size_t i = 0; i < KR_ARRAY_LEN(depths); i++) {
		AHardwareBuffer *buffer = rig_buffer(WIDTH, HEIGHT, depths[i].format,
			AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |
				AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE);

		if (!buffer)
			continue;
		if (rig_ask(&rig, buffer, &format) == VK_SUCCESS) {
			seen++;
			assert_int_equal(format.format, depths[i].vulkan);
			assert_true(format.formatFeatures &
				VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT);
			info = conversion_of(&format, &external);
			if (rig.conversions && format.externalFormat)
				assert_int_not_equal(vkCreateSamplerYcbcrConversion(
							     rig.device, &info, NULL, &conversion),
					VK_SUCCESS);
		}
		AHardwareBuffer_release(buffer);
	}
	if (is_lavapipe(&rig))
		assert_int_equal(seen, KR_ARRAY_LEN(depths));
	rig_close(&rig);
}

/*
 * SwiftShader's rows have no gaps: buffers whose have some are refused, not copied. Lavapipe's are
 * the buffer's.
 */
static void
other_rows_are_refused(void **state)
{
	VkAndroidHardwareBufferFormatProperties2ANDROID format;
	AHardwareBuffer *buffer;
	struct rig_image image;
	struct rig rig;
	VkResult asked, imported;

	rig_open(&rig, true);
	buffer = rig_buffer(33, 17, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, RIG_CPU_USAGE);
	assert_non_null(buffer);
	asked = rig_ask(&rig, buffer, &format);
	imported = rig_import(
		&rig, buffer, VK_FORMAT_R8G8B8A8_UNORM, 0, VK_IMAGE_USAGE_SAMPLED_BIT, &image);
	if (imported == VK_SUCCESS)
		rig_image_destroy(&rig, &image);
	assert_int_equal(asked == VK_SUCCESS, imported == VK_SUCCESS);
	if (strstr(rig.properties.deviceName, "SwiftShader"))
		assert_int_equal(asked, VK_ERROR_INVALID_EXTERNAL_HANDLE);
	if (is_lavapipe(&rig))
		assert_int_equal(asked, VK_SUCCESS);
	AHardwareBuffer_release(buffer);
	rig_close(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(what_the_cpu_writes_is_sampled, DRIVER),
	KR_TEST_FLAGS(numbers_stand_for_formats, DRIVER),
	KR_TEST_FLAGS(nothing_is_claimed_without_conversions, DRIVER),
	KR_TEST_FLAGS(other_numbers_are_errors, DRIVER),
	KR_TEST_FLAGS(wrong_conversions_are_errors, DRIVER),
	KR_TEST_FLAGS(depth_is_described, DRIVER),
	KR_TEST_FLAGS(other_rows_are_refused, DRIVER),
};
KR_TEST_MAIN(tests)
