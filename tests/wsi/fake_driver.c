/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_driver.h"

#include "harness.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "util/macros.h"
#include "gralloc/gpu_memory.h"
#include "util/native_acquire.h"
#include "util/native_memory.h"

struct fake_driver fake;
bool fake_release_wanted;

static uint32_t
index_of(uint64_t handle)
{
	return (uint32_t)handle - 1;
}

static const void *
find(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *s = chain;

	while (s && s->sType != type)
		s = s->pNext;
	return s;
}

static void VKAPI_CALL
get_format_properties(VkPhysicalDevice gpu, VkFormat format, VkFormatProperties *properties)
{
	memset(properties, 0, sizeof(*properties));
	if (fake.only_format == VK_FORMAT_UNDEFINED || fake.only_format == format)
		properties->optimalTilingFeatures = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
}

static VkResult VKAPI_CALL
get_image_format_properties(VkPhysicalDevice gpu, VkFormat format, VkImageType type,
	VkImageTiling tiling, VkImageUsageFlags usage, VkImageCreateFlags flags,
	VkImageFormatProperties *properties)
{
	if ((fake.only_format != VK_FORMAT_UNDEFINED && fake.only_format != format) ||
		(usage & fake.refused_usage) ||
		(format == VK_FORMAT_B8G8R8A8_SRGB && (usage & fake.srgb_refused_usage)) ||
		type != VK_IMAGE_TYPE_2D || tiling != VK_IMAGE_TILING_OPTIMAL)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	memset(properties, 0, sizeof(*properties));
	properties->maxExtent = (VkExtent3D){fake.max_extent, fake.max_extent, 1};
	return VK_SUCCESS;
}

static VkResult VKAPI_CALL
get_image_format_properties2(VkPhysicalDevice gpu, const VkPhysicalDeviceImageFormatInfo2 *info,
	VkImageFormatProperties2 *properties)
{
	VkAndroidHardwareBufferUsageANDROID *usage = (void *)(uintptr_t)find(
		properties->pNext, VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_USAGE_ANDROID);
	const VkPhysicalDeviceExternalImageFormatInfo *external =
		find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
	VkImageCompressionPropertiesEXT *compression = (void *)(uintptr_t)find(
		properties->pNext, VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT);

	if ((info->flags & fake.refused_flags) ||
		(fake.refuses_compression &&
			find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT)))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (usage) {
		assert_non_null(external);
		assert_int_equal(external->handleType,
			VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID);
		fake.format2_asks++;
		fake.format2_format = info->format;
		if (fake.usages_refused & 1 << 11)
			return VK_ERROR_FORMAT_NOT_SUPPORTED;
		if (fake.hardware_usage)
			usage->androidHardwareBufferUsage = fake.hardware_usage;
	}
	if (compression)
		compression->imageCompressionFlags = VK_IMAGE_COMPRESSION_DISABLED_EXT;
	return get_image_format_properties(gpu, info->format, info->type, info->tiling, info->usage,
		info->flags, &properties->imageFormatProperties);
}

static void VKAPI_CALL
get_queue_families(VkPhysicalDevice gpu, uint32_t *count, VkQueueFamilyProperties *families)
{
	if (families && *count >= 2) {
		memset(families, 0, 2 * sizeof(*families));
		families[0].queueFlags = fake.queue_flags;
		families[1].queueFlags = VK_QUEUE_SPARSE_BINDING_BIT;
	}
	*count = 2;
}

static VkResult VKAPI_CALL
create_image(VkDevice device, const VkImageCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkImage *image)
{
	const VkNativeBufferANDROID *native =
		find(info->pNext, VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID);
	const VkImageSwapchainCreateInfoKHR *of =
		find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
	const VkSwapchainImageCreateInfoANDROID *usage =
		find(info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID);
	const VkImageFormatListCreateInfo *formats =
		find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);

	if (fake.fail_image_at && --fake.fail_image_at == 0)
		return fake.fail_image_with;
	fake.image_info = *info;
	fake.image_had_flags |=
		find(info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID) != NULL;
	fake.image_usage = usage ? usage->usage : 0;
	fake.image_had_native = native != NULL;
	fake.image_chain = 0;
	for (const VkBaseInStructure *link = info->pNext; link; link = link->pNext)
		fake.image_chain++;
	fake.image_had_compression =
		find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT) != NULL;
	fake.image_view_formats = formats ? formats->viewFormatCount : 0;
	fake.image_had_swapchain_info = of != NULL;
	fake.image_swapchain = of ? of->swapchain : VK_NULL_HANDLE;
	for (uint32_t i = 0; i < FAKE_MAX; i++) {
		if (fake.images[i].live)
			continue;
		fake.images[i] = (struct fake_image){.live = true};
		if (native)
			fake.images[i].native = *native;
		fake.images_live++;
		*image = (VkImage)(uintptr_t)(i + 1);
		return VK_SUCCESS;
	}
	return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static void VKAPI_CALL
