/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices are listed, in which order, alone and in groups. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "support.h"

static const char *const no_names[] = {NULL};

/* The devices' names, one after the other. */
static const char *
names(const struct loader *l)
{
	static char all[64];

	*all = '\0';
	for (uint32_t i = 0; i < l->device_count; i++) {
		VkPhysicalDeviceProperties properties;

		EXPORTED(l, vkGetPhysicalDeviceProperties)(l->devices[i], &properties);
		strcat(all, properties.deviceName);
	}
	return all;
}

static void
begin(struct fakes *fakes, struct loader *l)
{
	open_fakes(fakes);
	fakes->a->device_extensions[0] = fakes->b->device_extensions[0] = "VK_EXT_pci_bus_info";
	fakes->a->device_extensions[1] = fakes->b->device_extensions[1] =
		"VK_KHR_driver_properties";
	use_both_fakes();
	open_loader(l);
}

static void
end(struct fakes *fakes, struct loader *l)
{
	close_loader(l);
	close_fakes(fakes);
}

static VkResult
list(struct loader *l)
{
	l->device_count = KR_ARRAY_LEN(l->devices);
	return EXPORTED(l, vkEnumeratePhysicalDevices)(l->instance, &l->device_count, l->devices);
}

static void
expect(struct loader *l, const char *order)
{
	make_instance(l, no_names);
	assert_string_equal(names(l), order);
	end_instance(l);
}

static void
expect_of_1_0(struct loader *l, const char *order)
{
	assert_int_equal(try_instance(l, VK_API_VERSION_1_0, no_names), VK_SUCCESS);
	find_devices(l);
	assert_string_equal(names(l), order);
	end_instance(l);
}

/* K-35 */
static void
test_room(void **state)
{
	struct fakes fakes;
	struct loader l;
	VkPhysicalDevice few[2] = {VK_NULL_HANDLE};
	uint32_t count = 1;

	begin(&fakes, &l);
	fakes.a->device_count = 2;
	make_instance(&l, no_names);
	assert_int_equal(l.device_count, 3);
	assert_int_equal(
		EXPORTED(&l, vkEnumeratePhysicalDevices)(l.instance, &count, few), VK_INCOMPLETE);
	assert_int_equal(count, 1);
	assert_ptr_equal(few[0], l.devices[0]);
	assert_null(few[1]);
	count = 9;
	assert_int_equal(
		EXPORTED(&l, vkEnumeratePhysicalDevices)(l.instance, &count, NULL), VK_SUCCESS);
	assert_int_equal(count, 3);
	end_instance(&l);
	end(&fakes, &l);
}

/* K-35 */
static void
test_no_devices_at_all(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	fakes.a->device_count = 0;
	make_instance(&l, no_names);
	assert_string_equal(names(&l), "b");
	fakes.b->device_count = 0;
	assert_int_equal(list(&l), VK_ERROR_INITIALIZATION_FAILED);
	/* It has one again: the instance in the driver is kept. */
	fakes.a->device_count = 1;
	assert_int_equal(list(&l), VK_SUCCESS);
	assert_string_equal(names(&l), "a");
	end_instance(&l);
	end(&fakes, &l);
}

/* K-35 */
static void
test_failing_driver(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	fakes.a->enumerate_result = VK_ERROR_INITIALIZATION_FAILED;
	make_instance(&l, no_names);
	assert_string_equal(names(&l), "b");
	fakes.a->enumerate_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(list(&l), VK_ERROR_OUT_OF_HOST_MEMORY);
	end_instance(&l);
	end(&fakes, &l);
}

static void
describe(struct fakes *fakes)
{
	fakes->a->device_count = fakes->b->device_count = 3;
	fakes->a->about[0] =
		(struct fake_device){"C", VK_PHYSICAL_DEVICE_TYPE_CPU, 1, 0x11, 0, 1, 1};
	fakes->a->about[1] =
		(struct fake_device){"I", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, 2, 0x12, 3, 2, 1};
	fakes->a->about[2] =
		(struct fake_device){"D", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 2, 0x13, 7, 3, 1};
	fakes->b->about[0] =
		(struct fake_device){"d", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 3, 0x14, 5, 4, 2};
	fakes->b->about[1] =
		(struct fake_device){"v", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, 3, 0x15, 0, 5, 2};
	fakes->b->about[2] =
		(struct fake_device){"o", VK_PHYSICAL_DEVICE_TYPE_OTHER, 3, 0x16, 0, 6, 2};
	fakes->a->about[0].driver_id = fakes->a->about[1].driver_id = fakes->a->about[2].driver_id =
		VK_DRIVER_ID_MESA_RADV;
	fakes->b->about[0].driver_id = fakes->b->about[1].driver_id = fakes->b->about[2].driver_id =
		VK_DRIVER_ID_NVIDIA_PROPRIETARY;
}

