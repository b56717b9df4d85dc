/* SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vulkan/vk_icd.h>

#include "manifest/driver_manifest.h"

#define SWIFTSHADER "/usr/lib/chromium/vk_swiftshader_icd.json" /* of Debian's chromium */

/* Those of kr_gpu_extensions that the device has. */
static void
choose_extensions(struct rig *rig, const char *enabled[static 32])
{
	VkExtensionProperties had[512];
	uint32_t count = KR_ARRAY_LEN(had);
	size_t n = 0;

	assert_int_equal(KR_VULKAN_CALL(&rig->vk, vkEnumerateDeviceExtensionProperties)(
				 rig->vk.physical_device, NULL, &count, had),
		VK_SUCCESS);
	for (size_t i = 0; kr_gpu_extensions[i]; i++) {
		for (uint32_t j = 0; j < count; j++) {
			if (!strcmp(had[j].extensionName, kr_gpu_extensions[i]))
				enabled[n++] = kr_gpu_extensions[i];
		}
	}
	enabled[n] = NULL;
}

static void
make_commands(struct rig *rig)
{
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};

	assert_int_equal(
		rig->d.CreateCommandPool(rig->vk.device, &pool, NULL, &rig->pool), VK_SUCCESS);
	commands.commandPool = rig->pool;
	assert_int_equal(rig->d.AllocateCommandBuffers(rig->vk.device, &commands, &rig->commands),
		VK_SUCCESS);
}

void
rig_open_with(struct rig *rig, PFN_vkGetInstanceProcAddr get,
	const struct kr_vulkan_instance_info *instance)
{
	const char *enabled[32];
	const struct kr_vulkan_device_info device = {.extensions = enabled};
	PFN_vkGetDeviceProcAddr get_device;

	memset(rig, 0, sizeof(*rig));
	kr_vulkan_open(&rig->vk, get, instance);
	choose_extensions(rig, enabled);
	kr_vulkan_open_device(&rig->vk, &device);
	get_device = KR_VULKAN_CALL(&rig->vk, vkGetDeviceProcAddr);
	kr_device_table_load(&rig->d, get_device, rig->vk.device);
	assert_int_equal(kr_gpu_init(&rig->gpu, rig->vk.instance, rig->vk.physical_device,
				 rig->vk.device, get, get_device, NULL, enabled),
		VK_SUCCESS);
	make_commands(rig);
}

