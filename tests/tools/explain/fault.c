/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that can't be opened: FAULT says why (meson.build). */
#include <stdlib.h>

#define UNDEFINED 1 /* a symbol that no library has */
#define NEEDY     2 /* needs a library that won't be found */

int explain_fault_gone(void);
extern int explain_fault_nowhere;
const void *explain_fault(void);

const void *
explain_fault(void)
{
#if FAULT == UNDEFINED
	return &explain_fault_nowhere;
#elif FAULT == NEEDY
	return explain_fault_gone() ? explain_fault : NULL;
#endif
}
