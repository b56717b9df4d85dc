/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window whose buffers have memory of a GPU that isn't what it is said to be:
 *
 *   hostile_buffers LIE [LIBVULKAN]
 *
 * Frames of magenta in memory of CPUs, and beside it, of the driver that Vulkan lists first, what
 * the lie's name says. Ends with 0 when the display cuts it off or ends, 1 when it could do
 * nothing, 3 when this lie can't be told here, 4 when the display looks at no memory of GPUs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>
#include <krafla/sync.h>
#include <krafla/window.h>

#include "gen/tables.h"
#include "gpu/gpu.h"
#include "gralloc/buffer.h"
#include "util/native_memory.h"

#define MAX_BUFFERS 8
#define MAGENTA     0xffff00ffu
#define NOT_HERE    3
#define NOT_LOOKED  4

struct hostile {
	const char *lie;
	VkInstance instance;
	VkPhysicalDevice physical_device;
	VkDevice device;
	PFN_vkGetInstanceProcAddr gipa;
	struct kr_device_table d;
	struct kr_gpu gpu;
	uint32_t width;
	uint32_t height;
	struct kr_gpu_image images[MAX_BUFFERS];
	ANativeWindowBuffer *known[MAX_BUFFERS];
	unsigned count;
};

static void
end(int code, const char *what)
{
	printf("hostile: %s\n", what);
	fflush(stdout);
	_exit(code);
}

#define INSTANCE_FN(h, name) ((PFN_##name)(h)->gipa((h)->instance, #name))

static void
choose_extensions(const struct hostile *h, const char *names[32], uint32_t *count)
{
	static VkExtensionProperties list[1024];
	uint32_t offered = 1024;

	*count = 0;
	if (INSTANCE_FN(h, vkEnumerateDeviceExtensionProperties)(
		    h->physical_device, NULL, &offered, list) < 0)
		end(1, "no extensions");
	for (const char *const *wanted = kr_gpu_extensions; *wanted; wanted++) {
		for (uint32_t i = 0; i < offered; i++) {
			if (!strcmp(list[i].extensionName, *wanted))
				names[(*count)++] = *wanted;
		}
	}
	for (uint32_t i = 0; i < offered; i++) {
		if (!strcmp(list[i].extensionName, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME))
			names[(*count)++] = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;
	}
	names[*count] = NULL;
}

static void
open_instance(struct hostile *h, const char *libvulkan)
{
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
	void *library = dlopen(libvulkan, RTLD_NOW | RTLD_LOCAL);
	PFN_vkCreateInstance create;
	uint32_t count = 1;

	h->gipa =
		library ? (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr") : NULL;
	create = h->gipa ? (PFN_vkCreateInstance)h->gipa(NULL, "vkCreateInstance") : NULL;
	if (!create || create(&info, NULL, &h->instance) != VK_SUCCESS)
		end(1, "no Vulkan");
	if (INSTANCE_FN(h, vkEnumeratePhysicalDevices)(h->instance, &count, &h->physical_device) <
			0 ||
		!count)
		end(1, "no device");
}

static void
open_device(struct hostile *h)
{
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority};
	const char *names[32];
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.ppEnabledExtensionNames = names};
	PFN_vkGetDeviceProcAddr gdpa = INSTANCE_FN(h, vkGetDeviceProcAddr);

	choose_extensions(h, names, &info.enabledExtensionCount);
	if (INSTANCE_FN(h, vkCreateDevice)(h->physical_device, &info, NULL, &h->device) !=
			VK_SUCCESS ||
		kr_gpu_init(&h->gpu, h->instance, h->physical_device, h->device, h->gipa, gdpa,
			NULL, names) != VK_SUCCESS)
		end(1, "no device");
	kr_device_table_load(&h->d, gdpa, h->device);
}

/* What an honest window would have. */
static struct kr_gpu_image
make_image(const struct hostile *h, uint32_t width, uint32_t height, int *fd)
{
	const struct kr_gpu_memory wanted = {
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
	struct kr_gpu_image image;

	if (kr_gpu_image_create(&h->gpu, &wanted, &image) != VK_SUCCESS ||
		kr_gpu_image_export(&h->gpu, &image, fd) != VK_SUCCESS)
		end(NOT_HERE, "the driver exports no images");
	return image;
}

static int
open_semaphore(const struct hostile *h)
{
	const VkExportSemaphoreCreateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &export};
	VkSemaphoreGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	int fd = -1;

	if (!h->d.GetSemaphoreFdKHR ||
		h->d.CreateSemaphore(h->device, &info, NULL, &get.semaphore) != VK_SUCCESS ||
		h->d.GetSemaphoreFdKHR(h->device, &get, &fd) != VK_SUCCESS)
		end(NOT_HERE, "the driver shares no semaphores");
	return fd;
}

/* A memfd of so many bytes, sealed as a driver's own would be. */
static int
make_file(uint64_t size)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, (off_t)size) ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		end(1, "no memfd");
	return fd;
}

