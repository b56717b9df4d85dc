/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that the application hands over (VK_LUNARG_direct_driver_loading). */
#include "support.h"

#include <dlfcn.h>
#include <string.h>

static void *dso;

static VkDirectDriverLoadingInfoLUNARG
info_of(const char *name)
{
	VkDirectDriverLoadingInfoLUNARG info = {
		.sType = VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_INFO_LUNARG,
		.flags = 0x55,
	};

	dso = dlopen(built(name), RTLD_NOW | RTLD_LOCAL);
	assert_non_null(dso);
	info.pfnGetInstanceProcAddr =
		(PFN_vkGetInstanceProcAddrLUNARG)dlsym(dso, "vk_icdGetInstanceProcAddr");
	return info;
}

static void
end(struct kr_driver_list *list)
{
	end_discovery(list);
	if (dso)
		dlclose(dso);
	free_support();
}

/* K-37 */
static void
beside_the_others(void **state)
{
	VkDirectDriverLoadingInfoLUNARG info = info_of("icd_v7_by_gipa.so");
	VkDirectDriverLoadingListLUNARG direct = {
		.mode = VK_DIRECT_DRIVER_LOADING_MODE_INCLUSIVE_LUNARG,
		.driverCount = 1,
		.pDrivers = &info,
	};
	struct kr_driver_list list;
	struct kr_driver *driver;

	set_variable("VK_DRIVER_FILES", put_manifest("x.json", built("icd_v5.so"), "1.1"));
	options.direct = &direct;
	discover(&list);
	assert_int_equal(count_drivers(&list), 2);
	assert_int_equal(driver_at(&list, 1)->source, KR_DRIVER_MANIFEST);
	driver = driver_at(&list, 0);
	assert_int_equal(driver->source, KR_DRIVER_DIRECT);
	assert_int_equal(driver->interface_version, 7);
	assert_int_equal(driver->direct_flags, 0x55);
	assert_null(driver->library);
	assert_non_null(driver->get_physical_device_proc_addr);
	assert_non_null(driver->create_instance);
	assert_non_null(strstr(heard, "Adding driver found in index 0 of "));
	assert_true(candidate_at(&list, 0)->used);
	end(&list);
}

/* K-37 */
static void
instead_of_the_others(void **state)
{
	VkDirectDriverLoadingInfoLUNARG info = info_of("icd_v7_by_gipa.so");
	VkDirectDriverLoadingListLUNARG direct = {
		.mode = VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG,
		.driverCount = 1,
		.pDrivers = &info,
	};
	struct kr_driver_list list;

	set_variable("VK_DRIVER_FILES", put_manifest("x.json", built("icd_v5.so"), "1.1"));
	options.direct = &direct;
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_int_equal(driver_at(&list, 0)->source, KR_DRIVER_DIRECT);
	assert_null(strstr(heard, "Opening driver"));
	end(&list);
	/* Also when the list has nothing: not even the stub. */
	direct.driverCount = 0;
	dso = NULL;
	discover(&list);
	assert_int_equal(count_drivers(&list), 0);
	end(&list);
}

/* K-37, K-43: a driver by manifest and directly are two. */
static void
same_library_by_manifest(void **state)
{
	VkDirectDriverLoadingInfoLUNARG info = info_of("icd_v7_by_gipa.so");
	VkDirectDriverLoadingListLUNARG direct = {
		.mode = VK_DIRECT_DRIVER_LOADING_MODE_INCLUSIVE_LUNARG,
		.driverCount = 1,
		.pDrivers = &info,
	};
	struct kr_driver_list list;

	set_variable("VK_DRIVER_FILES", put_manifest("x.json", built("icd_v7_by_gipa.so"), "1.1"));
	options.direct = &direct;
	discover(&list);
	assert_int_equal(count_drivers(&list), 2);
	assert_false(kr_driver_is_same(driver_at(&list, 0), driver_at(&list, 1)));
	end(&list);
}

static void
expect_skipped(const VkDirectDriverLoadingInfoLUNARG *bad, const char *cause)
{
	VkDirectDriverLoadingInfoLUNARG infos[2] = {*bad, info_of("icd_v7_by_gipa.so")};
	VkDirectDriverLoadingListLUNARG direct = {
		.mode = VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG,
		.driverCount = 2,
		.pDrivers = infos,
	};
	struct kr_driver_list list;

	options.direct = &direct;
	discover(&list);
	assert_int_equal(count_drivers(&list), 1);
	assert_int_equal(candidate_at(&list, 0)->verdict, KR_CANDIDATE_NO_DRIVER);
	assert_non_null(strstr(candidate_at(&list, 0)->reason, cause));
	assert_non_null(strstr(heard, "ERROR loader_add_direct_driver: "));
	assert_true(candidate_at(&list, 1)->used);
	end(&list);
}

/* K-37 */
static void
without_function(void **state)
{
	const VkDirectDriverLoadingInfoLUNARG bad = {
		.sType = VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_INFO_LUNARG,
	};

	expect_skipped(&bad, "at index 0 contains a NULL pointer");
}

static VKAPI_ATTR VkResult VKAPI_CALL
negotiate_4(uint32_t *version)
{
	*version = 4;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
negotiate_7(uint32_t *version)
{
	return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
find_in_old(VkInstance instance, const char *name)
{
	if (!strcmp(name, "vk_icdNegotiateLoaderICDInterfaceVersion"))
		return (PFN_vkVoidFunction)negotiate_4;
	return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
find_in_empty(VkInstance instance, const char *name)
{
	if (!strcmp(name, "vk_icdNegotiateLoaderICDInterfaceVersion"))
		return (PFN_vkVoidFunction)negotiate_7;
	return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
find_nothing(VkInstance instance, const char *name)
{
	return NULL;
}

/* K-37 */
static void
of_an_older_interface(void **state)
{
	VkDirectDriverLoadingInfoLUNARG bad = {.pfnGetInstanceProcAddr = find_in_old};

	expect_skipped(&bad, "at index 0 supports interface version 4, which is incompatible");
	bad.pfnGetInstanceProcAddr = find_nothing;
	expect_skipped(&bad, "Could not get 'vk_icdNegotiateLoaderICDInterfaceVersion'");
}

/* K-37 */
static void
without_what_it_must_have(void **state)
{
	const VkDirectDriverLoadingInfoLUNARG bad = {.pfnGetInstanceProcAddr = find_in_empty};

	expect_skipped(&bad, "Could not get 'vkEnumerateInstanceExtensionProperties'");
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(beside_the_others),
	CASE(instead_of_the_others),
	CASE(same_library_by_manifest),
	CASE(without_function),
	CASE(of_an_older_interface),
	CASE(without_what_it_must_have),
};

KR_TEST_MAIN(tests)
