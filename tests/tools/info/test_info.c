/* SPDX-License-Identifier: Apache-2.0 */
/* `krafla info` with drivers of the test's choice: none, a broken one, the null driver. */
#include "harness.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

static char output[65536];

/* Runs `krafla info` with these variables ("A=b C=d"); the exit code. */
static int
info(const char *variables, const char *option)
{
	char command[1024];

	snprintf(command, sizeof(command),
		"env -u KRAFLA_DISPLAY -u VK_ICD_FILENAMES VK_LAYER_PATH=/nonexistent "
		"VK_IMPLICIT_LAYER_PATH=/nonexistent %s " KRAFLA " info %s 2>&1",
		variables, option);
	return kr_test_shell(command, output, sizeof(output));
}

static json_t *
info_json(const char *variables)
{
	json_t *all;

	assert_int_equal(info(variables, "--json"), 0);
	all = json_loads(output, 0, NULL);
	if (!all)
		fail_msg("this is no JSON:\n%s", output);
	return all;
}

static const json_t *
item(const json_t *all, const char *key, size_t index)
{
	return json_array_get(json_object_get(all, key), index);
}

static const char *
text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

static void
no_driver_at_all(void **state)
{
	json_t *all = info_json("VK_DRIVER_FILES=/nonexistent.json");

	assert_int_equal(json_array_size(json_object_get(all, "devices")), 0);
	assert_int_equal(json_array_size(json_object_get(all, "displays")), 0);
	assert_int_equal(json_array_size(json_object_get(all, "layers")), 0);
	assert_true(json_is_false(json_object_get(item(all, "drivers", 0), "used")));
	assert_non_null(strstr(text(item(all, "drivers", 0), "reason"), "nonexistent.json"));
	json_decref(all);
	assert_int_equal(info("VK_DRIVER_FILES=/nonexistent.json", ""), 0);
	assert_non_null(strstr(output, "devices\n  none"));
	assert_non_null(strstr(output, "KRAFLA_DISPLAY isn't set"));
}

static void
broken_manifest_is_explained(void **state)
{
	char variables[300];
	json_t *all;

	snprintf(variables, sizeof(variables), "VK_DRIVER_FILES=%s",
		kr_test_file("broken.json", "{\"ICD\": nonsense"));
	all = info_json(variables);
	assert_true(json_is_false(json_object_get(item(all, "drivers", 0), "used")));
	assert_true(strlen(text(item(all, "drivers", 0), "reason")) > 10);
	json_decref(all);
}

/*
 * Manifests, libraries and property files that are FIFOs and devices: to open one waits for ever,
 * to read another has no end. The good driver among them is found.
 */
static void
nothing_is_waited_for(void **state)
{
	char variables[800], path[300];
	json_t *all;

	snprintf(path, sizeof(path), "%s/fifo", kr_test_dir());
	assert_int_equal(mkfifo(path, 0600), 0);
	kr_test_file("a.json",
		"{\"file_format_version\": \"1.0.0\", \"ICD\": "
		"{\"library_path\": \"./fifo\", \"api_version\": \"1.3.0\"}}");
	kr_test_file("layer.json",
		"{\"file_format_version\": \"1.1.0\", \"layer\": {\"name\": \"VK_LAYER_fifo\", "
		"\"type\": \"GLOBAL\", \"api_version\": \"1.3.0\", \"description\": \"-\", "
		"\"implementation_version\": \"1\", \"library_path\": \"./fifo\"}}");
	snprintf(path, sizeof(path), "%s/link.json", kr_test_dir());
	assert_int_equal(symlink("fifo", path), 0);
	snprintf(path, sizeof(path), "%s/zero.json", kr_test_dir());
	assert_int_equal(symlink("/dev/zero", path), 0);
	snprintf(variables, sizeof(variables),
		"KRAFLA_PROPERTIES=/dev/zero:%1$s/fifo KRAFLA_HAL_PATH=%1$s "
		"VK_DRIVER_FILES=%1$s/a.json:%1$s/link.json:%1$s/zero.json:" NULL_DIR
		"/null_icd.json VK_LAYER_PATH=%1$s VK_INSTANCE_LAYERS=VK_LAYER_fifo",
		kr_test_dir());
	all = info_json(variables);
	assert_non_null(strstr(text(item(all, "drivers", 0), "reason"), "fifo can't be used"));
	for (size_t i = 0; i < 3; i++)
		assert_true(json_is_false(json_object_get(item(all, "drivers", i), "used")));
	assert_int_equal(
		json_integer_value(json_object_get(item(all, "drivers", 3), "devices")), 1);
	json_decref(all);
}

