/* SPDX-License-Identifier: Apache-2.0 */
/*
 * V-01, V-07: each rule on both sides of its limit, asked of a driver through libvulkan.so.1: the
 * null driver as one of which everything just holds, and with one thing less.
 */
#include "rig.h"

#include <stdio.h>
#include <string.h>

#include "util/macros.h"

enum {
	LEVEL_0 = 1 << 0,
	LEVEL_1 = 1 << 1,
	COMPUTE = 1 << 2,
	V1_0 = 1 << 3,
	V1_1 = 1 << 4,
	V1_3 = 1 << 5,
	YCBCR = 1 << 6,
	STORAGE_8 = 1 << 7,
	RENDERING = 1 << 8,
	TERMINATE = 1 << 9,
	CACHE = 1 << 10,
	ALL = (1 << 11) - 1,
	VERSIONS = V1_0 | V1_1 | V1_3,
	OF_1_3 = RENDERING | TERMINATE | CACHE,
};

#define OFF(name) "feature." #name "=no"

static const struct {
	const char *change;
	uint32_t lost;
} changes[] = {
	{"", 0},
	{OFF(textureCompressionETC2), LEVEL_0 | LEVEL_1 | VERSIONS},
	{OFF(fullDrawIndexUint32), LEVEL_1},
	{OFF(imageCubeArray), LEVEL_1},
	{OFF(independentBlend), LEVEL_1},
	{OFF(geometryShader), LEVEL_1},
	{OFF(tessellationShader), LEVEL_1},
	{OFF(sampleRateShading), LEVEL_1},
	{OFF(textureCompressionASTC_LDR), LEVEL_1},
	{OFF(fragmentStoresAndAtomics), LEVEL_1},
	{OFF(shaderImageGatherExtended), LEVEL_1},
	{OFF(shaderUniformBufferArrayDynamicIndexing), LEVEL_1},
	{OFF(shaderSampledImageArrayDynamicIndexing), LEVEL_1},
	{OFF(shaderStorageBufferArrayDynamicIndexing), 0},
	{OFF(variablePointers), COMPUTE},
	{"limit.maxPerStageDescriptorStorageBuffers=15", COMPUTE},
	{"limit.maxPerStageDescriptorStorageBuffers=17", 0},
	{OFF(samplerYcbcrConversion), V1_1 | V1_3 | YCBCR},
	{OFF(storageBuffer8BitAccess), STORAGE_8},
	{OFF(dynamicRendering), RENDERING},
	{OFF(shaderTerminateInvocation), TERMINATE},
	{OFF(pipelineCreationCacheControl), CACHE},
	{"extension.VK_ANDROID_external_memory_android_hardware_buffer=no", V1_1 | V1_3},
	{"external.semaphore=none", V1_1 | V1_3},
	{"external.semaphore=import", V1_1 | V1_3},
	{"external.semaphore=export", V1_1 | V1_3},
	{"external.fence=none", V1_1 | V1_3},
	{"external.fence=import", V1_1 | V1_3},
	{"external.fence=export", V1_1 | V1_3},
	{"api=1.2.300", V1_3 | OF_1_3},
	{"api=1.2.300,extension.VK_KHR_dynamic_rendering=1", V1_3 | TERMINATE | CACHE},
	{"api=1.2.300,extension.VK_KHR_shader_terminate_invocation=1", V1_3 | RENDERING | CACHE},
	{"api=1.2.300,extension.VK_EXT_pipeline_creation_cache_control=1",
		V1_3 | RENDERING | TERMINATE},
	{"api=1.2.0", V1_3 | OF_1_3},
	{"api=1.1.300", V1_3 | OF_1_3 | STORAGE_8},
	{"api=1.1.300,extension.VK_KHR_8bit_storage=1", V1_3 | OF_1_3},
	{"api=1.1.0", V1_3 | OF_1_3 | STORAGE_8},
	{"api=1.0.300", V1_1 | V1_3 | OF_1_3 | STORAGE_8 | YCBCR | COMPUTE},
	{"api=1.0.3", V1_1 | V1_3 | OF_1_3 | STORAGE_8 | YCBCR | COMPUTE},
	{"api=1.0.2", VERSIONS | OF_1_3 | STORAGE_8 | YCBCR | COMPUTE},
	/* A CPU is spared three rules, and no other. */
	{"type=cpu,external.semaphore=none,external.fence=none,"
	 "extension.VK_ANDROID_external_memory_android_hardware_buffer=no",
		0},
	{"type=virtual,external.fence=none", V1_1 | V1_3},
	{"type=cpu," OFF(samplerYcbcrConversion), V1_1 | V1_3 | YCBCR},
	{"type=cpu," OFF(textureCompressionETC2), LEVEL_0 | LEVEL_1 | VERSIONS},
	{"type=cpu,api=1.2.0", V1_3 | OF_1_3},
};

