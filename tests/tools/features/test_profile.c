/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `krafla features --profile`: each kind of line on both sides of what is wanted, by the null
 * driver's settings; what is wrong in a file; and real devices.
 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#define LAVAPIPE    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
#define SWIFTSHADER "/usr/lib/chromium/vk_swiftshader_icd.json"
#define DEBIAN      "/usr/lib/x86_64-linux-gnu"

static char output[1 << 20];

static int
profile(const char *environment, const char *words)
{
	char command[4096];

	snprintf(command, sizeof(command), "cd %s && env %s " KRAFLA " features %s 2>&1",
		kr_test_dir(), environment, words);
	return kr_test_shell(command, output, sizeof(output));
}

static void
says(int code, const char *settings, const char *words, const char *text)
{
	char environment[1024];
	int got;

	snprintf(environment, sizeof(environment),
		"VK_DRIVER_FILES=" NULL_DIR "/null_icd.json KRAFLA_NULL_DRIVER='%s'", settings);
	got = profile(environment, words);
	if (got != code || !strstr(output, text))
		fail_msg("'%s' %s: exit code %d, and not %d with \"%s\":\n%s", settings, words, got,
			code, text, output);
}

/* A file with these blocks and these profiles. */
static void
write_file(const char *name, const char *blocks, const char *profiles)
{
	char text[16384];

	snprintf(text, sizeof(text), "{\"capabilities\": {%s}, \"profiles\": {%s}}", blocks,
		profiles);
	kr_test_file(name, text);
}

#define PROFILE(name, rest)                                                                        \
	"\"" name "\": {\"version\": 1, \"api-version\": \"1.0.0\", \"label\": \"\", "             \
	"\"description\": \"\", " rest "}"

/* The null driver with some settings holds a profile of one block, or the line says why not. */
static void
expect(const char *settings, const char *block, bool holds, const char *line)
{
	char blocks[4096];

	snprintf(blocks, sizeof(blocks), "\"b\": {%s}", block);
	write_file("p.json", blocks, PROFILE("VP_T", "\"capabilities\": [\"b\"]"));
	says(holds ? 0 : 1, settings, "--profile p.json",
		line            ? line
			: holds ? "null driver): holds"
				: "doesn't hold");
}

#define LIMITS(text)   "\"properties\": {\"VkPhysicalDeviceProperties\": {\"limits\": {" text "}}}"
#define FEATURES(text) "\"features\": {\"VkPhysicalDeviceFeatures\": {" text "}}"

