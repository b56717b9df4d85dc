/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of drivers: opened once, shared by lists, closed with the last. */
#include "support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "util/text.h"

/* Whether the library is open in this process. */
static bool
is_open(const char *name)
{
	void *dso = dlopen(built(name), RTLD_NOW | RTLD_NOLOAD);

	if (dso)
		dlclose(dso);
	return dso;
}

static void
use_v5(void)
{
	set_variable("VK_DRIVER_FILES", put_manifest("x.json", built("icd_v5.so"), "1.1"));
}

/* K-17: a second search finds it open. */
static void
shared_by_lists(void **state)
{
	struct kr_driver_list first, second;

	use_v5();
	discover(&first);
	assert_non_null(strstr(heard, "Opening driver"));
	discover(&second);
	assert_null(strstr(heard, "Opening driver"));
	assert_ptr_equal(driver_at(&first, 0)->library, driver_at(&second, 0)->library);
	assert_ptr_not_equal(driver_at(&first, 0), driver_at(&second, 0));
	assert_true(kr_driver_is_same(driver_at(&first, 0), driver_at(&second, 0)));
	kr_driver_list_finish(&first);
	assert_true(is_open("icd_v5.so"));
	kr_driver_list_finish(&second);
	assert_false(is_open("icd_v5.so"));
	free_support();
}

/* A library that is refused doesn't stay. */
static void
refused_one_is_closed(void **state)
{
	struct kr_driver_list list;

	set_variable("VK_DRIVER_FILES", put_manifest("x.json", built("icd_refuses.so"), "1.1"));
	discover(&list);
	assert_false(is_open("icd_refuses.so"));
	end_discovery(&list);
	free_support();
}

/* K-14 */
static void
never_closed_when_so_told(void **state)
{
	struct kr_driver_list list;

	use_v5();
	discover(&list);
	setenv("VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING", "1", 1);
	end_discovery(&list);
	assert_true(is_open("icd_v5.so"));
	free_support();
}

/* K-14: only by that value. */
static void
closed_with_another_value(void **state)
{
	struct kr_driver_list list;

	use_v5();
	discover(&list);
	setenv("VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING", "10", 1);
	end_discovery(&list);
	assert_false(is_open("icd_v5.so"));
	free_support();
}

/* The module's open() runs once, and the module stays until the end. */
static void
hal_module_is_opened_once(void **state)
{
	static const char *dirs[2];
	struct kr_driver_list list;
	struct hwvulkan_device_t *device;
	uint32_t count = 0;

	put_link("hw", "vulkan.x.so", built("hal_good.so"));
	dirs[0] = kr_test_path("hw");
	options.hal_dirs = dirs;
	set_property("ro.hardware.vulkan", "x");
	discover(&list);
	device = driver_at(&list, 0)->hal;
	kr_driver_list_finish(&list);
	assert_true(is_open("hal_good.so"));
	discover(&list);
	assert_ptr_equal(driver_at(&list, 0)->hal, device);
	/* It tells how often it was opened, and closed by the hundred. */
	driver_at(&list, 0)->enumerate_instance_extension_properties(NULL, &count, NULL);
	assert_int_equal(count, 1);
	assert_null(strstr(heard, "Opening driver"));
	kr_driver_list_finish(&list);
	kr_discover_end();
	assert_false(is_open("hal_good.so"));
	free_support();
}

static void *
search(void *data)
{
	struct kr_driver_list list;

	for (int i = 0; i < 200; i++) {
		if (kr_discover_drivers(&options, &list))
			return data;
		kr_driver_list_finish(&list);
	}
	return NULL;
}

/* K-39 */
static void
several_threads_search(void **state)
{
	pthread_t threads[4];
	void *failed;

	use_v5();
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, search, &failed), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_false(is_open("icd_v5.so"));
	free_support();
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(shared_by_lists),
	CASE(refused_one_is_closed),
	CASE(never_closed_when_so_told),
	CASE(closed_with_another_value),
	CASE(hal_module_is_opened_once),
	CASE(several_threads_search),
};

KR_TEST_MAIN(tests)
