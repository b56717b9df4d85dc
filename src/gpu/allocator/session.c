/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/allocator/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "gpu/choose.h"
#include "util/alloc.h"
#include "util/bare_instance.h"
#include "util/enumerate.h"
#include "util/library.h"
#include "util/log.h"

#define LOADER "libvulkan.so.1"

struct opening {
	PFN_vkGetInstanceProcAddr get;
	VkInstance instance;
	VkPhysicalDevice *devices;
	uint32_t count;
	const char *reason;
};

#define CALL(opening, name) ((PFN_##name)(opening)->get((opening)->instance, #name))

static int
fail(struct opening *opening, const char *reason)
{
	opening->reason = reason;
	return -ENODEV;
}

/* Beside the library that this is in; it stays open. */
static int
open_loader(struct opening *opening)
{
	Dl_info info;
	const char *slash, *error;
	char path[PATH_MAX];
	void *loader;

	if (!dladdr((void *)(uintptr_t)open_loader, &info) || !info.dli_fname)
		return fail(opening, "the library's own path isn't known");
	slash = strrchr(info.dli_fname, '/');
	if (!slash ||
		snprintf(path, sizeof(path), "%.*s/" LOADER, (int)(slash - info.dli_fname),
			info.dli_fname) >= (int)sizeof(path))
		return fail(opening, "the library's own path isn't known");
	loader = kr_library_load(path, RTLD_NOW | RTLD_LOCAL, &error);
	if (!loader)
		return fail(opening, "there is no " LOADER " beside libkrafla.so.0");
	opening->get = (PFN_vkGetInstanceProcAddr)(uintptr_t)dlsym(loader, "vkGetInstanceProcAddr");
	return opening->get ? 0 : fail(opening, LOADER " beside libkrafla.so.0 is none");
}

static int
create_instance(struct opening *opening)
{
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "krafla buffers",
		.apiVersion = VK_API_VERSION_1_1,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	PFN_vkCreateInstance create =
		(PFN_vkCreateInstance)opening->get(NULL, KR_BARE_INSTANCE_FUNCTION);

	if (!create)
		return fail(opening, LOADER " beside libkrafla.so.0 is of another version");
	if (create(&info, NULL, &opening->instance) != VK_SUCCESS)
		return fail(opening, "there is no Vulkan driver");
	return 0;
}

static VkResult
ask_devices(const void *context, uint32_t *count, void *items)
{
	const struct opening *opening = context;

	return CALL(opening, vkEnumeratePhysicalDevices)(opening->instance, count, items);
}

static int
list_devices(struct opening *opening)
{
	const struct kr_enumeration question = {
		.ask = ask_devices,
		.context = opening,
		.item_size = sizeof(VkPhysicalDevice),
		.most = KR_MOST_DEVICES,
		.who = LOADER,
		.function = "vkEnumeratePhysicalDevices",
		.log = KR_LOG_DRIVER,
	};

	if (kr_enumerate(&question, NULL, &opening->count, (void **)&opening->devices))
		return fail(opening, "devices can't be listed");
	return 0;
}

static int
rank(const struct opening *opening, uint32_t index)
{
	VkPhysicalDeviceIDProperties ids = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &ids,
	};
	VkPhysicalDevice device = opening->devices[index];

	CALL(opening, vkGetPhysicalDeviceProperties)(device, &properties.properties);
	if (properties.properties.apiVersion < VK_API_VERSION_1_1)
		return 0;
	CALL(opening, vkGetPhysicalDeviceProperties2)(device, &properties);
	return kr_gpu_rank(&properties.properties, ids.deviceUUID, index);
}

/* A family that draws, so that all formats can be cleared, or else one that computes. */
static bool
choose_family(const struct opening *opening, VkPhysicalDevice device, struct kr_gpu_session *s)
{
	VkQueueFamilyProperties families[KR_GPU_MAX_FAMILIES];
	uint32_t count = KR_GPU_MAX_FAMILIES;
	bool found = false;

	CALL(opening, vkGetPhysicalDeviceQueueFamilyProperties)(device, &count, families);
	count = KR_MIN(count, (uint32_t)KR_GPU_MAX_FAMILIES);
	for (uint32_t i = count; i-- > 0;) {
		bool draws = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;

		if (!draws && (found || !(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)))
			continue;
		s->family = i;
		s->draws = draws;
		found = true;
	}
	return found;
}