/* A name that JSON can't hold is told as far as it goes, and hides nothing. */
static void
name_that_is_not_utf8_is_told(void **state)
{
	char variables[600];
	json_t *all;

	snprintf(variables, sizeof(variables),
		"KRAFLA_DISPLAY=$(printf '/\\377') VK_DRIVER_FILES=%s:" NULL_DIR "/null_icd.json",
		kr_test_file("\377.json", "nonsense"));
	all = info_json(variables);
	assert_non_null(strstr(text(item(all, "drivers", 0), "path"), "/?.json"));
	assert_true(json_is_false(json_object_get(item(all, "drivers", 0), "used")));
	assert_int_equal(
		json_integer_value(json_object_get(item(all, "drivers", 1), "devices")), 1);
	assert_string_equal(text(item(all, "displays", 0), "socket"), "/?");
	json_decref(all);
}

static void
null_driver_is_a_device(void **state)
{
	json_t *all = info_json("VK_DRIVER_FILES=/nonexistent.json KRAFLA_HAL_PATH=" NULL_DIR
				" KRAFLA_PROP_ro_hardware_vulkan=null");
	const json_t *driver = item(all, "drivers", 0), *device = item(all, "devices", 0);

	assert_string_equal(text(driver, "path"), NULL_DIR "/vulkan.null.so");
	assert_true(json_is_true(json_object_get(driver, "used")));
	assert_null(json_object_get(device, "fences"));
	assert_string_equal(text(device, "tier"), "T0");
	assert_true(strlen(text(device, "name")) > 0);
	assert_true(json_array_size(json_object_get(device, "missing_for_next_tier")) > 0);
	json_decref(all);
}

/* A tier is claimed only of what can take Krafla's buffers. */
static void
hal_driver_without_native_buffers(void **state)
{
	json_t *all = info_json("VK_DRIVER_FILES=/nonexistent.json KRAFLA_HAL_PATH=" PLAIN_DIR
				" KRAFLA_PROP_ro_hardware_vulkan=plain");
	const json_t *device = item(all, "devices", 0);

	assert_string_equal(text(device, "name"), "plain");
	assert_true(json_is_null(json_object_get(device, "tier")));
	assert_non_null(strstr(json_string_value(json_array_get(
				       json_object_get(device, "missing_for_next_tier"), 0)),
		"VK_ANDROID_native_buffer"));
	json_decref(all);
}

/* Its library is fine, so it is used; that it then gives no instance is said with it. */
static void
driver_that_gives_no_instance(void **state)
{
	char link[300], variables[600];
	const json_t *driver;
	json_t *all;

	snprintf(link, sizeof(link), "%s/vulkan.failing.so", kr_test_dir());
	assert_int_equal(symlink(FAILING_HAL, link), 0);
	snprintf(variables, sizeof(variables),
		"VK_DRIVER_FILES=" NULL_DIR "/null_icd.json KRAFLA_HAL_PATH=%s "
		"KRAFLA_PROP_ro_hardware_vulkan=failing",
		kr_test_dir());
	all = info_json(variables);
	driver = item(all, "drivers", 0);
	assert_string_equal(text(driver, "path"), link);
	assert_true(json_is_true(json_object_get(driver, "used")));
	assert_true(json_is_null(json_object_get(driver, "devices")));
	assert_string_equal(text(driver, "error"), "vkCreateInstance failed (VkResult -3)");
	driver = item(all, "drivers", 1);
	assert_int_equal(json_integer_value(json_object_get(driver, "devices")), 1);
	assert_true(json_is_null(json_object_get(driver, "error")));
	json_decref(all);
	assert_int_equal(info(variables, ""), 0);
	assert_non_null(strstr(output, "no devices: vkCreateInstance failed"));
}

