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
#define NULL_MUTANTS_MODULE(X)

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
	X(clear_is_lost, "D-03", "module.draws",                                                   \
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
