/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layers there are and which are enabled, in an environment and with manifests that are made
 * up: no library is opened. Names are told without their VK_LAYER_, in order.
 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "layers/layers.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/text.h"

#define P "VK_LAYER_"

static struct {
	const char *name, *value;
} environment[24];
static size_t environment_count;
static char implicit_files[4096] = "/nowhere", explicit_files[8192] = "/nowhere";
static char heard[16384];

/* In the place of libc's: whatever this test doesn't set isn't there. */
char *secure_getenv(const char *name);
char *
secure_getenv(const char *name)
{
	for (size_t i = environment_count; i-- > 0;) {
		if (!strcmp(environment[i].name, name))
			return (char *)(uintptr_t)environment[i].value;
	}
	return NULL;
}

static void
set(const char *name, const char *value)
{
	environment[environment_count].name = name;
	environment[environment_count++].value = value;
}

/* Back to what the case began with. */
static void
unset(size_t count)
{
	environment_count = count;
}

static void
listen(void *data, uint32_t bits, const char *message)
{
	size_t len = strlen(heard);

	snprintf(heard + len, sizeof(heard) - len, "%s\n", message);
}

static const char *
write_layer(const char *file, const char *version, const char *more)
{
	char text[2048];

	snprintf(text, sizeof(text),
		"{\"file_format_version\":\"1.2.0\",\"layer\":{\"type\":\"GLOBAL\",\"api_version\":"
		"\"%s\",\"implementation_version\":\"1\",\"description\":\"%s\",%s}}",
		version, file, more);
	return kr_test_file(file, text);
}

static const char *
install(char *files, const char *version, const char *more)
{
	static int number;
	char file[32];
	const char *path;

	snprintf(file, sizeof(file), "layer%d.json", number++);
	path = write_layer(file, version, more);
	strcat(files, ":");
	strcat(files, path);
	return path;
}

#define LIBRARY(name)          "\"name\":\"" P name "\",\"library_path\":\"/lib/" name ".so\""
#define META(name, components) "\"name\":\"" P name "\",\"component_layers\":[" components "]"
#define OVERRIDE(components)                                                                       \
	"\"name\":\"" KR_OVERRIDE_LAYER "\",\"component_layers\":[" components "]"
#define OFF(variable) ",\"disable_environment\":{\"" variable "\":\"1\"}"
#define ON(variable)  ",\"enable_environment\":{\"" variable "\":\"1\"}"

#define EXPLICIT(more) install(explicit_files, "1.3.0", more)
#define IMPLICIT(more) install(implicit_files, "1.3.0", more)

static struct kr_settings settings;
static struct kr_settings_layer entries[8];

static void
add_setting(const char *name, const char *path, enum kr_settings_control control, bool implicit)
{
	settings.path = (char *)(uintptr_t) "settings";
	settings.has_layers = true;
	settings.layers = entries;
	entries[settings.layer_count++] = (struct kr_settings_layer){
		.name = (char *)(uintptr_t)name,
		.path = (char *)(uintptr_t)path,
		.control = control,
		.implicit = implicit,
	};
}

static void
find(struct kr_layer_rules *rules, enum kr_layer_scope scope, struct kr_layers *layers)
{
	if (!secure_getenv("VK_IMPLICIT_LAYER_PATH"))
		set("VK_IMPLICIT_LAYER_PATH", implicit_files);
	if (!secure_getenv("VK_LAYER_PATH"))
		set("VK_LAYER_PATH", explicit_files);
	heard[0] = '\0';
	kr_log_set_sink(listen, NULL);
	kr_layer_rules_read(rules, &settings);
	assert_int_equal(kr_layers_find(rules, scope, layers), VK_SUCCESS);
}

static void
put(char *out, const char *name)
{
	if (out[0])
		strcat(out, " ");
	strcat(out, strncmp(name, P, strlen(P)) ? name : name + strlen(P));
}

/* The layers that there are. */
static void
expect_present(const char *expected)
{
	const struct kr_manifest_layer *layer;
	struct kr_layer_rules rules;
	struct kr_layers layers;
	char names[512] = "";

	find(&rules, KR_LAYERS_ALL, &layers);
	kr_list_for_each (layer, &layers.list, link)
		put(names, layer->name);
	assert_string_equal(names, expected);
	kr_layers_finish(&layers);
	kr_log_set_sink(NULL, NULL);
}