/*
 * What a driver that lies says about its one device: how many krafla info and krafla-probe count.
 */
static void
lying_driver(const char *lie, int devices)
{
	char variables[600], command[400], expected[64], answer[200];
	const json_t *driver;
	json_t *all;
	FILE *pipe;

	snprintf(variables, sizeof(variables), "LYING_ICD='%s' VK_DRIVER_FILES=%s", lie,
		kr_test_file("lying.json",
			"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": "
			"\"" LYING_ICD "\", \"api_version\": \"1.1.0\"}}"));
	all = info_json(variables);
	driver = item(all, "drivers", 0);
	assert_true(json_is_true(json_object_get(driver, "used")));
	if (devices < 0)
		assert_string_equal(text(driver, "error"), "vkCreateInstance failed (VkResult -3)");
	else
		assert_int_equal(json_integer_value(json_object_get(driver, "devices")), devices);
	json_decref(all);
	snprintf(command, sizeof(command), "LYING_ICD='%s' " PROBE " " LYING_ICD " 60000", lie);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_non_null(fgets(answer, sizeof(answer), pipe));
	pclose(pipe);
	snprintf(expected, sizeof(expected), " %d ", devices);
	assert_ptr_equal(strstr(answer, expected), strchr(answer, ' '));
}

static void
lying_drivers(void **state)
{
	lying_driver("endless devices", 1);
	lying_driver("more devices", 1);
	lying_driver("endless extensions", 1);
	lying_driver("more extensions", 1);
	lying_driver("more families", 1);
	lying_driver("huge memory", 1);
	lying_driver("endless name", 1);
	lying_driver("no device", 1);
	lying_driver("no instance", -1);
}

static const json_t *
backend(const json_t *all, const char *name)
{
	for (size_t i = 0; i < 3; i++) {
		if (!strcmp(text(item(all, "buffers", i), "name"), name))
			return item(all, "buffers", i);
	}
	fail_msg("no backend %s", name);
	return NULL;
}

/* What is missing for the next tier, in one text. */
static const char *
missing(const json_t *object)
{
	static char all[1024];
	const json_t *reason;
	size_t i;

	all[0] = '\0';
	json_array_foreach(json_object_get(object, "missing_for_next_tier"), i, reason)
	{
		strncat(all, json_string_value(reason), sizeof(all) - strlen(all) - 1);
		strncat(all, "\n", sizeof(all) - strlen(all) - 1);
	}
	return all;
}

/* "gpu" is about what programs allocate: windows' buffers are what they are without it. */
static void
buffers_of_gpus_change_no_tier(void **state)
{
	json_t *all = info_json("VK_DRIVER_FILES=" NULL_DIR "/null_icd.json KRAFLA_BUFFERS=gpu");

	assert_null(strstr(missing(item(all, "devices", 0)), "KRAFLA_BUFFERS"));
	json_decref(all);
}

