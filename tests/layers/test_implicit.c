/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers through the whole loader: implicit ones, pre-instance functions,
 * negotiation, what is told.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "util/bare_instance.h"
#include <vulkan/vk_layer.h>

static const char *const libraries[] = {TEST_LAYER_A, TEST_LAYER_B, TEST_LAYER_C, TEST_LAYER_D};
static char calls[256];
static void *dsos[KR_ARRAY_LEN(libraries)];
static char implicit_files[2048], explicit_files[2048];

#define OFF ",\"disable_environment\":{\"KRAFLA_WSI_NONE\":\"1\"}"
#define PRE                                                                                        \
	",\"pre_instance_functions\":{\"vkEnumerateInstanceVersion\":\"pre_version\","             \
	"\"vkEnumerateInstanceExtensionProperties\":\"pre_extensions\","                           \
	"\"vkEnumerateInstanceLayerProperties\":\"pre_layers\"}"
#define RENAMED ",\"functions\":{\"vkGetInstanceProcAddr\":\"renamed_gipa\"}"
#define EXTENSION(kind, name)                                                                      \
	",\"" kind "_extensions\":[{\"name\":\"" name "\",\"spec_version\":\"7\"}]"

/* Fakes for the drivers, the libraries of the layers open with one log. */
static void
set_up(void)
{
	use_both_fakes();
	set_variable("VK_LAYER_PATH", "/nowhere");
	set_variable("VK_IMPLICIT_LAYER_PATH", "/nowhere");
	for (size_t i = 0; i < KR_ARRAY_LEN(libraries); i++) {
		dsos[i] = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
		assert_non_null(dsos[i]);
		*(char **)dlsym(dsos[i], "fake_layer_log") = calls;
	}
}

static void
tear_down(void)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(libraries); i++)
		dlclose(dsos[i]);
}

static void
install(bool implicit, const char *name, const char *library, const char *more)
{
	char *files = implicit ? implicit_files : explicit_files;
	char text[1024], file[32];
	static int number;

	snprintf(file, sizeof(file), "layer%d.json", number++);
	snprintf(text, sizeof(text),
		"{\"file_format_version\":\"1.2.0\",\"layer\":{\"name\":\"VK_LAYER_KR_%s\","
		"\"type\":\"GLOBAL\",\"library_path\":\"%s\",\"api_version\":\"1.1.0\","
		"\"implementation_version\":\"7\",\"description\":\"a layer\"%s%s}}",
		name, library, implicit ? OFF : "", more);
	if (files[0])
		strcat(files, ":");
	strcat(files, kr_test_file(file, text));
	set_variable(implicit ? "VK_IMPLICIT_LAYER_PATH" : "VK_LAYER_PATH", files);
}

static char heard[32768];
static VkDebugUtilsMessageSeverityFlagsEXT listen_to;

static VKAPI_ATTR VkBool32 VKAPI_CALL
listen(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	size_t len = strlen(heard);

	if (severity & listen_to)
		snprintf(heard + len, sizeof(heard) - len, "%s\n", data->pMessage);
	return VK_FALSE;
}

static VkResult
create(struct loader *l, const char *const *layers)
{
	const VkDebugUtilsMessengerCreateInfoEXT messenger =
		kr_vulkan_messenger_info(KR_VULKAN_ALL_SEVERITIES, listen, NULL);
	const struct kr_vulkan_instance_info info = {
		.api_version = VK_API_VERSION_1_1,
		.chain = listen_to ? &messenger : NULL,
		.layers = layers,
	};

	heard[0] = '\0';
	return try_instance_with(l, &info);
}

