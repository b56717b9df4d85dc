/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that came as descriptors: see given.h. */
#include "tools/probe/given.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "delivery/delivery.h"
#include "krafla/open_in_namespace.h"
#include "util/text.h"

#define INITIALIZE "vk_icdInitializeOpenInNamespaceCallback"

static void
send_opened(int socket, int fd, int32_t error)
{
	struct iovec iov = {&error, sizeof(error)};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		struct cmsghdr *cmsg = &control.align;

		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
		msg.msg_control = control.bytes;
		msg.msg_controllen = sizeof(control.bytes);
	}
	while (sendmsg(socket, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR)
		continue;
}

/* Devices are those of /dev: this process is where the service is. */
static int
open_path(const char *path)
{
	const size_t len = strlen(KRAFLA_GPU_DEVICES);
	char node[PATH_MAX];

	if (path[0] != '/')
		return -1;
	if (strncmp(path, KRAFLA_GPU_DEVICES, len) || (path[len] && path[len] != '/'))
		return open(path, O_RDONLY | O_CLOEXEC);
	if (snprintf(node, sizeof(node), "/dev%s", path + len) >= (int)sizeof(node))
		return -1;
	return open(node, path[len] ? O_RDWR | O_CLOEXEC : O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static VkResult VKAPI_PTR
open_in_namespace(const char *path, int take_socket)
{
	int fd;

	errno = EINVAL;
	fd = open_path(path);
	send_opened(take_socket, fd, fd < 0 ? errno : 0);
	close(take_socket);
	if (fd < 0)
		return VK_ERROR_INITIALIZATION_FAILED;
	close(fd);
	return VK_SUCCESS;
}

/* How many, at most `room`; 0 when the list isn't one. */
static size_t
read_fds(const char *list, int *fds, size_t room)
{
	size_t count = 0;

	while (count < room) {
		char *end;
		const long number = strtol(list, &end, 10);

		if (end == list || number < 0 || number > INT_MAX)
			return 0;
		fds[count++] = (int)number;
		if (!*end)
			return count;
		if (*end != ',')
			return 0;
		list = end + 1;
	}
	return 0;
}

static int
introduce(void *dso, char **reason)
{
	PFN_vk_icdInitializeOpenInNamespaceCallback initialize =
		(PFN_vk_icdInitializeOpenInNamespaceCallback)(uintptr_t)dlsym(dso, INITIALIZE);

	if (!initialize || initialize(open_in_namespace) == VK_SUCCESS)
		return 0;
	*reason = strdup(INITIALIZE " failed");
	return -EINVAL;
}

/* As launchers do: by these the driver finds files of its package. */
static int
set_variables(const struct kr_delivery *delivery, bool mount, const int *fds)
{
	const struct kr_index *index = kr_delivery_index(delivery);

	for (size_t i = 0; i < index->variable_count; i++) {
		char *value = kr_index_variable_value(index, i, mount, fds);
		int ret = value && !setenv(index->variables[i].name, value, 1) ? 0 : -ENOMEM;

		free(value);
		if (ret)
			return ret;
	}
	return 0;
}

int
probe_open_given(
	const char *kind, const char *list, struct kr_driver_library **library, char **reason)
{
	const bool mount = !strcmp(kind, "mount");
	struct kr_delivery *delivery;
	int fds[KR_INDEX_MAX_FILES + 1];
	size_t count = read_fds(list, fds, KR_INDEX_MAX_FILES + 1);
	void *dso;
	int ret;

	if (!count || (!mount && strcmp(kind, "memory"))) {
		*reason = kr_asprintf("'%s %s' names no descriptors of a driver", kind, list);
		return -EINVAL;
	}
	/* What the driver starts needn't have them. */
	for (size_t i = 0; i < count; i++)
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
	ret = kr_delivery_take(
		mount ? KR_DELIVERY_MOUNT : KR_DELIVERY_MEMORY, fds, count, &delivery, reason);
	if (ret)
		return ret;
	ret = set_variables(delivery, mount, fds);
	if (!ret)
		ret = kr_delivery_load(delivery, &dso, reason);
	kr_delivery_destroy(delivery);
	if (!ret)
		ret = introduce(dso, reason);
	return ret ? ret : kr_driver_library_adopt(KR_DRIVER_MANIFEST, "given", dso, library);
}
