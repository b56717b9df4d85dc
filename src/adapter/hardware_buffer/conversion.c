/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of external formats, and the samplers and views that have them. */
#include <stdatomic.h>

#include "adapter/hardware_buffer/external_format.h"
#include "adapter/hardware_buffer/hardware_buffer.h"
#include "adapter/instance.h"
#include "chain/chain.h"
#include "gpu/format.h"
#include "util/alloc.h"

struct kr_ahb_conversion {
	struct kr_ahb_conversion *next;
	VkSamplerYcbcrConversion handle;
	VkFormat format; /* that the number stands for */
	bool plain;      /* views and samplers have none */
	VkComponentMapping components;
};

static struct kr_ahb_conversion **
find_locked(struct kr_adapter_device *device, VkSamplerYcbcrConversion handle)
	KR_REQUIRES(device->hardware_buffers.lock)
{
	struct kr_ahb_conversion **link = &device->hardware_buffers.first_conversion;

	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	return link;
}

/* What the chain's conversion is, if it is one of an external format. */
static bool
find_in_chain(
	struct kr_adapter_device *device, const void *chain, struct kr_ahb_conversion *conversion)
{
	const VkSamplerYcbcrConversionInfo *info =
		kr_chain_find(chain, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO);
	const struct kr_ahb_conversion *found;

	if (!info ||
		!atomic_load_explicit(
			&device->hardware_buffers.conversion_count, memory_order_relaxed))
		return false;
	kr_mutex_lock(&device->hardware_buffers.lock);
	found = *find_locked(device, info->conversion);
	if (found)
		*conversion = *found;
	kr_mutex_unlock(&device->hardware_buffers.lock);
	return found;
}

static bool
is_conversion(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO;
}

static bool
is_external_format(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_EXTERNAL_FORMAT_ANDROID;
}

/* --- making them --- */

static VkResult
create_by_driver(struct kr_adapter_device *device, const VkSamplerYcbcrConversionCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkSamplerYcbcrConversion *conversion)
{
	PFN_vkCreateSamplerYcbcrConversion create = device->vk.CreateSamplerYcbcrConversion;

	if (!create)
		create = device->vk.CreateSamplerYcbcrConversionKHR;
	return create(device->handle, info, allocator, conversion);
}

static void
destroy_by_driver(struct kr_adapter_device *device, VkSamplerYcbcrConversion conversion,
	const VkAllocationCallbacks *allocator)
{
	PFN_vkDestroySamplerYcbcrConversion destroy = device->vk.DestroySamplerYcbcrConversion;

	if (!destroy)
		destroy = device->vk.DestroySamplerYcbcrConversionKHR;
	destroy(device->handle, conversion, allocator);
}

/* Never used: every driver with conversions has this one, and the handle is all that it is for. */
static VkResult
create_stand_in(struct kr_adapter_device *device, const VkAllocationCallbacks *allocator,
	VkSamplerYcbcrConversion *conversion)
{
	const VkFormat format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
	VkSamplerYcbcrConversionCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
		.format = format,
		.ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY,
		.ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_FULL,
	};
	struct kr_external_features features;

	kr_external_features_ask(device->gpu, format, &features);
	if (!((features.linear | features.optimal) &
		    VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT))
		info.xChromaOffset = info.yChromaOffset = VK_CHROMA_LOCATION_MIDPOINT;
	return create_by_driver(device, &info, allocator, conversion);
}

