/* SPDX-License-Identifier: Apache-2.0 */
/* K-45 The profile android: HAL modules alone, layers that describe themselves. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "manifest/settings.h"

/* Y-02, Y-03, Y-07 */
static void
layers_of_the_application_are_there(void **state)
{
	VkLayerProperties properties[4];
	uint32_t count = 4;

	start_android();
	open_loader();
	assert_int_equal(CALL(vkEnumerateInstanceLayerProperties)(&count, properties), VK_SUCCESS);
	assert_int_equal(count, 4);
	assert_true(has_layer(A) && has_layer(A_INSTANCE) && has_layer(B));
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(properties[i].specVersion, VK_API_VERSION_1_1);
		assert_int_equal(properties[i].implementationVersion, 7);
		assert_memory_equal(properties[i].description, "a layer of library ", 19);
	}
	assert_true(has_extension(A, "VK_KR_instance_a"));
	assert_false(has_extension(A_INSTANCE, "VK_KR_instance_a"));
	/* They are there, not enabled. */
	assert_false(has_extension(NULL, "VK_KR_instance_a"));
	close_loader();
}

/* Y-03 */
static void
only_libraries_of_that_name_are_opened(void **state)
{
	static const char *const names[] = {
		"libvkLayer_x.so", "VkLayer_x.so", "libVkLayer_x.so.1", "libVkLayer_x.json"};
	const char *application;

	hide_system();
	application = make_dir("application");
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++)
		put(application, names[i], TEST_LAYER_A);
	put(application, "libVkLayerx.so", TEST_LAYER_B);
	set_variable("KRAFLA_PROFILE", "android");
	set_variable(APPLICATION, application);
	open_loader();
	assert_int_equal(count_layers(), 2);
	assert_true(has_layer(B));
	close_loader();
}

/* Y-02 */
static void
no_directory_unless_told(void **state)
{
	start_android();
	set_variable(APPLICATION, "");
	open_loader();
	assert_int_equal(count_layers(), 0);
	assert_string_equal(layer_log, "");
	close_loader();
}

static void
relative_directories_are_refused(void **state)
{
	start_android();
	assert_int_equal(chdir(kr_test_dir()), 0);
	set_variable(APPLICATION, "application");
	open_loader();
	assert_int_equal(count_layers(), 0);
	close_loader();
	assert_int_equal(chdir("/"), 0);
}

/*
 * Y-07: functions bear the layer's name, or none; the interface that manifests promise isn't used.
 */
static void
explicit_layers_in_their_order(void **state)
{
	static const char *const layers[] = {B, A_INSTANCE, A, B, NULL};

	start_android();
	open_loader();
	run_instance(layers);
	assert_non_null(strstr(layer_log, "bi aI ai "));
	assert_null(strstr(strstr(layer_log, "bi ") + 1, "bi "));
	close_loader();
}

static void
nothing_is_opened_for_nobody(void **state)
{
	start_android();
	open_loader();
	run_instance(NULL);
	assert_string_equal(layer_log, "");
	close_loader();
}

static void
a_missing_layer_is_an_error(void **state)
{
	static const char *const missing[] = {"VK_LAYER_KR_missing", NULL};
	VkInstance instance;

	start_android();
	open_loader();
	assert_int_equal(try_instance(missing, &instance), VK_ERROR_LAYER_NOT_PRESENT);
	close_loader();
}

static void
a_missing_layer_of_a_property_is_one_too(void **state)
{
	VkInstance instance;

	start_android();
	set_variable(LAYERS, "VK_LAYER_KR_missing");
	open_loader();
	assert_int_equal(try_instance(NULL, &instance), VK_ERROR_LAYER_NOT_PRESENT);
	close_loader();
}

static void
properties_come_before_the_application(void **state)
{
	static const char *const layers[] = {A, A_INSTANCE, NULL};

	start_android();
	set_variable(LAYERS, B);
	set_variable(ONE(3), A_INSTANCE);
	open_loader();
	run_instance(layers);
	assert_non_null(strstr(layer_log, "bi aI ai "));
	close_loader();
}

