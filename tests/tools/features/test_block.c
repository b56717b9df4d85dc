/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of capabilities against a device of this test: what a structure that is newer than the
 * headers points to, and a driver that says more than it was given room for.
 */
#include "harness.h"

#include <string.h>

#include "tools/features/profile/block.h"
#include "util/macros.h"

/* VkPhysicalDeviceHostImageCopyProperties, as Vulkan 1.4 has it. */
struct copy_properties {
	uint32_t type;
	void *next;
	uint32_t source_count;
	int32_t *sources;
	uint32_t target_count;
	int32_t *targets;
	uint8_t layout_uuid[VK_UUID_SIZE];
	VkBool32 identical;
};

static const int32_t layouts[] = {
	VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, 999};
static uint32_t asked;
static uint32_t said_at_last;

static void
fill(uint32_t *count, int32_t *list)
{
	if (!list) {
		*count = KR_ARRAY_LEN(layouts);
		return;
	}
	for (uint32_t i = 0; i < *count && i < KR_ARRAY_LEN(layouts); i++)
		list[i] = layouts[i];
	if (said_at_last)
		*count = said_at_last;
}

static VKAPI_ATTR void VKAPI_CALL
get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
	struct copy_properties *copy = properties->pNext;

	asked++;
	assert_non_null(copy);
	assert_int_equal(copy->type,
		kr_capability_find_struct("VkPhysicalDeviceHostImageCopyProperties")->type);
	fill(&copy->source_count, copy->sources);
	fill(&copy->target_count, copy->targets);
	copy->identical = VK_TRUE;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_proc_addr(VkInstance instance, const char *name)
{
	return strcmp(name, "vkGetPhysicalDeviceProperties2") ? NULL
							      : (PFN_vkVoidFunction)get_properties;
}

/* Whether a device of this version holds these members. */
static bool
holds(uint32_t version, const char *members)
{
	struct kr_feature_device device = {
		.source = {.get_instance_proc_addr = get_proc_addr,
			.instance = (VkInstance)&device},
		.facts = {.properties = {.apiVersion = version}},
	};
	struct kr_flags_view view;
	json_t *block = json_object(), *verdict;
	bool held;

	json_object_set_new(block, "properties",
		json_pack("{s:o}", "VkPhysicalDeviceHostImageCopyPropertiesEXT",
			json_loads(members, 0, NULL)));
	assert_int_equal(kr_flags_view_init(&view, &device), 0);
	verdict = kr_flags_judge_block(&view, block);
	held = json_is_true(json_object_get(verdict, "holds"));
	json_decref(verdict);
	json_decref(block);
	kr_flags_view_finish(&view);
	return held;
}

#define VULKAN_1_4 VK_MAKE_API_VERSION(0, 1, 4, 0)

static void
lists_that_a_structure_points_to(void **state)
{
	said_at_last = 0;
	assert_true(holds(VULKAN_1_4,
		"{\"copySrcLayoutCount\": 3, \"identicalMemoryTypeRequirements\": true, "
		"\"pCopySrcLayouts\": [\"VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL\", "
		"\"VK_IMAGE_LAYOUT_GENERAL\"], \"pCopyDstLayouts\": []}"));
	/* Once for how many, once for them. */
	assert_int_equal(asked, 2);
	assert_false(holds(VULKAN_1_4,
		"{\"pCopySrcLayouts\": [\"VK_IMAGE_LAYOUT_GENERAL\", "
		"\"VK_IMAGE_LAYOUT_PRESENT_SRC_KHR\"]}"));
	assert_false(holds(VULKAN_1_4, "{\"pCopySrcLayouts\": [\"VK_IMAGE_LAYOUT_NONE\"]}"));
	assert_false(holds(VULKAN_1_4, "{\"pCopySrcLayouts\": \"VK_IMAGE_LAYOUT_GENERAL\"}"));
	assert_false(holds(VULKAN_1_4, "{\"copySrcLayoutCount\": 4}"));
}

/* A count that grows where the list can't. */
static void
more_than_there_is_room_for(void **state)
{
	said_at_last = 1u << 30;
	assert_true(holds(VULKAN_1_4, "{\"pCopyDstLayouts\": [\"VK_IMAGE_LAYOUT_GENERAL\"]}"));
	assert_false(holds(VULKAN_1_4, "{\"copyDstLayoutCount\": 4}"));
}

static void
what_the_version_does_not_bring(void **state)
{
	asked = 0;
	assert_false(holds(VK_API_VERSION_1_3, "{\"identicalMemoryTypeRequirements\": true}"));
	assert_int_equal(asked, 0);
}

static const struct kr_test tests[] = {
	KR_TEST(lists_that_a_structure_points_to),
	KR_TEST(more_than_there_is_room_for),
	KR_TEST(what_the_version_does_not_bring),
};

KR_TEST_MAIN(tests)
