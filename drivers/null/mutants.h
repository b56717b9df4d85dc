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
#define NULL_MUTANTS_NATIVE(X)                                                                     \
	X(lists_an_old_version, "W-02", "offer.version_is_known",                                  \
		"VK_ANDROID_native_buffer is listed in version 4")                                 \
	X(has_no_usage_functions, "W-02", "offer.functions_are_there",                             \
		"vkGetDeviceProcAddr gives none of the queries for gralloc usage")                 \
	X(leaves_presentation_properties, "W-10", "offer.presentation_properties_are_answered",    \
		"sharedImage is left as it was")                                                   \
	X(ends_at_presentation_properties, "W-10",                                                 \
		"offer.presentation_properties_pass_the_chain_on",                                 \
		"what is chained behind the presentation properties isn't answered")               \
	X(refuses_images_with_shared_bit, "W-10", "offer.shared_image_is_meant",                   \
		"sharedImage is true, and vkCreateImage refuses the shared bit")                   \
	X(usage1_says_nothing, "W-03", "usage.query1_answers",                                     \
		"vkGetSwapchainGrallocUsageANDROID leaves its answer as it was")                   \
	X(usage2_says_half, "W-03", "usage.query2_answers",                                        \
		"vkGetSwapchainGrallocUsage2ANDROID leaves the producer's half as it was")         \
	X(usage3_asks_for_protection, "W-03", "usage.query3_answers",                              \
		"vkGetSwapchainGrallocUsage3ANDROID asks for protected buffers")                   \
	X(usage4_asks_for_cubes, "W-03", "usage.query4_answers",                                   \
		"vkGetSwapchainGrallocUsage4ANDROID asks for cube maps")                           \
	X(ahb_usage_is_left, "W-03", "usage.hardware_buffer_is_answered",                          \
		"VkAndroidHardwareBufferUsageANDROID is left as it was")                           \
	X(usage4_changes, "W-03", "usage.is_the_same_again",                                       \
		"each second answer to the same question has a bit more")                          \
	X(usage2_asks_for_more, "W-03", "usage.queries_agree",                                     \
		"query 2 asks for writes by the CPU, and newer ones don't")                        \
	X(usage1_of_no_format_crashes, "W-03", "usage.survives_unknown_formats",                   \
		"vkGetSwapchainGrallocUsageANDROID aborts for an unknown format")                  \
	X(usage4_refuses_shared, "W-10", "usage.knows_shared_images",                              \
		"sharedImage is true, and the usage of shared images is refused")                  \
	X(usage3_asks_for_video, "W-03", "usage.can_be_allocated",                                 \
		"vkGetSwapchainGrallocUsage3ANDROID asks for buffers for video encoders")          \
	X(ahb_usage_asks_for_video, "W-03", "usage.hardware_buffer_agrees",                        \
		"an AHardwareBuffer is to be for video encoders")                                  \
	X(refuses_rgb565, "W-04", "image.of_every_format",                                         \
		"R5G6B5 has a usage, and no image can be made of it")                              \
	X(refuses_mutable_formats, "W-04", "image.of_two_formats",                                 \
		"images whose views may have another format can't be made")                        \
	X(refuses_to_sample, "W-04", "image.of_every_usage",                                       \
		"images to be sampled have a usage, and can't be made")                            \
	X(wants_memory, "W-04", "image.needs_no_memory",                                           \
		"images that nobody binds are never drawn to")                                     \
	X(leaks_a_descriptor_per_image, "W-04", "image.frees_descriptors",                         \
		"each image of a native buffer leaves a descriptor open")                          \
	X(reads_later_members, "W-04", "image.reads_members_of_its_version",                       \
		"ahb is looked into before version 11")                                            \
	X(reads_usage_as_int, "W-13", "image.takes_usage_of_64_bits",                              \
		"buffers whose usage doesn't fit into an int are refused")                         \
	X(looks_at_the_first_structure, "W-04", "image.finds_the_buffer_in_the_chain",             \
		"VkNativeBufferANDROID counts only as the first of its chain")                     \
	X(create_closes_the_handle, "W-04", "image.create_leaves_the_handle",                      \
		"vkCreateImage closes the handle's descriptor")                                    \
	X(destroy_closes_the_handle, "W-04", "image.destroy_leaves_the_handle",                    \
		"vkDestroyImage closes the handle's descriptor")                                   \
	X(destroy_wipes_the_pixels, "W-04", "image.destroy_leaves_the_pixels",                     \
		"vkDestroyImage clears the buffer")                                                \
	X(borrows_the_handle, "W-04", "image.keeps_its_own_import",                                \
		"nothing is drawn once the handle that an image was made from is closed")          \
	X(takes_a_buffer_once, "W-04", "image.of_a_buffer_again",                                  \
		"the buffer that came last is refused when it comes again")                        \
	X(takes_one_image_of_a_buffer, "W-04", "image.two_of_a_buffer",                            \
		"a buffer that has an image is refused")                                           \
	X(binds_nothing, "W-06", "deferred.draws",                                                 \
		"vkBindImageMemory2 gives VK_SUCCESS, and the image has no buffer")                \
	X(binds_the_first_alone, "W-06", "deferred.several_in_one_call",                           \
		"vkBindImageMemory2 looks at its first element alone")                             \
	X(refuses_to_bind_a_buffer_in_use, "W-06", "deferred.of_a_buffer_in_use",                  \
		"a swapchain's buffer can't be bound to another image")                            \
	X(crashes_on_unbound, "W-06", "deferred.unbound_is_destroyed",                             \
		"destroying an image that was never bound aborts")                                 \
	X(keeps_fd_with_nothing, "W-07", "acquire.fd_is_closed_with_nothing",                      \
		"a pending fence without semaphore and VkFence stays open")                        \
	X(keeps_fd_with_a_semaphore, "W-07", "acquire.fd_is_closed_with_a_semaphore",              \
		"a pending fence with a semaphore alone stays open")                               \
	X(keeps_fd_with_a_fence, "W-07", "acquire.fd_is_closed_with_a_fence",                      \
		"a pending fence with a VkFence alone stays open")                                 \
	X(keeps_fd_with_both, "W-07", "acquire.fd_is_closed_with_both",                            \
		"a pending fence with a semaphore and a VkFence stays open")                       \
	X(keeps_signalled_fd, "W-07", "acquire.signalled_fd_is_closed",                            \
		"a fence that had signalled stays open")                                           \
	X(keeps_signalled_fd_with_nothing, "W-07", "acquire.signalled_fd_is_closed_with_nothing",  \
		"... where there is neither semaphore nor VkFence")                                \
	X(keeps_fd_when_lost, "W-07", "acquire.fd_is_closed_when_lost",                            \
		"a lost device doesn't close fences")                                              \
	X(closes_fd_twice, "W-07", "acquire.fd_is_closed_once",                                    \
		"an acquire closes the descriptor of the one before once more")                    \
	X(takes_fd_0_for_none, "W-07", "acquire.fd_0_is_a_fence", "descriptor 0 counts as -1")     \
	X(none_signals_nothing, "W-07", "acquire.nothing_to_wait_for_signals",                     \
		"an acquire with -1 signals nothing")                                              \
	X(signalled_fence_is_forgotten, "W-07", "acquire.signalled_fence_signals",                 \
		"a fence that had signalled signals no VkFence")                                   \
	X(semaphore_is_early, "W-07", "acquire.semaphore_waits",                                   \
		"an acquire signals its semaphore at once")                                        \
	X(fence_is_early, "W-07", "acquire.fence_waits", "an acquire signals its VkFence at once") \
	X(both_forgets_the_semaphore, "W-07", "acquire.both_wait",                                 \
		"an acquire with a VkFence signals no semaphore")                                  \
	X(draws_at_submit, "W-07", "acquire.drawing_waits",                                        \
		"work is done when it is submitted, and its fence waits")                          \
	X(any_fence_is_all_fences, "W-07", "acquire.each_waits_for_its_own",                       \
		"one fence that signals ends all acquires")                                        \
	X(semaphore_keeps_its_signal, "W-07", "acquire.semaphore_signals_once",                    \
		"a batch doesn't use its wait semaphores up")                                      \
	X(signals_one_release, "W-08", "acquire.takes_the_fence_of_a_release",                     \
		"a queue's second release fence never signals")                                    \
	X(says_not_what_it_gives, "W-08", "release.says_what_it_gives",                            \
		"a release leaves *pNativeFenceFd as it was")                                      \
	X(gives_an_eventfd, "W-08", "release.gives_a_fence", "a release gives an eventfd")         \
	X(closes_the_given_fd, "W-08", "release.fd_is_the_callers",                                \
		"a release closes the fence that the last one gave")                               \
	X(idle_release_hangs, "W-08", "release.without_work_is_over",                              \
		"the fence of a release without work never signals")                               \
	X(later_work_holds_release, "W-08", "release.doesnt_wait_for_later_work",                  \
		"a release fence never signals when more work came behind it")                     \
	X(ignores_wait_semaphores, "W-08", "release.waits_for_its_semaphore",                      \
		"a release doesn't look at its semaphores")                                        \
	X(overtakes_work, "W-08", "release.waits_for_earlier_work",                                \
		"a release with work before it gives -1 at once")                                  \
	X(waits_for_one_semaphore, "W-08", "release.waits_for_all_semaphores",                     \
		"a release looks at the first of its semaphores alone")                            \
	X(keeps_wait_semaphores, "W-08", "release.consumes_its_semaphores",                        \
		"a release doesn't use its semaphores up")                                         \
	X(semaphores_blank_images, "W-08", "release.waits_for_drawing",                            \
		"images that are released with a semaphore are black")                             \
	X(shared_needs_an_acquire, "W-09", "shared.releases_again",                                \
		"the second release of a shared image fails")                                      \
	X(shared_shows_once, "W-09", "shared.shows_each_release",                                  \
		"a shared image isn't drawn to after its first release")                           \
	X(refuses_to_bind_shared, "W-09", "shared.of_a_bind",                                      \
		"images with the shared bit can't be bound")                                       \
	X(loses_the_last_row, "W-08", "layout.holds_every_pixel",                                  \
		"vkCmdClearColorImage leaves the last row out")                                    \
	X(packs_rows, "W-08", "layout.of_odd_sizes", "rows lie without the buffer's stride")       \
	X(acquire_wipes_the_pixels, "W-13", "layout.keeps_content",                                \
		"an acquire clears the buffer")                                                    \
	X(draws_into_the_newest, "W-04", "layout.of_several_images",                               \
		"whatever is drawn to, the newest image shows it")                                 \
	X(release_leaves_its_layout, "W-13", "layout.is_plain_after_release",                      \
		"a release leaves pixels that the driver alone can read")                          \
	X(rgba_lies_as_bgra, "W-08", "layout.of_rgba", "R8G8B8A8_UNORM lies as B8G8R8A8")          \
	X(srgb_is_linear, "W-08", "layout.of_rgba_srgb", "R8G8B8A8_SRGB isn't encoded")            \
	X(bgra_lies_as_rgba, "W-08", "layout.of_bgra", "B8G8R8A8_UNORM lies as R8G8B8A8")          \
	X(srgb_bgra_lies_as_rgba, "W-08", "layout.of_bgra_srgb", "B8G8R8A8_SRGB lies as R8G8B8A8") \
	X(rgb565_lies_as_bgr, "W-08", "layout.of_rgb565", "R5G6B5 lies as B5G6R5")                 \
	X(ten_bits_lie_as_bgr, "W-08", "layout.of_abgr2101010", "A2B10G10R10 lies as A2R10G10B10") \
	X(floats_are_whole, "W-08", "layout.of_half_floats",                                       \
		"half floats are 16-bit numbers from 0 to 1")                                      \
	X(reads_what_it_drew, "W-13", "outside.all_is_seen",                                       \
		"copies read what the driver drew, whatever the buffer holds")                     \
	X(reads_one_row, "W-13", "outside.one_pixel_is_seen", "... but for the first row")         \
	X(release_draws_again, "W-13", "outside.change_stays",                                     \
		"a release writes what was drawn last once more")                                  \
	X(reads_what_was_at_acquire, "W-13", "outside.before_its_fence_is_seen",                   \
		"copies read what was in the buffer when an acquire with a pending fence began")

