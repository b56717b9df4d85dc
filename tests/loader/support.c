/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *const fake_paths[] = {TEST_FAKE_A, TEST_FAKE_B};
static PFN_vkGetInstanceProcAddr fake_b_gipa; /* while they are open */

/*
 * Variables that cases set. putenv and static memory, since setenv never gives its copies back and
 * the harness would find them.
 */
static const char *const variables[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES",
	"VK_ADD_DRIVER_FILES", "VK_INSTANCE_LAYERS", "VK_LAYER_PATH", "VK_ADD_LAYER_PATH",
	"VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH", "VK_LOADER_LAYERS_ENABLE",
	"VK_LOADER_LAYERS_DISABLE", "VK_LOADER_LAYERS_ALLOW", "KRAFLA_PROFILE", "KRAFLA_WSI",
	"KRAFLA_DISPLAY", "KRAFLA_HAL_PATH", "KRAFLA_PROPERTIES", "KRAFLA_PROP_ro_hardware_vulkan",
	"DISPLAY", "WAYLAND_DISPLAY", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME",
	"XDG_DATA_DIRS", "HOME", "VK_LOADER_DISABLE_INST_EXT_FILTER", "VK_LOADER_DEVICE_SELECT",
	"VK_LOADER_DISABLE_SELECT", "VK_LOADER_DEVICE_ID_FILTER", "VK_LOADER_VENDOR_ID_FILTER",
	"VK_LOADER_DRIVER_ID_FILTER", "VK_LOADER_DEBUG", "KRAFLA_NULL_DRIVER"};
static char settings[KR_ARRAY_LEN(variables)][2200];

void
set_variable(const char *name, const char *value)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(variables); i++) {
		if (strcmp(variables[i], name))
			continue;
		snprintf(settings[i], sizeof(settings[i]), "%s=%s", name, value);
		assert_int_equal(putenv(settings[i]), 0);
		return;
	}
	fail_msg("%s isn't a variable that is known here", name);
}

/* An empty variable counts as unset, or names nothing where it replaces a search. */
static void
hide_system(void)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(variables); i++)
		set_variable(variables[i], strstr(variables[i], "XDG") ? kr_test_dir() : "");
	set_variable("HOME", kr_test_dir());
	set_variable("VK_LAYER_PATH", kr_test_dir());
}

/*
 * The first dlopen and dlclose of a process allocate for good inside the dynamic linker: done
 * before the harness counts, so that what it finds is ours.
 */
__attribute__((constructor)) static void
warm_up(void)
{
	const char *const paths[] = {TEST_LIBVULKAN, TEST_FAKE_A, TEST_FAKE_B, TEST_FAKE_HAL};
	void *dsos[KR_ARRAY_LEN(paths)];

	for (size_t i = 0; i < KR_ARRAY_LEN(variables); i++) {
		const char *value = getenv(variables[i]);

		snprintf(settings[i], sizeof(settings[i]), "%s=%s", variables[i],
			value ? value : "");
		putenv(settings[i]);
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(paths); i++)
		dsos[i] = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
	for (size_t i = KR_ARRAY_LEN(paths); i--;) {
		if (dsos[i])
			dlclose(dsos[i]);
	}
}

PFN_vkVoidFunction
find_export(const struct loader *l, const char *name)
{
	PFN_vkVoidFunction function = (PFN_vkVoidFunction)dlsym(l->dso, name);

	if (!function)
		fail_msg("%s isn't exported", name);
	return function;
}

void
open_fakes(struct fakes *fakes)
{
	for (int i = 0; i < 2; i++) {
		fakes->dso[i] = dlopen(fake_paths[i], RTLD_NOW | RTLD_LOCAL);
		if (!fakes->dso[i])
			fail_msg("%s", dlerror());
	}
	fake_b_gipa = (PFN_vkGetInstanceProcAddr)dlsym(fakes->dso[1], "vk_icdGetInstanceProcAddr");
	fakes->a = dlsym(fakes->dso[0], "fake_control");
	fakes->b = dlsym(fakes->dso[1], "fake_control");
}

void
close_fakes(struct fakes *fakes)
{
	for (int i = 0; i < 2; i++)
		dlclose(fakes->dso[i]);
}

static VKAPI_ATTR VkResult VKAPI_CALL
negotiate(uint32_t *version)
{
	*version = 7;
	return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
fake_b_direct(VkInstance instance, const char *name)
{
	if (!strcmp(name, "vk_icdNegotiateLoaderICDInterfaceVersion"))
		return (PFN_vkVoidFunction)negotiate;
	return fake_b_gipa(instance, name);
}

void
use_drivers(size_t count, const char *const *libraries)
{
	char list[2048] = "";

	hide_system();
	for (size_t i = 0; i < count; i++) {
		char text[1024], name[32];

		snprintf(text, sizeof(text),
			"{\"file_format_version\": \"1.0.1\", \"ICD\": {\"library_path\": \"%s\", "
			"\"api_version\": \"1.1.0\"}}",
			libraries[i]);
		snprintf(name, sizeof(name), "driver%zu.json", i);
		if (i)
			strcat(list, ":");
		strcat(list, kr_test_file(name, text));
	}
	set_variable("VK_DRIVER_FILES", list);
}

void
use_both_fakes(void)
{
	use_drivers(2, fake_paths);
}

void
use_null_hal(void)
{
	use_no_drivers();
	set_variable("KRAFLA_HAL_PATH", TEST_HAL_DIR);
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "null");
}

