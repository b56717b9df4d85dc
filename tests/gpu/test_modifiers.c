/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DRM format modifiers, by a device that is a fake: which calls are made, with what. No driver here
 * has them, so what real ones answer isn't known to these tests.
 */
#include "gpu/gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "buffer_rig.h"
#include "gpu/sample.h"
#include "gralloc/buffer.h"
#include "harness.h"

#define TILED_A UINT64_C(0x0300000000000001)
#define TILED_B UINT64_C(0x0300000000000002)
#define LINEAR  UINT64_C(0)

static struct {
	VkDrmFormatModifierPropertiesEXT had[4];
	uint32_t had_count;
	VkExternalMemoryFeatureFlags features; /* of every modifier */
	uint64_t made;                         /* what vkCreateImage takes */
	/* seen */
	VkImageTiling tiling;
	VkSharingMode sharing;
	uint32_t list_count;
	uint64_t list[4];
	VkImageDrmFormatModifierExplicitCreateInfoEXT explicit;
	VkSubresourceLayout planes[4];
	bool dedicated;
	uint64_t allocated, bound_at;
	int objects;
	uint32_t fd_types;
} fake;

static const void *
find(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *base = chain;

	while (base && base->sType != type)
		base = base->pNext;
	return base;
}

static VKAPI_ATTR void VKAPI_CALL
format_properties(VkPhysicalDevice device, VkFormat format, VkFormatProperties2 *properties)
{
	VkDrmFormatModifierPropertiesListEXT *list = (void *)(uintptr_t)find(
		properties, VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT);

	assert_non_null(list);
	if (list->pDrmFormatModifierProperties)
		memcpy(list->pDrmFormatModifierProperties, fake.had,
			fake.had_count * sizeof(fake.had[0]));
	list->drmFormatModifierCount = fake.had_count;
}