/* K-34 */
static void
test_order(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	describe(&fakes);
	expect(&l, "dDIvoC");
	/* By the ids when nothing else decides: devices with a place on the bus come first. */
	fakes.b->device_extensions[0] = "VK_KHR_driver_properties";
	expect(&l, "DdIvoC");
	fakes.a->device_extensions[0] = "VK_KHR_driver_properties";
	fakes.b->about[0].device_id = 0x10;
	expect(&l, "DdIvoC");
	fakes.b->about[0].device_id = 0x12;
	expect(&l, "DdIvoC");
	fakes.a->about[2].device_id = 0x23;
	expect(&l, "dDIvoC");
	end(&fakes, &l);
}

/* K-12, K-34 */
static void
test_order_of_drivers(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	describe(&fakes);
	set_variable("VK_LOADER_DISABLE_SELECT", "0");
	expect(&l, "dDIvoC");
	set_variable("VK_LOADER_DISABLE_SELECT", "1");
	expect(&l, "dvoCID");
	/* Without queries that tell enough there is no order either. */
	set_variable("VK_LOADER_DISABLE_SELECT", "");
	fakes.a->no_properties2 = true;
	expect(&l, "dDIvoC");
	fakes.b->no_properties2 = true;
	expect(&l, "dvoCID");
	/* Nor where 1.1's may not be used; the extension is enabled for it. */
	fakes.a->no_properties2 = fakes.b->no_properties2 = false;
	expect_of_1_0(&l, "dvoCID");
	fakes.a->instance_extensions[0] = "VK_KHR_get_physical_device_properties2";
	expect_of_1_0(&l, "DdIvoC");
	end(&fakes, &l);
}

/* K-11 */
static void
test_selected_device(void **state)
{
	static const struct {
		const char *value, *order;
	} cases[] = {
		{"1:11", "CdDIvo"},
		{"0x3:0x16", "odDIvC"},
		{"0x0003:0x0016", "odDIvC"},
		{"3:99", "dDIvoC"},
		{"C", "dDIvoC"},
	};
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	describe(&fakes);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		set_variable("VK_LOADER_DEVICE_SELECT", cases[i].value);
		expect(&l, cases[i].order);
	}
	end(&fakes, &l);
}

static void
list_groups(struct loader *l, const char *expected)
{
	VkPhysicalDeviceGroupProperties groups[8] = {0};
	char text[64] = "";
	uint32_t count = 8;

	for (int i = 0; i < 8; i++)
		groups[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
	make_instance(l, no_names);
	assert_int_equal(EXPORTED(l, vkEnumeratePhysicalDeviceGroups)(l->instance, &count, groups),
		VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		l->device_count = groups[i].physicalDeviceCount;
		memcpy(l->devices, groups[i].physicalDevices, sizeof(l->devices));
		strcat(strcat(text, names(l)), " ");
	}
	assert_string_equal(text, expected);
	count = KR_MIN(count, 1u);
	assert_int_equal(EXPORTED(l, vkEnumeratePhysicalDeviceGroups)(l->instance, &count, groups),
		count ? VK_INCOMPLETE : VK_SUCCESS);
	assert_int_equal(count, *expected ? 1 : 0);
	end_instance(l);
}

/* K-13 */
static void
test_id_filters(void **state)
{
	static const struct {
		const char *variable, *value, *order;
	} cases[] = {
		{"VK_LOADER_DEVICE_ID_FILTER", "0x13", "D"},
		{"VK_LOADER_DEVICE_ID_FILTER", "17,0x15:0x16", "voC"},
		{"VK_LOADER_VENDOR_ID_FILTER", "1:2", "DIC"},
		{"VK_LOADER_DRIVER_ID_FILTER", "3", "DIC"},
		{"VK_LOADER_DRIVER_ID_FILTER", "4", "dvo"},
	};
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	describe(&fakes);
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		set_variable(cases[i].variable, cases[i].value);
		expect(&l, cases[i].order);
		set_variable(cases[i].variable, "");
	}
	/* Who asks for ids that nothing has gets nothing, without an error. */
	set_variable("VK_LOADER_DEVICE_ID_FILTER", "0x99");
	expect(&l, "");
	list_groups(&l, "");
	/* Also where a device is alone. */
	fakes.a->device_count = 0;
	fakes.b->device_count = 1;
	expect(&l, "");
	fakes.b->device_count = 0;
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, no_names), VK_SUCCESS);
	assert_int_equal(list(&l), VK_ERROR_INITIALIZATION_FAILED);
	end_instance(&l);
	end(&fakes, &l);
}

