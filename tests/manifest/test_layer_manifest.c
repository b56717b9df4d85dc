/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer manifests: what is read, what each format has, and the sentence that tells what is wrong.
 */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "failing_alloc.h"
#include "manifest/layer_extensions.h"
#include "manifest/layer_manifest.h"
#include "util/log.h"
#include "util/text.h"

/* A layer's object: its members from the type on, and what the case adds. */
#define REST                                                                                       \
	"\"type\":\"GLOBAL\",\"api_version\":\"1.3.239\",\"implementation_version\":\"4\","        \
	"\"description\":\"d\""
#define LAYER(name, more)     "{\"name\":\"" name "\",\"library_path\":\"./libx.so\"," REST more "}"
#define META(name, more)      "{\"name\":\"" name "\"," REST more "}"
#define FILE_OF(format, rest) "{\"file_format_version\":\"" format "\"," rest "}"
#define DISABLE               ",\"disable_environment\":{\"DISABLE\":\"x\"}"

static char heard[4096];
static uint32_t heard_bits;

static void
listen(void *data, uint32_t bits, const char *message)
{
	size_t len = strlen(heard);

	snprintf(heard + len, sizeof(heard) - len, "%s\n", message);
	heard_bits |= bits;
}

static struct kr_manifest_layer *
first_of(struct kr_list *layers)
{
	assert_false(kr_list_empty(layers));
	return kr_container_of(layers->next, struct kr_manifest_layer, link);
}

static void
destroy_all(struct kr_list *layers)
{
	while (!kr_list_empty(layers))
		kr_manifest_layer_destroy(first_of(layers));
}

/* Reads a text that is right; the first of its layers. */
static struct kr_manifest_layer *
read_good(const char *text, bool implicit, struct kr_list *layers)
{
	const char *path = kr_test_file("l.json", text);
	char *reason = NULL;

	kr_list_init(layers);
	heard[0] = '\0';
	kr_log_set_sink(listen, NULL);
	assert_int_equal(kr_manifest_layer_read(path, implicit, layers, &reason), 0);
	kr_log_set_sink(NULL, NULL);
	assert_null(reason);
	return first_of(layers);
}

static const char full_layer[] = FILE_OF("1.1.2",
	"\"layer\":" LAYER("VK_LAYER_A",
		",\"functions\":{\"vkNegotiateLoaderLayerInterfaceVersion\":\"neg\","
		"\"vkGetInstanceProcAddr\":\"gipa\",\"vkGetDeviceProcAddr\":\"gdpa\"},"
		"\"pre_instance_functions\":{\"vkEnumerateInstanceExtensionProperties\":\"pe\","
		"\"vkEnumerateInstanceLayerProperties\":\"pl\",\"vkEnumerateInstanceVersion\":"
		"\"pv\"},"
		"\"instance_extensions\":[{\"name\":\"VK_EXT_a\",\"spec_version\":\"9\"},{},"
		"{\"name\":\"VK_EXT_b\",\"spec_version\":2}],"
		"\"device_extensions\":[{\"name\":\"VK_EXT_c\",\"spec_version\":\"1\","
		"\"entrypoints\":[\"vkA\",\"vkB\",3]}],"
		"\"enable_environment\":{\"ENABLE\":\"1\"}" DISABLE));

/* K-21 */
static void
reads_an_implicit_layer(void **state)
{
	char *expected = kr_asprintf("%s/./libx.so", kr_test_dir());
	struct kr_list layers;
	const struct kr_manifest_layer *layer = read_good(full_layer, true, &layers);

	assert_string_equal(layer->name, "VK_LAYER_A");
	assert_string_equal(layer->description, "d");
	assert_string_equal(layer->library_path, expected);
	assert_int_equal(layer->api_version, VK_MAKE_API_VERSION(0, 1, 3, 239));
	assert_int_equal(layer->implementation_version, 4);
	assert_true(layer->implicit);
	assert_false(layer->override);
	assert_string_equal(layer->negotiate, "neg");
	assert_string_equal(layer->get_instance_proc_addr, "gipa");
	assert_string_equal(layer->get_device_proc_addr, "gdpa");
	assert_string_equal(layer->pre_enumerate_extensions, "pe");
	assert_string_equal(layer->pre_enumerate_layers, "pl");
	assert_string_equal(layer->pre_enumerate_version, "pv");
	assert_int_equal(layer->instance_extensions.count, 2);
	assert_string_equal(layer->instance_extensions.items[0].name, "VK_EXT_a");
	assert_int_equal(layer->instance_extensions.items[0].spec_version, 9);
	assert_int_equal(layer->instance_extensions.items[1].spec_version, 2);
	assert_int_equal(layer->device_extensions.count, 1);
	assert_int_equal(layer->device_extensions.items[0].entrypoint_count, 2);
	assert_string_equal(layer->device_extensions.items[0].entrypoints[1], "vkB");
	assert_string_equal(layer->enable_environment.name, "ENABLE");
	assert_string_equal(layer->disable_environment.value, "x");
	destroy_all(&layers);
	free(expected);
}

