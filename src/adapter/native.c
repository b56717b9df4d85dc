/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acquiring images: fences of the platform on one side, semaphores and fences of the ICD on the
 * other (DESIGN 5.2).
 *
 * With SYNC_FD the ICD takes them itself: an acquire imports. A fence that a user-space process
 * made is no sync_file, so it is waited for and -1 imported; so is that of an image into which the
 * buffer is to be copied (refresh.c). Without, the acquire waits, which is
 * short because the window system has waited before within the caller's timeout, and then promises
 * the semaphore (promises.h); an empty submit signals the fence. Releases: release.c.
 */
#include "adapter/native.h"

#include <errno.h>
#include <sys/stat.h>

#include "adapter/image.h"
#include "adapter/queue.h"
#include "adapter/tuning.h"
#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

static VkResult
refuse(int fd)
{
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "vkAcquireImageANDROID: fd %d is no fence", fd);
	return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

/* Waits on the CPU. A fence in error is done: whoever held the buffer holds it no more. */
static VkResult
wait_fence(int fence)
{
	int err = kr_fence_wait(fence, kr_deadline_in(kr_adapter_tuning.acquire_limit_ns));
	char sentence[KR_FENCE_SENTENCE];

	switch (err) {
	case 0:
		return VK_SUCCESS;
	case -ETIME:
		kr_fence_sentence_of(fence, sentence);
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkAcquireImageANDROID: the buffer's fence %s doesn't signal", sentence);
		return VK_TIMEOUT;
	case -EINVAL:
	case -EBADF:
		return refuse(fence);
	default:
		kr_warn("vkAcquireImageANDROID: the buffer's fence failed (%d)", err);
		return VK_SUCCESS;
	}
}

static bool
is_socket(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* A driver may take whatever it is given for a sync_file, and wait for it for ever. */
static VkResult
check_sync_file(int fd)
{
	int32_t status;

	return kr_sync_status(fd, &status) ? refuse(fd) : VK_SUCCESS;
}

/* On success *fd belongs to the ICD. */
static VkResult
import_semaphore(const struct kr_adapter_device *device, VkSemaphore semaphore, int *fd)
{
	const VkImportSemaphoreFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
		.semaphore = semaphore,
		.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
		.fd = *fd,
	};
	VkResult result = device->vk.ImportSemaphoreFdKHR(device->handle, &info);

	if (result == VK_SUCCESS)
		*fd = -1;
	return result;
}

static VkResult
import_fence(const struct kr_adapter_device *device, VkFence fence, int *fd)
{
	const VkImportFenceFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR,
		.fence = fence,
		.flags = VK_FENCE_IMPORT_TEMPORARY_BIT,
		.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
		.fd = *fd,
	};
	VkResult result = device->vk.ImportFenceFdKHR(device->handle, &info);

	if (result == VK_SUCCESS)
		*fd = -1;
	return result;
}

/* Both get the fence; duplicated first, so that a lack of descriptors leaves both as they were. */
static VkResult
import_both(const struct kr_adapter_device *device, int *fd, VkSemaphore semaphore, VkFence fence)
{
	int second = -1;
	VkResult result = VK_SUCCESS;

	if (semaphore && fence && kr_fd_dup(*fd, &second))
		return VK_ERROR_TOO_MANY_OBJECTS;
	if (semaphore)
		result = import_semaphore(device, semaphore, fence ? &second : fd);
	if (fence && result == VK_SUCCESS)
		result = import_fence(device, fence, fd);
	kr_fd_close(&second);
	return result;
}

/*
 * The semaphore is promised (promises.h), and with it that the image, if it is `out`, is taken
 * back; a fence, which nobody submits, is signalled at once, behind that.
 */
