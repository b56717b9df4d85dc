/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla explain` (K-42): planted faults of drivers, and the sentences that tell of
 * them, word for word.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void
driver_that_is_used(void **state)
{
	make_system();
	copy(FAKES "/probed_chatty.so", "a.so");
	put_driver("a.json", "@/a.so");
	explain("");
	assert_int_equal(
		json_integer_value(json_object_get(find("drivers", "a.json"), "devices")), 2);
	expect_driver("a.json", "used", "interface version 7, Vulkan 1.1.0 by its manifest", NULL);
}

static void
named_manifest_is_missing(void **state)
{
	char variables[500];

	make_system();
	snprintf(variables, sizeof(variables), "VK_DRIVER_FILES=%s", kr_test_path("none.json"));
	explain(variables);
	expect_text(find("drivers", "none.json"), "named_by", "VK_DRIVER_FILES");
	expect_driver("none.json", "unreadable",
		"@/none.json: can't be read: No such file or directory",
		"correct VK_DRIVER_FILES, which names this file");
}

static void
manifest_is_forbidden(void **state)
{
	make_system();
	put_driver("a.json", "@/a.so");
	assert_int_equal(chmod(kr_test_path("data/vulkan/icd.d/a.json"), 0), 0);
	explain_without_rights();
	expect_driver("a.json", "unreadable",
		"@/data/vulkan/icd.d/a.json: can't be read: Permission denied",
		"make @/data/vulkan/icd.d/a.json readable for this user");
}

static void
manifest_is_no_json(void **state)
{
	make_system();
	put("data/vulkan/icd.d/a.json", "{\"ICD\": nonsense}");
	explain("");
	expect_driver("a.json", "bad manifest",
		"@/data/vulkan/icd.d/a.json: not JSON: a value was expected (line 1, column 9)",
		"repair or remove @/data/vulkan/icd.d/a.json, or install its package again");
}

static void
manifest_lacks_the_library(void **state)
{
	make_system();
	put("data/vulkan/icd.d/a.json",
		"{\"file_format_version\":\"1.0.0\",\"ICD\":{\"api_version\":\"1.1.0\"}}");
	explain("");
	expect_driver("a.json", "bad manifest",
		"@/data/vulkan/icd.d/a.json: the ICD object has no string library_path",
		"repair or remove @/data/vulkan/icd.d/a.json, or install its package again");
}

static void
library_of_a_known_package_is_missing(void **state)
{
	make_system();
	put_driver("a.json", "@/libvulkan_lvp.so");
	explain("");
	expect_driver("a.json", "missing",
		"@/libvulkan_lvp.so can't be used: No such file or directory",
		"install the package that has libvulkan_lvp.so; it is usually in mesa-vulkan-drivers (Debian, Ubuntu, Fedora), vulkan-swrast (Arch), libvulkan_lvp (openSUSE); or remove the manifest that it has left behind: @/data/vulkan/icd.d/a.json");
}

static void
library_by_name_is_missing(void **state)
{
	make_system();
	put_driver("a.json", "libkrafla-nobody.so.1");
	explain("");
	expect_driver("a.json", "missing",
		"libkrafla-nobody.so.1 can't be opened: libkrafla-nobody.so.1: cannot open shared object file: No such file or directory",
		"install the package that has libkrafla-nobody.so.1; or remove the manifest that it has left behind: @/data/vulkan/icd.d/a.json");
}

static void
library_is_forbidden(void **state)
{
	make_system();
	copy(FAKES "/icd_v5.so", "a.so");
	assert_int_equal(chmod(kr_test_path("a.so"), 0), 0);
	put_driver("a.json", "@/a.so");
	explain_without_rights();
	expect_driver("a.json", "unloadable", "@/a.so can't be used: Permission denied",
		"make @/a.so readable for this user (and, if in a sandbox, allowed)");
}

static void
library_is_of_another_machine(void **state)
{
	/* The head of a library of the other word size. */
	static const char head[20] = {0x7f, 'E', 'L', 'F', sizeof(void *) == 8 ? 1 : 2, 1, 1};
	char reason[200];
	FILE *file;

	make_system();
	put("a.so", "");
	file = fopen(kr_test_path("a.so"), "we");
	assert_int_equal(fwrite(head, 1, sizeof(head), file), sizeof(head));
	fclose(file);
	put_driver("a.json", "@/a.so");
	snprintf(reason, sizeof(reason),
		"@/a.so can't be used: it is a %d-bit library and this process is %d-bit (wrong ELF class: ELFCLASS%d)",
		sizeof(void *) == 8 ? 32 : 64, (int)sizeof(void *) * 8,
		sizeof(void *) == 8 ? 32 : 64);
	explain("");
	expect_driver("a.json", "wrong architecture", reason,
		"nothing, if there is a manifest for this kind of process too; else install the build of a.so; not used here: @/data/vulkan/icd.d/a.json");
}

static void
library_needs_another(void **state)
{
	make_system();
	copy(BUILD_DIR "/explain_needy.so", "a.so");
	put_driver("a.json", "@/a.so");
	explain("");
	expect_driver("a.json", "unloadable",
		"@/a.so can't be opened: libexplain_gone.so: cannot open shared object file: No such file or directory",
		"install the package that has libexplain_gone.so, which a.so needs");
}

static void
library_has_an_undefined_symbol(void **state)
{
	make_system();
	copy(BUILD_DIR "/explain_undefined.so", "a.so");
	put_driver("a.json", "@/a.so");
	explain("");
	expect_driver("a.json", "unloadable",
		"@/a.so can't be opened: @/a.so: undefined symbol: explain_fault_nowhere",
		"a.so doesn't fit the libraries that it needs: update both, or install the package of @/data/vulkan/icd.d/a.json again");
}

static void
library_is_no_driver(void **state)
{
	make_system();
	copy(FAKES "/icd_no_gipa.so", "a.so");
	put_driver("a.json", "@/a.so");
	explain("");
	expect_driver("a.json", "no driver",
		"@/a.so speaks interface version 5 and doesn't export vk_icdGetInstanceProcAddr",
		"see that @/data/vulkan/icd.d/a.json names a Vulkan driver, or install its package again");
}

static void
filter_disables_it(void **state)
{
	make_system();
	copy(FAKES "/icd_v5.so", "a.so");
	put_driver("a.json", "@/a.so");
	explain("VK_LOADER_DRIVERS_DISABLE='a*'");
	expect_text(find("drivers", "a.json"), "named_by", "VK_LOADER_DRIVERS_DISABLE");
	expect_driver("a.json", "disabled",
		"Driver \"a.json\" ignored because it was disabled by env var 'VK_LOADER_DRIVERS_DISABLE'",
		"unset VK_LOADER_DRIVERS_DISABLE, or make it spare a.json");
}

static void
filter_selects_another(void **state)
{
	make_system();
	copy(FAKES "/icd_v5.so", "a.so");
	put_driver("a.json", "@/a.so");
	explain("VK_LOADER_DRIVERS_SELECT=b.json");
	expect_driver("a.json", "not selected",
		"Driver \"a.json\" ignored because not selected by env var 'VK_LOADER_DRIVERS_SELECT'",
		"add a.json to VK_LOADER_DRIVERS_SELECT, or unset that");
}

/* The second in the order of the variable. */
static void
library_of_another_manifest(void **state)
{
	char variables[1000];

	make_system();
	copy(FAKES "/icd_v5.so", "a.so");
	put_driver("a.json", "@/a.so");
	put_driver("b.json", "@/a.so");
	snprintf(variables, sizeof(variables), "VK_DRIVER_FILES=%s:%s",
		kr_test_path("data/vulkan/icd.d/b.json"), kr_test_path("data/vulkan/icd.d/a.json"));
	explain(variables);
	expect_driver("a.json", "duplicate",
		"@/a.so is the library of @/data/vulkan/icd.d/b.json, which is used already",
		"nothing; @/data/vulkan/icd.d/a.json could be removed");
}

static void
hardware_is_absent(void **state)
{
	make_system();
	copy(FAKES "/icd_v5.so", "libvulkan_asahi.so");
	put_driver("a.json", "@/libvulkan_asahi.so");
	explain("");
	expect_driver("a.json", "hardware absent",
		"@/libvulkan_asahi.so isn't opened: its hardware isn't here (@/root/dev/dri has no render node of asahi or virtio_gpu)",
		"nothing, unless the device should be here: then see that its kernel driver is "
		"loaded "
		"and that this container or sandbox has its node. "
		"VK_DRIVER_FILES=@/data/vulkan/icd.d/"
		"a.json or KRAFLA_ABSENT_HARDWARE=open opens it all the same");
}

static void
node_is_forbidden(void **state)
{
	make_system();
	put("root/dev/dri/renderD128", "");
	put("root/sys/class/drm/renderD128/device/uevent", "DRIVER=asahi\n");
	assert_int_equal(chmod(kr_test_path("root/dev/dri/renderD128"), 0), 0);
	copy(FAKES "/probed_chatty.so", "libvulkan_asahi.so");
	put_driver("a.json", "@/libvulkan_asahi.so");
	explain_without_rights();
	expect_driver("a.json", "used", "interface version 7, Vulkan 1.1.0 by its manifest",
		"this user may not open @/root/dev/dri/renderD128: let it join the group of that file (ls -l shows it, often \"render\" or \"video\") and log in again");
}

static void
driver_ends_the_program(void **state)
{
	make_system();
	copy(FAKES "/probed_exits.so", "a.so");
	put_driver("a.json", "@/a.so");
	explain("");
	expect_driver("a.json", "quarantined",
		"@/a.so isn't opened: its probe ended with exit code 3 while it was opened",
		"programs that open it end the same way: update or remove the driver, set "
		"KRAFLA_PROBE=1 to have it passed over, or VK_LOADER_DRIVERS_DISABLE=a.json");
}

/* With KRAFLA_PROBE the loader remembers, and explain says where. */
static void
quarantine_is_shown(void **state)
{
	char variables[1000];
	const char *reason;

	make_system();
	copy(FAKES "/probed_crash_create.so", "a.so");
	put_driver("a.json", "@/a.so");
	snprintf(variables, sizeof(variables), "KRAFLA_PROBE=1 XDG_CACHE_HOME=%s",
		kr_test_path("cache"));
	explain(variables);
	reason = json_string_value(json_object_get(find("drivers", "a.json"), "reason"));
	assert_non_null(strstr(reason,
		"a.so isn't opened: its probe ended with signal 6 (Aborted) in vkCreateInstance (remembered in "));
	assert_non_null(strstr(reason, "/cache/krafla/probe/"));
	expect_text(find("drivers", "a.json"), "advice",
		"update or remove the driver; a changed library is probed again. To have it opened regardless, unset KRAFLA_PROBE");
	json_decref(all);
}

/* The order is that of the search, and of the variable. */
static void
entries_are_in_the_order_considered(void **state)
{
	char variables[1000];
	const json_t *drivers;

	make_system();
	put("c.json", "1");
	put("a.json", "2");
	put("b.json", "3");
	snprintf(variables, sizeof(variables), "VK_DRIVER_FILES=%s:%s:%s", kr_test_path("c.json"),
		kr_test_path("a.json"), kr_test_path("b.json"));
	explain(variables);
	drivers = json_object_get(all, "drivers");
	for (size_t i = 0; i < 3; i++) {
		const char *path =
			json_string_value(json_object_get(json_array_get(drivers, i), "path"));

		assert_int_equal(path[strlen(path) - 6], "cab"[i]);
	}
	json_decref(all);
}

/* Where was looked and what to install, or which variable to correct. */
static void
without_a_driver_it_says_where_it_looked(void **state)
{
	char place[300], variables[500];
	size_t count;

	make_system();
	explain("");
	count = json_array_size(json_object_get(all, "driver_places"));
	assert_true(count > 2);
	assert_non_null(strstr(json_string_value(json_object_get(all, "driver_advice")),
		"mesa-vulkan-drivers (Debian"));
	json_decref(all);
	snprintf(place, sizeof(place), "      looked in: %s\n", kr_test_path("data/vulkan/icd.d"));
	assert_int_equal(run("", "", "2>&1"), 0);
	assert_non_null(strstr(output, "  none was found\n      looked in: /"));
	assert_non_null(strstr(output, place));
	assert_non_null(strstr(output, "      do: install the package that has the driver"));
	snprintf(variables, sizeof(variables), "VK_DRIVER_FILES=%s", kr_test_path("none.json"));
	assert_int_equal(run("", variables, "2>&1"), 0);
	snprintf(place, sizeof(place), "      looked in: %s, by VK_DRIVER_FILES\n      do: correct",
		kr_test_path("none.json"));
	assert_non_null(strstr(output, "  none can be used\n"));
	assert_non_null(strstr(output, place));
	/* With one there is no need of it. */
	copy(FAKES "/icd_v5.so", "a.so");
	put_driver("a.json", "@/a.so");
	explain("");
	assert_true(json_is_null(json_object_get(all, "driver_advice")));
	assert_int_equal(json_array_size(json_object_get(all, "driver_places")), count);
	json_decref(all);
	assert_int_equal(run("", "", "2>&1"), 0);
	assert_null(strstr(output, "looked in"));
}

static void
text_has_the_same(void **state)
{
	make_system();
	copy(FAKES "/icd_v5.so", "a.so");
	put_driver("a.json", "@/a.so");
	put_layer("implicit_layer.d", "b", "@/b.so",
		",\"disable_environment\":{\"DISABLE_X\":\"1\"}");
	assert_int_equal(run("", "VK_LOADER_DRIVERS_DISABLE='*' DISABLE_X=1", "2>&1"), 0);
	assert_non_null(strstr(output, "drivers, in the order considered\n  [-] "));
	assert_non_null(strstr(output, "      by: VK_LOADER_DRIVERS_DISABLE\n"));
	assert_non_null(
		strstr(output, "      do: unset VK_LOADER_DRIVERS_DISABLE, or make it spare"));
	assert_non_null(strstr(output, "layers, in the order considered\n  [-] VK_LAYER_b "));
	assert_non_null(strstr(output, "      disabled: DISABLE_X is set, which disables it\n"));
}

static void
command_line(void **state)
{
	make_system();
	assert_int_equal(run("", "", "--help 2>&1"), 0);
	assert_non_null(strstr(output, "usage: krafla explain [--json] [--devices DIR]\n"));
	assert_int_equal(run("", "", "--nonsense 2>&1"), 2);
	assert_int_equal(run("", "", "word 2>&1"), 2);
	assert_non_null(strstr(output, "krafla explain: 'word' is one argument too many"));
	assert_int_equal(run("", "", "--devices /no/such 2>&1"), 2);
	assert_non_null(strstr(output, "--devices /no/such: No such file or directory"));
	assert_int_equal(run("", "", "2>&1"), 0);
	assert_non_null(strstr(output, "drivers, in the order considered\n"));
}

static bool
is_said(const char *sentence)
{
	const json_t *message;
	bool said = false;
	size_t i;

	json_array_foreach(json_object_get(all, "messages"), i, message) said |=
		!strcmp(json_string_value(message), sentence);
	return said;
}

/* What is wrong and is no driver's or layer's fault is said beside them, what is theirs is not. */
static void
variables_are_wrong(void **state)
{
	make_system();
	put("data/vulkan/icd.d/a.json", "[]");
	explain("");
	assert_int_equal(json_array_size(json_object_get(all, "messages")), 0);
	expect_driver("a.json", "bad manifest", "@/data/vulkan/icd.d/a.json: isn't a JSON object",
		"repair or remove @/data/vulkan/icd.d/a.json, or install its package again");
	explain("KRAFLA_PROFILE=x VK_INSTANCE_LAYERS=VK_LAYER_none");
	assert_string_equal(json_string_value(json_object_get(all, "profile")), "linux");
	assert_int_equal(json_array_size(json_object_get(all, "messages")), 3);
	assert_true(is_said("env var 'VK_INSTANCE_LAYERS' defined and adding layers "
			    "\"VK_LAYER_none\""));
	assert_true(is_said(
		"KRAFLA_PROFILE: there is no profile \"x\" (there are linux, android and fuchsia); linux is used"));
	assert_true(is_said(
		"Layer \"VK_LAYER_none\" was not found but was requested by env var VK_INSTANCE_LAYERS!"));
	json_decref(all);
	explain("KRAFLA_PROFILE=android");
	assert_string_equal(json_string_value(json_object_get(all, "profile")), "android");
	assert_int_equal(json_array_size(json_object_get(all, "messages")), 0);
	json_decref(all);
}

static const struct kr_test tests[] = {
	KR_TEST(driver_that_is_used),
	KR_TEST(named_manifest_is_missing),
	KR_TEST(manifest_is_forbidden),
	KR_TEST(manifest_is_no_json),
	KR_TEST(manifest_lacks_the_library),
	KR_TEST(library_of_a_known_package_is_missing),
	KR_TEST(library_by_name_is_missing),
	KR_TEST(library_is_forbidden),
	KR_TEST(library_is_of_another_machine),
	KR_TEST(library_needs_another),
	KR_TEST(library_has_an_undefined_symbol),
	KR_TEST(library_is_no_driver),
	KR_TEST(filter_disables_it),
	KR_TEST(filter_selects_another),
	KR_TEST(library_of_another_manifest),
	KR_TEST(hardware_is_absent),
	KR_TEST(node_is_forbidden),
	KR_TEST(driver_ends_the_program),
	KR_TEST(quarantine_is_shown),
	KR_TEST(entries_are_in_the_order_considered),
	KR_TEST(without_a_driver_it_says_where_it_looked),
	KR_TEST(text_has_the_same),
	KR_TEST(command_line),
	KR_TEST(variables_are_wrong),
};

KR_TEST_MAIN(tests)