/* K-21: what implicit layers alone have is nothing in an explicit one, or told. */
static void
reads_an_explicit_layer(void **state)
{
	struct kr_list layers;
	const struct kr_manifest_layer *layer = read_good(full_layer, false, &layers);

	assert_false(layer->implicit);
	assert_null(layer->enable_environment.name);
	assert_null(layer->disable_environment.name);
	assert_null(layer->pre_enumerate_version);
	assert_non_null(strstr(heard, "pre_instance_functions are ignored"));
	destroy_all(&layers);
}

/* K-21: a member that a format doesn't have yet is told and passed over. */
static void
formats_differ(void **state)
{
	static const char members[] =
		",\"functions\":{\"vkNegotiateLoaderLayerInterfaceVersion\":\"neg\"},"
		"\"pre_instance_functions\":{\"vkEnumerateInstanceVersion\":\"pv\"}" DISABLE;
	static const struct {
		const char *format;
		bool negotiates, has_pre_instance, known;
	} formats[] = {
		{"1.0.0", false, false, true},
		{"1.0.1", false, false, true},
		{"1.1.0", true, false, true},
		{"1.1.1", true, false, true},
		{"1.1.2", true, true, true},
		{"1.2.0", true, true, true},
		{"1.2.1", true, true, true},
		{"1.2.2", true, true, false},
		{"1.0.2", false, false, false},
		{"100.222.111", true, true, false},
		{"none", false, false, false},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		char *text = kr_asprintf(FILE_OF("%s", "\"layer\":" LAYER("VK_LAYER_A", "%s")),
			formats[i].format, members);
		struct kr_list layers;
		const struct kr_manifest_layer *layer = read_good(text, true, &layers);

		assert_int_equal(layer->negotiate != NULL, formats[i].negotiates);
		assert_int_equal(layer->pre_enumerate_version != NULL, formats[i].has_pre_instance);
		assert_int_equal(!strstr(heard, "pre_instance_functions are ignored"),
			formats[i].has_pre_instance);
		assert_int_equal(
			!strstr(heard, "unknown layer manifest file version"), formats[i].known);
		assert_non_null(strstr(heard, "Found manifest file "));
		destroy_all(&layers);
		free(text);
	}
}

/* K-21: several layers: an array, and before it came members of one name. */
static void
reads_several_layers(void **state)
{
	const char *path = kr_test_file("l.json",
		FILE_OF("1.0.1",
			"\"layers\":[" LAYER("VK_LAYER_A", "") ",{\"name\":\"VK_LAYER_B\"}," LAYER(
				"VK_LAYER_C", "") "]"));
	struct kr_manifest_layer *layer;
	struct kr_list layers;
	char *reason = NULL;

	kr_list_init(&layers);
	assert_int_equal(kr_manifest_layer_read(path, false, &layers, &reason), 0);
	assert_non_null(strstr(reason, "layer VK_LAYER_B has no string type"));
	free(reason);
	layer = first_of(&layers);
	assert_string_equal(layer->name, "VK_LAYER_A");
	kr_manifest_layer_destroy(layer);
	assert_string_equal(first_of(&layers)->name, "VK_LAYER_C");
	destroy_all(&layers);

	layer = read_good(
		FILE_OF("1.0.0",
			"\"layer\":" LAYER("VK_LAYER_A", "") ",\"layer\":" LAYER("VK_LAYER_B", "")),
		false, &layers);
	assert_string_equal(layer->name, "VK_LAYER_A");
	kr_manifest_layer_destroy(layer);
	assert_string_equal(first_of(&layers)->name, "VK_LAYER_B");
	destroy_all(&layers);
}

