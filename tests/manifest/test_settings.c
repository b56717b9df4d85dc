/* SPDX-License-Identifier: Apache-2.0 */
/* K-20 The settings file: where it is, for whom it is, and what each of its keys becomes. */
#include "harness.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "manifest/settings.h"
#include "util/log.h"
#include "util/text.h"

#define BELOW "vulkan//loader_settings.d/vk_loader_settings.json"

static struct {
	const char *name;
	char value[PATH_MAX];
} environment[8];
static size_t environment_count;

static const char *
get(const char *name)
{
	for (size_t i = 0; i < environment_count; i++) {
		if (!strcmp(environment[i].name, name))
			return environment[i].value;
	}
	return NULL;
}

/* The variable names a directory below the test's. */
static void
set_dir(const char *name, const char *below)
{
	environment[environment_count].name = name;
	snprintf(environment[environment_count++].value, PATH_MAX, "%s/%s", kr_test_dir(), below);
}

static char sysconfdir[PATH_MAX];
static const struct kr_search_options options = {.env_get = get, .sysconfdir = sysconfdir};

/* What was logged, line by line. */
static char messages[1 << 16];

static void
collect(void *data, uint32_t bits, const char *message)
{
	size_t used = strlen(messages);

	snprintf(messages + used, sizeof(messages) - used, "%x %s\n", bits, message);
}

static void
start(void)
{
	snprintf(sysconfdir, sizeof(sysconfdir), "%s/sys", kr_test_dir());
	kr_log_set_sink(collect, NULL);
}

/* Writes a settings file below a directory that the environment may name. */
static const char *
write_settings(const char *base, const char *text)
{
	char name[256], path[PATH_MAX];
	char *slash;

	snprintf(name, sizeof(name), "%s/" BELOW, base);
	snprintf(path, sizeof(path), "%s/%s", kr_test_dir(), name);
	for (slash = path + strlen(kr_test_dir()) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(path, 0755);
		*slash = '/';
	}
	return kr_test_file(name, text);
}

static void
read_settings(struct kr_settings *settings)
{
	memset(settings, 0xaa, sizeof(*settings));
	messages[0] = '\0';
	assert_int_equal(kr_settings_read(&options, settings), 0);
}

/* Reads `text` as the settings file in /etc. */
static void
read_text(struct kr_settings *settings, const char *text)
{
	start();
	write_settings("sys", text);
	read_settings(settings);
}

#define WHOLE(body) "{\"file_format_version\":\"1.0.0\",\"settings\":{" body "}}"

static void
no_file_is_no_settings_and_no_message(void **state)
{
	static const struct kr_settings none;
	struct kr_settings settings;

	start();
	set_dir("HOME", "home");
	read_settings(&settings);
	assert_memory_equal(&settings, &none, sizeof(none));
	assert_string_equal(messages, "");
	kr_settings_finish(&settings);
}

static void
places_in_their_order(void **state)
{
	static const char *const bases[] = {"ch", "dh", "c1", "c2", "sys", "d1", "d2"};
	struct kr_settings settings;

	start();
	set_dir("HOME", "home");
	set_dir("XDG_CONFIG_HOME", "ch");
	set_dir("XDG_DATA_HOME", "dh");
	set_dir("XDG_CONFIG_DIRS", "c1");
	snprintf(environment[3].value + strlen(environment[3].value), 512, ":%s/c2", kr_test_dir());
	set_dir("XDG_DATA_DIRS", "d1");
	snprintf(environment[4].value + strlen(environment[4].value), 512, ":%s/d2", kr_test_dir());
	/* HOME's own directories count for nothing beside both XDG homes. */
	write_settings("home/.config", WHOLE(""));
	write_settings("home/.local/share", WHOLE(""));
	for (size_t i = KR_ARRAY_LEN(bases); i--;) {
		const char *path = write_settings(bases[i], WHOLE(""));

		read_settings(&settings);
		assert_string_equal(settings.path, path);
		assert_non_null(strstr(messages, path));
		kr_settings_finish(&settings);
	}
}

static void
homes_without_xdg(void **state)
{
	struct kr_settings settings;
	const char *path;

	start();
	set_dir("HOME", "home");
	write_settings("sys", WHOLE(""));
	path = write_settings("home/.local/share", WHOLE(""));
	read_settings(&settings);
	assert_string_equal(settings.path, path);
	kr_settings_finish(&settings);
	path = write_settings("home/.config", WHOLE(""));
	read_settings(&settings);
	assert_string_equal(settings.path, path);
	kr_settings_finish(&settings);
}

