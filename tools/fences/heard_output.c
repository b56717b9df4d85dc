/* SPDX-License-Identifier: Apache-2.0 */
/* Writing while signals are heard: see heard_output.h. */
#include "tools/fences/heard_output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

#define GRACE_NS KR_NSEC_PER_SEC

/*
 * Into room that there is: PIPE_BUF bytes at most, which a pipe takes without waiting when
 * it takes any. 0: not now.
 */
static ssize_t
write_piece(const char *text, size_t len, short room)
{
	ssize_t written;

	if (!room)
		return 0;
	written = write(STDOUT_FILENO, text, KR_MIN(len, (size_t)PIPE_BUF));
	return written < 0 && (errno == EINTR || errno == EAGAIN) ? 0 : written;
}

static ssize_t
write_heard(void *cookie, const char *text, size_t len)
{
	struct pollfd fds[] = {
		{.fd = STDOUT_FILENO, .events = POLLOUT},
		{.fd = (int)(intptr_t)cookie, .events = POLLIN},
	};
	int64_t deadline = KR_FOREVER;
	size_t done = 0;

	while (done < len) {
		int ready = kr_fd_poll(fds, KR_ARRAY_LEN(fds), deadline);
		ssize_t written =
			ready > 0 ? write_piece(text + done, len - done, fds[0].revents) : 0;

		if (written < 0)
			return 0;
		done += (size_t)written;
		if (ready <= 0) {
			errno = ready ? -ready : EINTR;
			return 0;
		}
		if (!written && fds[1].revents) {
			fds[1].fd = -1;
			deadline = kr_clock_now() + GRACE_NS;
		}
	}
	return (ssize_t)len;
}

void
kr_heard_output_begin(int signal_fd)
{
	const cookie_io_functions_t functions = {.write = write_heard};
	FILE *heard = fopencookie((void *)(intptr_t)signal_fd, "w", functions);

	if (heard)
		stdout = heard;
}