/* K-21, K-24 */
static void
reads_meta_layers(void **state)
{
	struct kr_list layers;
	const struct kr_manifest_layer *layer = read_good(
		FILE_OF("1.1.1",
			"\"layer\":" META(KR_OVERRIDE_LAYER,
				",\"component_layers\":[\"VK_LAYER_A\",7,\"VK_LAYER_B\"],"
				"\"app_keys\":[\"/bin/app\"],\"override_paths\":[\"/p\",\"/q\"],"
				"\"blacklisted_layers\":[\"VK_LAYER_C\"]" DISABLE)),
		true, &layers);

	assert_null(layer->library_path);
	assert_true(layer->override);
	assert_int_equal(layer->components.count, 2);
	assert_string_equal(layer->components.items[1], "VK_LAYER_B");
	assert_true(kr_names_have(&layer->app_keys, "/bin/app"));
	assert_int_equal(layer->override_paths.count, 2);
	assert_true(kr_names_have(&layer->blacklist, "VK_LAYER_C"));
	assert_false(kr_names_have(&layer->blacklist, "VK_LAYER_A"));
	destroy_all(&layers);

	/* Only the override layer rules over others. */
	layer = read_good(FILE_OF("1.1.1",
				  "\"layer\":" META("VK_LAYER_M",
					  ",\"component_layers\":[],\"app_keys\":[\"/bin/app\"],"
					  "\"blacklisted_layers\":[\"VK_LAYER_C\"]" DISABLE)),
		true, &layers);
	assert_int_equal(layer->app_keys.count + layer->blacklist.count, 0);
	assert_non_null(strstr(heard, "app_keys is ignored"));
	destroy_all(&layers);

	layer = read_good(
		FILE_OF("1.0.1",
			"\"layer\":" META(KR_OVERRIDE_LAYER,
				",\"component_layers\":[],\"override_paths\":[\"/p\"]" DISABLE)),
		true, &layers);
	assert_non_null(strstr(heard, "using older JSON file version"));
	assert_int_equal(layer->override_paths.count, 1);
	destroy_all(&layers);
}

