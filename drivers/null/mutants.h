/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wrong drivers that `krafla check` is proved by: the null driver with one fault each, chosen
 * by KRAFLA_NULL_DRIVER=mutant=NAME. A row is
 *   X(name, requirement, case, fault)
 * where `requirement` is of docs/requirements.md, `case` the case of `krafla check` that must find
 * the fault (or a pattern of cases), and `fault` what is wrong, in words. In the driver stands at
 * one place, and only there: if (null_has_fault(name)). A name is one fault: tests/check/mutants
 * looks.
 *
 * The fault is the process's, from when the library is loaded or an instance is made until the next
 * instance is made with other settings.
 */
#ifndef KR_NULL_MUTANTS_H
#define KR_NULL_MUTANTS_H

#include <stddef.h>

/* Cases of check/module: the HAL module, its devices and functions. */
#define NULL_MUTANTS_MODULE(X)                                                                     \
	X(module_without_tag, "D-02", "module.has_the_tag", "the module's tag is 0")               \
	X(module_of_another_kind, "D-02", "module.is_vulkan", "the module's id is \"gralloc\"")    \
	X(module_of_version_0, "D-02", "module.has_its_version", "module_api_version is 0")        \
	X(module_of_no_hal, "D-02", "module.has_the_hals_version", "hal_api_version is 0")         \
	X(module_without_open, "D-02", "module.has_methods",                                       \
		"the module's methods hold no open()")                                             \
	X(module_without_names, "D-02", "module.has_names",                                        \
		"the module's name and author are NULL")                                           \
	X(open_always_fails, "D-02", "opening.vk0", "open(\"vk0\") gives -ENODEV")                 \
	X(open_reads_no_name, "D-02", "opening.other_names_are_refused",                           \
		"open() gives its device for any name")                                            \
	X(device_without_tag, "D-03", "opening.device_has_the_tag", "the HAL device's tag is 0")   \
	X(device_of_version_0, "D-03", "opening.device_has_its_version",                           \
		"the HAL device's version is 0")                                                   \
	X(device_of_no_module, "D-03", "opening.device_knows_its_module",                          \
		"the HAL device's module is NULL")                                                 \
	X(device_without_enumeration, "D-03", "opening.device_has_its_functions",                  \
		"the HAL device has no EnumerateInstanceExtensionProperties")                      \
	X(close_fails, "D-03", "opening.device_closes", "close() gives -EBUSY")                    \
	X(open_leaks, "D-03", "opening.again_after_closing", "open() leaves a descriptor open")    \
	X(second_open_says_both, "D-02", "opening.twice",                                          \
		"a second open() gives -EBUSY, and a device")                                      \
	X(exit_aborts, "D-03", "opening.survives_exit", "the library's destructor aborts")         \
	X(version_is_unknown, "D-03", "functions.globals_without_an_instance",                     \
		"GetInstanceProcAddr(NULL) gives no vkEnumerateInstanceVersion")                   \
	X(everything_is_global, "D-03", "functions.others_need_an_instance",                       \
		"GetInstanceProcAddr(NULL) gives all functions")                                   \
	X(instance_knows_all_names, "D-03", "functions.unknown_names_of_an_instance",              \
		"GetInstanceProcAddr gives a function for every name that begins with vk")         \
	X(device_knows_all_names, "D-03", "functions.unknown_names_of_a_device",                   \
		"vkGetDeviceProcAddr gives a function for every name that begins with vk")         \
	X(device_gives_the_instances, "D-03", "functions.of_instances_are_no_devices",             \
		"vkGetDeviceProcAddr gives functions that take an instance")                       \
	X(instance_lacks_core, "D-03", "functions.core_by_the_instance",                           \
		"GetInstanceProcAddr gives no vkGetPhysicalDeviceExternalFenceProperties")         \
	X(device_lacks_core, "D-03", "functions.core_by_the_device",                               \
		"vkGetDeviceProcAddr gives no vkCmdDispatchBase")                                  \
	X(device_lacks_release, "D-05", "functions.native_buffer_by_the_device",                   \
		"vkGetDeviceProcAddr gives no vkQueueSignalReleaseImageANDROID")                   \
	X(native_buffer_is_always_on, "D-05", "functions.native_buffer_is_enabled_first",          \
		"vkGetDeviceProcAddr gives vkAcquireImageANDROID where that is off")               \
	X(native_buffer_of_version_0, "D-05", "extensions.native_buffer_is_listed",                \
		"VK_ANDROID_native_buffer is listed in version 0")                                 \
	X(instance_lists_native_buffer, "D-05", "extensions.native_buffer_is_a_devices",           \
		"the instance lists VK_ANDROID_native_buffer")                                     \
	X(instance_lists_surfaces, "W-02", "extensions.no_surfaces",                               \
		"the instance lists VK_KHR_surface")                                               \
	X(device_lists_swapchains, "W-02", "extensions.no_swapchains",                             \
		"the device lists VK_KHR_swapchain")                                               \
	X(extension_is_listed_twice, "D-03", "extensions.have_names",                              \
		"the device lists an extension twice")                                             \
	X(extensions_are_cut_short, "D-03", "extensions.listed_in_parts",                          \
		"vkEnumerateDeviceExtensionProperties gives VK_SUCCESS with too little room")      \
	X(instance_without_magic, "D-03", "handles.instances_have_the_magic",                      \
		"an instance begins with 0")                                                       \
	X(physical_device_without_magic, "D-03", "handles.physical_devices_have_the_magic",        \
		"a physical device begins with 0")                                                 \
	X(device_without_magic, "D-03", "handles.devices_have_the_magic",                          \
		"a device begins with 0")                                                          \
	X(queue_without_magic, "D-03", "handles.queues_have_the_magic", "a queue begins with 0")   \
	X(command_buffer_without_magic, "D-03", "handles.command_buffers_have_the_magic",          \
		"a command buffer begins with 0")                                                  \
	X(first_word_is_written_again, "D-03", "handles.first_word_is_the_platforms",              \
		"vkGetPhysicalDeviceProperties writes the first word of its device")               \
	X(instances_leak, "D-03", "instances.again_and_again",                                     \
		"vkCreateInstance leaves a descriptor open")                                       \
	X(last_destroy_ends_all, "D-03", "instances.several",                                      \
		"vkDestroyInstance takes the devices of all instances")                            \
	X(instance_takes_any_extension, "D-03", "instances.unknown_extensions_are_refused",        \
		"vkCreateInstance takes extensions that it doesn't list")                          \
	X(newer_versions_are_refused, "D-03", "instances.of_any_version",                          \
		"vkCreateInstance refuses a version newer than its own")                           \
	X(devices_wander, "D-02", "instances.devices_stay",                                        \
		"vkEnumeratePhysicalDevices gives another handle each second time")                \
	X(devices_overflow, "D-02", "instances.devices_in_parts",                                  \
		"vkEnumeratePhysicalDevices writes all devices, whatever room there is")           \
	X(second_device_is_no_device, "D-02", "instances.second_device",                           \
		"vkCreateDevice fails on all physical devices but the first")                      \
	X(device_takes_any_extension, "D-03", "instances.unknown_device_extensions_are_refused",   \
		"vkCreateDevice takes extensions that it doesn't list")                            \
	X(clear_stops_halfway, "W-04", "instances.draw",                                           \
		"vkCmdClearColorImage changes the upper half of a native buffer alone")

