/* SPDX-License-Identifier: Apache-2.0 */
/* Images of native buffers. */
#include "null/native_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <krafla/native_buffer.h>

#include "gralloc/buffer.h"
#include "null/counts.h"
#include "null/draw.h"
#include "null/mutants.h"
#include "null/settings.h"

/* Since which version of the extension a structure or member means something. */
#define SINCE_USAGE2      6
#define SINCE_SHARED      6
#define SINCE_BIND        8
#define SINCE_USAGE64     9
#define SINCE_COMPRESSION 9
#define SINCE_HARDWARE    11

static const struct null_settings *
settings_of(const struct null_image *image)
{
	return &image->device->physical_device->instance->settings;
}

static const void *
find(const void *chain, int type)
{
	const VkBaseInStructure *in;

	for (in = chain; in; in = in->pNext) {
		if ((int)in->sType == type)
			return in;
	}
	return NULL;
}

/* A handle that is none, or whose numbers can't be. */
static bool
is_handle(const VkNativeBufferANDROID *native)
{
	const native_handle_t *handle = native->handle;

	return handle && handle->version == (int)sizeof(*handle) && handle->numFds >= 0 &&
		handle->numFds <= NATIVE_HANDLE_MAX_FDS && handle->numInts >= 0 &&
		handle->numInts <= NATIVE_HANDLE_MAX_INTS && native->stride > 0;
}

static void
note_format_list(struct kr_null_image_info *info, const void *chain)
{
	const VkImageFormatListCreateInfo *list =
		find(chain, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);

	if (!list)
		return;
	info->view_format_count = list->viewFormatCount;
	for (uint32_t i = 0; i < KR_MIN(list->viewFormatCount, KR_NULL_VIEW_FORMATS); i++)
		info->view_formats[i] = list->pViewFormats[i];
}

