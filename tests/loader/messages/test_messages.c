/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks: the loader's own messages, the drivers' with our handles, at creation and after. */
#include <stdio.h>
#include <string.h>

#include "support.h"

static struct {
	int count;
	char text[1024];
	VkObjectType type;
	uint64_t object;
	VkDebugUtilsMessageSeverityFlagBitsEXT severity;
} heard;

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	assert_ptr_equal(user_data, &heard);
	heard.count++;
	heard.severity = severity;
	heard.type = data->objectCount ? data->pObjects[0].objectType : VK_OBJECT_TYPE_UNKNOWN;
	heard.object = data->objectCount ? data->pObjects[0].objectHandle : 0;
	snprintf(heard.text, sizeof(heard.text), "%s", data->pMessage);
	return VK_FALSE;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear_report(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type, uint64_t object,
	size_t location, int32_t code, const char *prefix, const char *text, void *user_data)
{
	heard.count++;
	snprintf(heard.text, sizeof(heard.text), "%s", text);
	return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT
errors_only(void)
{
	return kr_vulkan_messenger_info(
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, hear, &heard);
}

static char heard_all[16384];

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear_all(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	size_t used = strlen(heard_all);

	snprintf(heard_all + used, sizeof(heard_all) - used, "%s\n", data->pMessage);
	return VK_FALSE;
}

/* K-34, K-50: what people look for in logs, in the words that they look for. */
static void
test_what_is_looked_for(void **state)
{
	static const char *const extensions[] = {"VK_EXT_debug_utils", "VK_KHR_surface", NULL};
	static const char *const lines[] = {
		"Application name: \"cube\" (version 7), engine \"\" (version 0), for Vulkan 1.1.0\n",
		"\nRequested layers: none\n",
		"\nRequested extensions: VK_EXT_debug_utils, VK_KHR_surface\n",
		"\nlinux_read_sorted_physical_devices:\n     Original order:\n           [0] ",
		"\n     Sorted order:\n           [0] a\n           [1] b\n",
		"Using \"a\" with driver: \"" TEST_FAKE_A "\"\n",
	};
	VkDebugUtilsMessengerCreateInfoEXT messenger = errors_only();
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "cube",
		.applicationVersion = 7,
		.apiVersion = VK_API_VERSION_1_1,
	};
	const struct kr_vulkan_instance_info info = {
		.application = &application,
		.chain = &messenger,
		.extensions = extensions,
	};
	VkDebugUtilsMessengerEXT handle;
	struct loader l;

	messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
	messenger.pfnUserCallback = hear_all;
	use_both_fakes();
	open_loader(&l);
	assert_int_equal(try_instance_with(&l, &info), VK_SUCCESS);
	handle = make_messenger(&l, &messenger);
	find_devices(&l);
	EXPORTED(&l, vkDestroyDevice)(make_device(&l, l.devices[0], NULL), NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(lines); i++) {
		if (!strstr(heard_all, lines[i]))
			fail_msg("not said: %s in %s", lines[i], heard_all);
	}
	end_messenger(&l, handle);
	end_instance(&l);
	close_loader(&l);
}

/* K-50: which driver a device is of. */
static void
test_drivers_of_devices_are_told(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	VkDebugUtilsMessengerCreateInfoEXT messenger = errors_only();
	VkDebugUtilsMessengerEXT handle;
	struct loader l;
	VkDevice device;

	messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, names);
	handle = make_messenger(&l, &messenger);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(try_device(&l, l.devices[i], NULL, NULL, &device), VK_SUCCESS);
		assert_string_equal(heard.text,
			i ? "Using \"b\" with driver: \"" TEST_FAKE_B "\""
			  : "Using \"a\" with driver: \"" TEST_FAKE_A "\"");
		EXPORTED(&l, vkDestroyDevice)(device, NULL);
	}
	end_messenger(&l, handle);
	end_instance(&l);
	close_loader(&l);
}

