/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit layers: found, ordered, chained, let go. Two layers over two drivers. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "support.h"

#define LAYER_A "VK_LAYER_KR_a" /* negotiates */
#define LAYER_B "VK_LAYER_KR_b" /* interface 0 */

static char calls[256];
static void *layer_dsos[2];

static const char *
manifest(const char *file, const char *name, const char *library)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.1.0\", \"layer\": {\"name\": \"%s\", \"type\": "
		"\"GLOBAL\", \"library_path\": \"%s\", \"api_version\": \"1.3.0\", "
		"\"implementation_version\": \"7\", \"description\": \"a layer\", "
		"\"instance_extensions\": [{\"name\": \"VK_KR_of_layer\", \"spec_version\": "
		"\"3\"}], \"device_extensions\": [{\"name\": \"VK_KR_of_layers_device\", "
		"\"spec_version\": \"4\"}]}}",
		name, library);
	return kr_test_file(file, text);
}

/* Both layers are installed; their libraries log into `calls`. */
static void
install_layers(void)
{
	static const char *const paths[] = {TEST_LAYER_A, TEST_LAYER_B};
	char path[1024];

	snprintf(path, sizeof(path), "%s:", manifest("a.json", LAYER_A, TEST_LAYER_A));
	strcat(path, manifest("b.json", LAYER_B, TEST_LAYER_B));
	set_variable("VK_LAYER_PATH", path);
	for (int i = 0; i < 2; i++) {
		layer_dsos[i] = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
		assert_non_null(layer_dsos[i]);
		*(char **)dlsym(layer_dsos[i], "fake_layer_log") = calls;
	}
}

static void
uninstall_layers(void)
{
	for (int i = 0; i < 2; i++)
		dlclose(layer_dsos[i]);
}

static VkResult
create_with(struct loader *l, const char *const *layers)
{
	const struct kr_vulkan_instance_info info = {.layers = layers};

	return try_instance_with(l, &info);
}

/* Y-01 */
static void
test_chain(void **state)
{
	static const char *const layers[] = {LAYER_A, LAYER_B, LAYER_A, NULL};
	struct fakes fakes;
	struct loader l;
	VkDevice device;
	VkQueue queue;

	open_fakes(&fakes);
	use_both_fakes();
	install_layers();
	open_loader(&l);
	/* Named twice is there once; the first is nearest to the application. */
	assert_int_equal(create_with(&l, layers), VK_SUCCESS);
	assert_string_equal(calls, "aibi");
	assert_int_equal(fakes.a->seen_layer_count, 0);
	find_devices(&l);
	assert_int_equal(l.device_count, 2);
	calls[0] = '\0';
	/* Of an application of 1.0: unsorted, the driver that was found last comes first. */
	for (uint32_t i = 0; i < 2; i++) {
		device = make_device(&l, l.devices[i], NULL);
		EXPORTED(&l, vkGetDeviceQueue)(device, 0, 0, &queue);
		assert_ptr_equal(*(void **)queue, *(void **)device);
		OF_DEVICE(&l, device, vkGetDeviceQueue)(device, 0, 0, &queue);
		/* What no layer hooks is the driver's own all the same. */
		assert_ptr_equal(
			OF_DEVICE(&l, device, vkCmdDraw), (i ? fakes.a : fakes.b)->cmd_draw);
		assert_null(EXPORTED(&l, vkGetDeviceProcAddr)(device, "vkAcquireImageANDROID"));
		assert_ptr_equal(
			OF_DEVICE(&l, device, vkDestroyDevice), EXPORTED(&l, vkDestroyDevice));
		end_device(&l, device);
		assert_string_equal(calls, "adbdaqbqaqbqayby");
		calls[0] = '\0';
	}
	/* A function that only a layer knows. */
	assert_non_null(l.gipa(l.instance, "vkFutureb"));
	assert_null(l.gipa(l.instance, "vkFuturec"));
	end_instance(&l);
	assert_string_equal(calls, "axbx");
	close_loader(&l);
	uninstall_layers();
	close_fakes(&fakes);
}

static void
test_environment_before_application(void **state)
{
	static const char *const layers[] = {LAYER_A, NULL};
	struct loader l;

	use_both_fakes();
	install_layers();
	set_variable("VK_INSTANCE_LAYERS", "VK_LAYER_KR_missing:" LAYER_B);
	open_loader(&l);
	assert_int_equal(create_with(&l, layers), VK_SUCCESS);
	assert_string_equal(calls, "biai");
	end_instance(&l);
	close_loader(&l);
	uninstall_layers();
}