destroy_image(VkDevice device, VkImage image, const VkAllocationCallbacks *allocator)
{
	if (!image)
		return;
	fake.images[index_of((uintptr_t)image)].live = false;
	fake.images_live--;
}

static VkResult VKAPI_CALL
create_semaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkSemaphore *semaphore)
{
	if (fake.semaphore_result != VK_SUCCESS)
		return fake.semaphore_result;
	for (uint32_t i = 0; i < FAKE_MAX; i++) {
		if (fake.semaphores[i])
			continue;
		fake.semaphores[i] = 1;
		fake.semaphores_live++;
		*semaphore = (VkSemaphore)(uintptr_t)(i + 1);
		return VK_SUCCESS;
	}
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void VKAPI_CALL
destroy_semaphore(VkDevice device, VkSemaphore semaphore, const VkAllocationCallbacks *allocator)
{
	if (!semaphore)
		return;
	fake.semaphores[index_of((uintptr_t)semaphore)] = 0;
	fake.semaphores_live--;
}

VkSemaphore
fake_signalled_semaphore(void)
{
	VkSemaphore semaphore = VK_NULL_HANDLE;

	create_semaphore(NULL, NULL, NULL, &semaphore);
	fake.semaphores_live--;
	fake.semaphores[index_of((uintptr_t)semaphore)] = 2;
	return semaphore;
}

static void
take_waits(uint32_t count, const VkSemaphore *semaphores)
{
	for (uint32_t i = 0; i < count; i++) {
		int *state = &fake.semaphores[index_of((uintptr_t)semaphores[i])];

		fake.semaphore_errors += *state != 2;
		*state = 1;
	}
}

static VkResult VKAPI_CALL
queue_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
	fake.submits++;
	if (fake.submit_result != VK_SUCCESS)
		return fake.submit_result;
	if (fake.fail_submits) {
		fake.fail_submits--;
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (fence) {
		fake.submit_fences[fake.submit_fence_count++] = fence;
		fake.submit_fence_releases = fake.releases;
	}
	for (uint32_t i = 0; i < count; i++) {
		fake.submit_waits += submits[i].waitSemaphoreCount;
		fake.submit_signals += submits[i].signalSemaphoreCount;
		take_waits(submits[i].waitSemaphoreCount, submits[i].pWaitSemaphores);
		for (uint32_t k = 0; k < submits[i].signalSemaphoreCount; k++) {
			int *state = &fake.semaphores[index_of(
				(uintptr_t)submits[i].pSignalSemaphores[k])];

			fake.semaphore_errors += *state != 1;
			*state = 2;
		}
	}
	return VK_SUCCESS;
}

static VkResult VKAPI_CALL
queue_wait_idle(VkQueue queue)
{
	fake.idles++;
	return VK_SUCCESS;
}

static void
see_chain(const VkPresentInfoKHR *info)
{
	const VkPresentRegionsKHR *regions =
		find(info->pNext, VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR);
	const VkPresentIdKHR *ids = find(info->pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);

	fake.present_had_regions = regions != NULL;
	for (uint32_t i = 0; regions && i < regions->swapchainCount; i++)
		fake.present_rects[i] = regions->pRegions[i].rectangleCount;
	fake.present_ids = ids ? ids->swapchainCount : 0;
	for (uint32_t i = 0; ids && i < ids->swapchainCount; i++)
		fake.present_id[i] = ids->pPresentIds[i];
}

/* Of a structure with one element a swapchain; NULL for the elements is none. */
static uint32_t
copy_elements(const void *structure, void *out, size_t size)
{
	const VkPresentIdKHR *like = structure;

	if (!like || !like->pPresentIds)
		return 0;
	memcpy(out, like->pPresentIds, size * like->swapchainCount);
	return like->swapchainCount;
}

static void
see_arrays(const VkPresentInfoKHR *info)
{
	const VkBaseInStructure *s;

	fake.present_chain = 0;
	for (s = info->pNext; s; s = s->pNext)
		fake.present_chain++;
	fake.present_ids2 = copy_elements(find(info->pNext, VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR),
		fake.present_id2, sizeof(uint64_t));
	fake.present_fences =
		copy_elements(find(info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT),
			fake.present_fence, sizeof(VkFence));
	fake.present_modes =
		copy_elements(find(info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT),
			fake.present_mode, sizeof(VkPresentModeKHR));
	fake.present_masks =
		copy_elements(find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_INFO_KHR),
			fake.present_mask, sizeof(uint32_t));
}