/*
 * K-13: devices that say of no extension or version that they know their driver's id
 * are asked for it.
 */
static void
test_driver_ids_of_old_devices(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	describe(&fakes);
	fakes.a->device_extensions[1] = fakes.b->device_extensions[1] = NULL;
	fakes.a->api_version = fakes.b->api_version = VK_API_VERSION_1_1;
	expect(&l, "dDIvoC");
	set_variable("VK_LOADER_DRIVER_ID_FILTER", "3");
	expect(&l, "DIC");
	/* The order stays that of the drivers where nothing else may be asked. */
	expect_of_1_0(&l, "CID");
	fakes.a->no_properties2 = true;
	expect_of_1_0(&l, "");
	end(&fakes, &l);
}

/* K-43 */
static void
test_twins(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	/* Two copies of a driver, which gives all its devices one UUID. */
	fakes.a->device_count = fakes.b->device_count = 2;
	for (int i = 0; i < 2; i++) {
		fakes.a->about[i] = (struct fake_device){"L", VK_PHYSICAL_DEVICE_TYPE_CPU, 1, 2};
		fakes.a->about[i].device_uuid = fakes.a->about[i].driver_uuid = 9;
		fakes.b->about[i] = fakes.a->about[i];
	}
	expect(&l, "LL");
	/* One has a device more. */
	fakes.b->device_count = 3;
	fakes.b->about[2] = fakes.b->about[1];
	expect(&l, "LLL");
	/* Two drivers for one device. */
	for (int i = 0; i < 3; i++)
		fakes.b->about[i].driver_uuid = 8;
	expect(&l, "LLLLL");
	/* UUIDs that nobody set mean nothing. */
	for (int i = 0; i < 3; i++) {
		fakes.a->about[i].device_uuid = fakes.a->about[i].driver_uuid = 0;
		fakes.b->about[i].device_uuid = fakes.b->about[i].driver_uuid = 0;
	}
	expect(&l, "LLLLL");
	end(&fakes, &l);
}

/* K-13, K-34, K-35: fake_a has one group of all its devices, of fake_b's each is one. */
static void
test_groups(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	describe(&fakes);
	fakes.b->no_groups = true;
	list_groups(&l, "d DIC v o ");
	set_variable("VK_LOADER_DEVICE_SELECT", "1:11");
	list_groups(&l, "CDI d v o ");
	set_variable("VK_LOADER_DEVICE_SELECT", "");
	set_variable("VK_LOADER_DEVICE_ID_FILTER", "0x11,0x12,0x16");
	list_groups(&l, "IC o ");
	set_variable("VK_LOADER_DEVICE_ID_FILTER", "");
	set_variable("VK_LOADER_DISABLE_SELECT", "1");
	list_groups(&l, "d v o CID ");
	end(&fakes, &l);
}

