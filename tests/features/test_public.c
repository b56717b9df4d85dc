/* SPDX-License-Identifier: Apache-2.0 */
/* V-06: krafla/features.h, as programs call it: from libkrafla.so.0, with drivers of the test's. */
#include "harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <krafla/features.h>

#include "util/macros.h"
#include "util/vulkan.h"
#include "vulkan.h"

#define LEVEL   "android.hardware.vulkan.level"
#define COMPUTE "android.hardware.vulkan.compute"
#define VERSION "android.hardware.vulkan.version"

static __typeof__(krafla_has_system_feature) *has;
static __typeof__(krafla_get_system_feature) *get;
static __typeof__(krafla_device_has_feature) *device_has;

/* libkrafla.so.0, and the null driver with these settings, or no driver. */
static void
begin(const char *settings)
{
	void *library = dlopen(LIBKRAFLA, RTLD_NOW);

	assert_non_null(library);
	has = (__typeof__(has))(uintptr_t)dlsym(library, "krafla_has_system_feature");
	get = (__typeof__(get))(uintptr_t)dlsym(library, "krafla_get_system_feature");
	device_has = (__typeof__(device_has))(uintptr_t)dlsym(library, "krafla_device_has_feature");
	assert_true(has && get && device_has);
	setenv("VK_LAYER_PATH", "/nonexistent", 1);
	setenv("VK_IMPLICIT_LAYER_PATH", "/nonexistent", 1);
	setenv("VK_DRIVER_FILES", settings ? NULL_ICD : "/nonexistent.json", 1);
	setenv("KRAFLA_NULL_DRIVER", settings ? settings : "", 1);
	unsetenv("VK_ICD_FILENAMES");
	unsetenv("KRAFLA_PROFILE");
}

static bool
is_loaded(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

	if (library)
		dlclose(library);
	return library != NULL;
}

/* Nobody has opened Vulkan before; the loader is the one beside the library. */
static void
the_system_is_asked(void **state)
{
	uint32_t version = 77;

	begin("feature.textureCompressionETC2=yes");
	assert_false(is_loaded(LIBVULKAN));
	assert_int_equal(has(LEVEL, 0), 1);
	assert_true(is_loaded(LIBVULKAN));
	assert_int_equal(has(LEVEL, 1), 0);
	assert_int_equal(has(VERSION, 0x400003), 1);
	assert_int_equal(has(VERSION, 0x401000), 0);
	assert_int_equal(has(COMPUTE, 0), 0);
	assert_int_equal(has("dynamicRendering", 0), 1);
	assert_int_equal(has("android.hardware.camera", 0), 0);
	assert_int_equal(has("", 0), 0);
	assert_int_equal(get(COMPUTE, &version), 0);
	assert_int_equal(get("", &version), 0);
	assert_int_equal(version, 77);
	assert_int_equal(get(VERSION, &version), 1);
	assert_int_equal(version, 0x400003);
}

/* One search for drivers is enough: later it is as it was. */
static void
answers_are_remembered(void **state)
{
	begin("feature.textureCompressionETC2=yes");
	assert_int_equal(has(LEVEL, 0), 1);
	setenv("VK_DRIVER_FILES", "/nonexistent.json", 1);
	setenv("KRAFLA_NULL_DRIVER", "", 1);
	assert_int_equal(has(LEVEL, 0), 1);
	assert_int_equal(has(VERSION, 0), 1);
}

static void
errors_are_told_apart_and_tried_again(void **state)
{
	uint32_t version = 77;

	begin(NULL);
	assert_int_equal(has(LEVEL, 0), -ENODEV);
	assert_int_equal(get(LEVEL, &version), -ENODEV);
	assert_int_equal(has("nonsense", 0), -ENODEV);
	assert_int_equal(has(NULL, 0), -EINVAL);
	assert_int_equal(get(NULL, &version), -EINVAL);
	assert_int_equal(get(LEVEL, NULL), -EINVAL);
	assert_int_equal(version, 77);
	setenv("VK_DRIVER_FILES", NULL_ICD, 1);
	setenv("KRAFLA_NULL_DRIVER", "feature.textureCompressionETC2=yes", 1);
	assert_int_equal(has(LEVEL, 0), 1);
}

