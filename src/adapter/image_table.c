/* SPDX-License-Identifier: Apache-2.0 */
/* The images of native buffers of a device, by handle: buckets of lists. */
#include "adapter/image.h"

static struct kr_adapter_image **
bucket(struct kr_adapter_device *device, VkImage image) KR_REQUIRES(device->image_lock)
{
	uint64_t key = (uint64_t)(uintptr_t)image * UINT64_C(0x9E3779B97F4A7C15);

	return &device->images[key >> 58];
}

_Static_assert(KR_IMAGE_BUCKETS == 1 << 6, "bucket() takes the upper 6 bits");

/* The link that points to the image's state, or the one at the bucket's end. */
static struct kr_adapter_image **
find(struct kr_adapter_device *device, VkImage image) KR_REQUIRES(device->image_lock)
{
	struct kr_adapter_image **link = bucket(device, image);

	while (*link && (*link)->handle != image)
		link = &(*link)->next;
	return link;
}

struct kr_adapter_image *
kr_adapter_image_from_handle(struct kr_adapter_device *device, VkImage image)
{
	struct kr_adapter_image *state;

	if (!atomic_load_explicit(&device->image_count, memory_order_relaxed))
		return NULL;
	kr_mutex_lock(&device->image_lock);
	state = *find(device, image);
	kr_mutex_unlock(&device->image_lock);
	return state;
}

struct kr_adapter_image *
kr_adapter_image_same_buffer(struct kr_adapter_device *device, const struct kr_adapter_image *image)
{
	struct kr_adapter_image *other = NULL;

	kr_mutex_lock(&device->image_lock);
	for (uint32_t i = 0; i < KR_IMAGE_BUCKETS && !other; i++) {
		other = device->images[i];
		while (other &&
			(!other->buffer || other->borrowed_memory ||
				other->buffer_dev != image->buffer_dev ||
				other->buffer_ino != image->buffer_ino))
			other = other->next;
	}
	kr_mutex_unlock(&device->image_lock);
	return other;
}

void
kr_adapter_image_add(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	struct kr_adapter_image **link;

	kr_mutex_lock(&device->image_lock);
	link = bucket(device, image->handle);
	image->next = *link;
	*link = image;
	kr_mutex_unlock(&device->image_lock);
	atomic_fetch_add_explicit(&device->image_count, 1, memory_order_relaxed);
}

void
kr_adapter_image_complete(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const struct kr_adapter_image *bound)
{
	struct kr_adapter_image *next;

	kr_mutex_lock(&device->image_lock);
	next = image->next;
	*image = *bound;
	image->next = next;
	kr_mutex_unlock(&device->image_lock);
}

struct kr_adapter_image *
kr_adapter_image_take(struct kr_adapter_device *device, VkImage image)
{
	struct kr_adapter_image **link, *state;

	if (!atomic_load_explicit(&device->image_count, memory_order_relaxed))
		return NULL;
	kr_mutex_lock(&device->image_lock);
	link = find(device, image);
	state = *link;
	if (state)
		*link = state->next;
	kr_mutex_unlock(&device->image_lock);
	if (state)
		atomic_fetch_sub_explicit(&device->image_count, 1, memory_order_relaxed);
	return state;
}