/* Those that an instance has whose application names `count` of them. */
static VkResult
expect_enabled_for(uint32_t count, const char *const *requested, const char *expected)
{
	const struct kr_layer_request request = {count, requested, VK_API_VERSION_1_0};
	struct kr_layer_selection selection;
	struct kr_layer_rules rules;
	struct kr_layers layers;
	char names[512] = "";
	VkResult result;

	find(&rules, KR_LAYERS_ALL, &layers);
	result = kr_layers_select(&layers, &rules, &request, NULL, &selection);
	if (result == VK_SUCCESS) {
		for (uint32_t i = 0; i < selection.count; i++)
			put(names, selection.items[i].manifest->name);
		assert_string_equal(names, expected);
		kr_layer_selection_finish(&selection, NULL);
	}
	kr_layers_finish(&layers);
	kr_log_set_sink(NULL, NULL);
	return result;
}

#define expect_enabled(expected) assert_int_equal(expect_enabled_for(0, NULL, expected), VK_SUCCESS)

/* K-25, K-08: implicit ones, the variable's, the application's; each once. */
static void
order(void **state)
{
	static const char *const names[] = {P "C", P "A", P "I", P "B", P "C"};

	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	EXPLICIT(LIBRARY("A"));
	EXPLICIT(LIBRARY("B"));
	EXPLICIT(LIBRARY("C"));
	set("VK_INSTANCE_LAYERS", ":" P "B::" P "none:" P "B");
	expect_present("I A B C");
	assert_int_equal(expect_enabled_for(5, names, "I B C A"), VK_SUCCESS);
	assert_non_null(strstr(heard,
		"Layer \"VK_LAYER_none\" was not found but was requested by env var VK_INSTANCE_LAYERS!"));
	expect_enabled("I B");
}

/* K-04, K-05: places that are set to nothing are none, whatever is installed. */
static void
places_set_to_nothing(void **state)
{
	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	EXPLICIT(LIBRARY("A"));
	set("VK_LAYER_PATH", "");
	expect_present("I");
	unset(0);
	set("VK_IMPLICIT_LAYER_PATH", "");
	expect_present("A");
	expect_enabled("");
}

/*
 * K-08, K-25: an implicit layer that the variable names has its place there, on by itself or not.
 */
static void
order_of_implicit_layers_by_the_variable(void **state)
{
	static const char *const names[] = {P "B", P "I"};

	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	IMPLICIT(LIBRARY("II") OFF("NO_II"));
	IMPLICIT(LIBRARY("J") OFF("NO_J") ON("DO_J"));
	EXPLICIT(LIBRARY("A"));
	EXPLICIT(LIBRARY("B"));
	expect_enabled("I II");
	set("VK_INSTANCE_LAYERS", P "A:" P "I");
	expect_enabled("II A I");
	assert_int_equal(expect_enabled_for(2, names, "II A I B"), VK_SUCCESS);
	set("VK_INSTANCE_LAYERS", P "II:" P "A:" P "J:" P "I");
	expect_enabled("II A J I");
	/* A part of a name is none. */
	set("VK_INSTANCE_LAYERS", P "A:" P "IIII");
	expect_enabled("I II A");
}

/* K-25: of one name, the first counts and is there once; the other is told of. */
static void
one_name_twice(void **state)
{
	static const char *const names[] = {P "A"};
	const struct kr_layer_request request = {1, names, VK_API_VERSION_1_0};
	struct kr_layer_selection selection;
	struct kr_layer_rules rules;
	struct kr_layers layers;
	const char *first = EXPLICIT(LIBRARY("A"));

	EXPLICIT(LIBRARY("A"));
	EXPLICIT(LIBRARY("B"));
	EXPLICIT(LIBRARY("A"));
	expect_present("A B");
	assert_non_null(strstr(heard, "Removing layer VK_LAYER_A ("));
	assert_non_null(strstr(heard, ") because it is a duplicate of VK_LAYER_A ("));
	assert_non_null(strstr(heard, first));
	find(&rules, KR_LAYERS_ALL, &layers);
	assert_int_equal(kr_layers_select(&layers, &rules, &request, NULL, &selection), VK_SUCCESS);
	assert_int_equal(selection.count, 1);
	assert_string_equal(selection.items[0].manifest->path, first);
	assert_true(selection.items[0].requested);
	assert_int_equal(selection.items[0].cause, KR_LAYER_BY_APPLICATION);
	kr_layer_selection_finish(&selection, NULL);
	kr_layers_finish(&layers);
	kr_log_set_sink(NULL, NULL);
}

