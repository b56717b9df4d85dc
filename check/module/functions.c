/* SPDX-License-Identifier: Apache-2.0 */
/* How functions are found: vkGetInstanceProcAddr and vkGetDeviceProcAddr (D-03, D-05). */
#include "check/module/module.h"

#include <stdio.h>
#include <string.h>

#include "gen/commands.h"

#define LONG_NAME 4096

/* Names that are no functions, one of them by chance. */
static void
make_unknown(struct check *c, char chance[40], char longest[LONG_NAME])
{
	snprintf(chance, 40, "vkKraflaCheck%llx", (unsigned long long)check_random(c));
	memset(longest, 'k', LONG_NAME - 1);
	longest[0] = 'v';
	longest[LONG_NAME - 1] = '\0';
}

static const char *const unknown[] = {
	"",
	"vk",
	"vkNoSuchFunctionKRAFLA",
	"vkCreateInstanc",
	"vkCreateInstanceX",
	"createInstance",
	"vkGetDeviceProcAdd",
	"vkKraflaCheckFunction",
	"%s%n",
};

static void
globals(struct check *c)
{
	static const char *const names[] = {
		"vkCreateInstance", "vkEnumerateInstanceExtensionProperties"};
	PFN_vkGetInstanceProcAddr get = check_open(c)->GetInstanceProcAddr;

	check_step(c, "vkGetInstanceProcAddr");
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++)
		CHECK(c, get(NULL, names[i]), "vkGetInstanceProcAddr(NULL, \"%s\") gave NULL",
			names[i]);
	if (check_facts(c)->known && check_facts(c)->api_version >= VK_API_VERSION_1_1)
		CHECK(c, get(NULL, "vkEnumerateInstanceVersion"),
			"vkGetInstanceProcAddr(NULL, \"vkEnumerateInstanceVersion\") gave NULL, and the device has Vulkan %u.%u",
			VK_API_VERSION_MAJOR(check_facts(c)->api_version),
			VK_API_VERSION_MINOR(check_facts(c)->api_version));
}

static void
not_global(struct check *c)
{
	static const char *const names[] = {"vkDestroyInstance", "vkEnumeratePhysicalDevices",
		"vkGetDeviceProcAddr", "vkCreateDevice", "vkQueueSubmit", "vkAcquireImageANDROID",
		"vkQueueSignalReleaseImageANDROID"};
	PFN_vkGetInstanceProcAddr get = check_open(c)->GetInstanceProcAddr;

	check_step(c, "vkGetInstanceProcAddr");
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++)
		CHECK(c, !get(NULL, names[i]),
			"vkGetInstanceProcAddr(NULL, \"%s\") gave a function, without an instance",
			names[i]);
}

static void
unknown_of_instance(struct check *c)
{
	VkInstance instance = check_make_instance(c, NULL);
	char chance[40], longest[LONG_NAME];

	make_unknown(c, chance, longest);
	for (size_t i = 0; i < KR_ARRAY_LEN(unknown); i++)
		CHECK(c, !CHECK_CALL(c, vkGetInstanceProcAddr, instance, unknown[i]),
			"vkGetInstanceProcAddr(instance, \"%s\") gave a function", unknown[i]);
	CHECK(c, !CHECK_CALL(c, vkGetInstanceProcAddr, instance, chance),
		"vkGetInstanceProcAddr(instance, \"%s\") gave a function", chance);
	CHECK(c, !CHECK_CALL(c, vkGetInstanceProcAddr, instance, longest),
		"vkGetInstanceProcAddr gave a function for a name of %u characters", LONG_NAME - 1);
}

static void
unknown_of_device(struct check *c)
{
	char chance[40], longest[LONG_NAME];
	struct check_device device;

	check_make_device(c, NULL, &device);
	make_unknown(c, chance, longest);
	for (size_t i = 0; i < KR_ARRAY_LEN(unknown); i++)
		CHECK(c, !CHECK_CALL(c, vkGetDeviceProcAddr, device.device, unknown[i]),
			"vkGetDeviceProcAddr(device, \"%s\") gave a function", unknown[i]);
	CHECK(c, !CHECK_CALL(c, vkGetDeviceProcAddr, device.device, chance),
		"vkGetDeviceProcAddr(device, \"%s\") gave a function", chance);
	CHECK(c, !CHECK_CALL(c, vkGetDeviceProcAddr, device.device, longest),
		"vkGetDeviceProcAddr gave a function for a name of %u characters", LONG_NAME - 1);
}

/* Functions that take an instance aren't the device's to give. */
static void
of_instances_alone(struct check *c)
{
	static const char *const names[] = {"vkCreateDevice", "vkDestroyInstance",
		"vkEnumeratePhysicalDevices", "vkGetPhysicalDeviceProperties", "vkCreateInstance",
		"vkGetInstanceProcAddr"};
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++)
		CHECK(c, !CHECK_CALL(c, vkGetDeviceProcAddr, device.device, names[i]),
			"vkGetDeviceProcAddr(device, \"%s\") gave a function that takes no device",
			names[i]);
}

static bool
is_core(const struct kr_command *command, uint32_t version)
{
	return command->core_version && command->core_version <= version;
}

/* Without the patch. What came after the version of the instance needn't be there. */
static uint32_t
core_of(uint32_t version)
{
	version = KR_MIN(version, CHECK_INSTANCE_VERSION);
	return VK_MAKE_API_VERSION(
		0, VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), 0);
}