/* K-49: the last layer found is called first; explicit layers have no such functions. */
static void
test_pre_instance_functions(void **state)
{
	VkExtensionProperties extension;
	uint32_t version, with, count = 0;
	struct loader l;

	set_up();
	open_loader(&l);
	assert_int_equal(EXPORTED(&l, vkEnumerateInstanceVersion)(&version), VK_SUCCESS);
	install(true, "a", TEST_LAYER_A, PRE);
	install(true, "b", TEST_LAYER_B, PRE);
	install(false, "c", TEST_LAYER_C, PRE EXTENSION("instance", "VK_KR_of_c"));
	assert_int_equal(EXPORTED(&l, vkEnumerateInstanceVersion)(&with), VK_SUCCESS);
	assert_int_equal(with, version + 2);
	assert_int_equal(
		EXPORTED(&l, vkEnumerateInstanceLayerProperties)(&count, NULL), VK_SUCCESS);
	assert_int_equal(count, 3);
	assert_int_equal(EXPORTED(&l, vkEnumerateInstanceExtensionProperties)(NULL, &count, NULL),
		VK_SUCCESS);
	assert_true(count > 1);
	assert_string_equal(calls, "bVaVbLaLbEaE");
	/*
	 * A layer that asks for the extensions of another one gets them, also of an explicit one.
	 */
	*(int *)dlsym(dsos[0], "fake_layer_fails") = 1;
	count = 1;
	assert_int_equal(
		EXPORTED(&l, vkEnumerateInstanceExtensionProperties)(NULL, &count, &extension),
		VK_SUCCESS);
	assert_string_equal(extension.extensionName, "VK_KR_of_c");
	close_loader(&l);
	tear_down();
}

/* K-49: a layer whose function isn't there, or whose library, takes no part. */
static void
test_pre_instance_faults(void **state)
{
	uint32_t version, with;
	struct loader l;

	set_up();
	open_loader(&l);
	assert_int_equal(EXPORTED(&l, vkEnumerateInstanceVersion)(&version), VK_SUCCESS);
	install(true, "b", TEST_LAYER_B,
		",\"pre_instance_functions\":{\"vkEnumerateInstanceVersion\":\"none\"}");
	install(true, "gone", "/nowhere/gone.so", PRE);
	install(true, "a", TEST_LAYER_A, PRE);
	assert_int_equal(EXPORTED(&l, vkEnumerateInstanceVersion)(&with), VK_SUCCESS);
	assert_int_equal(with, version + 1);
	assert_string_equal(calls, "aV");
	close_loader(&l);
	tear_down();
}

static uint32_t
count_extensions(struct loader *l, bool of_device, const char *name, uint32_t *found)
{
	VkExtensionProperties list[128];
	uint32_t count = KR_ARRAY_LEN(list), all = 0;

	if (of_device) {
		assert_int_equal(EXPORTED(l, vkEnumerateDeviceExtensionProperties)(
					 l->devices[0], NULL, &all, NULL),
			VK_SUCCESS);
		assert_int_equal(EXPORTED(l, vkEnumerateDeviceExtensionProperties)(
					 l->devices[0], NULL, &count, list),
			VK_SUCCESS);
	} else {
		assert_int_equal(
			EXPORTED(l, vkEnumerateInstanceExtensionProperties)(NULL, &all, NULL),
			VK_SUCCESS);
		assert_int_equal(
			EXPORTED(l, vkEnumerateInstanceExtensionProperties)(NULL, &count, list),
			VK_SUCCESS);
	}
	assert_int_equal(count, all);
	*found = 0;
	for (uint32_t i = 0; i < count; i++)
		*found += !strcmp(list[i].extensionName, name);
	return count;
}

