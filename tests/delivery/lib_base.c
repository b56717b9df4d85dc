/* SPDX-License-Identifier: Apache-2.0 */
/* A library that others need, in several copies: BASE says which one this is. */
#include "libs.h"

int
krd_base(void)
{
	return BASE;
}

#ifdef TWO
int
krd_base_two(void)
{
	return BASE;
}
#endif