static void
limits_by_their_kind(void **state)
{
	static const struct {
		const char *settings, *limits;
		bool holds;
	} rows[] = {
		/* max */
		{"limit.maxImageDimension1D=4096", "\"maxImageDimension1D\": 4096", true},
		{"limit.maxImageDimension1D=4097", "\"maxImageDimension1D\": 4096", true},
		{"limit.maxImageDimension1D=4095", "\"maxImageDimension1D\": 4096", false},
		/* bits */
		{"limit.subPixelPrecisionBits=4", "\"subPixelPrecisionBits\": 4", true},
		{"limit.subPixelPrecisionBits=3", "\"subPixelPrecisionBits\": 4", false},
		/* min, with a power of two */
		{"limit.minUniformBufferOffsetAlignment=256",
			"\"minUniformBufferOffsetAlignment\": 256", true},
		{"limit.minUniformBufferOffsetAlignment=64",
			"\"minUniformBufferOffsetAlignment\": 256", true},
		{"limit.minUniformBufferOffsetAlignment=512",
			"\"minUniformBufferOffsetAlignment\": 256", false},
		{"limit.minUniformBufferOffsetAlignment=192",
			"\"minUniformBufferOffsetAlignment\": 256", false},
		/* min, of which the wanted value is a multiple */
		{"limit.bufferImageGranularity=1024", "\"bufferImageGranularity\": 4096", true},
		{"limit.bufferImageGranularity=8192", "\"bufferImageGranularity\": 4096", false},
		{"limit.bufferImageGranularity=3000", "\"bufferImageGranularity\": 4096", false},
		{"limit.pointSizeGranularity=1", "\"pointSizeGranularity\": 2.0", true},
		{"limit.pointSizeGranularity=2", "\"pointSizeGranularity\": 3", false},
		{"limit.pointSizeGranularity=4", "\"pointSizeGranularity\": 3", false},
		/* bitmask */
		{"limit.framebufferColorSampleCounts=5",
			"\"framebufferColorSampleCounts\": "
			"[\"VK_SAMPLE_COUNT_1_BIT\", \"VK_SAMPLE_COUNT_4_BIT\"]",
			true},
		{"limit.framebufferColorSampleCounts=1",
			"\"framebufferColorSampleCounts\": "
			"[\"VK_SAMPLE_COUNT_1_BIT\", \"VK_SAMPLE_COUNT_4_BIT\"]",
			false},
		{"limit.framebufferColorSampleCounts=0", "\"framebufferColorSampleCounts\": []",
			true},
		/* range: both ends are 8 here */
		{"limit.pointSizeRange=8", "\"pointSizeRange\": [8.0, 8.0]", true},
		{"limit.pointSizeRange=8", "\"pointSizeRange\": [7.5, 8.0]", false},
		{"limit.pointSizeRange=8", "\"pointSizeRange\": [8.0, 8.5]", false},
		{"limit.pointSizeRange=8", "\"pointSizeRange\": [8.0]", false},
		/* true and false, of which true is more */
		{"limit.strictLines=1", "\"strictLines\": true", true},
		{"limit.strictLines=0", "\"strictLines\": true", false},
		{"limit.strictLines=1", "\"strictLines\": false", true},
		/* arrays, element by element; what isn't named isn't asked for */
		{"limit.maxComputeWorkGroupSize=128", "\"maxComputeWorkGroupSize\": [128, 128, 64]",
			true},
		{"limit.maxComputeWorkGroupSize=128", "\"maxComputeWorkGroupSize\": [128, 129]",
			false},
		{"limit.maxComputeWorkGroupSize=128", "\"maxComputeWorkGroupSize\": [128]", true},
		{"limit.maxComputeWorkGroupSize=128", "\"maxComputeWorkGroupSize\": [1, 1, 1, 1]",
			false},
		/* signed */
		{"", "\"minTexelOffset\": 0", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char block[1024];

		snprintf(block, sizeof(block), LIMITS("%s"), rows[i].limits);
		expect(rows[i].settings, block, rows[i].holds, NULL);
	}
	/* What has no order is the same, or isn't. */
	expect("property.pointClippingBehavior=1",
		"\"properties\": {\"VkPhysicalDeviceVulkan11Properties\": {\"pointClippingBehavior\": "
		"\"VK_POINT_CLIPPING_BEHAVIOR_USER_CLIP_PLANES_ONLY\"}}",
		true, NULL);
	expect("property.pointClippingBehavior=0",
		"\"properties\": {\"VkPhysicalDeviceVulkan11Properties\": {\"pointClippingBehavior\": "
		"\"VK_POINT_CLIPPING_BEHAVIOR_USER_CLIP_PLANES_ONLY\"}}",
		false, "seen \"VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES\"");
	expect("property.protectedNoFault=1",
		"\"properties\": {\"VkPhysicalDeviceVulkan11Properties\": "
		"{\"protectedNoFault\": false}}",
		false, "wanted false, seen true");
	expect("",
		"\"properties\": {\"VkPhysicalDeviceProperties\": "
		"{\"deviceName\": \"Krafla null driver\"}}",
		true, NULL);
	expect("", "\"properties\": {\"VkPhysicalDeviceProperties\": {\"deviceName\": \"other\"}}",
		false, "seen Krafla null driver");
	/* Which line fails, what is wanted, what the device says. */
	expect("limit.maxImageDimension1D=4095",
		LIMITS("\"maxImageDimension2D\": 1, \"maxImageDimension1D\": 4096"), false,
		"[-] properties.VkPhysicalDeviceProperties.limits.maxImageDimension1D: "
		"wanted 4096, seen 4095");
	expect("limit.framebufferColorSampleCounts=1",
		LIMITS("\"framebufferColorSampleCounts\": [\"VK_SAMPLE_COUNT_4_BIT\"]"), false,
		"wanted [\"VK_SAMPLE_COUNT_4_BIT\"], seen [\"VK_SAMPLE_COUNT_1_BIT\"]");
}

/* Above 2^63, which no number of JSON here can hold. */
static void
numbers_of_64_bits(void **state)
{
	static const char wanted[] =
		"\"properties\": {\"VkPhysicalDeviceVulkan12Properties\": "
		"{\"maxTimelineSemaphoreValueDifference\": 18446744073709551615}}";
	static const char less[] =
		"\"properties\": {\"VkPhysicalDeviceVulkan12Properties\": "
		"{\"maxTimelineSemaphoreValueDifference\": 9223372036854775807}}";

	expect("property.maxTimelineSemaphoreValueDifference=9223372036854775807", wanted, false,
		"wanted \"18446744073709551615\", seen 9223372036854775807");
	expect("property.maxTimelineSemaphoreValueDifference=9223372036854775807", less, true,
		NULL);
	expect("property.maxTimelineSemaphoreValueDifference=9223372036854775806", less, false,
		NULL);
}

static void
features_by_name(void **state)
{
	expect("feature.geometryShader=yes", FEATURES("\"geometryShader\": true"), true, NULL);
	expect("feature.geometryShader=no", FEATURES("\"geometryShader\": true"), false,
		"features.VkPhysicalDeviceFeatures.geometryShader: wanted true, seen false");
	/* What isn't wanted may be there. */
	expect("feature.geometryShader=yes", FEATURES("\"geometryShader\": false"), true, NULL);
	expect("feature.shaderInt8=yes",
		"\"features\": {\"VkPhysicalDeviceVulkan12Features\": {\"shaderInt8\": true}}",
		true, NULL);
	expect("feature.shaderInt8=no",
		"\"features\": {\"VkPhysicalDeviceVulkan12Features\": {\"shaderInt8\": true}}",
		false, NULL);
	expect("feature.multiview=yes",
		"\"features\": {\"VkPhysicalDeviceMultiviewFeaturesKHR\": {\"multiview\": true}}",
		true, NULL);
	expect("feature.geometryShader=yes",
		"\"features\": {\"VkPhysicalDeviceFeatures2\": "
		"{\"features\": {\"geometryShader\": true}}}",
		true, NULL);
}

/*
 * A structure is asked for only where version or extension bring it, also one that is newer than
 * the headers.
 */
static void
structures_that_a_device_brings(void **state)
{
	static const char vulkan_12[] =
		"\"features\": {\"VkPhysicalDeviceVulkan12Features\": {\"shaderInt8\": true}}";
	static const char newer[] = "\"features\": {\"VkPhysicalDeviceMaintenance5FeaturesKHR\": "
				    "{\"maintenance5\": true}}";

	expect("feature.shaderInt8=yes,api=1.2", vulkan_12, true, NULL);
	expect("feature.shaderInt8=yes,api=1.1", vulkan_12, false,
		"the device doesn't bring it: Vulkan 1.2 does");
	expect("", newer, false, "Vulkan 1.4, or VK_KHR_maintenance5 does");
	expect("extension.VK_KHR_maintenance5=1", newer, false, "wanted true, seen false");
	expect("", "\"properties\": {\"VkPhysicalDeviceVulkan14Properties\": {}}", false,
		"Vulkan 1.4 does");
}

static void
extensions_with_versions(void **state)
{
	static const char wanted[] = "\"extensions\": {\"VK_KHR_maintenance5\": 2}";

	expect("extension.VK_KHR_maintenance5=2", wanted, true, NULL);
	expect("extension.VK_KHR_maintenance5=3", wanted, true, NULL);
	expect("extension.VK_KHR_maintenance5=1", wanted, false,
		"extensions.VK_KHR_maintenance5: wanted 2, seen 1");
	expect("", wanted, false, "seen it isn't there");
	/* The instance's count too. */
	expect("", "\"extensions\": {\"VK_KHR_surface\": 25}", true, NULL);
	expect("", "\"extensions\": {\"VK_KHR_surface\": 99}", false, NULL);
}

static void
formats_by_name(void **state)
{
	static const char wanted[] =
		"\"formats\": {\"VK_FORMAT_R8G8B8A8_UNORM\": {\"VkFormatProperties\": "
		"{\"optimalTilingFeatures\": [\"VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT\"]}}}";
	static const char wanted_2[] =
		"\"formats\": {\"VK_FORMAT_R8G8B8A8_UNORM\": {\"VkFormatProperties2\": "
		"{\"formatProperties\": "
		"{\"optimalTilingFeatures\": [\"VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT\"]}}}}";
	static const char wanted_3[] =
		"\"formats\": {\"VK_FORMAT_R8G8B8A8_UNORM\": {\"VkFormatProperties3\": "
		"{\"linearTilingFeatures\": []}}}";

	expect("format.37=1", wanted, true, NULL);
	expect("format.37=2", wanted, false,
		"formats.VK_FORMAT_R8G8B8A8_UNORM.VkFormatProperties.optimalTilingFeatures");
	expect("format.37=1", wanted_2, true, NULL);
	expect("format.37=2", wanted_2, false, NULL);
	expect("", wanted_3, true, NULL);
	expect("api=1.2", wanted_3, false, "Vulkan 1.3, or VK_KHR_format_feature_flags2 does");
}

static void
queue_families(void **state)
{
	expect("",
		"\"queueFamiliesProperties\": [{\"VkQueueFamilyProperties\": {\"queueFlags\": "
		"[\"VK_QUEUE_GRAPHICS_BIT\", \"VK_QUEUE_COMPUTE_BIT\"], \"queueCount\": 1, "
		"\"minImageTransferGranularity\": {\"width\": 1, \"height\": 4, \"depth\": 1}}}]",
		true, NULL);
	expect("",
		"\"queueFamiliesProperties\": [{\"VkQueueFamilyProperties2\": "
		"{\"queueFamilyProperties\": {\"queueCount\": 1}}}]",
		true, NULL);
	expect("",
		"\"queueFamiliesProperties\": [{\"VkQueueFamilyProperties\": {\"queueFlags\": "
		"[\"VK_QUEUE_GRAPHICS_BIT\", \"VK_QUEUE_VIDEO_DECODE_BIT_KHR\"]}}]",
		false, "queueFamiliesProperties[0]");
	expect("",
		"\"queueFamiliesProperties\": [{\"VkQueueFamilyProperties\": "
		"{\"queueCount\": 1000}}]",
		false, "\"seen\":");
	expect("",
		"\"queueFamiliesProperties\": [{\"VkQueueFamilyProperties\": "
		"{\"minImageTransferGranularity\": {\"width\": 0}}}]",
		false, NULL);
}

/* What nobody knows never holds. */
static void
unknown_names(void **state)
{
	static const char *const blocks[] = {
		FEATURES("\"noShader\": true"),
		FEATURES("\"noShader\": false"),
		"\"features\": {\"VkPhysicalDeviceNoFeatures\": {}}",
		"\"features\": {\"VkPhysicalDeviceProperties\": {}}",
		LIMITS("\"maxImageDimension9D\": 0"),
		LIMITS("\"framebufferColorSampleCounts\": [\"VK_SAMPLE_COUNT_5_BIT\"]"),
		LIMITS("\"framebufferColorSampleCounts\": 1"),
		LIMITS("\"maxImageDimension1D\": \"1\""),
		LIMITS("\"maxImageDimension1D\": true"),
		LIMITS("\"maxImageDimension1D\": 1.0"),
		LIMITS("\"maxImageDimension1D\": -1"),
		LIMITS("\"maxImageDimension1D\": [1]"),
		LIMITS("\"strictLines\": 1"),
		LIMITS("\"pointSizeRange\": 1.0"),
		"\"properties\": {\"VkPhysicalDeviceProperties\": {\"limits\": 1}}",
		"\"properties\": {\"VkPhysicalDeviceProperties\": []}",
		"\"properties\": []",
		"\"properties\": {\"VkPhysicalDeviceVulkan12Properties\": "
		"{\"driverID\": \"VK_DRIVER_ID_NOBODY\"}}",
		"\"properties\": {\"VkPhysicalDeviceVulkan12Properties\": {\"driverID\": 1}}",
		"\"extensions\": {\"VK_KHR_no_extension\": 1}",
		"\"extensions\": {\"VK_KHR_swapchain\": \"1\"}",
		"\"formats\": {\"VK_FORMAT_R9\": {}}",
		"\"formats\": {\"VK_FORMAT_R8_UNORM\": []}",
		"\"properties\": {\"VkPhysicalDeviceLayeredApiPropertiesListKHR\": "
		"{\"pLayeredApis\": []}}",
		"\"videoProfiles\": []",
		"\"requirements\": []",
		"\"nonsense\": {}",
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		expect("extension.VK_KHR_maintenance7=1", blocks[i], false, "seen unknown: ");
}

#define HOLDS FEATURES("\"geometryShader\": true")
#define FAILS FEATURES("\"tessellationShader\": true")
#define HALF  "feature.geometryShader=yes,feature.tessellationShader=no"

static void
alternatives(void **state)
{
	static const char blocks[] = "\"a\": {" HOLDS "}, \"b\": {" FAILS "}, \"c\": {" FAILS "}";
	static const struct {
		const char *profile;
		bool holds;
	} rows[] = {
		{PROFILE("VP_T", "\"capabilities\": [[\"a\", \"b\"]]"), true},
		{PROFILE("VP_T", "\"capabilities\": [[\"b\", \"a\"]]"), true},
		{PROFILE("VP_T", "\"capabilities\": [[\"b\", \"c\"]]"), false},
		{PROFILE("VP_T", "\"capabilities\": [\"a\", [\"b\", \"c\"]]"), false},
		{PROFILE("VP_T", "\"capabilities\": [\"b\", [\"a\"]]"), false},
		{PROFILE("VP_T", "\"capabilities\": [[]]"), false},
		{PROFILE("VP_T", "\"capabilities\": [\"none\"]"), false},
		{PROFILE("VP_T", "\"capabilities\": [[\"none\"]]"), false},
		{PROFILE("VP_T", "\"capabilities\": [[\"a\", 1]]"), false},
		{PROFILE("VP_T", "\"capabilities\": [1]"), false},
		{PROFILE("VP_T", "\"capabilities\": \"a\""), false},
		{PROFILE("VP_T", "\"capabilities\": [\"a\"], \"optionals\": [\"b\"]"), true},
		{PROFILE("VP_T", "\"capabilities\": []"), true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file("p.json", blocks, rows[i].profile);
		says(rows[i].holds ? 0 : 1, HALF, "--profile p.json",
			rows[i].holds ? "null driver): holds" : "doesn't hold");
	}
	write_file("p.json", blocks, PROFILE("VP_T", "\"capabilities\": [[\"b\", \"a\"]]"));
	says(0, HALF, "--profile p.json", "[+] capabilities: one of 2");
	assert_non_null(strstr(output, "[-] b: 1 lines"));
	assert_non_null(strstr(output, "[+] a: 1 lines"));
}

static void
version_of_vulkan(void **state)
{
	static const char text[] = "\"VP_T\": {\"api-version\": \"1.2.162\", \"capabilities\": []}";

	write_file("p.json", "", text);
	says(0, "api=1.2.1", "--profile p.json", "[+] Vulkan: wanted \"1.2.162\", seen 1.2.1");
	says(0, "api=1.3.0", "--profile p.json", "holds");
	says(1, "api=1.1", "--profile p.json", "[-] Vulkan: wanted \"1.2.162\", seen 1.1.0");
	write_file("p.json", "", "\"VP_T\": {\"api-version\": \"new\", \"capabilities\": []}");
	says(1, "", "--profile p.json", "[-] Vulkan");
	write_file("p.json", "", "\"VP_T\": {\"capabilities\": []}");
	says(1, "", "--profile p.json", "[-] Vulkan");
}

static void
profiles_that_need_others(void **state)
{
	write_file("a.json", "\"a\": {" HOLDS "}",
		PROFILE("VP_A", "\"capabilities\": [\"a\"], \"profiles\": [\"VP_B\"]"));
	/* Blocks are each file's own. */
	write_file("b.json", "\"a\": {" FAILS "}", PROFILE("VP_B", "\"capabilities\": [\"a\"]"));
	says(1, HALF, "--profile a.json", "[-] profile \"VP_B\": no file that was given has it");
	says(1, HALF, "--profile a.json --profile b.json", "[-] profile \"VP_B\"");
	assert_non_null(strstr(output, "tessellationShader: wanted true"));
	says(0, "feature.geometryShader=yes,feature.tessellationShader=yes",
		"--profile a.json --profile b.json", "[+] profile \"VP_B\"");
	write_file("c.json", "\"a\": {" HOLDS "}",
		PROFILE("VP_A", "\"capabilities\": [\"a\"], \"profiles\": [\"VP_B\"]") ", " PROFILE(
			"VP_B", "\"capabilities\": [\"a\"], \"profiles\": [\"VP_A\"]"));
	says(1, HALF, "--profile c.json", "it needs itself");
}

static void
one_of_several_profiles(void **state)
{
	write_file("p.json", "\"a\": {" HOLDS "}, \"b\": {" FAILS "}",
		PROFILE("VP_A", "\"capabilities\": [\"a\"]") ", " PROFILE(
			"VP_B", "\"capabilities\": [\"b\"]"));
	says(0, HALF, "--profile p.json VP_A", "profile VP_A on device 0");
	assert_null(strstr(output, "VP_B"));
	says(1, HALF, "--profile p.json VP_B", "profile VP_B on device 0");
	says(1, HALF, "--profile p.json", "profile VP_A on device 0");
	says(125, HALF, "--profile p.json VP_C", "has no profile 'VP_C'; it has:\n  VP_A\n  VP_B");
	says(1, HALF ",devices=2", "--profile p.json VP_B", "profile VP_B on device 1");
	says(1, HALF ",devices=2", "--profile p.json VP_B --device 1", "profile VP_B on device 1");
	assert_null(strstr(output, "device 0"));
}

static void
files_that_are_bad(void **state)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{"", "is no JSON"},
		{"{", "is no JSON, line 1"},
		{"[]", "has no object \"profiles\""},
		{"{\"profiles\": {}}", "has no object \"capabilities\""},
		{"{\"profiles\": {}, \"capabilities\": {}}", "has no profile"},
		{"{\"profiles\": {}, \"profiles\": {}}", "duplicate object key"},
		{"{\"profiles\": \"\\ud800\"}", "is no JSON"},
		{"{\"profiles\": 99999999999999999999", "is no JSON"},
		{"{\"a\": \"\xff\"}", "is no JSON"},
	};
	FILE *file;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		kr_test_file("p.json", rows[i].text);
		says(125, "", "--profile p.json", rows[i].said);
	}
	says(125, "", "--profile none.json", "'none.json' can't be read: No such file");
	says(125, "", "--profile .", "'.' can't be read: Is a directory");
	assert_int_equal(mkfifo(kr_test_path("fifo"), 0600), 0);
	says(125, "", "--profile fifo", "no regular file");
	says(125, "", "--profile /dev/zero", "no regular file");
	file = fopen(kr_test_path("deep.json"), "w");
	assert_non_null(file);
	for (int i = 0; i < 1000000; i++)
		putc('[', file);
	assert_int_equal(fclose(file), 0);
	says(125, "", "--profile deep.json", "is no JSON");
	file = fopen(kr_test_path("large.json"), "w");
	assert_non_null(file);
	assert_int_equal(fseek(file, (8 << 20) + 1, SEEK_SET), 0);
	putc(' ', file);
	assert_int_equal(fclose(file), 0);
	says(125, "", "--profile large.json", "has 8 MiB at most");
}