/* K-23: extensions of implicit layers are everybody's, once; those of explicit ones aren't. */
static void
test_extensions_of_implicit_layers(void **state)
{
	static const char *const explicit[] = {"VK_LAYER_KR_c", NULL};
	VkExtensionProperties list[128];
	uint32_t found, before, count;
	struct loader l;

	set_up();
	open_loader(&l);
	before = count_extensions(&l, false, "VK_KR_i", &found);
	install(true, "a", TEST_LAYER_A,
		EXTENSION("instance", "VK_KR_i") EXTENSION("device", "VK_KR_d"));
	install(true, "b", TEST_LAYER_B,
		EXTENSION("instance", "VK_KR_i") EXTENSION("device", "VK_KR_d"));
	install(false, "c", TEST_LAYER_C,
		RENAMED EXTENSION("instance", "VK_KR_x") EXTENSION("device", "VK_KR_y"));
	assert_int_equal(count_extensions(&l, false, "VK_KR_i", &found), before + 1);
	assert_int_equal(found, 1);
	count = before;
	assert_int_equal(EXPORTED(&l, vkEnumerateInstanceExtensionProperties)(NULL, &count, list),
		VK_INCOMPLETE);
	assert_int_equal(count, before);
	assert_int_equal(create(&l, explicit), VK_SUCCESS);
	find_devices(&l);
	before = count_extensions(&l, true, "VK_KR_d", &found);
	assert_int_equal(found, 1);
	count = before - 1;
	assert_int_equal(EXPORTED(&l, vkEnumerateDeviceExtensionProperties)(
				 l.devices[0], NULL, &count, list),
		VK_INCOMPLETE);
	count_extensions(&l, true, "VK_KR_y", &found);
	assert_int_equal(found, 0);
	count = 1;
	assert_int_equal(EXPORTED(&l, vkEnumerateDeviceExtensionProperties)(
				 l.devices[0], "VK_LAYER_KR_c", &count, list),
		VK_SUCCESS);
	assert_string_equal(list[0].extensionName, "VK_KR_y");
	assert_int_equal(EXPORTED(&l, vkEnumerateDeviceExtensionProperties)(
				 l.devices[0], "VK_LAYER_KR_none", &count, list),
		VK_ERROR_LAYER_NOT_PRESENT);
	end_instance(&l);
	close_loader(&l);
	tear_down();
}

/* K-22: each interface version, and functions that the manifest renames. */
static void
test_negotiation(void **state)
{
	static const struct {
		const char *name, *library, *more, *calls;
	} cases[] = {
		{"a", TEST_LAYER_A, "", "ai"},
		{"b", TEST_LAYER_B, "", "bi"},
		{"b", TEST_LAYER_C, "", "cnci"},
		{"x", TEST_LAYER_B,
			",\"functions\":{\"vkGetInstanceProcAddr\":\"renamed_gipa\","
			"\"vkGetDeviceProcAddr\":\"VK_LAYER_KR_bGetDeviceProcAddr\"}",
			"br"},
		{"y", TEST_LAYER_B,
			",\"functions\":{\"vkNegotiateLoaderLayerInterfaceVersion\":\"none\","
			"\"vkGetInstanceProcAddr\":\"renamed_gipa\"}",
			"br"},
	};

	set_up();
	for (size_t i = 0; i < KR_ARRAY_LEN(cases); i++) {
		struct loader l;

		open_loader(&l);
		explicit_files[0] = '\0';
		install(true, cases[i].name, cases[i].library, cases[i].more);
		calls[0] = '\0';
		assert_int_equal(create(&l, NULL), VK_SUCCESS);
		if (strncmp(calls, cases[i].calls, strlen(cases[i].calls)) != 0)
			fail_msg("case %zu: %s", i, calls);
		end_instance(&l);
		implicit_files[0] = '\0';
		close_loader(&l);
	}
	tear_down();
}

/* K-22: a layer that refuses, or has no functions, is left out, or fails who asked for it. */
static void
test_unusable_layers(void **state)
{
	static const char *const d[] = {"VK_LAYER_KR_d", NULL};
	static const char *const x[] = {"VK_LAYER_KR_x", NULL};
	static const char *const b[] = {"VK_LAYER_KR_b", NULL};
	struct loader l;

	listen_to = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
	set_up();
	open_loader(&l);
	install(true, "d", TEST_LAYER_D, "");
	install(false, "x", TEST_LAYER_B, "");
	assert_int_equal(create(&l, NULL), VK_SUCCESS);
	assert_string_equal(calls, "dn");
	assert_non_null(strstr(heard, "layer VK_LAYER_KR_d"));
	end_instance(&l);
	assert_int_equal(create(&l, x), VK_ERROR_LAYER_NOT_PRESENT);
	assert_non_null(strstr(heard, "has no vkGetInstanceProcAddr"));
	assert_non_null(strstr(heard, "Requested layer \"VK_LAYER_KR_x\" failed to load!"));
	assert_int_equal(create(&l, d), VK_ERROR_LAYER_NOT_PRESENT);
	assert_non_null(strstr(heard, "Requested layer \"VK_LAYER_KR_d\" failed to load!"));
	/* Refusal is final, whatever the library exports. */
	install(false, "b", TEST_LAYER_D, "");
	assert_int_equal(create(&l, b), VK_ERROR_LAYER_NOT_PRESENT);
	close_loader(&l);
	tear_down();
}