/* Each backend is tried, and said to be had or not, with the reason. */
static void
buffers_are_told(void **state)
{
	static const char *const nodes[] = {"/dev/udmabuf", "/dev/dma_heap/system"};
	static const char *const names[] = {"udmabuf", "dma-heap"};
	json_t *all = info_json("VK_DRIVER_FILES=" NULL_DIR "/null_icd.json KRAFLA_BUFFERS=memfd");

	assert_int_equal(json_array_size(json_object_get(all, "buffers")), 3);
	assert_true(json_is_null(json_object_get(backend(all, "memfd"), "error")));
	assert_true(json_is_true(json_object_get(backend(all, "memfd"), "chosen")));
	assert_string_equal(text(item(all, "devices", 0), "tier"), "T0");
	assert_non_null(strstr(missing(item(all, "devices", 0)), "KRAFLA_BUFFERS=memfd"));
	for (int i = 0; i < 2; i++) {
		const json_t *entry = backend(all, names[i]);

		assert_string_equal(text(entry, "device"), nodes[i]);
		assert_true(json_is_false(json_object_get(entry, "chosen")));
		if (access(nodes[i], F_OK))
			assert_string_equal(text(entry, "error"), "No such file or directory");
	}
	json_decref(all);
	assert_int_equal(info("VK_DRIVER_FILES=/nonexistent.json KRAFLA_BUFFERS=memfd", ""), 0);
	assert_non_null(strstr(output, "[+] memfd, in use"));
	assert_non_null(strstr(output, "/dev/udmabuf"));
}

/* Without a choice, and without devices: why there is no dma-buf. */
static void
missing_devices_are_named(void **state)
{
	json_t *all = info_json("VK_DRIVER_FILES=" NULL_DIR "/null_icd.json");
	const char *reasons = missing(item(all, "devices", 0));

	assert_non_null(strstr(
		text(item(all, "devices", 0), "fences"), "signalled when the GPU has ended"));
	if (access("/dev/udmabuf", F_OK) && access("/dev/dma_heap/system", F_OK)) {
		assert_non_null(strstr(reasons, "/dev/udmabuf: No such file"));
		assert_non_null(strstr(reasons, "/dev/dma_heap/system: No such file"));
		assert_string_equal(text(item(all, "devices", 0), "tier"), "T0");
	}
	json_decref(all);
}

/* A demand that can't be met: no device can present, and the reason is the demand. */
static void
buffers_that_cant_be_had_leave_no_tier(void **state)
{
	json_t *all = info_json("VK_DRIVER_FILES=" NULL_DIR "/null_icd.json KRAFLA_BUFFERS=stone");
	const json_t *device = item(all, "devices", 0);

	assert_true(json_is_null(json_object_get(device, "tier")));
	assert_non_null(strstr(missing(device), "KRAFLA_BUFFERS=stone"));
	for (size_t i = 0; i < 3; i++)
		assert_true(json_is_false(json_object_get(item(all, "buffers", i), "chosen")));
	json_decref(all);
}

/* That memory could be had doesn't hide that the word for it is wrong. */
static void
wrong_words_for_buffers_are_told(void **state)
{
	const char *error =
		"KRAFLA_BUFFERS is 'stone': no buffer can be allocated until it is auto, memfd, udmabuf, dma-heap, gpu, or unset";
	json_t *all = info_json("VK_DRIVER_FILES=/nonexistent.json KRAFLA_BUFFERS=stone");

	assert_string_equal(text(all, "buffers_error"), error);
	assert_true(json_is_null(json_object_get(backend(all, "memfd"), "error")));
	json_decref(all);
	assert_int_equal(info("VK_DRIVER_FILES=/nonexistent.json KRAFLA_BUFFERS=stone", ""), 0);
	assert_non_null(strstr(output, "buffers\n  KRAFLA_BUFFERS is 'stone': no buffer can be"));
	assert_non_null(strstr(output, "[+] memfd\n"));
	/* A name that JSON can't hold as well. */
	all = info_json("VK_DRIVER_FILES=" NULL_DIR "/null_icd.json "
			"KRAFLA_BUFFERS=$(printf 'a\\377')");
	assert_non_null(strstr(text(all, "buffers_error"), "'a?'"));
	assert_non_null(strstr(missing(item(all, "devices", 0)), "KRAFLA_BUFFERS=a?"));
	json_decref(all);
}

