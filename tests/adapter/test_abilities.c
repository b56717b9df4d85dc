/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What images of buffers can be beyond the plain ones of W-04, and how their usage is asked for
 * (W-03): mutable formats, multisampled rendering, compression, the AHardwareBuffer query.
 */
#include "gpu.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "adapter/image.h"
#include "fake_icd.h"

#define SIDE         16
#define COLOUR_USAGE (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER)

#define TYPE_MSRTSS                                                                                \
	VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT

static const VkFormat both[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB};
static const VkImageFormatListCreateInfo format_list = {
	.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
	.viewFormatCount = KR_ARRAY_LEN(both),
	.pViewFormats = both};

static bool
has(const uint32_t *types, uint32_t count, VkStructureType type)
{
	for (uint32_t i = 0; i < count; i++) {
		if (types[i] == (uint32_t)type)
			return true;
	}
	return false;
}

/* An image with these flags and chain, made; the buffer is kept for it. */
static VkResult
create(struct gpu *gpu, const struct kr_buffer *buffer, VkImageCreateFlags flags, const void *chain,
	VkImage *image)
{
	VkNativeBufferANDROID native = {0};
	VkImageCreateInfo info = gpu_image_info(VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, &native);

	gpu_native_buffer(buffer, &native);
	native.pNext = chain;
	info.flags = flags;
	return gpu->d.CreateImage(gpu->device, &info, NULL, image);
}

static enum kr_adapter_image_way
way_of(struct gpu *gpu, VkImage image)
{
	return kr_adapter_image_from_handle(kr_adapter_device_from_handle(gpu->device), image)->way;
}

/* The list goes into the question and to the ICD's image; without one LINEAR is no use. */
static void
mutable_formats_go_through(void **state)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	struct gpu gpu;
	VkImage image;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	assert_int_equal(
		create(&gpu, buffer, VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, &format_list, &image),
		VK_SUCCESS);
	assert_int_equal(way_of(&gpu, image), KR_IMAGE_HOST);
	assert_int_equal(fake.last_image.flags, VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT);
	assert_true(has(fake.image_chain, fake.image_chain_count, format_list.sType));
	assert_true(has(fake.question_chain, fake.question_chain_count, format_list.sType));
	gpu.d.DestroyImage(gpu.device, image, NULL);

	assert_int_equal(
		create(&gpu, buffer, VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, NULL, &image), VK_SUCCESS);
	assert_int_equal(way_of(&gpu, image), KR_IMAGE_COPY);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

/* A flag that only OPTIMAL images can have makes a copy of it; one that none can have, no image. */
static void
flags_are_asked_about(void **state)
{
	const VkImageCreateFlags flag =
		VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT;
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	struct gpu gpu;
	VkImage image;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	fake.refused_linear_flags = flag;
	assert_int_equal(create(&gpu, buffer, flag, NULL, &image), VK_SUCCESS);
	assert_int_equal(way_of(&gpu, image), KR_IMAGE_COPY);
	assert_int_equal(fake.last_image.flags, flag);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	fake.refused_flags = flag;
	assert_int_equal(create(&gpu, buffer, flag, NULL, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
	/* Protected memory can't be a buffer's, nor copied into one. */
	assert_int_equal(create(&gpu, buffer, VK_IMAGE_CREATE_PROTECTED_BIT, NULL, &image),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	gpu_finish_fake(&gpu);
	kr_buffer_unref(buffer);
}

/* Lavapipe's LINEAR images take one sample only, so one that is rendered to with more is copied. */
static void
lavapipe_keeps_its_samples(void **state)
{
	const VkImageCreateFlags flag =
		VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT;
	const VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT feature = {
		.sType = TYPE_MSRTSS, .multisampledRenderToSingleSampled = VK_TRUE};
	const struct gpu_options options = {.device_chain = &feature,
		.api_version = VK_API_VERSION_1_3,
		.extension = VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME};
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	struct gpu gpu;
	VkImage image;

	gpu_init(&gpu, &options);
	assert_int_equal(create(&gpu, buffer, flag, NULL, &image), VK_SUCCESS);
	assert_int_equal(way_of(&gpu, image), KR_IMAGE_COPY);
	gpu.d.DestroyImage(gpu.device, image, NULL);
	gpu_finish(&gpu);
	kr_buffer_unref(buffer);
}

/* What it makes of the question for AHardwareBuffers; `chain` goes out. */
static VkResult
ask(struct gpu *gpu, VkImageUsageFlags usage, VkImageCreateFlags flags, const void *in, void *out)
{
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.pNext = in,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.type = VK_IMAGE_TYPE_2D,
		.usage = usage,
		.flags = flags};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = out};
	VkResult result = gpu->i.GetPhysicalDeviceImageFormatProperties2(
		gpu->physical_device, &info, &properties);

	if (result != VK_SUCCESS)
		return result;
	/* More than one where the driver's own memory can be a buffer (tests/integration). */
	assert_true(properties.imageFormatProperties.maxMipLevels >= 1);
	assert_true(properties.imageFormatProperties.maxArrayLayers >= 1);
	if (!flags)
		assert_int_equal(
			properties.imageFormatProperties.sampleCounts, VK_SAMPLE_COUNT_1_BIT);
	assert_true(properties.imageFormatProperties.maxExtent.width >= 4096);
	return VK_SUCCESS;
}

/* W-03: all ways to ask say the same; the newest is an image format query. */
static void
check_usage(struct gpu *gpu)
{
	const VkImageUsageFlags colour = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
	const VkGrallocUsageInfoANDROID info3 = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_ANDROID,
		.format = VK_FORMAT_B8G8R8A8_UNORM,
		.imageUsage = colour | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT};
	const VkGrallocUsageInfo2ANDROID info4 = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_2_ANDROID,
		.format = VK_FORMAT_B8G8R8A8_UNORM,
		.imageUsage = colour};
	VkAndroidHardwareBufferUsageANDROID usage = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_USAGE_ANDROID};
	uint64_t bits;

	assert_int_equal(gpu->gralloc_usage3(gpu->device, &info3, &bits), VK_SUCCESS);
	assert_true(bits == (COLOUR_USAGE | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE));
	assert_int_equal(gpu->gralloc_usage4(gpu->device, &info4, &bits), VK_SUCCESS);
	assert_true(bits == COLOUR_USAGE);
	assert_int_equal(ask(gpu, colour, 0, NULL, &usage), VK_SUCCESS);
	assert_true(usage.androidHardwareBufferUsage == COLOUR_USAGE);
	assert_int_equal(
		ask(gpu, colour | VK_IMAGE_USAGE_SAMPLED_BIT, 0, NULL, &usage), VK_SUCCESS);
	assert_true(usage.androidHardwareBufferUsage ==
		(COLOUR_USAGE | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE));
	assert_int_equal(ask(gpu, colour, VK_IMAGE_CREATE_PROTECTED_BIT, NULL, &usage),
		VK_ERROR_FORMAT_NOT_SUPPORTED);
}

