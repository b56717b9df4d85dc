/* SPDX-License-Identifier: Apache-2.0 */
/* See relay.h. */
#include "tools/probe/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/macros.h"

int
probe_relay_init(struct probe_relay *relay)
{
	int fds[2];

	*relay = (struct probe_relay){.fd = -1};
	if (pipe2(fds, O_CLOEXEC))
		return -1;
	/* The reader's side alone: a driver that writes waits, as for any standard error. */
	(void)!fcntl(fds[0], F_SETFL, O_NONBLOCK);
	relay->fd = fds[0];
	return fds[1];
}

static void
say(struct probe_relay *relay, char *text, size_t size)
{
	const size_t room = PROBE_RELAY_MOST - KR_MIN(relay->said, PROBE_RELAY_MOST);
	const size_t take = KR_MIN(size, room);

	for (size_t i = 0; i < take; i++) {
		const char c = text[i];

		if ((c < ' ' || c > '~') && c != '\n' && c != '\t')
			text[i] = '?';
	}
	fwrite(text, 1, take, stderr);
	if (room && size >= room)
		fputs("\nkrafla-probe: the driver writes more than is passed on\n", stderr);
	relay->said += size;
}

/* False: there is nothing more now. */
static bool
pass_some(struct probe_relay *relay)
{
	char text[4096];
	const ssize_t got = relay->fd < 0 ? 0 : read(relay->fd, text, sizeof(text));

	if (got > 0)
		say(relay, text, (size_t)got);
	else if (!got || (errno != EAGAIN && errno != EINTR))
		kr_fd_close(&relay->fd);
	return got > 0;
}

void
probe_relay_pass(struct probe_relay *relay)
{
	(void)pass_some(relay);
}

void
probe_relay_finish(struct probe_relay *relay)
{
	/* A pipe holds no more than a MiB, and nobody fills it any more. */
	for (int i = 0; i < 256 && pass_some(relay); i++)
		continue;
	kr_fd_close(&relay->fd);
}
