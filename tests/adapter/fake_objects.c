/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake driver's device-level objects. Whatever is submitted is done at once, but to queues that
 * are held, where fences come later.
 */
#include "fake_objects.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>

#include "chain/chain.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/fd.h"

struct object {
	VK_LOADER_DATA loader; /* first */
	bool second;           /* a device that isn't the only one */
	bool signalled;        /* under `lock`, as what follows */
	bool pending;          /* a held queue will signal it */
	bool held;             /* a queue */
	struct object *held_fences[4 * FAKE_MAX];
	unsigned held_count;
	atomic_bool busy; /* a queue that somebody is in */
	VkExtent3D extent;
	void *memory;
	void *imported; /* of memory; of a buffer, that of the memory it is bound to */
	VkDeviceSize size;
};

/* Of the first device that is alive, and of the second. */
static struct object queues[2][4][8];
/* Of what is signalled, when, and by whom; `changed` whenever something is. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool lost;

void
fake_objects_reset(void)
{
	memset(queues, 0, sizeof(queues));
	lost = false;
}

void *
fake_new(const VkAllocationCallbacks *allocator)
{
	struct object *object =
		kr_zalloc(allocator, sizeof(*object), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!object)
		return NULL;
	set_loader_magic_value(object);
	fake.objects++;
	return object;
}

void *
fake_new_device(const VkAllocationCallbacks *allocator)
{
	struct object *device = fake_new(allocator);

	if (device)
		device->second = fake.devices++ > 0;
	return device;
}

void
fake_delete(void *object, const VkAllocationCallbacks *allocator)
{
	if (!object)
		return;
	fake.objects--;
	kr_free(allocator, object);
}

#define OBJECT(handle) ((struct object *)(handle))

/* vkCreateX and vkDestroyX of objects that nobody asks anything. */
#define LIFE(Type, Info)                                                                           \
	static VKAPI_ATTR VkResult VKAPI_CALL fake_Create##Type(VkDevice device, const Info *info, \
		const VkAllocationCallbacks *allocator, Vk##Type *object)                          \
	{                                                                                          \
		FAKE_FAIL("vkCreate" #Type);                                                       \
		*object = fake_new(allocator);                                                     \
		return *object ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;                         \
	}                                                                                          \
	static VKAPI_ATTR void VKAPI_CALL fake_Destroy##Type(                                      \
		VkDevice device, Vk##Type object, const VkAllocationCallbacks *allocator)          \
	{                                                                                          \
		fake_delete(object, allocator);                                                    \
	}

LIFE(Semaphore, VkSemaphoreCreateInfo)
LIFE(CommandPool, VkCommandPoolCreateInfo)
LIFE(Buffer, VkBufferCreateInfo)

static VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateFence(VkDevice device, const VkFenceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkFence *fence)
{
	FAKE_FAIL("vkCreateFence");
	*fence = fake_new(allocator);
	return *fence ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR void VKAPI_CALL
fake_DestroyFence(VkDevice device, VkFence fence, const VkAllocationCallbacks *allocator)
{
	if (fence && OBJECT(fence)->pending)
		fake.pending_destroys++;
	fake_delete(fence, allocator);
}

static VKAPI_ATTR void VKAPI_CALL
fake_DestroyDevice(VkDevice device, const VkAllocationCallbacks *allocator)
{
	fake.devices--;
	fake_delete(device, allocator);
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue *queue)
{
	*queue = (VkQueue)&queues[OBJECT(device)->second][family][index];
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *info, VkQueue *queue)
{
	*queue = (VkQueue)&queues[OBJECT(device)->second][info->queueFamilyIndex]
				 [4 + info->queueIndex];
}

static void
note_batch(struct fake_submit *submit, const VkSubmitInfo *info)
{
	struct fake_batch *batch = &submit->batches[submit->batch_count++ % 8];

	*batch = (struct fake_batch){
		.wait_count = info->waitSemaphoreCount,
		.command_count = info->commandBufferCount,
	};
	for (uint32_t i = 0; i < info->waitSemaphoreCount; i++) {
		batch->waits[i % 4] = info->pWaitSemaphores[i];
		fake.vain_waits += !OBJECT(info->pWaitSemaphores[i])->signalled;
		OBJECT(info->pWaitSemaphores[i])->signalled = false;
		fake.bad_stages += info->pWaitDstStageMask[i] != VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	}
	for (uint32_t i = 0; i < info->commandBufferCount; i++)
		batch->commands[i % 4] = info->pCommandBuffers[i];
	if (info->signalSemaphoreCount) {
		batch->signal = info->pSignalSemaphores[0];
		fake.double_signals += OBJECT(batch->signal)->signalled;
		OBJECT(batch->signal)->signalled = true;
	}
}

static void
note_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *info, VkFence fence)
{
	struct fake_submit *submit = &fake.submits[fake.submit_count % FAKE_MAX];

	fake.submit_count++;
	*submit = (struct fake_submit){.queue = queue, .fence = fence};
	if (!count)
		return;
	submit->wait_count = info->waitSemaphoreCount;
	for (uint32_t i = 0; i < info->waitSemaphoreCount && i < FAKE_MAX; i++)
		submit->waits[i] = info->pWaitSemaphores[i];
	if (info->commandBufferCount)
		submit->commands = info->pCommandBuffers[0];
	if (info->signalSemaphoreCount)
		submit->signal = info->pSignalSemaphores[0];
	for (uint32_t i = 0; i < count; i++)
		note_batch(submit, &info[i]);
}

/* Now, or when the queue is let go. */
static void
signal_fence(struct object *queue, VkFence fence)
{
	pthread_mutex_lock(&lock);
	OBJECT(fence)->pending = queue->held;
	OBJECT(fence)->signalled = !queue->held;
	if (queue->held)
		queue->held_fences[queue->held_count++ % (4 * FAKE_MAX)] = OBJECT(fence);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

void
fake_hold(VkQueue queue)
{
	pthread_mutex_lock(&lock);
	OBJECT(queue)->held = true;
	pthread_mutex_unlock(&lock);
}

void
fake_let_go(VkQueue queue)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < OBJECT(queue)->held_count; i++) {
		OBJECT(queue)->held_fences[i]->pending = false;
		OBJECT(queue)->held_fences[i]->signalled = true;
	}
	OBJECT(queue)->held_count = 0;
	OBJECT(queue)->held = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

void
fake_lose(void)
{
	pthread_mutex_lock(&lock);
	lost = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *info, VkFence fence)
{
	FAKE_FAIL("vkQueueSubmit");
	if (atomic_exchange(&OBJECT(queue)->busy, true))
		fake.overlaps++;
	sched_yield();
	note_submit(queue, count, info, fence);
	if (fence)
		signal_fence(OBJECT(queue), fence);
	atomic_store(&OBJECT(queue)->busy, false);
	return VK_SUCCESS;
}

/* As a submit of the older kind. */
static VKAPI_ATTR VkResult VKAPI_CALL
fake_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *infos, VkFence fence)
{
	static const VkPipelineStageFlags stages[FAKE_MAX] = {
		[0 ... FAKE_MAX - 1] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
	};
	VkSemaphore waits[8][FAKE_MAX];
	VkCommandBuffer commands[8][FAKE_MAX];
	VkSubmitInfo older[8] = {0};

	for (uint32_t i = 0; i < count && i < 8; i++) {
		older[i] = (VkSubmitInfo){
			.waitSemaphoreCount = infos[i].waitSemaphoreInfoCount,
			.pWaitSemaphores = waits[i],
			.pWaitDstStageMask = stages,
			.commandBufferCount = infos[i].commandBufferInfoCount,
			.pCommandBuffers = commands[i],
		};
		for (uint32_t j = 0; j < infos[i].waitSemaphoreInfoCount; j++)
			waits[i][j] = infos[i].pWaitSemaphoreInfos[j].semaphore;
		for (uint32_t j = 0; j < infos[i].commandBufferInfoCount; j++)
			commands[i][j] = infos[i].pCommandBufferInfos[j].commandBuffer;
	}
	return fake_QueueSubmit(queue, count < 8 ? count : 8, older, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_QueueBindSparse(VkQueue queue, uint32_t count, const VkBindSparseInfo *infos, VkFence fence)
{
	static const VkPipelineStageFlags stages[FAKE_MAX] = {
		[0 ... FAKE_MAX - 1] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
	};
	const VkSubmitInfo info = {
		.waitSemaphoreCount = count ? infos->waitSemaphoreCount : 0,
		.pWaitSemaphores = count ? infos->pWaitSemaphores : NULL,
		.pWaitDstStageMask = stages,
	};

	return fake_QueueSubmit(queue, count, &info, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_QueueWaitIdle(VkQueue queue)
{
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
{
	const VkBindSparseInfo waits = {
		.waitSemaphoreCount = info->waitSemaphoreCount,
		.pWaitSemaphores = info->pWaitSemaphores,
	};

	return fake_QueueBindSparse(queue, 1, &waits, VK_NULL_HANDLE);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_DeviceWaitIdle(VkDevice device)
{
	fake.device_wait_idles++;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_ResetFences(VkDevice device, uint32_t count, const VkFence *fences)
{
	FAKE_FAIL("vkResetFences");
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < count; i++) {
		fake.pending_resets += OBJECT(fences[i])->pending;
		OBJECT(fences[i])->signalled = false;
	}
	pthread_mutex_unlock(&lock);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_GetFenceStatus(VkDevice device, VkFence fence)
{
	bool signalled;

	pthread_mutex_lock(&lock);
	signalled = OBJECT(fence)->signalled;
	pthread_mutex_unlock(&lock);
	return signalled ? VK_SUCCESS : VK_NOT_READY;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_WaitForFences(
	VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout)
{
	int64_t deadline = kr_deadline_in(timeout);
	VkResult result = VK_TIMEOUT;

	fake.fence_waits++;
	FAKE_FAIL("vkWaitForFences");
	pthread_mutex_lock(&lock);
	while (!lost && !OBJECT(fences[0])->signalled && kr_clock_now() < deadline) {
		const struct timespec until = {.tv_sec = deadline / KR_NSEC_PER_SEC,
			.tv_nsec = deadline % KR_NSEC_PER_SEC};

		pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &until);
	}
	if (lost)
		result = VK_ERROR_DEVICE_LOST;
	else if (OBJECT(fences[0])->signalled)
		result = VK_SUCCESS;
	pthread_mutex_unlock(&lock);
	return result;
}

/* An import owns the fd when it succeeds, and only then. */
static VkResult
import(void *object, int fd, unsigned *count)
{
	OBJECT(object)->signalled = true;
	fake.last_import = fd;
	fake.imports_of_nothing += fd < 0;
	++*count;
	if (fd >= 0)
		close(fd);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_ImportSemaphoreFdKHR(VkDevice device, const VkImportSemaphoreFdInfoKHR *info)
{
	FAKE_FAIL("vkImportSemaphoreFdKHR");
	if (info->flags != VK_SEMAPHORE_IMPORT_TEMPORARY_BIT ||
		info->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT)
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	return import(info->semaphore, info->fd, &fake.semaphore_imports);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_ImportFenceFdKHR(VkDevice device, const VkImportFenceFdInfoKHR *info)
{
	FAKE_FAIL("vkImportFenceFdKHR");
	if (info->flags != VK_FENCE_IMPORT_TEMPORARY_BIT ||
		info->handleType != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	return import(info->fence, info->fd, &fake.fence_imports);
}

/* Only a semaphore with a signal can be exported, which takes the signal away. */
static VKAPI_ATTR VkResult VKAPI_CALL
fake_GetSemaphoreFdKHR(VkDevice device, const VkSemaphoreGetFdInfoKHR *info, int *fd)
{
	FAKE_FAIL("vkGetSemaphoreFdKHR");
	if (!OBJECT(info->semaphore)->signalled)
		return VK_ERROR_UNKNOWN;
	if (kr_fd_dup(fake.export_fd, fd))
		return VK_ERROR_TOO_MANY_OBJECTS;
	OBJECT(info->semaphore)->signalled = false;
	fake.semaphore_exports++;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_GetFenceFdKHR(VkDevice device, const VkFenceGetFdInfoKHR *info, int *fd)
{
	return VK_ERROR_UNKNOWN;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateImage(VkDevice device, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkImage *image)
{
	FAKE_FAIL("vkCreateImage");
	*image = fake_new(allocator);
	if (!*image)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	OBJECT(*image)->extent = info->extent;
	fake.last_image = *info;
	fake.image_chain_count = 0;
	for (const VkBaseInStructure *in = info->pNext; in; in = in->pNext)
		fake.image_chain[fake.image_chain_count++] = (uint32_t)in->sType;
	for (uint32_t i = 0; i < info->queueFamilyIndexCount; i++)
		fake.last_image_families[i] = info->pQueueFamilyIndices[i];
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
fake_DestroyImage(VkDevice device, VkImage image, const VkAllocationCallbacks *allocator)
{
	fake_delete(image, allocator);
}

static uint64_t
align(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetImageSubresourceLayout(
	VkDevice device, VkImage image, const VkImageSubresource *part, VkSubresourceLayout *layout)
{
	*layout = (VkSubresourceLayout){
		.offset = fake.layout_offset,
		.rowPitch = align(align(OBJECT(image)->extent.width, 4) * 4, 64) + fake.extra_pitch,
	};
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetImageMemoryRequirements(VkDevice device, VkImage image, VkMemoryRequirements *needs)
{
	*needs = (VkMemoryRequirements){fake.image_size ? fake.image_size : 4096, 4096, 7};
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *needs)
{
	*needs = (VkMemoryRequirements){4096, 4096, 0xe};
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetImageMemoryRequirements2(
	VkDevice device, const VkImageMemoryRequirementsInfo2 *info, VkMemoryRequirements2 *needs)
{
	VkMemoryDedicatedRequirements *dedicated = needs->pNext;

	fake_GetImageMemoryRequirements(device, info->image, &needs->memoryRequirements);
	if (dedicated)
		dedicated->requiresDedicatedAllocation = dedicated->prefersDedicatedAllocation =
			fake.wants_dedicated;
}

static VKAPI_ATTR void VKAPI_CALL
fake_GetBufferMemoryRequirements2(
	VkDevice device, const VkBufferMemoryRequirementsInfo2 *info, VkMemoryRequirements2 *needs)
{
	fake_GetBufferMemoryRequirements(device, info->buffer, &needs->memoryRequirements);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_GetMemoryFdKHR(VkDevice device, const VkMemoryGetFdInfoKHR *info, int *fd)
{
	FAKE_FAIL("vkGetMemoryFdKHR");
	*fd = memfd_create("memory", MFD_CLOEXEC);
	fake.memory_exports++;
	return *fd >= 0 && !ftruncate(*fd, 4096) ? VK_SUCCESS : VK_ERROR_TOO_MANY_OBJECTS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset)
{
	FAKE_FAIL("vkBindImageMemory");
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_BindImageMemory2(VkDevice device, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	FAKE_FAIL("vkBindImageMemory2");
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
	FAKE_FAIL("vkBindBufferMemory");
	OBJECT(buffer)->imported = OBJECT(memory)->imported;
	OBJECT(buffer)->size = OBJECT(memory)->size;
	return VK_SUCCESS;
}

/* "vkAllocateMemory/host" fails imports alone, as a kernel that takes anonymous memory only. */
static VKAPI_ATTR VkResult VKAPI_CALL
fake_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
	const VkAllocationCallbacks *allocator, VkDeviceMemory *memory)
{
	const VkImportMemoryHostPointerInfoEXT *import_info =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);

	FAKE_FAIL("vkAllocateMemory");
	if (import_info)
		FAKE_FAIL("vkAllocateMemory/host");
	fake.last_memory = *info;
	fake.last_memory_exports =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
	fake.last_memory_dedicated =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
	*memory = fake_new(allocator);
	if (!*memory)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	OBJECT(*memory)->size = info->allocationSize;
	OBJECT(*memory)->imported = import_info ? import_info->pHostPointer : NULL;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
fake_FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *allocator)
{
	if (memory)
		free(OBJECT(memory)->memory);
	fake_delete(memory, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
	VkMemoryMapFlags flags, void **data)
{
	FAKE_FAIL("vkMapMemory");
	OBJECT(memory)->memory = malloc(OBJECT(memory)->size);
	memset(OBJECT(memory)->memory, 0x5a, OBJECT(memory)->size);
	*data = OBJECT(memory)->memory;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_GetMemoryHostPointerPropertiesEXT(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
	const void *pointer, VkMemoryHostPointerPropertiesEXT *properties)
{
	FAKE_FAIL("vkGetMemoryHostPointerPropertiesEXT");
	properties->memoryTypeBits = fake.incoherent_host_memory ? 4 : 2;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_AllocateCommandBuffers(
	VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *commands)
{
	FAKE_FAIL("vkAllocateCommandBuffers");
	*commands = fake_new(NULL);
	return *commands ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR void VKAPI_CALL
fake_FreeCommandBuffers(
	VkDevice device, VkCommandPool pool, uint32_t count, const VkCommandBuffer *commands)
{
	fake_delete(commands[0], NULL);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_BeginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info)
{
	FAKE_FAIL("vkBeginCommandBuffer");
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fake_EndCommandBuffer(VkCommandBuffer commands)
{
	FAKE_FAIL("vkEndCommandBuffer");
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
fake_CmdPipelineBarrier(VkCommandBuffer commands, VkPipelineStageFlags from,
	VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t memory_count,
	const VkMemoryBarrier *memory, uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
	uint32_t image_count, const VkImageMemoryBarrier *images)
{
	for (uint32_t i = 0; i < image_count; i++)
		fake.records[fake.record_count++ % (4 * FAKE_MAX)] =
			(struct fake_record){commands, false, images[i]};
}

static VKAPI_ATTR void VKAPI_CALL
fake_CmdFillBuffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
	VkDeviceSize size, uint32_t data)
{
	uint32_t *words = OBJECT(buffer)->imported;

	fake.fills++;
	for (size_t i = 0; fake.fills_imports && words && i < OBJECT(buffer)->size / 4; i++)
		words[i] = data;
}

static VKAPI_ATTR void VKAPI_CALL
fake_CmdCopyImageToBuffer(VkCommandBuffer commands, VkImage image, VkImageLayout layout,
	VkBuffer buffer, uint32_t count, const VkBufferImageCopy *regions)
{
	fake.copies++;
	fake.records[fake.record_count++ % (4 * FAKE_MAX)] =
		(struct fake_record){.commands = commands, .copy = true};
}

static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} functions[] = {
#define FN(name)                                                                                   \
	{                                                                                          \
		"vk" #name, (PFN_vkVoidFunction)fake_##name                                        \
	}
	FN(DestroyDevice),
	FN(GetDeviceQueue),
	FN(GetDeviceQueue2),
	FN(QueueSubmit),
	FN(QueueSubmit2),
	FN(QueueBindSparse),
	FN(QueueWaitIdle),
	FN(QueuePresentKHR),
	FN(DeviceWaitIdle),
	FN(CreateFence),
	FN(DestroyFence),
	FN(ResetFences),
	FN(GetFenceStatus),
	FN(WaitForFences),
	FN(CreateSemaphore),
	FN(DestroySemaphore),
	FN(ImportSemaphoreFdKHR),
	FN(ImportFenceFdKHR),
	FN(GetSemaphoreFdKHR),
	FN(GetFenceFdKHR),
	FN(CreateImage),
	FN(DestroyImage),
	FN(GetImageSubresourceLayout),
	FN(GetImageMemoryRequirements),
	FN(GetImageMemoryRequirements2),
	FN(BindImageMemory),
	FN(BindImageMemory2),
	{"vkBindImageMemory2KHR", (PFN_vkVoidFunction)fake_BindImageMemory2},
	FN(CreateBuffer),
	FN(DestroyBuffer),
	FN(GetBufferMemoryRequirements),
	FN(GetBufferMemoryRequirements2),
	FN(BindBufferMemory),
	FN(AllocateMemory),
	FN(FreeMemory),
	FN(MapMemory),
	FN(GetMemoryFdKHR),
	FN(GetMemoryHostPointerPropertiesEXT),
	FN(CreateCommandPool),
	FN(DestroyCommandPool),
	FN(AllocateCommandBuffers),
	FN(FreeCommandBuffers),
	FN(BeginCommandBuffer),
	FN(EndCommandBuffer),
	FN(CmdPipelineBarrier),
	FN(CmdFillBuffer),
	FN(CmdCopyImageToBuffer),
};

PFN_vkVoidFunction
fake_object_function(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return NULL;
}
