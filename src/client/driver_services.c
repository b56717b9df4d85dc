/* SPDX-License-Identifier: Apache-2.0 */
/* See driver_services.h. */
#include "client/driver_services.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/env.h"
#include "util/fd.h"
#include "util/log.h"

bool
kr_driver_service_name_is_good(const char *name)
{
	const size_t length = strlen(name);

	return length && length <= KR_DRIVER_SERVICE_NAME_MAX &&
		strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

/* `text` has `length` bytes: "+log=/dev/log". */
static int
read_entry(
	const char *text, size_t length, const char *equals, struct kr_driver_service_entry *entry)
{
	const char *path = equals + 1;
	const size_t path_length = (size_t)(text + length - path);

	if (!path_length || path[0] != '/' || path_length >= sizeof(entry->path))
		return -EINVAL;
	entry->safe = text[0] == '+';
	memcpy(entry->path, path, path_length);
	entry->path[path_length] = '\0';
	return 0;
}

int
kr_driver_service_find(const char *list, const char *name, struct kr_driver_service_entry *entry)
{
	const size_t name_length = strlen(name);

	for (; *list; list += *list == ':') {
		const size_t length = strcspn(list, ":"), mark = *list == '+';
		const char *equals = memchr(list, '=', length);

		if (equals && (size_t)(equals - list) == mark + name_length &&
			!strncmp(list + mark, name, name_length))
			return read_entry(list, length, equals, entry);
		list += length;
	}
	return -ENOENT;
}

static int
connect_as(int type, const char *path, int *out)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int err, fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	memcpy(address.sun_path, path, strlen(path));
	if (!connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		*out = fd;
		return 0;
	}
	err = -errno;
	kr_fd_close(&fd);
	return err;
}

/* As whatever it listens: the kernel says of the others that they are of the wrong type. */
static int
connect_to(const char *path, int *fd)
{
	static const int types[] = {SOCK_DGRAM, SOCK_SEQPACKET, SOCK_STREAM};
	int err = -EPROTOTYPE;

	for (size_t i = 0; err == -EPROTOTYPE && i < KR_ARRAY_LEN(types); i++)
		err = connect_as(types[i], path, fd);
	return err;
}

int
kr_driver_service_open(const char *name, int *fd)
{
	const char *list = kr_env_get(KR_DRIVER_SERVICES_VARIABLE);
	struct kr_driver_service_entry entry;
	int err;

	if (!kr_driver_service_name_is_good(name))
		return -EINVAL;
	err = list ? kr_driver_service_find(list, name, &entry) : -ENOENT;
	if (err == -EINVAL)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			KR_DRIVER_SERVICES_VARIABLE
			": the entry of %s has no absolute path of at most 107 bytes",
			name);
	if (!err && !entry.safe) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"a driver doesn't get the service %s: " KR_DRIVER_SERVICES_VARIABLE
			" doesn't mark it as safe for all that is drawn in this process (+%s=%s)",
			name, name, entry.path);
		return -EACCES;
	}
	return err ? err : connect_to(entry.path, fd);
}
