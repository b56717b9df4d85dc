/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was made without allocation callbacks is ended with some, and the other way round: each
 * object is freed by what it was made with, in the loader, in its drivers and in the adapter.
 */
#include <string.h>

#include "support.h"

typedef const VkAllocationCallbacks *callbacks;

struct scene {
	struct loader l;
	VkDevice device;
	bool surfaces; /* and swapchains */
};

/* Makes one of a kind with some callbacks and ends it with others. */
typedef void kind(struct scene *s, callbacks make, callbacks end);

/* Made by one and ended by another of: functions that count, others that count, malloc. */
static void
each_way(struct scene *s, kind *one_of)
{
	struct counting one, other;

	counting_init(&one, -1);
	counting_init(&other, -1);
	one_of(s, NULL, &other.callbacks);
	assert_int_equal(other.alive, 0);
	one_of(s, &one.callbacks, NULL);
	assert_true(one.allocations > 0);
	assert_int_equal(one.alive, 0);
	one_of(s, &one.callbacks, &other.callbacks);
	assert_int_equal(one.alive, 0);
	assert_int_equal(other.alive, 0);
}

static const char *const surface_names[] = {"VK_KHR_surface", "VK_EXT_headless_surface",
	"VK_EXT_debug_utils", "VK_EXT_debug_report", NULL};

static void
instance(struct scene *s, callbacks make, callbacks end)
{
	const struct kr_vulkan_instance_info info = {
		.extensions = surface_names,
		.allocator = make,
	};
	VkPhysicalDevice devices[8];
	uint32_t count = 8;
	VkInstance handle;

	assert_int_equal(
		kr_vulkan_create_instance(EXPORTED(&s->l, vkCreateInstance), &info, &handle),
		VK_SUCCESS);
	assert_int_equal(
		EXPORTED(&s->l, vkEnumeratePhysicalDevices)(handle, &count, devices), VK_SUCCESS);
	EXPORTED(&s->l, vkDestroyInstance)(handle, end);
}

static void
device(struct scene *s, callbacks make, callbacks end)
{
	static const char *const swapchain[] = {"VK_KHR_swapchain", NULL};
	const struct kr_vulkan_device_info info = {
		.extensions = s->surfaces ? swapchain : NULL,
		.allocator = make,
	};
	VkDevice handle;

	assert_int_equal(kr_vulkan_create_device(
				 EXPORTED(&s->l, vkCreateDevice), s->l.devices[0], &info, &handle),
		VK_SUCCESS);
	EXPORTED(&s->l, vkDestroyDevice)(handle, end);
}

static VkSurfaceKHR
make_surface(struct scene *s, callbacks make)
{
	VkHeadlessSurfaceCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
	VkSurfaceCapabilitiesKHR caps;
	VkSurfaceKHR surface;

	assert_int_equal(
		EXPORTED(&s->l, vkCreateHeadlessSurfaceEXT)(s->l.instance, &info, make, &surface),
		VK_SUCCESS);
	/* Each driver opens its own at the first use. */
	for (uint32_t i = 0; i < s->l.device_count; i++)
		(void)EXPORTED(&s->l, vkGetPhysicalDeviceSurfaceCapabilitiesKHR)(
			s->l.devices[i], surface, &caps);
	return surface;
}

static void
surface(struct scene *s, callbacks make, callbacks end)
{
	EXPORTED(&s->l, vkDestroySurfaceKHR)(s->l.instance, make_surface(s, make), end);
}

static void
messenger(struct scene *s, callbacks make, callbacks end)
{
	VkDebugUtilsMessengerCreateInfoEXT info =
		kr_vulkan_messenger_info(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, NULL, NULL);
	VkDebugUtilsMessengerEXT handle;

	assert_int_equal(OF_INSTANCE(&s->l, vkCreateDebugUtilsMessengerEXT)(
				 s->l.instance, &info, make, &handle),
		VK_SUCCESS);
	OF_INSTANCE(&s->l, vkDestroyDebugUtilsMessengerEXT)(s->l.instance, handle, end);
}

static VkBool32 VKAPI_CALL
hear_report(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type, uint64_t object,
	size_t location, int32_t code, const char *prefix, const char *text, void *user)
{
	return VK_FALSE;
}

static void
report_callback(struct scene *s, callbacks make, callbacks end)
{
	VkDebugReportCallbackCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
		.flags = VK_DEBUG_REPORT_ERROR_BIT_EXT,
		.pfnCallback = hear_report,
	};
	VkDebugReportCallbackEXT handle;

	assert_int_equal(OF_INSTANCE(&s->l, vkCreateDebugReportCallbackEXT)(
				 s->l.instance, &info, make, &handle),
		VK_SUCCESS);
	OF_INSTANCE(&s->l, vkDestroyDebugReportCallbackEXT)(s->l.instance, handle, end);
}

static void
swapchain(struct scene *s, callbacks make, callbacks end)
{
	VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = make_surface(s, NULL),
		.minImageCount = 2,
		.imageFormat = VK_FORMAT_R8G8B8A8_UNORM,
		.imageExtent = {64, 64},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};
	VkSwapchainKHR handle;

	assert_int_equal(
		OF_DEVICE(&s->l, s->device, vkCreateSwapchainKHR)(s->device, &info, make, &handle),
		VK_SUCCESS);
	OF_DEVICE(&s->l, s->device, vkDestroySwapchainKHR)(s->device, handle, end);
	EXPORTED(&s->l, vkDestroySurfaceKHR)(s->l.instance, info.surface, NULL);
}