static void *
ask_often(void *data)
{
	long wrong = 0;

	for (int i = 0; i < 100; i++)
		wrong += has(LEVEL, 0) != 1 || has(LEVEL, 1) != 0;
	return (void *)wrong;
}

static void
threads_may_ask_together(void **state)
{
	pthread_t threads[8];

	begin("feature.textureCompressionETC2=yes");
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_often, NULL), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(threads); i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
}

/* L-06: in profile android what files declare counts, as far as it is true. */
static void
permission_files_decide(void **state)
{
	begin("");
	unsetenv("VK_DRIVER_FILES");
	setenv("KRAFLA_PROFILE", "android", 1);
	setenv("KRAFLA_HAL_PATH", NULL_DIR, 1);
	setenv("KRAFLA_PROP_ro_hardware_vulkan", "null", 1);
	setenv("KRAFLA_NULL_DRIVER",
		"feature.textureCompressionETC2=yes,feature.variablePointers=yes,"
		"limit.maxPerStageDescriptorStorageBuffers=16",
		1);
	setenv("KRAFLA_PROP_ro_krafla_permissions", kr_test_dir(), 1);
	kr_test_file("a.xml",
		"<permissions><feature name='" LEVEL "' version='1'/>"
		"<feature name='" VERSION "' version='4194307'/></permissions>");
	assert_int_equal(has(LEVEL, 0), 1);
	assert_int_equal(has(LEVEL, 1), 0);
	assert_int_equal(has(VERSION, 0), 1);
	assert_int_equal(has(COMPUTE, 0), 0);
	assert_int_equal(has("dynamicRendering", 0), 1);
}

static void
a_device_of_the_callers_is_asked(void **state)
{
	const struct kr_vulkan_instance_info info = {.api_version = VK_API_VERSION_1_3};
	struct kr_vulkan vk;
	PFN_vkGetInstanceProcAddr loader;
	void *library;

	begin("feature.textureCompressionETC2=yes,feature.variablePointers=yes,"
	      "limit.maxPerStageDescriptorStorageBuffers=16,type=cpu,"
	      "feature.samplerYcbcrConversion=yes");
	library = dlopen(LIBVULKAN, RTLD_NOW);
	assert_non_null(library);
	loader = (PFN_vkGetInstanceProcAddr)(uintptr_t)dlsym(library, "vkGetInstanceProcAddr");
	kr_vulkan_open(&vk, loader, &info);
	assert_int_equal(device_has(vk.instance, vk.physical_device, loader, LEVEL, 0), 1);
	assert_int_equal(device_has(vk.instance, vk.physical_device, loader, LEVEL, 1), 0);
	assert_int_equal(device_has(vk.instance, vk.physical_device, loader, COMPUTE, 0), 1);
	assert_int_equal(device_has(vk.instance, vk.physical_device, loader, VERSION, 0x403000), 1);
	assert_int_equal(device_has(vk.instance, vk.physical_device, loader, VERSION, 0x403001), 0);
	assert_int_equal(device_has(vk.instance, vk.physical_device, loader, "x", 0), 0);
	assert_int_equal(device_has(vk.instance, vk.physical_device, loader,
				 "android.software.vulkan.deqp.level", 0),
		0);
	assert_int_equal(device_has(NULL, vk.physical_device, loader, LEVEL, 0), -EINVAL);
	assert_int_equal(device_has(vk.instance, NULL, loader, LEVEL, 0), -EINVAL);
	assert_int_equal(device_has(vk.instance, vk.physical_device, NULL, LEVEL, 0), -EINVAL);
	assert_int_equal(device_has(vk.instance, vk.physical_device, loader, NULL, 0), -EINVAL);
	kr_vulkan_close(&vk);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(the_system_is_asked, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST_FLAGS(answers_are_remembered, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST_FLAGS(
		errors_are_told_apart_and_tried_again, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST_FLAGS(threads_may_ask_together, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST_FLAGS(permission_files_decide, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
	KR_TEST_FLAGS(a_device_of_the_callers_is_asked, KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
};
KR_TEST_MAIN(tests)