/*
 * A smaller number is nearer to the application; the list has the smallest; from 10
 * on a gap ends it.
 */
static void
numbered_properties_have_priorities(void **state)
{
	start_android();
	set_variable(ONE(10), B);
	set_variable(ONE(2), A);
	set_variable(ONE(12), A_INSTANCE);
	open_loader();
	run_instance(NULL);
	assert_non_null(strstr(layer_log, "ai bi "));
	assert_null(strstr(layer_log, "aI"));
	set_variable(ONE(11), A_INSTANCE);
	run_instance(NULL);
	assert_non_null(strstr(layer_log, "ai bi aI "));
	set_variable(LAYERS, A_INSTANCE ":" B);
	run_instance(NULL);
	assert_non_null(strstr(layer_log, "aI bi ai "));
	close_loader();
}

/* Which Android's own loader leaves out. */
static void
extensions_of_property_layers_are_shown(void **state)
{
	start_android();
	set_variable(LAYERS, A);
	open_loader();
	assert_true(has_extension(NULL, "VK_KR_instance_a"));
	assert_false(has_extension(NULL, "VK_KR_instance_b"));
	close_loader();
}

static void
run_device(const char *const *layers)
{
	VkPhysicalDevice physical_device;
	VkInstance instance;
	uint32_t count = 1;
	VkDevice device;

	assert_int_equal(try_instance(layers, &instance), VK_SUCCESS);
	assert_true(CALL(vkEnumeratePhysicalDevices)(instance, &count, &physical_device) >= 0);
	assert_int_equal(count, 1);
	assert_int_equal(
		kr_vulkan_create_device(CALL(vkCreateDevice), physical_device, NULL, &device),
		VK_SUCCESS);
	CALL(vkDestroyDevice)(device, NULL);
	CALL(vkDestroyInstance)(instance, NULL);
}

/* A layer that doesn't list itself for devices isn't in their chains. */
static void
devices_have_the_layers_that_are_for_them(void **state)
{
	static const char *const layers[] = {A_INSTANCE, A, NULL};

	start_android();
	set_variable("KRAFLA_HAL_PATH", TEST_HAL_DIR);
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "null");
	open_loader();
	run_device(layers);
	assert_non_null(strstr(layer_log, "aI ai "));
	assert_non_null(strstr(layer_log, "ad "));
	close_loader();
}

/* HAL modules are the drivers: no manifest is read, whoever names it. */
static void
manifests_of_drivers_count_for_nothing(void **state)
{
	VkInstance instance;
	uint32_t count = 7;
	const char *manifest;

	start_android();
	manifest = kr_test_file("driver.json",
		"{\"file_format_version\":\"1.0.0\",\"ICD\":{\"library_path\":\"" TEST_ICD
		"\",\"api_version\":\"1.1.0\"}}");
	set_variable("VK_DRIVER_FILES", manifest);
	set_variable("VK_ADD_DRIVER_FILES", manifest);
	open_loader();
	assert_int_equal(try_instance(NULL, &instance), VK_SUCCESS);
	assert_int_equal(CALL(vkEnumeratePhysicalDevices)(instance, &count, NULL), VK_SUCCESS);
	assert_int_equal(count, 0);
	assert_false(is_loaded(TEST_ICD));
	CALL(vkDestroyInstance)(instance, NULL);
	close_loader();
}

/* Nor do the variables and the file that enable layers elsewhere, for whoever may set them. */
static void
only_properties_enable_layers(void **state)
{
	struct kr_settings settings;

	start_android();
	make_dir("vulkan");
	make_dir("vulkan/loader_settings.d");
	kr_test_file("vulkan/loader_settings.d/vk_loader_settings.json",
		"{\"file_format_version\":\"1.0.0\",\"settings\":{\"stderr_log\":[\"info\"],"
		"\"layers\":[{\"name\":\"" B "\",\"path\":\"/b.json\",\"control\":\"on\"}]}}");
	set_variable("VK_INSTANCE_LAYERS", B);
	set_variable("VK_LOADER_LAYERS_ENABLE", "*");
	assert_int_equal(kr_settings_read(NULL, &settings), 0);
	assert_null(settings.path);
	kr_settings_finish(&settings);
	open_loader();
	run_instance(NULL);
	assert_string_equal(layer_log, "");
	run_instance((const char *const[]){A, NULL});
	assert_non_null(strstr(layer_log, "ai "));
	assert_null(strstr(layer_log, "bi "));
	assert_int_equal(count_layers(), 4);
	close_loader();
}

