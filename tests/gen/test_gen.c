/* SPDX-License-Identifier: Apache-2.0 */
/* The generated tables, as the rooms use them. test_registry.py tests the generator itself. */
#include "harness.h"
#include <string.h>
#include "gen/commands.h"
#include "gen/extensions.h"
#include "gen/handle_reach.h"
#include "gen/missing.h"
#include "gen/struct_sizes.h"
#include "gen/tables.h"
#include "loader/messages/missing.h"
#include "util/macros.h"

static void
finds_every_command(void **state)
{
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		assert_ptr_equal(kr_command_find(kr_commands[i].name), &kr_commands[i]);
		assert_int_equal(kr_command_get_id(&kr_commands[i]), i);
		if (i > 0)
			assert_true(strcmp(kr_commands[i - 1].name, kr_commands[i].name) < 0);
	}
}

static void
finds_every_extension(void **state)
{
	for (int i = 0; i < KR_EXTENSION_COUNT; i++) {
		assert_int_equal(kr_extension_find(kr_extensions[i].name), i);
		assert_int_not_equal(kr_extensions[i].spec_version, 0);
	}
}

enum { COPY_SIZE = 4096 };

/* Names end where their allocation ends, so that ASan sees a byte read too far. */
static void
unknown_names_are_refused(void **state)
{
	static const char *const names[] = {"", "v", "vk", "vkCmdDra", "vkCmdDraw2", "vkcmddraw",
		"CmdDraw", " vkCmdDraw", "vkCmdDraw ", "VK_KHR_swapchai", "VK_KHR_swapchain2",
		"vkGetPhysicalDeviceSurfaceCapabilities2KH",
		"\xff\xfe\x80\x81\x82\x83\x84\x85\x86"};
	char *huge = malloc(100001), *end = malloc(COPY_SIZE);

	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		size_t size = strlen(names[i]) + 1;
		char *copy = memcpy(end + COPY_SIZE - size, names[i], size);

		assert_null(kr_command_find(copy));
		assert_int_equal(kr_extension_find(copy), KR_EXTENSION_NONE);
	}
	free(end);
	memset(huge, 'v', 100000);
	huge[100000] = '\0';
	assert_null(kr_command_find(huge));
	assert_int_equal(kr_extension_find(huge), KR_EXTENSION_NONE);
	free(huge);
	/* Each is unknown to the other's table. */
	assert_null(kr_command_find("VK_KHR_swapchain"));
	assert_int_equal(kr_extension_find("vkCmdDraw"), KR_EXTENSION_NONE);
	/* D-05: what only drivers and the platform speak is no command of ours. */
	assert_null(kr_command_find("vkAcquireImageANDROID"));
	assert_int_equal(kr_extension_find("VK_ANDROID_native_buffer"), KR_EXTENSION_NONE);
}

static void
assert_command(const char *name, enum kr_command_level level, uint32_t core, bool exported,
	bool window_system)
{
	const struct kr_command *command = kr_command_find(name);

	assert_non_null(command);
	assert_int_equal(command->level, level);
	assert_int_equal(command->core_version, core);
	assert_int_equal(command->exported, exported);
	assert_int_equal(command->window_system, window_system);
}

static void
commands_know_what_they_belong_to(void **state)
{
	uint32_t v10 = VK_API_VERSION_1_0, v13 = VK_API_VERSION_1_3;

	assert_command("vkCreateInstance", KR_LEVEL_GLOBAL, v10, true, false);
	assert_command(
		"vkEnumerateInstanceVersion", KR_LEVEL_GLOBAL, VK_API_VERSION_1_1, true, false);
	assert_command("vkGetInstanceProcAddr", KR_LEVEL_INSTANCE, v10, true, false);
	assert_command("vkDestroySurfaceKHR", KR_LEVEL_INSTANCE, 0, true, true);
	assert_command("vkCreateDevice", KR_LEVEL_PHYSICAL_DEVICE, v10, true, false);
	assert_command("vkGetDeviceProcAddr", KR_LEVEL_DEVICE, v10, true, false);
	assert_command("vkQueueSubmit2", KR_LEVEL_DEVICE, v13, true, false);
	assert_command("vkQueueSubmit2KHR", KR_LEVEL_DEVICE, 0, false, false);
	assert_command("vkCmdDraw", KR_LEVEL_DEVICE, v10, true, false);
	assert_command("vkQueuePresentKHR", KR_LEVEL_DEVICE, 0, true, true);
	assert_command("vkWaitForPresentKHR", KR_LEVEL_DEVICE, 0, false, true);
	assert_command("vkSetDebugUtilsObjectNameEXT", KR_LEVEL_DEVICE, 0, false, false);
	assert_command("vkCreateDebugUtilsMessengerEXT", KR_LEVEL_INSTANCE, 0, false, false);
	assert_command(
		"vkGetAndroidHardwareBufferPropertiesANDROID", KR_LEVEL_DEVICE, 0, true, false);
	assert_command("vkGetRandROutputDisplayEXT", KR_LEVEL_PHYSICAL_DEVICE, 0, true, true);
}

