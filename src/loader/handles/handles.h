/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Vulkan's dispatchable handles point at (DESIGN 4.3):
 *
 *   VkInstance, VkPhysicalDevice           objects of the loader; their first word is the
 *                                          instance's dispatch table, whatever the number of
 *                                          drivers
 *   VkDevice, VkQueue, VkCommandBuffer     the driver's own objects; their first word, which the
 *                                          driver leaves to us, is the device's dispatch table
 *
 * Both tables are members of the loader's object, so the first word leads to it. Layers may wrap a
 * handle as long as they give theirs the same first word (that is what their callbacks are for).
 */
#ifndef KR_LOADER_HANDLES_HANDLES_H
#define KR_LOADER_HANDLES_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gen/commands.h"
#include "gen/extensions.h"
#include "gen/tables.h"
#include "loader/handles/live.h"
#include "loader/handles/unknown_layout.h"
#include "manifest/settings.h"
#include "util/hash.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/mutex.h"
#include "util/vulkan.h"

struct kr_foreign;
struct kr_instance_origin;
struct kr_layer_chain;
struct kr_loaded_driver;
struct kr_loaded_drivers;
struct kr_vk_display;
struct kr_wsi_device;

/*
 * More drivers than this are not used, with a message: what belongs to a driver is an
 * array of these.
 */
#define KR_MAX_DRIVERS 64

/* See unknown_functions.h. */
struct kr_unknown_names {
	uint32_t count;
	char *items[KR_UNKNOWN_SLOTS];
};

/* One driver in one instance, at one address for as long as the instance. */
struct kr_instance_driver {
	uint32_t number; /* its place in the instance's list */
	const struct kr_loaded_driver *driver;
	struct kr_loaded_drivers *set; /* a reference: what `driver` is in */
	struct kr_instance *instance;
	VkInstance handle; /* the driver's; VK_NULL_HANDLE: it takes no part */
	VkAllocationCallbacks allocator_copy;
	const VkAllocationCallbacks *allocator; /* what the driver made `handle` with */
	atomic_bool gone; /* hotplug.h: its devices aren't listed. Relaxed: nothing hangs on it */
	/* The adapter's when it is engaged, else the driver's. */
	PFN_vkGetInstanceProcAddr get_instance_proc_addr;
	PFN_vkGetDeviceProcAddr get_device_proc_addr;
	bool adapter;                    /* engaged: it adds VK_ANDROID_native_buffer */
	bool native_buffer;              /* surfaces of ours may exist for its devices */
	bool properties2;                /* may be asked for vkGetPhysicalDeviceProperties2 */
	uint32_t second_forms;           /* kr_second_form bits: what callers may use of such */
	bool driver_wsi;                 /* surfaces of its own may exist */
	struct kr_extension_set enabled; /* what was enabled on the driver */
	PFN_vkVoidFunction unknown[KR_UNKNOWN_SLOTS];
	struct kr_instance_table table; /* the driver's; missing ones answer with errors */
};

struct kr_instance {
	const struct kr_instance_table *dispatch; /* &table */
	PFN_vkVoidFunction unknown[KR_UNKNOWN_SLOTS];
	struct kr_instance_table table; /* the top of the chain */
	struct kr_instance *self;       /* how `table` leads here */
	struct kr_live live;            /* of `table` */
	VkInstance handle; /* the application's: ours, or what the first layer wrapped it in */
	const VkAllocationCallbacks *allocator; /* kr_object_allocator */
	uint32_t api_version;                   /* the application's; at least 1.0 */
	uint32_t api_version_below;             /* what layers made of it */
	bool bare; /* made by util/bare_instance.h's function: no layers, windows or adapter */
	bool platform_wsi;                     /* our window system is chosen (DESIGN 5.1) */
	bool complete;                         /* the bottom of the chain was reached */
	struct kr_extension_set enabled;       /* what the application enabled */
	struct kr_extension_set enabled_below; /* and what layers added to it */
	struct kr_layer_chain *chain;          /* NULL without layers */
	struct kr_settings settings;           /* as they were when it was created */
	uint64_t search_environment;           /* hotplug.h, and so is the next */
	atomic_bool counted;                   /* relaxed: a hint which search can be saved */
	_Atomic int64_t searched_at;           /* the same; 0 behind the first enumeration */
	VkDebugReportCallbackEXT log_callback; /* log_callback.h; VK_NULL_HANDLE: none */
	struct kr_instance_origin *origin;     /* what drivers that come later are created with */
	struct kr_mutex lock;
	/* kr_physical_device.link: only grows, so a device stays what it is */
	struct kr_list physical_devices KR_GUARDED_BY(lock);
	struct kr_list messengers KR_GUARDED_BY(lock);  /* kr_messenger.link */
	struct kr_foreign *foreign KR_GUARDED_BY(lock); /* set once; NULL without (foreign.h) */
	/* What foreign.c stands before, in an instance with layers. */
	struct {
		PFN_vkEnumeratePhysicalDevices enumerate;
		PFN_vkEnumeratePhysicalDeviceGroups enumerate_groups, enumerate_groups_khr;
	} chain_functions;
	struct kr_list devices KR_GUARDED_BY(lock); /* kr_device.link */
	atomic_bool missing_told[KR_COMMAND_COUNT]; /* missing.h */
	struct kr_unknown_names unknown_physical_device_names KR_GUARDED_BY(lock);
	struct kr_unknown_names unknown_device_names KR_GUARDED_BY(lock);
	/* VkDisplayModeKHR (key): the driver that has it */
	struct kr_hash display_modes KR_GUARDED_BY(lock);
	struct kr_vk_display *vk_display KR_GUARDED_BY(lock); /* NULL: not asked for yet */
	/*
	 * Only grows: written under the lock, the count last (release); read by the function below.
	 */
	atomic_uint driver_count;
	struct kr_instance_driver *drivers[KR_MAX_DRIVERS];
};

