/* SPDX-License-Identifier: Apache-2.0 */
/*
 * V-01 V-07 Each rule on both sides of its limit: a device that just holds everything, less
 * one thing.
 */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "features/table.h"
#include "util/macros.h"

#define BIT(row) (1u << KR_FEATURE_ROW_##row)
#define VERSIONS (BIT(VERSION_1_0) | BIT(VERSION_1_1) | BIT(VERSION_1_3))

#define BUFFERS "VK_ANDROID_external_memory_android_hardware_buffer"

static VkExtensionProperties extensions[] = {
	{"VK_KHR_something", 1},
	{BUFFERS, 5},
};

/* Everything holds, and by nothing to spare. */
static struct kr_feature_facts
everything(void)
{
	struct kr_feature_facts facts = {
		.properties =
			{
				.apiVersion = VK_API_VERSION_1_3,
				.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
				.limits = {.maxPerStageDescriptorStorageBuffers = 16},
			},
		.features =
			{
				.textureCompressionETC2 = VK_TRUE,
				.fullDrawIndexUint32 = VK_TRUE,
				.imageCubeArray = VK_TRUE,
				.independentBlend = VK_TRUE,
				.geometryShader = VK_TRUE,
				.tessellationShader = VK_TRUE,
				.sampleRateShading = VK_TRUE,
				.textureCompressionASTC_LDR = VK_TRUE,
				.fragmentStoresAndAtomics = VK_TRUE,
				.shaderImageGatherExtended = VK_TRUE,
				.shaderUniformBufferArrayDynamicIndexing = VK_TRUE,
				.shaderSampledImageArrayDynamicIndexing = VK_TRUE,
			},
		.sync_fd_semaphore = {true, true, true},
		.sync_fd_fence = {true, true, true},
		.extensions = extensions,
		.extension_count = KR_ARRAY_LEN(extensions),
	};

	for (unsigned i = 0; i < KR_FEATURE_MEMBERS; i++)
		facts.members[i] = (struct kr_feature_fact){KR_FEATURE_ASKED, true};
	return facts;
}

/* The rows that hold, as bits. */
static uint32_t
rows_of(const struct kr_feature_facts *facts, bool only_cpus)
{
	static struct kr_feature_table table;
	uint32_t rows = 0;

	kr_feature_table_fill(&table, facts, only_cpus);
	for (unsigned i = 0; i < KR_FEATURE_ROWS; i++) {
		const struct kr_feature_row *row = &table.rows[i];
		bool holds = true;

		assert_true(row->line_count > 0);
		for (size_t k = 0; k < row->line_count; k++) {
			const struct kr_feature_line *line = &table.lines[row->first_line + k];

			assert_non_null(line->asked);
			assert_non_null(line->source);
			assert_true(*line->wanted && *line->seen);
			holds &= line->holds;
		}
		assert_int_equal(row->holds, holds);
		rows |= (uint32_t)row->holds << i;
	}
	return rows;
}

#define ALL ((1u << KR_FEATURE_ROWS) - 1)

static void
expect_lost(const struct kr_feature_facts *facts, uint32_t lost, const char *what)
{
	uint32_t rows = rows_of(facts, false);

	if (rows != (ALL & ~lost))
		fail_msg("without %s: rows %#x, expected %#x", what, rows, ALL & ~lost);
}

static void
nothing_to_spare_is_enough(void **state)
{
	struct kr_feature_facts facts = everything();

	assert_int_equal(rows_of(&facts, false), ALL);
}

static void
each_feature_counts(void **state)
{
#define OF(member) offsetof(VkPhysicalDeviceFeatures, member), #member
	static const struct {
		size_t offset;
		const char *name;
		uint32_t lost;
	} needed[] = {
		{OF(textureCompressionETC2), BIT(LEVEL_0) | BIT(LEVEL_1) | VERSIONS},
		{OF(fullDrawIndexUint32), BIT(LEVEL_1)},
		{OF(imageCubeArray), BIT(LEVEL_1)},
		{OF(independentBlend), BIT(LEVEL_1)},
		{OF(geometryShader), BIT(LEVEL_1)},
		{OF(tessellationShader), BIT(LEVEL_1)},
		{OF(sampleRateShading), BIT(LEVEL_1)},
		{OF(textureCompressionASTC_LDR), BIT(LEVEL_1)},
		{OF(fragmentStoresAndAtomics), BIT(LEVEL_1)},
		{OF(shaderImageGatherExtended), BIT(LEVEL_1)},
		{OF(shaderUniformBufferArrayDynamicIndexing), BIT(LEVEL_1)},
		{OF(shaderSampledImageArrayDynamicIndexing), BIT(LEVEL_1)},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(needed); i++) {
		struct kr_feature_facts facts = everything();

		*(VkBool32 *)((char *)&facts.features + needed[i].offset) = VK_FALSE;
		expect_lost(&facts, needed[i].lost, needed[i].name);
	}
}