/* Cases of check/robust. */
#define NULL_MUTANTS_ROBUST(X)                                                                     \
	X(group_leaves_device_out, "D-02", "groups.list_all",                                      \
		"the last physical device is in no group")                                         \
	X(group_is_never_incomplete, "D-02", "groups.say_when_there_are_more",                     \
		"too little room for groups is VK_SUCCESS")                                        \
	X(group_makes_no_device, "D-02", "groups.make_devices",                                    \
		"a device that is made of a group is refused")                                     \
	X(acquire_races, "W-07", "threads.draw_frames",                                            \
		"what an acquire is to signal is kept for all threads in one place")               \
	X(image_races, "W-03", "threads.make_and_destroy_images",                                  \
		"an image that is made beside another has no memory")                              \
	X(instance_races, "D-03", "threads.make_and_destroy_instances",                            \
		"an instance that is made beside another is refused")                              \
	X(second_queue_draws_nothing, "W-08", "queues.each_draws",                                 \
		"what is submitted to other queues than the first is lost")                        \
	X(release_is_of_the_first_queue, "W-08", "queues.release_is_of_its_queue",                 \
		"every release is one of the first queue")                                         \
	X(queues_are_one, "W-08", "queues.dont_wait_for_each_other",                               \
		"a queue waits for what was submitted to those before it")                         \
	X(lost_release_succeeds, "W-12", "loss.is_answered",                                       \
		"a release of a lost device is VK_SUCCESS")                                        \
	X(lost_release_stays_active, "W-12", "loss.ends_pending_releases",                         \
		"release fences of a lost device stay active")                                     \
	X(lost_acquire_stays_open, "W-12", "loss.leaves_nothing",                                  \
		"pending acquire fences of a lost device are never closed")                        \
	X(loss_is_for_ever, "W-12", "loss.is_one_devices_affair",                                  \
		"after a loss each new device is lost, too")                                       \
	X(child_ends_the_fences, "W-08", "processes.child_may_end",                                \
		"a child that ends shuts down the fences that it has of its parent")               \
	X(fork_loses_drawing, "W-08", "processes.fork_in_a_frame",                                 \
		"after a fork nothing is drawn")                                                   \
	X(release_survives_exec, "S-06", "processes.exec_takes_nothing",                           \
		"release fences are inherited by exec")                                            \
	X(instance_needs_memory, "D-03", "memory.of_instances",                                    \
		"an instance without memory ends the process")                                     \
	X(device_needs_memory, "D-03", "memory.of_devices",                                        \
		"a device without memory is VK_SUCCESS")                                           \
	X(image_needs_memory, "W-03", "memory.of_images", "an image without memory is VK_SUCCESS") \
	X(slots_are_32, "W-07", "limits.have_64_slots",                                            \
		"an acquire beside 32 images that are acquired is refused")                        \
	X(narrow_is_refused, "W-03", "limits.are_small", "images one pixel wide are refused")      \
	X(wide_is_cut, "W-03", "limits.are_large", "beyond 2048 columns a clear changes nothing")  \
	X(too_wide_ends_all, "W-03", "limits.are_refused_beyond",                                  \
		"an image wider than the limit ends the process")                                  \
	X(hundredth_frame_leaks, "S-06", "leaks.of_10000_frames",                                  \
		"each hundredth release keeps a duplicate of a descriptor")                        \
	X(images_leak_memory, "W-03", "leaks.of_1000_images", "each image leaves 1 KiB behind")    \
	X(devices_leak_descriptors, "D-03", "leaks.of_100_devices",                                \
		"each device leaves a descriptor open")

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