/* A chain of a thousand profiles, and a block that is named a hundred thousand times. */
static void
files_that_name_much(void **state)
{
	FILE *file = fopen(kr_test_path("chain.json"), "w");

	assert_non_null(file);
	fputs("{\"capabilities\": {}, \"profiles\": {", file);
	for (int i = 0; i < 1000; i++)
		fprintf(file,
			"\"VP_%d\": {\"api-version\": \"1.0.0\", \"capabilities\": [], "
			"\"profiles\": [\"VP_%d\"]}, ",
			i, i + 1);
	fputs("\"VP_1000\": {\"api-version\": \"1.0.0\", \"capabilities\": []}}}", file);
	assert_int_equal(fclose(file), 0);
	says(1, "", "--profile chain.json VP_0", "need one another too deep");
	file = fopen(kr_test_path("many.json"), "w");
	assert_non_null(file);
	fputs("{\"capabilities\": {\"a\": {" FAILS "}}, \"profiles\": {\"VP_T\": "
	      "{\"api-version\": \"1.0.0\", \"capabilities\": [\"a\"",
		file);
	for (int i = 0; i < 10000; i++)
		fputs(", \"a\"", file);
	fputs("]}}}", file);
	assert_int_equal(fclose(file), 0);
	says(1, HALF, "--profile many.json", "[-] a: 1 lines, see above");
}

