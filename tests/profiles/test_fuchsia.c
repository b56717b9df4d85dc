/* SPDX-License-Identifier: Apache-2.0 */
/*
 * K-46 The profile fuchsia: drivers from the loader service (a fake one), or from the manifests
 * that a variable names; layers and settings from the profile's own directories.
 */
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "discover/discover.h"
#include "discover/service.h"
#include "manifest/settings.h"
#include "util/text.h"

#define MANIFEST(library)                                                                          \
	"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"" library                  \
	"\",\"api_version\":\"1.1.0\"}}"

/* A service that has one library under two names, each in a memory object of its own. */
struct fake_service {
	struct kr_driver_service base; /* first */
	const char *const *manifests;  /* name, text, name, text, ..., NULL */
	int walk_error, open_error;
	int walks, opens;
};

static int
for_each_manifest(
	struct kr_driver_service *base, kr_service_manifest_fn each, void *data, char **reason)
{
	struct fake_service *service = (struct fake_service *)base;
	int ret = service->walk_error;

	service->walks++;
	if (ret)
		*reason = kr_asprintf("the service says nothing: %s", strerror(-ret));
	for (const char *const *m = service->manifests; !ret && m && *m; m += 2)
		ret = each(data, m[0], m[1], strlen(m[1]));
	return ret;
}

/* Copied, so that each name is a library of its own. */
static int
open_library(struct kr_driver_service *base, const char *library, void **dso, char **reason)
{
	struct fake_service *service = (struct fake_service *)base;
	int file = open(TEST_ICD, O_RDONLY | O_CLOEXEC), memory;
	char block[65536], path[64];
	ssize_t len;

	service->opens++;
	if (service->open_error) {
		close(file);
		*reason = kr_asprintf("the loader service doesn't give %s: %s", library,
			strerror(-service->open_error));
		return service->open_error;
	}
	memory = memfd_create(library, MFD_CLOEXEC);
	assert_true(file >= 0 && memory >= 0);
	while ((len = read(file, block, sizeof(block))) > 0)
		assert_int_equal(write(memory, block, (size_t)len), len);
	close(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	*dso = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	assert_non_null(*dso);
	return 0;
}

static const struct kr_driver_service_impl impl = {for_each_manifest, open_library};
static struct kr_discover_options options;

static void
start(void)
{
	hide_system();
	set_variable("KRAFLA_PROFILE", "fuchsia");
	set_variable("KRAFLA_CONFIG_ROOT", kr_test_dir());
}

static const char *
config_dir(const char *base)
{
	char path[PATH_MAX];

	if (!strcmp(base, "pkg/data") && access(kr_test_path("pkg"), F_OK))
		make_dir("pkg");
	make_dir(base);
	snprintf(path, sizeof(path), "%s/vulkan", base);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/vulkan/explicit_layer.d", base);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/vulkan/loader_settings.d", base);
	return make_dir(path);
}

/* What the application's package has when it takes configuration from outside. */
static void
choose_configuration(void)
{
	make_dir("pkg");
	make_dir("pkg/meta");
	kr_test_file("pkg/meta/vulkan-loader-configuration", "");
}

static size_t
count_drivers(const struct kr_driver_list *list)
{
	const struct kr_driver *driver;
	size_t count = 0;

	kr_list_for_each (driver, &list->drivers, link)
		count++;
	return count;
}

static const struct kr_driver_candidate *
first_candidate(const struct kr_driver_list *list)
{
	assert_false(kr_list_empty(&list->candidates));
	return kr_container_of(list->candidates.next, struct kr_driver_candidate, link);
}

/* F-03 */
static void
drivers_come_from_the_service(void **state)
{
	static const char *const manifests[] = {
		"a.json", MANIFEST("libvulkan_a.so"), "b.json", MANIFEST("libvulkan_b.so"), NULL};
	struct fake_service service = {{&impl}, manifests};
	struct kr_driver_list list, again;
	struct kr_driver *driver;

	start();
	options.service = &service.base;
	assert_int_equal(kr_discover_drivers(&options, &list), 0);
	assert_int_equal(count_drivers(&list), 2);
	assert_int_equal(service.opens, 2);
	driver = kr_container_of(list.drivers.next, struct kr_driver, link);
	assert_string_equal(driver->library_path, "libvulkan_a.so");
	assert_non_null(driver->create_instance);
	assert_string_equal(first_candidate(&list)->path, "service:a.json");
	assert_string_equal(first_candidate(&list)->variable, "service");
	assert_int_equal(first_candidate(&list)->verdict, KR_CANDIDATE_USED);
	/* Two libraries, although they are alike and came the same way. */
	assert_ptr_not_equal(
		driver->dso, kr_container_of(list.drivers.next->next, struct kr_driver, link)->dso);
	/* A library is known by its name: asked for again, it is there. */
	assert_int_equal(kr_discover_drivers(&options, &again), 0);
	assert_int_equal(count_drivers(&again), 2);
	assert_int_equal(service.walks, 2);
	assert_int_equal(service.opens, 2);
	kr_driver_list_finish(&again);
	kr_driver_list_finish(&list);
	options.service = NULL;
	kr_discover_end();
}

