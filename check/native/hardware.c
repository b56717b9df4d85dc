/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_ANDROID_external_memory_android_hardware_buffer: what programs ask of a driver that has it
 * (W-11). Nothing here is of windows.
 */
#include "check/native/hardware.h"

#include "gralloc/buffer.h"

static void
is_offered_whole(struct check *c)
{
	VkPhysicalDevice devices[CHECK_MAX_PHYSICAL];
	uint32_t count = check_physical_devices(c, check_make_instance(c, NULL), devices);
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		if (!native_hardware_is_listed(c, devices[i]))
			continue;
		any = true;
		CHECK(c, check_device_extension(c, devices[i], native_hardware_extensions[1]),
			"device %u lists %s without %s, which that needs", i,
			native_hardware_extensions[0], native_hardware_extensions[1]);
	}
	if (!any)
		check_not_applicable(
			c, "the driver doesn't list %s", native_hardware_extensions[0]);
}

static void
functions_are_there(struct check *c)
{
	const struct check_vk *vk = check_functions(c);
	struct check_device device;

	native_hardware_device(c, &device);
	CHECK(c, vk->vkGetAndroidHardwareBufferPropertiesANDROID,
		"vkGetDeviceProcAddr has no vkGetAndroidHardwareBufferPropertiesANDROID");
	CHECK(c, vk->vkGetMemoryAndroidHardwareBufferANDROID,
		"vkGetDeviceProcAddr has no vkGetMemoryAndroidHardwareBufferANDROID");
}

struct answer {
	VkAndroidHardwareBufferPropertiesANDROID properties;
	VkAndroidHardwareBufferFormatPropertiesANDROID format;
};

static struct answer
ask(struct check *c)
{
	struct answer answer = {
		.properties.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_PROPERTIES_ANDROID,
		.format.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_FORMAT_PROPERTIES_ANDROID,
	};
	struct check_device device;
	struct kr_buffer *buffer;

	native_hardware_device(c, &device);
	buffer = check_make_buffer(c, VK_FORMAT_R8G8B8A8_UNORM, NATIVE_HARDWARE_SIDE,
		NATIVE_HARDWARE_SIDE, NATIVE_HARDWARE_USAGE);
	answer.properties.pNext = &answer.format;
	CHECK_SUCCESS(c, vkGetAndroidHardwareBufferPropertiesANDROID, device.device,
		native_hardware_handle(buffer), &answer.properties);
	kr_buffer_unref(buffer);
	return answer;
}

static void
size_is_told(struct check *c)
{
	struct answer answer = ask(c);

	CHECK(c,
		answer.properties.allocationSize >= NATIVE_HARDWARE_SIDE * NATIVE_HARDWARE_SIDE * 4,
		"the allocationSize of a buffer of %u by %u is %llu", NATIVE_HARDWARE_SIDE,
		NATIVE_HARDWARE_SIDE, (unsigned long long)answer.properties.allocationSize);
	CHECK(c, answer.properties.memoryTypeBits, "memoryTypeBits is 0");
}

static void
format_is_told(struct check *c)
{
	struct answer answer = ask(c);

	CHECK(c, answer.format.format == VK_FORMAT_R8G8B8A8_UNORM,
		"the format of a buffer of R8G8B8A8_UNORM is %d", answer.format.format);
}

static void
external_format_is_told(struct check *c)
{
	struct answer answer = ask(c);

	CHECK(c, answer.format.externalFormat,
		"externalFormat is 0 for a buffer that can be sampled");
}

static void
import_is_the_buffer(struct check *c)
{
	struct check_device device;
	struct native_picture picture;

	native_hardware_device(c, &device);
	picture = native_hardware_import(c, &device);
	native_hardware_draw(c, &device, &picture);
	native_hardware_expect_green(c, picture.buffer);
}

static void
import_ends(struct check *c)
{
	struct check_device device;
	unsigned before;

	native_hardware_device(c, &device);
	/* What a driver opens once, it may keep. */
	for (int i = 0; i < 2; i++) {
		struct native_picture picture = native_hardware_import(c, &device);

		native_hardware_destroy(c, &device, &picture);
	}
	before = check_descriptors(c);
	for (int i = 0; i < 20; i++) {
		struct native_picture picture = native_hardware_import(c, &device);

		native_hardware_destroy(c, &device, &picture);
	}
	CHECK(c, check_descriptors(c) <= before + 2,
		"%u descriptors are open where %u were, after 20 imports that are over",
		check_descriptors(c), before);
}

