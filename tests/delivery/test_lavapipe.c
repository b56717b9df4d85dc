/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real driver: lavapipe with all that it needs but glibc and what must be the application's own
 * (X11, Wayland), delivered in both ways, in a process that has none of it loaded.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "delivery/process.h"
#include "harness.h"
#include "rig.h"
#include "util/text.h"
#include "vulkan.h"

#define KEEPS  (KR_TEST_KEEPS_FDS | KR_TEST_KEEPS_MEMORY)
#define DRIVER "libvulkan_lvp.so"

struct closure {
	struct rig_file files[RIG_MAX];
	size_t count;
	FILE *needs;
};

/* What stays the process's own. */
static bool
is_own(const char *library)
{
	static const char *const prefixes[] = {"ld-linux", "libc.so", "libm.so", "libpthread.so",
		"libdl.so", "librt.so", "libxcb", "libX11", "libXau", "libXdmcp",
		"libwayland-client", "libbsd.so", "libmd.so"};

	for (size_t i = 0; i < KR_ARRAY_LEN(prefixes); i++) {
		if (!strncmp(library, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

static int add_library(void *data, const char *library);

static int
add_need(void *data, const char *library, const char *version)
{
	struct closure *closure = data;

	if (is_own(library))
		fprintf(closure->needs, ", {\"library\": \"%s\", \"versions\": [\"%s\"]}", library,
			version);
	return 0;
}

/* What it needs first. */
static void
add_file(struct closure *closure, const char *name, const char *role,
	const struct kr_process_library *library)
{
	kr_image_for_each_needed(&library->image, add_library, closure);
	kr_image_for_each_wanted(&library->image, add_need, closure);
	assert_true(closure->count < RIG_MAX - 1);
	closure->files[closure->count++] =
		(struct rig_file){strdup(name), role, strdup(name), strdup(library->path)};
}

static int
add_library(void *data, const char *name)
{
	struct closure *closure = data;
	struct kr_process_library library;

	for (size_t i = 0; i < closure->count; i++) {
		if (!strcmp(closure->files[i].soname, name))
			return 0;
	}
	if (is_own(name)) {
		fprintf(closure->needs, ", {\"library\": \"%s\"}", name);
		return 0;
	}
	assert_int_equal(rig_find(name, &library), 0);
	add_file(closure, name, "library", &library);
	kr_process_library_close(&library);
	return 0;
}

static void
enumerate(void *dso)
{
	VkPhysicalDeviceProperties properties;
	PFN_vkGetInstanceProcAddr get =
		(PFN_vkGetInstanceProcAddr)dlsym(dso, "vk_icdGetInstanceProcAddr");
	struct kr_vulkan vk;

	assert_non_null(get);
	kr_vulkan_open(&vk, get, NULL);
	assert_non_null(vk.physical_device);
	KR_VULKAN_CALL(&vk, vkGetPhysicalDeviceProperties)(vk.physical_device, &properties);
	assert_non_null(strstr(properties.deviceName, "llvmpipe"));
	kr_vulkan_close(&vk);
}

static double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Takes, checks and loads, and says how long each took. */
static void
deliver(struct closure *closure, enum kr_delivery_kind kind, const char *needs)
{
	struct kr_delivery *delivery;
	struct rig_package package;
	double times[4];
	char *reason;
	void *dso;

	rig_pack(&package, kind, closure->files, needs);
	times[0] = now_ms();
	if (kr_delivery_take(kind, package.fds, package.count, &delivery, &reason))
		fail_msg("%s", reason);
	times[1] = now_ms();
	if (kr_delivery_check(delivery, &reason))
		fail_msg("%s", reason);
	times[2] = now_ms();
	dso = rig_load(delivery);
	times[3] = now_ms();
	printf("# %zu files: take %.2f ms, check %.2f ms, load %.2f ms\n", closure->count,
		times[1] - times[0], times[2] - times[1], times[3] - times[2]);
	kr_delivery_destroy(delivery);
	assert_int_equal(rig_mapped("/usr/lib/x86_64-linux-gnu/libLLVM"), 0);
	enumerate(dso);
}

static void
deliver_lavapipe(enum kr_delivery_kind kind)
{
	struct closure closure = {0};
	struct kr_process_library driver;
	char *needs = NULL;
	size_t size;

	if (rig_find(DRIVER, &driver))
		kr_test_skip("no-lavapipe", NULL);
	closure.needs = open_memstream(&needs, &size);
	fputs("[{\"library\": \"libc.so.6\"}", closure.needs);
	add_file(&closure, DRIVER, "driver", &driver);
	kr_process_library_close(&driver);
	fputs("]", closure.needs);
	fclose(closure.needs);
	deliver(&closure, kind, needs);
	for (size_t i = 0; i < closure.count; i++) {
		free((char *)closure.files[i].path);
		free((char *)closure.files[i].soname);
		free((char *)closure.files[i].source);
	}
	free(needs);
}

static void
test_lavapipe_as_a_mount(void **state)
{
	deliver_lavapipe(KR_DELIVERY_MOUNT);
}

static void
test_lavapipe_as_memory(void **state)
{
	deliver_lavapipe(KR_DELIVERY_MEMORY);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(test_lavapipe_as_a_mount, KEEPS, 120),
	KR_TEST_SLOW(test_lavapipe_as_memory, KEEPS, 120),
};

KR_TEST_MAIN(tests)