static void
nothing_of_the_system_is_searched(void **state)
{
	struct fake_service service = {{&impl}};
	struct kr_driver_list list;

	start();
	make_dir("vulkan");
	make_dir("vulkan/icd.d");
	kr_test_file("vulkan/icd.d/driver.json", MANIFEST(TEST_ICD)); /* an XDG directory */
	config_dir("pkg/data");
	make_dir("pkg/data/vulkan/icd.d");
	kr_test_file("pkg/data/vulkan/icd.d/driver.json", MANIFEST(TEST_ICD));
	options.service = &service.base;
	assert_int_equal(kr_discover_drivers(&options, &list), 0);
	assert_true(kr_list_empty(&list.drivers));
	assert_true(kr_list_empty(&list.candidates));
	assert_int_equal(service.walks, 1);
	kr_driver_list_finish(&list);
	options.service = NULL;
}

static void
without_a_service_there_is_no_driver(void **state)
{
	struct kr_driver_list list;

	start();
	assert_int_equal(kr_discover_drivers(&options, &list), 0);
	assert_true(kr_list_empty(&list.drivers));
	kr_driver_list_finish(&list);
}

static void
a_service_that_fails_is_no_crash(void **state)
{
	static const char *const manifests[] = {
		"bad.json", "{", "good.json", MANIFEST("libvulkan_a.so"), NULL};
	struct fake_service service = {{&impl}, manifests, .walk_error = -ECONNRESET};
	struct kr_driver_list list;

	start();
	options.service = &service.base;
	assert_int_equal(kr_discover_drivers(&options, &list), 0);
	assert_true(kr_list_empty(&list.drivers));
	assert_int_equal(first_candidate(&list)->verdict, KR_CANDIDATE_UNREADABLE);
	assert_non_null(strstr(first_candidate(&list)->reason, "says nothing"));
	assert_true(first_candidate(&list)->served);
	kr_driver_list_finish(&list);
	service.walk_error = 0;
	service.open_error = -EACCES;
	assert_int_equal(kr_discover_drivers(&options, &list), 0);
	assert_true(kr_list_empty(&list.drivers));
	assert_int_equal(first_candidate(&list)->verdict, KR_CANDIDATE_BAD_MANIFEST);
	kr_driver_list_finish(&list);
	service.open_error = 0;
	assert_int_equal(kr_discover_drivers(&options, &list), 0);
	assert_int_equal(count_drivers(&list), 1);
	kr_driver_list_finish(&list);
	options.service = NULL;
	kr_discover_end();
}

/* Filters of the environment count, as on Linux. */
static void
drivers_of_the_service_are_filtered(void **state)
{
	static const char *const manifests[] = {
		"a.json", MANIFEST("libvulkan_a.so"), "b.json", MANIFEST("libvulkan_b.so"), NULL};
	struct fake_service service = {{&impl}, manifests};
	struct kr_driver_list list;

	start();
	set_variable("VK_LOADER_DRIVERS_DISABLE", "*a.json");
	options.service = &service.base;
	assert_int_equal(kr_discover_drivers(&options, &list), 0);
	assert_int_equal(count_drivers(&list), 1);
	assert_int_equal(first_candidate(&list)->verdict, KR_CANDIDATE_DISABLED);
	assert_int_equal(service.opens, 1);
	kr_driver_list_finish(&list);
	options.service = NULL;
	kr_discover_end();
}

/* F-07: the software driver that an application brings, in place of those of the service. */
static void
named_manifests_replace_the_service(void **state)
{
	static const char *const variables[] = {"VK_ICD_FILENAMES", "VK_DRIVER_FILES"};
	static const char *const manifests[] = {"a.json", MANIFEST("libvulkan_a.so"), NULL};
	struct fake_service service = {{&impl}, manifests};
	struct kr_driver_list list;

	for (size_t i = 0; i < KR_ARRAY_LEN(variables); i++) {
		start();
		set_variable(variables[i], kr_test_file("own.json", MANIFEST(TEST_ICD)));
		options.service = &service.base;
		assert_int_equal(kr_discover_drivers(&options, &list), 0);
		assert_int_equal(count_drivers(&list), 1);
		assert_string_equal(first_candidate(&list)->variable, variables[i]);
		assert_int_equal(service.walks, 0);
		kr_driver_list_finish(&list);
	}
	start();
	set_variable("VK_ADD_DRIVER_FILES", kr_test_file("own.json", MANIFEST(TEST_ICD)));
	assert_int_equal(kr_discover_drivers(&options, &list), 0);
	assert_int_equal(count_drivers(&list), 2);
	assert_int_equal(service.walks, 1);
	kr_driver_list_finish(&list);
	options.service = NULL;
	kr_discover_end();
}

#define LAYER(name)                                                                                \
	"{\"file_format_version\":\"1.1.2\",\"layer\":{\"name\":\"" name                           \
	"\",\"type\":\"GLOBAL\",\"library_path\":\"/nowhere.so\",\"api_version\":\"1.1.0\","       \
	"\"implementation_version\":\"1\",\"description\":\"\"}}"

