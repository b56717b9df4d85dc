/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which drivers an instance gets: searched anew at each call, portability, versions,
 * direct drivers.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "support.h"

#define PORTABILITY_NAME "VK_KHR_portability_enumeration"
#define DIRECT_NAME      "VK_LUNARG_direct_driver_loading"

static char heard[65536];

/* For variables that support.c doesn't know; the text must stay. */
static void
put_variable(char *text)
{
	assert_int_equal(putenv(text), 0);
}

static bool elevated;

/* In place of the C library's: the loader has no other way to the environment. */
KR_EXPORT char *secure_getenv(const char *name);
char *
secure_getenv(const char *name)
{
	return elevated ? NULL : getenv(name);
}

/*
 * Without variables the loader searches the system's directories: those of this test have nothing.
 */
KR_EXPORT DIR *opendir(const char *path);
DIR *
opendir(const char *path)
{
	DIR *(*real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");

	errno = ENOENT;
	return elevated ? NULL : real(path);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
listen(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	size_t len = strlen(heard);

	snprintf(heard + len, sizeof(heard) - len, "%s%s\n",
		severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT             ? "ERROR "
			: severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT ? "WARNING "
										      : "",
		data->pMessage);
	return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT
listener(const void *chain)
{
	VkDebugUtilsMessengerCreateInfoEXT info =
		kr_vulkan_messenger_info(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
				VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
				VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
			listen, NULL);

	info.pNext = chain;
	return info;
}

/* vkCreateInstance of this version with at most one extension; what is said is in `heard`. */
static VkResult
create(struct loader *l, uint32_t version, const char *extension, VkInstanceCreateFlags flags,
	const void *chain)
{
	VkDebugUtilsMessengerCreateInfoEXT messenger = listener(chain);
	const char *const extensions[] = {extension, NULL};
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = version,
	};
	const struct kr_vulkan_instance_info info = {
		.application = &application,
		.flags = flags,
		.chain = &messenger,
		.extensions = extensions,
	};

	heard[0] = '\0';
	return try_instance_with(l, &info);
}

static const char *
manifest(const char *name, const char *library, const char *api_version, bool portability)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": \"%s\", "
		"\"api_version\": \"%s\", \"is_portability_driver\": %s}}",
		library, api_version, portability ? "true" : "false");
	return kr_test_file(name, text);
}

/* K-36: the environment as it is at each call; what no set holds is closed. */
static void
test_searched_at_each_call(void **state)
{
	static const char *const one[] = {TEST_FAKE_A}, *const other[] = {TEST_FAKE_B};
	VkInstance first;
	struct loader l;

	use_drivers(1, one);
	open_loader(&l);
	make_instance(&l, NULL);
	assert_true(is_mapped("fake_a.so"));
	assert_false(is_mapped("fake_b.so"));
	first = l.instance;
	use_drivers(1, other);
	make_instance(&l, NULL);
	assert_int_equal(l.device_count, 1);
	/* The first instance's driver stays with it. */
	assert_true(is_mapped("fake_a.so"));
	end_instance(&l);
	l.instance = first;
	find_devices(&l);
	assert_int_equal(l.device_count, 1);
	end_instance(&l);
	assert_false(is_mapped("fake_a.so"));
	/* The last one found stays open for the next call. */
	assert_true(is_mapped("fake_b.so"));
	close_loader(&l);
	assert_false(is_mapped("fake_b.so"));
}

/* K-14 */
static void
test_libraries_stay_when_so_told(void **state)
{
	static char keep[] = "VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING=1";
	struct loader l;

	use_both_fakes();
	put_variable(keep);
	open_loader(&l);
	make_instance(&l, NULL);
	end_instance(&l);
	close_loader(&l);
	assert_true(is_mapped("fake_a.so"));
}