/* A program finds the file anew each time: what a tool wrote meanwhile counts. */
static void
read_anew(void **state)
{
	struct kr_settings settings;

	read_text(&settings, WHOLE("\"layers\":[{\"name\":\"A\",\"control\":\"on\"}]"));
	assert_string_equal(settings.layers[0].name, "A");
	kr_settings_finish(&settings);
	read_text(&settings, WHOLE("\"layers\":[{\"name\":\"B\",\"control\":\"off\"}]"));
	assert_string_equal(settings.layers[0].name, "B");
	kr_settings_finish(&settings);
}

static void
layers(void **state)
{
	struct kr_settings settings;

	read_text(&settings,
		WHOLE("\"layers\":["
		      "{\"name\":\"A\",\"path\":\"/a.json\",\"control\":\"on\"},"
		      "{\"name\":\"B\",\"control\":\"off\",\"treat_as_implicit_manifest\":true},"
		      "{\"control\":\"unordered_layer_location\"},"
		      "{\"name\":\"C\",\"path\":\"/c.json\",\"control\":\"auto\"},"
		      "{\"name\":\"D\",\"path\":\"/d.json\",\"control\":\"what\"}]"));
	assert_true(settings.has_layers);
	assert_int_equal(settings.layer_count, 5);
	assert_int_equal(settings.layers[0].control, KR_CONTROL_ON);
	assert_string_equal(settings.layers[0].path, "/a.json");
	assert_false(settings.layers[0].implicit);
	assert_int_equal(settings.layers[1].control, KR_CONTROL_OFF);
	assert_null(settings.layers[1].path);
	assert_true(settings.layers[1].implicit);
	assert_int_equal(settings.layers[2].control, KR_CONTROL_UNORDERED);
	assert_null(settings.layers[2].name);
	assert_int_equal(settings.layers[3].control, KR_CONTROL_AUTO);
	assert_int_equal(settings.layers[4].control, KR_CONTROL_AUTO);
	assert_non_null(strstr(messages, "control \"what\""));
	kr_settings_finish(&settings);
}

static void
an_empty_list_of_layers_is_one(void **state)
{
	struct kr_settings settings;

	read_text(&settings, WHOLE("\"layers\":{}"));
	assert_true(settings.has_layers);
	assert_int_equal(settings.layer_count, 0);
	kr_settings_finish(&settings);
	read_text(&settings, WHOLE("\"stderr_log\":[]"));
	assert_false(settings.has_layers);
	assert_non_null(settings.path);
	kr_settings_finish(&settings);
}

static void
drivers(void **state)
{
	struct kr_settings settings;

	read_text(&settings,
		WHOLE("\"additional_drivers\":[{\"path\":\"/1.json\"},{\"path\":\"/2.json\"}],"
		      "\"additional_drivers_use_exclusively\":true"));
	assert_int_equal(settings.driver_count, 2);
	assert_string_equal(settings.driver_paths[0], "/1.json");
	assert_string_equal(settings.driver_paths[1], "/2.json");
	assert_true(settings.drivers_exclusive);
	kr_settings_finish(&settings);
}

static void
devices(void **state)
{
	static const uint8_t device[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255};
	struct kr_settings settings;

	read_text(&settings,
		WHOLE("\"device_configurations\":[{"
		      "\"deviceUUID\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,255],"
		      "\"driverUUID\":[9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9],"
		      "\"driverVersion\":4294967295,\"deviceName\":\"gpu\","
		      "\"driverName\":\"drv\"},{\"deviceName\":\"other\"}]"));
	assert_int_equal(settings.device_count, 2);
	assert_true(settings.devices[0].has_device_uuid);
	assert_memory_equal(settings.devices[0].device_uuid, device, sizeof(device));
	assert_true(settings.devices[0].has_driver_uuid);
	assert_int_equal(settings.devices[0].driver_uuid[15], 9);
	assert_true(settings.devices[0].has_driver_version);
	assert_int_equal(settings.devices[0].driver_version, UINT32_MAX);
	assert_string_equal(settings.devices[0].device_name, "gpu");
	assert_string_equal(settings.devices[0].driver_name, "drv");
	assert_false(settings.devices[1].has_device_uuid);
	assert_false(settings.devices[1].has_driver_version);
	kr_settings_finish(&settings);
}