static void
test_missing_layer(void **state)
{
	static const char *const layers[] = {LAYER_A, "VK_LAYER_KR_missing", NULL};
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	install_layers();
	open_loader(&l);
	assert_int_equal(create_with(&l, layers), VK_ERROR_LAYER_NOT_PRESENT);
	assert_null(l.instance);
	assert_int_equal(fakes.a->instances_created, 0);
	close_loader(&l);
	uninstall_layers();
	close_fakes(&fakes);
}

static void
test_broken_library(void **state)
{
	static const char *const layers[] = {"VK_LAYER_KR_broken", NULL};
	struct loader l;

	use_both_fakes();
	set_variable("VK_LAYER_PATH",
		manifest("broken.json", layers[0], kr_test_file("broken.so", "no library")));
	open_loader(&l);
	assert_int_equal(create_with(&l, layers), VK_ERROR_LAYER_NOT_PRESENT);
	close_loader(&l);
}

static void
test_properties(void **state)
{
	static const char *const layers[] = {LAYER_B, NULL};
	VkLayerProperties list[4];
	VkExtensionProperties extension;
	uint32_t count = 4;
	struct loader l;

	use_both_fakes();
	install_layers();
	open_loader(&l);
	assert_int_equal(
		EXPORTED(&l, vkEnumerateInstanceLayerProperties)(&count, list), VK_SUCCESS);
	assert_int_equal(count, 2);
	assert_string_equal(list[0].layerName, LAYER_A);
	assert_string_equal(list[1].description, "a layer");
	assert_int_equal(list[1].implementationVersion, 7);
	count = 1;
	assert_int_equal(
		EXPORTED(&l, vkEnumerateInstanceLayerProperties)(&count, list), VK_INCOMPLETE);
	assert_int_equal(
		EXPORTED(&l, vkEnumerateInstanceExtensionProperties)(LAYER_A, &count, &extension),
		VK_SUCCESS);
	assert_string_equal(extension.extensionName, "VK_KR_of_layer");
	assert_int_equal(EXPORTED(&l, vkEnumerateInstanceExtensionProperties)(
				 "VK_LAYER_KR_missing", &count, NULL),
		VK_ERROR_LAYER_NOT_PRESENT);
	assert_int_equal(create_with(&l, layers), VK_SUCCESS);
	find_devices(&l);
	count = 4;
	assert_int_equal(EXPORTED(&l, vkEnumerateDeviceLayerProperties)(l.devices[0], &count, list),
		VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_string_equal(list[0].layerName, LAYER_B);
	assert_int_equal(EXPORTED(&l, vkEnumerateDeviceExtensionProperties)(
				 l.devices[0], LAYER_B, &count, &extension),
		VK_SUCCESS);
	assert_string_equal(extension.extensionName, "VK_KR_of_layers_device");
	end_instance(&l);
	close_loader(&l);
	uninstall_layers();
}

/* Y-01: extensions of a layer may be enabled, and don't reach the driver. */
static void
test_extensions_of_a_layer(void **state)
{
	static const char *const layers[] = {LAYER_A, NULL};
	static const char *const names[] = {"VK_KR_of_layer", NULL};
	static const char *const device_names[] = {"VK_KR_of_layers_device", NULL};
	struct kr_vulkan_instance_info info = {.extensions = names};
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	install_layers();
	open_loader(&l);
	assert_int_equal(try_instance_with(&l, &info), VK_ERROR_EXTENSION_NOT_PRESENT);
	info.layers = layers;
	assert_int_equal(try_instance_with(&l, &info), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_instance_extension_count, 0);
	find_devices(&l);
	end_device(&l, make_device(&l, l.devices[0], device_names));
	assert_int_equal(fakes.a->seen_device_extension_count, 0);
	end_instance(&l);
	close_loader(&l);
	uninstall_layers();
	close_fakes(&fakes);
}

/* A layer that gives up after the driver made a device leaves nothing behind. */
static void
test_layer_fails_device(void **state)
{
	static const char *const layers[] = {LAYER_A, LAYER_B, NULL};
	struct fakes fakes;
	struct loader l;
	VkDevice device;

	open_fakes(&fakes);
	use_both_fakes();
	install_layers();
	open_loader(&l);
	assert_int_equal(create_with(&l, layers), VK_SUCCESS);
	find_devices(&l);
	*(int *)dlsym(layer_dsos[0], "fake_layer_fails") = 1;
	assert_int_equal(
		try_device(&l, l.devices[0], NULL, NULL, &device), VK_ERROR_FEATURE_NOT_PRESENT);
	assert_int_equal(fakes.a->devices + fakes.b->devices, 0);
	end_instance(&l);
	close_loader(&l);
	uninstall_layers();
	close_fakes(&fakes);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
find_policy(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *found)
{
	*(bool *)found |= strstr(data->pMessage, "(Policy #LLP_LAYER_17)") != NULL;
	return VK_FALSE;
}

/* K-50: an extension that only a layer misses is told as the layer's answer. */
static void
test_layer_misses_an_extension(void **state)
{
	static const char *const layers[] = {LAYER_A, LAYER_B, NULL};
	static const char *const unknown[] = {"VK_KR_none", NULL};
	bool found = false;
	const VkDebugUtilsMessengerCreateInfoEXT messenger = kr_vulkan_messenger_info(
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, find_policy, &found);
	struct kr_vulkan_instance_info info = {
		.chain = &messenger,
		.layers = layers,
		.extensions = unknown,
	};
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	install_layers();
	open_loader(&l);
	assert_int_equal(try_instance_with(&l, &info), VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_false(found);
	info.extensions = NULL;
	*(int *)dlsym(layer_dsos[1], "fake_layer_fails") = 2;
	assert_int_equal(try_instance_with(&l, &info), VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_true(found);
	close_loader(&l);
	uninstall_layers();
	close_fakes(&fakes);
}

static void
test_allocation_failures(void **state)
{
	static const char *const layers[] = {LAYER_A, LAYER_B, NULL};
	struct counting counting;
	const struct kr_vulkan_instance_info info = {
		.layers = layers,
		.allocator = &counting.callbacks,
	};
	struct fakes fakes;
	struct loader l;
	VkResult result;
	long failures = -1;

	open_fakes(&fakes);
	use_both_fakes();
	install_layers();
	open_loader(&l);
	do {
		failures++;
		calls[0] = '\0';
		counting_init(&counting, failures);
		result = try_instance_with(&l, &info);
		if (result == VK_SUCCESS)
			EXPORTED(&l, vkDestroyInstance)(l.instance, &counting.callbacks);
		else
			assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
		assert_int_equal(counting.alive, 0);
		assert_int_equal(fakes.a->instances, 0);
	} while (result != VK_SUCCESS);
	assert_true(failures >= 4);
	close_loader(&l);
	uninstall_layers();
	close_fakes(&fakes);
}

/* Layers stay while an instance uses them, and go with it. */
static void
test_unloading(void **state)
{
	static const char *const layers[] = {LAYER_A, NULL};
	struct loader l;

	use_both_fakes();
	install_layers();
	uninstall_layers();
	open_loader(&l);
	assert_int_equal(create_with(&l, layers), VK_SUCCESS);
	layer_dsos[0] = dlopen(TEST_LAYER_A, RTLD_NOW | RTLD_NOLOAD);
	assert_non_null(layer_dsos[0]);
	dlclose(layer_dsos[0]);
	find_devices(&l);
	end_instance(&l);
	assert_null(dlopen(TEST_LAYER_A, RTLD_NOW | RTLD_NOLOAD));
	close_loader(&l);
}

/* K-14 */
static void
test_library_stays_when_so_told(void **state)
{
	static const char *const layers[] = {LAYER_A, NULL};
	static char keep[] = "VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING=1";
	struct loader l;

	use_both_fakes();
	install_layers();
	uninstall_layers();
	open_loader(&l);
	assert_int_equal(create_with(&l, layers), VK_SUCCESS);
	assert_int_equal(putenv(keep), 0);
	end_instance(&l);
	layer_dsos[0] = dlopen(TEST_LAYER_A, RTLD_NOW | RTLD_NOLOAD);
	assert_non_null(layer_dsos[0]);
	close_loader(&l);
}

/* K-22: what dlsym finds in a library that only depends on us would be called for ever. */
static void
test_loader_is_no_layer(void **state)
{
	static const char *const layers[] = {LAYER_A, NULL};
	struct loader l;

	use_both_fakes();
	set_variable("VK_LAYER_PATH", manifest("a.json", LAYER_A, TEST_LIBVULKAN));
	open_loader(&l);
	assert_int_equal(create_with(&l, layers), VK_ERROR_LAYER_NOT_PRESENT);
	close_loader(&l);
}

static const struct kr_test tests[] = {
	KR_TEST(test_chain),
	KR_TEST(test_environment_before_application),
	KR_TEST(test_missing_layer),
	KR_TEST(test_broken_library),
	KR_TEST(test_loader_is_no_layer),
	KR_TEST(test_properties),
	KR_TEST(test_extensions_of_a_layer),
	KR_TEST(test_layer_fails_device),
	KR_TEST(test_layer_misses_an_extension),
	KR_TEST(test_allocation_failures),
	KR_TEST(test_unloading),
	KR_TEST_FLAGS(test_library_stays_when_so_told, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