/* A right word: an error only where its device gives nothing. */
static void
demanded_buffers_are_told_where_missing(void **state)
{
	static const char *const words[] = {"auto", "memfd", "udmabuf", "dma-heap"};
	char variables[128];

	for (int i = 0; i < 4; i++) {
		bool there;
		json_t *all;

		snprintf(variables, sizeof(variables),
			"VK_DRIVER_FILES=/nonexistent.json KRAFLA_BUFFERS=%s", words[i]);
		all = info_json(variables);
		there = i < 2 || json_is_null(json_object_get(backend(all, words[i]), "error"));
		if (there)
			assert_true(json_is_null(json_object_get(all, "buffers_error")));
		else
			assert_non_null(strstr(text(all, "buffers_error"), words[i]));
		json_decref(all);
	}
}

static void
null_driver_as_a_linux_driver(void **state)
{
	json_t *all = info_json("VK_DRIVER_FILES=" NULL_DIR "/null_icd.json");
	const json_t *device = item(all, "devices", 0);

	assert_string_equal(text(item(all, "drivers", 0), "source"), "manifest");
	assert_true(strlen(text(device, "import")) > 0);
	assert_string_equal(text(device, "hardware_buffers"),
		"the driver imports neither host memory nor descriptors");
	json_decref(all);
}

static void
unreachable_display_is_told(void **state)
{
	json_t *all =
		info_json("VK_DRIVER_FILES=/nonexistent.json KRAFLA_DISPLAY=/nonexistent/socket");
	const json_t *display = item(all, "displays", 0);

	assert_true(json_is_false(json_object_get(display, "reachable")));
	assert_string_equal(text(display, "error"), "No such file or directory");
	json_decref(all);
}

static void
display_is_described(void **state)
{
	assert_int_equal(info("VK_DRIVER_FILES=/nonexistent.json " KRAFLA
			      " run --display 320x200@30 --clock virtual -- ",
				 ""),
		0);
	assert_non_null(strstr(output, "320x200, virtual clock, tier T1"));
	/* A display reads dma-bufs and waits for the kernel's fences; beyond that are planes. */
	assert_non_null(strstr(output, "planes show its pictures"));
}

/* Cards of the kernel's, if there are any; each says what keeps it from T2 (DESIGN 6). */
static void
cards_are_told(void **state)
{
	json_t *all = info_json("VK_DRIVER_FILES=/nonexistent.json");
	const json_t *cards = json_object_get(all, "cards"), *card;
	size_t i;

	assert_true(json_is_array(cards));
	json_array_foreach(cards, i, card)
	{
		assert_string_not_equal(text(card, "path"), "");
		assert_int_equal(json_is_true(json_object_get(card, "tier2")),
			json_is_null(json_object_get(card, "missing")));
	}
	json_decref(all);
	assert_int_equal(info("VK_DRIVER_FILES=/nonexistent.json", ""), 0);
	assert_non_null(strstr(output, "\ncards\n"));
}

static const struct kr_test tests[] = {
	KR_TEST(no_driver_at_all),
	KR_TEST(broken_manifest_is_explained),
	KR_TEST(nothing_is_waited_for),
	KR_TEST(name_that_is_not_utf8_is_told),
	KR_TEST(null_driver_is_a_device),
	KR_TEST(hal_driver_without_native_buffers),
	KR_TEST(driver_that_gives_no_instance),
	KR_TEST(lying_drivers),
	KR_TEST(null_driver_as_a_linux_driver),
	KR_TEST(buffers_of_gpus_change_no_tier),
	KR_TEST(buffers_are_told),
	KR_TEST(missing_devices_are_named),
	KR_TEST(buffers_that_cant_be_had_leave_no_tier),
	KR_TEST(wrong_words_for_buffers_are_told),
	KR_TEST(demanded_buffers_are_told_where_missing),
	KR_TEST(unreachable_display_is_told),
	KR_TEST(display_is_described),
	KR_TEST(cards_are_told),
};
KR_TEST_MAIN(tests)
