/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file: each key, and each way to get one wrong (docs/service.md). */
#include <errno.h>
#include <string.h>

#include "harness.h"
#include "service/config/config.h"
#include "util/macros.h"

static struct kr_config
read_good(const char *text)
{
	struct kr_config config;
	char *reason;
	int err;

	assert_int_equal(kr_config_init(&config), 0);
	err = kr_config_read(kr_test_file("kraflad.json", text), &config, &reason);
	if (err)
		fail_msg("%s", reason);
	assert_null(reason);
	return config;
}

static void
defaults(void **state)
{
	struct kr_config config = read_good("{}");

	assert_non_null(strstr(config.file, "kraflad.json"));
	assert_null(config.socket);
	assert_int_equal(config.socket_mode, 0660);
	assert_int_equal(config.package_count, 2);
	assert_string_equal(config.packages[0], "/usr/lib/krafla/drivers");
	assert_string_equal(config.packages[1], "/etc/krafla/drivers");
	assert_int_equal(kr_config_resolver_of(&config, 0), KR_RESOLVE_BASE);
	assert_int_equal(kr_config_resolver_of(&config, 1), KR_RESOLVE_FULL);
	assert_string_equal(config.resolver, "full");
	assert_string_equal(config.dev, "/dev");
	assert_string_equal(config.sys, "/sys");
	assert_string_equal(config.events, "auto");
	assert_int_equal(config.class_count, 0);
	assert_null(config.software);
	assert_true(config.compile_at_run_time);
	assert_true(config.probe);
	assert_int_equal(config.delivery, KR_DELIVER_AUTO);
	assert_int_equal(config.max_clients, 4096);
	assert_int_equal(config.max_clients_of_a_user, 1024);
	assert_int_equal(config.max_clients_of_a_process, 64);
	assert_int_equal(config.max_requests, 16);
	kr_config_finish(&config);
}

static const char full[] =
	"{\"socket\": \"/run/x\", \"socket_mode\": \"0606\", \"packages\": [\"/a\", \"/b\", "
	"{\"path\": \"/c\", \"resolver\": \"ephemeral\"}], \"resolver\": \"base\","
	" \"dev\": \"/d\", \"sys\": \"/s\", \"events\": \"kernel\","
	" \"classes\": [{\"pattern\": \"goldfish_pipe*\", \"package\": \"goldfish\"}],"
	" \"driver_services\": [{\"name\": \"log\", \"socket\": \"/dev/log\", \"safe\": true}],"
	" \"software\": \"lavapipe\", \"compile_at_run_time\": false, \"probe\": false,"
	" \"delivery\": \"memory\", \"max_clients\": 7, \"max_clients_of_a_user\": 3,"
	" \"max_clients_of_a_process\": 5,"
	" \"max_requests\": 2}";

/* All that tells one instance from another is in its file. */
static void
every_key(void **state)
{
	struct kr_config config = read_good(full);

	assert_string_equal(config.socket, "/run/x");
	assert_int_equal(config.socket_mode, 0606);
	assert_int_equal(config.package_count, 3);
	assert_string_equal(config.packages[2], "/c");
	assert_int_equal(kr_config_resolver_of(&config, 1), KR_RESOLVE_FULL);
	assert_int_equal(kr_config_resolver_of(&config, 2), KR_RESOLVE_EPHEMERAL);
	assert_string_equal(config.resolver, "base");
	assert_string_equal(config.dev, "/d");
	assert_string_equal(config.sys, "/s");
	assert_string_equal(config.events, "kernel");
	assert_int_equal(config.class_count, 1);
	assert_string_equal(config.classes[0].pattern, "goldfish_pipe*");
	assert_string_equal(config.classes[0].package, "goldfish");
	assert_int_equal(config.service_count, 1);
	assert_string_equal(config.services[0].name, "log");
	assert_string_equal(config.services[0].socket, "/dev/log");
	assert_true(config.services[0].safe);
	assert_string_equal(config.software, "lavapipe");
	assert_false(config.compile_at_run_time);
	assert_false(config.probe);
	assert_int_equal(config.delivery, KR_DELIVER_MEMORY);
	assert_int_equal(config.max_clients, 7);
	assert_int_equal(config.max_clients_of_a_user, 3);
	assert_int_equal(config.max_clients_of_a_process, 5);
	assert_int_equal(config.max_requests, 2);
	kr_config_finish(&config);
}

/* M-06: what is shown can be read again, and is the same. */
static void
inspected(void **state)
{
	struct kr_config config = read_good(full), again;
	json_t *shown = kr_config_inspect(&config), *file;
	char *text;

	file = json_incref(json_object_get(shown, "file"));
	assert_string_equal(json_string_value(file), config.file);
	json_object_del(shown, "file");
	assert_int_equal(json_object_size(shown), 17);
	text = json_dumps(shown, 0);
	again = read_good(text);
	json_decref(file);
	file = kr_config_inspect(&again);
	json_object_del(file, "file");
	assert_true(json_equal(shown, file));
	json_decref(file);
	json_decref(shown);
	free(text);
	kr_config_finish(&config);
	kr_config_finish(&again);
}