static const struct bad {
	bool implicit;
	const char *text, *cause;
} bad[] = {
	{false, "{", "not JSON"},
	{false, "{\"layer\":" LAYER("A", "") "}", "it has no file_format_version"},
	{false, FILE_OF("1.0.0", "\"a\":1"), "neither an object layer nor layers"},
	{false, FILE_OF("1.0.0", "\"ICD\":{}"), "neither an object layer nor layers"},
	{false, FILE_OF("1.0.1", "\"layers\":[]"), "neither an object layer nor layers"},
	{false, FILE_OF("1.0.0", "\"layer\":[]"), "neither an object layer nor layers"},
	{false, FILE_OF("1.0.1", "\"layers\":[1]"), "layer (without a name) has no string name"},
	{false, FILE_OF("1.0.0", "\"layer\":{\"name\":\"A\"}"), "layer A has no string type"},
	{false, FILE_OF("1.0.0", "\"layer\":" LAYER("", "")), "name is empty or longer than 255"},
	{false, FILE_OF("1.0.1", "\"layer\":" LAYER("A", "") ",\"layer\":" LAYER("B", "")),
		"it has 2 members layer"},
	{false, FILE_OF("1.1.0", "\"layer\":" LAYER("A", ",\"component_layers\":[]")),
		"layer A is a meta-layer (component_layers), which has no library_path"},
	{false, FILE_OF("1.1.0", "\"layer\":" META("A", "")),
		"layer A has neither a string library_path nor an array component_layers"},
	{false, FILE_OF("1.1.0", "\"layer\":" META("A", ",\"component_layers\":\"B\"")),
		"layer A has neither a string library_path nor an array component_layers"},
	{true, FILE_OF("1.1.0", "\"layer\":" LAYER("A", "")),
		"implicit layer A has no disable_environment"},
	{true, FILE_OF("1.1.0", "\"layer\":" LAYER("A", ",\"disable_environment\":{}")),
		"implicit layer A has no disable_environment"},
	/* Of these no variable could turn it off either. */
	{true, FILE_OF("1.1.0", "\"layer\":" LAYER("A", ",\"disable_environment\":[\"x\"]")),
		"implicit layer A has no disable_environment"},
	{true, FILE_OF("1.1.0", "\"layer\":" LAYER("A", ",\"disable_environment\":{\"\":\"1\"}")),
		"implicit layer A has no disable_environment"},
	{true,
		FILE_OF("1.1.0",
			"\"layer\":" LAYER("A", ",\"disable_environment\":{\"X=Y\":\"1\"}")),
		"implicit layer A has no disable_environment"},
	{false, FILE_OF("1.1.0", "\"layer\":" LAYER("A", ",\"library_arch\":\"32\"")),
		"layer A is 32-bit"},
	{false,
		FILE_OF("1.0.0",
			"\"layer\":{\"name\":\"A\",\"type\":\"ODD\",\"library_path\":\"x\","
			"\"api_version\":\"1.0\",\"implementation_version\":\"1\","
			"\"description\":\"d\"}"),
		"layer A: type \"ODD\" is none of"},
	{false,
		FILE_OF("1.0.0",
			"\"layer\":{\"name\":\"A\",\"type\":\"DEVICE\",\"library_path\":\"x\","
			"\"api_version\":\"1.0\",\"implementation_version\":\"1\","
			"\"description\":\"d\"}"),
		"layer A: Device layers are deprecated"},
	{false,
		FILE_OF("1.0.0",
			"\"layer\":{\"name\":\"A\",\"type\":\"GLOBAL\",\"library_path\":\"x\","
			"\"implementation_version\":\"1\",\"description\":\"d\"}"),
		"layer A has no api_version"},
	{false,
		FILE_OF("1.0.0",
			"\"layer\":{\"name\":\"A\",\"type\":\"GLOBAL\",\"library_path\":\"x\","
			"\"api_version\":\"1.1.2.3\",\"implementation_version\":\"1\","
			"\"description\":\"d\"}"),
		"non-zero variant value of 1"},
};

/* K-21, K-50: each is refused with its file and its cause. */
static void
refuses_bad_layers(void **state)
{
	struct kr_list layers;

	kr_list_init(&layers);
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		const char *path = kr_test_file("bad.json", bad[i].text);
		char *reason = NULL;

		assert_true(kr_manifest_layer_read(path, bad[i].implicit, &layers, &reason) < 0);
		assert_true(kr_list_empty(&layers));
		if (!strstr(reason, bad[i].cause) || strncmp(reason, path, strlen(path)))
			fail_msg("\"%s\" lacks \"%s\"", reason, bad[i].cause);
		free(reason);
	}
}

/* K-21: as other loaders take them. */
static void
takes_layers_with_mistakes(void **state)
{
	const struct kr_manifest_layer *layer;
	struct kr_list layers;

	layer = read_good(
		"{\"file_format_version\":1.0,\"layer\":{\"name\":\"VK_LAYER_A\",\"type\":"
		"\"GLOBAL\","
		"\"library_path\":\"x\",\"api_version\":\"1.x\",\"implementation_version\":7,"
		"\"description\":\"a\tb\xe9\"}} x",
		false, &layers);
	assert_int_equal(layer->api_version, VK_API_VERSION_1_0);
	assert_int_equal(layer->implementation_version, 7);
	assert_string_equal(layer->description, "a\tb\xe9");
	assert_non_null(strstr(heard, "a control character stands in a string"));
	assert_non_null(strstr(heard, "\"1.x\" is no version"));
	destroy_all(&layers);
	layer = read_good(
		FILE_OF("1.0.0",
			"\"layer\":{\"name\":\"VK_LAYER_A\",\"type\":\"GLOBAL\",\"library_path\":"
			"\"x\","
			"\"api_version\":1.2,\"implementation_version\":\"1\",\"description\":5}"),
		false, &layers);
	assert_int_equal(layer->api_version, VK_API_VERSION_1_2);
	assert_string_equal(layer->description, "");
	destroy_all(&layers);
}

