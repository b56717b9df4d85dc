/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protected memory: of a device that has it (the null driver's, by its settings), what needs more
 * than the device is refused, because neither Krafla's allocator nor its displays protect; what is
 * the device's alone passes.
 */
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdlib.h>

#include "app.h"
#include "harness.h"
#include "stack.h"

#define AHB_TYPE ((VkExternalMemoryHandleTypeFlagBits)0x400) /* Android's */

static void
open_device(struct app *app, enum stack_driver driver)
{
	static const VkPhysicalDeviceProtectedMemoryFeatures on = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES,
		.protectedMemory = VK_TRUE,
	};
	static const char *const surface_extensions[] = {
		"VK_KHR_get_surface_capabilities2", "VK_KHR_surface_protected_capabilities"};

	*app = (struct app){.more = {.device = &on,
				    .instance_extensions = surface_extensions,
				    .instance_extension_count = 2}};
	stack_use(driver);
	setenv("KRAFLA_NULL_DRIVER", "protected=yes", 1);
	assert_int_equal(app_open_instance(app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(app), VK_SUCCESS);
	assert_int_equal(app_open_device(app, 0), VK_SUCCESS);
}

/* Whether the device has images with that flag, alone (0) or in memory of that kind. */
static VkResult
ask_image(const struct app *app, VkImageCreateFlags flags, VkExternalMemoryHandleTypeFlagBits type)
{
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = type,
	};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = type ? &external : NULL,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.type = VK_IMAGE_TYPE_2D,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT,
		.flags = flags,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
	};

	return vkGetPhysicalDeviceImageFormatProperties2(app->physical, &info, &properties);
}

static VkBool32
supports_protected(const struct app *app)
{
	PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR ask =
		(PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)vkGetInstanceProcAddr(
			app->instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR");
	const VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
		.surface = app->surface,
	};
	VkSurfaceProtectedCapabilitiesKHR protection = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR,
		.supportsProtected = VK_TRUE,
	};
	VkSurfaceCapabilities2KHR capabilities = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR,
		.pNext = &protection,
	};

	assert_int_equal(ask(app->physical, &info, &capabilities), VK_SUCCESS);
	return protection.supportsProtected;
}

static void
expect_refusals(enum stack_driver driver)
{
	const VkExtent2D extent = {64, 64};
	struct app app;

	open_device(&app, driver);
	/* The device's own. */
	assert_int_equal(ask_image(&app, VK_IMAGE_CREATE_PROTECTED_BIT, 0), VK_SUCCESS);
	/* A buffer's. */
	assert_int_equal(ask_image(&app, VK_IMAGE_CREATE_PROTECTED_BIT, AHB_TYPE),
		VK_ERROR_FORMAT_NOT_SUPPORTED);
	/* A window's. */
	assert_false(supports_protected(&app));
	app.more.flags = VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR;
	assert_int_equal(app_create_swapchain(&app, VK_PRESENT_MODE_FIFO_KHR, 2, extent),
		VK_ERROR_INITIALIZATION_FAILED);
	app.more.flags = 0;
	assert_int_equal(
		app_create_swapchain(&app, VK_PRESENT_MODE_FIFO_KHR, 2, extent), VK_SUCCESS);
	app_close(&app);
}

/* W-04 */
static void
nothing_is_protected_by_the_device_alone(void **state)
{
	expect_refusals(STACK_NULL);
}

static void
nothing_is_protected_behind_the_adapter(void **state)
{
	expect_refusals(STACK_NULL_ICD);
}

/* W-04: nor what is allocated. */
static void
protected_buffers_are_not_allocated(void **state)
{
	static const uint64_t usages[] = {AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE,
		AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER, AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY};

	stack_use(STACK_NULL);
	for (size_t i = 0; i < sizeof(usages) / sizeof(usages[0]); i++) {
		const AHardwareBuffer_Desc desc = {.width = 64,
			.height = 64,
			.layers = 1,
			.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
			.usage = usages[i] | AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT};
		AHardwareBuffer *buffer;

		assert_int_equal(AHardwareBuffer_isSupported(&desc), 0);
		assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), -ENOSYS);
	}
}

#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)
static const struct kr_test tests[] = {
	KR_TEST_SLOW(nothing_is_protected_by_the_device_alone, LEAVES, 60),
	KR_TEST_SLOW(nothing_is_protected_behind_the_adapter, LEAVES, 60),
	KR_TEST_SLOW(protected_buffers_are_not_allocated, LEAVES, 60),
};

KR_TEST_MAIN(tests)
