/* SPDX-License-Identifier: Apache-2.0 */
#include "util/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/env.h"
#include "util/fd.h"

void
kr_report(const char *what, const char *detail)
{
	const char *path = kr_env_get("KRAFLA_REPORT");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char text[KR_REPORT_MAX];
	int saved = errno, fd;

	if (!path || strlen(path) >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, strlen(path));
	snprintf(text, sizeof(text), "%s%s%s", what, detail ? " " : "", detail ? detail : "");
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		(void)sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
			(const struct sockaddr *)&address, sizeof(address));
	kr_fd_close(&fd);
	errno = saved;
}