/*
 * Names are compared as far as people have layers: a manifest of megabytes would take
 * minutes otherwise.
 */
static void
one_name_twice_among_thousands(void **state)
{
	enum { COUNT = 4200 };
	const struct kr_manifest_layer *layer;
	struct kr_layer_rules rules;
	struct kr_layers layers;
	char *text = malloc(COUNT * 200 + 100), *end = text;
	size_t count = 0;

	end += sprintf(end, "{\"file_format_version\":\"1.1.0\",\"layers\":[");
	for (int i = 0; i < COUNT; i++)
		end += sprintf(end,
			"%s{\"name\":\"VK_LAYER_%d\",\"type\":\"GLOBAL\",\"library_path\":\"x\","
			"\"api_version\":\"1.0\",\"implementation_version\":\"1\",\"description\":"
			"\"\"}",
			i ? "," : "", i == 100 || i == COUNT - 1 ? 0 : i);
	sprintf(end, "]}");
	strcat(strcat(explicit_files, ":"), kr_test_file("many.json", text));
	find(&rules, KR_LAYERS_ALL, &layers);
	kr_list_for_each (layer, &layers.list, link)
		count++;
	assert_int_equal(count, COUNT - 1);
	kr_layers_finish(&layers);
	kr_log_set_sink(NULL, NULL);
	free(text);
}

/* The implicit one goes first, unless it is disabled: then the explicit one is there. */
static void
one_name_of_both_kinds(void **state)
{
	struct kr_layer_rules rules;
	struct kr_layers layers;

	EXPLICIT(LIBRARY("A"));
	IMPLICIT(LIBRARY("A") OFF("NO_A"));
	expect_present("A");
	expect_enabled("A");
	set("VK_LOADER_LAYERS_DISABLE", "~implicit~");
	find(&rules, KR_LAYERS_ALL, &layers);
	assert_false(kr_layers_get(&layers, P "A")->implicit);
	kr_layers_finish(&layers);
	kr_log_set_sink(NULL, NULL);
	expect_present("A");
	expect_enabled("");
}

static void
requests_that_fail(void **state)
{
	static const char *const missing[] = {P "A", P "none"};
	static const char *const null[] = {P "A", NULL};

	EXPLICIT(LIBRARY("A"));
	assert_int_equal(expect_enabled_for(2, missing, ""), VK_ERROR_LAYER_NOT_PRESENT);
	assert_non_null(strstr(heard, "layer VK_LAYER_none, which the application enables"));
	assert_int_equal(expect_enabled_for(2, null, ""), VK_ERROR_LAYER_NOT_PRESENT);
	assert_int_equal(expect_enabled_for(1, NULL, ""), VK_ERROR_LAYER_NOT_PRESENT);
}

/* K-23 */
static void
variables_of_implicit_layers(void **state)
{
	static const struct {
		const char *on, *off, *expected;
	} cases[] = {
		{NULL, NULL, "ALWAYS"},
		{"1", NULL, "ALWAYS MAYBE"},
		{"", NULL, "ALWAYS"},
		{"0", NULL, "ALWAYS"},
		{"11", NULL, "ALWAYS"},
		{"1", "1", ""},
		{"1", "0", ""},
		{"1", "", ""},
	};
	size_t base;

	IMPLICIT(LIBRARY("ALWAYS") OFF("NO"));
	IMPLICIT(LIBRARY("MAYBE") OFF("NO") ON("YES"));
	base = environment_count;
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		unset(base);
		if (cases[i].on)
			set("YES", cases[i].on);
		if (cases[i].off)
			set("NO", cases[i].off);
		expect_enabled(cases[i].expected);
	}
}