/* W-01: what Android says its loader has, as far as our window system has it (docs/profiles.md). */
static void
instance_extensions_of_the_profile(void **state)
{
	static const char *const always[] = {"VK_KHR_surface", "VK_KHR_android_surface",
		"VK_KHR_get_surface_capabilities2", "VK_EXT_debug_report", "VK_EXT_debug_utils",
		"VK_KHR_surface_protected_capabilities", "VK_GOOGLE_surfaceless_query",
		"VK_EXT_surface_maintenance1", "VK_EXT_swapchain_colorspace"};

	start_android();
	set_variable("KRAFLA_HAL_PATH", TEST_HAL_DIR);
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "null");
	open_loader();
	for (size_t i = 0; i < KR_ARRAY_LEN(always); i++)
		assert_true(has_extension(NULL, always[i]));
	close_loader();
}

static bool
device_has(VkPhysicalDevice device, const char *name)
{
	VkExtensionProperties properties[256];
	uint32_t count = KR_ARRAY_LEN(properties);

	assert_int_equal(
		CALL(vkEnumerateDeviceExtensionProperties)(device, NULL, &count, properties), 0);
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(properties[i].extensionName, name))
			return true;
	}
	return false;
}

/* W-01 */
static void
device_extensions_of_the_profile(void **state)
{
	VkPhysicalDevice device;
	VkInstance instance;
	uint32_t count = 1;

	start_android();
	set_variable("KRAFLA_HAL_PATH", TEST_HAL_DIR);
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "null");
	open_loader();
	assert_int_equal(try_instance(NULL, &instance), VK_SUCCESS);
	assert_true(CALL(vkEnumeratePhysicalDevices)(instance, &count, &device) >= 0);
	assert_true(device_has(device, "VK_KHR_swapchain"));
	assert_true(device_has(device, "VK_KHR_incremental_present"));
	assert_false(device_has(device, "VK_ANDROID_native_buffer"));
	assert_true(device_has(device, "VK_EXT_swapchain_maintenance1"));
	assert_true(device_has(device, "VK_KHR_shared_presentable_image"));
	assert_true(device_has(device, "VK_EXT_hdr_metadata"));
	assert_true(device_has(device, "VK_GOOGLE_display_timing"));
	CALL(vkDestroyInstance)(instance, NULL);
	close_loader();
}

/* Handles of the aliases are as usable as those of the functions of 1.1. */
static void
aliases_are_intercepted(void **state)
{
	static const char *const names[] = {
		"VK_KHR_device_group_creation", "VK_KHR_get_physical_device_properties2", NULL};
	const struct kr_vulkan_instance_info info = {.extensions = names};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	VkPhysicalDeviceGroupProperties group = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
	struct kr_vulkan vk;
	uint32_t count = 1;

	start_android();
	set_variable("KRAFLA_HAL_PATH", TEST_SHIM_DIR);
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "shim");
	open_loader();
	kr_vulkan_open(&vk, CALL(vkGetInstanceProcAddr), &info);
	assert_int_equal(KR_VULKAN_CALL(&vk, vkEnumeratePhysicalDeviceGroupsKHR)(
				 vk.instance, &count, &group),
		VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_ptr_equal(group.physicalDevices[0], vk.physical_device);
	KR_VULKAN_CALL(&vk, vkGetPhysicalDeviceProperties2KHR)
	(group.physicalDevices[0], &properties);
	assert_true(properties.properties.apiVersion >= VK_API_VERSION_1_0);
	kr_vulkan_close(&vk);
	close_loader();
}