static VkResult VKAPI_CALL
queue_present(VkQueue queue, const VkPresentInfoKHR *info)
{
	fake.presents++;
	fake.present = *info;
	see_chain(info);
	see_arrays(info);
	take_waits(info->waitSemaphoreCount, info->pWaitSemaphores);
	for (uint32_t i = 0; i < info->swapchainCount; i++) {
		fake.present_swapchains[i] = info->pSwapchains[i];
		fake.present_indices[i] = info->pImageIndices[i];
		if (info->pResults && !fake.present_silent)
			info->pResults[i] = fake.present_result;
	}
	return fake.present_result;
}

static VkResult VKAPI_CALL
bind_image_memory2(VkDevice device, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	fake.binds += count;
	for (uint32_t i = 0; i < count; i++) {
		const VkNativeBufferANDROID *native =
			find(infos[i].pNext, VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID);
		const VkBindImageMemorySwapchainInfoKHR *of = find(
			infos[i].pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);

		fake.bind_had_device_group |=
			find(infos[i].pNext,
				VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_DEVICE_GROUP_INFO) != NULL;
		fake.bind_had_native |= native != NULL;
		fake.bind_image = infos[i].image;
		if (fake.bind_result != VK_SUCCESS)
			return fake.bind_result;
		if (native)
			fake.bind_handle = native->handle;
		if (of)
			fake.bind_swapchain = of->swapchain;
	}
	return VK_SUCCESS;
}

static VkResult
usage_asked(uint32_t version, VkSwapchainImageUsageFlagsANDROID flags)
{
	fake.usages_asked |= 1u << version;
	if (flags & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID)
		fake.usages_of_shared |= 1u << version;
	if (fake.usages_refused && !(fake.usages_refused & 1u << version))
		return VK_SUCCESS;
	return fake.usage_result;
}

static VkResult VKAPI_CALL
gralloc_usage(VkDevice device, VkFormat format, VkImageUsageFlags usage, int *bits)
{
	*bits = (int)fake.usage;
	return usage_asked(1, false);
}

static VkResult VKAPI_CALL
gralloc_usage2(VkDevice device, VkFormat format, VkImageUsageFlags usage,
	VkSwapchainImageUsageFlagsANDROID flags, uint64_t *consumer, uint64_t *producer)
{
	*consumer = fake.usage & 0x100;
	*producer = fake.usage & 0x200;
	if ((fake.usage & 0x3) == 0x3)
		*consumer |= 0x6;
	if ((fake.usage & 0x30) == 0x30)
		*producer |= 0x60;
	return usage_asked(2, flags);
}

static VkResult VKAPI_CALL
gralloc_usage3(VkDevice device, const VkGrallocUsageInfoANDROID *info, uint64_t *usage)
{
	*usage = fake.usage;
	return usage_asked(3, false);
}

static VkResult VKAPI_CALL
gralloc_usage4(VkDevice device, const VkGrallocUsageInfo2ANDROID *info, uint64_t *usage)
{
	*usage = fake.usage;
	return usage_asked(4, info->swapchainImageUsage);
}

static VkResult VKAPI_CALL
acquire_image(VkDevice device, VkImage image, int fd, VkSemaphore semaphore, VkFence fence)
{
	fake.acquires++;
	fake.acquire_fd = fd;
	fake.acquire_semaphore = semaphore;
	fake.acquire_fence = fence;
	fake.acquire_status = kr_fence_status(fd);
	/* The driver owns it on every path. */
	if (fd >= 0)
		close(fd);
	if (fake.acquire_timeouts) {
		fake.acquire_timeouts--;
		return VK_TIMEOUT;
	}
	if (fake.acquire_result == VK_SUCCESS)
		fake.images[index_of((uintptr_t)image)].acquired = true;
	return fake.acquire_result;
}

static void VKAPI_CALL
acquire_imports(VkDevice device, VkBool32 *semaphores, VkBool32 *fences)
{
	*semaphores = fake.imports_semaphores;
	*fences = fake.imports_fences;
}

static VkResult VKAPI_CALL
release_image(VkQueue queue, uint32_t wait_count, const VkSemaphore *waits, VkImage image, int *fd)
{
	int fence;

	fake.releases++;
	if (fake.release_result != VK_SUCCESS)
		return fake.release_result;
	fake.release_waits += wait_count;
	take_waits(wait_count, waits);
	fake.images[index_of((uintptr_t)image)].acquired = false;
	*fd = -1;
	if (fake.release_fences &&
		!kr_fence_create(NULL, &fake.producers[fake.producer_count], &fence)) {
		fake.producer_count++;
		*fd = fence;
	}
	return VK_SUCCESS;
}