static void
other_sizes_are_refused(struct check *c)
{
	struct check_device device;
	struct kr_buffer *buffer;
	VkDeviceMemory memory;
	VkResult result;

	native_hardware_device(c, &device);
	buffer = check_make_buffer(c, VK_FORMAT_R8G8B8A8_UNORM, NATIVE_HARDWARE_SIDE,
		NATIVE_HARDWARE_SIDE, NATIVE_HARDWARE_USAGE);
	result = native_hardware_try_import(c, &device,
		native_hardware_image(c, &device, 2 * NATIVE_HARDWARE_SIDE), buffer, &memory);
	CHECK(c, result < 0, "a buffer %u pixels wide was taken for an image of %u: %s",
		NATIVE_HARDWARE_SIDE, 2 * NATIVE_HARDWARE_SIDE, check_result_name(result));
}

static void
export_is_one_buffer(struct check *c)
{
	const VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = NATIVE_HARDWARE_BUFFER,
	};
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .pNext = &export};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &dedicated};
	VkMemoryGetAndroidHardwareBufferInfoANDROID get = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_ANDROID_HARDWARE_BUFFER_INFO_ANDROID};
	struct AHardwareBuffer *first, *second;
	struct check_device device;
	struct native_picture picture = {0};
	VkMemoryRequirements needs;

	native_hardware_device(c, &device);
	picture.image = native_hardware_image(c, &device, NATIVE_HARDWARE_SIDE);
	dedicated.image = picture.image;
	CHECK_CALL(c, vkGetImageMemoryRequirements, device.device, picture.image, &needs);
	info.memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits);
	CHECK_SUCCESS(c, vkAllocateMemory, device.device, &info, NULL, &picture.memory);
	CHECK_SUCCESS(c, vkBindImageMemory, device.device, picture.image, picture.memory, 0);
	get.memory = picture.memory;
	CHECK_SUCCESS(c, vkGetMemoryAndroidHardwareBufferANDROID, device.device, &get, &first);
	CHECK_SUCCESS(c, vkGetMemoryAndroidHardwareBufferANDROID, device.device, &get, &second);
	CHECK(c, first == second, "one memory gave two different buffers");
	if (kr_buffer_from_any(first, &picture.buffer))
		check_fail(c, "what memory gave is no buffer of the platform's");
	if (kr_buffer_get_info(picture.buffer)->backend == KR_BUFFER_GPU)
		return;
	native_hardware_draw(c, &device, &picture);
	native_hardware_expect_green(c, picture.buffer);
}

static const struct check_case rows[] = {
	{
		.name = "hardware.is_offered_whole",
		.requirement = "W-11",
		.expected =
			"devices that list VK_ANDROID_external_memory_android_hardware_buffer list VK_EXT_queue_family_foreign, too",
		.consequence = "programs that enable what the extension needs get no device",
		.run = is_offered_whole,
	},
	{
		.name = "hardware.functions_are_there",
		.requirement = "W-11",
		.expected =
			"where the extension is enabled, vkGetDeviceProcAddr finds its two functions",
		.consequence = "programs call NULL",
		.run = functions_are_there,
	},
	{
		.name = "hardware.size_is_told",
		.requirement = "W-11",
		.expected = "an AHardwareBuffer has a size that holds its pixels, and memory types",
		.consequence = "programs allocate memory of a size that nobody can use",
		.run = size_is_told,
	},
	{
		.name = "hardware.format_is_told",
		.requirement = "W-11",
		.expected = "an AHardwareBuffer of R8G8B8A8_UNORM has that VkFormat",
		.consequence = "programs can sample it, and do nothing else with it",
		.run = format_is_told,
	},
	{
		.name = "hardware.external_format_is_told",
		.requirement = "W-11",
		.expected = "an AHardwareBuffer that can be sampled has an external format",
		.consequence = "programs that sample whatever comes by its external format can't",
		.run = external_format_is_told,
	},
	{
		.name = "hardware.import_is_the_buffer",
		.requirement = "W-11",
		.expected = "what is drawn into an image over an AHardwareBuffer is in the buffer",
		.consequence = "others see old pixels, or none",
		.run = import_is_the_buffer,
	},
	{
		.name = "hardware.import_ends",
		.requirement = "W-11 S-06",
		.expected = "memory that is freed leaves its AHardwareBuffer",
		.consequence = "each import costs memory and a descriptor until the program ends",
		.run = import_ends,
	},
	{
		.name = "hardware.other_sizes_are_refused",
		.requirement = "W-11",
		.expected = "an image larger than the AHardwareBuffer gets no memory of it",
		.consequence = "a program draws over memory that is somebody else's",
		.run = other_sizes_are_refused,
	},
	{
		.name = "hardware.export_is_one_buffer",
		.requirement = "W-11",
		.expected =
			"memory that is exported is the same AHardwareBuffer each time, with what was drawn",
		.consequence = "others get a buffer in which nothing appears",
		.run = export_is_one_buffer,
	},
};
const struct check_rows check_native_hardware = CHECK_ROWS(rows);