/* K-15, Q-02: nothing that a variable says is believed. */
static void
test_elevated_process(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	elevated = true;
	assert_int_equal(
		create(&l, VK_API_VERSION_1_1, NULL, 0, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_int_equal(fakes.a->instances_created, 0);
	elevated = false;
	make_instance(&l, NULL);
	assert_int_equal(fakes.a->instances_created, 1);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-36 */
static void
test_no_driver_is_told(void **state)
{
	struct loader l;

	use_no_drivers();
	open_loader(&l);
	assert_int_equal(
		create(&l, VK_API_VERSION_1_1, NULL, 0, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_non_null(strstr(heard, "ERROR vkCreateInstance: Found no drivers!"));
	close_loader(&l);
}

/* K-19: the flag and the extension, and advice when one is missing. */
static void
test_portability_needs_both(void **state)
{
	const VkInstanceCreateFlags flag = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
	const uint32_t version = VK_API_VERSION_1_1;
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_no_drivers();
	set_variable("VK_DRIVER_FILES", manifest("portable.json", TEST_FAKE_A, "1.1", true));
	open_loader(&l);
	assert_int_equal(create(&l, version, NULL, 0, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_non_null(strstr(
		heard, " flags and enable the VK_KHR_portability_enumeration instance extension."));
	assert_int_equal(create(&l, version, NULL, flag, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_non_null(strstr(heard, "[VUID-VkInstanceCreateInfo-flags-06559 ]"));
	assert_int_equal(
		create(&l, version, PORTABILITY_NAME, 0, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_non_null(strstr(heard, "bit in the VkInstanceCreateInfo flags.\n"));
	assert_int_equal(fakes.a->instances_created, 0);
	assert_int_equal(create(&l, version, PORTABILITY_NAME, flag | 4, NULL), VK_SUCCESS);
	assert_null(strstr(heard, "ERROR"));
	/* The driver doesn't know the extension, so it doesn't get the flag either. */
	assert_int_equal(fakes.a->seen_flags, 4);
	end_instance(&l);
	fakes.a->instance_extensions[0] = PORTABILITY_NAME;
	assert_int_equal(create(&l, version, PORTABILITY_NAME, flag | 4, NULL), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_flags, flag | 4);
	assert_int_equal(fakes.a->seen_instance_extension_count, 1);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-19: silent when there is another. */
static void
test_portability_beside_another(void **state)
{
	struct fakes fakes;
	struct loader l;
	char files[1024];

	open_fakes(&fakes);
	use_no_drivers();
	snprintf(files, sizeof(files), "%s", manifest("portable.json", TEST_FAKE_A, "1.1", true));
	strcat(files, ":");
	strcat(files, manifest("usual.json", TEST_FAKE_B, "1.1", false));
	set_variable("VK_DRIVER_FILES", files);
	open_loader(&l);
	assert_int_equal(create(&l, VK_API_VERSION_1_1, NULL, 0, NULL), VK_SUCCESS);
	assert_null(strstr(heard, "ERROR"));
	assert_null(strstr(heard, "WARNING"));
	assert_int_equal(fakes.a->instances_created, 0);
	assert_int_equal(fakes.b->instances_created, 1);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-36: a manifest that promises more than the driver keeps, and one that promises less. */
static void
test_version_of_the_manifest(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	fakes.a->api_version = 0;
	use_no_drivers();
	set_variable("VK_DRIVER_FILES", manifest("x.json", TEST_FAKE_A, "1.1", false));
	open_loader(&l);
	assert_int_equal(create(&l, VK_API_VERSION_1_2, NULL, 0, NULL), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_api_version, VK_API_VERSION_1_0);
	assert_non_null(strstr(
		heard, "does not support vkEnumerateInstanceVersion, treating as a 1.0 ICD"));
	end_instance(&l);
	fakes.a->api_version = VK_API_VERSION_1_0;
	assert_int_equal(create(&l, VK_API_VERSION_1_2, NULL, 0, NULL), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_api_version, VK_API_VERSION_1_0);
	assert_non_null(
		strstr(heard, "vkEnumerateInstanceVersion returned 1.0, treating as a 1.0 ICD"));
	end_instance(&l);
	fakes.a->api_version = VK_API_VERSION_1_3;
	set_variable("VK_DRIVER_FILES", manifest("x.json", TEST_FAKE_A, "1.0", false));
	assert_int_equal(create(&l, VK_API_VERSION_1_2, NULL, 0, NULL), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_api_version, VK_API_VERSION_1_0);
	assert_null(strstr(heard, "treating as"));
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-18, K-50: surfaces of a driver whose interface version leaves them to the loader. */
static void
test_surfaces_before_their_version(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	for (uint32_t version = 2; version < 4; version++) {
		fakes.a->interface_version = version;
		assert_int_equal(create(&l, VK_API_VERSION_1_0, NULL, 0, NULL), VK_SUCCESS);
		assert_int_equal(strstr(heard, "(Policy #LDP_DRIVER_8)") != NULL, version < 3);
		end_instance(&l);
		close_loader(&l);
		open_loader(&l);
	}
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-36, K-20: device_configurations need what 1.1 has. */
static void
test_version_with_device_configurations(void **state)
{
	char path[1024];
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_no_drivers();
	snprintf(path, sizeof(path), "%s/vulkan", kr_test_dir());
	mkdir(path, 0700);
	strcat(path, "/icd.d");
	mkdir(path, 0700);
	manifest("vulkan/icd.d/x.json", TEST_FAKE_A, "1.1", false);
	snprintf(path, sizeof(path), "%s/vulkan/loader_settings.d", kr_test_dir());
	mkdir(path, 0700);
	kr_test_file("vulkan/loader_settings.d/vk_loader_settings.json",
		"{\"file_format_version\": \"1.0.0\", \"settings\": {\"device_configurations\": "
		"[{\"deviceName\": \"a\", \"driverName\": \"none\"}]}}");
	open_loader(&l);
	assert_int_equal(create(&l, VK_API_VERSION_1_0, NULL, 0, NULL), VK_SUCCESS);
	/* VK_DRIVER_FILES, which names nothing, is ignored too. */
	assert_int_equal(fakes.a->seen_api_version, VK_API_VERSION_1_1);
	end_instance(&l);
	fakes.a->api_version = VK_API_VERSION_1_0;
	assert_int_equal(create(&l, VK_API_VERSION_1_0, NULL, 0, NULL), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_api_version, VK_API_VERSION_1_0);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-36 */
static void
test_odd_versions_of_the_application(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_both_fakes();
	open_loader(&l);
	assert_int_equal(create(&l, 1, NULL, 0, NULL), VK_SUCCESS);
	assert_non_null(strstr(heard, "ERROR VkInstanceCreateInfo::pApplicationInfo::apiVersion"));
	assert_non_null(strstr(heard, "[VUID-VkApplicationInfo-apiVersion]"));
	end_instance(&l);
	assert_int_equal(create(&l, VK_MAKE_API_VERSION(1, 1, 0, 0), NULL, 0, NULL), VK_SUCCESS);
	assert_non_null(strstr(heard, "WARNING vkCreateInstance: The API Variant "));
	end_instance(&l);
	assert_int_equal(create(&l, 0, NULL, 0, NULL), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_api_version, 0);
	assert_null(strstr(heard, "apiVersion"));
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

static void
test_names_that_are_null(void **state)
{
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.enabledExtensionCount = 1,
	};
	struct loader l;

	use_both_fakes();
	open_loader(&l);
	assert_int_equal(EXPORTED(&l, vkCreateInstance)(&info, NULL, &l.instance),
		VK_ERROR_EXTENSION_NOT_PRESENT);
	close_loader(&l);
}

/* K-43: two manifests of one library are one driver. */
static void
test_one_library_twice(void **state)
{
	static const char *const twice[] = {TEST_FAKE_A, TEST_FAKE_A};
	struct fakes fakes;
	struct loader l;

	open_fakes(&fakes);
	use_drivers(2, twice);
	open_loader(&l);
	assert_int_equal(create(&l, VK_API_VERSION_1_1, NULL, 0, NULL), VK_SUCCESS);
	find_devices(&l);
	assert_int_equal(l.device_count, 1);
	assert_int_equal(fakes.a->instances, 1);
	assert_non_null(strstr(heard, "driver1.json: "));
	assert_non_null(strstr(heard, "driver0.json, which is used already"));
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-18: its vkGetInstanceProcAddr would be called for ever. */
static void
test_loader_is_no_driver(void **state)
{
	static const char *const ourselves[] = {TEST_LIBVULKAN};
	struct loader l;

	use_drivers(1, ourselves);
	open_loader(&l);
	assert_int_equal(
		create(&l, VK_API_VERSION_1_1, NULL, 0, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_non_null(strstr(heard, "but a loader's vkGetInstanceProcAddr"));
	close_loader(&l);
}

static bool version_fails;

static VKAPI_ATTR VkResult VKAPI_CALL
fail_version(uint32_t *version)
{
	*version = VK_API_VERSION_1_3;
	return VK_ERROR_INITIALIZATION_FAILED;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
direct_gipa(VkInstance instance, const char *name)
{
	if (version_fails && !strcmp(name, "vkEnumerateInstanceVersion"))
		return (PFN_vkVoidFunction)fail_version;
	return fake_b_direct(instance, name);
}

static const VkDirectDriverLoadingInfoLUNARG direct_info = {
	.sType = VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_INFO_LUNARG,
	.pfnGetInstanceProcAddr = direct_gipa,
};
static const VkDirectDriverLoadingListLUNARG inclusive = {
	.sType = VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG,
	.mode = VK_DIRECT_DRIVER_LOADING_MODE_INCLUSIVE_LUNARG,
	.driverCount = 1,
	.pDrivers = &direct_info,
};

/* fake_a by its manifest, fake_b directly. */
static void
open_direct(struct fakes *fakes, struct loader *l)
{
	static const char *const one[] = {TEST_FAKE_A};

	open_fakes(fakes);
	use_drivers(1, one);
	open_loader(l);
}

/* K-37 */
static void
test_direct_drivers(void **state)
{
	VkDirectDriverLoadingListLUNARG exclusive = inclusive;
	const uint32_t version = VK_API_VERSION_1_1;
	struct fakes fakes;
	struct loader l;

	open_direct(&fakes, &l);
	exclusive.mode = VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG;
	assert_int_equal(create(&l, version, DIRECT_NAME, 0, &inclusive), VK_SUCCESS);
	find_devices(&l);
	assert_int_equal(l.device_count, 2);
	end_instance(&l);
	assert_int_equal(create(&l, version, DIRECT_NAME, 0, &exclusive), VK_SUCCESS);
	find_devices(&l);
	assert_int_equal(l.device_count, 1);
	assert_int_equal(fakes.a->instances, 0);
	assert_int_equal(fakes.b->instances, 1);
	assert_non_null(strstr(heard, "VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, skipping"));
	end_instance(&l);
	/* Nothing of it stays for the next instance. */
	assert_int_equal(create(&l, version, NULL, 0, NULL), VK_SUCCESS);
	find_devices(&l);
	assert_int_equal(l.device_count, 1);
	assert_int_equal(fakes.a->instances, 1);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-36: a driver that can't say its version is one of 1.0, whatever it wrote. */
static void
test_version_that_fails(void **state)
{
	struct fakes fakes;
	struct loader l;

	open_direct(&fakes, &l);
	version_fails = true;
	assert_int_equal(create(&l, VK_API_VERSION_1_2, DIRECT_NAME, 0, &inclusive), VK_SUCCESS);
	assert_int_equal(fakes.b->seen_api_version, VK_API_VERSION_1_0);
	end_instance(&l);
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-37 */
static void
test_direct_drivers_and_their_extension(void **state)
{
	const uint32_t version = VK_API_VERSION_1_1;
	struct fakes fakes;
	struct loader l;

	open_direct(&fakes, &l);
	assert_int_equal(create(&l, version, NULL, 0, &inclusive), VK_SUCCESS);
	assert_int_equal(fakes.b->instances, 0);
	assert_non_null(strstr(heard, "extension was not enabled."));
	end_instance(&l);
	assert_int_equal(create(&l, version, DIRECT_NAME, 0, NULL), VK_SUCCESS);
	/* No warning to a program that enables all there is, as vulkaninfo does. */
	assert_non_null(strstr(heard, "\nloader_scan_for_direct_drivers: "));
	assert_non_null(strstr(heard, "did not contain the VkDirectDriverLoadingListLUNARG"));
	end_instance(&l);
	use_no_drivers();
	assert_int_equal(create(&l, version, DIRECT_NAME, 0, NULL), VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_non_null(strstr(heard, "WARNING loader_scan_for_direct_drivers: "));
	close_loader(&l);
	close_fakes(&fakes);
}

/* K-37 */
static void
test_direct_lists_without_drivers(void **state)
{
	VkDirectDriverLoadingListLUNARG list = inclusive;
	struct fakes fakes;
	struct loader l;

	open_direct(&fakes, &l);
	list.pDrivers = NULL;
	assert_int_equal(create(&l, VK_API_VERSION_1_1, DIRECT_NAME, 0, &list), VK_SUCCESS);
	assert_non_null(strstr(heard, "has a NULL pDrivers member."));
	end_instance(&l);
	list.pDrivers = &direct_info;
	list.driverCount = 0;
	list.mode = VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG;
	assert_int_equal(create(&l, VK_API_VERSION_1_1, DIRECT_NAME, 0, &list),
		VK_ERROR_INCOMPATIBLE_DRIVER);
	assert_non_null(strstr(heard, "driverCount member with a value of zero."));
	close_loader(&l);
	close_fakes(&fakes);
}

static const struct kr_test tests[] = {
	KR_TEST(test_searched_at_each_call),
	KR_TEST_FLAGS(test_libraries_stay_when_so_told, KR_TEST_KEEPS_MEMORY),
	KR_TEST(test_elevated_process),
	KR_TEST(test_no_driver_is_told),
	KR_TEST(test_portability_needs_both),
	KR_TEST(test_portability_beside_another),
	KR_TEST(test_version_of_the_manifest),
	KR_TEST(test_surfaces_before_their_version),
	KR_TEST(test_version_with_device_configurations),
	KR_TEST(test_odd_versions_of_the_application),
	KR_TEST(test_names_that_are_null),
	KR_TEST(test_one_library_twice),
	KR_TEST(test_loader_is_no_driver),
	KR_TEST(test_direct_drivers),
	KR_TEST(test_version_that_fails),
	KR_TEST(test_direct_drivers_and_their_extension),
	KR_TEST(test_direct_lists_without_drivers),
};

KR_TEST_MAIN(tests)