static bool
enabled_by(const char *name, enum kr_extension extension)
{
	const struct kr_command *command = kr_command_find(name);

	for (size_t i = 0; i < command->extension_count; i++) {
		if (kr_command_extensions[command->extension_first + i] == extension)
			return true;
	}
	return false;
}

static void
any_of_its_extensions_enables_a_command(void **state)
{
	assert_true(enabled_by("vkAcquireNextImage2KHR", KR_EXT_VK_KHR_swapchain));
	assert_true(enabled_by("vkAcquireNextImage2KHR", KR_EXT_VK_KHR_device_group));
	assert_false(enabled_by("vkAcquireNextImage2KHR", KR_EXT_VK_KHR_surface));
	assert_true(enabled_by("vkQueueSubmit2KHR", KR_EXT_VK_KHR_synchronization2));
	assert_int_equal(kr_command_find("vkCmdDraw")->extension_count, 0);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++)
		assert_true(kr_commands[i].core_version || kr_commands[i].extension_count > 0);
}

static void
extensions_know_what_they_are(void **state)
{
	const struct kr_extension_info *swapchain = &kr_extensions[KR_EXT_VK_KHR_swapchain];
	const struct kr_extension_info *utils = &kr_extensions[KR_EXT_VK_EXT_debug_utils];

	assert_int_equal(swapchain->spec_version, VK_KHR_SWAPCHAIN_SPEC_VERSION);
	assert_false(swapchain->instance);
	assert_true(swapchain->window_system);
	assert_true(kr_extensions[KR_EXT_VK_KHR_android_surface].instance);
	assert_true(utils->instance);
	assert_false(utils->window_system);
	assert_int_equal(
		kr_extensions[KR_EXT_VK_KHR_synchronization2].promoted_to, VK_API_VERSION_1_3);
	assert_int_equal(swapchain->promoted_to, 0);
}

static void
sets_hold_what_was_added(void **state)
{
	struct kr_extension_set set = {0};

	kr_extension_set_add(&set, KR_EXT_VK_KHR_surface);
	kr_extension_set_add(&set, KR_EXTENSION_COUNT - 1);
	kr_extension_set_add(&set, KR_EXTENSION_NONE);
	kr_extension_set_add(&set, KR_EXTENSION_COUNT);
	for (int i = -1; i <= KR_EXTENSION_COUNT; i++) {
		bool added = i == KR_EXT_VK_KHR_surface || i == KR_EXTENSION_COUNT - 1;

		assert_int_equal(kr_extension_set_has(&set, i), added);
	}
	kr_extension_set_remove(&set, KR_EXTENSION_COUNT - 1);
	kr_extension_set_remove(&set, KR_EXTENSION_NONE);
	assert_false(kr_extension_set_has(&set, KR_EXTENSION_COUNT - 1));
	assert_true(kr_extension_set_has(&set, KR_EXT_VK_KHR_surface));
}