static VKAPI_ATTR VkResult VKAPI_CALL
image_format_properties(VkPhysicalDevice device, const VkPhysicalDeviceImageFormatInfo2 *info,
	VkImageFormatProperties2 *properties)
{
	VkExternalImageFormatProperties *external = (void *)(uintptr_t)find(
		properties, VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES);
	const VkPhysicalDeviceExternalImageFormatInfo *handle =
		find(info, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);

	assert_int_equal(handle->handleType, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
	if (info->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
		assert_non_null(find(info,
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT));
	properties->imageFormatProperties = (VkImageFormatProperties){
		.maxExtent = {4096, 4096, 1},
		.maxMipLevels = 1,
		.maxArrayLayers = 1,
		.sampleCounts = 1,
		.maxResourceSize = 1u << 30,
	};
	external->externalMemoryProperties.externalMemoryFeatures = fake.features;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_image(VkDevice device, const VkImageCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkImage *image)
{
	const VkImageDrmFormatModifierListCreateInfoEXT *list =
		find(info, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT);
	const VkImageDrmFormatModifierExplicitCreateInfoEXT *explicit =
		find(info, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT);

	fake.tiling = info->tiling;
	fake.sharing = info->sharingMode;
	fake.list_count = list ? list->drmFormatModifierCount : 0;
	for (uint32_t i = 0; i < fake.list_count; i++)
		fake.list[i] = list->pDrmFormatModifiers[i];
	memset(&fake.explicit, 0, sizeof(fake.explicit));
	if (explicit) {
		fake.explicit = *explicit;
		memcpy(fake.planes, explicit->pPlaneLayouts,
			explicit->drmFormatModifierPlaneCount * sizeof(fake.planes[0]));
	}
	*image = (VkImage)(uintptr_t)1;
	fake.objects++;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_image(VkDevice device, VkImage image, const VkAllocationCallbacks *allocator)
{
	fake.objects--;
}

static VKAPI_ATTR void VKAPI_CALL
image_needs(
	VkDevice device, const VkImageMemoryRequirementsInfo2 *info, VkMemoryRequirements2 *needs)
{
	VkMemoryDedicatedRequirements *dedicated =
		(void *)(uintptr_t)find(needs, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS);

	needs->memoryRequirements = (VkMemoryRequirements){65536, 4096, 3};
	dedicated->prefersDedicatedAllocation = VK_TRUE;
}

static VKAPI_ATTR void VKAPI_CALL
subresource_layout(VkDevice device, VkImage image, const VkImageSubresource *subresource,
	VkSubresourceLayout *layout)
{
	const VkImageAspectFlags first = VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT;

	if (fake.tiling == VK_IMAGE_TILING_LINEAR)
		assert_int_equal(subresource->aspectMask, VK_IMAGE_ASPECT_COLOR_BIT);
	else
		assert_true(
			subresource->aspectMask == first || subresource->aspectMask == first << 1);
	*layout = (VkSubresourceLayout){
		.offset = subresource->aspectMask == first << 1 ? 32768 : 0,
		.rowPitch = 256,
	};
}

static VKAPI_ATTR VkResult VKAPI_CALL
allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info,
	const VkAllocationCallbacks *allocator, VkDeviceMemory *memory)
{
	const VkImportMemoryFdInfoKHR *import =
		find(info, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);

	fake.dedicated = find(info, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO) != NULL;
	fake.allocated = info->allocationSize;
	if (import)
		close(import->fd);
	*memory = (VkDeviceMemory)(uintptr_t)2;
	fake.objects++;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *allocator)
{
	fake.objects--;
}

static VKAPI_ATTR VkResult VKAPI_CALL
bind_image(VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset)
{
	fake.bound_at = offset;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
image_modifier(VkDevice device, VkImage image, VkImageDrmFormatModifierPropertiesEXT *properties)
{
	properties->drmFormatModifier = fake.made;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fd_properties(VkDevice device, VkExternalMemoryHandleTypeFlagBits type, int fd,
	VkMemoryFdPropertiesKHR *properties)
{
	assert_int_equal(type, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
	properties->memoryTypeBits = fake.fd_types;
	return VK_SUCCESS;
}

/* A device with two families, LINEAR of one plane and two tiled modifiers, one of two planes. */
static struct kr_gpu
make_gpu(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.had[0] = (VkDrmFormatModifierPropertiesEXT){LINEAR, 1, 0};
	fake.had[1] = (VkDrmFormatModifierPropertiesEXT){TILED_A, 1, 0};
	fake.had[2] = (VkDrmFormatModifierPropertiesEXT){TILED_B, 2, 0};
	fake.had_count = 3;
	fake.features = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
		VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
	fake.made = TILED_B;
	fake.fd_types = 2;
	return (struct kr_gpu){
		.vk =
			{
				.GetPhysicalDeviceFormatProperties2 = format_properties,
				.GetPhysicalDeviceImageFormatProperties2 = image_format_properties,
				.CreateImage = create_image,
				.DestroyImage = destroy_image,
				.GetImageMemoryRequirements2 = image_needs,
				.GetImageSubresourceLayout = subresource_layout,
				.AllocateMemory = allocate_memory,
				.FreeMemory = free_memory,
				.BindImageMemory = bind_image,
				.GetMemoryFdPropertiesKHR = fd_properties,
				.GetImageDrmFormatModifierPropertiesEXT = image_modifier,
			},
		.memory =
			{
				.memoryTypeCount = 2,
				.memoryTypes = {{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0},
					{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0}},
				.memoryHeapCount = 1,
				.memoryHeaps = {{1u << 30, 0}},
			},
		.max_allocation = UINT64_MAX,
		.opaque_fd = true,
		.dma_buf = true,
		.modifiers = true,
		.families = {0, 2},
		.family_count = 2,
	};
}

static struct kr_gpu_memory
wanted(void)
{
	return (struct kr_gpu_memory){
		.kind = KR_GPU_DMA_BUF,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.width = 64,
		.height = 64,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
		.layout = VK_IMAGE_LAYOUT_GENERAL,
	};
}

/* The driver chooses among all that is tiled, and what it made is described. */
static void
driver_chooses_among_tiled_modifiers(void **state)
{
	const struct kr_gpu gpu = make_gpu();
	const struct kr_gpu_memory image_wanted = wanted();
	struct kr_gpu_image image;

	assert_true(kr_gpu_image_possible(&gpu, &image_wanted));
	assert_int_equal(kr_gpu_image_create(&gpu, &image_wanted, &image), VK_SUCCESS);
	assert_int_equal(fake.tiling, VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT);
	assert_int_equal(fake.sharing, VK_SHARING_MODE_CONCURRENT);
	assert_int_equal(fake.list_count, 2);
	assert_true(fake.list[0] == TILED_A && fake.list[1] == TILED_B);
	assert_true(fake.dedicated);
	assert_int_equal(image.description.memory_type, 1);
	assert_true(image.description.modifier == TILED_B);
	assert_int_equal(image.description.plane_count, 2);
	assert_true(image.description.planes[1].offset == 32768);
	assert_true(image.description.planes[1].row_bytes == 256);
	kr_gpu_image_destroy(&gpu, &image);
	assert_int_equal(fake.objects, 0);
}

/* LINEAR is taken where there is nothing else, or where it is wanted. */
static void
linear_comes_last(void **state)
{
	struct kr_gpu gpu = make_gpu();
	struct kr_gpu_memory image_wanted = wanted();
	struct kr_gpu_image image;

	fake.had_count = 1;
	fake.made = LINEAR;
	assert_int_equal(kr_gpu_image_create(&gpu, &image_wanted, &image), VK_SUCCESS);
	assert_int_equal(fake.list_count, 1);
	assert_true(fake.list[0] == LINEAR);
	kr_gpu_image_destroy(&gpu, &image);
	fake.had_count = 3;
	image_wanted.tiling = VK_IMAGE_TILING_LINEAR;
	assert_int_equal(kr_gpu_image_create(&gpu, &image_wanted, &image), VK_SUCCESS);
	assert_int_equal(fake.list_count, 1);
	assert_true(fake.list[0] == LINEAR);
	kr_gpu_image_destroy(&gpu, &image);
	/* Without the extension it is the tiling of that name. */
	gpu.modifiers = false;
	assert_int_equal(kr_gpu_image_create(&gpu, &image_wanted, &image), VK_SUCCESS);
	assert_int_equal(fake.list_count, 0);
	assert_int_equal(fake.tiling, VK_IMAGE_TILING_LINEAR);
	assert_int_equal(image.description.plane_count, 1);
	assert_true(image.description.planes[0].row_bytes == 256);
	kr_gpu_image_destroy(&gpu, &image);
	fake.features = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
	assert_false(kr_gpu_image_possible(&gpu, &image_wanted));
	gpu.modifiers = true;
	assert_false(kr_gpu_image_possible(&gpu, &image_wanted));
	assert_int_equal(fake.objects, 0);
}

struct arrival {
	struct kr_buffer *buffer;
	int fd;
	struct kr_gpu_memory memory;
};

static void
arrive(struct arrival *arrival)
{
	const struct kr_buffer_desc desc = {256, 128, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN};

	rig_begin_with("udmabuf");
	assert_int_equal(kr_buffer_allocate(&desc, &arrival->buffer), 0);
	arrival->fd = kr_buffer_get_info(arrival->buffer)->fd;
	arrival->memory = wanted();
	arrival->memory.allocation_size = kr_buffer_get_info(arrival->buffer)->size;
	arrival->memory.modifier = TILED_B;
	arrival->memory.plane_count = 2;
	arrival->memory.planes[0].row_bytes = 256;
	arrival->memory.planes[1] = (struct kr_gpu_plane){32768, 512};
}

static void
leave(struct arrival *arrival)
{
	kr_buffer_unref(arrival->buffer);
	rig_end();
	assert_int_equal(fake.objects, 0);
}

/* An import says which modifier, and where the planes lie. */
static void
import_names_modifier_and_planes(void **state)
{
	const struct kr_gpu gpu = make_gpu();
	struct kr_gpu_image image;
	struct arrival arrival;
	const char *reason;

	arrive(&arrival);
	assert_int_equal(kr_gpu_image_import(&gpu, &arrival.memory, arrival.fd, &image, &reason),
		VK_SUCCESS);
	assert_int_equal(fake.tiling, VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT);
	assert_true(fake.explicit.drmFormatModifier == TILED_B);
	assert_int_equal(fake.explicit.drmFormatModifierPlaneCount, 2);
	assert_true(fake.planes[1].offset == 32768 && fake.planes[1].rowPitch == 512);
	assert_true(fake.planes[1].size == 0 && fake.planes[1].arrayPitch == 0);
	assert_int_equal(fake.list_count, 0);
	assert_int_equal(image.description.memory_type, 1);
	assert_true(fake.allocated == arrival.memory.allocation_size);
	assert_true(fake.bound_at == 0);
	kr_gpu_image_destroy(&gpu, &image);
	leave(&arrival);
}

static void
refused(const struct kr_gpu *gpu, const struct arrival *arrival, int err)
{
	const char *reason = NULL;

	assert_int_equal(kr_gpu_memory_check(gpu, &arrival->memory, arrival->fd, &reason), err);
	assert_non_null(reason);
	assert_int_equal(fake.objects, 0);
}

/* A modifier that isn't there, planes that it hasn't, memory that can't be. */
static void
lies_about_modifiers_are_refused(void **state)
{
	const struct kr_gpu gpu = make_gpu();
	struct arrival arrival;

	arrive(&arrival);
	arrival.memory.modifier = 77;
	refused(&gpu, &arrival, -EOPNOTSUPP);
	arrival.memory.modifier = TILED_A;
	refused(&gpu, &arrival, -EINVAL);
	arrival.memory.modifier = TILED_B;
	arrival.memory.plane_count = 0;
	refused(&gpu, &arrival, -EINVAL);
	arrival.memory.plane_count = 5;
	refused(&gpu, &arrival, -EINVAL);
	arrival.memory.plane_count = 2;
	fake.fd_types = 4;
	refused(&gpu, &arrival, -EOPNOTSUPP);
	fake.fd_types = 2;
	fake.features = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
	refused(&gpu, &arrival, -EOPNOTSUPP);
	leave(&arrival);
}

/* LINEAR goes to a device with modifiers as one of them, whoever called it what. */
static void
linear_is_a_modifier_where_there_are_such(void **state)
{
	struct kr_gpu gpu = make_gpu();
	struct kr_gpu_image image;
	struct arrival arrival;

	arrive(&arrival);
	arrival.memory.modifier = LINEAR;
	arrival.memory.tiling = VK_IMAGE_TILING_LINEAR;
	arrival.memory.plane_count = 1;
	arrival.memory.planes[0] = (struct kr_gpu_plane){4096, 512};
	assert_int_equal(
		kr_gpu_image_import(&gpu, &arrival.memory, arrival.fd, &image, NULL), VK_SUCCESS);
	assert_int_equal(fake.tiling, VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT);
	assert_true(fake.explicit.drmFormatModifierPlaneCount == 1);
	assert_true(fake.planes[0].offset == 4096 && fake.planes[0].rowPitch == 512);
	kr_gpu_image_destroy(&gpu, &image);
	/* Without the extension the driver's own rows decide, and the offset is the binding's. */
	gpu.modifiers = false;
	refused(&gpu, &arrival, -EOPNOTSUPP);
	arrival.memory.planes[0].row_bytes = 256;
	assert_int_equal(
		kr_gpu_image_import(&gpu, &arrival.memory, arrival.fd, &image, NULL), VK_SUCCESS);
	assert_int_equal(fake.tiling, VK_IMAGE_TILING_LINEAR);
	assert_true(fake.bound_at == 4096);
	kr_gpu_image_destroy(&gpu, &image);
	leave(&arrival);
}

/* Drivers whose opaque descriptors are dma-bufs take no others, and none that are too small. */
static void
opaque_dma_bufs_are_told_from_files(void **state)
{
	struct kr_gpu_sample sample = {.known = true, .access = O_RDWR, .dma_buf = true};
	struct arrival arrival;
	struct stat status;
	const char *reason;
	uint64_t size;
	int fd;

	memset(&fake, 0, sizeof(fake));
	arrive(&arrival);
	size = arrival.memory.allocation_size;
	assert_int_equal(fstat(arrival.fd, &status), 0);
	sample.type = status.st_mode & S_IFMT;
	assert_int_equal(kr_gpu_sample_check(&sample, arrival.fd, size, &reason), 0);
	assert_int_equal(kr_gpu_sample_check(&sample, arrival.fd, size + 1, &reason), -EINVAL);
	fd = memfd_create("none", MFD_CLOEXEC);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(kr_gpu_sample_check(&sample, fd, size, &reason), -EINVAL);
	close(fd);
	leave(&arrival);
}

static const struct kr_test tests[] = {
	KR_TEST(driver_chooses_among_tiled_modifiers),
	KR_TEST(linear_comes_last),
	KR_TEST(import_names_modifier_and_planes),
	KR_TEST(lies_about_modifiers_are_refused),
	KR_TEST(linear_is_a_modifier_where_there_are_such),
	KR_TEST(opaque_dma_bufs_are_told_from_files),
};
KR_TEST_MAIN(tests)
