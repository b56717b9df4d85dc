/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_ANDROID_native_buffer, versions 5 to 11: what the platform asks of a driver's usage queries,
 * images, acquires and releases (W-02 to W-10, W-13); and what these cases share.
 */
#ifndef KR_CHECK_NATIVE_NATIVE_H
#define KR_CHECK_NATIVE_NATIVE_H

#include "check/rig/check.h"

extern const struct check_table check_table_native;

extern const struct check_rows check_native_offer;
extern const struct check_rows check_native_usage;
extern const struct check_rows check_native_usage_buffers;
extern const struct check_rows check_native_image;
extern const struct check_rows check_native_image_chain;
extern const struct check_rows check_native_image_life;
extern const struct check_rows check_native_deferred;
extern const struct check_rows check_native_acquire_fd;
extern const struct check_rows check_native_acquire_fd_odd;
extern const struct check_rows check_native_acquire;
extern const struct check_rows check_native_acquire_several;
extern const struct check_rows check_native_release;
extern const struct check_rows check_native_release_waits;
extern const struct check_rows check_native_shared;
extern const struct check_rows check_native_layout;
extern const struct check_rows check_native_layout_formats;
extern const struct check_rows check_native_outside;
extern const struct check_rows check_native_hardware;

/* How long a fence stays active that a driver has to wait for; and what is given to a driver. */
#define NATIVE_LATE_MS  150
#define NATIVE_LIMIT_MS 5000

/* Which versions brought what. */
#define NATIVE_SINCE_SHARED       6
#define NATIVE_SINCE_PRESENTATION 7
#define NATIVE_SINCE_BIND         8
#define NATIVE_SINCE_HARDWARE     11

/* A device with one image of 64 by 64. */
struct native_scene {
	struct check_device device;
	struct check_image image;
};
void native_scene_make(struct check *c, struct native_scene *scene);
/* A buffer for such an image, which is not made yet; with more bits of usage. */
struct check_image native_buffer(
	struct check *c, const struct check_device *device, uint64_t more_usage);

/*
 * An active fence. `fd` is the driver's from the acquire on; `watch`, another descriptor of it,
 * stays here. Drivers may wait for a fence inside the acquire, so that it is signalled from another
 * thread: by native_fence_later, before the acquire.
 */
struct native_fence {
	int fd;
	int watch;
	struct check_timeline *timeline;
};
struct native_fence native_fence_make(struct check *c);
struct native_fence native_fence_later(struct check *c, int delay_ms);
bool native_fence_is_over(struct check *c, const struct native_fence *fence);
/* Whether the driver still has `fd` open, which it was given. */
bool native_fence_is_kept(struct check *c, const struct native_fence *fence);
/* The same once it has had 2 s for it: drivers may close it on a thread of theirs. */
void native_fence_expect_closed(struct check *c, const struct native_fence *fence);

VkSemaphore native_semaphore(struct check *c, const struct check_device *device);
VkFence native_vk_fence(struct check *c, const struct check_device *device);
/* A batch without commands; all three may be null. */
void native_submit(struct check *c, const struct check_device *device, VkSemaphore wait,
	VkSemaphore signal, VkFence fence);
/* Until it is signalled, which has to be within 5 s. `what` it stands for. */
void native_wait(
	struct check *c, const struct check_device *device, VkFence fence, const char *what);
/* The same, and `first` has to be over before it. */
void native_wait_after(struct check *c, const struct check_device *device, VkFence fence,
	const struct native_fence *first, const char *what);
/* A batch that waits for the semaphore is done, which has to be within 5 s. */
void native_consume(struct check *c, const struct check_device *device, VkSemaphore semaphore,
	const char *what);

/* Both have to succeed. The fence of a release is the caller's. */
void native_acquire(struct check *c, const struct native_scene *scene, int take_fd,
	VkSemaphore semaphore, VkFence fence);
int native_release(struct check *c, const struct check_device *device,
	const struct check_image *image, uint32_t wait_count, const VkSemaphore *waits);
/* It signals within 5 s, and not before `first` is over, which may be NULL. Closes it. */
void native_released(struct check *c, int take_fence, const struct native_fence *first);
/* Release and all, on the first queue. */
void native_give_back(
	struct check *c, const struct check_device *device, const struct check_image *image);

/* One frame: acquired with -1, cleared, released; the buffer holds the colour. */
void native_draw(struct check *c, struct check_device *device, struct check_image *image,
	const float rgba[4]);

/* sharedImage, as the driver answers; false before version 7, which has no such answer. */
bool native_shares_images(struct check *c, const struct check_device *device);
/* Not applicable where images can't be shared. */
void native_need_shared(struct check *c, const struct check_device *device);

/* The usage queries, by number; the fifth is AHardwareBuffer's. */
enum native_query {
	NATIVE_QUERY_1 = 1,
	NATIVE_QUERY_2,
	NATIVE_QUERY_3,
	NATIVE_QUERY_4,
	NATIVE_QUERY_AHB,
	NATIVE_QUERY_END,
};
bool native_has_query(struct check *c, const struct check_device *device, enum native_query query);
/* Whether it can be told that an image is shared. */
bool native_query_knows_shared(enum native_query query);
/* What a driver left as it was fails the case, when it says VK_SUCCESS. */
VkResult native_ask(struct check *c, const struct check_device *device, enum native_query query,
	VkFormat format, VkImageUsageFlags usage, bool shared, uint64_t *answer);

/* Formats that windows have. */
#define NATIVE_FORMATS 7
extern const VkFormat native_formats[NATIVE_FORMATS];
const char *native_format_name(VkFormat format);

/* The pixels of an image of four bytes each, read by the device; acquired and presentable. */
void native_read(struct check *c, struct check_device *device, const struct check_image *image,
	VkSemaphore wait, uint32_t *pixels);

#endif
