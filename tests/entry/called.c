/* SPDX-License-Identifier: Apache-2.0 */
/* A function that knows who calls it: see test_references.c. */
#include "entry/references.h"
#include "util/macros.h"

KR_EXPORT bool called_by_name(const char *name);

KR_EXPORT bool
called_by_name(const char *name)
{
	return kr_call_is_by_name(__builtin_return_address(0), name);
}
