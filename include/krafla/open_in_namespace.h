/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For drivers that a loader service delivers (F-05): opening files by name. The header is all that
 * a driver needs: it links with nothing of Krafla.
 *
 * A driver that exports
 *
 *     VkResult vk_icdInitializeOpenInNamespaceCallback(PFN_krafla_open_in_namespace open);
 *
 * is given a function before any other call into it, once for each loader in the process
 * (the newest one counts). With it, it opens the nodes of its devices in a process that may
 * have no /dev of its own:
 *
 *     /loader-gpu-devices          the directory of devices: an empty file for each node
 *     /loader-gpu-devices/X/Y      the node /dev/X/Y, for reading and writing
 *     /loader-services/NAME        a socket of a service: krafla/driver_services.h
 *     any other absolute path      a file or directory of the process's own name space, for reading
 *
 * What goes over the socket stays as it is here for all later loaders: one message of four bytes, a
 * 32-bit number in the machine's byte order. 0: the file is open, and its descriptor came along
 * (SCM_RIGHTS). Any other is an errno of Linux, and no descriptor came.
 */
#ifndef KRAFLA_OPEN_IN_NAMESPACE_H
#define KRAFLA_OPEN_IN_NAMESPACE_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the devices of the loader service are. */
#define KRAFLA_GPU_DEVICES "/loader-gpu-devices"

/*
 * Opens `path` and sends the answer on `take_socket`, one end of a pair of AF_UNIX sockets
 * (SEQPACKET, or any other type), which it closes in any case. The answer is there when it returns,
 * so the other end needn't wait. It may wait for the loader service itself, up to half a minute.
 * VK_SUCCESS: a descriptor was sent. VK_ERROR_INITIALIZATION_FAILED: an errno was (EINVAL for a
 * path that isn't absolute, or goes above the devices by ".."; EOPNOTSUPP where the service can't
 * show devices as a directory; ENOTCONN when the connection to the service has ended), or
 * take_socket can't be sent on.
 *
 * Any thread, also from within vk_icdInitializeOpenInNamespaceCallback; not from a signal handler.
 * The loader stays in the process once a driver has this function.
 */
typedef VkResult(VKAPI_PTR *PFN_krafla_open_in_namespace)(const char *path, int take_socket);
typedef VkResult(VKAPI_PTR *PFN_vk_icdInitializeOpenInNamespaceCallback)(
	PFN_krafla_open_in_namespace open);

/*
 * The driver's side: reads the one answer from its end of the pair, which stays open.
 * A new descriptor (close-on-exec), or -errno: -EAGAIN when there is no answer,
 * -EPROTO when it isn't one.
 */
static inline int
krafla_receive_opened(int socket)
{
	int32_t error = 0;
	struct iovec iov = {&error, sizeof(error)};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg;
	struct cmsghdr *cmsg;
	ssize_t got;
	int fd = -1;

	memset(&msg, 0, sizeof(msg));
	msg.msg_iov = &iov;
	msg.msg_iovlen = 1;
	msg.msg_control = control.bytes;
	msg.msg_controllen = sizeof(control.bytes);
	do
		got = recvmsg(socket, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg && cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type == SCM_RIGHTS &&
		cmsg->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	if (got == (ssize_t)sizeof(error) && (error == 0) == (fd >= 0) && error >= 0)
		return error ? -error : fd;
	if (fd >= 0)
		close(fd);
	return -EPROTO;
}

/* All of it: a new descriptor (close-on-exec), or -errno. */
static inline int
krafla_open_in_namespace(PFN_krafla_open_in_namespace open_function, const char *path)
{
	int pair[2], fd;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	/* Its result says no more than the answer does. */
	(void)open_function(path, pair[1]);
	fd = krafla_receive_opened(pair[0]);
	close(pair[0]);
	return fd;
}

#ifdef __cplusplus
}
#endif

#endif
