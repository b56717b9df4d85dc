/* SPDX-License-Identifier: Apache-2.0 */
/* Instance extensions: whose names are offered, which can be enabled, and who gets them. */
#include <string.h>

#include "support.h"

static const char *const no_names[] = {NULL};

static uint32_t
list(const struct loader *l, VkExtensionProperties *out, uint32_t room)
{
	assert_int_equal(
		EXPORTED(l, vkEnumerateInstanceExtensionProperties)(NULL, &room, out), VK_SUCCESS);
	return room;
}

/* What the loader adds, at the end and in this order. */
static const char *const loaders_own[] = {"VK_EXT_debug_report", "VK_EXT_debug_utils",
	"VK_KHR_portability_enumeration", "VK_LUNARG_direct_driver_loading"};

/* The fakes, without what surfaces of the loader's own need. */
static void
begin(struct fakes *fakes, struct loader *l)
{
	open_fakes(fakes);
	fakes->a->shares_no_memory = fakes->b->shares_no_memory = true;
	/* From 1.1 on every driver can. */
	fakes->a->api_version = fakes->b->api_version = VK_API_VERSION_1_0;
	use_both_fakes();
	open_loader(l);
}

static void
end(struct fakes *fakes, struct loader *l)
{
	close_loader(l);
	close_fakes(fakes);
}

static void
expect(const struct loader *l, uint32_t count, const char *const *names)
{
	VkExtensionProperties found[32];
	uint32_t total = list(l, found, 32);

	assert_int_equal(total, count + KR_ARRAY_LEN(loaders_own));
	for (uint32_t i = 0; i < count; i++)
		assert_string_equal(found[i].extensionName, names[i]);
	for (uint32_t i = 0; i < KR_ARRAY_LEN(loaders_own); i++)
		assert_string_equal(found[count + i].extensionName, loaders_own[i]);
}

/* K-31 */
static void
test_in_the_drivers_order(void **state)
{
	static const char *const expected[] = {
		"VK_EXT_validation_features", "VK_EXT_headless_surface", "VK_KHR_display"};
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	fakes.a->instance_extensions[0] = "VK_EXT_validation_features";
	fakes.a->instance_extensions[1] = "VK_EXT_headless_surface";
	fakes.a->instance_extensions[2] = "VK_EXT_debug_utils";      /* ours, where ours stand */
	fakes.b->instance_extensions[0] = "VK_EXT_headless_surface"; /* once */
	fakes.b->instance_extensions[1] = "VK_KHR_display";
	fakes.b->instance_extensions[2] = "VK_KHR_display";
	fakes.b->instance_extensions[3] = "VK_KHR_swapchain"; /* of devices */
	expect(&l, 3, expected);
	end(&fakes, &l);
}

/* K-10, K-31 */
static void
test_unknown_names(void **state)
{
	static const char *const unknown[] = {"VK_KR_nobody_knows", NULL};
	static const char *const nobodys[] = {"VK_KR_nobody_has", NULL};
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	fakes.b->instance_extensions[0] = unknown[0];
	expect(&l, 0, NULL);
	assert_int_equal(
		try_instance(&l, VK_API_VERSION_1_1, unknown), VK_ERROR_EXTENSION_NOT_PRESENT);
	set_variable("VK_LOADER_DISABLE_INST_EXT_FILTER", "0");
	expect(&l, 0, NULL);
	set_variable("VK_LOADER_DISABLE_INST_EXT_FILTER", "1");
	expect(&l, 1, unknown);
	make_instance(&l, unknown);
	assert_true(has_name(fakes.b->seen_instance_extensions,
		fakes.b->seen_instance_extension_count, unknown[0]));
	assert_int_equal(fakes.a->seen_instance_extension_count, 0);
	end_instance(&l);
	assert_int_equal(
		try_instance(&l, VK_API_VERSION_1_1, nobodys), VK_ERROR_EXTENSION_NOT_PRESENT);
	end(&fakes, &l);
}

