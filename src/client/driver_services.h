/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services that drivers reach by name (F-09): a list that whoever starts or embeds this process
 * gives in KRAFLA_DRIVER_SERVICES, entries `NAME=SOCKET` separated by `:`, those that are safe for
 * all that is drawn in the process with a `+` before them; the loader service's own list counts for
 * names that aren't in it. The process's drivers are shared by all
 * of it, so what isn't marked is given to none. krafla/driver_services.h has the driver's side.
 *
 * Thread-safety: any thread. The list is read anew each time.
 */
#ifndef KR_CLIENT_DRIVER_SERVICES_H
#define KR_CLIENT_DRIVER_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include "util/macros.h"
#include "wire/named_socket.h"

#define KR_DRIVER_SERVICES_VARIABLE "KRAFLA_DRIVER_SERVICES"

struct kr_client_named {
	bool safe;
	char path[KR_NAMED_SOCKET_PATH_SIZE];
};

/*
 * Looks a name up; the first entry counts. 0; -ENOENT; -EINVAL, its entry is wrong: no absolute
 * path, or one that is too long.
 */
int kr_client_named_find(const char *list, const char *name, struct kr_client_named *entry)
	KR_MUST_CHECK;
/*
 * A connected socket that doesn't wait. 0, -EINVAL, -ENOENT, -EACCES, or -errno of connect.
 * *listed: the list has the name, whatever came of it.
 */
int kr_client_named_open(const char *name, bool *listed, int *fd) KR_MUST_CHECK;

#endif
