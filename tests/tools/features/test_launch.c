/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla features --launch`: each rule on both sides, by the null driver's settings and an EGL of
 * the test's; and what real devices get.
 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "tools/features/launch/machine.h"

#define LAVAPIPE    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
#define SWIFTSHADER "/usr/lib/chromium/vk_swiftshader_icd.json"

/* What 1.3 needs of a device that is no CPU, each thing to be taken away. */
#define LEVEL   "feature.textureCompressionETC2=yes,"
#define YCBCR   "feature.samplerYcbcrConversion=yes,"
#define BUFFERS "extension.VK_ANDROID_external_memory_android_hardware_buffer=5,"
#define FENCES  "external.semaphore=both,external.fence=both,"
#define ALL     LEVEL YCBCR BUFFERS FENCES "api=1.3.0"
/* An EGL that says nothing of its device, so that it may be any. */
#define GLES "FAKE_EGL=plain FAKE_GL_VERSION='OpenGL ES 3.1 fake' "

static char output[65536];

/* Runs `krafla features --launch` with this environment and these words: the exit code. */
static int
launch(const char *environment, const char *words)
{
	char command[4096];

	snprintf(command, sizeof(command),
		"cd %s && env LD_LIBRARY_PATH=" FAKE_EGL_DIR " %s " KRAFLA
		" features --launch %s 2>&1",
		kr_test_dir(), environment, words);
	return kr_test_shell(command, output, sizeof(output));
}

/* On the null driver with these settings, and an environment before it. */
static void
says(int code, const char *settings, const char *environment, const char *words, const char *text)
{
	char all[2048];
	int got;

	snprintf(all, sizeof(all),
		"VK_DRIVER_FILES=/nonexistent.json KRAFLA_HAL_PATH=" NULL_DIR
		" KRAFLA_PROP_ro_hardware_vulkan=null %s %s%s",
		environment, settings ? "KRAFLA_NULL_DRIVER=" : "", settings ? settings : "");
	got = launch(all, words);
	if (got != code || !strstr(output, text))
		fail_msg("%s --launch %s: exit code %d, and not %d with \"%s\":\n%s", all, words,
			got, code, text, output);
}

/* V-04: the table of versions, each just held and just not. */
static void
version_of_each_release(void **state)
{
	static const struct {
		const char *settings, *release;
		int code;
		const char *seen;
	} rows[] = {
		{LEVEL "api=1.0.3", "7", 0, "wanted 1.0.3 or higher, seen 1.0.3"},
		{LEVEL "api=1.0.2", "7", 1, "wanted 1.0.3 or higher, seen no version"},
		{"api=1.0.3", "7", 1, "device 0 lacks textureCompressionETC2"},
		{LEVEL YCBCR BUFFERS FENCES "api=1.1", "9", 0, "seen 1.1.0"},
		{LEVEL YCBCR BUFFERS FENCES "api=1.1", "10", 0, "seen 1.1.0"},
		{LEVEL "api=1.0.3", "9", 1, "wanted 1.1.0 or higher, seen 1.0.3"},
		{LEVEL "api=1.0.3", "10", 1, "wanted 1.1.0 or higher, seen 1.0.3"},
		{LEVEL YCBCR FENCES "api=1.1", "10", 1,
			"device 0 lacks VK_ANDROID_external_memory_android_hardware_buffer"},
		{LEVEL BUFFERS FENCES "feature.samplerYcbcrConversion=no,api=1.1", "9", 1,
			"lacks samplerYcbcrConversion"},
		{ALL, "13", 0, "wanted 1.3.0 or higher, seen 1.3.0"},
		{LEVEL YCBCR BUFFERS FENCES "api=1.2", "13", 1,
			"wanted 1.3.0 or higher, seen 1.1.0"},
		{ALL, "7", 0, "wanted 1.0.3 or higher, seen 1.3.0"},
		{ALL, "", 0, "Android 13: may be launched with it"},
		{LEVEL YCBCR BUFFERS FENCES "api=1.1", "", 1,
			"Android 13: may not be launched with it"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		says(rows[i].code, rows[i].settings, GLES, rows[i].release, rows[i].seen);
}

/* V-04: Android 10 asks 1.1 only of systems with programs of 64 bits that aren't low-memory. */
static void
systems_that_1_1_is_not_asked_of(void **state)
{
	static const char small[] = LEVEL "api=1.0.3";

	says(1, small, GLES, "10", "[+] 64-bit ABI");
	assert_non_null(strstr(output, "[+] not low-memory"));
	kr_test_file("properties", "ro.product.cpu.abilist64=\n");
	says(0, small, GLES "KRAFLA_PROPERTIES=properties", "10", "[ ] 64-bit ABI");
	assert_non_null(strstr(output, "wanted 1.0.3 or higher"));
	says(1, small, GLES "KRAFLA_PROP_ro_product_cpu_abilist64=arm64-v8a", "10",
		"ro.product.cpu.abilist64 is 'arm64-v8a'");
	says(0, small, GLES "KRAFLA_PROP_ro_config_low_ram=true", "10", "[ ] not low-memory");
	says(1, small, GLES "KRAFLA_PROP_ro_config_low_ram=false", "10", "[+] not low-memory");
	says(1, small, GLES "KRAFLA_PROP_ro_config_low_ram=true", "9", "wanted 1.1.0");
	says(1, "api=1.0.3", GLES "KRAFLA_PROP_ro_config_low_ram=true", "10", "lacks");
}

static void
memory_is_read_where_no_property_says_it(void **state)
{
	char seen[KR_FLAGS_SEEN];

	assert_true(kr_flags_is_low_memory(
		kr_test_file("low", "Other: 9\nMemTotal:     1048576 kB\nMemFree: 1 kB\n"), seen));
	assert_non_null(strstr(seen, "MemTotal is 1024 MiB"));
	assert_false(
		kr_flags_is_low_memory(kr_test_file("more", "MemTotal:     1048577 kB\n"), seen));
	assert_false(kr_flags_is_low_memory(kr_test_path("none"), seen));
	assert_non_null(strstr(seen, "can't be read"));
}

/* V-05: 3.1 and 3.0, and every way in which there is none. */
static void
opengl_es_beside_vulkan(void **state)
{
	static const struct {
		const char *egl, *version;
		int code;
		const char *seen;
	} rows[] = {
		{"plain", "OpenGL ES 3.1 fake", 0, "nothing says whether it is the same device"},
		{"plain", "OpenGL ES 3.2 fake", 0, "[+] OpenGL ES of device 0"},
		{"plain", "OpenGL ES 4.0 fake", 0, "[+] OpenGL ES of device 0"},
		{"plain", "OpenGL ES 3.0 fake", 1, "[-] OpenGL ES of device 0: wanted 3.1"},
		{"plain", "OpenGL ES 2.0 fake", 1, "seen OpenGL ES 2.0 fake on fake renderer"},
		{"plain", "4.6 (Core) fake", 1, "seen 4.6 (Core) fake"},
		{"plain", "", 1, "the context says no version"},
		{"undivided", "OpenGL ES 3.1 fake", 0, "[+] OpenGL ES of device 0"},
		{"undivided", "OpenGL ES 3.0 fake", 1, "[-] OpenGL ES of device 0"},
		{"old", "OpenGL ES 3.1 fake", 0, "[+] OpenGL ES of device 0"},
		{"contextless", "OpenGL ES 3.1 fake", 1, "no context: eglCreateContext"},
		{"crash", "OpenGL ES 3.1 fake", 1, "EGL crashed while it was asked (Aborted)"},
	};
	char environment[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(environment, sizeof(environment), "FAKE_EGL=%s FAKE_GL_VERSION='%s'",
			rows[i].egl, rows[i].version);
		says(rows[i].code, ALL, environment, "13", rows[i].seen);
	}
	kr_test_file("libEGL.so.1", "no library");
	snprintf(environment, sizeof(environment), "LD_LIBRARY_PATH=%s", kr_test_dir());
	says(1, ALL, environment, "13", "there is no EGL: ");
}

/* V-05: what another device has doesn't count. */
static void
opengl_es_of_another_device(void **state)
{
	static const struct {
		const char *egl, *settings;
		int code;
		const char *seen;
	} rows[] = {
		{"software", ALL ",type=cpu", 0, "the same device by what draws"},
		{"software", ALL ",type=discrete", 1, "none; another device by what draws"},
		{"software", ALL ",type=integrated", 1, "none; another device by what draws"},
		{"software", ALL ",type=other", 0, "nothing says whether"},
		{"node", ALL ",type=cpu", 1, "none; another device by what draws"},
		{"uuid", ALL ",type=discrete", 1, "none; another device by its UUID"},
	};
	char environment[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(environment, sizeof(environment),
			"FAKE_EGL=%s FAKE_GL_VERSION='OpenGL ES 3.2 fake'", rows[i].egl);
		says(rows[i].code, rows[i].settings, environment, "13", rows[i].seen);
	}
}

static void
write_permission(const char *file, const char *name, const char *version)
{
	char text[512];

	snprintf(text, sizeof(text),
		"<permissions><feature name=\"%s\" version=\"%s\"/></permissions>", name, version);
	kr_test_file(file, text);
}

/* V-04: a device declares the highest feature set that it has, no less and no more. */
static void
what_is_declared_against_what_is_held(void **state)
{
	static const char words[] = "13 --permissions p";

	assert_int_equal(mkdir(kr_test_path("p"), 0755), 0);
	says(1, ALL, GLES, words, "p has no permission files");
	write_permission("p/v.xml", "android.hardware.vulkan.version", "4206592");
	says(1, ALL, GLES, words, "[-] android.hardware.vulkan.level: wanted 0");
	write_permission("p/l.xml", "android.hardware.vulkan.level", "0");
	says(0, ALL, GLES, words, "[+] android.hardware.vulkan.level: wanted 0");
	assert_non_null(strstr(output, "[+] versions that may be declared"));
	write_permission("p/v.xml", "android.hardware.vulkan.version", "4198400");
	says(1, ALL, GLES, words, "seen 1.1.0: less than the devices could");
	write_permission("p/v.xml", "android.hardware.vulkan.version", "4202496");
	says(1, ALL, GLES, words, "[-] versions that may be declared");
	write_permission("p/v.xml", "android.hardware.vulkan.version", "4206592");
	says(1, LEVEL YCBCR BUFFERS FENCES "api=1.1", GLES, "9 --permissions p",
		"seen 1.3.0: more than the devices hold");
	write_permission("p/c.xml", "android.hardware.vulkan.compute", "0");
	says(1, ALL ",limit.maxPerStageDescriptorStorageBuffers=15", GLES, words,
		"[-] android.hardware.vulkan.compute: wanted none");
	unlink(kr_test_path("p/c.xml"));
	/* What tests hold is not a device's to say. */
	write_permission("p/d.xml", "android.software.vulkan.deqp.level", "132514561");
	says(0, ALL, GLES, words, "[?] android.software.vulkan.deqp.level");
	kr_test_file("vk-main-2022-03-01.txt", "dEQP-VK.a\n");
	kr_test_file("vk-main-2023-03-01.txt", "dEQP-VK.a\n");
	kr_test_file("r.qpa",
		"#beginSession\n#beginTestCaseResult dEQP-VK.a\n"
		"<Result StatusCode=\"Pass\">\n#endTestCaseResult\n#endSession\n");
	says(0, ALL, GLES, "13 --permissions p --deqp r.qpa --caselist vk-main-2022-03-01.txt",
		"[+] android.software.vulkan.deqp.level: wanted 2022-03-01");
	says(1, ALL, GLES, "13 --permissions p --deqp r.qpa --caselist vk-main-2023-03-01.txt",
		"[-] android.software.vulkan.deqp.level: wanted 2023-03-01");
}

static void
what_is_said_as_json(void **state)
{
	json_t *root, *release;

	says(1, LEVEL "api=1.1", GLES, "--json", "{");
	root = json_loads(output, 0, NULL);
	assert_non_null(root);
	assert_true(json_is_false(json_object_get(root, "holds")));
	assert_int_equal(json_array_size(json_object_get(root, "releases")), 4);
	release = json_array_get(json_object_get(root, "releases"), 0);
	assert_string_equal(json_string_value(json_object_get(release, "release")), "7");
	assert_true(json_is_true(json_object_get(release, "holds")));
	assert_true(json_array_size(json_object_get(release, "lines")) >= 3);
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(root, "gles"), "devices")), 1);
	json_decref(root);
}

static void
wrong_lines(void **state)
{
	says(2, ALL, GLES, "14", "no rule is known for Android '14'");
	says(2, ALL, GLES, "13 more", "'more' is one argument too many");
	assert_int_equal(mkdir(kr_test_path("a:b"), 0755), 0);
	says(2, ALL, GLES, "--permissions a:b", "has a colon");
	says(125, ALL, GLES, "--permissions none", "'none': No such file");
	assert_int_equal(launch("", "--has x"), 2);
	says(2, ALL, GLES, "--has android.hardware.vulkan.level", "are two questions");
	assert_int_equal(launch("VK_DRIVER_FILES=/nonexistent.json", "13"), 5);
}

/* Lavapipe lacks ETC2; its OpenGL ES is the real EGL's, on the same CPU. V-04 V-05 */
static void
real_devices(void **state)
{
	if (access(SWIFTSHADER, R_OK))
		kr_test_skip("no-swiftshader", NULL);
	if (launch("LD_LIBRARY_PATH= VK_DRIVER_FILES=" LAVAPIPE, "7") != 1 ||
		!strstr(output, "lacks textureCompressionETC2") ||
		!strstr(output, "the same device by what draws"))
		fail_msg("%s", output);
	if (launch("LD_LIBRARY_PATH= VK_DRIVER_FILES=" SWIFTSHADER, "") != 0 ||
		!strstr(output, "Android 13: may be launched with it"))
		fail_msg("%s", output);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(version_of_each_release, 0, 60),
	KR_TEST_SLOW(systems_that_1_1_is_not_asked_of, 0, 60),
	KR_TEST(memory_is_read_where_no_property_says_it),
	KR_TEST_SLOW(opengl_es_beside_vulkan, 0, 60),
	KR_TEST_SLOW(opengl_es_of_another_device, 0, 60),
	KR_TEST_SLOW(what_is_declared_against_what_is_held, 0, 60),
	KR_TEST(what_is_said_as_json),
	KR_TEST(wrong_lines),
	KR_TEST_SLOW(real_devices, 0, 60),
};

KR_TEST_MAIN(tests)