/* K-33 */
static void
test_creation_is_heard(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", "VK_KR_nothing", NULL};
	VkDebugUtilsMessengerCreateInfoEXT chained = errors_only();
	const struct kr_vulkan_instance_info info = {.chain = &chained, .extensions = names};
	struct loader l;

	use_both_fakes();
	open_loader(&l);
	assert_int_equal(try_instance_with(&l, &info), VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(heard.count, 1);
	assert_non_null(strstr(heard.text, "VK_KR_nothing"));
	/* Afterwards nobody listens. */
	assert_int_equal(
		try_instance(&l, VK_API_VERSION_1_0, &names[1]), VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(heard.count, 1);
	close_loader(&l);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
count_environment(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
	VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data,
	void *user_data)
{
	int *counts = user_data;

	counts[0] += strstr(data->pMessage, "KRAFLA_WSI=both") != NULL;
	counts[1] += strstr(data->pMessage, "no profile \"windows\"") != NULL;
	return VK_FALSE;
}

/* K-50: What can't be had is said, and once. */
static void
test_wrong_environment_is_told(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	int counts[2] = {0};
	const VkDebugUtilsMessengerCreateInfoEXT chained = kr_vulkan_messenger_info(
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, count_environment, counts);
	const struct kr_vulkan_instance_info info = {.chain = &chained, .extensions = names};
	struct loader l;

	use_both_fakes();
	set_variable("KRAFLA_WSI", "both");
	set_variable("KRAFLA_PROFILE", "windows");
	open_loader(&l);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(try_instance_with(&l, &info), VK_SUCCESS);
		end_instance(&l);
		assert_int_equal(counts[0], 1);
		assert_int_equal(counts[1], 1);
	}
	close_loader(&l);
}

/* K-33 */
static void
test_severity_is_minded(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	VkDebugUtilsMessengerCreateInfoEXT messenger = errors_only();
	VkDebugUtilsMessengerEXT handle;
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, names);
	handle = make_messenger(&l, &messenger);
	/* Neither driver supports it, so both got along without. */
	assert_int_equal(fakes.a->messengers, 0);
	OF_INSTANCE(&l, vkSubmitDebugUtilsMessageEXT)
	(l.instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
		VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
		&(VkDebugUtilsMessengerCallbackDataEXT){
			.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
			.pMessage = "not an error",
		});
	assert_int_equal(heard.count, 0);
	end_messenger(&l, handle);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-33 */
static void
test_device_errors_are_heard(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	static const char *const hidden[] = {"VK_ANDROID_native_buffer", NULL};
	VkDebugUtilsMessengerCreateInfoEXT messenger = errors_only();
	VkDebugUtilsMessengerEXT handle;
	struct fakes fakes;
	struct loader l;
	VkDevice device;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, names);
	handle = make_messenger(&l, &messenger);
	assert_int_equal(try_device(&l, l.devices[0], hidden, NULL, &device),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
	assert_int_equal(heard.object, (uint64_t)(uintptr_t)l.instance);
	end_messenger(&l, handle);
	assert_int_equal(try_device(&l, l.devices[0], hidden, NULL, &device),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(heard.count, 1);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-33; rule 3: a driver's message names the loader's handles. */
static void
test_drivers_messages_have_our_handles(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	VkDebugUtilsMessengerCreateInfoEXT messenger = errors_only();
	VkDebugUtilsMessengerEXT handle;
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.a->instance_extensions[0] = "VK_EXT_debug_utils";
	use_both_fakes();
	open_loader(&l);
	make_instance(&l, names);
	handle = make_messenger(&l, &messenger);
	assert_int_equal(fakes.a->messengers, 1);
	assert_int_equal(fakes.b->messengers, 0);
	fakes.a->say(VK_OBJECT_TYPE_PHYSICAL_DEVICE,
		(uint64_t)(uintptr_t)fakes.a->physical_devices[0], "trouble");
	assert_int_equal(heard.count, 1);
	assert_string_equal(heard.text, "trouble");
	assert_int_equal(heard.object, (uint64_t)(uintptr_t)l.devices[0]);
	fakes.a->say(VK_OBJECT_TYPE_INSTANCE, (uint64_t)(uintptr_t)fakes.a->instance, "more");
	assert_int_equal(heard.object, (uint64_t)(uintptr_t)l.instance);
	fakes.a->say(VK_OBJECT_TYPE_IMAGE, 42, "an image");
	assert_int_equal(heard.object, 42);
	end_messenger(&l, handle);
	assert_int_equal(fakes.a->messengers, 0);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-33: the same for callbacks that were chained to the instance's creation. */
static void
test_drivers_messages_of_lifetime(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	VkDebugUtilsMessengerCreateInfoEXT chained = errors_only();
	const struct kr_vulkan_instance_info info = {.chain = &chained, .extensions = names};
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.a->instance_extensions[0] = "VK_EXT_debug_utils";
	use_both_fakes();
	open_loader(&l);
	assert_int_equal(try_instance_with(&l, &info), VK_SUCCESS);
	fakes.a->say(VK_OBJECT_TYPE_INSTANCE, (uint64_t)(uintptr_t)fakes.a->instance, "early");
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.object, (uint64_t)(uintptr_t)l.instance);
	/* Between creation and destruction it is told nothing. */
	OF_INSTANCE(&l, vkSubmitDebugUtilsMessageEXT)
	(l.instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
		&(VkDebugUtilsMessengerCallbackDataEXT){
			.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
			.pMessage = "later",
		});
	assert_int_equal(heard.count, 1);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-33 */
static void
test_debug_report(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_report", NULL};
	VkDebugReportCallbackCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
		.flags = VK_DEBUG_REPORT_ERROR_BIT_EXT,
		.pfnCallback = hear_report,
	};
	VkDebugReportCallbackEXT handle;
	struct loader l;

	use_both_fakes();
	open_loader(&l);
	make_instance(&l, names);
	assert_null(OF_INSTANCE(&l, vkCreateDebugUtilsMessengerEXT));
	assert_int_equal(
		OF_INSTANCE(&l, vkCreateDebugReportCallbackEXT)(l.instance, &info, NULL, &handle),
		VK_SUCCESS);
	OF_INSTANCE(&l, vkDebugReportMessageEXT)
	(l.instance, VK_DEBUG_REPORT_ERROR_BIT_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT, 0, 0,
		0, "test", "said");
	assert_int_equal(heard.count, 1);
	assert_string_equal(heard.text, "said");
	OF_INSTANCE(&l, vkDestroyDebugReportCallbackEXT)(l.instance, handle, NULL);
	end_instance(&l);
	close_loader(&l);
}

static const char *const both_names[] = {"VK_EXT_debug_utils", "VK_EXT_debug_report", NULL};

/* K-33: what the application did wrong is for those who listen to validation, too. */
static void
test_mistakes_are_validation(void **state)
{
	VkDebugUtilsMessengerCreateInfoEXT info = errors_only();
	static const VkDebugUtilsMessageTypeFlagsEXT types[] = {
		VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
		VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
	};
	struct loader l;

	use_both_fakes();
	open_loader(&l);
	make_instance(&l, both_names);
	for (int i = 0; i < 3; i++) {
		VkDebugUtilsMessengerEXT handle;

		info.messageType = types[i];
		heard.count = 0;
		handle = make_messenger(&l, &info);
		assert_int_equal(EXPORTED(&l, vkEnumeratePhysicalDevices)(l.instance, NULL, NULL),
			VK_ERROR_INITIALIZATION_FAILED);
		assert_int_equal(heard.count, i < 2);
		end_messenger(&l, handle);
	}
	assert_non_null(strstr(
		heard.text, "[VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]"));
	end_instance(&l);
	close_loader(&l);
}

static struct loader *inner_loader;
static int inner_result, inner_calls;

/* A callback that uses Vulkan itself: nothing of the loader's is locked meanwhile. */
static VKAPI_ATTR VkBool32 VKAPI_CALL
use_vulkan(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	static const char *const nothing[] = {"VK_KR_nothing", NULL};
	const struct kr_vulkan_instance_info info = {.extensions = nothing};
	VkInstance instance;
	uint32_t count;

	inner_calls++;
	(void)EXPORTED(inner_loader, vkEnumerateInstanceExtensionProperties)(NULL, &count, NULL);
	/* It says why it fails, though not to the callbacks of the call that surrounds it. */
	inner_result = kr_vulkan_create_instance(
		EXPORTED(inner_loader, vkCreateInstance), &info, &instance);
	return VK_FALSE;
}

/* K-50: with the HAL's and the profile's messages too, which come with something locked. */
static void
test_callbacks_may_call(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	VkDebugUtilsMessengerCreateInfoEXT chained =
		kr_vulkan_messenger_info(KR_VULKAN_ALL_SEVERITIES, use_vulkan, NULL);
	const struct kr_vulkan_instance_info info = {.chain = &chained, .extensions = names};
	int calls;
	struct loader l;

	chained.messageType = KR_VULKAN_ALL_TYPES;
	use_null_hal();
	set_variable("KRAFLA_PROFILE", "windows");
	open_loader(&l);
	inner_loader = &l;
	assert_int_equal(try_instance_with(&l, &info), VK_SUCCESS);
	calls = inner_calls;
	assert_true(calls >= 2);
	assert_int_equal(inner_result, VK_ERROR_EXTENSION_NOT_PRESENT);
	end_instance(&l);
	close_loader(&l);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
find_path(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	heard.count += severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT &&
		strstr(data->pMessage, user_data);
	return VK_FALSE;
}

/* K-50: paths are as long as they are. */
static void
test_long_messages_are_heard_whole(void **state)
{
	static const char *const names[] = {"VK_EXT_debug_utils", NULL};
	static char path[1500] = "/nonexistent";
	VkDebugUtilsMessengerCreateInfoEXT chained = errors_only();
	const struct kr_vulkan_instance_info info = {.chain = &chained, .extensions = names};
	struct loader l;

	while (strlen(path) < sizeof(path) - 30)
		strcat(path, "/directory");
	strcat(path, "/icd.json");
	chained.messageSeverity = KR_VULKAN_ALL_SEVERITIES;
	chained.pfnUserCallback = find_path;
	chained.pUserData = path;
	use_both_fakes();
	set_variable("VK_DRIVER_FILES", path);
	open_loader(&l);
	assert_int_not_equal(try_instance_with(&l, &info), VK_SUCCESS);
	assert_true(heard.count > 0);
	close_loader(&l);
}

static const struct kr_test tests[] = {
	KR_TEST(test_creation_is_heard),
	KR_TEST(test_wrong_environment_is_told),
	KR_TEST(test_what_is_looked_for),
	KR_TEST(test_drivers_of_devices_are_told),
	KR_TEST(test_severity_is_minded),
	KR_TEST(test_device_errors_are_heard),
	KR_TEST(test_drivers_messages_have_our_handles),
	KR_TEST(test_drivers_messages_of_lifetime),
	KR_TEST(test_debug_report),
	KR_TEST(test_mistakes_are_validation),
	KR_TEST(test_callbacks_may_call),
	KR_TEST(test_long_messages_are_heard_whole),
};

KR_TEST_MAIN(tests)