static void
what_is_said_as_json(void **state)
{
	json_t *root, *device, *verdict, *block;

	write_file("p.json", "\"a\": {" HOLDS "}, \"b\": {" FAILS "}",
		PROFILE("VP_A", "\"capabilities\": [[\"a\", \"b\"], \"b\"]"));
	says(1, HALF, "--json --profile p.json", "{");
	root = json_loads(output, 0, NULL);
	assert_non_null(root);
	assert_true(json_is_false(json_object_get(root, "holds")));
	device = json_array_get(json_object_get(root, "devices"), 0);
	verdict = json_object_get(json_object_get(device, "profiles"), "VP_A");
	assert_true(json_is_false(json_object_get(verdict, "holds")));
	assert_int_equal(json_array_size(json_object_get(verdict, "capabilities")), 2);
	block = json_array_get(json_object_get(device, "documents"), 0);
	block = json_object_get(json_object_get(block, "capabilities"), "b");
	block = json_array_get(json_object_get(block, "lines"), 0);
	assert_string_equal(json_string_value(json_object_get(block, "what")),
		"features.VkPhysicalDeviceFeatures.tessellationShader");
	assert_true(json_is_true(json_object_get(block, "wanted")));
	assert_true(json_is_false(json_object_get(block, "seen")));
	json_decref(root);
}

