/* SPDX-License-Identifier: Apache-2.0 */
/* Gralloc usage, as each query answers it (W-03). */
#include "check/native/native.h"

#include <krafla/hardware_buffer.h>

#define FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define USAGE  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT

/* Cameras, as gralloc 1 has them on both sides. */
#define CAMERAS (1 << 17 | 1 << 18)

/* What no image of a window is for: two dimensions, one layer, one level, not protected. */
#define STRANGE                                                                                    \
	(AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT | AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA |      \
		AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP |       \
		AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE | CAMERAS)

static void
query_answers(struct check *c, enum native_query query)
{
	struct check_device device;
	uint64_t answer;
	VkResult result;

	check_make_device(c, NULL, &device);
	if (!native_has_query(c, &device, query))
		check_not_applicable(c, "the driver doesn't have this query");
	result = native_ask(c, &device, query, FORMAT, USAGE, false, &answer);
	/* Then the platform asks in an older way. */
	if (query == NATIVE_QUERY_AHB && result != VK_SUCCESS)
		check_not_applicable(c, "the driver makes no images of AHardwareBuffers: %s",
			check_result_name(result));
	CHECK(c, result == VK_SUCCESS, "of an R8G8B8A8_UNORM colour attachment it answers %s",
		check_result_name(result));
	CHECK(c, !(answer & (uint64_t)STRANGE),
		"it answers %#llx: bits %#llx are for what no image of a window is",
		(unsigned long long)answer, (unsigned long long)(answer & (uint64_t)STRANGE));
}

static void
query_1(struct check *c)
{
	query_answers(c, NATIVE_QUERY_1);
}

static void
query_2(struct check *c)
{
	query_answers(c, NATIVE_QUERY_2);
}

static void
query_3(struct check *c)
{
	query_answers(c, NATIVE_QUERY_3);
}

static void
query_4(struct check *c)
{
	query_answers(c, NATIVE_QUERY_4);
}

static void
hardware_buffer_is_answered(struct check *c)
{
	query_answers(c, NATIVE_QUERY_AHB);
}

static void
same_again(struct check *c)
{
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (enum native_query query = NATIVE_QUERY_1; query < NATIVE_QUERY_END; query++) {
		uint64_t first, again;

		if (!native_has_query(c, &device, query) ||
			native_ask(c, &device, query, FORMAT, USAGE, false, &first) != VK_SUCCESS)
			continue;
		for (int i = 0; i < 4; i++) {
			VkResult result =
				native_ask(c, &device, query, FORMAT, USAGE, false, &again);

			CHECK(c, result == VK_SUCCESS && again == first,
				"query %u answers %#llx at first, and %s, %#llx when it is asked again",
				query, (unsigned long long)first, check_result_name(result),
				(unsigned long long)again);
		}
	}
}

/* The newest is what a platform asks. A query that refuses the image isn't compared. */
static void
queries_agree(struct check *c)
{
	struct check_device device;
	enum native_query older = NATIVE_QUERY_1;
	uint64_t had = 0;

	check_make_device(c, NULL, &device);
	for (enum native_query query = NATIVE_QUERY_1; query < NATIVE_QUERY_AHB; query++) {
		uint64_t answer;

		if (!native_has_query(c, &device, query) ||
			native_ask(c, &device, query, FORMAT, USAGE, false, &answer) != VK_SUCCESS)
			continue;
		CHECK(c, !(had & ~answer),
			"query %u asks for %#llx, and query %u, which takes its place, for %#llx",
			older, (unsigned long long)had, query, (unsigned long long)answer);
		had = answer;
		older = query;
	}
}

static void
unknown_formats(struct check *c)
{
	static const VkFormat formats[] = {
		VK_FORMAT_UNDEFINED,
		VK_FORMAT_D32_SFLOAT,
		VK_FORMAT_BC7_SRGB_BLOCK,
		VK_FORMAT_R64G64B64A64_SFLOAT,
		VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
		(VkFormat)0x7FFFFFFE,
	};
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		/* By a query of image formats an unknown one may not be asked for. */
		for (enum native_query query = NATIVE_QUERY_1; query < NATIVE_QUERY_AHB; query++) {
			uint64_t answer;

			if (native_has_query(c, &device, query))
				(void)native_ask(
					c, &device, query, formats[i], USAGE, false, &answer);
		}
	}
}