/* The beginning of a library for a 32-bit process. */
static const char *
write_other_class(void)
{
	static const unsigned char header[64] = {0x7f, 'E', 'L', 'F', 1, 1, 1, 0};
	const char *path = kr_test_file("other.so", "");
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	return path;
}

/* K-22, K-50: a library of another class is an error only for who asked for it. */
static void
test_other_class(void **state)
{
	static const char *const x[] = {"VK_LAYER_KR_x", NULL};
	const char *other = write_other_class();
	struct loader l;

	set_up();
	open_loader(&l);
	install(true, "i", other, "");
	install(false, "x", other, "");
	listen_to = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
	assert_int_equal(create(&l, NULL), VK_SUCCESS);
	assert_non_null(strstr(heard, "wrong ELF class"));
	assert_non_null(strstr(heard, "Requested layer \"VK_LAYER_KR_i\" was wrong bit-type.\n"));
	end_instance(&l);
	listen_to = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
	assert_int_equal(create(&l, x), VK_ERROR_LAYER_NOT_PRESENT);
	assert_non_null(strstr(heard, "Requested layer \"VK_LAYER_KR_x\" was wrong bit-type!\n"));
	assert_null(strstr(heard, "VK_LAYER_KR_i"));
	close_loader(&l);
	tear_down();
}

static PFN_GetPhysicalDeviceProcAddr
below(int layer)
{
	return *(PFN_GetPhysicalDeviceProcAddr *)dlsym(dsos[layer], "fake_layer_below");
}

/* K-22: a layer without a physical-device query sees through to the next one below. */
static void
test_physical_device_queries(void **state)
{
	static const char *const a[] = {"VK_LAYER_KR_a", NULL},
				 *const both[] = {"VK_LAYER_KR_b", "VK_LAYER_KR_a", NULL},
				 *const one[] = {"VK_LAYER_KR_a", "VK_LAYER_KR_c", NULL};
	PFN_GetPhysicalDeviceProcAddr query, bottom;
	struct loader l;

	set_up();
	open_loader(&l);
	query = ((PFN_GetPhysicalDeviceProcAddr(*)(void))dlsym(dsos[0], "fake_layer_query"))();
	install(true, "i", TEST_LAYER_C, RENAMED);
	install(false, "a", TEST_LAYER_A, "");
	install(false, "b", TEST_LAYER_B, "");
	assert_int_equal(create(&l, a), VK_SUCCESS);
	bottom = below(0);
	assert_non_null(bottom);
	assert_ptr_equal(below(2), query);
	assert_int_equal(*(uint32_t *)dlsym(dsos[0], "fake_layer_features"), 0);
	end_instance(&l);
	assert_int_equal(create(&l, both), VK_SUCCESS);
	assert_ptr_equal(below(2), query);
	assert_ptr_equal(below(1), query);
	assert_ptr_equal(below(0), bottom);
	assert_null(strchr(calls, '?'));
	end_instance(&l);
	/* A layer of version 1 has no query, whatever it wrote. */
	set_variable("VK_IMPLICIT_LAYER_PATH", "/nowhere");
	install(false, "c", TEST_LAYER_C, RENAMED);
	assert_int_equal(create(&l, one), VK_SUCCESS);
	assert_ptr_equal(below(0), bottom);
	end_instance(&l);
	close_loader(&l);
	tear_down();
}