/* Cases of check/native that are of AHardwareBuffers in Vulkan (hardware_buffers=yes). */
#define NULL_MUTANTS_HARDWARE(X)                                                                   \
	X(hardware_without_foreign, "W-11", "hardware.is_offered_whole",                           \
		"VK_EXT_queue_family_foreign isn't listed")                                        \
	X(hardware_has_no_functions, "W-11", "hardware.functions_are_there",                       \
		"vkGetDeviceProcAddr gives none of the two functions")                             \
	X(hardware_size_is_0, "W-11", "hardware.size_is_told", "allocationSize is 0")              \
	X(hardware_of_no_format, "W-11", "hardware.format_is_told",                                \
		"the format of all buffers is undefined")                                          \
	X(external_format_is_0, "W-11", "hardware.external_format_is_told", "externalFormat is 0") \
	X(hardware_is_copied, "W-11", "hardware.import_is_the_buffer",                             \
		"an import is a copy of the buffer")                                               \
	X(hardware_is_kept, "W-11", "hardware.import_ends",                                        \
		"vkFreeMemory keeps its reference to the buffer")                                  \
	X(hardware_takes_any_size, "W-11", "hardware.other_sizes_are_refused",                     \
		"memory is imported for an image of another size")                                 \
	X(hardware_export_is_new, "W-11", "hardware.export_is_one_buffer",                         \
		"each vkGetMemoryAndroidHardwareBufferANDROID gives a copy")

/* What is left: drawing, and cases whose authors had no mutant. */
#define NULL_MUTANTS_OTHER(X)                                                                      \
	X(clear_is_lost, "W-08", "instances.draw",                                                 \
		"vkCmdClearColorImage changes nothing in the buffer")

#define NULL_MUTANTS(X)                                                                            \
	NULL_MUTANTS_MODULE(X)                                                                     \
	NULL_MUTANTS_NATIVE(X)                                                                     \
	NULL_MUTANTS_ROBUST(X)                                                                     \
	NULL_MUTANTS_FAULTS(X)                                                                     \
	NULL_MUTANTS_HARDWARE(X)                                                                   \
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
