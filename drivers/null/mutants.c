/* SPDX-License-Identifier: Apache-2.0 */
/* Which fault the driver has: mutants.h has the table. */
#include "null/mutants.h"

#include <string.h>

#include "util/macros.h"

enum null_fault null_fault;

enum null_fault
null_fault_from_name(const char *name)
{
#define NAME(name, requirement, check_case, fault) #name,
	static const char *const names[] = {"none", NULL_MUTANTS(NAME)};
#undef NAME

	for (size_t i = 1; i < KR_ARRAY_LEN(names); i++) {
		if (!strcmp(name, names[i]))
			return (enum null_fault)i;
	}
	return NULL_FAULT_none;
}

void
null_fault_set(enum null_fault fault)
{
	__atomic_store_n(&null_fault, fault, __ATOMIC_RELAXED);
}