void
open_fake_hal(struct fake_hal *hal)
{
	hal->dso = dlopen(TEST_FAKE_HAL, RTLD_NOW | RTLD_LOCAL);
	if (!hal->dso)
		fail_msg("%s", dlerror());
	hal->control = dlsym(hal->dso, "fake_control");
	hal->control->device_extensions[0] = "VK_ANDROID_native_buffer";
	use_no_drivers();
	set_variable("KRAFLA_HAL_PATH", TEST_FAKE_HAL_DIR);
	set_variable("KRAFLA_PROP_ro_hardware_vulkan", "fake");
}

void
close_fake_hal(struct fake_hal *hal)
{
	dlclose(hal->dso);
}

void
use_no_drivers(void)
{
	hide_system();
	set_variable("VK_DRIVER_FILES", "/nowhere/at/all.json");
}

void
open_loader(struct loader *l)
{
	memset(l, 0, sizeof(*l));
	l->dso = dlopen(TEST_LIBVULKAN, RTLD_NOW | RTLD_LOCAL);
	if (!l->dso)
		fail_msg("%s", dlerror());
	l->gipa = EXPORTED(l, vkGetInstanceProcAddr);
}

void
close_loader(struct loader *l)
{
	dlclose(l->dso);
}

VkResult
try_instance_with(struct loader *l, const struct kr_vulkan_instance_info *info)
{
	return kr_vulkan_create_instance(EXPORTED(l, vkCreateInstance), info, &l->instance);
}

VkResult
try_instance(struct loader *l, uint32_t version, const char *const *extensions)
{
	const struct kr_vulkan_instance_info info = {
		.api_version = version,
		.extensions = extensions,
	};

	return try_instance_with(l, &info);
}

void
make_instance(struct loader *l, const char *const *extensions)
{
	assert_int_equal(try_instance(l, VK_API_VERSION_1_1, extensions), VK_SUCCESS);
	find_devices(l);
}

void
end_instance(struct loader *l)
{
	EXPORTED(l, vkDestroyInstance)(l->instance, NULL);
	l->instance = VK_NULL_HANDLE;
}

void
find_devices(struct loader *l)
{
	l->device_count = KR_ARRAY_LEN(l->devices);
	assert_int_equal(
		EXPORTED(l, vkEnumeratePhysicalDevices)(l->instance, &l->device_count, l->devices),
		VK_SUCCESS);
}

VkResult
try_device(struct loader *l, VkPhysicalDevice physical_device, const char *const *extensions,
	const void *chain, VkDevice *device)
{
	const struct kr_vulkan_device_info info = {.chain = chain, .extensions = extensions};

	return kr_vulkan_create_device(EXPORTED(l, vkCreateDevice), physical_device, &info, device);
}

VkDevice
make_device(struct loader *l, VkPhysicalDevice physical_device, const char *const *extensions)
{
	VkDevice device;

	assert_int_equal(try_device(l, physical_device, extensions, NULL, &device), VK_SUCCESS);
	return device;
}

void
end_device(struct loader *l, VkDevice device)
{
	EXPORTED(l, vkDestroyDevice)(device, NULL);
}

VkDebugUtilsMessengerEXT
make_messenger(struct loader *l, const VkDebugUtilsMessengerCreateInfoEXT *info)
{
	VkDebugUtilsMessengerEXT messenger;

	assert_int_equal(
		OF_INSTANCE(l, vkCreateDebugUtilsMessengerEXT)(l->instance, info, NULL, &messenger),
		VK_SUCCESS);
	return messenger;
}

void
end_messenger(struct loader *l, VkDebugUtilsMessengerEXT messenger)
{
	OF_INSTANCE(l, vkDestroyDebugUtilsMessengerEXT)(l->instance, messenger, NULL);
}

bool
is_mapped(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[1024];
	bool found = false;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, name) != NULL;
	fclose(maps);
	return found;
}

bool
has_name(char (*names)[64], uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

static void *VKAPI_CALL
count_allocation(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	struct counting *counting = data;
	void *memory;

	if (counting->allocations++ == counting->fail_at)
		return NULL;
	memory = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
	counting->alive += memory != NULL;
	return memory;
}

static void VKAPI_CALL
count_free(void *data, void *memory)
{
	struct counting *counting = data;

	counting->alive -= memory != NULL;
	free(memory);
}

static void *VKAPI_CALL
count_reallocation(
	void *data, void *original, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	struct counting *counting = data;

	if (counting->allocations++ == counting->fail_at)
		return NULL;
	counting->alive += original == NULL;
	return realloc(original, size);
}

void
counting_init(struct counting *counting, long fail_at)
{
	*counting = (struct counting){
		.callbacks = {counting, count_allocation, count_reallocation, count_free, NULL,
			NULL},
		.fail_at = fail_at,
	};
}