/* No other feature of Vulkan 1.0 has a say. */
static void
other_features_dont_count(void **state)
{
	struct kr_feature_facts facts = everything();

	for (size_t i = 0; i < sizeof(facts.features) / sizeof(VkBool32); i++) {
		VkBool32 *feature = (VkBool32 *)&facts.features + i;

		*feature = !*feature;
		if (*feature)
			expect_lost(&facts, 0, "a feature more");
		*feature = !*feature;
	}
}

static void
versions_have_limits(void **state)
{
	static const struct {
		uint32_t version, lost;
	} versions[] = {
		{VK_MAKE_API_VERSION(0, 1, 0, 0), VERSIONS},
		{VK_MAKE_API_VERSION(0, 1, 0, 2), VERSIONS},
		{VK_MAKE_API_VERSION(0, 1, 0, 3), BIT(VERSION_1_1) | BIT(VERSION_1_3)},
		{VK_MAKE_API_VERSION(0, 1, 0, 4095), BIT(VERSION_1_1) | BIT(VERSION_1_3)},
		{VK_API_VERSION_1_1, BIT(VERSION_1_3)},
		{VK_MAKE_API_VERSION(0, 1, 2, 4095), BIT(VERSION_1_3)},
		{VK_API_VERSION_1_3, 0},
		{VK_MAKE_API_VERSION(0, 1, 4, 0), 0},
		/* Vulkan SC 1.0 is no Vulkan, though its number is higher. */
		{VK_MAKE_API_VERSION(1, 1, 0, 0), VERSIONS},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(versions); i++) {
		struct kr_feature_facts facts = everything();
		char what[32];

		facts.properties.apiVersion = versions[i].version;
		snprintf(what, sizeof(what), "more than %#x", versions[i].version);
		expect_lost(&facts, versions[i].lost, what);
	}
}

static void
compute_has_a_limit(void **state)
{
	struct kr_feature_facts facts = everything();

	facts.properties.limits.maxPerStageDescriptorStorageBuffers = 15;
	expect_lost(&facts, BIT(COMPUTE_0), "16 storage buffers");
	facts.properties.limits.maxPerStageDescriptorStorageBuffers = 17;
	expect_lost(&facts, 0, "nothing");
	facts.properties.limits.maxPerStageDescriptorStorageBuffers = UINT32_MAX;
	expect_lost(&facts, 0, "nothing");
}

static void
each_member_counts(void **state)
{
	static const uint32_t lost[KR_FEATURE_MEMBERS] = {
		[KR_FEATURE_SAMPLER_YCBCR_CONVERSION] =
			BIT(VERSION_1_1) | BIT(VERSION_1_3) | BIT(SAMPLER_YCBCR_CONVERSION),
		[KR_FEATURE_VARIABLE_POINTERS] = BIT(COMPUTE_0),
		[KR_FEATURE_STORAGE_BUFFER_8BIT_ACCESS] = BIT(STORAGE_BUFFER_8BIT_ACCESS),
		[KR_FEATURE_DYNAMIC_RENDERING] = BIT(DYNAMIC_RENDERING),
		[KR_FEATURE_SHADER_TERMINATE_INVOCATION] = BIT(SHADER_TERMINATE_INVOCATION),
		[KR_FEATURE_PIPELINE_CREATION_CACHE_CONTROL] = BIT(PIPELINE_CREATION_CACHE_CONTROL),
	};

	for (unsigned i = 0; i < KR_FEATURE_MEMBERS; i++) {
		struct kr_feature_facts facts = everything();
		const char *name = kr_feature_describe_member((enum kr_feature_member)i)->name;

		facts.members[i].value = false;
		expect_lost(&facts, lost[i], name);
		/* What couldn't be asked isn't there. */
		facts.members[i] = (struct kr_feature_fact){KR_FEATURE_HAS_NO_SUCH, true};
		expect_lost(&facts, lost[i], name);
		facts.members[i] = (struct kr_feature_fact){KR_FEATURE_HAS_NO_QUERY, true};
		expect_lost(&facts, lost[i], name);
	}
}