/* K-07 */
static void
filters(void **state)
{
	static const struct {
		const char *enable, *disable, *allow, *present, *enabled;
	} cases[] = {
		{NULL, NULL, NULL, "I J A B", "I"},
		{NULL, "~all~", NULL, "", ""},
		{NULL, "~implicit~", NULL, "A B", ""},
		{NULL, "~explicit~", NULL, "I J", "I"},
		{NULL, "*layer_a,*_I", NULL, "J B", ""},
		{NULL, "*", NULL, "", ""},
		{NULL, "~all~", "*_I,*_A", "I A", "I"},
		{NULL, "*_B", "*_B", "I J A B", "I"},
		{"*_A", "~all~", NULL, "A", "A"},
		{"*_J", NULL, NULL, "I J A B", "I J"},
		{"*_J", "~implicit~", NULL, "J A B", "J"},
		{"*_B,*_A", NULL, NULL, "I J A B", "I A B"},
		{"*", NULL, NULL, "I J A B", "I J A B"},
		{NULL, NULL, "*_J", "I J A B", "I"},
	};
	size_t base;

	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	IMPLICIT(LIBRARY("J") OFF("NO_J") ON("YES_J"));
	EXPLICIT(LIBRARY("A"));
	EXPLICIT(LIBRARY("B"));
	base = environment_count;
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		unset(base);
		if (cases[i].enable)
			set("VK_LOADER_LAYERS_ENABLE", cases[i].enable);
		if (cases[i].disable)
			set("VK_LOADER_LAYERS_DISABLE", cases[i].disable);
		if (cases[i].allow)
			set("VK_LOADER_LAYERS_ALLOW", cases[i].allow);
		expect_present(cases[i].present);
		expect_enabled(cases[i].enabled);
	}
}

/* K-07, K-50: each decision of a filter is told once, with layer and variable. */
static void
filters_are_told(void **state)
{
	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	IMPLICIT(LIBRARY("J") OFF("NO_J") ON("YES_J"));
	EXPLICIT(LIBRARY("A"));
	set("VK_LOADER_LAYERS_ENABLE", "*_J,*_A,*_I");
	expect_enabled("I J A");
	assert_non_null(strstr(heard,
		"Implicit layer \"VK_LAYER_J\" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'\n"));
	assert_non_null(strstr(heard,
		"Layer \"VK_LAYER_A\" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'\n"));
	assert_null(strstr(heard, "\"VK_LAYER_I\" forced"));
	set("VK_LOADER_LAYERS_ENABLE", "");
	set("VK_LOADER_LAYERS_DISABLE", "*_A");
	expect_enabled("I");
	assert_non_null(strstr(heard,
		"Layer \"VK_LAYER_A\" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'"));
	assert_null(strstr(strstr(heard, "forced") + 1, "forced"));
}

/* K-23: whatever is enabled, a layer's own variable turns it off. */
static void
disable_environment_wins(void **state)
{
	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	set("VK_LOADER_LAYERS_ENABLE", "*");
	set("NO_I", "");
	expect_enabled("");
}

/* K-04, K-05: where each kind is looked for. */
static void
kinds_have_their_places(void **state)
{
	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	EXPLICIT(LIBRARY("A"));
	set("VK_IMPLICIT_LAYER_PATH", implicit_files);
	set("VK_LAYER_PATH", explicit_files);
	expect_present("I A");
	/* Read as an implicit one, the explicit layer lacks what it needs. */
	strcpy(implicit_files, explicit_files);
	expect_present("A");
	assert_non_null(strstr(heard, "implicit layer VK_LAYER_A has no disable_environment"));
	assert_non_null(strstr(heard, "(Policy #LLP_LAYER_9)"));
}