/* Whether the texts stand in `heard` in this order. */
static bool
heard_in_order(size_t count, const char *const *texts)
{
	const char *at = heard;

	for (size_t i = 0; i < count && at; i++)
		at = strstr(at, texts[i]);
	return at != NULL;
}

/* K-50: who enabled a layer, in the words that tools compare. */
static void
test_picture_says_why(void **state)
{
	static const char *const by_variable[] = {"VK_LAYER_KR_a",
		"Enabled By: Environment Variable VK_INSTANCE_LAYERS", "<Drivers>"};
	static const char *const by_filter[] = {"VK_LAYER_KR_a",
		"Enabled By: Environment Variable VK_LOADER_LAYERS_ENABLE", "<Drivers>"};
	static const char because[] =
		"This layer was enabled because Env Var VK_LOADER_DISABLE_SELECT was set to Value 0";
	static const char *const by_environment[] = {
		"VK_LAYER_KR_b", "Enabled By: Implicit Layer", because, "<Drivers>"};
	struct loader l;

	listen_to = VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT;
	set_up();
	open_loader(&l);
	install(false, "a", TEST_LAYER_A, "");
	set_variable("VK_INSTANCE_LAYERS", "VK_LAYER_KR_a");
	assert_int_equal(create(&l, NULL), VK_SUCCESS);
	assert_true(heard_in_order(KR_ARRAY_LEN(by_variable), by_variable));
	end_instance(&l);
	set_variable("VK_INSTANCE_LAYERS", "");
	set_variable("VK_LOADER_LAYERS_ENABLE", "*_KR_a");
	assert_int_equal(create(&l, NULL), VK_SUCCESS);
	assert_true(heard_in_order(KR_ARRAY_LEN(by_filter), by_filter));
	end_instance(&l);
	set_variable("VK_LOADER_LAYERS_ENABLE", "");
	install(true, "b", TEST_LAYER_B,
		",\"enable_environment\":{\"VK_LOADER_DISABLE_SELECT\":\"0\"}");
	assert_int_equal(create(&l, NULL), VK_SUCCESS);
	assert_null(strstr(heard, "VK_LAYER_KR_b\n"));
	end_instance(&l);
	set_variable("VK_LOADER_DISABLE_SELECT", "0");
	assert_int_equal(create(&l, NULL), VK_SUCCESS);
	assert_true(heard_in_order(KR_ARRAY_LEN(by_environment), by_environment));
	end_instance(&l);
	set_variable("VK_LOADER_DISABLE_SELECT", "");
	close_loader(&l);
	tear_down();
}

/* K-25, K-50: the chain as a picture. */
static void
test_picture(void **state)
{
	static const char *const a[] = {"VK_LAYER_KR_a", NULL};
	static const char *const lines[] = {
		"vkCreateInstance layer callstack setup to:", "<Application>", "<Loader>",
		"VK_LAYER_KR_b", "Type: Implicit", "Enabled By: Implicit Layer",
		"Disable Env Var:  KRAFLA_WSI_NONE", "Manifest: ", ("Library:  " TEST_LAYER_B),
		"VK_LAYER_KR_a", "Type: Explicit", "Enabled By: By the Application", "<Drivers>"};
	struct loader l;

	listen_to = VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT;
	set_up();
	open_loader(&l);
	install(true, "b", TEST_LAYER_B, "");
	install(false, "a", TEST_LAYER_A, "");
	assert_int_equal(create(&l, a), VK_SUCCESS);
	assert_true(heard_in_order(KR_ARRAY_LEN(lines), lines));
	end_instance(&l);
	listen_to = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
	assert_int_equal(create(&l, a), VK_SUCCESS);
	assert_non_null(
		strstr(heard, "Insert instance layer \"VK_LAYER_KR_b\" (" TEST_LAYER_B ")"));
	assert_non_null(strstr(heard, " is used: interface version "));
	end_instance(&l);
	/* All is well: nobody is warned. */
	listen_to = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
		VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
	assert_int_equal(create(&l, a), VK_SUCCESS);
	assert_string_equal(heard, "");
	end_instance(&l);
	close_loader(&l);
	tear_down();
}