/* K-35: what is chained reaches the driver whose group it becomes. */
static void
test_chains_of_groups(void **state)
{
	VkPhysicalDeviceGroupProperties groups[3] = {0};
	VkBaseOutStructure chained[3] = {0};
	struct fakes fakes;
	struct loader l;
	uint32_t count = 3;

	begin(&fakes, &l);
	describe(&fakes);
	fakes.a->device_count = fakes.b->device_count = 1; /* b's comes first */
	for (int i = 0; i < 3; i++) {
		groups[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
		groups[i].pNext = &chained[i];
	}
	make_instance(&l, no_names);
	assert_int_equal(EXPORTED(&l, vkEnumeratePhysicalDeviceGroups)(l.instance, &count, groups),
		VK_SUCCESS);
	assert_int_equal(count, 2);
	assert_ptr_equal(fakes.b->seen_group_chain, &chained[0]);
	assert_ptr_equal(fakes.a->seen_group_chain, &chained[1]);
	end_instance(&l);
	end(&fakes, &l);
}

/* K-35: a group that is chained behind a structure that nobody knows. */
static void
test_device_of_a_group(void **state)
{
	VkDeviceGroupDeviceCreateInfo group = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
		.physicalDeviceCount = 2,
	};
	VkBaseInStructure future = {100000, (const VkBaseInStructure *)&group};
	struct fakes fakes;
	struct loader l;
	VkDevice device;

	begin(&fakes, &l);
	fakes.a->device_count = 2;
	make_instance(&l, no_names);
	group.pPhysicalDevices = l.devices;
	assert_int_equal(try_device(&l, l.devices[0], no_names, &future, &device), VK_SUCCESS);
	assert_int_equal(fakes.a->seen_group_count, 2);
	assert_ptr_equal(fakes.a->seen_group[0], fakes.a->physical_devices[0]);
	assert_ptr_equal(fakes.a->seen_group[1], fakes.a->physical_devices[1]);
	assert_ptr_equal(group.pPhysicalDevices, l.devices);
	end_device(&l, device);
	end_instance(&l);
	end(&fakes, &l);
}

/* In a standard directory: the settings file's devices go before VK_DRIVER_FILES. */
static void
install_fakes(const char *version)
{
	static const char *const paths[] = {TEST_FAKE_A, TEST_FAKE_B};
	char dir[256];

	snprintf(dir, sizeof(dir), "%s/vulkan", kr_test_dir());
	mkdir(dir, 0700);
	snprintf(dir, sizeof(dir), "%s/vulkan/icd.d", kr_test_dir());
	mkdir(dir, 0700);
	for (int i = 0; i < 2; i++) {
		char name[64], text[1024];

		snprintf(name, sizeof(name), "vulkan/icd.d/fake%d.json", i);
		snprintf(text, sizeof(text),
			"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": \"%s\", "
			"\"api_version\": \"%s\"}}",
			paths[i], version);
		kr_test_file(name, text);
	}
}

static void
write_settings(const char *devices)
{
	char dir[256], text[2048];

	snprintf(dir, sizeof(dir), "%s/vulkan", kr_test_dir());
	mkdir(dir, 0700);
	snprintf(dir, sizeof(dir), "%s/vulkan/loader_settings.d", kr_test_dir());
	mkdir(dir, 0700);
	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.0\", \"settings\": {\"device_configurations\": "
		"[%s]}}",
		devices);
	kr_test_file("vulkan/loader_settings.d/vk_loader_settings.json", text);
}

#define UUID(b)                                                                                    \
	"[" b "," b "," b "," b "," b "," b "," b "," b "," b "," b "," b "," b "," b "," b "," b  \
	"," b "]"
#define RULE(device, driver)                                                                       \
	"{\"deviceUUID\": " UUID(device) ", \"driverUUID\": " UUID(driver) ", \"driverVersion\": " \
									   "0}"

/* K-20: the settings file's list decides, in groups too. */
static void
test_settings(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	describe(&fakes);
	fakes.b->no_groups = true;
	install_fakes("1.1.0");
	write_settings(RULE("6", "2") "," RULE("1", "1") "," RULE("4", "2") "," RULE("7", "7"));
	expect(&l, "oCd");
	expect_of_1_0(&l, "oCd");
	list_groups(&l, "o C d ");
	/* Also of drivers whose manifests are older than they are. */
	install_fakes("1.0.0");
	expect(&l, "oCd");
	expect_of_1_0(&l, "oCd");
	write_settings(RULE("7", "7"));
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, no_names), VK_SUCCESS);
	assert_int_equal(list(&l), VK_ERROR_INITIALIZATION_FAILED);
	end_instance(&l);
	end(&fakes, &l);
}

static const struct kr_test tests[] = {
	KR_TEST(test_room),
	KR_TEST(test_no_devices_at_all),
	KR_TEST(test_failing_driver),
	KR_TEST(test_order),
	KR_TEST(test_order_of_drivers),
	KR_TEST(test_selected_device),
	KR_TEST(test_id_filters),
	KR_TEST(test_driver_ids_of_old_devices),
	KR_TEST(test_twins),
	KR_TEST(test_groups),
	KR_TEST(test_chains_of_groups),
	KR_TEST(test_device_of_a_group),
	KR_TEST(test_settings),
};

KR_TEST_MAIN(tests)
