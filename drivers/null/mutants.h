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
#define NULL_MUTANTS_FAULTS(X)

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
