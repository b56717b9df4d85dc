/* SPDX-License-Identifier: Apache-2.0 */
/* See driver_services.h. */
#include "client/driver_services.h"

#include <errno.h>
#include <string.h>

#include "util/env.h"
#include "util/log.h"

/* `text` has `length` bytes: "+log=/dev/log". */
static int
read_entry(const char *text, size_t length, const char *equals, struct kr_client_named *entry)
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
kr_client_named_find(const char *list, const char *name, struct kr_client_named *entry)
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

int
kr_client_named_open(const char *name, bool *listed, int *fd)
{
	const char *list = kr_env_get(KR_DRIVER_SERVICES_VARIABLE);
	struct kr_client_named entry;
	int err;

	*listed = false;
	if (!kr_named_socket_is_name(name))
		return -EINVAL;
	err = list ? kr_client_named_find(list, name, &entry) : -ENOENT;
	*listed = err != -ENOENT;
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
	return err ? err : kr_named_socket_connect(entry.path, fd);
}