static void
expect_choice(const char *array, const char *layer)
{
	char *text =
		kr_asprintf("{\"file_format_version\":\"1.0.0\",\"settings_array\":%s}", array);
	struct kr_settings settings;

	read_text(&settings, text);
	if (layer) {
		assert_int_equal(settings.layer_count, 1);
		assert_string_equal(settings.layers[0].name, layer);
	} else {
		assert_null(settings.path);
	}
	kr_settings_finish(&settings);
	free(text);
}

#define FOR(keys, name) "{" keys "\"layers\":[{\"name\":\"" name "\",\"control\":\"on\"}]}"

static void
settings_of_this_program(void **state)
{
	char exe[PATH_MAX] = "", *array;

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	expect_choice("[" FOR("\"app_keys\":[\"/other\"],", "x") "," FOR("", "global") "," FOR(
			      "", "second") "]",
		"global");
	array = kr_asprintf("[" FOR("", "global") "," FOR("\"app_keys\":[\"/other\"],",
				    "x") "," FOR("\"app_keys\":[\"/other\",\"%s\"],", "mine") "]",
		exe);
	expect_choice(array, "mine");
	free(array);
	/* Part of the path isn't the path. */
	array = kr_asprintf("[" FOR("\"app_keys\":[\"%s\"],", "part") "]", strrchr(exe, '/') + 1);
	expect_choice(array, NULL);
	free(array);
	expect_choice("[]", NULL);
}

/* As many as a person writes, and more. */
static void
too_many_entries_are_told(void **state)
{
	static const char entry[] = "{\"name\":\"A\",\"control\":\"auto\"},";
	struct kr_settings settings;
	char *text = malloc(5000 * sizeof(entry)), *end = text;

	end += sprintf(end, "{\"file_format_version\":\"1.0.0\",\"settings\":{\"layers\":[");
	for (int i = 0; i < 4097; i++)
		end += sprintf(end, "%s", entry);
	strcpy(end - 1, "]}}");
	read_text(&settings, text);
	assert_null(settings.path);
	assert_non_null(strstr(
		messages, "layers has more than 4096 entries: the settings file isn't used"));
	kr_settings_finish(&settings);
	free(text);
}

/* One that asks for nothing isn't said to be in use. */
static void
no_settings_are_told(void **state)
{
	static const char *const texts[] = {WHOLE(""), WHOLE("\"stderr_log\":[]"),
		WHOLE("\"stderr_log\":[\"\"]"), WHOLE("\"unknown\":1")};
	struct kr_settings settings;

	for (size_t i = 0; i < KR_ARRAY_LEN(texts); i++) {
		read_text(&settings, texts[i]);
		if (!strstr(messages, "did not contain any valid settings.") ||
			strstr(messages, "Using"))
			fail_msg("%s: %s", texts[i], messages);
		kr_settings_finish(&settings);
	}
	read_text(&settings, WHOLE("\"layers\":[]"));
	assert_non_null(
		strstr(messages, "Using layer configurations found in loader settings from"));
	kr_settings_finish(&settings);
}

/* Other loaders look at settings_array alone where a file has both. */
static void
array_goes_before_lone_settings(void **state)
{
	struct kr_settings settings;

	read_text(&settings,
		"{\"file_format_version\":\"1.0.0\",\"settings_array\":[],\"settings\":{}}");
	assert_null(settings.path);
	kr_settings_finish(&settings);
}

/* What isn't what it has to be is told, with the file's name, and the file doesn't apply. */
static void
hostile_files_are_told(void **state)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{\"file_format_version\":\"1.0.0\"",
		"{\"settings\":{}}",
		"{\"file_format_version\":\"1.0.0\"}",
		"{\"file_format_version\":\"1.0.0\",\"settings\":[]}",
		"{\"file_format_version\":\"1.0.0\",\"settings_array\":{}}",
		"{\"file_format_version\":\"1.0.0\",\"settings_array\":[1,null,\"x\"]}",
		WHOLE("\"app_keys\":{}"),
		WHOLE("\"layers\":7"),
		WHOLE("\"layers\":[7]"),
		WHOLE("\"layers\":[{\"name\":\"A\"}]"),
		WHOLE("\"layers\":[{\"name\":\"A\",\"control\":1}]"),
		WHOLE("\"layers\":[{\"control\":\"on\"}]"),
		WHOLE("\"layers\":[{\"name\":\"A\",\"control\":\"on\"},{\"name\":null,\"control\":"
		      "\"on\"}]"),
	};
	struct kr_settings settings;

	for (size_t i = 0; i < KR_ARRAY_LEN(texts); i++) {
		read_text(&settings, texts[i]);
		if (settings.path ||
			!strstr(messages, BELOW "\" but did not contain any valid settings."))
			fail_msg("%s: used %s, messages: %s", texts[i], settings.path, messages);
		kr_settings_finish(&settings);
	}
}

