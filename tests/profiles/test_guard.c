/* SPDX-License-Identifier: Apache-2.0 */
/* K-45 Whom the profile android lets bring code into a process, whatever its environment says. */
#include "support.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything by which an environment could bring code into a process. */
static void
set_hostile_environment(void)
{
	const char *evil, *manifests;
	char value[PATH_MAX];

	evil = make_dir("evil");
	put(evil, "libVkLayer_b.so", TEST_LAYER_B);
	put(evil, "vulkan.evil.so", TEST_ICD);
	manifests = make_dir("manifests");
	kr_test_file("manifests/layer.json",
		"{\"file_format_version\":\"1.1.2\",\"layer\":{\"name\":\"" B
		"\",\"type\":\"GLOBAL\",\"library_path\":\"" TEST_LAYER_B
		"\",\"api_version\":\"1.1.0\",\"implementation_version\":\"1\","
		"\"description\":\"evil\",\"disable_environment\":{\"KR_NO_EVIL\":\"1\"}}}");
	kr_test_file("manifests/driver.json",
		"{\"file_format_version\":\"1.0.0\",\"ICD\":{\"library_path\":\"" TEST_ICD
		"\",\"api_version\":\"1.1.0\"}}");
	make_dir("vulkan");
	make_dir("vulkan/loader_settings.d");
	snprintf(value, sizeof(value),
		"{\"file_format_version\":\"1.0.0\",\"settings\":{\"layers\":[{\"name\":\"" B
		"\",\"path\":\"%s/layer.json\",\"control\":\"on\"}]}}",
		manifests);
	kr_test_file("vulkan/loader_settings.d/vk_loader_settings.json", value);
	set_variable("VK_LAYER_PATH", manifests);
	set_variable("VK_ADD_LAYER_PATH", manifests);
	set_variable("VK_IMPLICIT_LAYER_PATH", manifests);
	set_variable("VK_ADD_IMPLICIT_LAYER_PATH", manifests);
	set_variable("VK_INSTANCE_LAYERS", B);
	set_variable("VK_LOADER_LAYERS_ENABLE", "*");
	set_variable("VK_LOADER_LAYERS_ALLOW", "*");
	snprintf(value, sizeof(value), "%s/driver.json", manifests);
	set_variable("VK_DRIVER_FILES", value);
	set_variable("VK_ICD_FILENAMES", value);
	set_variable("VK_ADD_DRIVER_FILES", value);
	set_variable("KRAFLA_HAL_PATH", evil);
	set_variable("KRAFLA_OUTPUT_PATH", evil);
	set_variable("KRAFLA_CONFIG_ROOT", manifests);
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "evil");
	set_variable("KRAFLA_PROP_ro_debuggable", "1");
	set_variable(APPLICATION, evil);
	set_variable(DEBUG, evil);
	set_variable(LAYERS, B);
	set_variable(ONE(0), B);
	snprintf(value, sizeof(value),
		"ro.debuggable=1\nro.hardware.vulkan=evil\nro.krafla.layers.application=%s\n"
		"ro.krafla.layers.debug=%s\ndebug.vulkan.layers=" B "\n",
		evil, evil);
	set_variable("KRAFLA_PROPERTIES", kr_test_file("evil-properties", value));
}

static void
expect_no_evil(void)
{
	assert_int_equal(count_layers(), 0);
	run_instance(NULL);
	assert_string_equal(layer_log, "");
	assert_false(is_loaded("layer_b"));
	assert_false(is_loaded(TEST_ICD));
	assert_false(is_loaded("evil"));
}

/* Y-05, Y-06 */
static void
a_process_that_is_not_debuggable_takes_no_code(void **state)
{
	hide_system();
	set_variable("KRAFLA_PROFILE", "android");
	set_hostile_environment();
	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	open_loader();
	expect_no_evil();
	close_loader();
	prctl(PR_SET_DUMPABLE, 1);
}

/* Y-05: where the system says that its profile is android, no variable says otherwise. */
static void
nor_by_another_profile(void **state)
{
	static const char *const profiles[] = {"linux", "fuchsia", "none", ""};

	hide_system();
	set_hostile_environment();
	set_system_properties("ro.krafla.profile=android\n");
	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(profiles); i++) {
		set_variable("KRAFLA_PROFILE", profiles[i]);
		open_loader();
		expect_no_evil();
		close_loader();
	}
	prctl(PR_SET_DUMPABLE, 1);
}

/* The same environment in a process that is debuggable: so that the cases above show something. */
static void
a_debuggable_process_takes_it(void **state)
{
	hide_system();
	set_variable("KRAFLA_PROFILE", "android");
	set_hostile_environment();
	set_variable("KRAFLA_HAL_PATH", TEST_HAL_DIR);
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "null");
	open_loader();
	assert_true(has_layer(B));
	run_instance(NULL);
	assert_true(is_loaded("vulkan.null.so"));
	assert_non_null(strstr(layer_log, "bi "));
	close_loader();
}

