/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that come and go under live instances. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static const char *const no_names[] = {NULL};

static char *
manifest_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s.json", kr_test_dir(), name);
	return path;
}

/* As a package would: the manifest is whole when it gets its name. */
static void
install(const char *name, const char *library)
{
	char temporary[64], text[1024];

	snprintf(temporary, sizeof(temporary), "%s.new", name);
	snprintf(text, sizeof(text),
		"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": \"%s\", "
		"\"api_version\": \"1.1.0\"}}",
		library);
	assert_int_equal(rename(kr_test_file(temporary, text), manifest_path(name)), 0);
}

static void
uninstall(const char *name)
{
	assert_int_equal(unlink(manifest_path(name)), 0);
}

/* VK_DRIVER_FILES is a directory, with the manifest of fake_a.so alone. */
static void
begin(struct fakes *fakes, struct loader *l)
{
	open_fakes(fakes);
	use_no_drivers();
	set_variable("VK_DRIVER_FILES", kr_test_dir());
	install("a", TEST_FAKE_A);
	open_loader(l);
}

static void
end(struct fakes *fakes, struct loader *l)
{
	close_loader(l);
	close_fakes(fakes);
}

static uint32_t
count(struct loader *l)
{
	uint32_t n = 0;

	assert_int_equal(
		EXPORTED(l, vkEnumeratePhysicalDevices)(l->instance, &n, NULL), VK_SUCCESS);
	return n;
}

static const char *
name_of(const struct loader *l, VkPhysicalDevice device)
{
	static VkPhysicalDeviceProperties properties;

	EXPORTED(l, vkGetPhysicalDeviceProperties)(device, &properties);
	return properties.deviceName;
}

/* K-44 */
static void
test_driver_comes(void **state)
{
	static const char *const wanted[] = {"VK_KHR_surface", "VK_KHR_xcb_surface", NULL};
	struct fakes fakes;
	struct loader l, later;
	VkPhysicalDevice first;
	VkDevice device;

	begin(&fakes, &l);
	fakes.a->instance_extensions[0] = fakes.b->instance_extensions[0] = "VK_KHR_surface";
	fakes.a->instance_extensions[1] = fakes.b->instance_extensions[1] = "VK_KHR_xcb_surface";
	make_instance(&l, wanted);
	assert_int_equal(l.device_count, 1);
	first = l.devices[0];
	install("b", TEST_FAKE_B);
	/* Fetched without having been counted. */
	find_devices(&l);
	assert_int_equal(l.device_count, 2);
	assert_ptr_equal(l.devices[0], first);
	assert_string_equal(name_of(&l, l.devices[1]), "b");
	/* With what the application wanted of the others. */
	assert_int_equal(fakes.b->seen_api_version, VK_API_VERSION_1_1);
	assert_true(has_name(fakes.b->seen_instance_extensions,
		fakes.b->seen_instance_extension_count, "VK_KHR_xcb_surface"));
	device = make_device(&l, l.devices[1], no_names);
	assert_int_equal(fakes.b->devices, 1);
	end_device(&l, device);
	/* Once, however often one looks; and a new instance has it from the beginning. */
	assert_int_equal(count(&l), 2);
	assert_int_equal(fakes.b->instances_created, 1);
	later = l;
	make_instance(&later, no_names);
	assert_int_equal(later.device_count, 2);
	end_instance(&later);
	end_instance(&l);
	assert_int_equal(fakes.b->instances, 0);
	end(&fakes, &l);
}

/* K-44 */
static void
test_driver_goes(void **state)
{
	struct fakes fakes;
	struct loader l;
	VkPhysicalDevice a, b;
	VkDevice device;

	begin(&fakes, &l);
	install("b", TEST_FAKE_B);
	make_instance(&l, no_names);
	assert_int_equal(l.device_count, 2);
	a = l.devices[0];
	b = l.devices[1];
	if (*name_of(&l, a) == 'b') {
		a = l.devices[1];
		b = l.devices[0];
	}
	uninstall("a");
	assert_int_equal(count(&l), 1);
	find_devices(&l);
	assert_ptr_equal(l.devices[0], b);
	/* Handles stay what they are. */
	assert_string_equal(name_of(&l, a), "a");
	device = make_device(&l, a, no_names);
	end_device(&l, device);
	uninstall("b");
	l.device_count = 1;
	assert_int_equal(
		EXPORTED(&l, vkEnumeratePhysicalDevices)(l.instance, &l.device_count, l.devices),
		VK_ERROR_INITIALIZATION_FAILED);
	install("a", TEST_FAKE_A);
	find_devices(&l);
	assert_int_equal(l.device_count, 1);
	assert_ptr_equal(l.devices[0], a);
	assert_int_equal(fakes.a->instances_created, 1);
	end_instance(&l);
	end(&fakes, &l);
}

/* K-44: devices of a driver come and go as it says. */
static void
test_devices_come_and_go(void **state)
{
	struct fakes fakes;
	struct loader l;
	VkPhysicalDevice first, second;

	begin(&fakes, &l);
	make_instance(&l, no_names);
	first = l.devices[0];
	fakes.a->device_count = 2;
	find_devices(&l);
	assert_int_equal(l.device_count, 2);
	assert_ptr_equal(l.devices[0], first);
	second = l.devices[1];
	fakes.a->device_count = 1;
	assert_int_equal(count(&l), 1);
	assert_string_equal(name_of(&l, second), "a");
	fakes.a->device_count = 2;
	find_devices(&l);
	assert_ptr_equal(l.devices[1], second);
	end_instance(&l);
	end(&fakes, &l);
}