/* vulkaninfo writes what a device has as a profile, through Debian's loader. */
static void
devices_hold_what_they_say(void **state)
{
	static const char *const drivers[] = {LAVAPIPE, SWIFTSHADER};
	char command[1024], environment[512];

	if (access(SWIFTSHADER, R_OK))
		kr_test_skip("no-swiftshader", NULL);
	for (int i = 0; i < 2; i++) {
		snprintf(command, sizeof(command),
			"cd %s && LD_LIBRARY_PATH=" DEBIAN
			" VK_DRIVER_FILES=%s vulkaninfo --json -o %d.json >/dev/null 2>&1",
			kr_test_dir(), drivers[i], i);
		assert_int_equal(system(command), 0);
	}
	for (int i = 0; i < 4; i++) {
		snprintf(environment, sizeof(environment), "VK_DRIVER_FILES=%s", drivers[i / 2]);
		snprintf(command, sizeof(command), "--profile %d.json", i % 2);
		if (profile(environment, command) != (i / 2 == i % 2 ? 0 : 1))
			fail_msg("%s %s:\n%s", environment, command, output);
	}
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(limits_by_their_kind, 0, 60),
	KR_TEST(numbers_of_64_bits),
	KR_TEST(features_by_name),
	KR_TEST(structures_that_a_device_brings),
	KR_TEST(extensions_with_versions),
	KR_TEST(formats_by_name),
	KR_TEST(queue_families),
	KR_TEST_SLOW(unknown_names, 0, 60),
	KR_TEST_SLOW(alternatives, 0, 60),
	KR_TEST(version_of_vulkan),
	KR_TEST(profiles_that_need_others),
	KR_TEST(one_of_several_profiles),
	KR_TEST_SLOW(files_that_are_bad, 0, 60),
	KR_TEST_SLOW(files_that_name_much, 0, 60),
	KR_TEST(what_is_said_as_json),
	KR_TEST_SLOW(devices_hold_what_they_say, 0, 60),
};

KR_TEST_MAIN(tests)