/* Cases of check/native: what VK_ANDROID_native_buffer asks for. */
#define NULL_MUTANTS_NATIVE(X)

/* Cases of check/robust. */
#define NULL_MUTANTS_ROBUST(X)

/* Cases of check/faults. */
#define NULL_MUTANTS_FAULTS(X)                                                                     \
	X(failed_fence_loses_device, "W-07", "faults.failed_fence_is_over",                        \
		"an acquire fence that failed before costs the device")                            \
	X(failing_fence_signals_nothing, "W-07", "faults.fence_that_fails_is_over",                \
		"semaphore and fence of an acquire stay as they are when its fence fails later")   \
	X(dead_consumer_signals_nothing, "W-07", "faults.dead_consumer_is_over",                   \
		"... when the maker of its fence dies")                                            \
	X(late_fence_times_out, "W-07", "faults.late_fence_is_waited_for",                         \
		"after 100 ms an acquire fence counts as signalled")                               \
	X(no_fence_stays_open, "W-07", "faults.no_fence_is_survived",                              \
		"a descriptor that is no fence isn't closed")                                      \
	X(closed_descriptor_aborts, "W-07", "faults.closed_descriptor_is_survived",                \
		"an acquire with a descriptor that isn't open ends the process")                   \
	X(acquire_waits_inside, "W-07", "faults.pending_fence_holds_up_nothing_else",              \
		"vkAcquireImageANDROID waits for its fence, with the device's lock held")          \
	X(fences_are_waited_for_in_turn, "W-07", "faults.fences_end_out_of_order",                 \
		"an acquire fence is only looked at when those before it are over")                \
	X(quick_fence_is_missed, "W-07", "faults.fence_ends_while_it_is_taken",                    \
		"a fence that ends within 0.1 ms of its acquire signals nothing")                  \
	X(short_acquire_keeps_fd, "W-07", "faults.acquire_without_descriptors",                    \
		"an acquire that finds no descriptor left doesn't close its fence")                \
	X(short_release_is_done, "W-08", "faults.release_without_descriptors",                     \
		"a release for whose fence there is no descriptor gives -1, and success")          \
	X(closed_release_fence_loses_device, "W-08", "faults.release_fence_may_be_closed",         \
		"a release fence that its owner has closed costs the device")                      \
	X(twentieth_fence_stays_open, "W-07", "faults.frames_with_any_fault",                      \
		"one in twenty pending acquire fences isn't closed")

/* What is left: drawing, and cases whose authors had no mutant. */
#define NULL_MUTANTS_OTHER(X)                                                                      \
	X(clear_is_lost, "W-08", "instances.draw",                                                 \
		"vkCmdClearColorImage changes nothing in the buffer")

#define NULL_MUTANTS(X)                                                                            \
	NULL_MUTANTS_MODULE(X)                                                                     \
	NULL_MUTANTS_NATIVE(X)                                                                     \
	NULL_MUTANTS_ROBUST(X)                                                                     \
	NULL_MUTANTS_FAULTS(X)                                                                     \
	NULL_MUTANTS_OTHER(X)

enum null_fault {
	NULL_FAULT_none,
#define NULL_FAULT(name, requirement, check_case, fault) NULL_FAULT_##name,
	NULL_MUTANTS(NULL_FAULT)
#undef NULL_FAULT
};

/* The one that this process's driver has. */
extern enum null_fault null_fault __attribute__((visibility("hidden")));

#define null_has_fault(name)                                                                       \
	__builtin_expect(__atomic_load_n(&null_fault, __ATOMIC_RELAXED) == NULL_FAULT_##name, 0)

/* The fault of a mutant; NULL_FAULT_none: there is no such mutant. */
enum null_fault null_fault_from_name(const char *name);
void null_fault_set(enum null_fault fault);

#endif