/*
 * What is written to stderr while an instance says something, with or without the extension's name.
 */
static const char *
reported(bool named)
{
	static const char *const names[] = {"VK_EXT_debug_report", NULL};
	const struct kr_vulkan_instance_info info = {.extensions = named ? names : NULL};
	static char text[512];
	PFN_vkDebugReportMessageEXT say;
	int saved = dup(STDERR_FILENO);
	VkInstance instance;
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(
		kr_vulkan_create_instance(CALL(vkCreateInstance), &info, &instance), VK_SUCCESS);
	say = (PFN_vkDebugReportMessageEXT)CALL(vkGetInstanceProcAddr)(
		instance, "vkDebugReportMessageEXT");
	dup2(fileno(file), STDERR_FILENO);
	for (VkFlags flag = 1; say && flag <= VK_DEBUG_REPORT_DEBUG_BIT_EXT; flag <<= 1)
		say(instance, flag, VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT, 0, 0, (int32_t)flag,
			"kr", "text");
	dup2(saved, STDERR_FILENO);
	CALL(vkDestroyInstance)(instance, NULL);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	close(saved);
	return text;
}

static void
reports_are_written_when_the_property_says_so(void **state)
{
	static const char expected[] = "[kr] warning, code 2: text\n[kr] error, code 8: text\n";

	start_android();
	open_loader();
	assert_string_equal(reported(true), "");
	set_variable(CALLBACK, "1");
	assert_string_equal(reported(true), "");
	set_variable(CALLBACK, "true");
	assert_string_equal(reported(true), expected);
	assert_string_equal(reported(false), expected);
	/* In a process that isn't debuggable, not even when the system says so. */
	set_system_properties("debug.vulkan.enable_callback=true\n");
	prctl(PR_SET_DUMPABLE, 0);
	assert_string_equal(reported(true), "");
	prctl(PR_SET_DUMPABLE, 1);
	close_loader();
}

/* Y-04 */
static void
the_debug_directory_comes_first(void **state)
{
	const char *debug;

	start_android();
	debug = make_dir("debug");
	/* Another library under a name that the application has. */
	put(debug, "libVkLayer_b.so", TEST_LAYER_A);
	set_variable(DEBUG, debug);
	open_loader();
	assert_true(has_layer(A));
	assert_false(has_layer(B));
	assert_int_equal(count_layers(), 2);
	close_loader();
}

static void
libraries_that_are_no_layers_are_passed_over(void **state)
{
	const char *more;

	start_android();
	more = make_dir("application");
	put(more, "libVkLayer_bare.so", TEST_LAYER_BARE);
	put(more, "libVkLayer_wild.so", TEST_LAYER_WILD);
	put(more, "libVkLayer_text.so", kr_test_file("text", "not a library"));
	put(more, "libVkLayer_loader.so", TEST_LIBVULKAN);
	open_loader();
	assert_int_equal(count_layers(), 4);
	close_loader();
}

/* A driver and layers are opened and closed: the linker keeps memory. */
#define TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	TEST(layers_of_the_application_are_there),
	TEST(only_libraries_of_that_name_are_opened),
	TEST(no_directory_unless_told),
	TEST(relative_directories_are_refused),
	TEST(explicit_layers_in_their_order),
	TEST(nothing_is_opened_for_nobody),
	TEST(a_missing_layer_is_an_error),
	TEST(a_missing_layer_of_a_property_is_one_too),
	TEST(properties_come_before_the_application),
	TEST(numbered_properties_have_priorities),
	TEST(extensions_of_property_layers_are_shown),
	TEST(devices_have_the_layers_that_are_for_them),
	TEST(manifests_of_drivers_count_for_nothing),
	TEST(only_properties_enable_layers),
	TEST(instance_extensions_of_the_profile),
	TEST(device_extensions_of_the_profile),
	TEST(aliases_are_intercepted),
	TEST(reports_are_written_when_the_property_says_so),
	TEST(the_debug_directory_comes_first),
	TEST(libraries_that_are_no_layers_are_passed_over),
};
KR_TEST_MAIN(tests)