static VkResult
create_with(struct loader *l, uint32_t count, const char *const *names)
{
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.enabledExtensionCount = count,
		.ppEnabledExtensionNames = names,
	};
	VkInstance instance;

	return EXPORTED(l, vkCreateInstance)(&info, NULL, &instance);
}

/* K-31 */
static void
test_names_that_are_none(void **state)
{
	char endless[VK_MAX_EXTENSION_NAME_SIZE + 8];
	const char *const null[] = {NULL}, *const too_long[] = {endless};
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	memset(endless, 'x', sizeof(endless));
	assert_int_equal(create_with(&l, 1, NULL), VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(create_with(&l, 1, null), VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_int_equal(create_with(&l, 1, too_long), VK_ERROR_EXTENSION_NOT_PRESENT);
	end(&fakes, &l);
}

/* K-31, L-06: a surface of ours is offered when a driver could present to it, and not before. */
static void
test_surfaces_of_our_own(void **state)
{
	static const char *const android[] = {"VK_KHR_surface", "VK_KHR_android_surface", NULL};
	static const char *const expected[] = {"VK_KHR_external_memory_capabilities",
		"VK_KHR_surface", "VK_KHR_android_surface", "VK_EXT_swapchain_colorspace",
		"VK_KHR_get_surface_capabilities2", "VK_KHR_surface_protected_capabilities",
		"VK_EXT_headless_surface", "VK_EXT_surface_maintenance1",
		"VK_GOOGLE_surfaceless_query", "VK_KHR_surface_maintenance1"};
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	expect(&l, 0, NULL);
	assert_int_equal(
		try_instance(&l, VK_API_VERSION_1_1, android), VK_ERROR_EXTENSION_NOT_PRESENT);
	fakes.b->shares_no_memory = false;
	expect(&l, KR_ARRAY_LEN(expected), expected);
	make_instance(&l, android);
	end_instance(&l);
	end(&fakes, &l);
}

static bool
is_listed(const struct loader *l, const char *name)
{
	VkExtensionProperties list[64];
	uint32_t count = KR_ARRAY_LEN(list);
	bool found = false;

	assert_int_equal(EXPORTED(l, vkEnumerateInstanceExtensionProperties)(NULL, &count, list),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++)
		found |= !strcmp(list[i].extensionName, name);
	return found;
}

/*
 * VK_GOOGLE_surfaceless_query says that all surfaces are alike: beside a driver's own, when it says
 * so, too.
 */
static void
test_surfaces_that_are_not_alike(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	fakes.b->shares_no_memory = false;
	fakes.a->instance_extensions[0] = "VK_KHR_surface";
	assert_true(is_listed(&l, "VK_GOOGLE_surfaceless_query"));
	close_loader(&l);
	fakes.a->instance_extensions[1] = "VK_KHR_xcb_surface";
	open_loader(&l);
	assert_false(is_listed(&l, "VK_GOOGLE_surfaceless_query"));
	assert_true(is_listed(&l, "VK_EXT_surface_maintenance1"));
	close_loader(&l);
	fakes.a->instance_extensions[2] = "VK_GOOGLE_surfaceless_query";
	open_loader(&l);
	assert_true(is_listed(&l, "VK_GOOGLE_surfaceless_query"));
	end(&fakes, &l);
}

/* K-31, K-34: drivers get a query for the order of devices that the application didn't ask for. */
static void
test_query_for_the_order(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	fakes.a->instance_extensions[0] = "VK_KHR_get_physical_device_properties2";
	make_instance(&l, no_names);
	assert_int_equal(fakes.a->seen_instance_extension_count, 1);
	assert_int_equal(fakes.b->seen_instance_extension_count, 0);
	assert_null(OF_INSTANCE(&l, vkGetPhysicalDeviceProperties2KHR));
	end_instance(&l);
	end(&fakes, &l);
}

static const struct kr_test tests[] = {
	KR_TEST(test_in_the_drivers_order),
	KR_TEST(test_unknown_names),
	KR_TEST(test_names_that_are_none),
	KR_TEST(test_surfaces_of_our_own),
	KR_TEST(test_surfaces_that_are_not_alike),
	KR_TEST(test_query_for_the_order),
};

KR_TEST_MAIN(tests)