/* K-24 */
static void
meta_layers(void **state)
{
	static const char *const names[] = {P "M"};
	static const char *const outer[] = {P "O", P "A"};

	EXPLICIT(LIBRARY("A"));
	EXPLICIT(META("M", "\"" P "B\",\"" P "A\""));
	EXPLICIT(LIBRARY(
		"B") ",\"instance_extensions\":[{\"name\":\"VK_EXT_b\",\"spec_version\":\"1\"}]");
	EXPLICIT(META("O", "\"" P "M\",\"" P "C\",\"" P "M\""));
	EXPLICIT(LIBRARY("C"));
	expect_present("A M B O C");
	assert_int_equal(expect_enabled_for(1, names, "B A M"), VK_SUCCESS);
	assert_int_equal(expect_enabled_for(2, outer, "B A M C O"), VK_SUCCESS);
	/* A component that is disabled is missing, and with it the meta-layer. */
	set("VK_LOADER_LAYERS_DISABLE", "*_B");
	assert_int_equal(expect_enabled_for(2, outer, "A C"), VK_SUCCESS);
	assert_non_null(strstr(heard, "meta-layer VK_LAYER_M is used without its component layer"));
}

/* K-24: the extensions of components are those of the meta-layer. */
static void
meta_layers_have_extensions(void **state)
{
	struct kr_layer_rules rules;
	struct kr_layers layers;
	const struct kr_manifest_layer *outer;

	EXPLICIT(META("O", "\"" P "M\",\"" P "A\""));
	EXPLICIT(META("M", "\"" P "A\""));
	EXPLICIT(LIBRARY(
		"A") ",\"instance_extensions\":[{\"name\":\"VK_EXT_i\",\"spec_version\":\"3\"}],"
		     "\"device_extensions\":[{\"name\":\"VK_EXT_d\",\"spec_version\":\"4\"}]");
	find(&rules, KR_LAYERS_ALL, &layers);
	outer = kr_layers_get(&layers, P "O");
	assert_int_equal(outer->instance_extensions.count, 1);
	assert_string_equal(outer->instance_extensions.items[0].name, "VK_EXT_i");
	assert_int_equal(outer->device_extensions.count, 1);
	assert_int_equal(outer->device_extensions.items[0].spec_version, 4);
	kr_layers_finish(&layers);
	kr_log_set_sink(NULL, NULL);
}

/* K-24: each meta-layer that can't be is taken out and told; the others stay. */
static void
meta_layers_that_cannot_be(void **state)
{
	EXPLICIT(LIBRARY("A"));
	install(explicit_files, "1.1.0", LIBRARY("OLD"));
	EXPLICIT(META("GOOD", "\"" P "A\""));
	EXPLICIT(META("LACKS", "\"" P "none\""));
	EXPLICIT(META("YOUNGER", "\"" P "OLD\""));
	EXPLICIT(META("SELF", "\"" P "SELF\""));
	EXPLICIT(META("RING1", "\"" P "RING2\""));
	EXPLICIT(META("RING2", "\"" P "A\",\"" P "RING1\""));
	EXPLICIT(META("ABOVE", "\"" P "GOOD\",\"" P "LACKS\""));
	EXPLICIT(META("DIAMOND", "\"" P "GOOD\",\"" P "GOOD2\""));
	EXPLICIT(META("GOOD2", "\"" P "GOOD\""));
	expect_present("A OLD GOOD DIAMOND GOOD2");
	assert_non_null(strstr(heard, "LACKS can't find component layer VK_LAYER_none at index 0"));
	assert_non_null(
		strstr(heard, "uses API version 1.3, but component layer 0 has API version 1.1"));
	assert_non_null(strstr(heard, "SELF lists itself in its component layer list at index 0"));
	assert_non_null(strstr(heard, "RING1 contain each other"));
}

/* K-24: when one A goes, by whatever rule, B's component is another A, which contains B. */
static void
meta_layers_made_a_ring_by_a_filter(void **state)
{
	IMPLICIT(LIBRARY("A") OFF("NO_A"));
	EXPLICIT(META("A", "\"" P "B\""));
	EXPLICIT(META("B", "\"" P "A\""));
	set("VK_INSTANCE_LAYERS", P "B");
	expect_enabled("A B");
	set("VK_LOADER_LAYERS_DISABLE", "~implicit~");
	expect_enabled("");
}