static void
name_rows(uint32_t rows, char *text, size_t size)
{
	static const char *const names[] = {"level 0", "level 1", "compute 0", "version 1.0.3",
		"version 1.1.0", "version 1.3.0", "samplerYcbcrConversion 0",
		"storageBuffer8BitAccess 0", "dynamicRendering 0", "shaderTerminateInvocation 0",
		"pipelineCreationCacheControl 0"};
	size_t length = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (rows & 1u << i)
			length += (size_t)snprintf(
				text + length, size - length, "%s%s", length ? ", " : "", names[i]);
	}
}

/* Every rule of a row that doesn't hold says so, and what was seen. */
static void
check_lines(const json_t *device)
{
	const json_t *row, *rule;
	size_t i, k;

	json_array_foreach(json_object_get(device, "features"), i, row)
	{
		bool holds = true;

		json_array_foreach(json_object_get(row, "rules"), k, rule)
		{
			holds &= json_is_true(json_object_get(rule, "holds"));
			assert_true(json_string_length(json_object_get(rule, "asked")) > 0);
			assert_true(json_string_length(json_object_get(rule, "source")) > 0);
			assert_true(json_string_length(json_object_get(rule, "wanted")) > 0);
			assert_true(json_string_length(json_object_get(rule, "seen")) > 0);
		}
		assert_int_equal(json_is_true(json_object_get(row, "holds")), holds);
	}
}

static void
check_change(const char *change, uint32_t lost)
{
	char settings[4096], held[1024], expected[1024];
	const json_t *device;
	json_t *all;

	snprintf(settings, sizeof(settings), EVERYTHING ",%s", change);
	all = null_json(settings);
	device = json_array_get(json_object_get(all, "devices"), 0);
	held_rows(device, held, sizeof(held));
	name_rows(ALL & ~lost, expected, sizeof(expected));
	if (strcmp(held, expected) != 0)
		fail_msg("%s:\n%s\nexpected:\n%s", change, held, expected);
	check_lines(device);
	json_decref(all);
}

static void
each_rule_has_two_sides(void **state)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(changes); i++)
		check_change(changes[i].change, changes[i].lost);
}

/* What is declared is the highest row. */
static void
the_highest_is_declared(void **state)
{
	json_t *all = null_json(EVERYTHING);

	assert_string_equal(declared(all, "android.hardware.vulkan.level"), "1");
	assert_string_equal(declared(all, "android.hardware.vulkan.version"), "1.3.0");
	assert_string_equal(declared(all, "android.hardware.vulkan.compute"), "0");
	assert_null(declared(all, "android.software.vulkan.deqp.level"));
	json_decref(all);
	all = null_json(EVERYTHING ",api=1.2.203,feature.geometryShader=no");
	assert_string_equal(declared(all, "android.hardware.vulkan.level"), "0");
	assert_string_equal(declared(all, "android.hardware.vulkan.version"), "1.1.0");
	json_decref(all);
	all = null_json(EVERYTHING ",api=1.0.203");
	assert_string_equal(declared(all, "android.hardware.vulkan.version"), "1.0.3");
	assert_null(declared(all, "android.hardware.vulkan.compute"));
	json_decref(all);
	all = null_json(EVERYTHING ",feature.textureCompressionETC2=no");
	assert_null(declared(all, "android.hardware.vulkan.level"));
	assert_null(declared(all, "android.hardware.vulkan.version"));
	assert_string_equal(declared(all, "android.hardware.vulkan.compute"), "0");
	json_decref(all);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(each_rule_has_two_sides, 0, 120),
	KR_TEST(the_highest_is_declared),
};
KR_TEST_MAIN(tests)
