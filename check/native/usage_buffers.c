/* SPDX-License-Identifier: Apache-2.0 */
/* Gralloc usage against the allocator: what a driver asks for can be had (W-03, W-13). */
#include "check/native/native.h"

#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"

#define USAGE VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT

/* What a display adds. */
#define DISPLAY (AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE)

static int
allocator_says(VkFormat format, uint64_t usage)
{
	const struct kr_buffer_desc desc = {
		.width = 64,
		.height = 64,
		.layers = 1,
		.format = check_buffer_format(format),
		.usage = usage,
	};

	return kr_buffer_check(&desc);
}

static void
can_be_allocated(struct check *c)
{
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (unsigned i = 0; i < NATIVE_FORMATS; i++) {
		VkFormat format = native_formats[i];

		for (enum native_query query = NATIVE_QUERY_1; query < NATIVE_QUERY_AHB; query++) {
			uint64_t answer;

			if (!native_has_query(c, &device, query) ||
				!check_format_is_usable(c, &device, format, USAGE) ||
				native_ask(c, &device, query, format, USAGE, false, &answer) !=
					VK_SUCCESS)
				continue;
			CHECK(c, !allocator_says(format, answer | DISPLAY),
				"of %s query %u asks for %#llx, of which the allocator has no buffer",
				native_format_name(format), query, (unsigned long long)answer);
		}
	}
}

/* sRGB is a view of such a buffer: its formats have none of their own. */
static bool
has_hardware_format(VkFormat format)
{
	return format != VK_FORMAT_R8G8B8A8_SRGB && format != VK_FORMAT_B8G8R8A8_SRGB;
}

/* Of the newest of the other queries; 0: it has none, or that refuses. */
static uint64_t
older_answer(struct check *c, const struct check_device *device, VkFormat format)
{
	uint64_t answer;

	for (enum native_query query = NATIVE_QUERY_4; query >= NATIVE_QUERY_1; query--) {
		if (native_has_query(c, device, query))
			return native_ask(c, device, query, format, USAGE, false, &answer) ==
					VK_SUCCESS
				? answer
				: 0;
	}
	return 0;
}

static void
hardware_buffer_agrees(struct check *c)
{
	struct check_device device;

	check_make_device(c, NULL, &device);
	if (!native_has_query(c, &device, NATIVE_QUERY_AHB))
		check_not_applicable(c, "the driver doesn't have this query");
	for (unsigned i = 0; i < NATIVE_FORMATS; i++) {
		VkFormat format = native_formats[i];
		uint64_t answer, older;

		if (!has_hardware_format(format) ||
			native_ask(c, &device, NATIVE_QUERY_AHB, format, USAGE, false, &answer) !=
				VK_SUCCESS)
			continue;
		older = older_answer(c, &device, format);
		CHECK(c, !(older & ~answer),
			"of %s the newest older query asks for %#llx, and AHardwareBuffer's for %#llx",
			native_format_name(format), (unsigned long long)older,
			(unsigned long long)answer);
		CHECK(c, !allocator_says(format, answer | DISPLAY),
			"of %s it asks for %#llx, of which the allocator has no buffer",
			native_format_name(format), (unsigned long long)answer);
	}
}

static const struct check_case rows[] = {
	{
		.name = "usage.can_be_allocated",
		.requirement = "W-03",
		.expected =
			"buffers with the usage that a query answers can be allocated, of every format that windows have and the query knows",
		.consequence = "vkCreateSwapchainKHR fails for want of buffers",
		.run = can_be_allocated,
	},
	{
		.name = "usage.hardware_buffer_agrees",
		.requirement = "W-03",
		.expected =
			"the usage of an AHardwareBuffer holds what the older queries ask for, and can be allocated",
		.consequence =
			"a driver works on an old platform, and on a new one gets buffers that it can't use",
		.run = hardware_buffer_agrees,
		.min_version = NATIVE_SINCE_HARDWARE,
	},
};

const struct check_rows check_native_usage_buffers = CHECK_ROWS(rows);