/* Those of kr_gpu_extensions that it has, ended by NULL. */
static VkResult
choose_extensions(const struct opening *opening, VkPhysicalDevice device, const char *names[],
	uint32_t *count)
{
	const struct kr_enumerate_question question = {
		.of_device = CALL(opening, vkEnumerateDeviceExtensionProperties),
		.device = device,
		.who = LOADER,
		.log = KR_LOG_DRIVER,
	};
	VkExtensionProperties *had = NULL;
	uint32_t had_count = 0;
	VkResult result = kr_enumerate_extensions(&question, NULL, &had_count, &had);

	*count = 0;
	for (uint32_t i = 0; kr_gpu_extensions[i]; i++) {
		for (uint32_t k = 0; k < had_count; k++) {
			if (!strcmp(had[k].extensionName, kr_gpu_extensions[i])) {
				names[(*count)++] = kr_gpu_extensions[i];
				break;
			}
		}
	}
	names[*count] = NULL;
	kr_free(NULL, had);
	return result;
}

static void
load(struct kr_gpu_session *s, PFN_vkGetDeviceProcAddr get, VkDevice device)
{
#define LOAD(name) s->name = (PFN_vk##name)get(device, "vk" #name)
	LOAD(CreateCommandPool);
	LOAD(DestroyCommandPool);
	LOAD(AllocateCommandBuffers);
	LOAD(BeginCommandBuffer);
	LOAD(EndCommandBuffer);
	LOAD(CmdPipelineBarrier);
	LOAD(CmdClearColorImage);
	LOAD(CmdClearDepthStencilImage);
	LOAD(CmdFillBuffer);
	LOAD(CreateFence);
	LOAD(DestroyFence);
	LOAD(QueueSubmit);
	LOAD(WaitForFences);
#undef LOAD
}

/* Whether it exports what most buffers are, so that others will take it. */
static bool
is_of_use(const struct kr_gpu *gpu)
{
	const struct kr_gpu_memory usual = {
		.kind = KR_GPU_OPAQUE_FD,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.width = 64,
		.height = 64,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
	};

	return gpu->sample.known && (gpu->sample.sealed || !gpu->sample.file) &&
		kr_gpu_image_possible(gpu, &usual);
}

static bool
open_device(const struct opening *opening, VkPhysicalDevice physical, struct kr_gpu_session *s)
{
	static const float priority = 1;
	PFN_vkGetDeviceProcAddr get = CALL(opening, vkGetDeviceProcAddr);
	const char *names[32];
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.ppEnabledExtensionNames = names,
	};
	VkDevice device;

	*s = (struct kr_gpu_session){0};
	if (!choose_family(opening, physical, s) ||
		choose_extensions(opening, physical, names, &info.enabledExtensionCount) < 0)
		return false;
	queue.queueFamilyIndex = s->family;
	if (CALL(opening, vkCreateDevice)(physical, &info, NULL, &device) != VK_SUCCESS)
		return false;
	load(s, get, device);
	((PFN_vkGetDeviceQueue)get(device, "vkGetDeviceQueue"))(device, s->family, 0, &s->queue);
	if (kr_gpu_init(&s->gpu, opening->instance, physical, device, opening->get, get, NULL,
		    names) == VK_SUCCESS &&
		is_of_use(&s->gpu))
		return true;
	((PFN_vkDestroyDevice)get(device, "vkDestroyDevice"))(device, NULL);
	return false;
}

/* Best first; of equals the first. */
static int
open_best(struct opening *opening, struct kr_gpu_session *session)
{
	bool named = false;

	for (int wanted = 5; wanted > 0; wanted--) {
		for (uint32_t i = 0; i < opening->count; i++) {
			if (rank(opening, i) != wanted)
				continue;
			named = true;
			if (open_device(opening, opening->devices[i], session))
				return 0;
		}
	}
	return fail(opening,
		named ? "no device exports memory"
		      : "there is no device, or none that KRAFLA_GPU names");
}

int
kr_gpu_session_open(struct kr_gpu_session *session, const char **reason)
{
	struct opening opening = {0};
	int err = open_loader(&opening);

	if (!err)
		err = create_instance(&opening);
	if (!err)
		err = list_devices(&opening);
	if (!err)
		err = open_best(&opening, session);
	if (err && opening.instance)
		CALL(&opening, vkDestroyInstance)(opening.instance, NULL);
	kr_free(NULL, opening.devices);
	*reason = opening.reason;
	return err;
}
