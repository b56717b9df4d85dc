/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uevents: the kernel's (group 1 of its netlink socket) or udev's (group 2, sent when its rules
 * have been followed, permissions included). Who sent a packet isn't checked: all it can do is have
 * the device directory listed once more.
 *
 * A packet of the kernel is "add@/devices/...", then strings "KEY=value", each with its NUL. One of
 * udev begins with "libudev" and a NUL; where its strings begin is the fifth 32-bit word (libudev's
 * struct udev_monitor_netlink_header).
 */
#include "service/devices/internal.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/log.h"

#define GROUP_KERNEL    1
#define GROUP_UDEV      2
#define PACKETS_A_ROUND 64
#define UDEV_OFFSET_AT  16
#define UDEV_IS_RUNNING "/run/udev/control"

struct kr_uevents {
	struct kr_devices *devices;
	int fd;     /* -1: none */
	int own_fd; /* the same, when it is to be closed */
	const char *source;
	struct kr_watch *watch;
};

/* Where the strings begin; `size` when that can't be. */
static size_t
strings_of(const char *packet, size_t size)
{
	unsigned offset;

	if (size < UDEV_OFFSET_AT + sizeof(offset) || memcmp(packet, "libudev", 8))
		return 0;
	memcpy(&offset, packet + UDEV_OFFSET_AT, sizeof(offset));
	return KR_MIN((size_t)offset, size);
}

static bool
has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Whether a string of the packet says that this may be about a node that counts. */
static bool
matters(const struct kr_devices *devices, const char *text)
{
	if (has_prefix(text, "DEVNAME=")) {
		const char *name = text + 8;

		return kr_devices_wants(devices, has_prefix(name, "/dev/") ? name + 5 : name);
	}
	return !strcmp(text, "SUBSYSTEM=drm") || !strcmp(text, "ACTION=bind") ||
		!strcmp(text, "ACTION=unbind");
}

static bool
packet_matters(const struct kr_devices *devices, char *packet, size_t size)
{
	packet[size] = '\0';
	for (size_t at = strings_of(packet, size); at < size; at += strlen(packet + at) + 1) {
		if (matters(devices, packet + at))
			return true;
	}
	return false;
}

static void
give_up(struct kr_uevents *uevents)
{
	kr_watch_remove(uevents->watch);
	uevents->watch = NULL;
	uevents->source = NULL;
	kr_log(KR_LOG_WARN, "No more uevents come: devices are seen by inotify alone");
}

/* ENOBUFS: events were lost. */
static void
handle_packets(void *data, uint32_t events)
{
	struct kr_uevents *uevents = data;
	char packet[8192 + 1];

	for (int i = 0; i < PACKETS_A_ROUND; i++) {
		const ssize_t got = recv(uevents->fd, packet, sizeof(packet) - 1, MSG_DONTWAIT);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == ENOBUFS)
			kr_devices_touch(uevents->devices);
		if (got < 0 && (errno == EAGAIN || errno == ENOBUFS))
			return;
		if (got <= 0) {
			kr_devices_touch(uevents->devices);
			give_up(uevents);
			return;
		}
		if (packet_matters(uevents->devices, packet, (size_t)got))
			kr_devices_touch(uevents->devices);
	}
}

static int
open_netlink(unsigned group)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = group};
	int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || !bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	kr_fd_close(&fd);
	return -1;
}

/* udev tells of a node when it is ready, but only where it runs. */
static void
choose(struct kr_uevents *uevents, const char *events)
{
	const bool udev = !strcmp(events, "udev") ||
		(!strcmp(events, "auto") && !access(UDEV_IS_RUNNING, F_OK));

	if (!strcmp(events, "inotify"))
		return;
	uevents->fd = uevents->own_fd = open_netlink(udev ? GROUP_UDEV : GROUP_KERNEL);
	if (uevents->fd >= 0)
		uevents->source = udev ? "udev" : "kernel";
	else if (strcmp(events, "auto"))
		kr_log(KR_LOG_WARN | KR_LOG_LOUD,
			"No socket for uevents (\"events\": \"%s\"): %s; devices are seen by inotify alone",
			events, strerror(errno));
}

int
kr_uevents_create(struct kr_devices *devices, int fd, struct kr_uevents **out)
{
	struct kr_uevents *uevents = calloc(1, sizeof(*uevents));
	int ret;

	if (!uevents)
		return -ENOMEM;
	*uevents = (struct kr_uevents){.devices = devices, .fd = fd, .own_fd = -1};
	if (fd >= 0)
		uevents->source = "given";
	else
		choose(uevents, devices->config->events);
	ret = uevents->fd < 0 ? 0
			      : kr_watch_add(devices->loop, uevents->fd, EPOLLIN, handle_packets,
					uevents, &uevents->watch);
	if (ret) {
		kr_uevents_destroy(uevents);
		return ret;
	}
	*out = uevents;
	return 0;
}

const char *
kr_uevents_source(const struct kr_uevents *uevents)
{
	return uevents->source;
}

void
kr_uevents_destroy(struct kr_uevents *uevents)
{
	if (!uevents)
		return;
	kr_watch_remove(uevents->watch);
	kr_fd_close(&uevents->own_fd);
	free(uevents);
}