/* A driver whose functions are numbers, one a command; it lacks every seventh. */
static PFN_vkVoidFunction
function_of(const char *name)
{
	size_t id = kr_command_get_id(kr_command_find(name));

	return id % 7 == 3 ? NULL : (PFN_vkVoidFunction)(0x10000 + 16 * id);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
fake_get_instance(VkInstance instance, const char *name)
{
	assert_ptr_equal(instance, (void *)0x1d);
	return function_of(name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
fake_get_device(VkDevice device, const char *name)
{
	assert_ptr_equal(device, (void *)0xde);
	return function_of(name);
}

static PFN_vkVoidFunction
entry_of(const void *table, const struct kr_command *command)
{
	PFN_vkVoidFunction function;

	memcpy(&function, (const char *)table + command->table_offset, sizeof(function));
	return function;
}

static void
tables_are_filled_by_name(void **state)
{
	struct kr_instance_table instance = {.magic = 0x1234567890abcdef};
	struct kr_device_table device = {.magic = 0xfedcba0987654321};
	size_t in_instance = 0, in_device = 0;

	kr_instance_table_load(&instance, fake_get_instance, (VkInstance)0x1d);
	kr_device_table_load(&device, fake_get_device, (VkDevice)0xde);
	assert_true(instance.magic == 0x1234567890abcdef && device.magic == 0xfedcba0987654321);
	assert_ptr_equal(instance.GetInstanceProcAddr, fake_get_instance);
	assert_ptr_equal(instance.CreateDevice, function_of("vkCreateDevice"));
	assert_ptr_equal(instance.DestroyInstance, function_of("vkDestroyInstance"));
	assert_ptr_equal(device.CmdDraw, function_of("vkCmdDraw"));
	assert_ptr_equal(device.QueuePresentKHR, function_of("vkQueuePresentKHR"));
	assert_ptr_equal(device.GetDeviceProcAddr, function_of("vkGetDeviceProcAddr"));
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		const struct kr_command *command = &kr_commands[i];

		if (command->level == KR_LEVEL_GLOBAL) {
			assert_int_equal(command->table_offset, 0);
		} else if (command->level == KR_LEVEL_DEVICE) {
			in_device++;
			assert_ptr_equal(entry_of(&device, command), function_of(command->name));
		} else {
			in_instance++;
			if (strcmp(command->name, "vkGetInstanceProcAddr") != 0)
				assert_ptr_equal(
					entry_of(&instance, command), function_of(command->name));
		}
	}
	assert_int_equal(sizeof(instance), sizeof(uint64_t) + in_instance * sizeof(void *));
	assert_int_equal(sizeof(device), sizeof(uint64_t) + in_device * sizeof(void *));
}

/* In the place of src/loader. */
static struct {
	size_t count;
	const void *handle;
	enum kr_command_id id;
} told;

void
kr_missing_tell(const void *handle, enum kr_command_id id)
{
	told.count++;
	told.handle = handle;
	told.id = id;
}

static void
missing_commands_fail_and_are_told(void **state)
{
	struct kr_instance_table table = {.magic = 7};
	struct kr_device_table device = {.magic = 8, .CmdDraw = (PFN_vkCmdDraw)(uintptr_t)0x1240};
	uint32_t count = 12345;

	kr_device_table_fill_missing(&device);
	assert_int_equal(device.magic, 8);
	assert_ptr_equal(device.CmdDraw, 0x1240);
	assert_false(kr_command_is_missing(NULL));
	assert_false(kr_command_is_missing((PFN_vkVoidFunction)device.CmdDraw));
	assert_false(kr_command_is_missing((PFN_vkVoidFunction)kr_missing_tell));
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		if (kr_commands[i].level == KR_LEVEL_DEVICE && i != KR_CMD_CmdDraw)
			assert_true(kr_command_is_missing(entry_of(&device, &kr_commands[i])));
	}
	table.GetPhysicalDeviceFeatures = (PFN_vkGetPhysicalDeviceFeatures)(uintptr_t)0x1230;
	kr_instance_table_fill_missing(&table);
	assert_int_equal(table.magic, 7);
	assert_ptr_equal(table.GetPhysicalDeviceFeatures, 0x1230);
	for (size_t i = 0; i < KR_COMMAND_COUNT; i++) {
		if ((kr_commands[i].level == KR_LEVEL_INSTANCE ||
			    kr_commands[i].level == KR_LEVEL_PHYSICAL_DEVICE) &&
			i != KR_CMD_GetPhysicalDeviceFeatures)
			assert_true(kr_command_is_missing(entry_of(&table, &kr_commands[i])));
	}
	table.GetPhysicalDeviceQueueFamilyProperties((VkPhysicalDevice)&told, &count, NULL);
	assert_int_equal(count, 0);
	assert_int_equal(told.count, 1);
	assert_ptr_equal(told.handle, &told);
	assert_int_equal(told.id, KR_CMD_GetPhysicalDeviceQueueFamilyProperties);
	count = 5;
	assert_int_equal(table.EnumeratePhysicalDeviceGroups(NULL, &count, NULL),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(count, 0);
	assert_int_equal(
		table.GetPhysicalDeviceXcbPresentationSupportKHR(NULL, 0, NULL, 0), VK_FALSE);
	assert_null(table.GetInstanceProcAddr(NULL, "vkCreateDevice"));
	assert_int_equal(told.count, 4);
}

static void
struct_sizes_are_those_of_the_headers(void **state)
{
	static const struct {
		VkStructureType type;
		size_t size;
	} known[] = {
		{VK_STRUCTURE_TYPE_APPLICATION_INFO, sizeof(VkApplicationInfo)},
		{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, sizeof(VkDeviceCreateInfo)},
		{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, sizeof(VkImageCreateInfo)},
		{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
			sizeof(VkPhysicalDeviceVulkan13Features)},
		{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, sizeof(VkSwapchainCreateInfoKHR)},
		{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
			sizeof(VkBindImageMemorySwapchainInfoKHR)},
		{VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR, sizeof(VkXcbSurfaceCreateInfoKHR)},
		{VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID,
			sizeof(VkImportAndroidHardwareBufferInfoANDROID)},
		{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES_KHR,
			sizeof(VkPhysicalDeviceSynchronization2Features)},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(known); i++)
		assert_int_equal(kr_struct_size(known[i].type), known[i].size);
	assert_int_equal(kr_struct_size((VkStructureType)-1), 0);
	assert_int_equal(kr_struct_size((VkStructureType)0x7fffffff), 0);
	assert_int_equal(kr_struct_size((VkStructureType)1000010000), 0); /* the native buffer */
	assert_int_equal(kr_struct_size(VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO), 0);
}

static void
hidden_extensions_are_found(void **state)
{
	size_t count = 0;

	for (; kr_hidden_device_extensions[count]; count++) {
		assert_true(kr_device_extension_is_hidden(kr_hidden_device_extensions[count]));
		if (count > 0)
			assert_true(strcmp(kr_hidden_device_extensions[count - 1],
					    kr_hidden_device_extensions[count]) < 0);
	}
	assert_true(count > 3);
	assert_true(kr_device_extension_is_hidden("VK_EXT_display_control"));
	assert_false(kr_device_extension_is_hidden("VK_KHR_present_wait"));
	assert_true(kr_device_extension_is_handled("VK_KHR_present_wait"));
	assert_true(kr_device_extension_is_handled("VK_KHR_swapchain_maintenance1"));
	assert_false(kr_device_extension_is_handled("VK_EXT_display_control"));
	assert_true(kr_device_extension_is_handled("VK_GOOGLE_display_timing"));
	/* Of a registry newer than any we may be built with. */
	assert_true(kr_device_extension_is_hidden("VK_NV_present_metering"));
	assert_true(kr_device_extension_is_handled("VK_EXT_present_timing"));
	assert_false(kr_device_extension_is_hidden("VK_KHR_swapchain"));
	assert_false(kr_device_extension_is_hidden("VK_KHR_incremental_present"));
	assert_false(kr_device_extension_is_hidden("VK_KHR_present_wai"));
	assert_false(kr_device_extension_is_hidden(""));
}

static const struct kr_test tests[] = {
	KR_TEST(finds_every_command),
	KR_TEST(finds_every_extension),
	KR_TEST(unknown_names_are_refused),
	KR_TEST(commands_know_what_they_belong_to),
	KR_TEST(any_of_its_extensions_enables_a_command),
	KR_TEST(extensions_know_what_they_are),
	KR_TEST(sets_hold_what_was_added),
	KR_TEST(tables_are_filled_by_name),
	KR_TEST(missing_commands_fail_and_are_told),
	KR_TEST(struct_sizes_are_those_of_the_headers),
	KR_TEST(hidden_extensions_are_found),
};

KR_TEST_MAIN(tests)