/* K-44 */
static void
test_groups_follow(void **state)
{
	struct fakes fakes;
	struct loader l;
	uint32_t groups = 0;

	begin(&fakes, &l);
	make_instance(&l, no_names);
	install("b", TEST_FAKE_B);
	assert_int_equal(EXPORTED(&l, vkEnumeratePhysicalDeviceGroups)(l.instance, &groups, NULL),
		VK_SUCCESS);
	assert_int_equal(groups, 2);
	end_instance(&l);
	end(&fakes, &l);
}

/* K-44: one that can't be used is tried once. */
static void
test_driver_that_fails(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	make_instance(&l, no_names);
	fakes.b->create_instance_result = VK_ERROR_INCOMPATIBLE_DRIVER;
	install("b", TEST_FAKE_B);
	assert_int_equal(count(&l), 1);
	fakes.b->create_instance_result = VK_SUCCESS;
	assert_int_equal(count(&l), 1);
	assert_int_equal(fakes.b->instances_created, 0);
	end_instance(&l);
	end(&fakes, &l);
}

/* K-44: who changes the environment means the next instance. */
static void
test_other_environment(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	make_instance(&l, no_names);
	install("b", TEST_FAKE_B);
	set_variable("VK_DRIVER_FILES", "/nowhere");
	assert_int_equal(count(&l), 1);
	set_variable("VK_DRIVER_FILES", kr_test_dir());
	assert_int_equal(count(&l), 2);
	end_instance(&l);
	end(&fakes, &l);
}

/* K-37, K-44: an application that wants no drivers but its own gets none. */
static void
test_exclusive_drivers(void **state)
{
	static const char *const names[] = {"VK_LUNARG_direct_driver_loading", NULL};
	VkDirectDriverLoadingInfoLUNARG driver = {
		.sType = VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_INFO_LUNARG,
		.pfnGetInstanceProcAddr = fake_b_direct,
	};
	VkDirectDriverLoadingListLUNARG list = {
		.sType = VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG,
		.mode = VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG,
		.driverCount = 1,
		.pDrivers = &driver,
	};
	const struct kr_vulkan_instance_info info = {.chain = &list, .extensions = names};
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	assert_int_equal(try_instance_with(&l, &info), VK_SUCCESS);
	assert_int_equal(count(&l), 1);
	find_devices(&l);
	assert_string_equal(name_of(&l, l.devices[0]), "b");
	assert_int_equal(fakes.a->instances_created, 0);
	end_instance(&l);
	end(&fakes, &l);
}

#define THREADS 4

struct crowd {
	struct loader *l;
	atomic_bool stop;
	atomic_int rounds;
	atomic_bool wrong;
};

static void *
enumerate(void *data)
{
	struct crowd *crowd = data;
	struct loader own = *crowd->l;
	PFN_vkEnumeratePhysicalDevices ask = EXPORTED(&own, vkEnumeratePhysicalDevices);

	while (!atomic_load(&crowd->stop)) {
		uint32_t n = KR_ARRAY_LEN(own.devices);

		if (ask(own.instance, &n, own.devices) != VK_SUCCESS || n < 1 || n > 2)
			atomic_store(&crowd->wrong, true);
		atomic_fetch_add(&crowd->rounds, 1);
	}
	return NULL;
}

/* K-39, K-44: many look while one comes, goes and comes again. */
static void
test_from_many_threads(void **state)
{
	struct crowd crowd = {0};
	pthread_t threads[THREADS];
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	make_instance(&l, no_names);
	fakes.b->create_instance_us = 20000; /* all come before the first is done */
	crowd.l = &l;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, enumerate, &crowd), 0);
	for (int i = 0; i < 5; i++) {
		int rounds = atomic_load(&crowd.rounds);

		install("b", TEST_FAKE_B);
		while (atomic_load(&crowd.rounds) < rounds + 3 * THREADS)
			usleep(100);
		uninstall("b");
	}
	install("b", TEST_FAKE_B);
	atomic_store(&crowd.stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_false(atomic_load(&crowd.wrong));
	assert_int_equal(count(&l), 2);
	/* Who was slower has taken his away again. */
	assert_int_equal(fakes.b->instances, 1);
	end_instance(&l);
	assert_int_equal(fakes.b->instances, 0);
	end(&fakes, &l);
}

/*
 * K-44: the first enumeration takes what vkCreateInstance found, if that was not long
 * ago; none after it does.
 */
static void
test_first_look(void **state)
{
	struct fakes fakes;
	struct loader l;

	begin(&fakes, &l);
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, no_names), VK_SUCCESS);
	install("b", TEST_FAKE_B);
	assert_int_equal(count(&l), 1);
	assert_int_equal(fakes.b->instances_created, 0);
	assert_int_equal(count(&l), 2);
	end_instance(&l);
	uninstall("b");
	assert_int_equal(try_instance(&l, VK_API_VERSION_1_1, no_names), VK_SUCCESS);
	usleep(150000);
	install("b", TEST_FAKE_B);
	assert_int_equal(count(&l), 2);
	end_instance(&l);
	end(&fakes, &l);
}

static const struct kr_test tests[] = {
	KR_TEST(test_driver_comes), KR_TEST(test_driver_goes), KR_TEST(test_devices_come_and_go),
	KR_TEST(test_groups_follow), KR_TEST(test_driver_that_fails),
	KR_TEST(test_other_environment), KR_TEST(test_exclusive_drivers), KR_TEST(test_first_look),
	KR_TEST_FLAGS(test_from_many_threads, KR_TEST_KEEPS_MEMORY), /* stacks that glibc keeps */
};

KR_TEST_MAIN(tests)