/* An error names the file and the key; the configuration stays what it was. */
static void
wrong_files(void **state)
{
	static const struct {
		const char *text, *named;
	} cases[] = {
		{"", "line"},
		{"{\"driver_services\": {}}", "driver_services"},
		{"{\"driver_services\": [{\"name\": \"log\", \"socket\": \"/x\"}]}", "safe"},
		{"{\"driver_services\": [{\"name\": \"log\", \"socket\": \"/x\", \"safe\": 1}]}",
			"safe"},
		{"{\"driver_services\": [{\"name\": \"Log\", \"socket\": \"/x\", \"safe\": true}]}",
			"Log"},
		{"{\"driver_services\": [{\"name\": \"log\", \"socket\": \"x\", \"safe\": true}]}",
			"socket"},
		{"{\"driver_services\": [{\"name\": \"log\", \"socket\": "
		 "\"/0123456789012345678901234567890123456789012345678901234567890123456789"
		 "01234567890123456789012345678901234567\", \"safe\": true}]}",
			"107"},
		{"{\"probe\": true,}", "line 1"},
		{"[]", "object"},
		{"{\"probe\": true, \"probe\": true}", "duplicate"},
		{"{\"prob\": true}", "\"prob\""},
		{"{\"probe\": 1}", "\"probe\""},
		{"{\"socket\": \"run/x\"}", "\"socket\""},
		{"{\"socket\": null}", "\"socket\""},
		{"{\"socket_mode\": 660}", "\"socket_mode\""},
		{"{\"socket_mode\": \"0668\"}", "\"socket_mode\""},
		{"{\"socket_mode\": \"1666\"}", "\"socket_mode\""},
		{"{\"packages\": \"/a\"}", "\"packages\""},
		{"{\"packages\": [\"/a\", \"b\"]}", "\"packages\""},
		{"{\"packages\": [\"/a\", 1]}", "\"packages\""},
		{"{\"packages\": [{\"path\": \"/a\"}]}", "\"packages\""},
		{"{\"packages\": [{\"path\": \"a\", \"resolver\": \"base\"}]}", "\"path\""},
		{"{\"packages\": [{\"path\": \"/a\", \"resolver\": \"bases\"}]}", "\"resolver\""},
		{"{\"packages\": [{\"path\": \"/a\", \"resolver\": 1}]}", "\"resolver\""},
		{"{\"packages\": [{\"path\": \"/a\", \"resolver\": \"base\", \"x\": 1}]}",
			"\"packages\""},
		{"{\"resolver\": \"ephemeral\"}", "full, base"},
		{"{\"dev\": 1}", "\"dev\""},
		{"{\"events\": \"udevd\"}", "auto, udev, kernel, inotify"},
		{"{\"delivery\": \"copy\"}", "auto, mount, memory"},
		{"{\"delivery\": 1}", "\"delivery\""},
		{"{\"software\": \"a/b\"}", "\"software\""},
		{"{\"software\": \"..\"}", "\"software\""},
		{"{\"classes\": {}}", "\"classes\""},
		{"{\"classes\": [{\"pattern\": \"a\"}]}", "\"classes\""},
		{"{\"classes\": [{\"pattern\": \"/dev/a\", \"package\": \"b\"}]}", "\"pattern\""},
		{"{\"classes\": [{\"pattern\": \"../a\", \"package\": \"b\"}]}", "\"pattern\""},
		{"{\"classes\": [{\"pattern\": \"a\", \"package\": \"b/c\"}]}", "\"package\""},
		{"{\"classes\": [{\"pattern\": \"a\", \"package\": \"b\", \"c\": 1}]}",
			"\"classes\""},
		{"{\"max_clients\": 0}", "\"max_clients\""},
		{"{\"max_clients\": -1}", "\"max_clients\""},
		{"{\"max_clients\": 1.5}", "\"max_clients\""},
		{"{\"max_requests\": 1025}", "1 to 1024"},
		{"{\"max_requests\": 4294967297}", "\"max_requests\""},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		const char *path = kr_test_file("kraflad.json", cases[i].text);
		struct kr_config config;
		char *reason = NULL;

		assert_int_equal(kr_config_init(&config), 0);
		if (kr_config_read(path, &config, &reason) != -EINVAL)
			fail_msg("taken: %s", cases[i].text);
		if (!strstr(reason, path) || !strstr(reason, cases[i].named))
			fail_msg("%s: %s", cases[i].text, reason);
		assert_null(config.file);
		assert_string_equal(config.packages[0], "/usr/lib/krafla/drivers");
		free(reason);
		kr_config_finish(&config);
	}
}

static void
unreadable_files(void **state)
{
	struct kr_config config;
	char *reason;

	assert_int_equal(kr_config_init(&config), 0);
	assert_int_equal(kr_config_read("/nonexistent/kraflad.json", &config, &reason), -ENOENT);
	assert_non_null(strstr(reason, "/nonexistent/kraflad.json"));
	free(reason);
	assert_int_equal(kr_config_read("/dev/zero", &config, &reason), -ENODEV);
	free(reason);
	kr_config_finish(&config);
}

static const struct kr_test tests[] = {
	KR_TEST(defaults),
	KR_TEST(every_key),
	KR_TEST(inspected),
	KR_TEST(wrong_files),
	KR_TEST(unreadable_files),
};

KR_TEST_MAIN(tests)
