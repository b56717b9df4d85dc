/* SPDX-License-Identifier: Apache-2.0 */
/* Wakes the thread that runs a display: from any thread, or a signal handler. */
#include "composer/display.h"

#include <errno.h>
#include <unistd.h>

void
kr_display_wake(struct kr_display *display)
{
	uint64_t one = 1;
	int saved = errno;
	ssize_t written = write(display->wake_fd, &one, sizeof(one));

	(void)written; /* full means that it wakes already */
	errno = saved;
}