/* K-24: each level contains the next twice, which makes 2^40 ways to the last one. */
static void
meta_layers_in_a_deep_pile(void **state)
{
	char more[256];

	EXPLICIT(LIBRARY("END"));
	for (int i = 0; i < 40; i++) {
		char next[32];

		snprintf(next, sizeof(next), i == 39 ? P "END" : P "M%d", i + 1);
		snprintf(more, sizeof(more),
			"\"name\":\"" P "M%d\",\"component_layers\":[\"%s\",\"%s\"]", i, next,
			next);
		EXPLICIT(more);
	}
	set("VK_INSTANCE_LAYERS", P "M39");
	expect_enabled("END M39");
	set("VK_INSTANCE_LAYERS", P "M0");
	set("VK_LOADER_LAYERS_DISABLE", P "END");
	expect_enabled("");
}

/* K-23, K-24: implicit layers of a meta-layer obey their own variables. */
static void
implicit_meta_layers(void **state)
{
	IMPLICIT(META("M", "\"" P "I\",\"" P "J\",\"" P "A\"") OFF("NO_M"));
	IMPLICIT(LIBRARY("I") OFF("NO_I") ON("YES_I"));
	IMPLICIT(LIBRARY("J") OFF("NO_J"));
	EXPLICIT(LIBRARY("A"));
	expect_enabled("J A M");
	set("NO_M", "1");
	expect_enabled("J");
}

/* K-49: before there is an instance explicit layers matter for meta-layers alone. */
static void
implicit_layers_alone(void **state)
{
	struct kr_layer_selection selection;
	struct kr_layer_rules rules;
	struct kr_layers layers;

	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	EXPLICIT(LIBRARY("A"));
	for (int i = 0; i < 2; i++) {
		find(&rules, KR_LAYERS_IMPLICIT, &layers);
		assert_int_equal(kr_layers_get(&layers, P "A") != NULL, i);
		assert_int_equal(
			kr_layers_select_implicit(&layers, &rules, &selection), VK_SUCCESS);
		assert_int_equal(selection.count, i ? 3 : 1);
		kr_layer_selection_finish(&selection, NULL);
		kr_layers_finish(&layers);
		IMPLICIT(META("M", "\"" P "A\"") OFF("NO_M"));
	}
	kr_log_set_sink(NULL, NULL);
}

/* The path of this program as JSON, for app_keys. */
static const char *
this_program(void)
{
	static char path[1024];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(len > 0);
	path[len] = '\0';
	return path;
}

static void
install_override(const char *components, const char *more)
{
	char text[2048];

	snprintf(text, sizeof(text), OVERRIDE("%s") OFF("NO_OVERRIDE") "%s", components, more);
	install(implicit_files, "1.3.0", text);
}

/* K-24 */
static void
override_layer(void **state)
{
	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	IMPLICIT(LIBRARY("J") OFF("NO_J") ON("YES_J"));
	EXPLICIT(LIBRARY("A"));
	EXPLICIT(LIBRARY("B"));
	install_override(
		"\"" P "A\",\"" P "J\"", ",\"blacklisted_layers\":[\"" P "I\",\"" P "B\"]");
	expect_present("J LUNARG_override A");
	/* A component is enabled whatever its variables say. */
	set("NO_J", "1");
	expect_enabled("J A LUNARG_override");
	assert_non_null(
		strstr(heard, "Override layer is active and layer VK_LAYER_I is in the blacklist"));
	set("NO_OVERRIDE", "1");
	expect_enabled("I");
}

/* K-24: for this program, for another, for all. */
static void
override_layers_for_programs(void **state)
{
	char *mine = kr_asprintf(",\"app_keys\":[\"/bin/other\",\"%s\"]", this_program());

	EXPLICIT(LIBRARY("A"));
	EXPLICIT(LIBRARY("B"));
	EXPLICIT(LIBRARY("C"));
	EXPLICIT(LIBRARY("D"));
	install_override("\"" P "A\"", ",\"app_keys\":[\"/bin/other\"]");
	expect_enabled("");
	assert_non_null(strstr(heard, "its app_keys don't name"));
	install_override("\"" P "B\"", "");
	install_override("\"" P "D\"", "");
	expect_enabled("B LUNARG_override");
	install_override("\"" P "C\"", mine);
	install_override("\"" P "D\"", mine);
	expect_enabled("C LUNARG_override");
	free(mine);
}