static void
open_manifest(struct rig *rig, const char *path, const char *missing)
{
	const struct kr_vulkan_instance_info instance = {.api_version = VK_API_VERSION_1_1};
	PFN_vkNegotiateLoaderICDInterfaceVersion negotiate;
	struct kr_manifest_driver manifest;
	uint32_t version = 5;
	char *reason;
	void *library;

	assert_int_equal(kr_manifest_driver_read(path, &manifest, &reason), 0);
	library = dlopen(manifest.library_path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		kr_test_skip(missing, dlerror());
	kr_manifest_driver_finish(&manifest);
	negotiate = (PFN_vkNegotiateLoaderICDInterfaceVersion)dlsym(
		library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	assert_int_equal(negotiate(&version), VK_SUCCESS);
	rig_open_with(rig, (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr"),
		&instance);
}

const char *
rig_lavapipe(void)
{
	const char *other = getenv("KRAFLA_TEST_DRIVER");

	return other ? other : kr_test_lavapipe();
}

void
rig_open(struct rig *rig)
{
	open_manifest(rig, rig_lavapipe(), "no-lavapipe");
}

void
rig_open_swiftshader(struct rig *rig)
{
	if (access(SWIFTSHADER, R_OK))
		kr_test_skip("no-swiftshader", NULL);
	open_manifest(rig, SWIFTSHADER, "no-swiftshader");
}

void
rig_close(struct rig *rig)
{
	rig->d.DestroyCommandPool(rig->vk.device, rig->pool, NULL);
	kr_vulkan_close(&rig->vk);
}

struct kr_gpu_memory
rig_wanted(uint32_t width, uint32_t height)
{
	return (struct kr_gpu_memory){
		.kind = KR_GPU_OPAQUE_FD,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.width = width,
		.height = height,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
	};
}

void
rig_export(struct rig *rig, const struct kr_gpu_memory *wanted, struct kr_gpu_image *image, int *fd)
{
	assert_true(kr_gpu_image_possible(&rig->gpu, wanted));
	assert_int_equal(kr_gpu_image_create(&rig->gpu, wanted, image), VK_SUCCESS);
	assert_int_equal(kr_gpu_image_export(&rig->gpu, image, fd), VK_SUCCESS);
}

/* Memory of the driver that the CPU maps. */
struct staging {
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint32_t *pixels;
};

static uint32_t
host_type(struct rig *rig, uint32_t types)
{
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

	for (uint32_t i = 0; i < rig->gpu.memory.memoryTypeCount; i++) {
		if ((types & (1u << i)) &&
			(rig->gpu.memory.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	}
	fail_msg("no memory for staging");
	return 0;
}

static void
staging_init(struct rig *rig, struct staging *staging, uint64_t size)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkDevice device = rig->vk.device;
	VkMemoryRequirements needs;

	assert_int_equal(rig->d.CreateBuffer(device, &info, NULL, &staging->buffer), VK_SUCCESS);
	rig->d.GetBufferMemoryRequirements(device, staging->buffer, &needs);
	allocate.allocationSize = needs.size;
	allocate.memoryTypeIndex = host_type(rig, needs.memoryTypeBits);
	assert_int_equal(
		rig->d.AllocateMemory(device, &allocate, NULL, &staging->memory), VK_SUCCESS);
	assert_int_equal(
		rig->d.BindBufferMemory(device, staging->buffer, staging->memory, 0), VK_SUCCESS);
	assert_int_equal(rig->d.MapMemory(device, staging->memory, 0, VK_WHOLE_SIZE, 0,
				 (void **)&staging->pixels),
		VK_SUCCESS);
}

static void
staging_finish(struct rig *rig, struct staging *staging)
{
	rig->d.DestroyBuffer(rig->vk.device, staging->buffer, NULL);
	rig->d.FreeMemory(rig->vk.device, staging->memory, NULL);
}

static void
begin(struct rig *rig)
{
	const VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};

	assert_int_equal(rig->d.BeginCommandBuffer(rig->commands, &info), VK_SUCCESS);
}

static void
barrier(struct rig *rig, const VkImageMemoryBarrier *image)
{
	rig->d.CmdPipelineBarrier(rig->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, image);
}

static void
end(struct rig *rig)
{
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &rig->commands,
	};

	assert_int_equal(rig->d.EndCommandBuffer(rig->commands), VK_SUCCESS);
	assert_int_equal(rig->d.QueueSubmit(rig->vk.queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(rig->d.QueueWaitIdle(rig->vk.queue), VK_SUCCESS);
}

static VkBufferImageCopy
whole(const struct kr_gpu_image *image)
{
	return (VkBufferImageCopy){
		.imageSubresource = {kr_gpu_aspects(image->description.format), 0, 0, 1},
		.imageExtent = {image->description.width, image->description.height, 1},
	};
}

uint32_t
rig_pixel(uint32_t seed, uint32_t x, uint32_t y)
{
	return (seed * 0x9e3779b1u) ^ (x * 0x85ebca6bu) ^ (y * 0xc2b2ae35u);
}

void
rig_fill(struct rig *rig, const struct kr_gpu_image *image, uint32_t seed)
{
	const uint32_t width = image->description.width, height = image->description.height;
	const VkBufferImageCopy region = whole(image);
	VkImageMemoryBarrier comes, goes;
	struct staging staging;

	staging_init(rig, &staging, (uint64_t)width * height * 4);
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++)
			staging.pixels[y * width + x] = rig_pixel(seed, x, y);
	}
	kr_gpu_release_barrier(&rig->gpu, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
		VK_ACCESS_TRANSFER_WRITE_BIT, &goes);
	comes = goes;
	comes.srcAccessMask = 0;
	comes.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	comes.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
	comes.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
	comes.srcQueueFamilyIndex = comes.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
	begin(rig);
	barrier(rig, &comes);
	rig->d.CmdCopyBufferToImage(rig->commands, staging.buffer, image->image,
		VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
	barrier(rig, &goes);
	end(rig);
	staging_finish(rig, &staging);
}

uint32_t *
rig_read(struct rig *rig, const struct kr_gpu_image *image)
{
	const size_t size = (size_t)image->description.width * image->description.height * 4;
	const VkBufferImageCopy region = whole(image);
	VkImageMemoryBarrier comes, goes;
	uint32_t *pixels = malloc(size);
	struct staging staging;

	assert_non_null(pixels);
	staging_init(rig, &staging, size);
	kr_gpu_acquire_barrier(&rig->gpu, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		VK_ACCESS_TRANSFER_READ_BIT, &comes);
	kr_gpu_release_barrier(&rig->gpu, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, 0, &goes);
	begin(rig);
	barrier(rig, &comes);
	rig->d.CmdCopyImageToBuffer(rig->commands, image->image,
		VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging.buffer, 1, &region);
	barrier(rig, &goes);
	end(rig);
	memcpy(pixels, staging.pixels, size);
	staging_finish(rig, &staging);
	return pixels;
}

bool
rig_shows(struct rig *rig, const struct kr_gpu_image *image, uint32_t seed)
{
	const uint32_t width = image->description.width, height = image->description.height;
	uint32_t *pixels = rig_read(rig, image);
	bool same = true;

	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++)
			same = same && pixels[y * width + x] == rig_pixel(seed, x, y);
	}
	free(pixels);
	return same;
}

void
rig_send(int socket, const void *data, size_t size, int fd)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec io = {(void *)data, size};
	struct msghdr message = {.msg_iov = &io, .msg_iovlen = 1};

	if (fd >= 0) {
		struct cmsghdr *header;

		message.msg_control = space;
		message.msg_controllen = sizeof(space);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	assert_int_equal(sendmsg(socket, &message, MSG_NOSIGNAL), (ssize_t)size);
}

bool
rig_receive(int socket, void *data, size_t size, int *fd)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec io = {data, size};
	struct msghdr message = {
		.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	struct cmsghdr *header;

	*fd = -1;
	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != (ssize_t)size)
		return false;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return true;
}
