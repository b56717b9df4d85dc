/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's validation layer over lavapipe and the null driver at once: silent about correct use,
 * and really there, since it reports a mistake.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#define LAYER    "VK_LAYER_KHRONOS_validation"
#define MANIFEST "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
#define LAVAPIPE "/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so"

static int messages;

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	printf("# %s: %.400s\n", data->pMessageIdName ? data->pMessageIdName : "", data->pMessage);
	messages++;
	return VK_FALSE;
}

static void
use_validation(void)
{
	static const char *const drivers[] = {LAVAPIPE, TEST_HAL_DIR "/vulkan.null.so"};

	if (access(MANIFEST, R_OK))
		kr_test_skip("no-validation-layer", MANIFEST);
	if (access(LAVAPIPE, R_OK))
		kr_test_skip("no-lavapipe", LAVAPIPE);
	use_drivers(2, drivers);
	set_variable("VK_LAYER_PATH", MANIFEST);
}

static VkDebugUtilsMessengerCreateInfoEXT
listener(VkDebugUtilsMessageTypeFlagsEXT types)
{
	VkDebugUtilsMessengerCreateInfoEXT info =
		kr_vulkan_messenger_info(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
				VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
			hear, NULL);

	info.messageType = types;
	return info;
}

static void
create_validated(struct loader *l)
{
	static const char *const layers[] = {LAYER, NULL};
	static const char *const extensions[] = {
		"VK_EXT_debug_utils", "VK_KHR_surface", "VK_EXT_headless_surface", NULL};
	const VkDebugUtilsMessengerCreateInfoEXT messenger =
		listener(VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
			VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT);
	const struct kr_vulkan_instance_info info = {
		.api_version = VK_API_VERSION_1_1,
		.chain = &messenger,
		.layers = layers,
		.extensions = extensions,
	};

	assert_int_equal(try_instance_with(l, &info), VK_SUCCESS);
	find_devices(l);
	assert_int_equal(l->device_count, 2);
}

static VkDebugUtilsMessengerEXT
listen(struct loader *l)
{
	const VkDebugUtilsMessengerCreateInfoEXT info =
		listener(VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT);

	return make_messenger(l, &info);
}

/* Device, queue, a recorded and submitted command buffer. */
static void
work(struct loader *l, VkPhysicalDevice physical_device)
{
	VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkDebugUtilsLabelEXT label = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "label"};
	VkCommandBuffer buffer;
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &buffer,
	};
	VkDevice device = make_device(l, physical_device, NULL);
	VkCommandPool pool;
	VkQueue queue;

	EXPORTED(l, vkGetDeviceQueue)(device, 0, 0, &queue);
	assert_int_equal(
		EXPORTED(l, vkCreateCommandPool)(device, &pool_info, NULL, &pool), VK_SUCCESS);
	allocate.commandPool = pool;
	assert_int_equal(
		EXPORTED(l, vkAllocateCommandBuffers)(device, &allocate, &buffer), VK_SUCCESS);
	assert_int_equal(EXPORTED(l, vkBeginCommandBuffer)(buffer, &begin), VK_SUCCESS);
	OF_INSTANCE(l, vkCmdBeginDebugUtilsLabelEXT)(buffer, &label);
	OF_INSTANCE(l, vkCmdEndDebugUtilsLabelEXT)(buffer);
	assert_int_equal(EXPORTED(l, vkEndCommandBuffer)(buffer), VK_SUCCESS);
	assert_int_equal(EXPORTED(l, vkQueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(EXPORTED(l, vkDeviceWaitIdle)(device), VK_SUCCESS);
	EXPORTED(l, vkDestroyCommandPool)(device, pool, NULL);
	end_device(l, device);
}

static void
test_silent_about_correct_use(void **state)
{
	VkDebugUtilsMessengerEXT messenger;
	struct loader l;

	use_validation();
	open_loader(&l);
	create_validated(&l);
	messenger = listen(&l);
	work(&l, l.devices[0]);
	work(&l, l.devices[1]);
	end_messenger(&l, messenger);
	end_instance(&l);
	assert_int_equal(messages, 0);
}

static void
test_reports_a_mistake(void **state)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 0};
	VkDebugUtilsMessengerEXT messenger;
	struct loader l;
	VkDevice device;
	VkBuffer buffer = VK_NULL_HANDLE;

	use_validation();
	open_loader(&l);
	create_validated(&l);
	messenger = listen(&l);
	device = make_device(&l, l.devices[1], NULL);
	(void)EXPORTED(&l, vkCreateBuffer)(device, &info, NULL, &buffer);
	assert_true(messages > 0);
	EXPORTED(&l, vkDestroyBuffer)(device, buffer, NULL);
	end_device(&l, device);
	end_messenger(&l, messenger);
	end_instance(&l);
}

#define KEEPS (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)
static const struct kr_test tests[] = {
	KR_TEST_SLOW(test_silent_about_correct_use, KEEPS, 60),
	KR_TEST_SLOW(test_reports_a_mistake, KEEPS, 60),
};

KR_TEST_MAIN(tests)
