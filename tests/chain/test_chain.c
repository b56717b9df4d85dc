/* SPDX-License-Identifier: Apache-2.0 */
/* Chains lose, keep and share what they should, and give back what was unlinked. */
#include <string.h>

#include "harness.h"
#include "chain/chain.h"
#include "util/macros.h"

#define UNKNOWN ((VkStructureType)2147480000)

static bool
is_multiview(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES;
}

/* Dropped at the front, in the middle, at the end, twice in a row; what is behind is shared. */
static void
chain_loses_what_it_should(void **state)
{
	VkPhysicalDeviceMultiviewFeatures drop[3];
	VkPhysicalDevice16BitStorageFeatures keep[3];
	const struct {
		const char *form; /* d: dropped, k: kept */
		size_t copied;    /* of the kept ones */
	} cases[] = {{"", 0}, {"k", 0}, {"d", 0}, {"dk", 0}, {"kd", 1}, {"kdk", 1}, {"dkdk", 1},
		{"kddkk", 1}, {"kkdd", 2}, {"dddkkk", 0}, {"kdkdkd", 3}};

	for (size_t c = 0; c < KR_ARRAY_LEN(cases); c++) {
		const VkBaseInStructure *head = NULL, *node;
		struct kr_arena arena;
		const void *stripped;
		size_t dropped = 0, kept = 0;

		memset(drop, 0, sizeof(drop));
		memset(keep, 0, sizeof(keep));
		for (size_t i = strlen(cases[c].form); i--;) {
			VkBaseOutStructure *new;

			if (cases[c].form[i] == 'd') {
				new = (VkBaseOutStructure *)&drop[dropped++];
				new->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES;
			} else {
				keep[kept].storagePushConstant16 = (VkBool32)(100 + kept);
				new = (VkBaseOutStructure *)&keep[kept++];
				new->sType =
					VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
			}
			new->pNext = (VkBaseOutStructure *)head;
			head = (const VkBaseInStructure *)new;
		}
		kr_arena_init(&arena, NULL);
		assert_int_equal(
			kr_chain_strip(&arena, head, is_multiview, "test", &stripped), VK_SUCCESS);
		assert_true(!!arena.used == !!cases[c].copied);
		node = stripped;
		for (size_t i = 0; i < kept; i++, node = node->pNext) {
			const VkPhysicalDevice16BitStorageFeatures *copy = (const void *)node;

			assert_int_equal(copy->sType,
				VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
			assert_int_equal(copy->storagePushConstant16, 100 + kept - 1 - i);
			assert_true((copy == &keep[kept - 1 - i]) == (i >= cases[c].copied));
		}
		assert_null(node);
		kr_arena_finish(&arena);
	}
}

/* One that can't be copied matters in front of what is dropped, and not behind. */
static void
unknown_structures_are_refused_where_they_matter(void **state)
{
	VkPhysicalDeviceMultiviewFeatures drop = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
	VkBaseInStructure unknown = {.sType = UNKNOWN, .pNext = (const void *)&drop};
	const void *stripped = &unknown;
	struct kr_arena arena;
	void *found = NULL;

	kr_arena_init(&arena, NULL);
	assert_int_equal(kr_chain_strip(&arena, &unknown, is_multiview, "test", &stripped),
		VK_ERROR_INITIALIZATION_FAILED);
	assert_int_equal(
		kr_chain_copy_until(&arena, &unknown, drop.sType, "test", &stripped, &found),
		VK_ERROR_UNKNOWN);
	assert_ptr_equal(stripped, &unknown);
	unknown.pNext = NULL;
	drop.pNext = &unknown;
	assert_int_equal(
		kr_chain_strip(&arena, &drop, is_multiview, "test", &stripped), VK_SUCCESS);
	assert_ptr_equal(stripped, &unknown);
	kr_arena_finish(&arena);
}

static void
copies_end_with_what_is_looked_for(void **state)
{
	VkPhysicalDevice16BitStorageFeatures last = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
	VkPhysicalDeviceMultiviewFeatures wanted = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, .pNext = &last};
	VkPhysicalDevice16BitStorageFeatures first = {.sType = last.sType, .pNext = &wanted};
	const void *copy;
	struct kr_arena arena;
	void *found;

	kr_arena_init(&arena, NULL);
	assert_int_equal(kr_chain_copy_until(&arena, &first, wanted.sType, "test", &copy, &found),
		VK_SUCCESS);
	assert_ptr_not_equal(copy, &first);
	assert_ptr_not_equal(found, &wanted);
	assert_ptr_equal(((const VkBaseInStructure *)copy)->pNext, found);
	assert_ptr_equal(((const VkBaseInStructure *)found)->pNext, &last);
	assert_int_equal(kr_chain_copy_until(&arena, &last, wanted.sType, "test", &copy, &found),
		VK_SUCCESS);
	assert_ptr_equal(copy, &last);
	assert_null(found);
	kr_arena_finish(&arena);
}

static void
what_was_unlinked_comes_back(void **state)
{
	VkPhysicalDeviceMultiviewFeatures second = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
	VkPhysicalDeviceMultiviewFeatures first = {.sType = second.sType, .pNext = &second};
	VkPhysicalDeviceFeatures2 head = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &first};
	struct kr_chain_unlinked unlinked;

	kr_chain_unlink(&head, is_multiview, &unlinked);
	assert_int_equal(unlinked.count, 2);
	assert_null(head.pNext);
	kr_chain_relink(&unlinked);
	assert_ptr_equal(head.pNext, &first);
	assert_ptr_equal(first.pNext, &second);
	assert_null(second.pNext);
}

static const struct kr_test tests[] = {
	KR_TEST(chain_loses_what_it_should),
	KR_TEST(unknown_structures_are_refused_where_they_matter),
	KR_TEST(copies_end_with_what_is_looked_for),
	KR_TEST(what_was_unlinked_comes_back),
};
KR_TEST_MAIN(tests)