/* V-01: what 1.1 wants of all but CPUs. */
static void
sharing_counts_for_gpus(void **state)
{
	const uint32_t lost = BIT(VERSION_1_1) | BIT(VERSION_1_3);
	struct kr_feature_facts facts = everything();

	facts.extension_count = 1;
	expect_lost(&facts, lost, BUFFERS);
	assert_int_equal(rows_of(&facts, true), ALL);
	for (unsigned i = 0; i < 2; i++) {
		struct kr_feature_external *external;

		facts = everything();
		external = i ? &facts.sync_fd_fence : &facts.sync_fd_semaphore;
		external->exports = false;
		expect_lost(&facts, lost, "export");
		assert_int_equal(rows_of(&facts, true), ALL);
		*external = (struct kr_feature_external){true, true, false};
		expect_lost(&facts, lost, "import");
		*external = (struct kr_feature_external){false, true, true};
		expect_lost(&facts, lost, "an answer");
	}
}

/* A CPU is spared that alone. */
static void
cpus_hold_the_rest(void **state)
{
	struct kr_feature_facts facts = everything();

	facts.members[KR_FEATURE_SAMPLER_YCBCR_CONVERSION].value = false;
	assert_int_equal(rows_of(&facts, true),
		ALL & ~(BIT(VERSION_1_1) | BIT(VERSION_1_3) | BIT(SAMPLER_YCBCR_CONVERSION)));
	facts = everything();
	facts.features.textureCompressionETC2 = VK_FALSE;
	assert_int_equal(rows_of(&facts, true), ALL & ~(BIT(LEVEL_0) | BIT(LEVEL_1) | VERSIONS));
}

static void
the_highest_version_is_found(void **state)
{
	static struct kr_feature_table table;
	struct kr_feature_facts facts = everything();
	uint32_t version = 77;

	kr_feature_table_fill(&table, &facts, false);
	assert_true(kr_feature_table_find(&table, KR_FEATURE_NAME_VERSION, &version));
	assert_int_equal(version, 0x403000);
	assert_true(kr_feature_table_find(&table, KR_FEATURE_NAME_LEVEL, &version));
	assert_int_equal(version, 1);
	facts.properties.apiVersion = VK_MAKE_API_VERSION(0, 1, 2, 203);
	facts.features.geometryShader = VK_FALSE;
	kr_feature_table_fill(&table, &facts, false);
	assert_true(kr_feature_table_find(&table, KR_FEATURE_NAME_VERSION, &version));
	assert_int_equal(version, 0x401000);
	assert_true(kr_feature_table_find(&table, KR_FEATURE_NAME_LEVEL, &version));
	assert_int_equal(version, 0);
	facts.properties.apiVersion = VK_MAKE_API_VERSION(0, 1, 0, 68);
	kr_feature_table_fill(&table, &facts, false);
	assert_true(kr_feature_table_find(&table, KR_FEATURE_NAME_VERSION, &version));
	assert_int_equal(version, 0x400003);
	version = 77;
	assert_false(kr_feature_table_find(&table, KR_FEATURE_NAME_DEQP, &version));
	assert_false(kr_feature_table_find(&table, "nonsense", &version));
	assert_int_equal(version, 77);
}

static const struct kr_test tests[] = {
	KR_TEST(nothing_to_spare_is_enough),
	KR_TEST(each_feature_counts),
	KR_TEST(other_features_dont_count),
	KR_TEST(versions_have_limits),
	KR_TEST(compute_has_a_limit),
	KR_TEST(each_member_counts),
	KR_TEST(sharing_counts_for_gpus),
	KR_TEST(cpus_hold_the_rest),
	KR_TEST(the_highest_version_is_found),
};
KR_TEST_MAIN(tests)
