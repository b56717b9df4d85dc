/* SPDX-License-Identifier: Apache-2.0 */
/* See hardware_buffer.h. */
#include "null/hardware_buffer.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "null/commands.h"
#include "null/mutants.h"

#define CPU (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

static const struct {
	VkFormat format;
	uint32_t buffer; /* AHARDWAREBUFFER_FORMAT_* */
} formats[] = {
	{VK_FORMAT_R8G8B8A8_UNORM, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
	{VK_FORMAT_R8G8B8A8_SRGB, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
	{VK_FORMAT_R8G8B8A8_UNORM, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM},
	{VK_FORMAT_B8G8R8A8_UNORM, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM},
	{VK_FORMAT_R5G6B5_UNORM_PACK16, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM},
	{VK_FORMAT_R16G16B16A16_SFLOAT, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT},
	{VK_FORMAT_R8_UNORM, AHARDWAREBUFFER_FORMAT_R8_UNORM},
	{VK_FORMAT_R16_UINT, AHARDWAREBUFFER_FORMAT_R16_UINT},
	{VK_FORMAT_R16G16_UINT, AHARDWAREBUFFER_FORMAT_R16G16_UINT},
};

static bool
matches(VkFormat format, uint32_t buffer)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].format == format && formats[i].buffer == buffer)
			return true;
	}
	return false;
}

/* 0: buffers have no such format. */
static uint32_t
buffer_format(VkFormat format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].format == format)
			return formats[i].buffer;
	}
	return 0;
}

static VkFormat
format_of(uint32_t buffer)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].buffer == buffer)
			return formats[i].format;
	}
	return VK_FORMAT_UNDEFINED;
}

static const void *
find(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *in = chain;

	while (in && in->sType != type)
		in = in->pNext;
	return in;
}

VkExternalMemoryProperties
null_hardware_properties(bool image)
{
	return (VkExternalMemoryProperties){
		.externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
			VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT |
			(image ? VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT : 0),
		.exportFromImportedHandleTypes = NULL_HARDWARE_BUFFER,
		.compatibleHandleTypes = NULL_HARDWARE_BUFFER,
	};
}

/* --- images --- */

VkResult
null_hardware_image_create(struct null_image *image, const VkImageCreateInfo *info)
{
	const VkExternalMemoryImageCreateInfo *external =
		find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
	const VkExternalFormatANDROID *format =
		find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_FORMAT_ANDROID);

	if (!image->device->hardware_buffers || !external ||
		!(external->handleTypes & NULL_HARDWARE_BUFFER))
		return VK_SUCCESS;
	if (format && format->externalFormat)
		image->format = (VkFormat)format->externalFormat;
	image->hardware = true;
	if (external->handleTypes != NULL_HARDWARE_BUFFER || !buffer_format(image->format) ||
		info->imageType != VK_IMAGE_TYPE_2D || info->samples != VK_SAMPLE_COUNT_1_BIT ||
		info->mipLevels != 1)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	return VK_SUCCESS;
}

void
null_hardware_image_bind(struct null_image *image, const struct null_memory *memory)
{
	if (!image->hardware || !memory || !memory->buffer || image->buffer)
		return;
	kr_mutex_lock(&image->device->lock);
	image->native = true;
	image->buffer = kr_buffer_ref(memory->buffer);
	kr_list_append(&image->device->natives, &image->link);
	kr_mutex_unlock(&image->device->lock);
}

/* --- memory --- */

/* What an image, VkBuffer or none says that the buffer is. */
static bool
fits(const struct null_image *image, const struct kr_buffer_info *info)
{
	if (kr_buffer_is_of_cpus_alone(info))
		return false;
	if (null_has_fault(hardware_takes_any_size))
		return true;
	if (!image)
		return info->desc.format == AHARDWAREBUFFER_FORMAT_BLOB;
	return image->hardware && matches(image->format, info->desc.format) &&
		image->extent.width == info->desc.width &&
		image->extent.height == info->desc.height && image->layers == info->desc.layers;
}

/* Takes the reference. */
static VkResult
keep(struct null_memory *memory, struct kr_buffer *take_buffer)
{
	void *data;

	if (kr_buffer_map(take_buffer, &data)) {
		kr_buffer_unref(take_buffer);
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	}
	memory->buffer = take_buffer;
	memory->data = data;
	memory->size = kr_buffer_get_info(take_buffer)->size;
	return VK_SUCCESS;
}

/* In one mutant: another buffer, of the same kind and content. */
static struct kr_buffer *
copy_of(struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	struct kr_buffer *copy;
	void *from, *to;

	if (kr_buffer_allocate(&info->desc, &copy))
		return buffer;
	if (!kr_buffer_map(buffer, &from) && !kr_buffer_map(copy, &to))
		memcpy(to, from, info->size);
	kr_buffer_unref(buffer);
	return copy;
}

static VkResult
import(struct null_memory *memory, const struct null_image *image, struct AHardwareBuffer *handle)
{
	ANativeWindowBuffer *native = (ANativeWindowBuffer *)(void *)handle;
	struct kr_buffer *buffer;
	VkResult result;

	if (kr_buffer_from_any(native, &buffer))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	if (!fits(image, kr_buffer_get_info(buffer))) {
		kr_buffer_unref(buffer);
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	}
	if (null_has_fault(hardware_is_copied))
		buffer = copy_of(buffer);
	result = keep(memory, buffer);
	if (result != VK_SUCCESS)
		return result;
	native->common.incRef(&native->common);
	memory->native = native;
	return VK_SUCCESS;
}