static VkResult
refuse(const char *what)
{
	(void)kr_ahb_refuse("vkCreateSamplerYcbcrConversion", what);
	return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

static VkResult
create(struct kr_adapter_device *device, const VkSamplerYcbcrConversionCreateInfo *given,
	const VkAllocationCallbacks *allocator, struct kr_ahb_conversion *conversion)
{
	VkSamplerYcbcrConversionCreateInfo info = *given;
	struct kr_arena arena;
	enum kr_ahb_way way;
	VkResult result;

	if (!kr_external_format_from_number(
		    kr_external_format_find(given->pNext), &conversion->format, &way))
		return refuse("that is no external format of an AHardwareBuffer");
	if (!device->hardware_buffers.conversions)
		return refuse(kr_external_format_why_no_conversions(device));
	conversion->components = info.components;
	conversion->plain = !kr_gpu_format_needs_conversion(conversion->format);
	if (kr_gpu_format_is_depth(conversion->format))
		return refuse("there is no conversion of depth and stencil");
	if (conversion->plain && info.ycbcrModel != VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY)
		return refuse("buffers without YCbCr have the model RGB_IDENTITY alone");
	if (conversion->plain)
		return create_stand_in(device, allocator, &conversion->handle);
	info.format = conversion->format;
	kr_arena_init(&arena, device->allocator);
	result = kr_chain_strip(&arena, info.pNext, is_external_format,
		"vkCreateSamplerYcbcrConversion", &info.pNext);
	if (result == VK_SUCCESS)
		result = create_by_driver(device, &info, allocator, &conversion->handle);
	kr_arena_finish(&arena);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_ahb_CreateSamplerYcbcrConversion(VkDevice device,
	const VkSamplerYcbcrConversionCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkSamplerYcbcrConversion *pYcbcrConversion)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	struct kr_ahb_conversion *conversion;
	VkResult result;

	if (!kr_external_format_find(pCreateInfo->pNext))
		return create_by_driver(state, pCreateInfo, pAllocator, pYcbcrConversion);
	conversion = kr_object_alloc(
		state->allocator, sizeof(*conversion), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!conversion)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = create(state, pCreateInfo, pAllocator, conversion);
	if (result != VK_SUCCESS) {
		kr_object_free(conversion);
		return result;
	}
	*pYcbcrConversion = conversion->handle;
	kr_mutex_lock(&state->hardware_buffers.lock);
	conversion->next = state->hardware_buffers.first_conversion;
	state->hardware_buffers.first_conversion = conversion;
	kr_mutex_unlock(&state->hardware_buffers.lock);
	atomic_fetch_add_explicit(
		&state->hardware_buffers.conversion_count, 1, memory_order_relaxed);
	return VK_SUCCESS;
}

static void
forget(struct kr_adapter_device *device, VkSamplerYcbcrConversion handle)
{
	struct kr_ahb_conversion **link, *found;

	if (!atomic_load_explicit(&device->hardware_buffers.conversion_count, memory_order_relaxed))
		return;
	kr_mutex_lock(&device->hardware_buffers.lock);
	link = find_locked(device, handle);
	found = *link;
	if (found)
		*link = found->next;
	kr_mutex_unlock(&device->hardware_buffers.lock);
	if (!found)
		return;
	kr_object_free(found);
	atomic_fetch_sub_explicit(
		&device->hardware_buffers.conversion_count, 1, memory_order_relaxed);
}

VKAPI_ATTR void VKAPI_CALL
kr_ahb_DestroySamplerYcbcrConversion(VkDevice device, VkSamplerYcbcrConversion ycbcrConversion,
	const VkAllocationCallbacks *pAllocator)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);

	forget(state, ycbcrConversion);
	destroy_by_driver(state, ycbcrConversion, pAllocator);
}

void
kr_ahb_conversions_finish(struct kr_adapter_device *device) KR_NO_THREAD_SAFETY
{
	while (device->hardware_buffers.first_conversion) {
		struct kr_ahb_conversion *conversion = device->hardware_buffers.first_conversion;

		device->hardware_buffers.first_conversion = conversion->next;
		kr_object_free(conversion);
	}
}

/* --- what has them --- */

VKAPI_ATTR VkResult VKAPI_CALL
kr_ahb_CreateSampler(VkDevice device, const VkSamplerCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkSampler *pSampler)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	VkSamplerCreateInfo info = *pCreateInfo;
	struct kr_ahb_conversion conversion;
	struct kr_arena arena;
	VkResult result;

	if (!find_in_chain(state, info.pNext, &conversion) || !conversion.plain)
		return state->vk.CreateSampler(device, pCreateInfo, pAllocator, pSampler);
	kr_arena_init(&arena, state->allocator);
	result = kr_chain_strip(&arena, info.pNext, is_conversion, "vkCreateSampler", &info.pNext);
	if (result == VK_SUCCESS)
		result = state->vk.CreateSampler(device, &info, pAllocator, pSampler);
	kr_arena_finish(&arena);
	return result;
}

/* The format that an image of an external format has in truth. */
static VkFormat
format_of_image(struct kr_adapter_device *device, VkImage image)
{
	const struct kr_ahb_object *object = NULL;

	if (atomic_load_explicit(&device->hardware_buffers.object_count, memory_order_relaxed))
		object = kr_ahb_object_find(device, true, (uint64_t)(uintptr_t)image);
	return object && object->external_format ? (VkFormat)object->is.format
						 : VK_FORMAT_UNDEFINED;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_ahb_CreateImageView(VkDevice device, const VkImageViewCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkImageView *pView)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	VkImageViewCreateInfo info = *pCreateInfo;
	struct kr_ahb_conversion conversion;
	struct kr_arena arena;
	VkResult result;

	if (!info.format)
		info.format = format_of_image(state, info.image);
	if (pCreateInfo->format || !info.format)
		return state->vk.CreateImageView(device, pCreateInfo, pAllocator, pView);
	if (!find_in_chain(state, info.pNext, &conversion) || conversion.format != info.format) {
		(void)kr_ahb_refuse("vkCreateImageView",
			"an image of an external format is seen by a conversion of that very format");
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	}
	if (!conversion.plain)
		return state->vk.CreateImageView(device, &info, pAllocator, pView);
	/* The application's own swizzle is none, beside a conversion. */
	info.components = conversion.components;
	kr_arena_init(&arena, state->allocator);
	result =
		kr_chain_strip(&arena, info.pNext, is_conversion, "vkCreateImageView", &info.pNext);
	if (result == VK_SUCCESS)
		result = state->vk.CreateImageView(device, &info, pAllocator, pView);
	kr_arena_finish(&arena);
	return result;
}
