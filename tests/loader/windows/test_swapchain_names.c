/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names, tags and private data of swapchains: those of ours stay with us, the driver's
 * are the driver's (W-02).
 */
#include <string.h>

#include "both_swapchains.h"

static void
name_and_tag(struct both *s, VkSwapchainKHR swapchain)
{
	const VkDebugUtilsObjectNameInfoEXT name = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_SWAPCHAIN_KHR,
		.objectHandle = (uint64_t)swapchain,
		.pObjectName = "name",
	};
	const VkDebugUtilsObjectTagInfoEXT tag = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_TAG_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_SWAPCHAIN_KHR,
		.objectHandle = (uint64_t)swapchain,
	};
	const VkDebugMarkerObjectNameInfoEXT mark = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_NAME_INFO_EXT,
		.objectType = VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT,
		.object = (uint64_t)swapchain,
		.pObjectName = "name",
	};
	const VkDebugMarkerObjectTagInfoEXT mark_tag = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_TAG_INFO_EXT,
		.objectType = VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT,
		.object = (uint64_t)swapchain,
	};

	s->driver->names_set = s->driver->tags_set = 0;
	assert_int_equal(
		OF_DEVICE(&s->l, s->device, vkSetDebugUtilsObjectNameEXT)(s->device, &name),
		VK_SUCCESS);
	assert_int_equal(OF_DEVICE(&s->l, s->device, vkSetDebugUtilsObjectTagEXT)(s->device, &tag),
		VK_SUCCESS);
	assert_int_equal(
		OF_DEVICE(&s->l, s->device, vkDebugMarkerSetObjectNameEXT)(s->device, &mark),
		VK_SUCCESS);
	assert_int_equal(
		OF_DEVICE(&s->l, s->device, vkDebugMarkerSetObjectTagEXT)(s->device, &mark_tag),
		VK_SUCCESS);
}

/* K-33 */
static void
names_and_tags(void **state)
{
	struct both s;

	open_both(&s);
	name_and_tag(&s, s.ours);
	assert_int_equal(s.driver->names_set + s.driver->tags_set, 0);
	name_and_tag(&s, s.theirs);
	assert_int_equal(s.driver->names_set, 2);
	assert_int_equal(s.driver->tags_set, 2);
	assert_int_equal(s.driver->seen_object, (uint64_t)s.theirs);
	close_both(&s);
}

struct functions {
	PFN_vkSetPrivateData set;
	PFN_vkGetPrivateData get;
	PFN_vkDestroyPrivateDataSlot destroy;
};

#define SLOT(n) ((VkPrivateDataSlot)(uintptr_t)(0x100 + (n)))

static uint64_t
get(const struct both *s, const struct functions *f, VkObjectType type, VkSwapchainKHR object,
	int slot)
{
	uint64_t data = 77;

	f->get(s->device, type, (uint64_t)object, SLOT(slot), &data);
	return data;
}

static void
expect_private_data(struct both *s, const struct functions *f)
{
	const VkObjectType type = VK_OBJECT_TYPE_SWAPCHAIN_KHR;

	/* Ours: a slot that nobody has set is 0, and one slot isn't another. */
	s->driver->seen_function = NULL;
	assert_int_equal(get(s, f, type, s->ours, 1), 0);
	assert_int_equal(
		f->set(s->device, type, (uint64_t)s->ours, SLOT(1), UINT64_MAX), VK_SUCCESS);
	assert_true(get(s, f, type, s->ours, 1) == UINT64_MAX);
	assert_int_equal(get(s, f, type, s->ours, 2), 0);
	assert_null(s->driver->seen_function);
	/* The driver's, and an object that has our handle's number and another type. */
	assert_int_equal(f->set(s->device, type, (uint64_t)s->theirs, SLOT(2), 5), VK_SUCCESS);
	assert_int_equal(s->driver->private_data, 5);
	assert_int_equal(s->driver->seen_object, (uint64_t)s->theirs);
	assert_int_equal(get(s, f, type, s->theirs, 3), 5);
	assert_ptr_equal(s->driver->seen_slot, SLOT(3));
	assert_int_equal(get(s, f, VK_OBJECT_TYPE_IMAGE, s->ours, 1), 5);
	assert_string_equal(s->driver->seen_function, "get_data");
	/* With the slot goes what was in it. */
	f->destroy(s->device, SLOT(1), NULL);
	assert_string_equal(s->driver->seen_function, "destroy_slot");
	assert_ptr_equal(s->driver->seen_slot, SLOT(1));
	assert_int_equal(get(s, f, type, s->ours, 1), 0);
}

static void
private_data(void **state)
{
	struct both s;

	open_both(&s);
	expect_private_data(&s,
		&(struct functions){OF_DEVICE(&s.l, s.device, vkSetPrivateData),
			OF_DEVICE(&s.l, s.device, vkGetPrivateData),
			OF_DEVICE(&s.l, s.device, vkDestroyPrivateDataSlot)});
	expect_private_data(&s,
		&(struct functions){OF_DEVICE(&s.l, s.device, vkSetPrivateDataEXT),
			OF_DEVICE(&s.l, s.device, vkGetPrivateDataEXT),
			OF_DEVICE(&s.l, s.device, vkDestroyPrivateDataSlotEXT)});
	close_both(&s);
}

/*
 * Drivers from before Vulkan 1.3 have the functions by the extension's names alone,
 * later ones by core's.
 */
static void
private_data_by_one_name(void **state)
{
	static const char *const names[] = {"VK_KHR_swapchain", "VK_EXT_private_data", NULL};
	static const char *const lacking[] = {"vkSetPrivateData", "vkGetPrivateData",
		"vkDestroyPrivateDataSlot", "vkSetPrivateDataEXT", "vkGetPrivateDataEXT",
		"vkDestroyPrivateDataSlotEXT"};
	struct functions f;
	VkDevice device;
	struct both s;

	open_both(&s);
	for (size_t i = 0; i < KR_ARRAY_LEN(lacking); i++) {
		s.driver->lacks = lacking[i];
		device = make_device(&s.l, s.l.devices[0], names);
		assert_null(EXPORTED(&s.l, vkGetDeviceProcAddr)(device, lacking[i]));
		f = i < 3 ? (struct functions){OF_DEVICE(&s.l, device, vkSetPrivateDataEXT),
				    OF_DEVICE(&s.l, device, vkGetPrivateDataEXT),
				    OF_DEVICE(&s.l, device, vkDestroyPrivateDataSlotEXT)}
			  : (struct functions){OF_DEVICE(&s.l, device, vkSetPrivateData),
				    OF_DEVICE(&s.l, device, vkGetPrivateData),
				    OF_DEVICE(&s.l, device, vkDestroyPrivateDataSlot)};
		assert_int_equal(
			f.set(device, VK_OBJECT_TYPE_IMAGE, 5, SLOT(i), 9 + i), VK_SUCCESS);
		assert_int_equal(s.driver->private_data, 9 + i);
		f.destroy(device, SLOT(i), NULL);
		assert_string_equal(s.driver->seen_function, "destroy_slot");
		s.driver->seen_function = NULL;
		f.get(device, VK_OBJECT_TYPE_IMAGE, 5, SLOT(i), &(uint64_t){0});
		assert_string_equal(s.driver->seen_function, "get_data");
		end_device(&s.l, device);
	}
	close_both(&s);
}

static const struct kr_test tests[] = {
	KR_TEST(names_and_tags),
	KR_TEST(private_data),
	KR_TEST(private_data_by_one_name),
};

KR_TEST_MAIN(tests)