static void
note_info(struct null_image *image, const VkImageCreateInfo *create)
{
	const struct null_settings *settings = settings_of(image);
	const VkImageCompressionControlEXT *compression =
		find(create->pNext, VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT);
	const VkSwapchainImageCreateInfoANDROID *swapchain =
		find(create->pNext, (int)VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID);

	image->info = (struct kr_null_image_info){
		.flags = create->flags,
		.format = create->format,
		.extent = create->extent,
		.usage = create->usage,
		.sharing = create->sharingMode,
		.queue_family_count = create->queueFamilyIndexCount,
		.has_compression = compression != NULL,
		.compression = compression ? compression->flags : 0,
	};
	image->deferred = find(create->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
	note_format_list(&image->info, create->pNext);
	if (swapchain && settings->version >= SINCE_SHARED)
		image->info.swapchain_usage = swapchain->usage;
}

/* All formats of views have texels of one size. */
static bool
is_format_list_valid(const VkImageCreateInfo *create)
{
	const VkImageFormatListCreateInfo *list =
		find(create->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
	uint32_t size = null_format_get(create->format).block_size;
	bool own = false;

	if (!list || !list->viewFormatCount)
		return true;
	for (uint32_t i = 0; i < list->viewFormatCount; i++) {
		if (null_format_get(list->pViewFormats[i]).block_size != size)
			return false;
		own |= list->pViewFormats[i] == create->format;
	}
	return own &&
		(list->viewFormatCount == 1 ||
			(create->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT));
}

/* What a wrong driver doesn't make. */
static bool
is_disliked(const VkImageCreateInfo *create, VkFlags swapchain_usage)
{
	if (create->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT &&
		null_has_fault(refuses_mutable_formats))
		return true;
	if (swapchain_usage && null_has_fault(refuses_images_with_shared_bit))
		return true;
	if (create->usage & VK_IMAGE_USAGE_SAMPLED_BIT && null_has_fault(refuses_to_sample))
		return true;
	return create->format == VK_FORMAT_R5G6B5_UNORM_PACK16 && null_has_fault(refuses_rgb565);
}

/* W-04: what an image of a window's buffer may be, with the abilities that are switched on. */
static VkResult
check_info(const struct null_image *image, const VkImageCreateInfo *create)
{
	const struct null_settings *settings = settings_of(image);
	VkImageCreateFlags allowed = 0;
	bool plain = create->imageType == VK_IMAGE_TYPE_2D && create->extent.depth == 1 &&
		create->mipLevels == 1 && create->arrayLayers == 1 &&
		create->samples == VK_SAMPLE_COUNT_1_BIT &&
		create->tiling == VK_IMAGE_TILING_OPTIMAL &&
		create->initialLayout == VK_IMAGE_LAYOUT_UNDEFINED;

	if (settings->mutable_format)
		allowed |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
	if (settings->protected_memory)
		allowed |= VK_IMAGE_CREATE_PROTECTED_BIT;
	if (settings->multisampled_resolve)
		allowed |= VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT;
	if (!plain || (create->flags & ~allowed) || !is_format_list_valid(create) ||
		is_disliked(create, image->info.swapchain_usage))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (image->info.has_compression &&
		(!settings->compression_control || settings->version < SINCE_COMPRESSION))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (image->info.swapchain_usage & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID &&
		!settings->shared)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	return VK_SUCCESS;
}

static void
note_buffer(struct null_image *image, const VkNativeBufferANDROID *native)
{
	uint32_t version = settings_of(image)->version;
	struct kr_null_image_info *info = &image->info;

	info->has_buffer = VK_TRUE;
	info->stride = native->stride;
	info->buffer_format = native->format;
	info->gralloc_usage = native->usage;
	if (version >= SINCE_USAGE2) {
		info->consumer_usage = native->usage2.consumer;
		info->producer_usage = native->usage2.producer;
	}
	if (version >= SINCE_USAGE64)
		info->gralloc_usage64 = native->usage3;
	if (version >= SINCE_HARDWARE)
		info->hardware_buffer = native->ahb != NULL;
	if (version < SINCE_HARDWARE && null_has_fault(reads_later_members))
		info->hardware_buffer = *(const volatile char *)native->ahb != 0;
	image->lent_fd = native->handle->numFds ? native->handle->data[0] : -1;
}

/* The bits that it asked for are in the handle, and in what is said beside it (W-13). */
static bool
has_usage(const struct null_image *image, const struct kr_buffer_info *buffer)
{
	const struct null_settings *settings = settings_of(image);

	if ((buffer->desc.usage & settings->usage) != settings->usage)
		return false;
	return settings->version < SINCE_USAGE64 ||
		(image->info.gralloc_usage64 & settings->usage) == settings->usage;
}

static bool
fits(const struct null_image *image, const struct kr_buffer_info *info)
{
	return info->desc.width >= image->extent.width &&
		info->desc.height >= image->extent.height && !info->modifier;
}

/* Which buffers a wrong driver refuses. */
static bool
is_refused(const struct null_image *image, const struct kr_buffer_info *info)
{
	if ((uint32_t)image->info.gralloc_usage != info->desc.usage &&
		null_has_fault(reads_usage_as_int))
		return true;
	if (null_has_fault(takes_a_buffer_once)) {
		static uint64_t last;
		bool again = info->id == last;

		last = info->id;
		return again;
	}
	return false;
}

/*
 * Whether the buffer is what the image needs. Where no setting looks into it, any handle does: one
 * that isn't gralloc's is drawn to by nobody.
 */
static VkResult
check_buffer(const struct null_image *image, struct kr_buffer *buffer)
{
	const struct null_settings *settings = settings_of(image);
	const struct kr_buffer_info *info;

	if (buffer && is_refused(image, kr_buffer_get_info(buffer)))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	if (!settings->usage && !settings->own_layout)
		return VK_SUCCESS;
	if (!buffer)
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	info = kr_buffer_get_info(buffer);
	if (!has_usage(image, info) || !fits(image, info))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	return VK_SUCCESS;
}

static bool
is_same_memory(const struct kr_buffer *a, const struct kr_buffer *b)
{
	struct stat of_a, of_b;

	return !fstat(kr_buffer_get_info(a)->fd, &of_a) &&
		!fstat(kr_buffer_get_info(b)->fd, &of_b) && of_a.st_dev == of_b.st_dev &&
		of_a.st_ino == of_b.st_ino;
}

/* The newest other image of the buffer; NULL: there is none. */
static struct null_image *
find_sibling(struct null_device *device, const struct kr_buffer *buffer) KR_REQUIRES(device->lock)
{
	struct null_image *image, *found = NULL;

	kr_list_for_each (image, &device->natives, link) {
		if (is_same_memory(image->buffer, buffer))
			found = image;
	}
	return found;
}

static VkResult
use_layout(struct null_image *image, struct kr_buffer *buffer) KR_REQUIRES(image->device->lock)
{
	struct null_image *sibling;
	int ret = 0;

	if (!settings_of(image)->own_layout)
		return VK_SUCCESS;
	sibling = find_sibling(image->device, buffer);
	if (sibling && sibling->own)
		image->own = null_own_layout_ref(sibling->own);
	else
		ret = null_own_layout_create(buffer, image->extent.width, image->extent.height,
			image->info.swapchain_usage, &image->own);
	return ret ? VK_ERROR_MEMORY_MAP_FAILED : VK_SUCCESS;
}

static VkResult
keep_buffer(struct null_image *image, struct kr_buffer *buffer) KR_REQUIRES(image->device->lock)
{
	bool taken = find_sibling(image->device, buffer);
	VkResult result = use_layout(image, buffer);

	if (taken && !image->deferred && null_has_fault(takes_one_image_of_a_buffer))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	if (taken && image->deferred && null_has_fault(refuses_to_bind_a_buffer_in_use))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	if (result != VK_SUCCESS || !fits(image, kr_buffer_get_info(buffer)))
		return result;
	image->buffer = kr_buffer_ref(buffer);
	kr_list_append(&image->device->natives, &image->link);
	return VK_SUCCESS;
}

static VkResult
use_buffer(struct null_image *image, const VkNativeBufferANDROID *native)
{
	struct kr_buffer *buffer = NULL;
	int ret = kr_buffer_import(native->handle, &buffer);
	VkResult result;

	if (ret && ret != -EINVAL && ret != -EPERM)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = check_buffer(image, buffer);
	if (result == VK_SUCCESS && buffer) {
		kr_mutex_lock(&image->device->lock);
		result = keep_buffer(image, buffer);
		kr_mutex_unlock(&image->device->lock);
	}
	kr_buffer_unref(buffer);
	return result;
}

static VkResult
attach(struct null_image *image, const VkNativeBufferANDROID *native)
{
	struct kr_null_image_info before = image->info;
	VkResult result;

	if (!is_handle(native))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	note_buffer(image, native);
	result = use_buffer(image, native);
	if (result != VK_SUCCESS) {
		image->info = before;
		return result;
	}
	if (null_has_fault(leaks_a_descriptor_per_image))
		(void)!fcntl(image->lent_fd, F_DUPFD_CLOEXEC, 0);
	if (null_has_fault(create_closes_the_handle))
		close(image->lent_fd);
	image->native = true;
	image->shared = image->info.swapchain_usage & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID;
	null_count(images);
	if (image->shared)
		null_count(shared_images);
	if (image->info.hardware_buffer)
		null_count(hardware_buffers);
	return VK_SUCCESS;
}

VkResult
null_native_image_create(struct null_image *image, const VkImageCreateInfo *info)
{
	const VkNativeBufferANDROID *native = NULL;
	VkResult result;

	if (image->device->native_buffer)
		native = find(info->pNext, (int)VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID);
	null_count_chain(info->pNext);
	note_info(image, info);
	if (native != info->pNext && null_has_fault(looks_at_the_first_structure))
		native = NULL;
	if (!native)
		return VK_SUCCESS;
	result = check_info(image, info);
	return result == VK_SUCCESS ? attach(image, native) : result;
}

VkResult
null_native_image_bind(struct null_image *image, const VkBindImageMemoryInfo *info, bool *bound)
{
	const VkNativeBufferANDROID *native = NULL;
	VkResult result;

	*bound = false;
	null_count_chain(info->pNext);
	if (image->device->native_buffer && settings_of(image)->version >= SINCE_BIND)
		native = find(info->pNext, (int)VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID);
	if (!native)
		return VK_SUCCESS;
	if (image->info.swapchain_usage && null_has_fault(refuses_to_bind_shared))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	*bound = null_has_fault(binds_nothing);
	if (*bound)
		return VK_SUCCESS;
	result = attach(image, native);
	if (result != VK_SUCCESS)
		return result;
	image->info.bound = VK_TRUE;
	null_count(binds);
	*bound = true;
	return VK_SUCCESS;
}

void
null_native_image_finish(struct null_image *image)
{
	if (image->deferred && !image->native && null_has_fault(crashes_on_unbound))
		abort();
	if (!image->buffer)
		return;
	if (null_has_fault(destroy_wipes_the_pixels))
		null_draw_mask(image, 0, 0);
	if (null_has_fault(destroy_closes_the_handle))
		close(image->lent_fd);
	free(image->remembered);
	kr_mutex_lock(&image->device->lock);
	kr_list_remove(&image->link);
	null_own_layout_unref(image->own);
	kr_mutex_unlock(&image->device->lock);
	kr_buffer_unref(image->buffer);
}

void
null_native_image_acquired(struct null_device *device, struct null_image *image)
{
	null_count(acquires);
	if (image->acquired && !image->shared)
		null_count(missed_releases);
	image->acquired = true;
	image->released = false;
	if (null_has_fault(acquire_wipes_the_pixels))
		null_draw_mask(image, 0, 0);
	if (image->own && null_own_layout_acquire(image->own))
		null_count(outside_changes);
}

void
null_native_image_released(struct null_device *device, struct null_image *image)
{
	null_count(releases);
	if (!image->acquired)
		null_count(missed_acquires);
	if (!image->shared)
		image->acquired = false;
	image->released = true;
	if (image->own)
		null_own_layout_release(image->own);
	if (null_has_fault(release_leaves_its_layout))
		null_draw_mask(image, 0xFF, 0x5A);
	if (null_has_fault(release_draws_again))
		null_draw_again(image);
}

KR_EXPORT void
kr_null_describe_image(VkImage handle, struct kr_null_image_info *info)
{
	*info = null_object(null_image, handle)->info;
}

/* Whether drawing at this place is possible: what kr_null_fill_image and its like answer. */
static int
check_drawing(const struct null_image *image, uint32_t x, uint32_t y)
{
	if (!image->own || null_format_get(image->format).block_size != sizeof(uint32_t))
		return -EINVAL;
	if (!image->acquired && !image->own->acquired)
		return -EPERM;
	return x < image->own->width && y < image->own->height ? 0 : -ERANGE;
}

KR_EXPORT int
kr_null_fill_image(VkImage handle, uint32_t pixel)
{
	struct null_image *image = null_object(null_image, handle);
	int ret;

	kr_mutex_lock(&image->device->lock);
	ret = check_drawing(image, 0, 0);
	if (!ret)
		null_own_layout_fill(image->own, pixel);
	kr_mutex_unlock(&image->device->lock);
	return ret;
}

KR_EXPORT int
kr_null_write_pixel(VkImage handle, uint32_t x, uint32_t y, uint32_t pixel)
{
	struct null_image *image = null_object(null_image, handle);
	int ret;

	kr_mutex_lock(&image->device->lock);
	ret = check_drawing(image, x, y);
	if (!ret)
		null_own_layout_write(image->own, x, y, pixel);
	kr_mutex_unlock(&image->device->lock);
	return ret;
}

KR_EXPORT int
kr_null_read_pixel(VkImage handle, uint32_t x, uint32_t y, uint32_t *pixel)
{
	struct null_image *image = null_object(null_image, handle);
	int ret;

	kr_mutex_lock(&image->device->lock);
	ret = check_drawing(image, x, y);
	if (!ret)
		*pixel = null_own_layout_read(image->own, x, y);
	kr_mutex_unlock(&image->device->lock);
	return ret;
}