/* What a physical device offers for windows (devices/window.h). */
struct kr_device_window {
	uint32_t native_buffer; /* version of VK_ANDROID_native_buffer; 0: no swapchains of ours */
	bool own;               /* its own VK_KHR_swapchain, and surfaces for it */
	uint32_t abilities;     /* bits, 1 << enum kr_device_need */
	uint32_t offered;       /* bits, 1 << number of an offer (devices/offers.h) */
	uint32_t passed;        /* those that the driver hears of, for its own swapchains */
	bool image_format2;     /* vkGetPhysicalDeviceImageFormatProperties2 can be called */
	bool hardware_buffers;  /* ... with what is of AHardwareBuffer */
	bool rgba10x6;          /* the driver has VK_EXT_rgba10x6_formats */
};

struct kr_physical_device {
	const struct kr_instance_table *dispatch; /* its instance's */
	VkPhysicalDevice handle;                  /* the driver's */
	const struct kr_instance_table *driver;   /* owner->table */
	struct kr_instance_driver *owner;
	struct kr_list link;
	/*
	 * Asked for once: written under the instance's lock, and then the flag (release); who reads
	 * it set (acquire) finds what doesn't change any more.
	 */
	atomic_bool window_known;
	struct kr_device_window window;
};

struct kr_device {
	PFN_vkVoidFunction unknown[KR_UNKNOWN_SLOTS];
	struct kr_device_table table;  /* the top of the chain; first words point here */
	struct kr_device_table driver; /* the driver's own */
	VkDevice handle;               /* the driver's */
	VkDevice top;                  /* the application's: the same, or a layer's in its place */
	struct kr_physical_device *physical_device;
	struct kr_instance *instance;
	/* What foreign_names.c stands before, in an instance with layers. */
	struct {
		PFN_vkSetDebugUtilsObjectNameEXT set_name;
		PFN_vkSetDebugUtilsObjectTagEXT set_tag;
		PFN_vkDebugMarkerSetObjectNameEXT mark_name;
		PFN_vkDebugMarkerSetObjectTagEXT mark_tag;
	} chain_functions;
	PFN_vkGetDeviceProcAddr get_device_proc_addr; /* the adapter's or the driver's */
	/* kr_object_allocator; the driver's device has it too */
	const VkAllocationCallbacks *allocator;
	struct kr_extension_set enabled;
	bool compression_control; /* the feature of VK_EXT_image_compression_control_swapchain */
	bool native_buffer;       /* extensions about swapchains are hidden */
	bool maintenance5;        /* commands newer than the application's version aren't found */
	struct kr_list link;
	pthread_t creator;
	bool of_layer;  /* a layer made it for itself */
	bool published; /* the application has it: vkDestroyDevice ends it, not the bottom */
	struct kr_wsi_device *wsi; /* NULL: no swapchain of ours can exist */
};

/* Drivers of smaller numbers may be looked at without the lock. */
static inline uint32_t
kr_instance_driver_count(const struct kr_instance *instance)
{
	return atomic_load_explicit(&instance->driver_count, memory_order_acquire);
}

static inline struct kr_physical_device *
kr_physical_device_from_handle(VkPhysicalDevice handle)
{
	return (struct kr_physical_device *)handle;
}

/* Of an instance or a physical device. */
static inline struct kr_instance *
kr_instance_from_dispatchable(const void *handle)
{
	const struct kr_instance_table *table = kr_instance_table_of(handle);

	return kr_container_of(table, struct kr_instance, table)->self;
}

/* Of a device, queue or command buffer. */
static inline struct kr_device *
kr_device_from_dispatchable(const void *handle)
{
	const struct kr_device_table *table = *(const struct kr_device_table *const *)handle;

	return kr_container_of(table, struct kr_device, table);
}

#endif