/* K-24: explicit layers come from its paths and from nowhere else. */
static void
override_paths(void **state)
{
	char *more = kr_asprintf(",\"override_paths\":[\"%s\"]",
		write_layer("other.json", "1.3.0", LIBRARY("OTHER")));

	EXPLICIT(LIBRARY("A"));
	install_override("\"" P "OTHER\"", more);
	expect_present("LUNARG_override OTHER");
	assert_non_null(strstr(heard, "Ignoring VK_LAYER_PATH"));
	assert_non_null(strstr(heard, "Override layer has override paths set to "));
	set("NO_OVERRIDE", "1");
	expect_present("A");
	free(more);
}

/* K-20: the settings' order, and what they leave to the environment. */
static void
settings_order(void **state)
{
	static const char *const names[] = {P "C"};
	const char *a = EXPLICIT(LIBRARY("A")), *b = EXPLICIT(LIBRARY("B"));
	const char *i = IMPLICIT(LIBRARY("I") OFF("NO_I") ON("YES_I"));

	EXPLICIT(LIBRARY("C"));
	IMPLICIT(LIBRARY("J") OFF("NO_J"));
	add_setting(P "B", b, KR_CONTROL_ON, false);
	add_setting(NULL, NULL, KR_CONTROL_UNORDERED, false);
	add_setting(P "I", i, KR_CONTROL_AUTO, true);
	add_setting(P "A", a, KR_CONTROL_AUTO, false);
	expect_present("B J C I A");
	assert_int_equal(expect_enabled_for(1, names, "B J C"), VK_SUCCESS);
	set("YES_I", "1");
	set("VK_INSTANCE_LAYERS", P "A");
	expect_enabled("B J I A");
	set("VK_INSTANCE_LAYERS", "");
	set("VK_LOADER_LAYERS_ENABLE", "*_C");
	expect_enabled("B J C I");
	/* What is on stays; what is left to the environment is taken away by it. */
	set("VK_LOADER_LAYERS_DISABLE", "~all~");
	expect_enabled("B C");
}

/* K-20: without a place for others only what is listed exists. */
static void
settings_alone(void **state)
{
	static const char *const off[] = {P "B"}, *const others[] = {P "C"};
	const char *a = EXPLICIT(LIBRARY("A")), *b = EXPLICIT(LIBRARY("B"));

	EXPLICIT(LIBRARY("C"));
	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	add_setting(P "A", a, KR_CONTROL_AUTO, false);
	add_setting(P "B", b, KR_CONTROL_OFF, false);
	add_setting(P "A", a, KR_CONTROL_ON, false);
	add_setting(P "NOT_C", a, KR_CONTROL_ON, false);
	add_setting(P "GONE", "/nowhere/gone.json", KR_CONTROL_ON, false);
	expect_present("A");
	assert_non_null(strstr(heard, "has no layer VK_LAYER_NOT_C"));
	assert_non_null(strstr(heard, "/nowhere/gone.json: can't be read"));
	expect_enabled("");
	assert_int_equal(expect_enabled_for(1, off, ""), VK_ERROR_LAYER_NOT_PRESENT);
	assert_int_equal(expect_enabled_for(1, others, ""), VK_ERROR_LAYER_NOT_PRESENT);
}

/* K-20: off takes every layer of the name; on stands above the layer's own variables. */
static void
settings_on_and_off(void **state)
{
	const char *i = IMPLICIT(LIBRARY("I") OFF("NO_I") ON("YES_I"));

	IMPLICIT(LIBRARY("J") OFF("NO_J"));
	IMPLICIT("\"name\":\"" P "J\",\"library_path\":\"/lib/other.so\"" OFF("NO_J"));
	add_setting(NULL, NULL, KR_CONTROL_UNORDERED, false);
	add_setting(P "I", i, KR_CONTROL_ON, true);
	add_setting(P "J", NULL, KR_CONTROL_OFF, true);
	set("NO_I", "1");
	expect_present("I");
	expect_enabled("I");
}

/* K-20: an entry without a manifest is the layer that is found. */
static void
settings_without_paths(void **state)
{
	EXPLICIT(LIBRARY("A"));
	EXPLICIT(LIBRARY("B"));
	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	add_setting(P "B", NULL, KR_CONTROL_ON, false);
	add_setting(P "none", NULL, KR_CONTROL_ON, false);
	add_setting(P "A", NULL, KR_CONTROL_AUTO, false);
	expect_present("B A");
	expect_enabled("B");
	assert_non_null(strstr(heard, "layer VK_LAYER_none, which the settings file names"));
}

