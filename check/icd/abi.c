/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between a loader and an ICD, as far as the adapter stands on it (I-03). */
#include "check/icd/icd.h"

#include <string.h>

#include <vulkan/vk_icd.h>

#include "gen/commands.h"

#define LEAST_INTERFACE 2 /* drivers/adapter/module.c */
#define NEWER_VULKAN    5 /* from here on a driver may have more than Vulkan 1.0 */

static void
interface(struct check *c)
{
	struct check_icd icd;

	check_open_icd(c, &icd);
	CHECK(c, icd.interface_version >= LEAST_INTERFACE,
		"its interface version is %u, and the adapter needs %u", icd.interface_version,
		LEAST_INTERFACE);
	CHECK(c,
		icd.interface_version >= NEWER_VULKAN ||
			check_facts(c)->api_version < VK_API_VERSION_1_1,
		"its interface version is %u, and drivers beyond Vulkan 1.0 need %u",
		icd.interface_version, NEWER_VULKAN);
}

static void
manifest(struct check *c)
{
	struct check_device device;
	struct check_icd icd;

	check_open_icd(c, &icd);
	if (!icd.manifest_version)
		check_not_applicable(c, "the library was named, not its manifest");
	check_make_plain_device(c, NULL, &device);
	CHECK(c,
		VK_API_VERSION_MAJOR(icd.manifest_version) ==
				VK_API_VERSION_MAJOR(device.api_version) &&
			VK_API_VERSION_MINOR(icd.manifest_version) ==
				VK_API_VERSION_MINOR(device.api_version),
		"its manifest says Vulkan %u.%u, and its device %u.%u",
		VK_API_VERSION_MAJOR(icd.manifest_version),
		VK_API_VERSION_MINOR(icd.manifest_version),
		VK_API_VERSION_MAJOR(device.api_version), VK_API_VERSION_MINOR(device.api_version));
}

static void
commands(struct check *c)
{
	struct check_device device;
	struct check_icd icd;

	check_open_icd(c, &icd);
	check_make_plain_device(c, NULL, &device);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];

		if (command->core_version != VK_API_VERSION_1_0 ||
			command->level == KR_LEVEL_GLOBAL ||
			strstr(command->name, "LayerProperties"))
			continue;
		CHECK(c, CHECK_CALL(c, vkGetInstanceProcAddr, device.instance, command->name),
			"vk_icdGetInstanceProcAddr gives no %s", command->name);
	}
}

static void
physical_device_functions(struct check *c)
{
	static const char *const others[] = {
		"vkDestroyInstance", "vkQueueSubmit", "vkCreateImage", "vkNoSuchFunctionKRAFLA"};
	VkInstance instance;
	struct check_icd icd;

	check_open_icd(c, &icd);
	if (!icd.get_physical_device_proc_addr)
		check_not_applicable(c, "it has no vk_icdGetPhysicalDeviceProcAddr");
	instance = check_make_instance(c, NULL);
	check_step(c, "vk_icdGetPhysicalDeviceProcAddr");
	/* For those of core it may give NULL: loaders know them. */
	for (size_t i = 0; i < KR_ARRAY_LEN(others); i++)
		CHECK(c, !icd.get_physical_device_proc_addr(instance, others[i]),
			"vk_icdGetPhysicalDeviceProcAddr(\"%s\") gave a function, which takes no physical device",
			others[i]);
}

static void
expect_magic(struct check *c, const void *handle, const char *what)
{
	uintptr_t is = ((const VK_LOADER_DATA *)handle)->loaderMagic;

	CHECK(c, is == ICD_LOADER_MAGIC, "%s begins with 0x%zx, where 0x%x is due", what,
		(size_t)is, (unsigned)ICD_LOADER_MAGIC);
}

static void
magic(struct check *c)
{
	struct check_device device;
	struct check_icd icd;

	check_open_icd(c, &icd);
	check_make_plain_device(c, NULL, &device);
	expect_magic(c, device.instance, "an instance");
	expect_magic(c, device.physical, "a physical device");
	expect_magic(c, device.device, "a device");
	expect_magic(c, device.queues[0], "a queue");
}

static void
spare_queue(struct check *c)
{
	const struct check_device_request request = {.queues = 2};
	struct check_device device;
	struct check_icd icd;

	check_open_icd(c, &icd);
	check_make_plain_device(c, &request, &device);
	CHECK(c, device.queue_count == 2, "queue family %u has one queue", device.family);
}

static const struct check_case rows[] = {
	{
		.name = "icd.agrees_on_an_interface",
		.requirement = "I-03",
		.expected =
			"interface version 2 or newer, and 5 or newer of a driver beyond Vulkan 1.0",
		.consequence = "the adapter can't open the driver: no Vulkan on the platform",
		.run = interface,
	},
	{
		.name = "icd.manifest_says_its_version",
		.requirement = "F-03",
		.expected =
			"api_version of the manifest is the version of the device (a loader takes the manifest's word for what it can't ask)",
		.consequence =
			"loaders that believe the manifest offer less than there is, or more",
		.run = manifest,
		.optional = true,
	},
	{
		.name = "icd.has_all_commands",
		.requirement = "I-03",
		.expected = "vk_icdGetInstanceProcAddr gives every command of Vulkan 1.0",
		.consequence = "the adapter refuses the driver, or programs crash",
		.run = commands,
	},
	{
		.name = "icd.knows_physical_device_functions",
		.requirement = "I-03",
		.expected =
			"vk_icdGetPhysicalDeviceProcAddr gives no functions but those that take a physical device",
		.consequence =
			"functions that a loader doesn't know get the wrong object, and crash",
		.run = physical_device_functions,
	},
	{
		.name = "icd.handles_have_the_magic",
		.requirement = "I-03",
		.expected = "dispatchable handles begin with ICD_LOADER_MAGIC",
		.consequence = "loaders overwrite what the driver keeps there, and programs crash",
		.run = magic,
	},
	{
		.name = "icd.has_a_queue_to_spare",
		.requirement = "W-07",
		.expected =
			"the family that draws has a second queue (without one the adapter shares the application's, behind a lock)",
		.consequence = "releases of one thread wait for submits of another",
		.run = spare_queue,
		.optional = true,
	},
};

const struct check_rows check_icd_abi = CHECK_ROWS(rows);
