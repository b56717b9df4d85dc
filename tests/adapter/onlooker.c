/* SPDX-License-Identifier: Apache-2.0 */
/* See onlooker.h. */
#include "onlooker.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "wire/packet.h"

#define MOST_PIXELS (1024 * 1024)

struct onlooker_room {
	struct kr_gpu_memory memory;
	VkResult result;
	uint32_t pixels[MOST_PIXELS];
};

/* A device of the driver itself. */
struct raw {
	struct gpu gpu; /* its instance's and device's functions are the driver's */
	struct kr_gpu external;
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkFence fence;
};

#define CHECK(call)                                                                                \
	do {                                                                                       \
		if ((call) != VK_SUCCESS)                                                          \
			_exit(3);                                                                  \
	} while (0)

static void
make_device(struct raw *raw)
{
	static const float priority = 1.0f;
	static const char *const names[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, NULL};
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = VK_API_VERSION_1_1,
	};
	const VkInstanceCreateInfo instance = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo device = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = 1,
		.ppEnabledExtensionNames = names,
	};
	struct gpu *gpu = &raw->gpu;
	PFN_vkGetDeviceProcAddr get;
	uint32_t count = 1;

	CHECK(gpu->icd.create_instance(&instance, NULL, &gpu->instance));
	kr_instance_table_load(&gpu->i, gpu->icd.get_instance_proc_addr, gpu->instance);
	get = (PFN_vkGetDeviceProcAddr)gpu->icd.get_instance_proc_addr(
		gpu->instance, "vkGetDeviceProcAddr");
	CHECK(gpu->i.EnumeratePhysicalDevices(gpu->instance, &count, &gpu->physical_device));
	CHECK(gpu->i.CreateDevice(gpu->physical_device, &device, NULL, &gpu->device));
	kr_device_table_load(&gpu->d, get, gpu->device);
	gpu->d.GetDeviceQueue(gpu->device, 0, 0, &gpu->queue);
	CHECK(kr_gpu_init(&raw->external, gpu->instance, gpu->physical_device, gpu->device,
		gpu->icd.get_instance_proc_addr, get, NULL, names));
}

static void
make_commands(struct raw *raw)
{
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1};

	CHECK(raw->gpu.d.CreateCommandPool(raw->gpu.device, &pool, NULL, &raw->pool));
	allocate.commandPool = raw->pool;
	CHECK(raw->gpu.d.AllocateCommandBuffers(raw->gpu.device, &allocate, &raw->commands));
	raw->fence = gpu_fence(&raw->gpu);
}

static void
barrier(struct raw *raw, const VkImageMemoryBarrier *barrier)
{
	raw->gpu.d.CmdPipelineBarrier(raw->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, barrier);
}

static void
record(struct raw *raw, const struct kr_gpu_image *image, VkBuffer buffer)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkBufferImageCopy whole = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {image->description.width, image->description.height, 1},
	};
	VkImageMemoryBarrier change;

	CHECK(raw->gpu.d.BeginCommandBuffer(raw->commands, &begin));
	kr_gpu_acquire_barrier(&raw->external, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		VK_ACCESS_TRANSFER_READ_BIT, &change);
	barrier(raw, &change);
	raw->gpu.d.CmdCopyImageToBuffer(raw->commands, image->image,
		VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1, &whole);
	kr_gpu_release_barrier(&raw->external, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		VK_ACCESS_TRANSFER_READ_BIT, &change);
	barrier(raw, &change);
	CHECK(raw->gpu.d.EndCommandBuffer(raw->commands));
}