/* K-20: meta-layers in the settings, and one whose component is off. */
static void
settings_with_meta_layers(void **state)
{
	const char *a = EXPLICIT(LIBRARY("A")), *b = EXPLICIT(LIBRARY("B"));
	const char *m = EXPLICIT(META("M", "\"" P "A\",\"" P "B\""));

	add_setting(P "M", m, KR_CONTROL_ON, false);
	add_setting(P "B", b, KR_CONTROL_AUTO, false);
	add_setting(P "A", a, KR_CONTROL_AUTO, false);
	expect_enabled("A B M");
	entries[1].control = KR_CONTROL_OFF;
	expect_enabled("A");
}

/* K-20: settings without a layers section leave everything as it is. */
static void
settings_without_layers(void **state)
{
	IMPLICIT(LIBRARY("I") OFF("NO_I"));
	settings.path = (char *)(uintptr_t) "settings";
	expect_enabled("I");
	settings.has_layers = true;
	expect_enabled("");
}

static VkResult
find_and_select(void)
{
	static const char *const names[] = {P "M"};
	const struct kr_layer_request request = {1, names, VK_API_VERSION_1_0};
	struct kr_layer_selection selection;
	struct kr_layer_rules rules;
	struct kr_layers layers;
	VkResult result;

	kr_layer_rules_read(&rules, &settings);
	result = kr_layers_find(&rules, KR_LAYERS_ALL, &layers);
	if (result != VK_SUCCESS)
		return result;
	result = kr_layers_select(&layers, &rules, &request, NULL, &selection);
	if (result == VK_SUCCESS)
		kr_layer_selection_finish(&selection, NULL);
	kr_layers_finish(&layers);
	return result;
}

/* K-36: an allocation that fails anywhere leaves nothing behind. */
static void
survives_without_memory(void **state)
{
	const char *a = EXPLICIT(LIBRARY("A"));
	VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
	int failures = 0;

	EXPLICIT(META("M", "\"" P "A\""));
	install_override("\"" P "A\"", ",\"blacklisted_layers\":[\"" P "I\"]");
	add_setting(NULL, NULL, KR_CONTROL_UNORDERED, false);
	add_setting(P "A", a, KR_CONTROL_ON, false);
	set("VK_IMPLICIT_LAYER_PATH", implicit_files);
	set("VK_LAYER_PATH", explicit_files);
	for (; result == VK_ERROR_OUT_OF_HOST_MEMORY; failures++) {
		failing_alloc_left = failures;
		result = find_and_select();
		failing_alloc_left = -1;
	}
	assert_int_equal(result, VK_SUCCESS);
	assert_true(failures > 50);
}

static const struct kr_test tests[] = {
	KR_TEST(order),
	KR_TEST(places_set_to_nothing),
	KR_TEST(order_of_implicit_layers_by_the_variable),
	KR_TEST(one_name_twice),
	KR_TEST(one_name_twice_among_thousands),
	KR_TEST(one_name_of_both_kinds),
	KR_TEST(requests_that_fail),
	KR_TEST(variables_of_implicit_layers),
	KR_TEST(filters),
	KR_TEST(filters_are_told),
	KR_TEST(disable_environment_wins),
	KR_TEST(kinds_have_their_places),
	KR_TEST(meta_layers),
	KR_TEST(meta_layers_have_extensions),
	KR_TEST(meta_layers_that_cannot_be),
	KR_TEST(meta_layers_made_a_ring_by_a_filter),
	KR_TEST(meta_layers_in_a_deep_pile),
	KR_TEST(implicit_meta_layers),
	KR_TEST(implicit_layers_alone),
	KR_TEST(override_layer),
	KR_TEST(override_layers_for_programs),
	KR_TEST(override_paths),
	KR_TEST(settings_order),
	KR_TEST(settings_alone),
	KR_TEST(settings_on_and_off),
	KR_TEST(settings_without_paths),
	KR_TEST(settings_with_meta_layers),
	KR_TEST(settings_without_layers),
	KR_TEST(survives_without_memory),
};

KR_TEST_MAIN(tests)