/* K-50: a driver's manifest among layers, or a layer for another kind of process, is no warning. */
static void
what_is_normal_is_no_warning(void **state)
{
	static const char *const texts[] = {
		FILE_OF("1.0.0", "\"ICD\":{}"),
		FILE_OF("1.0.0", "\"layer\":" LAYER("VK_LAYER_A", ",\"library_arch\":\"32\"")),
	};
	struct kr_list layers;

	kr_list_init(&layers);
	kr_log_set_sink(listen, NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(texts); i++) {
		char *reason = NULL;

		heard_bits = 0;
		assert_true(kr_manifest_layer_read(
				    kr_test_file("l.json", texts[i]), false, &layers, &reason) < 0);
		assert_false(heard_bits & (KR_LOG_ERROR | KR_LOG_WARN));
		free(reason);
	}
	kr_log_set_sink(NULL, NULL);
}

static void
extensions_are_merged_once(void **state)
{
	struct kr_list layers, others;
	struct kr_manifest_layer *layer = read_good(full_layer, true, &layers);
	const struct kr_manifest_layer *other = read_good(full_layer, true, &others);

	assert_int_equal(kr_manifest_extensions_merge(
				 &layer->instance_extensions, &other->instance_extensions),
		0);
	assert_int_equal(layer->instance_extensions.count, 2);
	assert_int_equal(kr_manifest_extensions_merge(
				 &layer->instance_extensions, &other->device_extensions),
		0);
	assert_int_equal(layer->instance_extensions.count, 3);
	assert_true(kr_manifest_extensions_have(&layer->instance_extensions, "VK_EXT_c"));
	destroy_all(&layers);
	destroy_all(&others);
}

/* A megabyte of layers that are none: done at once, with a reason that can be read. */
static void
many_bad_layers_are_told_briefly(void **state)
{
	static const char head[] = "{\"file_format_version\":\"1.2.0\",\"layers\":[{}";
	const size_t count = 300000;
	char *text = malloc(sizeof(head) + count * 3 + 2), *end = text, *reason = NULL;
	struct kr_list layers;
	const char *path;

	end += sprintf(end, "%s", head);
	for (size_t i = 0; i < count; i++) {
		memcpy(end, ",{}", 3);
		end += 3;
	}
	memcpy(end, "]}", 3);
	path = kr_test_file("l.json", text);
	free(text);
	kr_list_init(&layers);
	assert_int_equal(kr_manifest_layer_read(path, false, &layers, &reason), -EINVAL);
	assert_true(strlen(reason) < 8192);
	free(reason);
}

static void
survives_without_memory(void **state)
{
	static const char meta[] = FILE_OF("1.1.1",
		"\"layers\":[" LAYER("VK_LAYER_A", DISABLE) "," META(KR_OVERRIDE_LAYER,
			",\"component_layers\":[\"VK_LAYER_A\"],\"app_keys\":[\"/bin/app\"],"
			"\"override_paths\":[\"/"
			"p\"],\"blacklisted_layers\":[\"VK_LAYER_C\"]" DISABLE) "]");
	const char *texts[] = {full_layer, meta};

	for (int i = 0; i < 2; i++) {
		const char *path = kr_test_file("l.json", texts[i]);
		struct kr_list layers;
		int failures = 0, ret;

		kr_list_init(&layers);
		for (;; failures++) {
			char *reason = NULL;

			failing_alloc_left = failures;
			ret = kr_manifest_layer_read(path, true, &layers, &reason);
			failing_alloc_left = -1;
			free(reason);
			if (!ret)
				break;
			assert_int_equal(ret, -ENOMEM);
			assert_true(kr_list_empty(&layers));
		}
		assert_true(failures > 20);
		destroy_all(&layers);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(reads_an_implicit_layer),
	KR_TEST(reads_an_explicit_layer),
	KR_TEST(formats_differ),
	KR_TEST(reads_several_layers),
	KR_TEST(reads_meta_layers),
	KR_TEST(takes_layers_with_mistakes),
	KR_TEST(refuses_bad_layers),
	KR_TEST(what_is_normal_is_no_warning),
	KR_TEST(extensions_are_merged_once),
	KR_TEST(many_bad_layers_are_told_briefly),
	KR_TEST(survives_without_memory),
};

KR_TEST_MAIN(tests)