/* Y-03: its own directory, which only the system's file can name then. */
static void
a_process_that_is_not_debuggable_has_its_own_layers(void **state)
{
	static const char *const layers[] = {A, NULL};
	char text[PATH_MAX];

	hide_system();
	set_variable("KRAFLA_PROFILE", "android");
	set_hostile_environment();
	put(make_dir("own"), "libVkLayer_a.so", TEST_LAYER_A);
	snprintf(text, sizeof(text), "ro.krafla.layers.application=%s\n", make_dir("own"));
	set_system_properties(text);
	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	open_loader();
	assert_true(has_layer(A));
	assert_int_equal(count_layers(), 2);
	run_instance(layers);
	assert_non_null(strstr(layer_log, "ai "));
	assert_false(is_loaded("layer_b"));
	close_loader();
	prctl(PR_SET_DUMPABLE, 1);
}

/* Y-03, Y-05: the debug directory isn't its own, even when the system names one. */
static void
a_process_that_is_not_debuggable_has_no_debug_directory(void **state)
{
	char text[PATH_MAX];

	hide_system();
	set_variable("KRAFLA_PROFILE", "android");
	put(make_dir("debug"), "libVkLayer_b.so", TEST_LAYER_B);
	snprintf(text, sizeof(text), "ro.krafla.layers.debug=%s\n", make_dir("debug"));
	set_system_properties(text);
	set_variable(DEBUG, "");
	open_loader();
	assert_true(has_layer(B));
	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	layer_log[0] = '\0';
	assert_int_equal(count_layers(), 0);
	assert_string_equal(layer_log, "");
	close_loader();
	prctl(PR_SET_DUMPABLE, 1);
}

/*
 * $ORIGIN is the directory of the program, which one line for all applications can be written with.
 */
static void
the_own_directory_relative_to_the_program(void **state)
{
	char directory[PATH_MAX] = "", link[PATH_MAX];

	assert_true(readlink("/proc/self/exe", directory, sizeof(directory) - 1) > 0);
	strcpy(strrchr(directory, '/'), "/layers");
	snprintf(link, sizeof(link), "%s/libVkLayer_a.so", directory);
	(void)mkdir(directory, 0755);
	(void)unlink(link);
	put(directory, "libVkLayer_a.so", TEST_LAYER_A);
	hide_system();
	set_variable("KRAFLA_PROFILE", "android");
	set_system_properties("ro.krafla.layers.application=$ORIGIN/layers\n");
	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	open_loader();
	assert_true(has_layer(A));
	close_loader();
	prctl(PR_SET_DUMPABLE, 1);
	unlink(link);
	rmdir(directory);
}

static bool
takes_layers_with(const char *property)
{
	bool takes;

	set_system_properties(property);
	open_loader();
	takes = has_layer(A);
	close_loader();
	return takes;
}

/* A system whose every process may be debugged: ro.debuggable is there and isn't zero (Y-04). */
static void
a_debuggable_system(void **state)
{
	static const char *const yes[] = {"ro.debuggable=1\n", "ro.debuggable=2\n",
		"ro.debuggable=-1\n", "ro.debuggable=true\n", "ro.debuggable=0x10\n",
		"ro.debuggable=1 # no comment begins within a line\n"};
	static const char *const no[] = {"ro.debuggable=0\n", "ro.debuggable=\n",
		"ro.debuggable=00\n", "ro.debuggable=0x0\n", "ro.debuggable=false\n",
		"ro.debuggable=no\n", "# ro.debuggable=1\n", "ro.debuggable2=1\n"};

	start_android();
	assert_int_equal(prctl(PR_SET_DUMPABLE, 0), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(yes); i++) {
		if (!takes_layers_with(yes[i]))
			fail_msg("not debuggable: %s", yes[i]);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(no); i++) {
		if (takes_layers_with(no[i]))
			fail_msg("debuggable: %s", no[i]);
	}
	prctl(PR_SET_DUMPABLE, 1);
}

/* A driver and layers are opened and closed: the linker keeps memory. */
#define TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	TEST(a_process_that_is_not_debuggable_takes_no_code),
	TEST(nor_by_another_profile),
	TEST(a_debuggable_process_takes_it),
	TEST(a_process_that_is_not_debuggable_has_its_own_layers),
	TEST(a_process_that_is_not_debuggable_has_no_debug_directory),
	TEST(the_own_directory_relative_to_the_program),
	TEST(a_debuggable_system),
};
KR_TEST_MAIN(tests)