static VkResult VKAPI_CALL
release_wanted(VkQueue queue, uint32_t wait_count, const VkSemaphore *waits, VkImage image,
	VkBool32 wanted, int *fd, VkBool32 *has_pixels)
{
	VkResult result = release_image(queue, wait_count, waits, image, fd);

	if (result != VK_SUCCESS)
		return result;
	fake.releases_wanted += wanted == VK_TRUE;
	fake.releases_unwanted += wanted == VK_FALSE;
	*has_pixels = wanted;
	return VK_SUCCESS;
}

static VkResult VKAPI_CALL
get_memory(VkDevice device, VkImage image, struct kr_gpu_memory *memory, int *fd)
{
	if (fake.export_result != VK_SUCCESS)
		return fake.export_result;
	*memory = (struct kr_gpu_memory){
		.kind = KR_GPU_OPAQUE_FD,
		.device_uuid = {1},
		.driver_uuid = {2},
		.allocation_size = 320 * 200 * 4 + ++fake.exported,
		.format = VK_FORMAT_B8G8R8A8_UNORM,
		.width = 320,
		.height = 200,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
		.layout = VK_IMAGE_LAYOUT_GENERAL,
	};
	*fd = memfd_create("memory", MFD_CLOEXEC);
	return VK_SUCCESS;
}

void
fake_finish_work(int status)
{
	while (fake.producer_count)
		kr_fence_signal(fake.producers[--fake.producer_count], status);
}

PFN_vkVoidFunction VKAPI_CALL
fake_get_device_proc_addr(VkDevice device, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
		uint32_t version;
	} table[] = {
		{"vkGetSwapchainGrallocUsageANDROID", (PFN_vkVoidFunction)gralloc_usage, 1},
		{"vkGetSwapchainGrallocUsage2ANDROID", (PFN_vkVoidFunction)gralloc_usage2, 2},
		{"vkGetSwapchainGrallocUsage3ANDROID", (PFN_vkVoidFunction)gralloc_usage3, 3},
		{"vkGetSwapchainGrallocUsage4ANDROID", (PFN_vkVoidFunction)gralloc_usage4, 4},
		{"vkAcquireImageANDROID", (PFN_vkVoidFunction)acquire_image, 1},
		{"vkQueueSignalReleaseImageANDROID", (PFN_vkVoidFunction)release_image, 1},
	};

	if (fake_release_wanted && !strcmp(name, "vkQueueSignalReleaseImageKRAFLA"))
		return (PFN_vkVoidFunction)release_wanted;
	if (fake.exports && !strcmp(name, KR_NATIVE_MEMORY_FUNCTION))
		return (PFN_vkVoidFunction)get_memory;
	if (fake.adapter && !strcmp(name, KR_ACQUIRE_IMPORTS_FUNCTION))
		return (PFN_vkVoidFunction)acquire_imports;
	for (size_t i = 0; i < KR_ARRAY_LEN(table); i++) {
		if (!strcmp(table[i].name, name) && table[i].version <= fake.usage_version)
			return table[i].function;
	}
	return NULL;
}

static VKAPI_ATTR void VKAPI_CALL
get_properties(VkPhysicalDevice gpu, VkPhysicalDeviceProperties *properties)
{
	*properties = (VkPhysicalDeviceProperties){.deviceName = "a fake"};
}

void
fake_driver_init(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.max_extent = 16384;
	fake.queue_flags = VK_QUEUE_GRAPHICS_BIT;
	fake.usage_version = 2;
	fake.usage = 0x300;
	fake.instance.GetPhysicalDeviceProperties = get_properties;
	fake.instance.GetPhysicalDeviceFormatProperties = get_format_properties;
	fake.instance.GetPhysicalDeviceImageFormatProperties = get_image_format_properties;
	fake.instance.GetPhysicalDeviceImageFormatProperties2 = get_image_format_properties2;
	fake.instance.GetPhysicalDeviceQueueFamilyProperties = get_queue_families;
	fake.device.CreateImage = create_image;
	fake.device.DestroyImage = destroy_image;
	fake.device.CreateSemaphore = create_semaphore;
	fake.device.DestroySemaphore = destroy_semaphore;
	fake.device.QueueSubmit = queue_submit;
	fake.device.QueueWaitIdle = queue_wait_idle;
	fake.device.QueuePresentKHR = queue_present;
	fake.device.BindImageMemory2 = bind_image_memory2;
}
