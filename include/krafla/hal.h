/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The binary interface between a Vulkan platform and a HAL driver module (D-01..D-05):
 * the generic hw_module_t and hw_device_t, and the Vulkan ones derived from them. Names are the
 * field's own, layouts are those of Android's hardware.h and hwvulkan.h on LP64, asserted below.
 *
 * A module is a shared library `vulkan.<name>.so` that exports one object named HMI whose first
 * member is a hw_module_t with id "vulkan". The platform calls methods->open(module, "vk0",
 * &device) once in a process; every driver function is found through the device's
 * GetInstanceProcAddr.
 *
 * Dispatchable objects (VkInstance, VkPhysicalDevice, VkDevice, VkQueue, VkCommandBuffer) begin
 * with a hwvulkan_dispatch_t that the driver sets to HWVULKAN_DISPATCH_MAGIC and the platform then
 * owns.
 *
 * Thread-safety: open and close are called by one thread at a time; the device's functions from
 * any.
 */
#ifndef KRAFLA_HAL_H
#define KRAFLA_HAL_H

#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HARDWARE_MAKE_TAG(a, b, c, d)                                                              \
	(((uint32_t)(a) << 24) | ((uint32_t)(b) << 16) | ((uint32_t)(c) << 8) | (uint32_t)(d))
#define HARDWARE_MODULE_TAG HARDWARE_MAKE_TAG('H', 'W', 'M', 'T')
#define HARDWARE_DEVICE_TAG HARDWARE_MAKE_TAG('H', 'W', 'D', 'T')

#define HARDWARE_MAKE_API_VERSION(maj, min) ((uint16_t)((((maj)&0xff) << 8) | ((min)&0xff)))
#define HARDWARE_MAKE_API_VERSION_2(maj, min, hdr)                                                 \
	((((uint32_t)(maj)&0xff) << 24) | (((uint32_t)(min)&0xff) << 16) | ((uint32_t)(hdr)&0xffff))
#define HARDWARE_HAL_API_VERSION HARDWARE_MAKE_API_VERSION(1, 0)

/* The exported object, as a C name and as the string for dlsym. */
#define HAL_MODULE_INFO_SYM        HMI
#define HAL_MODULE_INFO_SYM_AS_STR "HMI"

#if UINTPTR_MAX > 0xffffffffu
typedef uint64_t hw_reserved_t;
#else
typedef uint32_t hw_reserved_t;
#endif

struct hw_module_t;
struct hw_module_methods_t;
struct hw_device_t;

typedef struct hw_module_t {
	uint32_t tag; /* HARDWARE_MODULE_TAG */
	uint16_t module_api_version;
	uint16_t hal_api_version; /* HARDWARE_HAL_API_VERSION */
	const char *id;
	const char *name;
	const char *author;
	struct hw_module_methods_t *methods;
	void *dso; /* written by who loaded the module */
	hw_reserved_t reserved[32 - 7];
} hw_module_t;

typedef struct hw_module_methods_t {
	/* 0 and a device that the caller closes with its close(), or -errno (-ENOENT: no such id).
	 */
	int (*open)(const struct hw_module_t *module, const char *id, struct hw_device_t **device);
} hw_module_methods_t;

typedef struct hw_device_t {
	uint32_t tag; /* HARDWARE_DEVICE_TAG */
	uint32_t version;
	struct hw_module_t *module;
	hw_reserved_t reserved[12];
	int (*close)(struct hw_device_t *device); /* may be NULL */
} hw_device_t;

#define HWVULKAN_HARDWARE_MODULE_ID     "vulkan"
#define HWVULKAN_MODULE_API_VERSION_0_1 HARDWARE_MAKE_API_VERSION(0, 1)
#define HWVULKAN_DEVICE_API_VERSION_0_1 HARDWARE_MAKE_API_VERSION_2(0, 1, 0)
#define HWVULKAN_DEVICE_0               "vk0"
#define HWVULKAN_DISPATCH_MAGIC         0x01CDC0DE

typedef struct hwvulkan_module_t {
	struct hw_module_t common;
} hwvulkan_module_t;

/* First word of every dispatchable object. */
typedef union {
	uintptr_t magic;
	const void *vtbl;
} hwvulkan_dispatch_t;

typedef struct hwvulkan_device_t {
	struct hw_device_t common;
	PFN_vkEnumerateInstanceExtensionProperties EnumerateInstanceExtensionProperties;
	PFN_vkCreateInstance CreateInstance;
	PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
} hwvulkan_device_t;

#if UINTPTR_MAX > 0xffffffffu && !defined(__cplusplus)
_Static_assert(sizeof(hw_module_t) == 248, "hw_module_t");
_Static_assert(offsetof(hw_module_t, hal_api_version) == 6, "hal_api_version");
_Static_assert(offsetof(hw_module_t, id) == 8, "id");
_Static_assert(offsetof(hw_module_t, methods) == 32, "methods");
_Static_assert(offsetof(hw_module_t, dso) == 40, "dso");
_Static_assert(offsetof(hw_module_t, reserved) == 48, "reserved");
_Static_assert(sizeof(hw_device_t) == 120, "hw_device_t");
_Static_assert(offsetof(hw_device_t, module) == 8, "module");
_Static_assert(offsetof(hw_device_t, close) == 112, "close");
_Static_assert(sizeof(hwvulkan_module_t) == 248, "hwvulkan_module_t");
_Static_assert(sizeof(hwvulkan_dispatch_t) == 8, "hwvulkan_dispatch_t");
_Static_assert(sizeof(hwvulkan_device_t) == 144, "hwvulkan_device_t");
_Static_assert(
	offsetof(hwvulkan_device_t, EnumerateInstanceExtensionProperties) == 120, "enumerate");
_Static_assert(offsetof(hwvulkan_device_t, CreateInstance) == 128, "create");
_Static_assert(offsetof(hwvulkan_device_t, GetInstanceProcAddr) == 136, "get_proc_addr");
#endif

#ifdef __cplusplus
}
#endif

#endif
