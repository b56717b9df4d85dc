/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens files and services for drivers (F-05, F-09): see krafla/open_in_namespace.h, whose words
 * for the wire are kept here.
 */
#include <krafla/driver_services.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/driver_services.h"
#include "client/internal.h"
#include "delivery/delivery.h"
#include "util/fd.h"
#include "util/log.h"
#include "wire/packet.h"
#include "wire/service.h"

/* Paths below the devices: no empty name, none that leads elsewhere. */
static bool
stays_below(const char *path)
{
	for (;; path++) {
		size_t length = strcspn(path, "/");

		if (!length || (length == 1 && path[0] == '.') ||
			(length == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		path += length;
		if (!*path)
			return true;
	}
}

/* `needs`: a bit without which the service isn't asked, and has no such thing. */
static int
ask(struct kr_ls_message *request, uint32_t needs, enum kr_ls_type expected,
	struct kr_answer *answer)
{
	struct kr_client *client = kr_client_get();
	uint32_t features = 0;
	char *reason = NULL;
	int err;

	if (!kr_client_is_configured())
		return -ENOTCONN;
	err = kr_client_begin(client, &reason);
	if (!err) {
		err = kr_client_features(client, &features, &reason);
		if (!err && needs & ~features)
			err = -ENOENT;
		if (!err)
			err = kr_client_ask(client, request, expected, false, answer, &reason);
		kr_client_done(client);
	}
	if (err && err != -ENOENT)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "a driver can't open what it asks for: %s",
			reason ? reason : strerror(-err));
	free(reason);
	return err;
}

static int
open_devices(int *fd)
{
	struct kr_ls_message request = {.type = KR_LS_DEVICE_FS};
	struct kr_answer answer;
	int err = ask(&request, 0, KR_LS_DEVICES, &answer);

	if (err)
		return err;
	/* A listing in memory is no directory. */
	err = answer.message.devices.kind == KR_DELIVERY_MOUNT ? 0 : -EOPNOTSUPP;
	if (!err) {
		*fd = answer.fds[0];
		answer.fd_count = 0;
	}
	kr_answer_finish(&answer);
	return err;
}

/* An answer's one descriptor, or its error. */
static int
take_opened(struct kr_answer *answer, int32_t error, int *fd)
{
	if (!error && answer->fd_count == 1) {
		*fd = answer->fds[0];
		return 0;
	}
	kr_answer_finish(answer);
	return error > 0 && error < 4096 ? -error : -EPROTO;
}

static int
open_device(const char *path, int *fd)
{
	struct kr_ls_message request = {.type = KR_LS_OPEN_DEVICE};
	struct kr_answer answer;
	int err;

	if (!stays_below(path))
		return -EINVAL;
	if (strlen(path) >= sizeof(request.open_device.path))
		return -ENAMETOOLONG;
	memcpy(request.open_device.path, path, strlen(path));
	err = ask(&request, 0, KR_LS_DEVICE, &answer);
	return err ? err : take_opened(&answer, answer.message.device.error, fd);
}

/* The parent's list goes before the loader service's own. */
static int
open_service(const char *name, int *fd)
{
	struct kr_ls_message request = {.type = KR_LS_OPEN_SERVICE};
	struct kr_answer answer;
	bool listed;
	int err = kr_client_named_open(name, &listed, fd);

	if (err != -ENOENT || listed || !kr_client_is_configured())
		return err;
	snprintf(request.open_service.name, sizeof(request.open_service.name), "%s", name);
	err = ask(&request, KR_SERVICE_DRIVER_SERVICES, KR_LS_SERVICE, &answer);
	return err ? err : take_opened(&answer, answer.message.service.error, fd);
}

/* With fopen, as the loader opens all files (K-48). */
static int
open_file(const char *path, int *fd)
{
	FILE *file = fopen(path, "re");
	int err;

	if (!file)
		return -errno;
	err = kr_fd_dup(fileno(file), fd);
	fclose(file);
	return err;
}

static int
open_path(const char *path, int *fd)
{
	static const size_t length = sizeof(KRAFLA_GPU_DEVICES) - 1;
	static const char services[] = KRAFLA_DRIVER_SERVICES "/";

	if (!path || path[0] != '/')
		return -EINVAL;
	if (!strncmp(path, services, sizeof(services) - 1))
		return open_service(path + sizeof(services) - 1, fd);
	if (strncmp(path, KRAFLA_GPU_DEVICES, length))
		return open_file(path, fd);
	if (!path[length])
		return open_devices(fd);
	return path[length] == '/' ? open_device(path + length + 1, fd) : -EINVAL;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_client_open_in_namespace(const char *path, int take_socket)
{
	int fd = -1;
	int err = open_path(path, &fd);
	int32_t error = -err;
	int sent = kr_packet_send(take_socket, &error, sizeof(error), &fd, err ? 0 : 1);

	kr_fd_close(&fd);
	kr_fd_close(&take_socket);
	return err || sent ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
}