static int
copy_of_file(int fd, uint64_t cut)
{
	off_t size = lseek(fd, 0, SEEK_END);
	int copy;
	char *from;

	if (size <= 0)
		end(NOT_HERE, "the driver's descriptors are no files");
	copy = make_file((uint64_t)size - cut);
	from = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
	if (from == MAP_FAILED ||
		pwrite(copy, from, (size_t)size - cut, 0) != (ssize_t)((uint64_t)size - cut))
		end(1, "no copy");
	munmap(from, (size_t)size);
	return copy;
}

static int
replace(int fd, int by)
{
	close(fd);
	return by;
}

/* The description and the descriptor, after the lie. */
static int
tell(const struct hostile *h, struct kr_gpu_memory *memory, int fd)
{
	int other;

	if (!strcmp(h->lie, "none"))
		return fd;
	if (!strcmp(h->lie, "null"))
		return replace(fd, open("/dev/null", O_RDWR | O_CLOEXEC));
	if (!strcmp(h->lie, "file"))
		return replace(fd, make_file(memory->allocation_size + 4096));
	if (!strcmp(h->lie, "semaphore"))
		return replace(fd, open_semaphore(h));
	if (!strcmp(h->lie, "truncated"))
		return replace(fd, copy_of_file(fd, memory->allocation_size / 2));
	if (!strcmp(h->lie, "copy"))
		return replace(fd, copy_of_file(fd, 0));
	if (!strcmp(h->lie, "smaller")) { /* the memory of another, smaller image */
		(void)make_image(h, 16, 16, &other);
		return replace(fd, other);
	}
	if (!strcmp(h->lie, "larger")) /* than it is */
		memory->allocation_size *= 2;
	else if (!strcmp(h->lie, "device"))
		memory->device_uuid[0] ^= 1;
	else if (!strcmp(h->lie, "driver"))
		memory->driver_uuid[0] ^= 1;
	else if (!strcmp(h->lie, "type"))
		memory->memory_type ^= 1;
	else if (!strcmp(h->lie, "format"))
		memory->format = VK_FORMAT_R8G8B8A8_SRGB;
	else if (!strcmp(h->lie, "usage"))
		memory->usage ^= VK_IMAGE_USAGE_STORAGE_BIT;
	else
		end(2, "no such lie");
	return fd;
}

static void
attach(struct hostile *h, ANativeWindowBuffer *buffer)
{
	struct kr_gpu_memory memory;
	int fd, err;

	for (unsigned i = 0; i < h->count; i++) {
		if (h->known[i] == buffer)
			return;
	}
	if (h->count == MAX_BUFFERS)
		end(1, "too many buffers");
	h->images[h->count] = make_image(h, h->width, h->height, &fd);
	memory = h->images[h->count].description;
	fd = tell(h, &memory, fd);
	h->known[h->count++] = buffer;
	err = kr_buffer_any_attach_gpu(buffer, &memory, fd);
	if (err)
		end(1, "gralloc knows that for a lie itself");
}

static void
fill(ANativeWindowBuffer *native)
{
	AHardwareBuffer *buffer = (AHardwareBuffer *)(void *)native;
	uint32_t *pixels;

	if (AHardwareBuffer_lock(
		    buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, NULL, (void **)&pixels))
		end(1, "no pixels");
	for (int i = 0; i < native->stride * native->height; i++)
		pixels[i] = MAGENTA;
	AHardwareBuffer_unlock(buffer, NULL);
}

/* Until the display has enough of it. */
static void
show(struct hostile *h, ANativeWindow *window)
{
	for (;;) {
		ANativeWindowBuffer *buffer;
		int fence;

		int err = ANativeWindow_dequeueBuffer(window, &buffer, &fence);

		if (err)
			_exit(0); /* cut off */
		if (fence >= 0) {
			sync_wait(fence, 10000);
			close(fence);
		}
		if (!(buffer->usage & KR_USAGE_GPU_MEMORY))
			end(NOT_LOOKED, "the display looks at no memory of GPUs");
		attach(h, buffer);
		fill(buffer);
		if (ANativeWindow_queueBuffer(window, buffer, -1))
			_exit(0);
	}
}

int
main(int argc, char **argv)
{
	struct hostile h = {.lie = argc > 1 ? argv[1] : "none"};
	ANativeWindow *window;
	int err, count = 1;

	signal(SIGTERM, SIG_DFL);
	err = krafla_window_open(NULL, "hostile", 0, 0, &window);
	if (err)
		end(1, strerror(-err));
	ANativeWindow_query(window, NATIVE_WINDOW_DEFAULT_WIDTH, (int *)&h.width);
	ANativeWindow_query(window, NATIVE_WINDOW_DEFAULT_HEIGHT, (int *)&h.height);
	window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU);
	ANativeWindow_setUsage(window, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN);
	ANativeWindow_setBuffersFormat(window, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	ANativeWindow_query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, &count);
	ANativeWindow_setBufferCount(window, (size_t)count + 2);
	open_instance(&h, argc > 2 ? argv[2] : "libvulkan.so.1");
	open_device(&h);
	show(&h, window);
	return 0;
}
