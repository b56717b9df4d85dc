/* SPDX-License-Identifier: Apache-2.0 */
/* See framebuffer.h. */
#include "outputs/kms/framebuffer.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include <krafla/hardware_buffer.h>
#include "outputs/kms/log.h"

uint32_t
kms_fourcc(uint32_t format, bool opaque)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
		return opaque ? DRM_FORMAT_XBGR8888 : DRM_FORMAT_ABGR8888;
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		return DRM_FORMAT_XBGR8888;
	case AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM:
		return DRM_FORMAT_BGR888;
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		return DRM_FORMAT_RGB565;
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		return opaque ? DRM_FORMAT_XRGB8888 : DRM_FORMAT_ARGB8888;
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
		return opaque ? DRM_FORMAT_XBGR16161616F : DRM_FORMAT_ABGR16161616F;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		return opaque ? DRM_FORMAT_XBGR2101010 : DRM_FORMAT_ABGR2101010;
	default:
		return 0;
	}
}

void
kms_framebuffers_init(struct kms_framebuffers *cache, int drm, bool prime)
{
	memset(cache, 0, sizeof(*cache));
	cache->drm = drm;
	cache->prime = prime;
}

static void
give_up(struct kms_framebuffers *cache, struct kms_framebuffer *entry)
{
	if (entry->id)
		drmModeRmFB(cache->drm, entry->id);
	memset(entry, 0, sizeof(*entry));
}

void
kms_framebuffers_finish(struct kms_framebuffers *cache)
{
	for (unsigned i = 0; i < KMS_MAX_FRAMEBUFFERS; i++)
		give_up(cache, &cache->entries[i]);
}

void
kms_framebuffers_forget(struct kms_framebuffers *cache, const void *owner)
{
	for (unsigned i = 0; i < KMS_MAX_FRAMEBUFFERS; i++) {
		struct kms_framebuffer *entry = &cache->entries[i];

		if (!entry->used || entry->owner != owner)
			continue;
		if (entry->pins)
			entry->last_used = 0; /* goes when no plane shows it */
		else
			give_up(cache, entry);
	}
}

void
kms_framebuffers_age(struct kms_framebuffers *cache)
{
	cache->count++;
	for (unsigned i = 0; i < KMS_MAX_FRAMEBUFFERS; i++) {
		struct kms_framebuffer *entry = &cache->entries[i];

		if (entry->used && !entry->pins &&
			(!entry->last_used || cache->count - entry->last_used > KMS_KEEP_COMMITS))
			give_up(cache, entry);
	}
}

/* A free entry, made free by the one that was used longest ago if it must; NULL: all are shown. */
static struct kms_framebuffer *
take_entry(struct kms_framebuffers *cache)
{
	struct kms_framebuffer *oldest = NULL;

	for (unsigned i = 0; i < KMS_MAX_FRAMEBUFFERS; i++) {
		struct kms_framebuffer *entry = &cache->entries[i];

		if (!entry->used)
			return entry;
		if (!entry->pins && (!oldest || entry->last_used < oldest->last_used))
			oldest = entry;
	}
	if (oldest)
		give_up(cache, oldest);
	return oldest;
}

/* The framebuffer keeps the memory; the handle that named it is needed no more. */
static int
import(int drm, const struct kr_buffer_info *info, uint32_t fourcc, uint32_t *id)
{
	uint32_t handles[4] = {0}, pitches[4] = {info->row_bytes}, offsets[4] = {0};
	struct drm_gem_close close = {0};
	int ret = 0;

	if (drmPrimeFDToHandle(drm, info->fd, &handles[0]))
		return -errno;
	if (drmModeAddFB2(drm, info->desc.width, info->desc.height, fourcc, handles, pitches,
		    offsets, id, 0))
		ret = -errno;
	close.handle = handles[0];
	drmIoctl(drm, DRM_IOCTL_GEM_CLOSE, &close);
	return ret;
}

