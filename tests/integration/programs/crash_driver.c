/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that crashes while it is loaded. */
#include <signal.h>

__attribute__((constructor)) static void
crash(void)
{
	raise(SIGSEGV);
}