/* Of the null driver: each make and end is as the others. */
#define PLAIN(name, object, ...)                                                                   \
	static void name(struct scene *s, callbacks make, callbacks end)                           \
	{                                                                                          \
		Vk##object##CreateInfo info = {__VA_ARGS__};                                       \
		Vk##object handle;                                                                 \
                                                                                                   \
		assert_int_equal(OF_DEVICE(&s->l, s->device, vkCreate##object)(                    \
					 s->device, &info, make, &handle),                         \
			VK_SUCCESS);                                                               \
		OF_DEVICE(&s->l, s->device, vkDestroy##object)(s->device, handle, end);            \
	}
PLAIN(buffer, Buffer, .size = 16)
PLAIN(buffer_view, BufferView, .range = 16)
PLAIN(image, Image, .format = VK_FORMAT_R8G8B8A8_UNORM, .extent = {1, 1, 1}, .mipLevels = 1,
	.arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT)
PLAIN(image_view, ImageView, .format = VK_FORMAT_R8G8B8A8_UNORM)
PLAIN(fence, Fence, .flags = 0)
PLAIN(semaphore, Semaphore, .flags = 0)
PLAIN(event, Event, .flags = 0)
PLAIN(query_pool, QueryPool, .queryCount = 1)
PLAIN(sampler, Sampler, .flags = 0)
PLAIN(private_data_slot, PrivateDataSlot, .flags = 0)

static void
command_pool(struct scene *s, callbacks make, callbacks end)
{
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo buffers = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1};
	VkCommandBuffer buffer;

	assert_int_equal(OF_DEVICE(&s->l, s->device, vkCreateCommandPool)(
				 s->device, &info, make, &buffers.commandPool),
		VK_SUCCESS);
	assert_int_equal(
		OF_DEVICE(&s->l, s->device, vkAllocateCommandBuffers)(s->device, &buffers, &buffer),
		VK_SUCCESS);
	OF_DEVICE(&s->l, s->device, vkDestroyCommandPool)(s->device, buffers.commandPool, end);
}

static void
descriptor_pool(struct scene *s, callbacks make, callbacks end)
{
	VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1};
	VkDescriptorSetAllocateInfo sets = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorSetCount = 1};
	VkDescriptorSet set;

	assert_int_equal(OF_DEVICE(&s->l, s->device, vkCreateDescriptorPool)(
				 s->device, &info, make, &sets.descriptorPool),
		VK_SUCCESS);
	assert_int_equal(
		OF_DEVICE(&s->l, s->device, vkAllocateDescriptorSets)(s->device, &sets, &set),
		VK_SUCCESS);
	OF_DEVICE(&s->l, s->device, vkDestroyDescriptorPool)(s->device, sets.descriptorPool, end);
}

static void
memory(struct scene *s, callbacks make, callbacks end)
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 16};
	VkDeviceMemory handle;

	assert_int_equal(
		OF_DEVICE(&s->l, s->device, vkAllocateMemory)(s->device, &info, make, &handle),
		VK_SUCCESS);
	OF_DEVICE(&s->l, s->device, vkFreeMemory)(s->device, handle, end);
}

static void
pipeline(struct scene *s, callbacks make, callbacks end)
{
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
	VkPipeline handle;

	assert_int_equal(OF_DEVICE(&s->l, s->device, vkCreateComputePipelines)(
				 s->device, VK_NULL_HANDLE, 1, &info, make, &handle),
		VK_SUCCESS);
	OF_DEVICE(&s->l, s->device, vkDestroyPipeline)(s->device, handle, end);
}

static void
run(struct scene *s, kind *const *kinds)
{
	for (; *kinds; kinds++)
		each_way(s, *kinds);
}

static kind *const of_instances[] = {instance, device, surface, messenger, report_callback, NULL};
static kind *const of_devices[] = {swapchain, buffer, buffer_view, image, image_view, fence,
	semaphore, event, query_pool, sampler, private_data_slot, command_pool, descriptor_pool,
	memory, pipeline, NULL};

/* K-52: what two drivers have of their own, too: they are given what they made it with. */
static void
objects_of_the_loader(void **state)
{
	struct scene s = {0};
	struct fakes fakes;

	open_fakes(&fakes);
	for (int i = 0; i < 3; i++)
		fakes.a->instance_extensions[i] = surface_names[i];
	use_both_fakes();
	open_loader(&s.l);
	make_instance(&s.l, surface_names);
	run(&s, of_instances);
	end_instance(&s.l);
	assert_int_equal(fakes.a->surfaces_created, 3);
	assert_int_equal(fakes.a->surfaces + fakes.a->devices + fakes.a->messengers, 0);
	close_loader(&s.l);
	close_fakes(&fakes);
}

static void
on_the_null_driver(struct scene *s)
{
	static const char *const names[] = {"VK_KHR_swapchain", NULL};

	s->surfaces = true;
	open_loader(&s->l);
	make_instance(&s->l, surface_names);
	s->device = make_device(&s->l, s->l.devices[0], names);
	run(s, of_instances);
	run(s, of_devices);
	end_device(&s->l, s->device);
	end_instance(&s->l);
	close_loader(&s->l);
}

/* K-52 */
static void
objects_on_a_driver_of_the_platform(void **state)
{
	struct scene s = {0};

	use_null_hal();
	on_the_null_driver(&s);
}

/* K-52: the adapter's states of instances, devices and images stand behind those. */
static void
objects_on_an_adapted_driver(void **state)
{
	static const char *const libraries[] = {TEST_HAL_DIR "/vulkan.null.so"};
	struct scene s = {0};

	use_drivers(1, libraries);
	set_variable("KRAFLA_WSI", "platform");
	on_the_null_driver(&s);
}

static const struct kr_test tests[] = {
	KR_TEST(objects_of_the_loader),
	KR_TEST(objects_on_a_driver_of_the_platform),
	KR_TEST(objects_on_an_adapted_driver),
};

KR_TEST_MAIN(tests)