static bool
is_of(const struct kms_framebuffer *entry, const struct stat *memory,
	const struct kr_buffer_info *info, uint32_t fourcc)
{
	return entry->used && entry->inode == memory->st_ino && entry->device == memory->st_dev &&
		entry->fourcc == fourcc && entry->width == info->desc.width &&
		entry->height == info->desc.height && entry->row_bytes == info->row_bytes;
}

static void
fill(struct kms_framebuffers *cache, struct kms_framebuffer *entry, const struct stat *memory,
	const struct kr_buffer_info *info, uint32_t fourcc)
{
	int ret = import(cache->drm, info, fourcc, &entry->id);

	if (ret) {
		entry->id = 0;
		if (!cache->told)
			kms_debug(
				"kms: the card takes no %.4s buffer of %ux%u from another driver (%s): such layers are drawn by the client",
				(const char *)&fourcc, info->desc.width, info->desc.height,
				strerror(-ret));
		cache->told = true;
	}
	entry->used = true;
	entry->inode = memory->st_ino;
	entry->device = memory->st_dev;
	entry->fourcc = fourcc;
	entry->width = info->desc.width;
	entry->height = info->desc.height;
	entry->row_bytes = info->row_bytes;
}

struct kms_framebuffer *
kms_framebuffer_get(struct kms_framebuffers *cache, const struct kr_buffer_info *info,
	uint32_t fourcc, const void *owner)
{
	struct kms_framebuffer *entry = NULL;
	struct stat memory;

	if (!cache->prime || !fourcc || info->modifier ||
		!kr_buffer_backend_is_dma_buf(info->backend) || fstat(info->fd, &memory))
		return NULL;
	for (unsigned i = 0; i < KMS_MAX_FRAMEBUFFERS && !entry; i++) {
		if (is_of(&cache->entries[i], &memory, info, fourcc))
			entry = &cache->entries[i];
	}
	if (!entry) {
		entry = take_entry(cache);
		if (!entry)
			return NULL;
		fill(cache, entry, &memory, info, fourcc);
	}
	entry->owner = owner;
	entry->last_used = cache->count + 1;
	return entry->id ? entry : NULL;
}

void
kms_framebuffer_pin(struct kms_framebuffer *framebuffer)
{
	if (framebuffer)
		framebuffer->pins++;
}

void
kms_framebuffer_unpin(struct kms_framebuffer *framebuffer)
{
	if (framebuffer)
		framebuffer->pins--;
}

int
kms_dumb_create(int drm, uint32_t width, uint32_t height, struct kms_dumb *dumb)
{
	uint32_t handles[4] = {0}, pitches[4] = {0}, offsets[4] = {0};
	uint64_t size = 0, offset = 0;
	struct kms_dumb made = {.width = width, .height = height};
	int ret;

	if (drmModeCreateDumbBuffer(
		    drm, width, height, 32, 0, &made.handle, &made.row_bytes, &size))
		return -errno;
	made.size = size;
	handles[0] = made.handle;
	pitches[0] = made.row_bytes;
	if (drmModeAddFB2(drm, width, height, DRM_FORMAT_XRGB8888, handles, pitches, offsets,
		    &made.id, 0) ||
		drmModeMapDumbBuffer(drm, made.handle, &offset)) {
		ret = -errno;
		goto err_destroy;
	}
	made.pixels = mmap(NULL, made.size, PROT_READ | PROT_WRITE, MAP_SHARED, drm, (off_t)offset);
	if (made.pixels == MAP_FAILED) {
		ret = -errno;
		made.pixels = NULL;
		goto err_destroy;
	}
	memset(made.pixels, 0, made.size);
	*dumb = made;
	return 0;

err_destroy:
	kms_dumb_destroy(drm, &made);
	return ret;
}

void
kms_dumb_destroy(int drm, struct kms_dumb *dumb)
{
	if (dumb->pixels)
		munmap(dumb->pixels, dumb->size);
	if (dumb->id)
		drmModeRmFB(drm, dumb->id);
	if (dumb->handle)
		drmModeDestroyDumbBuffer(drm, dumb->handle);
	memset(dumb, 0, sizeof(*dumb));
}
