/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla info` and `krafla explain` with a loader service: its state, its drivers, and why one
 * isn't used.
 */
#include <stdio.h>
#include <string.h>

#include <jansson.h>
#include "support.h"

static char output[65536];

static void
run(const char *arguments)
{
	char command[512];

	snprintf(command, sizeof(command), "%s %s 2>%s/stderr", KRAFLA, arguments, kr_test_dir());
	assert_int_equal(kr_test_shell(command, output, sizeof(output)), 0);
}

static json_t *
run_json(const char *arguments)
{
	json_t *all;

	run(arguments);
	all = json_loads(output, 0, NULL);
	if (!all)
		fail_msg("this is no JSON:\n%s", output);
	return all;
}

static const char *
text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

static void
expect_service(const json_t *all, const char *state, const char *reason)
{
	const json_t *service = json_object_get(all, "service");

	assert_string_equal(text(service, "state"), state);
	assert_non_null(strstr(text(service, "reason"), reason));
}

static void
expect_driver(const json_t *all, size_t index, bool used, const char *path, const char *reason)
{
	const json_t *driver = json_array_get(json_object_get(all, "drivers"), index);

	assert_int_equal(json_is_true(json_object_get(driver, "used")), used);
	assert_non_null(strstr(text(driver, "path"), path));
	if (!strstr(text(driver, "reason"), reason))
		fail_msg("\"%s\" doesn't say \"%s\"", text(driver, "reason"), reason);
}

static void
a_service_and_its_driver(void **state)
{
	static const char *const commands[] = {"info --json", "explain --json"};
	struct fake_service *service = begin("fuchsia");

	fake_offer(service, "0-vulkan.null.so", TEST_HAL_DIR "/vulkan.null.so");
	for (size_t i = 0; i < KR_ARRAY_LEN(commands); i++) {
		json_t *all = run_json(commands[i]);

		expect_service(all, "connected", "");
		assert_non_null(
			strstr(text(json_object_get(all, "service"), "socket"), "/service"));
		assert_int_equal(json_array_size(json_object_get(
					 json_object_get(all, "service"), "features")),
			3);
		expect_driver(all, 0, true, "service:0-vulkan.null.so.json", "interface version");
		json_decref(all);
	}
	run("info");
	assert_non_null(strstr(output, "/service\n    connected\n"));
	run("explain");
	assert_non_null(strstr(output, "by: service"));
	fake_kill(service);
}

/* What the driver lacks here is told by the tools. */
static void
a_driver_that_does_not_fit(void **state)
{
	struct fake_service *service = begin("fuchsia");
	json_t *all;

	fake_offer(service, "0-vulkan.null.so", TEST_HAL_DIR "/vulkan.null.so");
	atomic_store(&service->fault, FAKE_NEEDS_NEWER);
	all = run_json("explain --json");
	expect_driver(all, 0, false, "service:0-vulkan.null.so.json", "9.99");
	json_decref(all);
	all = run_json("info --json");
	expect_driver(all, 0, false, "service:0-vulkan.null.so.json", "9.99");
	json_decref(all);
	fake_kill(service);
}

static void
a_service_that_is_not_there(void **state)
{
	struct fake_service *service = begin("linux");
	json_t *all;

	fake_kill(service);
	all = run_json("info --json");
	expect_service(all, "unreachable", "start kraflad");
	expect_driver(all, 0, false, "the loader service", "start kraflad");
	json_decref(all);
	all = run_json("explain --json");
	expect_driver(all, 0, false, "the loader service", "start kraflad");
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(all, "drivers"), 0), "advice")));
	json_decref(all);
}

static void
no_service_and_one_that_is_not_needed(void **state)
{
	struct fake_service *service = begin("linux");
	json_t *all;

	set_variable("VK_DRIVER_FILES", "/nonexistent.json");
	all = run_json("info --json");
	expect_service(all, "not used", "");
	assert_int_equal(atomic_load(&service->connections), 0);
	json_decref(all);
	set_variable("KRAFLA_SERVICE", "none");
	all = run_json("info --json");
	assert_true(json_is_null(json_object_get(all, "service")));
	json_decref(all);
	run("info");
	assert_non_null(strstr(output, "service\n  none: KRAFLA_SERVICE"));
	fake_kill(service);
}

/* The installed driver that is served, too. */
static void
a_driver_that_is_served_and_installed(void **state)
{
	struct fake_service *service = begin("linux");
	const json_t *driver;
	json_t *all;

	make_dir("vulkan");
	make_dir("vulkan/icd.d");
	kr_test_file("vulkan/icd.d/own.json",
		"{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"" TEST_HAL_DIR
		"/vulkan.null.so\",\"api_version\":\"1.1.0\"}}");
	fake_offer(service, "0-vulkan.null.so", TEST_HAL_DIR "/vulkan.null.so");
	all = run_json("explain --json");
	expect_driver(all, 0, false, "own.json", "0-vulkan.null.so");
	driver = json_array_get(json_object_get(all, "drivers"), 0);
	assert_string_equal(text(driver, "verdict"), "duplicate");
	assert_non_null(strstr(text(driver, "advice"), "KRAFLA_SERVICE=none"));
	expect_driver(all, 1, true, "service:0-vulkan.null.so.json", "");
	json_decref(all);
	fake_kill(service);
}

/* Such a driver is broken, and krafla info says so: what isn't there isn't called. */
static void
a_driver_that_lacks_commands(void **state)
{
	struct fake_service *service = begin("fuchsia");
	const json_t *device;
	json_t *all;

	fake_offer(service, "0-fake_a.so", TEST_ICD);
	all = run_json("info --json");
	device = json_array_get(json_object_get(all, "devices"), 0);
	assert_string_equal(text(device, "name"), "a");
	assert_string_equal(text(device, "import"), "none");
	json_decref(all);
	run("info");
	assert_non_null(strstr(output, "vkAllocateDescriptorSets, which Vulkan 1.0 requires"));
	fake_kill(service);
}

/* The variables of the environment stay with the process. */
#define TEST(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	TEST(a_service_and_its_driver),
	TEST(a_driver_that_does_not_fit),
	TEST(a_service_that_is_not_there),
	TEST(a_driver_that_is_served_and_installed),
	TEST(a_driver_that_lacks_commands),
	TEST(no_service_and_one_that_is_not_needed),
};
KR_TEST_MAIN(tests)