static VkResult export(
	struct null_memory *memory, const struct null_image *image, VkDeviceSize size)
{
	struct kr_buffer_desc desc = {
		.width = (uint32_t)size,
		.height = 1,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_BLOB,
		.usage = CPU | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER,
	};
	struct kr_buffer *buffer;
	VkResult result;

	if (!image && size > INT32_MAX)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	if (image)
		desc = (struct kr_buffer_desc){
			.width = image->extent.width,
			.height = image->extent.height,
			.layers = image->layers,
			.format = buffer_format(image->format),
			.usage = CPU | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE |
				AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER,
		};
	if ((image && !image->hardware) || kr_buffer_allocate(&desc, &buffer))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	result = keep(memory, buffer);
	if (result == VK_SUCCESS) {
		memory->native = kr_buffer_native(buffer);
		memory->native->common.incRef(&memory->native->common);
	}
	return result;
}

VkResult
null_hardware_memory_allocate(
	struct null_memory *memory, const VkMemoryAllocateInfo *info, bool *is)
{
	const VkImportAndroidHardwareBufferInfoANDROID *imports =
		find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID);
	const VkExportMemoryAllocateInfo *exports =
		find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
	const VkMemoryDedicatedAllocateInfo *dedicated =
		find(info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
	const struct null_image *image =
		dedicated ? null_object(null_image, dedicated->image) : NULL;

	*is = true;
	if (imports && imports->buffer)
		return import(memory, image, imports->buffer);
	if (exports && (exports->handleTypes & NULL_HARDWARE_BUFFER))
		return export(memory, image, info->allocationSize);
	*is = false;
	return VK_SUCCESS;
}

void
null_hardware_memory_finish(struct null_memory *memory)
{
	if (!memory->buffer)
		return;
	if (!null_has_fault(hardware_is_kept))
		memory->native->common.decRef(&memory->native->common);
	kr_buffer_unref(memory->buffer);
}

/* --- the commands --- */

static void
describe_format(const struct kr_buffer_info *info, VkBaseOutStructure *out)
{
	VkFormat format = null_has_fault(hardware_of_no_format) ? 0 : format_of(info->desc.format);
	VkFormatFeatureFlags features = null_format_get(format_of(info->desc.format)).optimal;
	uint64_t external = null_has_fault(external_format_is_0) ? 0 : format_of(info->desc.format);

	for (; out; out = out->pNext) {
		VkAndroidHardwareBufferFormatPropertiesANDROID *first = (void *)out;
		VkAndroidHardwareBufferFormatProperties2ANDROID *second = (void *)out;

		if (out->sType ==
			VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_FORMAT_PROPERTIES_ANDROID)
			*first = (VkAndroidHardwareBufferFormatPropertiesANDROID){
				.sType = first->sType,
				.pNext = first->pNext,
				.format = format,
				.externalFormat = external,
				.formatFeatures = features,
				.suggestedYcbcrModel =
					VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY,
			};
		if (out->sType ==
			VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_FORMAT_PROPERTIES_2_ANDROID)
			*second = (VkAndroidHardwareBufferFormatProperties2ANDROID){
				.sType = second->sType,
				.pNext = second->pNext,
				.format = format,
				.externalFormat = external,
				.formatFeatures = features,
				.suggestedYcbcrModel =
					VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY,
			};
	}
}

static VKAPI_ATTR VkResult VKAPI_CALL
null_GetAndroidHardwareBufferPropertiesANDROID(VkDevice device,
	const struct AHardwareBuffer *handle, VkAndroidHardwareBufferPropertiesANDROID *properties)
{
	const struct kr_buffer_info *info;
	struct kr_buffer *buffer;

	if (kr_buffer_from_any((void *)(uintptr_t)handle, &buffer))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	info = kr_buffer_get_info(buffer);
	/* What only a GPU has, this driver can't reach; of what only CPUs have it makes nothing. */
	if (info->backend == KR_BUFFER_GPU || kr_buffer_is_of_cpus_alone(info) ||
		(info->desc.format != AHARDWAREBUFFER_FORMAT_BLOB &&
			!format_of(info->desc.format))) {
		kr_buffer_unref(buffer);
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	}
	properties->allocationSize = null_has_fault(hardware_size_is_0) ? 0 : info->size;
	properties->memoryTypeBits = 1;
	describe_format(info, properties->pNext);
	kr_buffer_unref(buffer);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
null_GetMemoryAndroidHardwareBufferANDROID(VkDevice device,
	const VkMemoryGetAndroidHardwareBufferInfoANDROID *info, struct AHardwareBuffer **out)
{
	const struct null_memory *memory = null_object(null_memory, info->memory);
	ANativeWindowBuffer *native = memory->native;

	if (!memory->buffer)
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	if (null_has_fault(hardware_export_is_new))
		native = kr_buffer_native(copy_of(kr_buffer_ref(memory->buffer)));
	else
		native->common.incRef(&native->common);
	*out = (struct AHardwareBuffer *)(void *)native;
	return VK_SUCCESS;
}

PFN_vkVoidFunction
null_find_hardware_buffer_function(const char *name)
{
	if (null_has_fault(hardware_has_no_functions))
		return NULL;
	if (!strcmp(name, "vkGetAndroidHardwareBufferPropertiesANDROID"))
		return (PFN_vkVoidFunction)null_GetAndroidHardwareBufferPropertiesANDROID;
	if (!strcmp(name, "vkGetMemoryAndroidHardwareBufferANDROID"))
		return (PFN_vkVoidFunction)null_GetMemoryAndroidHardwareBufferANDROID;
	return NULL;
}
