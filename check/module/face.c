/* SPDX-License-Identifier: Apache-2.0 */
/* The module and its device, as numbers and pointers (D-02, D-03). */
#include "check/module/module.h"

#include <string.h>

static void
tag(struct check *c)
{
	uint32_t is = check_module(c)->tag;

	CHECK(c, is == HARDWARE_MODULE_TAG, "the module's tag is 0x%08x, where 0x%08x is due", is,
		HARDWARE_MODULE_TAG);
}

static void
id(struct check *c)
{
	const char *is = check_module(c)->id;

	CHECK(c, is, "the module's id is NULL");
	CHECK(c, !strcmp(is, HWVULKAN_HARDWARE_MODULE_ID), "the module's id is \"%.40s\"", is);
}

/* Drawing on a native buffer, from the usage query to the pixels: the rest says what is wrong. */
static void
draws(struct check *c)
{
	static const float rgba[4] = {1.0f, 0.0f, 0.4f, 1.0f};
	struct check_device device;
	struct check_image image;
	int fence = -2;

	check_make_device(c, NULL, &device);
	check_make_image(c, &device, NULL, &image);
	CHECK_SUCCESS(c, vkAcquireImageANDROID, device.device, image.image, -1, VK_NULL_HANDLE,
		VK_NULL_HANDLE);
	check_clear(c, &device, &image, 0, rgba, VK_NULL_HANDLE, VK_NULL_HANDLE);
	CHECK_SUCCESS(c, vkQueueSignalReleaseImageANDROID, device.queues[0], 0, NULL, image.image,
		&fence);
	CHECK(c, check_wait_fence(c, fence, 5000), "the release fence doesn't signal within 5 s");
	check_pixels(c, &image, rgba);
	check_destroy_image(c, &device, &image);
	check_destroy_device(c, &device);
}

static const struct check_case rows[] = {
	{
		.name = "module.has_the_tag",
		.requirement = "D-02",
		.expected = "hw_module_t::tag is HARDWARE_MODULE_TAG",
		.consequence = "a platform takes the library for no HAL module: no Vulkan",
		.run = tag,
	},
	{
		.name = "module.is_vulkan",
		.requirement = "D-02",
		.expected = "hw_module_t::id is \"vulkan\"",
		.consequence = "the loader refuses the module: no Vulkan",
		.run = id,
	},
	{
		.name = "module.draws",
		.requirement = "D-03",
		.expected =
			"a native buffer becomes an image, which is acquired, cleared and released, and the buffer holds the colour",
		.consequence = "windows stay black, or no frame is shown at all",
		.run = draws,
	},
};

const struct check_rows check_module_face = CHECK_ROWS(rows);
