/* SPDX-License-Identifier: Apache-2.0 */
/* Device groups (D-02: one driver, several physical devices). */
#include <string.h>

#include "check/robust/robust.h"

#define MAX_GROUPS CHECK_MAX_PHYSICAL

static uint32_t
groups_of(struct check *c, VkInstance instance, VkPhysicalDeviceGroupProperties *groups)
{
	uint32_t count = 0, again = MAX_GROUPS;

	if (!check_functions(c)->vkEnumeratePhysicalDeviceGroups)
		check_not_applicable(c, "the driver has no vkEnumeratePhysicalDeviceGroups");
	for (uint32_t i = 0; i < MAX_GROUPS; i++)
		groups[i] = (VkPhysicalDeviceGroupProperties){
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
	CHECK_SUCCESS(c, vkEnumeratePhysicalDeviceGroups, instance, &count, NULL);
	CHECK(c, count <= MAX_GROUPS, "there are %u groups", count);
	CHECK_SUCCESS(c, vkEnumeratePhysicalDeviceGroups, instance, &again, groups);
	CHECK(c, again == count, "%u groups were counted, and %u came", count, again);
	return count;
}

static void
list_all(struct check *c)
{
	VkPhysicalDeviceGroupProperties groups[MAX_GROUPS];
	VkPhysicalDevice devices[CHECK_MAX_PHYSICAL];
	VkInstance instance = check_make_instance(c, NULL);
	uint32_t device_count = check_physical_devices(c, instance, devices);
	uint32_t count = groups_of(c, instance, groups), found = 0;

	for (uint32_t d = 0; d < device_count; d++) {
		found = 0;
		for (uint32_t g = 0; g < count; g++) {
			CHECK(c,
				groups[g].physicalDeviceCount &&
					groups[g].physicalDeviceCount <= VK_MAX_DEVICE_GROUP_SIZE,
				"group %u has %u devices", g, groups[g].physicalDeviceCount);
			for (uint32_t i = 0; i < groups[g].physicalDeviceCount; i++)
				found += groups[g].physicalDevices[i] == devices[d];
		}
		CHECK(c, found == 1, "physical device %u is in %u groups", d, found);
	}
}

static void
say_when_there_are_more(struct check *c)
{
	VkPhysicalDeviceGroupProperties groups[MAX_GROUPS];
	VkInstance instance = check_make_instance(c, NULL);
	uint32_t count = groups_of(c, instance, groups), fewer = count - 1;
	VkPhysicalDevice kept;
	VkResult result;

	CHECK(c, count, "there are no groups");
	kept = groups[fewer].physicalDevices[0];
	memset(&groups[fewer].physicalDevices, 0xa5, sizeof(kept));
	memcpy(&kept, &groups[fewer].physicalDevices[0], sizeof(kept));
	result = CHECK_CALL(c, vkEnumeratePhysicalDeviceGroups, instance, &fewer, groups);
	CHECK(c, result == VK_INCOMPLETE, "with room for one less it gave %s",
		check_result_name(result));
	CHECK(c, fewer == count - 1, "it says that %u were written where %u had room", fewer,
		count - 1);
	CHECK(c, !memcmp(&kept, &groups[count - 1].physicalDevices[0], sizeof(kept)),
		"it wrote beyond the room that it was given");
}

/* As programs do that always name a group. */
static void
make_devices(struct check *c)
{
	VkPhysicalDeviceGroupProperties groups[MAX_GROUPS];
	struct check_device lists = {0}, device;
	VkSemaphore semaphore;
	struct check_image image;
	uint32_t count;

	lists.instance = check_make_instance(c, NULL);
	count = groups_of(c, lists.instance, groups);
	for (uint32_t g = 0; g < count; g++) {
		const VkDeviceGroupDeviceCreateInfo info = {
			.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
			.physicalDeviceCount = 1, /* more than one can't share a window's buffer */
			.pPhysicalDevices = groups[g].physicalDevices,
		};
		const struct check_device_request request = {.of = &lists, .features = &info};

		lists.physical = groups[g].physicalDevices[0];
		check_make_device(c, &request, &device);
		check_make_image(c, &device, NULL, &image);
		semaphore = robust_semaphore(c, &device);
		robust_whole_frame(c, &device, &image, 0, semaphore, g + 1);
		check_destroy_image(c, &device, &image);
		CHECK_CALL(c, vkDestroySemaphore, device.device, semaphore, NULL);
		check_destroy_device(c, &device);
	}
}

static const struct check_case rows[] = {
	{
		.name = "groups.list_all",
		.requirement = "D-02",
		.expected =
			"each physical device is in one group of vkEnumeratePhysicalDeviceGroups",
		.consequence =
			"programs that choose by groups don't see the device, or see it twice",
		.run = list_all,
	},
	{
		.name = "groups.say_when_there_are_more",
		.requirement = "D-02",
		.expected =
			"vkEnumeratePhysicalDeviceGroups with too little room writes what has room, and gives VK_INCOMPLETE",
		.consequence =
			"programs that ask for the first group crash, or take it for the only one",
		.run = say_when_there_are_more,
	},
	{
		.name = "groups.make_devices",
		.requirement = "D-02",
		.expected =
			"a device that is made of a group by its name draws frames as any other",
		.consequence = "programs that always name a group get no device, or no picture",
		.run = make_devices,
	},
};

const struct check_rows check_robust_groups = CHECK_ROWS(rows);