static void
shared_images(struct check *c)
{
	struct check_device device;
	bool asked = false;

	check_make_device(c, NULL, &device);
	native_need_shared(c, &device);
	for (enum native_query query = NATIVE_QUERY_1; query < NATIVE_QUERY_AHB; query++) {
		uint64_t answer;
		VkResult result;

		if (!native_query_knows_shared(query) || !native_has_query(c, &device, query))
			continue;
		result = native_ask(c, &device, query, FORMAT, USAGE, true, &answer);
		CHECK(c, result == VK_SUCCESS,
			"sharedImage is true, and query %u answers %s of a shared image", query,
			check_result_name(result));
		asked = true;
	}
	if (!asked)
		check_not_applicable(c, "no query of the driver knows shared images");
}

#define ANSWER_EXPECTED                                                                            \
	"an R8G8B8A8_UNORM colour attachment has a usage, with nothing in it that an image of a window isn't for"
#define ANSWER_CONSEQUENCE "vkCreateSwapchainKHR fails, or windows get buffers of the wrong kind"

static const struct check_case rows[] = {
	{
		.name = "usage.query1_answers",
		.requirement = "W-03",
		.expected = "vkGetSwapchainGrallocUsageANDROID: " ANSWER_EXPECTED,
		.consequence = ANSWER_CONSEQUENCE,
		.run = query_1,
	},
	{
		.name = "usage.query2_answers",
		.requirement = "W-03",
		.expected = "vkGetSwapchainGrallocUsage2ANDROID: " ANSWER_EXPECTED,
		.consequence = ANSWER_CONSEQUENCE,
		.run = query_2,
		.min_version = 6,
	},
	{
		.name = "usage.query3_answers",
		.requirement = "W-03",
		.expected = "vkGetSwapchainGrallocUsage3ANDROID: " ANSWER_EXPECTED,
		.consequence = ANSWER_CONSEQUENCE,
		.run = query_3,
		.min_version = 9,
	},
	{
		.name = "usage.query4_answers",
		.requirement = "W-03",
		.expected = "vkGetSwapchainGrallocUsage4ANDROID: " ANSWER_EXPECTED,
		.consequence = ANSWER_CONSEQUENCE,
		.run = query_4,
		.min_version = 10,
	},
	{
		.name = "usage.hardware_buffer_is_answered",
		.requirement = "W-03",
		.expected = "VkAndroidHardwareBufferUsageANDROID: " ANSWER_EXPECTED,
		.consequence = ANSWER_CONSEQUENCE,
		.run = hardware_buffer_is_answered,
		.min_version = NATIVE_SINCE_HARDWARE,
	},
	{
		.name = "usage.is_the_same_again",
		.requirement = "W-03",
		.expected = "the same question has the same answer",
		.consequence =
			"buffers of one swapchain differ, or are allocated anew for no reason",
		.run = same_again,
	},
	{
		.name = "usage.queries_agree",
		.requirement = "W-03",
		.expected = "a newer query asks for all that an older one asks for",
		.consequence =
			"a driver works on an old platform, and on a new one gets buffers that it can't use",
		.run = queries_agree,
	},
	{
		.name = "usage.survives_unknown_formats",
		.requirement = "W-03",
		.expected = "formats that no window has are refused or answered",
		.consequence = "a program that asks for an odd format crashes",
		.run = unknown_formats,
	},
	{
		.name = "usage.knows_shared_images",
		.requirement = "W-03 W-10",
		.expected =
			"where sharedImage is true, the queries that know swapchain usage have one for shared images",
		.consequence =
			"swapchains of shared present modes are offered and can't be created",
		.run = shared_images,
		.min_version = NATIVE_SINCE_PRESENTATION,
	},
};

const struct check_rows check_native_usage = CHECK_ROWS(rows);