/* F-06: both directories of the profile, in their order; none of XDG. */
static void
layers_come_from_the_profiles_directories(void **state)
{
	VkLayerProperties properties[4];
	uint32_t count = 4;

	start();
	choose_configuration();
	config_dir("vulkan-loader-configuration");
	config_dir("pkg/data");
	make_dir("vulkan");
	make_dir("vulkan/explicit_layer.d");
	kr_test_file("vulkan/explicit_layer.d/x.json", LAYER("VK_LAYER_KR_xdg"));
	kr_test_file("pkg/data/vulkan/explicit_layer.d/p.json", LAYER("VK_LAYER_KR_package"));
	kr_test_file("vulkan-loader-configuration/vulkan/explicit_layer.d/c.json",
		LAYER("VK_LAYER_KR_configuration"));
	open_loader();
	assert_int_equal(CALL(vkEnumerateInstanceLayerProperties)(&count, properties), VK_SUCCESS);
	assert_int_equal(count, 2);
	assert_string_equal(properties[0].layerName, "VK_LAYER_KR_configuration");
	assert_string_equal(properties[1].layerName, "VK_LAYER_KR_package");
	close_loader();
}

/* F-10: a package that didn't choose what lies outside has its own configuration alone. */
static void
configuration_from_outside_has_to_be_chosen(void **state)
{
	static const char text[] = "{\"file_format_version\":\"1.0.0\",\"settings\":{}}";
	VkLayerProperties properties[4];
	struct kr_settings settings;
	uint32_t count = 4;

	start();
	config_dir("vulkan-loader-configuration");
	config_dir("pkg/data");
	kr_test_file("pkg/data/vulkan/explicit_layer.d/p.json", LAYER("VK_LAYER_KR_package"));
	kr_test_file("vulkan-loader-configuration/vulkan/explicit_layer.d/c.json",
		LAYER("VK_LAYER_KR_configuration"));
	kr_test_file("vulkan-loader-configuration/vulkan/loader_settings.d/vk_loader_settings.json",
		text);
	assert_int_equal(kr_settings_read(NULL, &settings), 0);
	assert_null(settings.path);
	kr_settings_finish(&settings);
	open_loader();
	assert_int_equal(CALL(vkEnumerateInstanceLayerProperties)(&count, properties), VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_string_equal(properties[0].layerName, "VK_LAYER_KR_package");
	close_loader();
}

/* F-06: VK_LAYER_PATH is as on Linux. */
static void
the_environment_names_layers_as_on_linux(void **state)
{
	start();
	config_dir("pkg/data");
	kr_test_file("pkg/data/vulkan/explicit_layer.d/p.json", LAYER("VK_LAYER_KR_package"));
	set_variable("VK_LAYER_PATH", kr_test_file("own.json", LAYER("VK_LAYER_KR_own")));
	open_loader();
	assert_true(has_layer("VK_LAYER_KR_own"));
	assert_int_equal(count_layers(), 1);
	close_loader();
}

/* F-06 */
static void
settings_come_from_the_profiles_directories(void **state)
{
	static const char text[] = "{\"file_format_version\":\"1.0.0\",\"settings\":{}}";
	struct kr_settings settings;

	start();
	choose_configuration();
	make_dir("vulkan");
	make_dir("vulkan/loader_settings.d");
	kr_test_file("vulkan/loader_settings.d/vk_loader_settings.json", text); /* XDG */
	assert_int_equal(kr_settings_read(NULL, &settings), 0);
	assert_null(settings.path);
	kr_settings_finish(&settings);
	config_dir("pkg/data");
	kr_test_file("pkg/data/vulkan/loader_settings.d/vk_loader_settings.json", text);
	assert_int_equal(kr_settings_read(NULL, &settings), 0);
	assert_non_null(strstr(settings.path, "/pkg/data/vulkan//loader_settings.d/"));
	kr_settings_finish(&settings);
	config_dir("vulkan-loader-configuration");
	kr_test_file("vulkan-loader-configuration/vulkan/loader_settings.d/vk_loader_settings.json",
		text);
	assert_int_equal(kr_settings_read(NULL, &settings), 0);
	assert_non_null(strstr(settings.path, "/vulkan-loader-configuration/"));
	kr_settings_finish(&settings);
}

/*
 * Libraries are opened and closed, and variables set, for which the process keeps memory; and what
 * a service has loaded stays, with its descriptor.
 */
#define TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)

static const struct kr_test tests[] = {
	TEST(drivers_come_from_the_service),
	TEST(nothing_of_the_system_is_searched),
	TEST(without_a_service_there_is_no_driver),
	TEST(a_service_that_fails_is_no_crash),
	TEST(drivers_of_the_service_are_filtered),
	TEST(named_manifests_replace_the_service),
	TEST(layers_come_from_the_profiles_directories),
	TEST(configuration_from_outside_has_to_be_chosen),
	TEST(the_environment_names_layers_as_on_linux),
	TEST(settings_come_from_the_profiles_directories),
};
KR_TEST_MAIN(tests)
