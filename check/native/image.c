/* SPDX-License-Identifier: Apache-2.0 */
/* Images of native buffers: which can be made (W-04). */
#include "check/native/native.h"

/* Made and destroyed, where the driver has a usage for it; else only a remark. */
static bool
make_one(struct check *c, struct check_device *device, const struct check_image_request *request,
	const char *what)
{
	struct check_image image;
	uint64_t gralloc;
	VkResult result =
		check_gralloc_usage(c, device, request->format, request->usage, 0, &gralloc);

	if (result != VK_SUCCESS) {
		check_say(c, "%s: no gralloc usage (%s)", what, check_result_name(result));
		return false;
	}
	result = check_try_image(c, device, request, &image);
	CHECK(c, result == VK_SUCCESS, "%s has a gralloc usage, and vkCreateImage gives %s", what,
		check_result_name(result));
	check_destroy_image(c, device, &image);
	return true;
}

static void
of_every_format(struct check *c)
{
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (unsigned i = 0; i < NATIVE_FORMATS; i++) {
		const struct check_image_request request = {
			.format = native_formats[i],
			.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		};

		if (!check_format_is_usable(c, &device, request.format, request.usage))
			continue;
		if (!make_one(c, &device, &request, native_format_name(request.format)))
			CHECK(c, i, "there is no gralloc usage for R8G8B8A8_UNORM");
	}
}

static void
of_every_usage(struct check *c)
{
	static const struct {
		VkImageUsageFlags bit;
		const char *name;
	} usages[] = {
		{VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, "an image to draw to"},
		{VK_IMAGE_USAGE_TRANSFER_SRC_BIT, "an image to copy from"},
		{VK_IMAGE_USAGE_TRANSFER_DST_BIT, "an image to copy to"},
		{VK_IMAGE_USAGE_SAMPLED_BIT, "an image to sample"},
		{VK_IMAGE_USAGE_STORAGE_BIT, "a storage image"},
		{VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, "an input attachment"},
	};
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (size_t i = 0; i < KR_ARRAY_LEN(usages); i++) {
		const struct check_image_request request = {
			.format = VK_FORMAT_R8G8B8A8_UNORM,
			.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | usages[i].bit,
		};

		if (check_format_is_usable(c, &device, request.format, request.usage))
			(void)make_one(c, &device, &request, usages[i].name);
	}
}

static void
needs_no_memory(struct check *c)
{
	static const float rgba[4] = {0.2f, 0.4f, 0.6f, 1.0f};
	struct native_scene scene;

	native_scene_make(c, &scene);
	native_draw(c, &scene.device, &scene.image, rgba);
}

static void
frees_descriptors(struct check *c)
{
	struct check_device device;
	struct check_image image;
	unsigned before = 0, after;

	check_make_device(c, NULL, &device);
	/* What a driver opens once for all its images stays: the first ones don't count. */
	for (int i = 0; i < 24; i++) {
		if (i == 4)
			before = check_descriptors(c);
		check_make_image(c, &device, NULL, &image);
		check_destroy_image(c, &device, &image);
	}
	after = check_descriptors(c);
	CHECK(c, after <= before,
		"20 images were made and destroyed, and %u descriptors more are open",
		after - before);
}

static const struct check_case rows[] = {
	{
		.name = "image.of_every_format",
		.requirement = "W-04",
		.expected =
			"images can be made of every format that the device draws to and has a gralloc usage for, R8G8B8A8_UNORM among them",
		.consequence = "surface formats are offered with which no swapchain can be created",
		.run = of_every_format,
	},
	{
		.name = "image.of_every_usage",
		.requirement = "W-04",
		.expected =
			"images can be made for every usage that the device has for R8G8B8A8_UNORM and a gralloc usage for",
		.consequence = "image usages are offered with which no swapchain can be created",
		.run = of_every_usage,
	},
	{
		.name = "image.needs_no_memory",
		.requirement = "W-04",
		.expected = "an image has its memory by its creation: nobody binds any",
		.consequence = "windows stay black",
		.run = needs_no_memory,
	},
	{
		.name = "image.frees_descriptors",
		.requirement = "W-04",
		.expected = "what is opened for an image is closed with it",
		.consequence =
			"programs whose windows change their size run out of descriptors, and crash",
		.run = frees_descriptors,
	},
};

const struct check_rows check_native_image = CHECK_ROWS(rows);
