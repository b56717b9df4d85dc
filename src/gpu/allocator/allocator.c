/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of a GPU's memory for programs that have no device: what AHardwareBuffer_allocate can't
 * make of memory of CPUs, or is told to make of a GPU's (KRAFLA_BUFFERS=gpu). libkrafla.so.0
 * registers it when it is loaded; libvulkan.so.1, whose buffers are windows', doesn't.
 *
 * A buffer holds its memory by the descriptor alone: image and VkDeviceMemory go at once.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "gpu/allocator/first.h"
#include "gpu/allocator/session.h"
#include "gpu/allocator/want.h"
#include "gralloc/buffer.h"
#include "util/log.h"
#include "util/mutex.h"

static struct {
	struct kr_mutex lock;
	bool asked;
	bool open;
	struct kr_gpu_session session;
	const char *reason; /* why it isn't */
} allocator = {.lock = KR_MUTEX_INITIALIZER};

/*
 * What a driver has opened doesn't live on in a child, which opens its own; it has to be let go
 * unseen, since a driver's threads aren't there. Nothing is done before a fork: drivers fork
 * themselves, while they are opened.
 */
static void
in_child(void)
{
	kr_mutex_init(&allocator.lock);
	allocator.asked = false;
	allocator.open = false;
}

/* NULL: none can be had, which was told. */
static const struct kr_gpu_session *
get_session_locked(void)
{
	if (allocator.asked)
		return allocator.open ? &allocator.session : NULL;
	allocator.asked = true;
	allocator.open = !kr_gpu_session_open(&allocator.session, &allocator.reason);
	if (allocator.open)
		kr_info("buffers of GPUs' memory are allocated on %s", allocator.session.gpu.name);
	return allocator.open ? &allocator.session : NULL;
}

static int
error_from(VkResult result)
{
	switch (result) {
	case VK_ERROR_OUT_OF_HOST_MEMORY:
	case VK_ERROR_OUT_OF_DEVICE_MEMORY:
		return -ENOMEM;
	case VK_ERROR_TOO_MANY_OBJECTS:
		return -EMFILE;
	case VK_ERROR_FORMAT_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

static int
make(const struct kr_gpu_session *session, const struct kr_buffer_desc *desc,
	const struct kr_gpu_memory *wanted, struct kr_buffer **buffer)
{
	const struct kr_gpu *gpu = &session->gpu;
	struct kr_gpu_memory description;
	struct kr_gpu_image image;
	int fd = -1;
	VkResult result = kr_gpu_image_create(gpu, wanted, &image);

	if (result != VK_SUCCESS)
		return error_from(result);
	result = kr_gpu_first_content(session, &image);
	if (result == VK_SUCCESS)
		result = kr_gpu_image_export(gpu, &image, &fd);
	description = image.description;
	kr_gpu_image_destroy(gpu, &image);
	if (result != VK_SUCCESS)
		return error_from(result);
	return kr_buffer_from_gpu(desc, &description, fd, buffer);
}

/* With `buffer` NULL it only answers whether it would. */
static int
allocate_locked(const struct kr_buffer_desc *desc, struct kr_buffer **buffer, const char **reason)
{
	const struct kr_gpu_session *session = get_session_locked();
	struct kr_gpu_memory wanted;
	int err;

	if (!session) {
		*reason = allocator.reason;
		return -ENODEV;
	}
	err = kr_gpu_want(&session->gpu, desc, &wanted, reason);
	if (err || !buffer)
		return err;
	err = make(session, desc, &wanted, buffer);
	if (err)
		*reason = "its device failed";
	return err;
}

static int
allocate(const struct kr_buffer_desc *desc, struct kr_buffer **buffer)
{
	const char *reason = "";
	struct kr_log_hold hold;
	int err;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&allocator.lock);
	err = allocate_locked(desc, buffer, &reason);
	kr_mutex_unlock(&allocator.lock);
	kr_log_hold_end(&hold);
	if (err && buffer)
		kr_warn("no buffer of %ux%u, %u layers, format %u, usage 0x%llx: %s", desc->width,
			desc->height, desc->layers, desc->format, (unsigned long long)desc->usage,
			reason);
	return err;
}

__attribute__((constructor)) static void
init(void)
{
	if (!pthread_atfork(NULL, NULL, in_child))
		kr_buffer_set_gpu_allocator(allocate);
}