static VkResult
signal_both(struct kr_adapter_device *device, struct kr_adapter_image *out, VkSemaphore semaphore,
	VkFence fence)
{
	const struct kr_promise promise = {.semaphore = semaphore, .image = out};
	const struct kr_batch batch = {.signal = semaphore};
	bool promised = false;
	VkResult result;

	if (!out && !semaphore && !fence)
		return VK_SUCCESS;
	if (!device->helper)
		return VK_ERROR_INITIALIZATION_FAILED;
	if (semaphore && (!out || !fence))
		promised = kr_promises_make(&device->promises, &promise);
	if (out && !promised)
		return kr_exported_take_by_helper(device, out, semaphore, fence);
	if (promised && !fence)
		return VK_SUCCESS;
	result = kr_adapter_queue_submit(
		device->helper, semaphore && !promised ? &batch : NULL, fence);
	if (promised && result != VK_SUCCESS)
		kr_promises_take(&device->promises, semaphore, NULL);
	return result;
}

/*
 * The driver gives the semaphore's signal; who waits for it takes the image back, which is known
 * before the driver gets the fence. *promised false: that can't be, and nothing has happened.
 */
static VkResult
import_out(struct kr_adapter_device *device, struct kr_adapter_image *out, int *fd,
	VkSemaphore semaphore, bool *promised)
{
	const struct kr_promise promise = {.semaphore = semaphore, .imported = true, .image = out};
	VkResult result;

	*promised = kr_promises_make(&device->promises, &promise);
	if (!*promised)
		return VK_SUCCESS;
	result = import_semaphore(device, semaphore, fd);
	if (result != VK_SUCCESS)
		kr_promises_take(&device->promises, semaphore, NULL);
	return result;
}

/* Until when the CPU may wait for what others do with the buffer, and then use it. */
static VkResult
begin_cpu(const struct kr_adapter_image *image)
{
	int err;

	if (!image || !image->buffer)
		return VK_SUCCESS;
	err = kr_buffer_begin_cpu(kr_buffer_get_info(image->buffer), KR_DMA_BUF_WRITE,
		kr_deadline_in(kr_adapter_tuning.acquire_limit_ns));
	if (err == -ETIME) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkAcquireImageANDROID: others still use the buffer, a dma-buf");
		return VK_TIMEOUT;
	}
	return err ? VK_ERROR_MEMORY_MAP_FAILED : VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
kr_adapter_GetAcquireImportsKRAFLA(VkDevice device, VkBool32 *semaphores, VkBool32 *fences)
{
	const struct kr_adapter_device *state = kr_adapter_device_from_handle(device);

	*semaphores = state->sync_fd_semaphore;
	*fences = state->sync_fd_fence;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_AcquireImageANDROID(
	VkDevice device, VkImage image, int nativeFenceFd, VkSemaphore semaphore, VkFence fence)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	bool import = (semaphore || fence) && (!semaphore || state->sync_fd_semaphore) &&
		(!fence || state->sync_fd_fence);
	struct kr_adapter_image *native = kr_adapter_image_from_handle(state, image);
	bool stale = native && kr_adapter_image_is_stale(native);
	struct kr_adapter_image *out = kr_exported_is_out(native) ? native : NULL;
	bool promised = false;
	VkResult result = VK_SUCCESS;
	int fd = nativeFenceFd;

	/* Behind the helper's work, which no import could be. */
	import &= !out || !fence;

	if (fd >= 0 && (!import || stale || is_socket(fd))) {
		result = wait_fence(fd);
		kr_fd_close(&fd);
	} else if (fd >= 0) {
		result = check_sync_file(fd);
	}
	if (result == VK_SUCCESS)
		result = begin_cpu(native);
	if (result == VK_SUCCESS && stale)
		result = kr_adapter_image_refresh(state, native);
	if (result == VK_SUCCESS && stale)
		out = NULL;
	if (result == VK_SUCCESS && import && out)
		result = import_out(state, out, &fd, semaphore, &promised);
	if (result == VK_SUCCESS && import && out && !promised)
		result = wait_fence(fd);
	if (result == VK_SUCCESS && !promised)
		result = import && !out ? import_both(state, &fd, semaphore, fence)
					: signal_both(state, out, semaphore, fence);
	kr_fd_close(&fd);
	return result;
}
