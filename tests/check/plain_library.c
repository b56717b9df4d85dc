/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is no driver. */
#include "util/macros.h"

KR_EXPORT int plain_library_answer(void);

KR_EXPORT int
plain_library_answer(void)
{
	return 42;
}
