/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which features this system has, as Android's PackageManager.hasSystemFeature answers (V-06): of
 * the Vulkan devices (V-01), of tests that they passed (V-02), and features of Vulkan by name
 * (V-07). docs/features.md has the names, and the rule behind each; `krafla features` shows which
 * rule holds here.
 *
 *   if (krafla_has_system_feature("android.hardware.vulkan.version", 0x401000) == 1)
 *           the system has a device of Vulkan 1.1 with all that belongs to it
 *
 * Answers are computed from what the devices say. In profile `android` (docs/profiles.md), where
 * permission files are installed, these decide about names that begin with "android.": what a file
 * declares counts as far as a device holds it, and one that says more is told in the log
 * (VK_LOADER_DEBUG=warn). For deqp.level, which no device can be asked for, the file's word counts.
 *
 * Ownership: all arguments are borrowed, for the call alone. Thread-safety: any thread may call
 * these, also several at once; none may be called from a signal handler or while the program is
 * inside of a Vulkan call that it was called back from. Errors come back as negative errno.
 */
#ifndef KRAFLA_FEATURES_H
#define KRAFLA_FEATURES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same as Vulkan's handles: no Vulkan header is needed here. */
struct VkInstance_T;
struct VkPhysicalDevice_T;

/*
 * Whether the system has the feature `name` in `version` or a higher one; 0 asks for any.
 *
 * Returns 1: it has; 0: it hasn't, also for names that aren't known; -EINVAL: no name; -ENODEV:
 * there is no Vulkan device; -ENOENT: no libvulkan.so.1 could be loaded; -ENOSYS: what was loaded
 * is no Vulkan loader; -EIO: a driver or layer failed; -ENOMEM.
 *
 * What happens: the first call that can be answered loads libvulkan.so.1 (the one that the program
 * has loaded; else the one beside libkrafla.so.0; else where the linker looks), makes a VkInstance
 * of its own, asks each physical device, and ends that instance. The drivers are so loaded into the
 * calling process, as if the program had used Vulkan itself: this takes as long as that takes, and
 * a driver that crashes takes the process with it (`krafla features --has` asks in another
 * process). The library stays loaded. Later calls answer from memory; a system's features don't
 * change while a program runs. Errors aren't remembered: the next call tries again.
 *
 * Source: V-06, hasSystemFeature.
 */
int krafla_has_system_feature(const char *name, uint32_t version);

/*
 * The version in which the system has the feature: 1 with *version set, else as above with *version
 * untouched. Android's names of several versions mean: .level 0 or 1; .version and deqp.level as
 * numbers of Vulkan (0x401000) and of a day (0x07E60301).
 *
 * Source: V-06, FeatureInfo.version.
 */
int krafla_get_system_feature(const char *name, uint32_t *version);

/*
 * The same about one device of the caller's, whatever the system declares: whether by its rules the
 * device holds the feature. deqp.level, which no device answers, is 0. Nothing is loaded or kept;
 * the device is asked at each call, through `get_instance_proc_addr` (vkGetInstanceProcAddr of the
 * instance's loader). `instance` must be the instance of `device` and live through the call. What
 * came with Vulkan 1.1 can only be asked of instances that were made with apiVersion 1.1 or higher,
 * or with VK_KHR_get_physical_device_properties2, VK_KHR_external_semaphore_capabilities and
 * VK_KHR_external_fence_capabilities: else it counts as missing.
 *
 * Returns as krafla_has_system_feature does; -EINVAL also for a handle or function that is NULL.
 *
 * Source: V-01, V-07.
 */
int krafla_device_has_feature(struct VkInstance_T *instance, struct VkPhysicalDevice_T *device,
	void (*(*get_instance_proc_addr)(struct VkInstance_T *instance, const char *name))(void),
	const char *name, uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
