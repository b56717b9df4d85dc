/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loader in a test: libvulkan.so.1 opened and closed by the case, on drivers that the case
 * chooses. Nothing of the system's drivers, layers or settings is seen.
 */
#ifndef KR_TESTS_LOADER_SUPPORT_H
#define KR_TESTS_LOADER_SUPPORT_H

#include "fakes/icd.h"
#include "harness.h"
#include "util/macros.h"
#include "vulkan.h"

struct loader {
	void *dso;
	PFN_vkGetInstanceProcAddr gipa;
	VkInstance instance;
	VkPhysicalDevice devices[8];
	uint32_t device_count;
};

/* A function of the loader's exports, or by name of the instance. */
#define EXPORTED(l, name)          ((PFN_##name)find_export(l, #name))
#define OF_INSTANCE(l, name)       ((PFN_##name)(l)->gipa((l)->instance, #name))
#define OF_DEVICE(l, device, name) ((PFN_##name)EXPORTED(l, vkGetDeviceProcAddr)(device, #name))
PFN_vkVoidFunction find_export(const struct loader *l, const char *name);

/*
 * The fake drivers, set up as after being opened for the first time. Close them after the loader.
 */
struct fakes {
	void *dso[2];
	struct fake_control *a, *b;
};
void open_fakes(struct fakes *fakes);
void close_fakes(struct fakes *fakes);
/* The second one as a driver of interface 7 that an application brings itself; they are open. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_b_direct(VkInstance instance, const char *name);

/* Like setenv, without leaving memory behind; for the variables that are known there. */
void set_variable(const char *name, const char *value);

/* Makes VK_DRIVER_FILES name these libraries and hides everything else of the system. */
void use_drivers(size_t count, const char *const *libraries);
/* fake_a.so and fake_b.so. */
void use_both_fakes(void);
/* The null driver as HAL module; then no manifests. */
void use_null_hal(void);
/*
 * The fake driver as HAL module; then no manifests. It has been opened: open_fake_hal is its
 * settings, and close_fake_hal comes after the loader. VK_KHR_get_physical_device_properties2 is
 * enabled on it when asked for.
 */
struct fake_hal {
	void *dso;
	struct fake_control *control;
};
void open_fake_hal(struct fake_hal *hal);
void close_fake_hal(struct fake_hal *hal);
/* Nothing at all. */
void use_no_drivers(void);

void open_loader(struct loader *l);
void close_loader(struct loader *l);

/* These fill l->instance; the last one makes it of 1.1, and finds its devices. */
VkResult try_instance_with(struct loader *l, const struct kr_vulkan_instance_info *info);
VkResult try_instance(struct loader *l, uint32_t version, const char *const *extensions);
void make_instance(struct loader *l, const char *const *extensions);
void end_instance(struct loader *l);
void find_devices(struct loader *l);
/* A device with one queue of family 0 and these extensions. */
VkResult try_device(struct loader *l, VkPhysicalDevice physical_device,
	const char *const *extensions, const void *chain, VkDevice *device);
VkDevice make_device(
	struct loader *l, VkPhysicalDevice physical_device, const char *const *extensions);
void end_device(struct loader *l, VkDevice device);
/* The instance has VK_EXT_debug_utils. */
VkDebugUtilsMessengerEXT make_messenger(
	struct loader *l, const VkDebugUtilsMessengerCreateInfoEXT *info);
void end_messenger(struct loader *l, VkDebugUtilsMessengerEXT messenger);

/* Whether a file of which this is part of the name is mapped. */
bool is_mapped(const char *name);

bool has_name(char (*names)[64], uint32_t count, const char *name);

/*
 * Callbacks that fail at the `fail_at`-th allocation (from 0; -1: never) and count what is alive.
 */
struct counting {
	VkAllocationCallbacks callbacks;
	long fail_at;
	long allocations;
	long alive;
};
void counting_init(struct counting *counting, long fail_at);

#endif