/* How often the file's text has `sentence`. */
static int
count_in(FILE *file, const char *sentence)
{
	static char text[1 << 16];
	int count = 0;

	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	for (const char *at = text; (at = strstr(at, sentence)); at++)
		count++;
	return count;
}

static void
ask_everything(const struct loader *l)
{
	uint32_t version, count;

	EXPORTED(l, vkEnumerateInstanceVersion)(&version);
	EXPORTED(l, vkEnumerateInstanceLayerProperties)(&count, NULL);
	EXPORTED(l, vkEnumerateInstanceExtensionProperties)(NULL, &count, NULL);
	EXPORTED(l, vkEnumerateInstanceExtensionProperties)("none", &count, NULL);
}

/*
 * K-50: a question says what it finds when it is asked for the first time, vkCreateInstance always.
 */
static void
test_questions_are_told_once(void **state)
{
	static const char sentence[] = "broken.json: not JSON";
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	struct loader l;

	set_up();
	set_variable("VK_LOADER_DEBUG", "error");
	set_variable("VK_IMPLICIT_LAYER_PATH", kr_test_file("broken.json", "{ broken"));
	open_loader(&l);
	dup2(fileno(file), STDERR_FILENO);
	for (int i = 0; i < 3; i++) {
		ask_everything(&l);
		assert_int_equal(count_in(file, sentence), 4);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(try_instance_with(&l, NULL), VK_SUCCESS);
		end_instance(&l);
		assert_int_equal(count_in(file, sentence), 5 + i);
	}
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(file);
	close_loader(&l);
	tear_down();
}

/*
 * No layer is in an instance for Krafla's own work, and no extension of one: what the
 * painter draws and what the allocator allocates is nobody else's affair.
 */
static void
test_bare_instance(void **state)
{
	const char *const names[] = {"VK_LAYER_KR_c", "VK_KR_i"};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	PFN_vkCreateInstance create_bare;
	struct loader l;

	set_up();
	open_loader(&l);
	install(true, "a", TEST_LAYER_A, EXTENSION("instance", "VK_KR_i"));
	install(false, "c", TEST_LAYER_C, "");
	set_variable("VK_INSTANCE_LAYERS", names[0]);
	set_variable("KRAFLA_WSI", "platform");
	create_bare = (PFN_vkCreateInstance)l.gipa(NULL, KR_BARE_INSTANCE_FUNCTION);
	assert_non_null(create_bare);
	assert_int_equal(create(&l, NULL), VK_SUCCESS);
	assert_string_not_equal(calls, "");
	end_instance(&l);
	calls[0] = '\0';
	assert_int_equal(create_bare(&info, NULL, &l.instance), VK_SUCCESS);
	end_instance(&l);
	info.enabledLayerCount = 1;
	info.ppEnabledLayerNames = names;
	assert_int_equal(create_bare(&info, NULL, &l.instance), VK_ERROR_LAYER_NOT_PRESENT);
	info.enabledLayerCount = 0;
	info.enabledExtensionCount = 1;
	info.ppEnabledExtensionNames = names + 1;
	assert_int_equal(create_bare(&info, NULL, &l.instance), VK_ERROR_EXTENSION_NOT_PRESENT);
	assert_string_equal(calls, "");
	close_loader(&l);
	tear_down();
}

static const struct kr_test tests[] = {
	KR_TEST(test_pre_instance_functions),
	KR_TEST(test_pre_instance_faults),
	KR_TEST(test_extensions_of_implicit_layers),
	KR_TEST(test_negotiation),
	KR_TEST(test_unusable_layers),
	KR_TEST(test_other_class),
	KR_TEST(test_physical_device_queries),
	KR_TEST(test_picture),
	KR_TEST(test_picture_says_why),
	KR_TEST(test_questions_are_told_once),
	KR_TEST(test_bare_instance),
};

KR_TEST_MAIN(tests)