/* Layers are the platform's, and no driver is asked for them. */
static bool
is_asked_for(const struct kr_command *command)
{
	return !strstr(command->name, "LayerProperties");
}

static void
core_of_instance(struct check *c)
{
	struct check_device device;
	uint32_t version;

	check_make_device(c, NULL, &device);
	version = core_of(device.api_version);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];

		if (command->level == KR_LEVEL_GLOBAL || !is_core(command, version) ||
			!is_asked_for(command))
			continue;
		CHECK(c, CHECK_CALL(c, vkGetInstanceProcAddr, device.instance, command->name),
			"vkGetInstanceProcAddr(instance, \"%s\") gave NULL, and the device has Vulkan %u.%u",
			command->name, VK_API_VERSION_MAJOR(version),
			VK_API_VERSION_MINOR(version));
	}
}

static void
core_of_device(struct check *c)
{
	struct check_device device;
	uint32_t version;

	check_make_device(c, NULL, &device);
	version = core_of(device.api_version);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];

		if (command->level != KR_LEVEL_DEVICE || !is_core(command, version))
			continue;
		CHECK(c, CHECK_CALL(c, vkGetDeviceProcAddr, device.device, command->name),
			"vkGetDeviceProcAddr(device, \"%s\") gave NULL, and the device has Vulkan %u.%u",
			command->name, VK_API_VERSION_MAJOR(version),
			VK_API_VERSION_MINOR(version));
	}
}

static const char *const native[] = {"vkAcquireImageANDROID", "vkQueueSignalReleaseImageANDROID"};

static void
native_buffer(struct check *c)
{
	struct check_device device;

	check_make_device(c, NULL, &device);
	for (size_t i = 0; i < KR_ARRAY_LEN(native); i++)
		CHECK(c, CHECK_CALL(c, vkGetDeviceProcAddr, device.device, native[i]),
			"vkGetDeviceProcAddr(device, \"%s\") gave NULL, and VK_ANDROID_native_buffer is enabled",
			native[i]);
}

static void
native_buffer_off(struct check *c)
{
	struct check_device device;

	check_make_plain_device(c, NULL, &device);
	for (size_t i = 0; i < KR_ARRAY_LEN(native); i++)
		CHECK(c, !CHECK_CALL(c, vkGetDeviceProcAddr, device.device, native[i]),
			"vkGetDeviceProcAddr(device, \"%s\") gave a function, and VK_ANDROID_native_buffer isn't enabled",
			native[i]);
}

static const struct check_case rows[] = {
	{
		.name = "functions.globals_without_an_instance",
		.requirement = "D-03",
		.expected =
			"GetInstanceProcAddr(NULL) gives the global functions of the driver's version",
		.consequence = "no instance of 1.1 or later: programs see Vulkan 1.0, or none",
		.run = globals,
	},
	{
		.name = "functions.others_need_an_instance",
		.requirement = "D-03",
		.expected = "GetInstanceProcAddr(NULL) gives NULL for what isn't global",
		.consequence = "programs that probe for functions call ones that crash",
		.run = not_global,
	},
	{
		.name = "functions.unknown_names_of_an_instance",
		.requirement = "D-03",
		.expected = "GetInstanceProcAddr gives NULL for names that are no functions",
		.consequence =
			"programs take functions for present that aren't, and crash when they call them",
		.run = unknown_of_instance,
	},
	{
		.name = "functions.unknown_names_of_a_device",
		.requirement = "D-03",
		.expected = "vkGetDeviceProcAddr gives NULL for names that are no functions",
		.consequence =
			"programs take functions for present that aren't, and crash when they call them",
		.run = unknown_of_device,
	},
	{
		.name = "functions.of_instances_are_no_devices",
		.requirement = "D-03",
		.expected =
			"vkGetDeviceProcAddr gives NULL for functions that take no device or child of one",
		.consequence =
			"layers that look functions up with a device hand an instance to the wrong one",
		.run = of_instances_alone,
	},
	{
		.name = "functions.core_by_the_instance",
		.requirement = "D-03",
		.expected =
			"GetInstanceProcAddr gives every function of the core version that the device has",
		.consequence = "programs crash at a call that their Vulkan version promises",
		.run = core_of_instance,
	},
	{
		.name = "functions.core_by_the_device",
		.requirement = "D-03",
		.expected =
			"vkGetDeviceProcAddr gives every device function of the core version that the device has",
		.consequence = "programs crash at a call that their Vulkan version promises",
		.run = core_of_device,
	},
	{
		.name = "functions.native_buffer_by_the_device",
		.requirement = "D-05",
		.expected =
			"vkGetDeviceProcAddr gives vkAcquireImageANDROID and vkQueueSignalReleaseImageANDROID where VK_ANDROID_native_buffer is enabled",
		.consequence = "no swapchain can be made: windows stay empty",
		.run = native_buffer,
	},
	{
		.name = "functions.native_buffer_is_enabled_first",
		.requirement = "D-05",
		.expected = "vkGetDeviceProcAddr gives NULL for them where it isn't enabled",
		.consequence =
			"programs without a swapchain get at functions that are the platform's alone",
		.run = native_buffer_off,
	},
};

const struct check_rows check_module_functions = CHECK_ROWS(rows);
