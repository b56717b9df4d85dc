/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several loaders in one process: two_loaders [!]HOW[:PATH]... opens each in turn,
 * makes an instance and a device in each, and lets all of them work side by side. HOW
 * is how functions are found:
 *
 *   names   each by its name in the library at PATH
 *   gipa    by vkGetInstanceProcAddr of the library at PATH alone, as most programs do
 *   mixed   vkCreateInstance by its name, the others by vkGetInstanceProcAddr, as vulkaninfo does
 *   global  each by its name, wherever it is found first (a preloaded library)
 *   linked  as this program is linked
 *   tail    the same, but vkCreateInstance by a function that jumps there
 *   odd     as gipa, but vkCreateInstance by a call that looks like another one to who
 *           reads backwards
 *
 * After "!" the loader must not be Krafla's, else it must.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LINKED
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan.h>

#define WORDS       64
#define MAX_LOADERS 4

#define FUNCTIONS(X)                                                                               \
	X(DestroyInstance)                                                                         \
	X(EnumeratePhysicalDevices)                                                                \
	X(GetPhysicalDeviceProperties)                                                             \
	X(GetPhysicalDeviceMemoryProperties)                                                       \
	X(GetPhysicalDeviceQueueFamilyProperties)                                                  \
	X(EnumerateDeviceExtensionProperties)                                                      \
	X(CreateDevice)                                                                            \
	X(DestroyDevice)                                                                           \
	X(GetDeviceProcAddr)                                                                       \
	X(GetDeviceQueue)                                                                          \
	X(CreateBuffer)                                                                            \
	X(DestroyBuffer)                                                                           \
	X(GetBufferMemoryRequirements)                                                             \
	X(AllocateMemory)                                                                          \
	X(FreeMemory)                                                                              \
	X(BindBufferMemory)                                                                        \
	X(MapMemory)                                                                               \
	X(CreateCommandPool)                                                                       \
	X(DestroyCommandPool)                                                                      \
	X(AllocateCommandBuffers)                                                                  \
	X(BeginCommandBuffer)                                                                      \
	X(CmdFillBuffer)                                                                           \
	X(EndCommandBuffer)                                                                        \
	X(QueueSubmit)                                                                             \
	X(QueueWaitIdle)

struct loader {
	const char *spec;
	void *dso;
	PFN_vkGetInstanceProcAddr gipa; /* NULL: by name */
	bool linked, mixed, tail, odd;
	VkResult created; /* what vkCreateInstance said: kept, so that the call isn't a jump */
	VkInstance instance;
	VkPhysicalDevice gpu;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint32_t *words;
	PFN_vkCreateInstance CreateInstance;
#define MEMBER(name) PFN_vk##name name;
	FUNCTIONS(MEMBER)
};

static _Noreturn void
fail(const struct loader *l, const char *what, int result)
{
	printf("%s: %s: %d\n", l->spec, what, result);
	exit(1);
}

#define CHECK(l, call)                                                                             \
	do {                                                                                       \
		VkResult check_result = (l)->call;                                                 \
                                                                                                   \
		if (check_result != VK_SUCCESS)                                                    \
			fail(l, #call, check_result);                                              \
	} while (0)

static PFN_vkVoidFunction
find(const struct loader *l, const char *name)
{
	PFN_vkVoidFunction function =
		l->gipa ? l->gipa(l->instance, name) : (PFN_vkVoidFunction)dlsym(l->dso, name);

	if (!function)
		fail(l, name, 0);
	return function;
}

#ifdef LINKED
#define LOAD(name) l->name = l->linked ? vk##name : (PFN_vk##name)find(l, "vk" #name);
#else
#define LOAD(name) l->name = (PFN_vk##name)find(l, "vk" #name);
#endif

static void
load(struct loader *l)
{
	FUNCTIONS(LOAD)
}

static void
open_loader(struct loader *l, const char *spec)
{
	const char *how = spec + (*spec == '!'), *path = strchr(spec, ':');

	l->spec = spec;
	l->dso = RTLD_DEFAULT;
	l->tail = !strncmp(how, "tail", 4);
	l->linked = l->tail || !strcmp(how, "linked");
	if (path)
		l->dso = dlopen(path + 1, RTLD_NOW | RTLD_LOCAL);
	if (path && !l->dso) {
		puts(dlerror());
		exit(1);
	}
	l->mixed = !strncmp(how, "mixed", 5);
	l->odd = !strncmp(how, "odd", 3);
	if (l->mixed || l->odd || !strncmp(how, "gipa", 4))
		l->gipa = (PFN_vkGetInstanceProcAddr)dlsym(l->dso, "vkGetInstanceProcAddr");
}

#if defined(__x86_64__) && defined(LINKED)
VkResult tail_create(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out);
VkResult odd_call(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *out, PFN_vkCreateInstance function);
/*
 * The first is more than a jump, else it would be what linkers make for a name. What stands before
 * the second's `call *%rax` reads as a call of some place far away: e8, and 31 f6 ff d0.
 */
__asm__(".text\n"
	"tail_create:\n"
	"	xor %esi, %esi\n"
	"	jmp *vkCreateInstance@GOTPCREL(%rip)\n"
	"odd_call:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	mov %rcx, %rax\n"
	"	lea -0x18(%rbp), %rcx\n"
	"	xor %esi, %esi\n"
	"	call *%rax\n"
	"	pop %rbp\n"
	"	ret\n");
#else
#define tail_create                              vkCreateInstance
#define odd_call(info, allocator, out, function) (function)(info, allocator, out)
#endif

/* By the name itself where the program is linked with it. */
static VkResult
create(struct loader *l, const VkInstanceCreateInfo *info)
{
#ifdef LINKED
	if (l->tail)
		return tail_create(info, NULL, &l->instance);
	if (l->linked) {
		l->created = vkCreateInstance(info, NULL, &l->instance);
		return l->created;
	}
	if (l->odd)
		return odd_call(info, NULL, &l->instance, l->CreateInstance);
#endif
	return l->CreateInstance(info, NULL, &l->instance);
}

/* Whose it is: only Krafla makes surfaces of Android. */
static void
make_instance(struct loader *l)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_KHR_android_surface"};
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.enabledExtensionCount = 2,
		.ppEnabledExtensionNames = names,
	};
	VkResult result;

	if (l->mixed)
		l->CreateInstance = (PFN_vkCreateInstance)dlsym(l->dso, "vkCreateInstance");
	else if (!l->linked)
		l->CreateInstance = (PFN_vkCreateInstance)find(l, "vkCreateInstance");
	result = create(l, &info);
	if (result == VK_SUCCESS && *l->spec == '!')
		fail(l, "it is Krafla", 0);
	if (result == VK_ERROR_EXTENSION_NOT_PRESENT && *l->spec == '!') {
		info.enabledExtensionCount = 0;
		result = create(l, &info);
	}
	if (result != VK_SUCCESS)
		fail(l, "vkCreateInstance", result);
}

