/* SPDX-License-Identifier: Apache-2.0 */
/* Which extensions a driver lists, and how (D-03, W-01, W-02). */
#include "check/module/module.h"

#include <stdlib.h>
#include <string.h>

struct list {
	VkExtensionProperties *items;
	uint32_t count;
};

/* Of the instance where there is no physical device. */
static VkResult
enumerate(struct check *c, VkPhysicalDevice physical, uint32_t *count, VkExtensionProperties *items)
{
	return physical
		? CHECK_CALL(c, vkEnumerateDeviceExtensionProperties, physical, NULL, count, items)
		: CHECK_CALL(c, vkEnumerateInstanceExtensionProperties, NULL, count, items);
}

static struct list
get(struct check *c, VkPhysicalDevice physical)
{
	struct list list = {0};

	check_success(c, "the count of extensions", enumerate(c, physical, &list.count, NULL));
	list.items = calloc(list.count + 1, sizeof(*list.items));
	if (!list.items)
		check_skip(c, "no memory");
	check_success(c, "the list of extensions", enumerate(c, physical, &list.count, list.items));
	return list;
}

static VkPhysicalDevice
physical(struct check *c)
{
	struct check_device device;

	check_make_device(c, NULL, &device);
	return device.physical;
}

/* As a loader asks, before there is an instance. */
static void
load(struct check *c)
{
	(void)check_make_instance(c, NULL);
}

static void
native_buffer(struct check *c)
{
	struct list list = get(c, physical(c));
	uint32_t version = 0, times = 0;

	for (uint32_t i = 0; i < list.count; i++) {
		if (strcmp(list.items[i].extensionName, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME))
			continue;
		version = list.items[i].specVersion;
		times++;
	}
	CHECK(c, times, "no device extension " VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);
	CHECK(c, version >= 5 && version <= VK_ANDROID_NATIVE_BUFFER_SPEC_VERSION,
		VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME
		" has version %u, and 5 to %u are known here",
		version, VK_ANDROID_NATIVE_BUFFER_SPEC_VERSION);
}

static void
not_of_instances(struct check *c)
{
	struct list list;

	load(c);
	list = get(c, VK_NULL_HANDLE);
	for (uint32_t i = 0; i < list.count; i++)
		CHECK(c,
			strcmp(list.items[i].extensionName,
				VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME),
			"the instance lists " VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);
}

/* What the platform brings, or what speaks of what it brings. */
static bool
is_window_system(const char *name)
{
	static const char *const parts[] = {"_surface", "_swapchain", "_display", "_present_id",
		"_present_wait", "incremental_present", "shared_presentable_image",
		"full_screen_exclusive", "hdr_metadata", "present_timing", "present_mode_fifo"};

	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		if (strstr(name, parts[i]))
			return true;
	}
	return false;
}

static void
no_surfaces(struct check *c)
{
	struct list list;

	load(c);
	list = get(c, VK_NULL_HANDLE);
	for (uint32_t i = 0; i < list.count; i++)
		CHECK(c, !is_window_system(list.items[i].extensionName),
			"the instance lists %s, which is the platform's",
			list.items[i].extensionName);
}

static void
no_swapchains(struct check *c)
{
	struct list list = get(c, physical(c));

	for (uint32_t i = 0; i < list.count; i++)
		CHECK(c, !is_window_system(list.items[i].extensionName),
			"the device lists %s, which is the platform's",
			list.items[i].extensionName);
}

static void
check_names(struct check *c, const struct list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const VkExtensionProperties *item = &list->items[i];

		CHECK(c, memchr(item->extensionName, 0, sizeof(item->extensionName)),
			"extension %u has a name without an end", i);
		CHECK(c, !strncmp(item->extensionName, "VK_", 3), "extension %u is named \"%.40s\"",
			i, item->extensionName);
		for (uint32_t j = 0; j < i; j++)
			CHECK(c, strcmp(item->extensionName, list->items[j].extensionName),
				"%s is listed twice", item->extensionName);
	}
}

static void
names(struct check *c)
{
	struct list of_device = get(c, physical(c)), of_instance = get(c, VK_NULL_HANDLE);

	check_names(c, &of_device);
	check_names(c, &of_instance);
}

/* Room for all but one: those, VK_INCOMPLETE, and nothing behind. */
static void
in_parts(struct check *c)
{
	VkPhysicalDevice gpu = physical(c);
	struct list all = get(c, gpu), some = {calloc(all.count + 1, sizeof(*some.items)), 0};
	uint32_t room;
	VkResult result;

	if (!some.items)
		check_skip(c, "no memory");
	if (!all.count)
		check_not_applicable(c, "the device lists no extension");
	room = some.count = all.count - 1;
	memset(&some.items[room], 0x5a, sizeof(*some.items));
	result = enumerate(c, gpu, &some.count, some.items);
	CHECK(c, result == VK_INCOMPLETE, "with room for %u of %u extensions it gave %s", room,
		all.count, check_result_name(result));
	CHECK(c, some.count <= room, "with room for %u extensions it says that it wrote %u", room,
		some.count);
	for (size_t i = 0; i < sizeof(*some.items); i++)
		CHECK(c, ((unsigned char *)&some.items[room])[i] == 0x5a,
			"it wrote more extensions than there was room for");
}

static const struct check_case rows[] = {
	{
		.name = "extensions.native_buffer_is_listed",
		.requirement = "D-05 W-02",
		.expected = "the device lists VK_ANDROID_native_buffer in a version from 5 to 11",
		.consequence = "no swapchain can be made: windows stay empty",
		.run = native_buffer,
	},
	{
		.name = "extensions.native_buffer_is_a_devices",
		.requirement = "D-05",
		.expected = "the instance doesn't list VK_ANDROID_native_buffer",
		.consequence = "programs see an extension of the platform's, and may enable it",
		.run = not_of_instances,
	},
	{
		.name = "extensions.no_surfaces",
		.requirement = "W-02",
		.expected = "the instance lists no extension of surfaces or displays",
		.consequence =
			"surfaces of the platform reach a driver that can't know them, which crashes",
		.run = no_surfaces,
	},
	{
		.name = "extensions.no_swapchains",
		.requirement = "W-02",
		.expected = "the device lists no extension of swapchains or presents",
		.consequence =
			"swapchains of the platform reach a driver that can't know them, which crashes",
		.run = no_swapchains,
	},
	{
		.name = "extensions.have_names",
		.requirement = "D-03",
		.expected =
			"each extension is listed once, by a name that begins with VK_ and ends",
		.consequence = "programs list nonsense, or refuse to start",
		.run = names,
	},
	{
		.name = "extensions.listed_in_parts",
		.requirement = "D-03",
		.expected =
			"with too little room it is filled, VK_INCOMPLETE is given, and nothing is written behind",
		.consequence =
			"programs that list extensions with a fixed room have their memory overwritten",
		.run = in_parts,
	},
};

const struct check_rows check_module_extensions = CHECK_ROWS(rows);
