/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and tags of objects: a driver gets its own handle, or hears nothing of what
 * it doesn't know.
 */
#include "support.h"

struct rig {
	struct fakes fakes;
	struct loader l;
	VkDebugUtilsMessengerEXT messenger;
	VkSurfaceKHR surface;
	VkDevice device; /* of the first driver */
};

static void
open_rig(struct rig *r)
{
	static const char *const names[] = {
		"VK_KHR_surface", "VK_KHR_xcb_surface", "VK_EXT_debug_utils", NULL};
	static const char *const device_names[] = {"VK_EXT_debug_marker", NULL};
	const VkXcbSurfaceCreateInfoKHR surface_info = {
		.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR};
	const VkDebugUtilsMessengerCreateInfoEXT messenger_info =
		kr_vulkan_messenger_info(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, NULL, NULL);
	VkBool32 supported;

	open_fakes(&r->fakes);
	for (int i = 0; names[i]; i++)
		r->fakes.a->instance_extensions[i] = names[i];
	r->fakes.a->device_extensions[0] = device_names[0];
	use_both_fakes();
	open_loader(&r->l);
	make_instance(&r->l, names);
	r->messenger = make_messenger(&r->l, &messenger_info);
	assert_int_equal(EXPORTED(&r->l, vkCreateXcbSurfaceKHR)(
				 r->l.instance, &surface_info, NULL, &r->surface),
		VK_SUCCESS);
	assert_int_equal(EXPORTED(&r->l, vkGetPhysicalDeviceSurfaceSupportKHR)(
				 r->l.devices[0], 0, r->surface, &supported),
		VK_SUCCESS);
	r->device = make_device(&r->l, r->l.devices[0], device_names);
}

static void
close_rig(struct rig *r)
{
	end_device(&r->l, r->device);
	EXPORTED(&r->l, vkDestroySurfaceKHR)(r->l.instance, r->surface, NULL);
	end_messenger(&r->l, r->messenger);
	end_instance(&r->l);
	close_loader(&r->l);
	close_fakes(&r->fakes);
}

/* Handles of the application, and what the first driver must make of them; 0: it must not hear. */
struct handle {
	VkObjectType type;
	VkDebugReportObjectTypeEXT report;
	uint64_t ours, drivers;
};

#define HANDLES 6

static void
list_handles(const struct rig *r, struct handle out[HANDLES])
{
	const struct fake_control *a = r->fakes.a;
	const struct handle handles[HANDLES] = {
		{VK_OBJECT_TYPE_INSTANCE, VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT,
			(uint64_t)(uintptr_t)r->l.instance, (uint64_t)(uintptr_t)a->instance},
		{VK_OBJECT_TYPE_PHYSICAL_DEVICE, VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT,
			(uint64_t)(uintptr_t)r->l.devices[0],
			(uint64_t)(uintptr_t)a->physical_devices[0]},
		{VK_OBJECT_TYPE_PHYSICAL_DEVICE, VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT,
			(uint64_t)(uintptr_t)r->l.devices[1], 0},
		{VK_OBJECT_TYPE_SURFACE_KHR, VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT,
			(uint64_t)r->surface, (uint64_t)a->surface},
		{VK_OBJECT_TYPE_IMAGE, VK_DEBUG_REPORT_OBJECT_TYPE_IMAGE_EXT, 42, 42},
		/* Debug report has a name for its own kind of callbacks alone. */
		{VK_OBJECT_TYPE_DEBUG_UTILS_MESSENGER_EXT,
			VK_DEBUG_REPORT_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT_EXT,
			(uint64_t)r->messenger, 0},
	};

	for (int i = 0; i < HANDLES; i++)
		out[i] = handles[i];
}

static void
check(const struct rig *r, const struct handle *handle, int calls, int before)
{
	assert_int_equal(calls - before, handle->drivers != 0);
	if (handle->drivers)
		assert_int_equal(r->fakes.a->seen_object, handle->drivers);
}

/* K-33 */
static void
names_and_tags_reach_the_driver_with_its_handles(void **state)
{
	struct handle handles[HANDLES];
	struct rig r;

	open_rig(&r);
	list_handles(&r, handles);
	for (int i = 0; i < HANDLES; i++) {
		const VkDebugUtilsObjectNameInfoEXT name = {
			.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
			.objectType = handles[i].type,
			.objectHandle = handles[i].ours,
			.pObjectName = "name",
		};
		const VkDebugUtilsObjectTagInfoEXT tag = {
			.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_TAG_INFO_EXT,
			.objectType = handles[i].type,
			.objectHandle = handles[i].ours,
		};
		int before = r.fakes.a->names_set;

		assert_int_equal(
			OF_DEVICE(&r.l, r.device, vkSetDebugUtilsObjectNameEXT)(r.device, &name),
			VK_SUCCESS);
		check(&r, &handles[i], r.fakes.a->names_set, before);
		before = r.fakes.a->tags_set;
		r.fakes.a->seen_object = 0;
		assert_int_equal(
			OF_DEVICE(&r.l, r.device, vkSetDebugUtilsObjectTagEXT)(r.device, &tag),
			VK_SUCCESS);
		check(&r, &handles[i], r.fakes.a->tags_set, before);
	}
	close_rig(&r);
}

/* K-33 */
static void
markers_reach_the_driver_with_its_handles(void **state)
{
	struct handle handles[HANDLES];
	struct rig r;

	open_rig(&r);
	list_handles(&r, handles);
	for (int i = 0; i < HANDLES; i++) {
		const VkDebugMarkerObjectNameInfoEXT name = {
			.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_NAME_INFO_EXT,
			.objectType = handles[i].report,
			.object = handles[i].ours,
			.pObjectName = "name",
		};
		const VkDebugMarkerObjectTagInfoEXT tag = {
			.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_TAG_INFO_EXT,
			.objectType = handles[i].report,
			.object = handles[i].ours,
		};
		int before = r.fakes.a->names_set;

		assert_int_equal(
			OF_DEVICE(&r.l, r.device, vkDebugMarkerSetObjectNameEXT)(r.device, &name),
			VK_SUCCESS);
		check(&r, &handles[i], r.fakes.a->names_set, before);
		before = r.fakes.a->tags_set;
		r.fakes.a->seen_object = 0;
		assert_int_equal(
			OF_DEVICE(&r.l, r.device, vkDebugMarkerSetObjectTagEXT)(r.device, &tag),
			VK_SUCCESS);
		check(&r, &handles[i], r.fakes.a->tags_set, before);
	}
	close_rig(&r);
}

static const struct kr_test tests[] = {
	KR_TEST(names_and_tags_reach_the_driver_with_its_handles),
	KR_TEST(markers_reach_the_driver_with_its_handles),
};

KR_TEST_MAIN(tests)