/*
 * K-20: a section that isn't what it has to be is told and counts as absent; the others are used.
 */
static void
hostile_sections_are_passed_over(void **state)
{
	static const char *const sections[] = {
		"\"stderr_log\":\"all\"",
		"\"additional_drivers\":[{\"path\":\"/1.json\"},{}],"
		"\"additional_drivers_use_exclusively\":true",
		"\"device_configurations\":[{\"deviceName\":\"gpu\"},{}]",
		"\"additional_drivers\":\"/x.json\"",
		"\"additional_drivers\":[\"/x.json\"]",
		"\"additional_drivers\":[{\"path\":3}]",
		"\"device_configurations\":[{}]",
		"\"device_configurations\":[{\"deviceUUID\":\"00\"}]",
		"\"device_configurations\":[{\"deviceUUID\":[1,2,3]}]",
		"\"device_configurations\":[{\"deviceUUID\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
		"0]}]",
		"\"device_configurations\":[{\"deviceUUID\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
		"256]}]",
		"\"device_configurations\":[{\"driverUUID\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
		"-1]}]",
		"\"device_configurations\":[{\"driverVersion\":4294967296}]",
		"\"device_configurations\":[{\"driverVersion\":1.5}]",
		"\"device_configurations\":[{\"deviceName\":[]}]",
	};
	struct kr_settings settings;

	for (size_t i = 0; i < KR_ARRAY_LEN(sections); i++) {
		char *text = kr_asprintf(
			WHOLE("%s,\"layers\":[{\"name\":\"A\",\"control\":\"on\"}]"), sections[i]);

		read_text(&settings, text);
		if (!settings.path || settings.layer_count != 1 || settings.log_bits ||
			settings.driver_count || settings.drivers_exclusive ||
			settings.device_count || !strstr(messages, "the section isn't used"))
			fail_msg("%s: messages: %s", text, messages);
		kr_settings_finish(&settings);
		free(text);
	}
	read_text(&settings,
		WHOLE("\"additional_drivers\":[3],"
		      "\"device_configurations\":[{\"deviceName\":\"gpu\"}]"));
	assert_int_equal(settings.device_count, 1);
	kr_settings_finish(&settings);
}

static void
a_file_without_settings_is_told_as_that(void **state)
{
	struct kr_settings settings;

	read_text(&settings, "{\"file_format_version\":\"1.0.0\"}");
	assert_non_null(strstr(messages, "neither settings nor settings_array"));
	kr_settings_finish(&settings);
}

static void
a_name_too_long_for_vulkan_is_told(void **state)
{
	char name[300], *text;
	struct kr_settings settings;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	text = kr_asprintf(WHOLE("\"device_configurations\":[{\"driverName\":\"%s\"}]"), name);
	read_text(&settings, text);
	assert_int_equal(settings.device_count, 0);
	assert_non_null(strstr(messages, "the section isn't used"));
	free(text);
	kr_settings_finish(&settings);
}

/* A directory in the file's place, and a file without permission. */
static void
an_unreadable_file_is_told(void **state)
{
	struct kr_settings settings;
	char path[PATH_MAX];

	start();
	unlink(write_settings("sys", ""));
	snprintf(path, sizeof(path), "%s/sys/" BELOW, kr_test_dir());
	assert_int_equal(mkdir(path, 0755), 0);
	read_settings(&settings);
	assert_null(settings.path);
	assert_non_null(strstr(messages, path));
	kr_settings_finish(&settings);
}