static void
usage_of_lavapipe(void **state)
{
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	check_usage(&gpu);
	gpu_finish(&gpu);
}

static void
usage_of_swiftshader(void **state)
{
	struct gpu gpu;

	gpu_init_swiftshader(&gpu);
	check_usage(&gpu);
	gpu_finish(&gpu);
}

/* The answer is about the image as it will be made; the ICD never sees the handle type. */
static void
question_is_about_the_image_as_made(void **state)
{
	const VkImageCompressionControlEXT control = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT,
		.flags = VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT};
	VkImageCompressionPropertiesEXT compression = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT};
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	assert_int_equal(ask(&gpu, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0, &control, &compression),
		VK_SUCCESS);
	assert_int_equal(compression.imageCompressionFlags, VK_IMAGE_COMPRESSION_DISABLED_EXT);
	assert_true(has(fake.question_chain, fake.question_chain_count, control.sType));
	fake.host_image_features = 0;
	assert_int_equal(ask(&gpu, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0, &control, &compression),
		VK_SUCCESS);
	assert_int_equal(
		compression.imageCompressionFlags, VK_IMAGE_COMPRESSION_FIXED_RATE_EXPLICIT_EXT);
	assert_false(has(fake.question_chain, fake.question_chain_count,
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO));
	gpu_finish_fake(&gpu);
}

/* A question for anything else is the driver's. */
static void
other_questions_pass(void **state)
{
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.type = VK_IMAGE_TYPE_2D,
		.flags = VK_IMAGE_CREATE_PROTECTED_BIT};
	VkExternalImageFormatProperties memory = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &memory};
	struct gpu gpu;

	fake_reset();
	gpu_init_fake(&gpu, NULL);
	assert_int_equal(gpu.i.GetPhysicalDeviceImageFormatProperties2(
				 gpu.physical_device, &info, &properties),
		VK_SUCCESS);
	assert_int_equal(
		memory.externalMemoryProperties.externalMemoryFeatures, fake.host_image_features);
	assert_true(has(fake.question_chain, fake.question_chain_count, external.sType));
	gpu_finish_fake(&gpu);
}

/* What was drawn through a view of the other format is what the buffer shows. */
static void
check_mutable_picture(struct gpu *gpu)
{
	struct kr_buffer *buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	VkSemaphore acquired = gpu_semaphore(gpu), drawn = gpu_semaphore(gpu);
	struct drawing *drawing;
	VkImage image;

	assert_int_equal(
		create(gpu, buffer, VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, &format_list, &image),
		VK_SUCCESS);
	assert_int_equal(gpu->acquire(gpu->device, image, -1, acquired, NULL), VK_SUCCESS);
	drawing = gpu_draw(gpu, image, VK_FORMAT_R8G8B8A8_SRGB, SIDE, SIDE, acquired, drawn);
	gpu_release(gpu, gpu->queue, 1, &drawn, image);
	gpu_drawing_finish(gpu, drawing);
	gpu_assert_picture(gpu, buffer, VK_FORMAT_R8G8B8A8_SRGB);
	gpu->d.DestroySemaphore(gpu->device, acquired, NULL);
	gpu->d.DestroySemaphore(gpu->device, drawn, NULL);
	gpu->d.DestroyImage(gpu->device, image, NULL);
	kr_buffer_unref(buffer);
}

static void
mutable_pictures_of_lavapipe(void **state)
{
	struct gpu gpu;

	gpu_init(&gpu, NULL);
	check_mutable_picture(&gpu);
	gpu_finish(&gpu);
}

static void
mutable_pictures_of_swiftshader(void **state)
{
	struct gpu gpu;

	gpu_init_swiftshader(&gpu);
	check_mutable_picture(&gpu);
	gpu_finish(&gpu);
}

static const struct kr_test tests[] = {
	KR_TEST(mutable_formats_go_through),
	KR_TEST(flags_are_asked_about),
	KR_TEST_FLAGS(lavapipe_keeps_its_samples, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(usage_of_lavapipe, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(usage_of_swiftshader, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST(question_is_about_the_image_as_made),
	KR_TEST(other_questions_pass),
	KR_TEST_FLAGS(mutable_pictures_of_lavapipe, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(mutable_pictures_of_swiftshader, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
};
KR_TEST_MAIN(tests)
