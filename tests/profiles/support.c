/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSTEM_FILE "/etc/krafla/properties"

char layer_log[4096];
static const char *system_file; /* what stands for SYSTEM_FILE; NULL: nothing */
static void *dso;

/* The program's own fopen comes before libc's for every library of the process. */
KR_EXPORT FILE *
fopen(const char *path, const char *mode)
{
	static FILE *(*real)(const char *path, const char *mode);

	if (!real)
		real = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
	if (strcmp(path, SYSTEM_FILE))
		return real(path, mode);
	if (system_file)
		return real(system_file, mode);
	errno = ENOENT;
	return NULL;
}

void
set_variable(const char *name, const char *value)
{
	static char settings[64][PATH_MAX];
	static size_t count;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!strncmp(settings[i], name, strlen(name)) && settings[i][strlen(name)] == '=')
			break;
	}
	assert_true(i < KR_ARRAY_LEN(settings));
	count += i == count;
	snprintf(settings[i], sizeof(settings[i]), "%s=%s", name, value);
	assert_int_equal(putenv(settings[i]), 0);
}

void
set_system_properties(const char *text)
{
	system_file = text ? kr_test_file("system-properties", text) : NULL;
}

const char *
make_dir(const char *name)
{
	static char paths[16][PATH_MAX];
	static size_t count;
	char *path = paths[count++ % KR_ARRAY_LEN(paths)];

	snprintf(path, PATH_MAX, "%s/%s", kr_test_dir(), name);
	if (mkdir(path, 0755))
		assert_int_equal(errno, EEXIST);
	return path;
}

void
put(const char *dir, const char *name, const char *target)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(symlink(target, path), 0);
}

void
hide_system(void)
{
	/* Set to nothing they would still replace the search. */
	static const char *const unset[] = {
		"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH"};
	static const char *const empty[] = {"VK_ADD_DRIVER_FILES", "VK_INSTANCE_LAYERS",
		"VK_ADD_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH", "KRAFLA_PROFILE", "KRAFLA_WSI",
		"KRAFLA_DISPLAY", "KRAFLA_HAL_PATH", "KRAFLA_PROPERTIES", "KRAFLA_CONFIG_ROOT",
		"KRAFLA_SERVICE", "KRAFLA_PROP_ro_hardware_vulkan", "DISPLAY", "WAYLAND_DISPLAY"};
	static const char *const dirs[] = {
		"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "HOME"};
	char address[32];

	for (size_t i = 0; i < KR_ARRAY_LEN(unset); i++)
		unsetenv(unset[i]);
	for (size_t i = 0; i < KR_ARRAY_LEN(empty); i++)
		set_variable(empty[i], "");
	for (size_t i = 0; i < KR_ARRAY_LEN(dirs); i++)
		set_variable(dirs[i], kr_test_dir());
	set_variable("KRAFLA_PROP_ro_krafla_layers_debug", make_dir("no-debug-directory"));
	snprintf(address, sizeof(address), "%p", (void *)layer_log);
	set_variable("KR_LAYER_LOG", address);
}

struct search {
	const char *part;
	bool found;
};

static int
look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;

	search->found |= info->dlpi_name && strstr(info->dlpi_name, search->part);
	return 0;
}

bool
is_loaded(const char *part)
{
	struct search search = {.part = part};

	dl_iterate_phdr(look, &search);
	return search.found;
}

/* The dynamic linker allocates for good at its first dlopen: before the harness counts. */
__attribute__((constructor)) static void
warm_up(void)
{
	void *library = dlopen(TEST_LIBVULKAN, RTLD_NOW | RTLD_LOCAL);

	if (library)
		dlclose(library);
	(void)fopen("/dev/null/nothing", "r");
}

void
open_loader(void)
{
	dso = dlopen(TEST_LIBVULKAN, RTLD_NOW | RTLD_LOCAL);
	if (!dso)
		fail_msg("%s", dlerror());
}

void
close_loader(void)
{
	assert_int_equal(dlclose(dso), 0);
}

PFN_vkVoidFunction
find_export(const char *name)
{
	PFN_vkVoidFunction function = (PFN_vkVoidFunction)dlsym(dso, name);

	if (!function)
		fail_msg("%s isn't exported", name);
	return function;
}

bool
has_layer(const char *name)
{
	VkLayerProperties properties[32];
	uint32_t count = KR_ARRAY_LEN(properties);

	assert_int_equal(CALL(vkEnumerateInstanceLayerProperties)(&count, properties), 0);
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(properties[i].layerName, name))
			return true;
	}
	return false;
}

uint32_t
count_layers(void)
{
	uint32_t count = 0;

	assert_int_equal(CALL(vkEnumerateInstanceLayerProperties)(&count, NULL), 0);
	return count;
}

bool
has_extension(const char *layer, const char *name)
{
	VkExtensionProperties properties[256];
	uint32_t count = KR_ARRAY_LEN(properties);

	assert_int_equal(
		CALL(vkEnumerateInstanceExtensionProperties)(layer, &count, properties), 0);
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(properties[i].extensionName, name))
			return true;
	}
	return false;
}

VkResult
try_instance(const char *const *layers, VkInstance *instance)
{
	const struct kr_vulkan_instance_info info = {
		.api_version = VK_API_VERSION_1_1,
		.layers = layers,
	};

	layer_log[0] = '\0';
	return kr_vulkan_create_instance(CALL(vkCreateInstance), &info, instance);
}

void
run_instance(const char *const *layers)
{
	VkInstance instance;

	assert_int_equal(try_instance(layers, &instance), VK_SUCCESS);
	CALL(vkDestroyInstance)(instance, NULL);
}

void
start_android(void)
{
	const char *application;

	hide_system();
	application = make_dir("application");
	put(application, "libVkLayer_a.so", TEST_LAYER_A);
	put(application, "libVkLayer_b.so", TEST_LAYER_B);
	set_variable("KRAFLA_PROFILE", "android");
	set_variable(APPLICATION, application);
}