/* K-09 stderr_log replaces the mask while the file asks for something. */
static void
log_follows_the_file(void **state)
{
	struct kr_settings settings;

	read_text(&settings, WHOLE("\"stderr_log\":[\"error\",\"layer\",\"\",\"validation\"]"));
	assert_true(settings.has_log);
	assert_int_equal(settings.log_bits, KR_LOG_ERROR | KR_LOG_LAYER);
	assert_null(strstr(messages, "passed over"));
	kr_settings_finish(&settings);
	kr_log_set_sink(NULL, NULL);
	assert_true(kr_log_enabled(KR_LOG_ERROR));
	assert_false(kr_log_enabled(KR_LOG_WARN));
	read_text(&settings, WHOLE("\"stderr_log\":[\"\"]"));
	kr_settings_finish(&settings);
	kr_log_set_sink(NULL, NULL);
	assert_false(kr_log_enabled(KR_LOG_ERROR));
	read_text(&settings, WHOLE("\"stderr_log\":[\"nonsense\",1]"));
	assert_non_null(strstr(messages, "nonsense"));
	kr_settings_finish(&settings);
}

/* Without settings, a mask that somebody else set stays. */
static void
log_is_left_alone_without_a_file(void **state)
{
	struct kr_settings settings;

	start();
	kr_log_set_mask(KR_LOG_PERF);
	read_settings(&settings);
	kr_settings_finish(&settings);
	kr_log_set_sink(NULL, NULL);
	assert_true(kr_log_enabled(KR_LOG_PERF));
}

/* K-50 The file in use is named, and each of its layers for who asks for that much. */
static void
what_is_in_use_is_told(void **state)
{
	struct kr_settings settings;
	char expected[PATH_MAX + 200];

	read_text(&settings,
		WHOLE("\"stderr_log\":[\"warn\",\"debug\"],\"layers\":[{\"name\":\"A\",\"path\":"
		      "\"/a\",\"control\":\"on\"},{\"control\":\"unordered_layer_location\"}]"));
	snprintf(expected, sizeof(expected),
		"%x Using layer configurations found in loader settings from %s/sys/" BELOW "\n",
		KR_LOG_INFO, kr_test_dir());
	assert_non_null(strstr(messages, expected));
	assert_non_null(strstr(messages, ": WARNING | DEBUG\n"));
	assert_non_null(strstr(messages, "Layer Configurations count = 2\n"));
	assert_non_null(strstr(messages, "Name: A\n"));
	assert_non_null(strstr(messages, "Control: on\n"));
	assert_non_null(strstr(messages, "Control: unordered_layer_location\n"));
	kr_settings_finish(&settings);
}

static void
every_allocation_may_fail(void **state)
{
	struct kr_settings settings;
	int ret = -ENOMEM;

	start();
	write_settings("sys",
		WHOLE("\"layers\":[{\"name\":\"A\",\"path\":\"/a\",\"control\":\"on\"}],"
		      "\"additional_drivers\":[{\"path\":\"/1\"}],"
		      "\"device_configurations\":[{\"deviceName\":\"g\"}]"));
	for (long n = 0; ret == -ENOMEM && n < 1000; n++) {
		failing_alloc_left = n;
		ret = kr_settings_read(&options, &settings);
		failing_alloc_left = -1;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(settings.device_count, 1);
	kr_settings_finish(&settings);
}

static const struct kr_test tests[] = {
	KR_TEST(no_file_is_no_settings_and_no_message),
	KR_TEST(places_in_their_order),
	KR_TEST(homes_without_xdg),
	KR_TEST(read_anew),
	KR_TEST(layers),
	KR_TEST(an_empty_list_of_layers_is_one),
	KR_TEST(drivers),
	KR_TEST(devices),
	KR_TEST(settings_of_this_program),
	KR_TEST(too_many_entries_are_told),
	KR_TEST(no_settings_are_told),
	KR_TEST(array_goes_before_lone_settings),
	KR_TEST(hostile_files_are_told),
	KR_TEST(hostile_sections_are_passed_over),
	KR_TEST(a_file_without_settings_is_told_as_that),
	KR_TEST(a_name_too_long_for_vulkan_is_told),
	KR_TEST(an_unreadable_file_is_told),
	KR_TEST(log_follows_the_file),
	KR_TEST(log_is_left_alone_without_a_file),
	KR_TEST(what_is_in_use_is_told),
	KR_TEST(every_allocation_may_fail),
};
KR_TEST_MAIN(tests)
