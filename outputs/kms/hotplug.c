/* SPDX-License-Identifier: Apache-2.0 */
/* See hotplug.h. */
#include "outputs/kms/hotplug.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNELS_GROUP 1
#define MAX_MESSAGE   8192
#define MAX_AT_ONCE   64

int
kms_hotplug_open(int *fd)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNELS_GROUP};
	int made = socket(
		AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (made < 0)
		return -errno;
	if (bind(made, (const struct sockaddr *)&address, sizeof(address))) {
		int ret = -errno;

		close(made);
		return ret;
	}
	*fd = made;
	return 0;
}

/* Strings without gaps, each with its NUL. */
static bool
has_line(const char *message, size_t length, const char *line)
{
	for (size_t at = 0; at < length; at += strnlen(message + at, length - at) + 1) {
		if (!strncmp(message + at, line, length - at))
			return true;
	}
	return false;
}

bool
kms_hotplug_read(int fd)
{
	char message[MAX_MESSAGE];
	bool changed = false;

	for (int i = 0; i < MAX_AT_ONCE; i++) {
		struct sockaddr_nl from = {0};
		socklen_t size = sizeof(from);
		ssize_t length = recvfrom(
			fd, message, sizeof(message) - 1, 0, (struct sockaddr *)&from, &size);

		if (length < 0 && errno == ENOBUFS) {
			changed = true; /* some were lost: look */
			continue;
		}
		if (length <= 0)
			break;
		message[length] = '\0';
		/* Only the kernel is believed. */
		changed |= !from.nl_pid && has_line(message, (size_t)length, "SUBSYSTEM=drm");
	}
	return changed;
}