/* lavapipe has one memory type, which can do everything. */
static void
copy(struct raw *raw, const struct kr_gpu_image *image, struct onlooker_room *room)
{
	const struct kr_device_table *d = &raw->gpu.d;
	const VkDeviceSize size =
		(VkDeviceSize)image->description.width * image->description.height * 4;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &raw->commands,
	};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;
	VkDeviceMemory memory;
	VkBuffer buffer;
	void *map;

	CHECK(d->CreateBuffer(raw->gpu.device, &info, NULL, &buffer));
	d->GetBufferMemoryRequirements(raw->gpu.device, buffer, &needs);
	allocate.allocationSize = needs.size;
	CHECK(d->AllocateMemory(raw->gpu.device, &allocate, NULL, &memory));
	CHECK(d->BindBufferMemory(raw->gpu.device, buffer, memory, 0));
	record(raw, image, buffer);
	CHECK(d->QueueSubmit(raw->gpu.queue, 1, &submit, raw->fence));
	gpu_wait_fence(&raw->gpu, raw->fence);
	CHECK(d->ResetFences(raw->gpu.device, 1, &raw->fence));
	CHECK(d->MapMemory(raw->gpu.device, memory, 0, VK_WHOLE_SIZE, 0, &map));
	memcpy(room->pixels, map, size);
	d->DestroyBuffer(raw->gpu.device, buffer, NULL);
	d->FreeMemory(raw->gpu.device, memory, NULL);
}

static void
look(struct raw *raw, struct onlooker_room *room, int fd)
{
	struct kr_gpu_image image;
	const char *reason = NULL;

	room->result = kr_gpu_image_import(&raw->external, &room->memory, fd, &image, &reason);
	if (room->result != VK_SUCCESS)
		return;
	if ((uint64_t)room->memory.width * room->memory.height <= MOST_PIXELS)
		copy(raw, &image, room);
	kr_gpu_image_destroy(&raw->external, &image);
}

static int
receive(int socket, int *fd)
{
	struct pollfd p = {.fd = socket, .events = POLLIN};
	size_t size, count = 0;
	char byte;

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		continue;
	return kr_packet_receive(socket, &byte, 1, &size, fd, 1, &count);
}

static void
run(int socket, struct onlooker_room *room, struct gpu *opened)
{
	struct raw raw = {.gpu = *opened};
	int fd = -1;

	make_device(&raw);
	make_commands(&raw);
	while (!receive(socket, &fd)) {
		look(&raw, room, fd);
		close(fd);
		fd = -1;
		if (kr_packet_send(socket, "", 1, NULL, 0))
			break;
	}
	raw.gpu.d.DestroyFence(raw.gpu.device, raw.fence, NULL);
	raw.gpu.d.DestroyCommandPool(raw.gpu.device, raw.pool, NULL);
	raw.gpu.d.DestroyDevice(raw.gpu.device, NULL);
	raw.gpu.i.DestroyInstance(raw.gpu.instance, NULL);
	_exit(0);
}

void
onlooker_start(struct onlooker *onlooker)
{
	struct gpu gpu = {0};
	int sockets[2];

	gpu_open_lavapipe(&gpu);
	onlooker->room = mmap(NULL, sizeof(*onlooker->room), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(onlooker->room, MAP_FAILED);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	onlooker->pid = fork();
	assert_true(onlooker->pid >= 0);
	if (!onlooker->pid) {
		close(sockets[0]);
		run(sockets[1], onlooker->room, &gpu);
	}
	close(sockets[1]);
	onlooker->socket = sockets[0];
}

VkResult
onlooker_look(
	struct onlooker *onlooker, const struct kr_gpu_memory *memory, int fd, const void **pixels)
{
	int none = -1;

	onlooker->room->memory = *memory;
	assert_int_equal(kr_packet_send(onlooker->socket, "", 1, &fd, 1), 0);
	assert_int_equal(receive(onlooker->socket, &none), 0);
	*pixels = onlooker->room->pixels;
	return onlooker->room->result;
}

void
onlooker_finish(struct onlooker *onlooker)
{
	int status;

	close(onlooker->socket);
	assert_int_equal(waitpid(onlooker->pid, &status, 0), onlooker->pid);
	assert_int_equal(status, 0);
	munmap(onlooker->room, sizeof(*onlooker->room));
}