static void
make_device(struct loader *l)
{
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
	};
	VkPhysicalDeviceProperties properties;
	VkQueueFamilyProperties families[4];
	VkPhysicalDevice gpus[4];
	uint32_t count = 4, extensions = 0;

	load(l);
	CHECK(l, EnumeratePhysicalDevices(l->instance, &count, gpus));
	l->gpu = gpus[0];
	l->GetPhysicalDeviceProperties(l->gpu, &properties);
	count = 4;
	l->GetPhysicalDeviceQueueFamilyProperties(l->gpu, &count, families);
	CHECK(l, EnumerateDeviceExtensionProperties(l->gpu, NULL, &extensions, NULL));
	CHECK(l, CreateDevice(l->gpu, &info, NULL, &l->device));
	l->GetDeviceQueue(l->device, 0, 0, &l->queue);
	if (!l->GetDeviceProcAddr(l->device, "vkQueueSubmit"))
		fail(l, "vkGetDeviceProcAddr", 0);
	printf("%s: %s\n", l->spec, properties.deviceName);
}

static uint32_t
host_memory(const struct loader *l, uint32_t types)
{
	const VkMemoryPropertyFlags host =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties memory;

	l->GetPhysicalDeviceMemoryProperties(l->gpu, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
		if ((types & (1u << i)) && (memory.memoryTypes[i].propertyFlags & host) == host)
			return i;
	}
	fail(l, "no memory that the host can read", 0);
}

static void
make_objects(struct loader *l)
{
	VkBufferCreateInfo buffer = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = WORDS * sizeof(uint32_t),
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1};
	VkMemoryRequirements needs;

	CHECK(l, CreateBuffer(l->device, &buffer, NULL, &l->buffer));
	l->GetBufferMemoryRequirements(l->device, l->buffer, &needs);
	memory.allocationSize = needs.size;
	memory.memoryTypeIndex = host_memory(l, needs.memoryTypeBits);
	CHECK(l, AllocateMemory(l->device, &memory, NULL, &l->memory));
	CHECK(l, BindBufferMemory(l->device, l->buffer, l->memory, 0));
	CHECK(l, MapMemory(l->device, l->memory, 0, VK_WHOLE_SIZE, 0, (void **)&l->words));
	CHECK(l, CreateCommandPool(l->device, &pool, NULL, &l->pool));
	commands.commandPool = l->pool;
	CHECK(l, AllocateCommandBuffers(l->device, &commands, &l->commands));
}

/* Starts filling the buffer, and looks at the end of it. */
static void
submit(struct loader *l, uint32_t value)
{
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &l->commands,
	};

	CHECK(l, BeginCommandBuffer(l->commands, &begin));
	l->CmdFillBuffer(l->commands, l->buffer, 0, VK_WHOLE_SIZE, value);
	CHECK(l, EndCommandBuffer(l->commands));
	CHECK(l, QueueSubmit(l->queue, 1, &info, VK_NULL_HANDLE));
}

static void
expect(struct loader *l, uint32_t value)
{
	CHECK(l, QueueWaitIdle(l->queue));
	for (int i = 0; i < WORDS; i++) {
		if (l->words[i] != value)
			fail(l, "the buffer isn't filled, word", i);
	}
}

static void
end_loader(struct loader *l)
{
	l->DestroyCommandPool(l->device, l->pool, NULL);
	l->DestroyBuffer(l->device, l->buffer, NULL);
	l->FreeMemory(l->device, l->memory, NULL);
	l->DestroyDevice(l->device, NULL);
	l->DestroyInstance(l->instance, NULL);
}

int
main(int argc, char **argv)
{
	static struct loader loaders[MAX_LOADERS];
	int count = argc - 1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (count < 1 || count > MAX_LOADERS)
		return 2;
	for (int i = 0; i < count; i++)
		open_loader(&loaders[i], argv[1 + i]);
	for (int i = 0; i < count; i++)
		make_instance(&loaders[i]);
	for (int i = count; i--;)
		make_device(&loaders[i]);
	for (int i = 0; i < count; i++)
		make_objects(&loaders[i]);
	for (uint32_t round = 1; round < 4; round++) {
		for (int i = 0; i < count; i++)
			submit(&loaders[i], round * 100 + (uint32_t)i);
		for (int i = count; i--;)
			expect(&loaders[i], round * 100 + (uint32_t)i);
	}
	for (int i = 0; i < count; i++)
		end_loader(&loaders[i]);
	puts("all done");
	return 0;
}
